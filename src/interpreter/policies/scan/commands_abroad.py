"""What a command does beyond this machine's files: sends, installs, shows keys, changes worlds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from interpreter.policies.places import UNKNOWN
from interpreter.policies.scan.command_words import Problem, Words, flags_of, operands_of

_REMOTE = re.compile(r"^(?:[\w.-]+@)?[\w.-]+:(?!//)|^(?:s3|gs|az|rsync|sftp|ftp)://")


def curl(name: str, arguments: Words) -> Iterator[Problem]:
    for before, word in zip(["", *arguments], arguments, strict=False):
        sends = before in _SENDING or word.split("=")[0] in _SENDING
        value = word if before in _SENDING else word.partition("=")[2]
        uploads = before in ("-T", "--upload-file", "--post-file") or word.startswith(
            "--post-file="
        )
        if sends and (uploads or "@" in value[:1] or "=@" in value or UNKNOWN in value):
            yield "exfiltration", f"{name} sends a file, or what the block found, to a host"
            return
    if any(UNKNOWN in word and re.match(r"https?://", word) for word in arguments):
        yield from _secret_in_address(arguments)


def _secret_in_address(arguments: Words) -> Iterator[Problem]:
    for word in arguments:
        if re.search(rf"[?&][\w-]+={UNKNOWN}|//{UNKNOWN}+\.", word):
            yield "exfiltration", "what the block found becomes part of an address"
            return


_SENDING = frozenset({"-d", "--data", "--data-binary", "--data-raw", "--data-urlencode", "-F"})
_SENDING |= {"--form", "-T", "--upload-file", "--post-file", "--post-data", "--json"}


def transfer(name: str, arguments: Words) -> Iterator[Problem]:
    places = operands_of(arguments)
    if len(places) > 1 and _REMOTE.match(places[-1]) and not _REMOTE.match(places[0]):
        yield "exfiltration", f"{name} copies files to another machine"


def cloud(name: str, arguments: Words) -> Iterator[Problem]:
    words = operands_of(arguments)
    if {"cp", "sync", "mv", "copy", "rsync", "move"} & set(words) and words:
        remote = [bool(re.match(r"^(?:s3|gs|az)://|^[\w-]+:", word)) for word in words]
        if remote[-1] and not remote[-2]:
            yield "exfiltration", f"{name} copies files to another machine"
    text = " ".join(words)
    if re.search(r"auth (token|print-access-token)|configure get|get-session-token|rb s3", text):
        yield "credential-read", f"{name} shows or uses keys"


def netcat(name: str, arguments: Words) -> Iterator[Problem]:
    if {"-e", "-c", "--exec", "--sh-exec"} & flags_of(arguments):
        yield "exfiltration", f"{name} gives a shell to another machine"
    elif "-z" not in flags_of(arguments):
        yield "exfiltration", f"{name} opens a raw connection"


def resolve(name: str, arguments: Words) -> Iterator[Problem]:
    if any(UNKNOWN in word for word in arguments):
        yield "exfiltration", f"{name} puts what the block found into a name that is looked up"


def keychain(name: str, arguments: Words) -> Iterator[Problem]:
    if name != "security" or any(word.startswith(("find-", "dump-")) for word in arguments):
        yield "credential-read", f"{name} reads stored passwords"


def container(name: str, arguments: Words) -> Iterator[Problem]:
    text = " ".join(arguments)
    if re.search(
        r"--privileged|(-v|--volume)[ =]/(etc|root|home)?:|docker\.sock|--pid[= ]host", text
    ):
        yield "privilege", f"{name} gives a container the whole machine"
    if re.search(r"\bprune\b.*(-a|--volumes|-f)|\bvolume rm\b", text):
        yield "destructive-delete", f"{name} removes what containers kept"


def key_tool(name: str, arguments: Words) -> Iterator[Problem]:
    if re.search(_SHOWS_KEYS, f"{name} {' '.join(arguments)}"):
        yield "credential-read", f"{name} shows keys"


_SHOWS_KEYS = (
    r"--export-secret|^kubectl .*\bget\b.*\bsecrets?\b|^vault .*\b(?:read|get|print)\b"
    r"|^op .*\bread\b|^getent g?shadow\b"
    r"|^npm .*\btoken\b|^ssh-keygen .*-y\b|^git .*\bcredential fill\b"
)


def install(name: str, arguments: Words) -> Iterator[Problem]:
    if any(re.search(r"(?:^|=|\+)http://(?!localhost|127\.)", word) for word in arguments):
        yield "pipe-to-shell", f"{name} installs what an address sends that anybody can change"


def other_world(name: str, arguments: Words) -> Iterator[Problem]:
    yield "privilege", f"{name} runs a command with another root or other rights"


def traces(name: str, arguments: Words) -> Iterator[Problem]:
    clears = {"-c", "-w", "-e", "cl"} & set(arguments) if name != "journalctl" else set()
    if clears or any(word.startswith("--vacuum") for word in arguments):
        yield "system-change", f"{name} removes traces of what was done"

"""The words of commands: what is run, with which options, on what."""

from __future__ import annotations

import re

Words = list[str]
Problem = tuple[str, str]
"""A rule's name, and the reason."""

SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "ash"})
INTERPRETERS = SHELLS | {"python", "python3", "perl", "ruby", "node", "php", "osascript", "pwsh"}
DOWNLOADERS = frozenset({"curl", "wget", "fetch", "aria2c", "http", "https", "lynx"})
DECODERS = frozenset({
    "base64",
    "base32",
    "xxd",
    "openssl",
    "uudecode",
    "rev",
    "tr",
    "gunzip",
    "zcat",
})

_WRAPPERS = frozenset({"nohup", "time", "nice", "ionice", "exec", "command", "builtin", "setsid"})
_WRAPPERS |= {"stdbuf", "unbuffer", "chronic", "catchsegv", "caffeinate", "busybox"}
PRIVILEGE = frozenset({"sudo", "doas", "su", "pkexec", "runuser", "gosu"})


def unwrapped(words: Words) -> Words:
    """The command itself, without what only changes how it is run."""
    while words:
        name = program(words)
        if "=" in words[0] and re.match(r"^\w+=", words[0]):
            words = words[1:]
        elif name in _WRAPPERS:
            words = _after_options(words[1:])
        elif name in ("env", "xargs", "timeout", *PRIVILEGE):
            words = _after_options(words[1:])
            if name == "timeout":
                words = words[1:]
        else:
            return words
    return words


def _after_options(words: Words) -> Words:
    takes_value = ("-u", "-g", "-n", "-I", "-P", "-L", "-s", "-k", "-c", "-d", "-a", "-C", "-S")
    while words and (words[0].startswith("-") or re.match(r"^\w+=", words[0])):
        words = words[2:] if words[0] in takes_value and len(words) > 2 else words[1:]
    return words


def program(words: Words) -> str:
    """The program's name without its directory and suffix."""
    name = words[0].rsplit("/", 1)[-1].lower() if words else ""
    return re.sub(r"(?<=python)[\d.]+$|\.exe$", "", name)


def flags_of(arguments: Words) -> set[str]:
    """Short options one by one, long ones whole."""
    found: set[str] = set()
    for word in arguments:
        if word.startswith("--"):
            found.add(word.split("=")[0])
        elif word.startswith("-"):
            found |= {f"-{letter}" for letter in word[1:]}
    return found


def operands_of(arguments: Words) -> Words:
    return [word for word in arguments if not word.startswith("-")]

"""One-liners of Perl, Ruby and PHP: no parser of ours reads them, so words are looked for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from interpreter.policies.places import is_autorun, is_broad, is_secret
from interpreter.policies.scan.command_words import Problem

_DELETES = re.compile(
    r"\b(?:rm_rf?|remove_(?:dir|entry\w*|tree)|rmtree|unlink|rmdir|File\.delete|Dir\.(?:rmdir|unlink))\b"
)
_HOME = re.compile(r"Dir\.home|ENV\W+HOME|\$ENV\{\W?HOME|getenv\(.HOME|\$HOME")
_EVALUATES = re.compile(r"\beval\b[^;]*(?:decode|unpack|pack|fetch|get|open-uri|LWP|gzinflate)")
_TEXT = re.compile(r"""(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1""")
_SENDS = re.compile(r"Net::HTTP\.post|LWP::UserAgent.*post|TCPSocket|IO::Socket|fsockopen")


def scan_script(code: str) -> Iterator[Problem]:
    """What is dangerous in a one-liner, judged by its words."""
    texts = [match[2] for match in _TEXT.finditer(code)]
    far = [text for text in texts if text.startswith(("/", "~", "..")) and is_broad(text)]
    if _DELETES.search(code) and (far or _HOME.search(code)):
        yield "destructive-delete", "files of a home or of the system are removed"
    if re.search(r"\brm\s+-\w*[rf]", code) and (far or re.search(r"rm\s+-\w+\s+[~/]", code)):
        yield "destructive-delete", "a shell command in it removes files"
    if _EVALUATES.search(code):
        yield "obfuscated-exec", "it runs text that is decoded or fetched"
    if any(is_secret(text) for text in texts if "/" in text or text.startswith(".")):
        yield "credential-read", "it names a file that holds secrets"
    if any(is_autorun(text) for text in texts) and re.search(r"[>]|\bwrite|\bputs?\b|open", code):
        yield "persistence", "it writes a file that runs later, by itself"
    if _SENDS.search(code):
        yield "exfiltration", "it sends something to another machine"

"""Takes keys and passwords out of what is stored, shown, and sent to a model."""

from __future__ import annotations

import contextlib
import re
import stat
from collections.abc import Mapping
from pathlib import Path

from interpreter.policies.places import is_secret

_NAME = re.compile(
    r"(?:^|_)(?:(?:API|ACCESS|SECRET|PRIVATE|ENCRYPTION|SIGNING|AUTH)_?KEY(?:_ID)?|KEY|TOKEN|SECRET"
    r"|PASSWORD|PASSWD|PASSPHRASE|PASS|CREDENTIALS?|PAT|DSN|COOKIE|WEBHOOK_URL|CONNECTION_STRING"
    r"|DATABASE_URL)(?:$|_)",
    re.IGNORECASE,
)
_SHORTEST = 8
_MOST_FILES = 20
_LARGEST_FILE = 1 << 16
_SETTING = re.compile(r"^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)
_WORD = r"[A-Za-z0-9_-]"
_SHAPES = (
    (
        "private key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    ),
    ("API key", rf"\bsk-(?:ant-|proj-|or-|svcacct-)?{_WORD}{{20,}}"),
    ("GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{40,})"),
    ("GitLab token", rf"\bglpat-{_WORD}{{20,}}"),
    ("Slack token", rf"\bxox[abeoprs]-{_WORD}{{10,}}"),
    ("AWS key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("Google key", rf"\bAIza{_WORD}{{35}}|\bya29\.{_WORD}{{20,}}"),
    ("Stripe key", r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("Hugging Face token", r"\bhf_[A-Za-z0-9]{30,}"),
    ("package token", rf"\bnpm_[A-Za-z0-9]{{36}}|\bpypi-AgE{_WORD}{{50,}}"),
    ("mail key", rf"\bSG\.{_WORD}{{16,}}\.{_WORD}{{16,}}"),
    ("web token", rf"\beyJ{_WORD}{{10,}}\.eyJ{_WORD}{{10,}}\.{_WORD}{{10,}}"),
    ("password in an address", r"(?<=://)[^\s/:@'\"]{1,64}:[^\s/@'\"]{3,128}(?=@)"),
)
_SHAPE = re.compile(
    "|".join(f"(?P<s{place}>{shape})" for place, (_, shape) in enumerate(_SHAPES)), re.DOTALL
)
_OPEN_KEY = re.compile(r"-----BEGIN(?:(?!-----END [A-Z ]*KEY-----).)*\Z", re.DOTALL)
_LAST_WORD = re.compile(r"\S{1,1024}\Z")
_LONGEST_WAIT = 8192


def secrets_in_files(workspace: Path) -> dict[str, str]:
    """What the ``.env`` files of a workspace set; whoever prints it shall not show it."""
    found: dict[str, str] = {}
    for file in sorted(workspace.glob(".env*"))[:_MOST_FILES]:
        with contextlib.suppress(OSError):
            found.update(_SETTING.findall(_start_of(file)) if is_secret(file.name) else ())
    return {name: value.strip("'\"") for name, value in found.items()}


def _start_of(file: Path) -> str:
    if not stat.S_ISREG(file.lstat().st_mode):
        return ""
    with file.open(encoding="utf-8", errors="replace") as lines:
        return lines.read(_LARGEST_FILE)


class Secrets:
    """Knows the values of secret variables, and the shapes of keys."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        found = {
            value: name
            for name, value in environment.items()
            if _NAME.search(name) and len(value) >= _SHORTEST and not value.isspace()
        }
        self._names = found
        longest_first = sorted(map(re.escape, found), key=len, reverse=True)
        self._values = re.compile("|".join(longest_first)) if found else None

    def redact(self, text: str) -> str:
        """The text with every secret replaced by what it is called."""
        if self._values is not None:
            text = self._values.sub(lambda match: f"[secret {self._names[match[0]]}]", text)
        return _SHAPE.sub(_label, text)

    def stream(self) -> SecretStream:
        """A redactor for text that arrives in pieces."""
        return SecretStream(self)

    def unfinished(self, text: str) -> int:
        """Where the last part of a text begins that may become a secret; its length if none."""
        recent = max(0, len(text) - _LONGEST_WAIT)
        starts = [
            found.start() for p in (_OPEN_KEY, _LAST_WORD) if (found := p.search(text, recent))
        ]
        starts += [len(text) - size for value in self._names if (size := _overlap(text, value))]
        start = min(starts, default=len(text))
        for pattern in (self._values, _SHAPE):
            for whole in pattern.finditer(text, recent) if pattern is not None else ():
                if whole.start() < start < whole.end():
                    start = whole.start()
        return start


class SecretStream:
    """Redacts text in pieces: what may be the beginning of a secret waits for the rest."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._waiting = ""

    def feed(self, piece: str) -> str:
        """What can be passed on now."""
        text = self._waiting + piece
        cut = self._secrets.unfinished(text)
        if len(text) - cut > _LONGEST_WAIT:
            cut = len(text)
        self._waiting = text[cut:]
        return self._secrets.redact(text[:cut])

    def flush(self) -> str:
        """What waited, now that nothing more comes."""
        text, self._waiting = self._waiting, ""
        return self._secrets.redact(text)


def _label(match: re.Match[str]) -> str:
    place = int((match.lastgroup or "s0")[1:])
    return f"[secret: {_SHAPES[place][0]}]"


def _overlap(text: str, value: str) -> int:
    """How much of the end of a text is the beginning of a value with spaces in it."""
    if not any(character.isspace() for character in value):
        return 0
    sizes = range(min(len(value) - 1, len(text)), 0, -1)
    return next((size for size in sizes if text.endswith(value[:size])), 0)

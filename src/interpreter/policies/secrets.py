"""Takes keys and passwords out of what is stored, shown, and sent to a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote

_NAME = re.compile(
    r"""(?:^|_)(?:(?:API|ACCESS|SECRET|PRIVATE|ENCRYPTION|SIGNING|AUTH|ACCOUNT|SHARED)_?KEY(?:_ID)?
            |KEY|TOKENS?|PASS|PAT|AUTH|PWD|DSN|COOKIE|SALT|SEED_PHRASE|MNEMONIC|WEBHOOK(?:_URL)?
            |CONN(?:ECTION)?_?STR(?:ING)?)(?:$|_)
      | SECRET | PASSW(?:OR)?D | PASSPHRASE | CREDENTIALS? | (?:^|[A-Z])TOKEN$ | API_?KEY
      | (?:^|_)(?:SSH|SUDO|DB|PG|SMTP|MAIL|FTP|MYSQL|REDIS)PASS$""",
    re.IGNORECASE | re.VERBOSE,
)
_PLACE = re.compile(r"(?:OLD)?PWD|.*_(?:FILE|PATH|DIR|SOCK)", re.IGNORECASE)
"""Names whose values are paths."""
_IN_ADDRESS = re.compile(r"\w://[^\s/:@]*:([^\s/@]+)@")
_IN_SETTINGS = re.compile(
    r"(?:^|[;\s?&])(?:password|passwd|pwd|accountkey|sharedaccesskey|secret|token)=([^;\s&]+)", re.I
)
"""Passwords inside of longer values: addresses of databases, connection strings."""
_RANDOM = re.compile(r"(?=\S*[A-Za-z])(?=\S*\d)[A-Za-z0-9+=_~-]{20,}")
"""What nobody writes who does not mean a key, in a file that is there for keys."""
_SHORTEST = 8
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


def is_secret_variable(name: str, value: str) -> bool:
    """Whether a variable is a secret, by its name or by the shape of what it holds."""
    return bool(_NAME.search(name) or _SHAPE.search(value))


class Secrets:
    """Knows the values of secret variables, and the shapes of keys."""

    def __init__(
        self, environment: Mapping[str, str], in_files: Iterable[tuple[str, str]] = ()
    ) -> None:
        """Of the variables of the environment, and of those that ``.env`` files set."""
        found: dict[str, str] = {}
        for name, value in in_files:
            found |= {value: name} if _RANDOM.fullmatch(value) else {}
            found |= dict.fromkeys(_secret(name, value), name)
        for name, value in environment.items():
            found |= dict.fromkeys(_secret(name, value), name)
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


def _secret(name: str, value: str) -> Iterator[str]:
    """What of a variable must not be seen: all of it, each of its lines, a password inside."""
    inner = (*_IN_ADDRESS.findall(value), *_IN_SETTINGS.findall(value))
    named = _NAME.search(name) and not _PLACE.fullmatch(name)
    whole = (value, *value.splitlines()) if named else ()
    for secret in (*whole, *inner, *map(unquote, inner)):
        if len(secret) >= _SHORTEST and not secret.isspace():
            yield secret

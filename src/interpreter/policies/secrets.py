"""Takes keys and passwords out of what is stored, shown, and sent to a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote

from interpreter.policies.key_shapes import KeyStream, has_key, without_keys

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
_PREFIX = 4  # characters of a value by which its beginning is sought


def is_secret_variable(name: str, value: str) -> bool:
    """Whether a variable is a secret, by its name or by the shape of what it holds."""
    return bool(_NAME.search(name)) or has_key(value)


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
        return without_keys(self.redact_values(text))

    def redact_values(self, text: str) -> str:
        """The text without the values of variables."""
        return self._values.sub(self._label, text) if self._values is not None else text

    def stream(self) -> SecretStream:
        """A redactor for text that arrives in pieces; all it says is what `redact` says at once."""
        return SecretStream(self)

    def finished_part(self, text: str) -> tuple[str, str]:
        """A text without values, and the end of it that waits because it may become one."""
        if self._values is None:
            return text, ""
        until, at = min(_beginning(text, value) for value in self._names), 0
        shown: list[str] = []
        known = any(value in text for value in self._names)  # much faster than the pattern
        for match in self._values.finditer(text) if known else ():
            if match.start() >= until:
                break
            shown += [text[at : match.start()], self._label(match)]
            at = match.end()
        until = max(at, until)
        return "".join((*shown, text[at:until])), text[until:]

    def _label(self, match: re.Match[str]) -> str:
        return f"[secret {self._names[match[0]]}]"


class SecretStream:
    """Redacts text in pieces: what may be the beginning of a secret waits for the rest."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._waiting = ""
        self._keys = KeyStream()

    def feed(self, piece: str) -> str:
        """What can be passed on now."""
        text, self._waiting = self._secrets.finished_part(self._waiting + piece)
        return self._keys.feed(text)

    def flush(self) -> str:
        """What waited, now that nothing more comes."""
        text, self._waiting = self._waiting, ""
        return self._keys.feed(self._secrets.redact_values(text), last=True)


def _beginning(text: str, value: str) -> int:
    """Where the end of a text begins that is the beginning of a value; its length if nowhere."""
    at = text.find(value[:_PREFIX], max(0, len(text) - len(value) + 1))
    while at >= 0:
        if value.startswith(text[at:]):
            return at
        at = text.find(value[:_PREFIX], at + 1)
    sizes = range(_PREFIX - 1, 0, -1)
    return len(text) - next((size for size in sizes if text.endswith(value[:size])), 0)


def _secret(name: str, value: str) -> Iterator[str]:
    """What of a variable must not be seen: all of it, each of its lines, a password inside."""
    inner = (*_IN_ADDRESS.findall(value), *_IN_SETTINGS.findall(value))
    named = _NAME.search(name) and not _PLACE.fullmatch(name)
    whole = (value, *value.splitlines()) if named else ()
    for secret in (*whole, *inner, *map(unquote, inner)):
        if len(secret) >= _SHORTEST and not secret.isspace():
            yield secret

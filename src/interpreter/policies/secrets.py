"""Takes keys and passwords out of what is stored, shown, and sent to a model, as it arrives.

A text that arrives in pieces is redacted as if it had come whole. What may still become a key
waits, and that is never more than a few thousand characters; of a key whose end is not yet there
only the name is passed on, and the rest of it is dropped as it comes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple
from urllib.parse import unquote

LONGEST_PRIVATE_KEY = 16_384
_WORD = "[A-Za-z0-9_-]"
_PLAIN = "[A-Za-z0-9]"
_END = re.compile(r"-----END [A-Z ]{0,40}PRIVATE KEY-----")
_LONGEST_END = 80


class Run(NamedTuple):
    """So many characters of one kind."""

    kind: str
    least: int
    most: int | None = None

    @property
    def pattern(self) -> str:
        """The whole run."""
        return f"{self.kind}{{{self.least},{self.most or ''}}}"

    def beginning(self, *, last: bool) -> str:
        """The end of a text that does not tell yet whether this run, and what follows, is there."""
        open_to = self.least - 1 if last else self.most
        return rf"{self.kind}{{0,{open_to}}}\Z"


class Shape(NamedTuple):
    """A kind of key: how it starts, what comes then, and what must be around it."""

    name: str
    starts: tuple[str, ...]
    parts: tuple[str | Run, ...]
    before: str = r"\b"
    after: str = ""

    @property
    def pattern(self) -> str:
        """Keys of this kind."""
        rest = "".join(p.pattern if isinstance(p, Run) else re.escape(p) for p in self.parts)
        return f"{self.before}(?:{_any_of(self.starts)}){rest}{self.after}"

    @property
    def beginning(self) -> str:
        """The end of a text that may go on to be such a key."""
        rest = "(?!)"
        for part in reversed(self.parts):
            if isinstance(part, Run):
                here = part.beginning(last=rest == "(?!)" and not self.after)
                rest = f"(?:{here}|{part.pattern}{rest})"
            else:
                rest = f"(?:{_beginning(part)}|{re.escape(part)}{rest})"
        return f"{self.before}(?:{_any_of(self.starts)}){rest}"


def _any_of(literals: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, literals))


def _beginning(literal: str) -> str:
    """The end of a text that may go on to be this literal."""
    return rf"(?:{_any_of(tuple(literal[:size] for size in range(len(literal))))})\Z"


_SHAPES = (
    Shape("private key", ("-----BEGIN ",), (Run("[A-Z ]", 0, 40), "PRIVATE KEY-----"), before=""),
    Shape("API key", ("sk-",), (Run(_WORD, 20),)),
    Shape("GitHub token", tuple(f"gh{kind}_" for kind in "pousr"), (Run(_PLAIN, 30),)),
    Shape("GitHub token", ("github_pat_",), (Run(r"\w", 40),)),
    Shape("GitLab token", ("glpat-",), (Run(_WORD, 20),)),
    Shape("Slack token", tuple(f"xox{kind}-" for kind in "abeoprs"), (Run(_WORD, 10),)),
    Shape("AWS key", ("AKIA", "ASIA", "ABIA", "ACCA"), (Run("[A-Z0-9]", 16, 16),), after=r"\b"),
    Shape("Google key", ("AIza",), (Run(_WORD, 35, 35),)),
    Shape("Google key", ("ya29.",), (Run(_WORD, 20),)),
    Shape(
        "Stripe key",
        tuple(f"{kind}_{mode}_" for kind in ("sk", "rk") for mode in ("live", "test")),
        (Run(_PLAIN, 16),),
    ),
    Shape("Hugging Face token", ("hf_",), (Run(_PLAIN, 30),)),
    Shape("package token", ("npm_",), (Run(_PLAIN, 36, 36),)),
    Shape("package token", ("pypi-AgE",), (Run(_WORD, 50),)),
    Shape("mail key", ("SG.",), (Run(_WORD, 16, 256), ".", Run(_WORD, 16))),
    Shape(
        "web token",
        ("eyJ",),
        (Run(_WORD, 10, 4096), ".eyJ", Run(_WORD, 10, LONGEST_PRIVATE_KEY), ".", Run(_WORD, 10)),
    ),
    Shape(
        "password in an address",
        ("",),
        (Run(r"[^\s/:@'\"]", 1, 64), ":", Run(r"[^\s/@'\"]", 3, 128)),
        before="(?<=://)",
        after="(?=@)",
    ),
)
_PRIVATE_KEY = _SHAPES[0]
_REST = rf"(?:.{{0,{LONGEST_PRIVATE_KEY}}}?{_END.pattern}|.{{0,{LONGEST_PRIVATE_KEY}}})"
_STARTS = tuple(start for shape in _SHAPES for start in shape.starts if start)
_BEGINNINGS = {start[:size] for start in _STARTS for size in range(1, len(start))}
_LONGEST_START = max(map(len, _STARTS))
_CONTEXT = 3  # characters that a shape looks back at: the :// of an address
_STARTS_BY_SIGN = {
    sign: tuple(start for start in _STARTS if sign in start) for sign in ("_", "-", ".", "A", "J")
}
"""How keys start, by a character: where there is none of it, none of them needs to be sought."""


@cache
def _started() -> re.Pattern[str]:
    """Keys, and of a private one the first line; compiled when a text may have one."""
    return re.compile("|".join(f"(?P<s{at}>{shape.pattern})" for at, shape in enumerate(_SHAPES)))


@cache
def _whole() -> re.Pattern[str]:
    first = _PRIVATE_KEY.pattern
    return re.compile(_started().pattern.replace(first, first + _REST, 1), re.DOTALL)


@cache
def _undecided() -> re.Pattern[str]:
    """The end of a text that starts like a key, and may go on as one or not."""
    return re.compile("|".join(shape.beginning for shape in _SHAPES))


def has_key(text: str) -> bool:
    """Whether there is a key in the text."""
    return any(_started().match(text, at) for at in _candidates(text, 0))


def without_keys(text: str) -> str:
    """The text with the name of each key in its place."""
    if next(_candidates(text, 0), None) is None:
        return text
    return _whole().sub(_label, text)


class KeyStream:
    """Takes keys out of text that arrives in pieces."""

    def __init__(self) -> None:
        self._text = ""
        """What waits, and in front of it a few characters that were passed on."""
        self._at = 0
        self._run_goes_on: re.Pattern[str] | None = None
        self._private_key_left = 0

    def feed(self, piece: str, *, last: bool = False) -> str:
        """What can be passed on now."""
        text = self._text + piece
        out: list[str] = []
        at = self._after_key(text, self._at, last=last)
        for start in sorted(_candidates(text, at)):
            if start < at or self._private_key_left:
                continue
            if not last and _undecided().match(text, start):
                return self._pass_on(out, text, at, start)
            if match := _started().match(text, start):
                out += [text[at:start], _label(match)]
                self._open(_SHAPES[_place(match)])
                at = self._after_key(text, match.end(), last=last)
        if self._private_key_left:
            return self._pass_on(out, text, at, at)
        return self._pass_on(out, text, at, len(text) if last else _last_word(text, at))

    def flush(self) -> str:
        """What waited, now that nothing more comes."""
        return self.feed("", last=True)

    def _pass_on(self, out: list[str], text: str, at: int, until: int) -> str:
        keep = max(0, until - _CONTEXT)
        self._text, self._at = text[keep:], until - keep
        return "".join((*out, text[at:until]))

    def _open(self, shape: Shape) -> None:
        """A key was found that may have no end yet."""
        end = shape.parts[-1]
        if shape is _PRIVATE_KEY:
            self._private_key_left = LONGEST_PRIVATE_KEY
        elif isinstance(end, Run) and end.most is None:
            self._run_goes_on = re.compile(f"{end.kind}*")

    def _after_key(self, text: str, at: int, *, last: bool) -> int:
        """Where the text goes on after what there is of an open key."""
        if self._run_goes_on is not None:
            run = self._run_goes_on.match(text, at)
            at = run.end() if run else at
            if at < len(text):
                self._run_goes_on = None
        left = self._private_key_left
        if not left:
            return at
        end = _END.search(text, at, at + left + _LONGEST_END)
        if end and end.start() <= at + left:
            self._private_key_left = 0
            return end.end()
        if last or len(text) - at >= left + _LONGEST_END:
            self._private_key_left = 0
            return min(at + left, len(text))
        passed = max(0, min(left - 1, len(text) - at - _LONGEST_END))
        self._private_key_left -= passed
        return at + passed


def _candidates(text: str, at: int) -> Iterator[int]:
    """Where keys may start, in no order."""
    for sign, starts in _STARTS_BY_SIGN.items():
        for start in starts if text.find(sign, at) >= 0 else ():
            found = text.find(start, at)
            while found >= 0:
                yield found
                found = text.find(start, found + 1)
    found = text.find("://", max(0, at - _CONTEXT))
    while found >= 0:
        yield found + _CONTEXT
        found = text.find("://", found + 1)


def _last_word(text: str, at: int) -> int:
    """Where the end of a text begins that may be the beginning of a start."""
    for start in range(max(at, len(text) - _LONGEST_START + 1), len(text)):
        begins_word = not start or not (text[start - 1].isalnum() or text[start - 1] == "_")
        if text[start:] in _BEGINNINGS and (begins_word or text[start] == "-"):
            return start
    return len(text)


def _place(match: re.Match[str]) -> int:
    return int((match.lastgroup or "s0")[1:])


def _label(match: re.Match[str]) -> str:
    return f"[secret: {_SHAPES[_place(match)].name}]"


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
        self, environment: Mapping[str, str], in_files: Sequence[tuple[str, str]] = ()
    ) -> None:
        """Of the variables of the environment, and of those that ``.env`` files set."""
        self._source = (dict(environment), in_files)
        found: dict[str, str] = {}
        for name, value in in_files:
            found |= {value: name} if _RANDOM.fullmatch(value) else {}
            found |= dict.fromkeys(_secret(name, value), name)
        for name, value in environment.items():
            found |= dict.fromkeys(_secret(name, value), name)
        self._names = found
        longest_first = sorted(map(re.escape, found), key=len, reverse=True)
        self._values = re.compile("|".join(longest_first)) if found else None

    def are_of(self, environment: Mapping[str, str], in_files: Sequence[tuple[str, str]]) -> bool:
        """Whether they come of just these."""
        return self._source == (environment, in_files)

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
        until, at = min(_start_of(text, value) for value in self._names), 0
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


def _start_of(text: str, value: str) -> int:
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

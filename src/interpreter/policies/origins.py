"""Where a text comes from: from the user, from the model, or from what was read on the way.

What files, pages and tools say is data. When something that leaves this machine is made of it, the
user is asked, whoever wrote the call: a model that was talked into it writes one like any other. It
is told by content: what stands in the output that the model has seen, and what stands neither in
its code nor in the user's words and so was made by code from what it read.
"""

from __future__ import annotations

import ast
import base64
import binascii
import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from interpreter.policies.rules import canonical, facts_of
from interpreter.protocol.messages import Action, Code, Display, Face, Message, Output, Text
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import visible

RUN = 5  # words in a row that nobody writes twice by chance
SHORTEST = 4  # characters of a value that can name something
LARGE_NUMBER = 100_000  # from which a number can name something: an account, an order
MOST_READ = 8_000_000  # characters, of the newest
SHOWN = 60
OUTWARD = frozenset({
    *("curl", "wget", "ssh", "scp", "sftp", "ftp", "rsync", "nc", "ncat", "netcat", "socat"),
    *("telnet", "mail", "mailx", "mutt", "sendmail", "swaks", "gh", "glab", "hub", "rclone"),
    *("aws", "gcloud", "az", "s3cmd", "twine", "http", "https", "xh"),
})
OUTWARD_PAIRS = frozenset({
    *(("git", "push"), ("git", "send-email"), ("git", "clone"), ("git", "fetch"), ("git", "pull")),
    *(("npm", "publish"), ("yarn", "publish"), ("cargo", "publish"), ("docker", "push")),
    *(("poetry", "publish"), ("uv", "publish"), ("gem", "push"), ("git", "remote")),
})
_NOTABLE = re.compile(
    r"""[a-z][a-z0-9+.-]*://[^\s'"<>()\[\]{}`\\]+      # an address
      | [\w.+-]+@[\w-]+(?:\.[\w-]+)+                   # of mail
      | (?:[a-z0-9-]+\.)+[a-z]{2,}/[^\s'"<>()\[\]{}`\\]+
      | \b\d{1,3}(?:\.\d{1,3}){3}\b
      | (?=[\w/+=-]*\d)(?=[\w/+=-]*[a-z])[\w/+=-]{20,} # a key, an account, an id""",
    re.IGNORECASE | re.VERBOSE,
)
_PLACE = r"(?::\d+)?/[^\s/?#'\"`<>\\)]+"
"""The rest of an address up to the first part of its path: who is meant, as in `…/mallory`."""
_WORD = re.compile(r"[^\W_]+")
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_BROKEN = re.compile(r"\s*[\[({]\s*(dot|at|\.|@)\s*[\])}]\s*|hxxp", re.IGNORECASE)
"""Addresses as people write them so that nobody clicks: `evil[.]example`."""
_MENDED = {"dot": ".", ".": ".", "at": "@", "@": "@"}


@frozen
class _Corpus:
    """A text to be searched: as it is, in plain form, and its runs of words."""

    text: str
    runs: frozenset[tuple[str, ...]]

    def has(self, piece: str) -> bool:
        return _plain(piece) in self.text


class Origins:
    """Tells for one session; `messages` are those of its conversation, `said` are words of the user
    that are not among them."""

    def __init__(
        self,
        messages: Callable[[], Sequence[Message]],
        running: Callable[[], Action | None] = lambda: None,
        said: Callable[[], str] = str,
        *,
        first_is_foreign: bool = False,
    ) -> None:
        self._messages = messages
        self._running = running
        self._said = said
        self._first_is_foreign = first_is_foreign
        self._known: tuple[object, _Corpus, _Corpus, str] | None = None

    def words_of_user(self) -> str:
        """What the user has said, here and before."""
        told = [m for m in self._messages() if m.role == "user" and not m.is_private]
        told = told[1:] if self._first_is_foreign else told
        return "\n".join((self._said(), *(message.text for message in told)))

    def of_call(self, arguments: Mapping[str, Any]) -> str:
        """Why arguments come from what was read, in a sentence; empty where they do not.

        They are those of a call that code makes: what is not in any code was made at run time.
        """
        read, said, written = self._corpora()
        written += _literals(self._running())
        for value in _leaves(list(arguments.values())):
            if _plain(value) in said.text:
                continue
            if value not in written:
                return f"{_shown(value)} was made by the code, and may come from what it has read"
            if piece := self._foreign_piece(value, read, said):
                return f"{_shown(piece)} stands in what was read, and not in what you said"
        return ""

    def of_written(self, arguments: Mapping[str, Any]) -> str:
        """The same for arguments that the model has written itself."""
        read, said, _ = self._corpora()
        for value in _leaves(list(arguments.values())):
            piece = "" if _plain(value) in said.text else self._foreign_piece(value, read, said)
            if piece:
                return f"{_shown(piece)} stands in what was read, and not in what you said"
        return ""

    def of_host(self, host: str) -> str:
        """The same for a host that code wants to reach, also where it was allowed before: what
        exactly goes there, and to whom, only the code knows."""
        read, said, _ = self._corpora()
        if said.has(host) or not read.has(host):
            return ""
        places = re.findall(rf"(?<![\w.-]){re.escape(host)}{_PLACE}", read.text)
        foreign = (one for one in dict.fromkeys(places or [host]) if not said.has(one))
        if all(map(self._is_models_own, foreign)):
            return ""
        return f"{visible(host)} stands in what was read, and not in what you said"

    def of_code(self, action: Action, *, walled: bool) -> str:
        """Whether a block sends something by a command that stands in what was read; without
        walls, also whether it names a host from there."""
        if not isinstance(action, Code):
            return ""
        facts = facts_of(action)
        commands = [words for words in facts.commands if _leaves_machine(words)]
        if not commands and (walled or not facts.hosts):
            return ""
        read, said, _ = self._corpora()
        for words in commands:
            line = " ".join(words)
            if said.has(line):
                continue
            if read.has(line) or self._foreign_piece(line, read, said):
                return f"`{_shown(line)}` stands in what was read, and not in what you said"
        for host in () if walled else facts.hosts:
            if read.has(host) and not said.has(host):
                return f"{_shown(host)} stands in what was read, and not in what you said"
        return ""

    def _foreign_piece(self, value: str, read: _Corpus, said: _Corpus) -> str:
        found = _common_pieces(value, read, said)
        return next((piece for piece in found if not self._is_models_own(piece)), "")

    def _is_models_own(self, piece: str) -> bool:
        """Whether the model had written it before it was read: its code printed it, or kept it."""
        for message in self._messages():
            if message.role == "assistant" and _mentions("\n".join(_written(message)), piece):
                return True
            if _mentions("\n".join(_all_of(_read([message]))), piece):
                return False
        return False

    def _corpora(self) -> tuple[_Corpus, _Corpus, str]:
        """What was read, what the user said, and the code that the model has written."""
        messages = self._messages()
        key = (len(messages), id(messages[-1]) if messages else 0, self._said())
        if self._known is None or self._known[0] != key:
            read = "\n".join(_read(messages))[-MOST_READ:]
            if self._first_is_foreign:
                first = (m.text for m in messages if m.role == "user" and not m.is_private)
                read += f"\n{next(first, '')}"
            code = "\n".join(_literals(one) for message in messages for one in message.actions)
            self._known = key, _corpus(read), _corpus(self.words_of_user()), code
        return self._known[1:]


def _read(messages: Sequence[Message]) -> Iterator[str]:
    """What came from code, files, pages and tools."""
    for message in messages:
        if message.role == "computer" or message.is_private:
            for part in message.parts:
                match part:
                    case Output(text) | Text(text):
                        yield text
                    case Display():
                        yield part.text


def _corpus(text: str) -> _Corpus:
    plain = _plain("\n".join(_all_of([text])))
    words = _WORD.findall(plain)
    return _Corpus(plain, frozenset(zip(*(words[at:] for at in range(RUN)), strict=False)))


def _decoded(text: str) -> Iterator[str]:
    """The same text in other clothes: entities, percent signs, broken addresses, base64, hex."""
    if "&" in text:
        yield html.unescape(text)
    if "%" in text:
        yield unquote(text)
    if _BROKEN.search(text):
        yield _BROKEN.sub(lambda one: _MENDED.get((one[1] or "").lower(), "http"), text)
    for token in _ENCODED.findall(text)[:2_000]:
        for decode in (_from_base64, bytes.fromhex):
            try:
                found = decode(token).decode()
            except (ValueError, binascii.Error):
                continue
            if found.isprintable():
                yield found


def _from_base64(token: str) -> bytes:
    padded = token.rstrip("=") + "=" * (-len(token.rstrip("=")) % 4)
    return base64.b64decode(padded, altchars=b"-_" if {"-", "_"} & set(token) else None)


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


@lru_cache(maxsize=64)
def _literals(action: Action | None) -> str:
    """The code as it is, and the texts in it as they are meant."""
    if not isinstance(action, Code):
        return ""
    texts = [action.source]
    if canonical(action.language) == "python":
        try:
            nodes: Iterable[ast.AST] = ast.walk(ast.parse(action.source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            nodes = ()
        texts += (
            n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)
        )
    return "\0".join(texts) + "\0"


def _leaves(values: Any) -> Iterator[str]:
    """The texts in plain data, and what else can name or carry something."""
    match values:
        case str() if len(values) >= SHORTEST:
            yield values
        case bytes() | Face():
            yield "(data)"
        case int() | float() if abs(values) >= LARGE_NUMBER:
            yield str(values)
        case dict():
            yield from _leaves([*values, *values.values()])
        case list():
            for value in values:
                yield from _leaves(value)


def _common_pieces(value: str, read: _Corpus, said: _Corpus) -> Iterator[str]:
    """What of a value stands in what was read, and not in the user's words."""
    if len(value.split()) == 1 and read.has(value):
        yield value
    for found in _NOTABLE.finditer(value):
        piece = found[0].rstrip("/.,;:")
        if read.has(piece) and not said.has(piece):
            yield piece
    words = _WORD.findall(_plain(value))
    for run in zip(*(words[at:] for at in range(RUN)), strict=False):
        if run in read.runs and run not in said.runs:
            yield " ".join(run)


def _mentions(text: str, piece: str) -> bool:
    plain = _plain(text)
    return _plain(piece) in plain or piece in " ".join(_WORD.findall(plain))


def _written(message: Message) -> Iterator[str]:
    """What a model has written: words and code."""
    yield message.text
    yield from (_literals(action) for action in message.actions)


def _all_of(texts: Iterable[str]) -> Iterator[str]:
    """Texts, each also in its other clothes."""
    for text in texts:
        yield text
        yield from _decoded(text)


def _leaves_machine(words: Sequence[str]) -> bool:
    name = words[0].rsplit("/", 1)[-1] if words else ""
    if name in OUTWARD:
        return True
    operands = [word for word in words[1:] if not word.startswith("-")]
    return any((name, operand) in OUTWARD_PAIRS for operand in operands[:2])


def _shown(text: str) -> str:
    return visible(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")

"""The code inside the arguments of a call, piece by piece, while the JSON is still arriving."""

from __future__ import annotations

import json
import re

_IN_STRING = re.compile(r'["\\]')
_STRUCTURE = re.compile(r'["{}\[\]:,]')
_HIGH_SURROGATE = re.compile(r"\\u[dD][89abAB]")
_LOW_SURROGATE = re.compile(r"\\u[dD][c-fC-F][0-9a-fA-F]{2}")


class ArgumentsReader:
    """Reads ``{"language": …, "code": …}`` in any chunking, each character once."""

    def __init__(self) -> None:
        self.language: str | None = None
        self.complete = False
        self._pieces: list[str] = []
        self._carry = ""
        self._depth = 0
        self._in_string = False
        self._wants_key = False
        self._key = ""
        self._string: list[str] = []
        self._code: list[str] = []

    @property
    def text(self) -> str:
        """All that has arrived."""
        return "".join(self._pieces)

    def feed(self, text: str) -> str:
        """Take the next piece of JSON; the code that it adds, decoded."""
        self._pieces.append(text)
        if self._in_code and not self._carry and '"' not in text and "\\" not in text:
            return text  # nearly every piece
        if self._carry:
            text, self._carry = self._carry + text, ""
        at = 0
        while at < len(text):
            at = self._read_string(text, at) if self._in_string else self._read_outside(text, at)
        return self._new_code()

    def _new_code(self) -> str:
        # A block is shown under its language, so code that comes first waits for the name.
        if not self._code or self.language is None:
            return ""
        code, self._code = "".join(self._code), []
        return code

    @property
    def _in_code(self) -> bool:
        return (
            self._in_string
            and self._key == "code"
            and self._depth == 1
            and not self._wants_key
            and self.language is not None
        )

    def _read_outside(self, text: str, at: int) -> int:
        found = _STRUCTURE.search(text, at)
        if found is None:
            return len(text)
        match found[0]:
            case '"':
                self._in_string, self._string = True, []
            case "{" | "[":
                self._depth += 1
                self._wants_key = self._depth == 1
            case "}" | "]":
                self._depth -= 1
                self.complete = self._depth == 0
            case ",":
                self._wants_key = self._depth == 1
            case _:
                self._wants_key = False
        return found.end()

    def _read_string(self, text: str, at: int) -> int:
        found = _IN_STRING.search(text, at)
        if found is None:
            self._keep(text[at:])
            return len(text)
        if found.start() > at:
            self._keep(text[at : found.start()])
        if found[0] == '"':
            self._end_string()
            return found.end()
        return self._read_escape(text, found.start())

    def _read_escape(self, text: str, at: int) -> int:
        length = 6 if text.startswith("\\u", at) else 2
        if _HIGH_SURROGATE.match(text, at):
            other_half = text[at + 6 : at + 12]
            if (
                len(other_half) < 6
                and "\\u".startswith(other_half[:2])
                or _LOW_SURROGATE.match(other_half)
            ):
                length = 12
        if len(text) < at + length:
            self._carry = text[at:]
            return len(text)
        self._keep(_unescaped(text[at : at + length]))
        return at + length

    def _keep(self, text: str) -> None:
        if self._depth != 1:
            return
        if self._key == "code" and not self._wants_key:
            self._code.append(text)
        elif self._wants_key or self._key == "language":
            self._string.append(text)

    def _end_string(self) -> None:
        self._in_string = False
        if self._depth != 1:
            return
        if self._wants_key:
            self._key = "".join(self._string)
        elif self._key == "language":
            self.language = "".join(self._string)


def _unescaped(escape: str) -> str:
    try:
        text = str(json.loads(f'"{escape}"'))
    except ValueError:  # models write "\d" or "\'"; the whole call is judged at its end
        return escape
    return without_half_characters(text)


def without_half_characters(text: str) -> str:
    """The text with every lone surrogate, which nothing can encode, replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

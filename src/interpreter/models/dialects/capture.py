"""A call written as text, held until it is complete and can be judged as a whole."""

from __future__ import annotations

import re

from interpreter.models.dialects.reading import Done, State, Step
from interpreter.models.dialects.text_calls import calls_in
from interpreter.models.dialects.toolbox import DialectTools
from interpreter.protocol.events import ActionProposed, CodeDelta, ModelEvent, TextDelta
from interpreter.protocol.messages import Action, Code

LONGEST_CALL = 4_000_000
TAGS = {
    "<tool_call>": "</tool_call>",
    "<function_call>": "</function_call>",
    "<|tool_call|>": "<|/tool_call|>",
    "<function=": "</function>",
    "<|python_tag|>": "<|eom_id|>",
    "[TOOL_CALLS]": "</s>",
}
_JSON_MARK = re.compile(r'["{}\[\]]')
_CALL_MARK = re.compile(r"""\"\"\"|'''|["'`(){}\[\]]""")


def proposed(actions: list[Action]) -> list[ModelEvent]:
    """The events that propose actions read from text."""
    events: list[ModelEvent] = []
    for action in actions:
        if isinstance(action, Code):
            events.append(CodeDelta(action.language, action.source, action.call_id))
        events.append(ActionProposed(action))
    return events


class Tagged:
    """What stands between an opening tag and its closing one, or the end of the reply."""

    def __init__(self, opening: str, toolbox: DialectTools, prose: State) -> None:
        self._opening = opening
        self._closing = TAGS[opening]
        self._toolbox = toolbox
        self._prose = prose
        self._pieces: list[str] = []

    def read(self, text: str, *, final: bool) -> Step:
        """Take up to the closing tag; a tag that may still be growing stays undecided."""
        at = text.find(self._closing)
        if at >= 0:
            self._pieces.append(text[:at])
            return self._end(text[at + len(self._closing) :], self._closing)
        held = 0 if final else len(self._closing) - 1
        taken = text[: max(len(text) - held, 0)]
        self._pieces.append(taken)
        if final:
            return self._end("", "")
        return Step(text[len(taken) :])

    def _end(self, rest: str, closing: str) -> Step:
        body = "".join(self._pieces)
        whole = self._opening + body if self._opening == "<function=" else body
        actions = calls_in(whole, self._toolbox)
        if not actions and self._opening == "<|python_tag|>" and body.strip():
            actions = [Code(self._toolbox.languages.default, body.strip())]
        if actions:
            return Step(rest, proposed(actions), AfterCall(self._toolbox, self._prose))
        return Step(rest, [TextDelta(self._opening + body + closing)], self._prose)


class Balanced:
    """JSON, or something like a function call: up to the bracket that closes the first one."""

    def __init__(self, toolbox: DialectTools, prose: State, *, like_python: bool) -> None:
        self._toolbox = toolbox
        self._prose = prose
        self._mark = _CALL_MARK if like_python else _JSON_MARK
        self._pieces: list[str] = []
        self._length = 0
        self._depth = 0
        self._opened = False
        self._quote = ""

    def read(self, text: str, *, final: bool) -> Step:
        """Take up to the end of the call; quotes that may still grow stay undecided."""
        end, decided = self._scan(text, final=final)
        self._pieces.append(text[:decided])
        self._length += decided
        if end or final:
            return self._end(text[decided:])
        if self._length > LONGEST_CALL:
            return Step(text[decided:], [TextDelta("".join(self._pieces))], self._prose)
        return Step(text[decided:])

    def _scan(self, text: str, *, final: bool) -> tuple[bool, int]:
        at = 0
        while at < len(text):
            at, waits = self._next(text, at, final=final)
            if waits:
                return False, at
            if self._opened and not self._depth:
                return True, at
        return False, at

    def _next(self, text: str, at: int, *, final: bool) -> tuple[int, bool]:
        if self._quote:
            return self._in_string(text, at, final=final)
        found = self._mark.search(text, at)
        if found is None:
            return len(text), False
        mark = found[0]
        if (
            mark in "\"'"
            and self._mark is _CALL_MARK
            and not final
            and len(text) < found.start() + 3
        ):
            return found.start(), True
        if mark[0] in "\"'`":
            self._quote = mark
        else:
            self._opened = True
            self._depth += 1 if mark in "({[" else -1
        return found.end(), False

    def _in_string(self, text: str, at: int, *, final: bool) -> tuple[int, bool]:
        slash, quote = text.find("\\", at), text.find(self._quote, at)
        if slash >= 0 and (quote < 0 or slash < quote):
            return (slash, True) if slash + 2 > len(text) and not final else (slash + 2, False)
        if quote >= 0:
            end = quote + len(self._quote)
            self._quote = ""
            return end, False
        held = 0 if final else len(self._quote) - 1
        end = max(len(text) - held, at)
        return end, end < len(text)

    def _end(self, rest: str) -> Step:
        whole = "".join(self._pieces)
        actions = calls_in(whole, self._toolbox)
        if actions:
            return Step(rest, proposed(actions), AfterCall(self._toolbox, self._prose))
        return Step(rest, [TextDelta(whole)], self._prose)


class AfterCall:
    """Behind a call: another call may follow at once; anything else was imagined."""

    def __init__(self, toolbox: DialectTools, prose: State) -> None:
        self._toolbox = toolbox
        self._prose = prose

    def read(self, text: str, *, final: bool) -> Step:
        """Decide by the first thing that is not white space or a separator."""
        text = text.lstrip(" \t\r\n,;]")
        if text.startswith("{"):
            return Step(text, then=Balanced(self._toolbox, Done(), like_python=False))
        for opening in TAGS:
            if text.startswith(opening):
                return Step(text[len(opening) :], then=Tagged(opening, self._toolbox, self._prose))
        if final or not any(opening.startswith(text) for opening in TAGS):
            return Step(then=Done())
        return Step(text)

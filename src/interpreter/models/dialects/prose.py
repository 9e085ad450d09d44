"""Prose, up to the first thing in it that may be an action."""

from __future__ import annotations

import ast
import re
from typing import Literal

from interpreter.models.dialects.calls import cleaned
from interpreter.models.dialects.capture import TAGS, Balanced, Tagged, proposed
from interpreter.models.dialects.fence import Fence, FenceOpening, ProseFence
from interpreter.models.dialects.reading import Done, State, Step
from interpreter.models.dialects.text_calls import calls_in
from interpreter.models.dialects.toolbox import DialectTools, Languages
from interpreter.protocol.events import ActionProposed, ModelEvent, ReasoningDelta, TextDelta
from interpreter.protocol.messages import Code

_PYTHON_SIGNS = re.compile(
    r"^\s*(import \w|from [\w.]+ import |print\(|def \w+\(|class \w+|for \w+ in |with open\()", re.M
)
_SHELL_SIGNS = re.compile(
    r"\A\s*(#!.*\n)?(\$ )?(ls|cd|cat|echo|grep|find|mkdir|rm|cp|mv|pip|python3?|git|curl|wget|sudo|"
    r"apt|apt-get|head|tail|pwd|chmod|touch|export|npm|node|df|du|ps|which|sed|awk|wc|tar)\b"
)


def guessed_language(source: str, languages: Languages) -> str | None:
    """A language that can be run and that the source looks like, or None if it is no code."""
    if not source.strip():
        return None
    if _PYTHON_SIGNS.search(source) or _does_something(source):
        return languages.find("python")
    if _SHELL_SIGNS.match(source):
        return languages.find("shell")
    return None


def _does_something(source: str) -> bool:
    """Whether it is Python that calls or assigns: a bare word or number is sample output."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    doing = ast.Assign | ast.AugAssign | ast.Call | ast.Import | ast.ImportFrom
    return any(isinstance(node, doing) for node in ast.walk(tree))


_SPOT = re.compile(r"[<{\[]|^[ \t]*(?:[`~fe]|\Z)", re.MULTILINE)
_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})([^`\n]*)(\n)?")
_BLANK = re.compile(r"\s+")
_NAME_ALONE = re.compile(r"\A\s*python\n(?=\s*\S)")  # below a fence instead of behind it
_CALL_HEADS = ("functions.execute", "executeexecute", "execute(", "execute{", "functions.")
_SCRIPT_HEADS = ("{language:", "{code:")
_JSON_HEADS = _SCRIPT_HEADS + tuple(
    f'{{"{key}"'
    for key in ("name", "language", "code", "function", "tool", "tool_name", "arguments", "type",
                "parameters", "action")
)  # fmt: skip
_END_TOKENS = (
    "<|im_end|>",
    "<|eot_id|>",
    "<|end|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "<|eom_id|>",
)
_THOUGHTS = {"<think>": "</think>", "<thinking>": "</thinking>", "<|channel>thought": "<channel|>"}
_LONGEST_INFO = 200
_LONGEST_HEAD = 60
_MAY_HOLD_CALLS = ("json", "tool_call", "tool_code", "xml", "tool", "function_call")

Verdict = State | Literal["no", "wait"]


class Prose:
    """Says what it reads, and holds back only what may be the beginning of something else."""

    def __init__(self, toolbox: DialectTools) -> None:
        self._toolbox = toolbox
        self._line_start = True

    def read(self, text: str, *, final: bool) -> Step:
        """Take up to the first spot that is, or may become, something else than prose."""
        at = 0
        while at <= len(text) and (spot := _SPOT.search(text, at)) is not None:
            start, at = spot.start(), max(spot.end(), spot.start() + 1)
            if start == 0 and not self._line_start and spot[0] not in "<{[":
                continue
            verdict, taken = self._judge(text, start, final=final)
            if verdict == "no":
                continue
            said = self._said(text[:start])
            if verdict == "wait":
                return Step(text[start:], said)
            self._line_start = True
            return Step(text[start + taken :], said, verdict)
        return Step("", self._said(text))

    def _said(self, text: str) -> list[ModelEvent]:
        if not text:
            return []
        self._line_start = text.endswith("\n")
        return [TextDelta(text)]

    def _judge(self, text: str, at: int, *, final: bool) -> tuple[Verdict, int]:
        """What begins here, and how much of the text its beginning takes."""
        if text.startswith(("<", "["), at):
            return self._tag(text, at, final=final)
        if text.startswith("{", at):
            return self._json(text, at, final=final)
        body = text[at : at + _LONGEST_HEAD].lstrip(" \t")
        if not body or body[0] in "`~":
            return self._fence(text, at, final=final)
        return self._call(body, final=final)

    def _tag(self, text: str, at: int, *, final: bool) -> tuple[Verdict, int]:
        head = text[at : at + 20]
        for opening in TAGS:
            if head.startswith(opening):
                return Tagged(opening, self._toolbox, self), len(opening)
        for opening, closing in _THOUGHTS.items():
            if head.startswith(opening):
                return Thought(closing, self), len(opening)
        if head.startswith(_END_TOKENS):
            return Done(), 0
        waits = _may_become(head, (*TAGS, *_THOUGHTS, *_END_TOKENS))
        return ("wait" if waits and not final else "no"), 0

    def _json(self, text: str, at: int, *, final: bool) -> tuple[Verdict, int]:
        head = _BLANK.sub("", text[at : at + _LONGEST_HEAD]).replace("'", '"')
        if head.startswith(_JSON_HEADS):
            like_python = head.startswith(_SCRIPT_HEADS)
            return Balanced(self._toolbox, self, like_python=like_python), 0
        grows = len(text) - at < _LONGEST_HEAD and not final
        return ("wait" if grows and _may_become(head, _JSON_HEADS) else "no"), 0

    def _call(self, body: str, *, final: bool) -> tuple[Verdict, int]:
        if body.startswith(_CALL_HEADS[:4]):
            return Balanced(self._toolbox, self, like_python=True), 0
        return ("wait" if _may_become(body, _CALL_HEADS) and not final else "no"), 0

    def _fence(self, text: str, at: int, *, final: bool) -> tuple[Verdict, int]:
        found = _FENCE.match(text, at)
        if found is None:
            waits = re.match(r"[ \t]*(`{0,2}|~{0,2})\Z", text[at:])
            return ("wait" if waits and not final else "no"), 0
        if found[4] is None:
            grows = found.end() == len(text) and len(found[3]) < _LONGEST_INFO
            return ("wait" if grows and not final else "no"), 0
        return self._opened(FenceOpening(len(found[1]), found[2], found[3]), text[at : found.end()])

    def _opened(self, opening: FenceOpening, written: str) -> tuple[Verdict, int]:
        language = self._toolbox.languages.find(opening.tag)
        if language is not None:
            return Fence(opening, lambda source: self._ran(language, source), language), len(
                written
            )
        if not opening.tag or opening.tag in _MAY_HOLD_CALLS:
            return Fence(opening, lambda source: self._inspected(opening, source), None), len(
                written
            )
        return ProseFence(opening, written, self), len(written)

    def _ran(self, language: str, source: str) -> tuple[list[ModelEvent], State]:
        if not source.strip():
            return [], self
        calls = calls_in(source, self._toolbox) if source.lstrip().startswith(("{", "exec")) else []
        if calls:
            return proposed(calls), Done()
        return [ActionProposed(cleaned(Code(language, source), self._toolbox))], Done()

    def _inspected(self, opening: FenceOpening, source: str) -> tuple[list[ModelEvent], State]:
        calls = calls_in(source, self._toolbox)
        if calls:
            return proposed(calls), Done()
        language = guessed_language(source, self._toolbox.languages)
        if language is not None and opening.tag in ("", "tool_code"):
            code = _NAME_ALONE.sub("", source) if language == "python" else source
            return proposed([Code(language, code)]), Done()
        marks = " " * opening.indent + opening.marks
        return [TextDelta(f"{marks}{opening.info}\n{source}\n{marks}")], self


class Thought:
    """What a model thinks aloud between tags."""

    def __init__(self, closing: str, prose: State) -> None:
        self._closing = closing
        self._prose = prose

    def read(self, text: str, *, final: bool) -> Step:
        """Take up to the closing tag."""
        at = text.find(self._closing)
        if at >= 0:
            rest = text[at + len(self._closing) :]
            return Step(rest, _thought(text[:at]), self._prose)
        held = 0 if final else _overlap(text, self._closing)
        taken = text[: len(text) - held]
        return Step(text[len(taken) :], _thought(taken))


def _thought(text: str) -> list[ModelEvent]:
    return [ReasoningDelta(text)] if text else []


def _overlap(text: str, closing: str) -> int:
    """How many characters at the end of the text may be the beginning of the closing tag."""
    lengths = range(min(len(closing) - 1, len(text)), 0, -1)
    return next((length for length in lengths if closing.startswith(text[-length:])), 0)


def _may_become(head: str, words: tuple[str, ...]) -> bool:
    return any(word.startswith(head) for word in words)

"""A self-test of a model: can it call tools, write fences, stop, see, and how much does it hold."""

from __future__ import annotations

import json
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace

from interpreter.models.dialects.toolbox import EXECUTE
from interpreter.models.findings import Findings
from interpreter.models.options import Dialect, ModelOptions
from interpreter.protocol.errors import AuthenticationFailed, ModelError, Unreachable
from interpreter.protocol.events import ActionProposed, ModelEvent, TextDelta
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Code, Display, Face, Message, Text
from interpreter.protocol.ports import Model, Request, ToolSpec
from interpreter.protocol.values import frozen

_SECONDS_PER_STEP = 15.0
_SYSTEM = "You run code on the user's computer."
_RUN = "Run this with Python: print(6 * 7)"
_LEAKS = ("<|", "|>", "</s>", "<end_of_turn>", "[/INST]")
_TOOL = ToolSpec(
    EXECUTE,
    "Run code; the output comes back.",
    json.dumps({
        "type": "object",
        "properties": {
            "language": {"type": "string", "enum": ["python"]},
            "code": {"type": "string"},
        },
        "required": ["language", "code"],
    }),
)

Open = Callable[[str, ModelOptions], Model]


@frozen
class CheckStep:
    """One part of the test: what was tried, whether it worked, and what was seen."""

    title: str
    passed: bool
    detail: str = ""


class Check:
    """Runs the test on one model; the rest is complete when the steps have been read."""

    def __init__(self, name: str, options: ModelOptions, open_model: Open) -> None:
        self._name = name
        self._options = options
        self._open = open_model
        self.findings = Findings()
        self.verdict = ""
        self.is_usable = False

    def steps(self) -> Iterator[CheckStep]:
        """Every part of the test, as it is done; an unreachable model raises its error."""
        tools = self._acts("tool calls", "native")
        yield tools
        fences = self._acts("fenced blocks", "fenced")
        yield fences
        stop = self._stops("native" if tools.passed else "fenced")
        yield stop
        sight = self._sees()
        yield sight
        window = self._window()
        yield CheckStep("context window", window is not None, f"{window or 'unknown'} tokens")
        # With tools, what is usual for its provider is right; without them only fences are.
        only_fences = fences.passed and not tools.passed
        self.findings = Findings("fenced" if only_fences else None, sight.passed, window)
        self.is_usable = stop.passed and (tools.passed or fences.passed)
        self.verdict = _verdict(tools, fences, stop)

    def _acts(self, title: str, dialect: Dialect) -> CheckStep:
        try:
            events = self._ask(dialect, (Text(_RUN),))
        except (Unreachable, AuthenticationFailed):
            raise
        except ModelError as error:
            return CheckStep(title, passed=False, detail=str(error))
        actions = [event.action for event in events if isinstance(event, ActionProposed)]
        worked = any(isinstance(action, Code) and "6" in action.source for action in actions)
        wrong = actions[0].source if actions and isinstance(actions[0], Code) else None
        said = f"it wrote: {wrong[:80]!r}" if wrong else f"it said: {_said(events)[:80]!r}"
        detail = said if wrong or not actions else "it called another tool than it was given"
        return CheckStep(title, worked, "" if worked else detail)

    def _stops(self, dialect: Dialect) -> CheckStep:
        try:
            said = _said(self._ask(dialect, (Text("Say only: hello"),)))
        except ModelError as error:
            return CheckStep("stops cleanly", passed=False, detail=str(error))
        leaks = [mark for mark in _LEAKS if mark in said]
        return CheckStep("stops cleanly", bool(said.strip()) and not leaks, ", ".join(leaks))

    def _sees(self) -> CheckStep:
        red = Display((Face("image/png", _square((255, 0, 0))),))
        question = Text("What colour is this square? Answer with one word.")
        try:
            said = _said(self._ask("native", (question, red), with_tools=False))
        except ModelError as error:
            return CheckStep("pictures", passed=False, detail=str(error))
        return CheckStep("pictures", "red" in said.lower(), f"it said: {said[:40]!r}")

    def _window(self) -> int | None:
        model = self._open(self._name, self._options)
        try:
            ask = getattr(model, "served_window", None)
            return ask() if ask is not None else None
        except ModelError:
            return None
        finally:
            model.close()

    def _ask(
        self, dialect: Dialect, parts: tuple[Text | Display, ...], *, with_tools: bool = True
    ) -> list[ModelEvent]:
        options = replace(self._options, dialect=dialect, supports_vision=True, max_tokens=200)
        model, interrupt = self._open(self._name, options), Interrupt()
        timer = threading.Timer(_SECONDS_PER_STEP, interrupt.request)
        timer.daemon = True
        timer.start()
        try:
            request = Request(_SYSTEM, (Message("user", parts),), (_TOOL,) if with_tools else ())
            return list(model.stream(request, interrupt))
        finally:
            timer.cancel()
            model.close()


def _verdict(tools: CheckStep, fences: CheckStep, stop: CheckStep) -> str:
    if not tools.passed and not fences.passed:
        return "It cannot run code: it neither calls tools nor writes blocks."
    if not stop.passed:
        return "It runs code, but its answers do not end cleanly; its chat template may be wrong."
    return f"It can be used, by {'tool calls' if tools.passed else 'fenced blocks'}."


def _said(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def _square(colour: tuple[int, int, int], size: int = 32) -> bytes:
    """A PNG of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    rows = (b"\x00" + bytes(colour) * size) * size
    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts

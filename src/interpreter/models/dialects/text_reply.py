"""A whole text reply, read as it arrives: prose, thoughts, and at most one place that acts."""

from __future__ import annotations

from interpreter.models.dialects.calls import CUT_OFF
from interpreter.models.dialects.capture import AfterCall
from interpreter.models.dialects.fence import ProseFence
from interpreter.models.dialects.prose import Prose, Thought
from interpreter.models.dialects.reading import Done, State
from interpreter.models.dialects.toolbox import DialectTools
from interpreter.protocol.events import ActionProposed, ModelEvent
from interpreter.protocol.messages import MalformedCall

_HARMLESS = (Prose, Thought, ProseFence, AfterCall, Done)


class TextReply:
    """Turns text in any chunking into events; the same text gives the same actions."""

    def __init__(self, toolbox: DialectTools) -> None:
        self._state: State = Prose(toolbox)
        self._rest = ""
        self.acted = False

    @property
    def done(self) -> bool:
        """Whether the model has said what to do, so that the rest need not be generated."""
        return isinstance(self._state, Done)

    def feed(self, text: str) -> list[ModelEvent]:
        """Take the next piece of the reply."""
        self._rest += text
        return self._advance(final=False)

    def finish(self, *, cut_off: bool) -> list[ModelEvent]:
        """The reply has ended. What is half written when it was cut off is never proposed."""
        if cut_off and not isinstance(self._state, _HARMLESS):
            self._state = Done()
            self.acted = True
            return [ActionProposed(MalformedCall("", CUT_OFF))]
        return self._advance(final=True)

    def _advance(self, *, final: bool) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        while True:
            step = self._state.read(self._rest, final=final)
            self._rest = step.rest
            events += step.events
            if step.then is None:
                break
            self._state = step.then
        for event in events:
            if isinstance(event, ActionProposed):
                self.acted = True
        return events

"""What of a conversation fits into the model's window: it only grows, until it must shrink."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from interpreter.protocol.events import Usage
from interpreter.protocol.messages import Message
from interpreter.protocol.ports import Capabilities, Request, ToolSpec
from interpreter.protocol.values import frozen
from interpreter.session.request.digest import digest
from interpreter.session.request.shrink import TokenEstimate, cut_to, shown_output, shrunk

_MOST_FOR_REPLY = 0.25  # of the window
_TAIL = 0.35  # of the room, kept as it is when the rest becomes a digest
_LARGEST_SHARE = 0.3  # of the room, for one message
_RECENT = 6  # messages that are not shrunk


@frozen
class Notes:
    """What a digest tells that the conversation itself does not."""

    facts: Callable[[], str] = str  # the live variables
    log: Callable[[Sequence[Message]], str] = lambda messages: ""
    """Keeps messages in full; one sentence that says where they can be read."""
    summarise: Callable[[Sequence[Message]], str] | None = None


class Context:
    """The view of one growing conversation for one model."""

    def __init__(self, capabilities: Capabilities, notes: Notes | None = None) -> None:
        self._capabilities = capabilities
        self._notes = notes or Notes()
        self._tokens = TokenEstimate(images=capabilities.images)
        self._scale = 1.0
        self._taken: list[Message] = []
        self._view: list[Message] = []
        self._weights: list[int] = []
        self._total = 0
        self._fixed = 0
        self._counted: tuple[int, int] | None = None
        """The weight of the last request and its tokens, as the provider has counted them."""
        self.compactions = 0
        self.most_output = 0
        """Characters of a block's output that the model reads; 0: as many as usual."""

    @property
    def tokens(self) -> int:
        """How many the next request has: the last one was counted, what is new is estimated."""
        weight, known = self._counted or (0, 0)
        return known + self._tokens.tokens(self._fixed + self._total - weight)

    def prepare(
        self, system: str, tools: tuple[ToolSpec, ...], history: Sequence[Message]
    ) -> Request:
        """The request for this conversation; while it fits, it begins with the one before."""
        described = system + "".join(t.name + t.description + t.parameters for t in tools)
        self._fixed = self._tokens.weigh_text(described)
        self._follow(history)
        if self.tokens > self._room:
            self._shrink()
        if self.tokens > self._room:
            self._compact(self._room)
        return Request(system, tuple(self._view), tools)

    def learn(self, usage: Usage | None) -> None:
        """Take the provider's own count of the last request as the measure for the next ones."""
        if usage is None or not usage.input:
            return
        weight = self._fixed + self._total
        if self._tokens.calibrate(weight, usage.input):
            self._counted = weight, usage.input

    def overflowed(self) -> bool:
        """The model said that it was too long after all; False if nothing more can be left out."""
        if len(self._view) <= 1 and self._scale < 0.3:
            return False
        self._scale *= 0.7
        return self._scale > 0.05

    def compact(self) -> None:
        """Shorten the conversation now, because the user asks for it, if that makes it shorter."""
        before, view = self._total, self._view
        self._compact(min(self._room, self._tokens.tokens(self._total)))
        if self._total >= before:
            self._replace(view)

    @property
    def _room(self) -> int:
        window = self._capabilities.context_window
        most = int(window * _MOST_FOR_REPLY)
        reply = min(self._capabilities.max_output or most, most)
        return int((window - reply) * self._scale)

    def _follow(self, history: Sequence[Message]) -> None:
        """Take in what is new; start afresh if the past has changed, as after an undo."""
        known = len(self._taken)
        unchanged = len(history) >= known and (not known or history[known - 1] is self._taken[-1])
        if not unchanged:
            self._taken, known = [], 0
            self._replace([])
        for message in history[known:]:
            self._taken.append(message)
            self._append(cut_to(shown_output(message, self.most_output), self._largest))

    @property
    def _largest(self) -> int:
        return max(200, int(self._tokens.characters(self._room) * _LARGEST_SHARE))

    def _append(self, message: Message) -> None:
        weight = self._tokens.weigh(message)
        self._view.append(message)
        self._weights.append(weight)
        self._total += weight

    def _replace(self, messages: list[Message]) -> None:
        self._view, self._weights, self._total, self._counted = [], [], 0, None
        for message in messages:
            self._append(message)

    def _shrink(self) -> None:
        """Large outputs and old pictures go first."""
        old = max(len(self._view) - _RECENT, 0)
        self._replace([shrunk(message) for message in self._view[:old]] + self._view[old:])

    def _compact(self, room: int) -> None:
        """What is older than a tail, a part of the room, becomes a digest of the whole past."""
        start = self._tail_start(room * _TAIL)
        tail = [cut_to(message, self._largest) for message in self._view[start:]]
        head = []
        if start:
            older = self._taken[: len(self._taken) - len(tail)]
            head = [digest(older, self._notes, self._digest_size)]
            self.compactions += 1
        self._replace(head + tail)
        if self.tokens > self._room:  # even the tail is too long
            self._replace(head + [shrunk(cut_to(m, self._largest // 4)) for m in tail])

    @property
    def _digest_size(self) -> int:
        return int(self._tokens.characters(self._room) * _TAIL)

    def _tail_start(self, room: float) -> int:
        """Where the kept tail begins, never between a call and its result; 0 without a head."""
        weight, best = 0, 0
        for at in range(len(self._view) - 1, 0, -1):
            weight += self._tokens.tokens(self._weights[at])
            if weight > room and best:
                break
            if self._view[at].role != "computer":
                best = at
        return best

"""Questions of a running turn, and the answers that come from elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Callable

from interpreter.protocol.actions import Decision
from interpreter.protocol.events import ApprovalRequested, InputRequested
from interpreter.protocol.live import ClosedBy

Asked = ApprovalRequested | InputRequested
Reply = Decision | str | None
A_LONG_TIME = 3600.0  # seconds; a question that nobody answers is a no


class Questions:
    """At most one is open at a time, since the turn that asks it waits. Any thread may answer."""

    def __init__(
        self, closed: Callable[[int, ClosedBy], object], seconds: float = A_LONG_TIME
    ) -> None:
        self._closed = closed
        self._seconds = seconds
        self._changed = threading.Condition()
        self._number = 0
        self._asked: Asked | None = None
        self._reply: Reply = None
        self._by: ClosedBy | None = None

    @property
    def open(self) -> int | None:
        """The number of the question that waits for an answer."""
        with self._changed:
            return self._number if self._asked is not None and self._by is None else None

    def put(self, number: int, asked: Asked) -> None:
        """An event asks something; from now on it can be answered by its number."""
        with self._changed:
            self._number, self._asked, self._reply, self._by = number, asked, None, None

    def asked(self, number: int) -> Asked | None:
        """The question with this number, while it is open."""
        return self._asked if number == self.open else None

    def is_about(self, asked: Asked) -> bool:
        """Whether this is what was put last."""
        return self._asked is asked or self._asked == asked

    def wait(self) -> tuple[Reply, ClosedBy]:
        """Wait for the answer to what was put last; how it came."""
        with self._changed:
            self._changed.wait_for(lambda: self._by is not None, self._seconds)
            by = self._by = self._by or "timeout"
            number, reply = self._number, self._reply
            self._asked = None
        self._closed(number, by)
        return reply, by

    def answer(self, number: int, reply: Reply) -> bool:
        """Answer a question; False when it is not open, or wants another kind of answer."""
        with self._changed:
            wanted = Decision if isinstance(self._asked, ApprovalRequested) else str | None
            fits = self._asked is not None and isinstance(reply, wanted)
            if number != self._number or self._by is not None or not fits:
                return False
            self._reply, self._by = reply, "user"
            self._changed.notify_all()
        return True

    def close(self, by: ClosedBy) -> None:
        """Whatever is open gets no answer any more."""
        with self._changed:
            if self._asked is not None and self._by is None:
                self._by = by
                self._changed.notify_all()

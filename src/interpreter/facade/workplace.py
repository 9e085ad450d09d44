"""Where an interpreter works: its workshop, opened when it is first needed and closed for sure."""

from __future__ import annotations

import weakref
from collections.abc import Callable

from interpreter.assembly import Workshop
from interpreter.assembly.model_choice import Wishes
from interpreter.protocol.ports import Answerer, Approver
from interpreter.settings.settings import Settings


class Premises:
    """Holds at most one workshop. It is closed with its owner, at the latest when Python ends."""

    def __init__(
        self, approve: Approver, answer: Answerer, wishes: Callable[[], Wishes] = Wishes
    ) -> None:
        self._approve = approve
        self._answer = answer
        self._wishes = wishes
        self._workshop: Workshop | None = None
        self._finalizer: weakref.finalize[[], Premises] | None = None

    @property
    def is_open(self) -> bool:
        """Whether anything was started."""
        return self._workshop is not None

    def open(self, settings: Callable[[], Settings]) -> Workshop:
        """The workshop."""
        if self._workshop is None:
            self._workshop = Workshop(settings(), self._approve, self._answer, self._wishes())
            self._finalizer = weakref.finalize(self, self._workshop.close)
        return self._workshop

    def move_into(self, workshop: Workshop) -> None:
        """Take over a workshop that somebody else has opened for us."""
        self._workshop = workshop
        self._finalizer = weakref.finalize(self, workshop.close)

    def close(self) -> None:
        """End every process that was started."""
        if self._finalizer is not None:
            self._finalizer()
        self._workshop = self._finalizer = None

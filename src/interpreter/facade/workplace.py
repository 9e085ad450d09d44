"""Where an interpreter works: its factory, opened when it is first needed and closed for sure."""

from __future__ import annotations

import weakref
from collections.abc import Callable

from interpreter.assembly import SessionFactory
from interpreter.assembly.model_choice import FaceCallbacks
from interpreter.protocol.ports import Answerer, Approver
from interpreter.settings.settings import Settings


class OwnedFactory:
    """Holds at most one factory. It is closed with its owner, at the latest when Python ends."""

    def __init__(
        self, approve: Approver, answer: Answerer, face: Callable[[], FaceCallbacks] = FaceCallbacks
    ) -> None:
        self._approve = approve
        self._answer = answer
        self._face = face
        self._factory: SessionFactory | None = None
        self._finalizer: weakref.finalize[[], OwnedFactory] | None = None

    @property
    def is_open(self) -> bool:
        """Whether anything was started."""
        return self._factory is not None

    def open(self, settings: Callable[[], Settings]) -> SessionFactory:
        """The factory."""
        if self._factory is None:
            self._factory = SessionFactory(settings(), self._approve, self._answer, self._face())
            self._finalizer = weakref.finalize(self, self._factory.close)
        return self._factory

    def move_into(self, factory: SessionFactory) -> None:
        """Take over a factory that somebody else has opened for us."""
        self._factory = factory
        self._finalizer = weakref.finalize(self, factory.close)

    def close(self) -> None:
        """End every process that was started."""
        if self._finalizer is not None:
            self._finalizer()
        self._factory = self._finalizer = None

"""A session for work by hand: nobody is asked anything, so no model and no key is needed."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import ModelEvent
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.ports import Capabilities, Request


class NobodyToAsk:
    """Stands where a model will be as soon as something is said."""

    name = "none"
    capabilities = Capabilities()

    def stream(self, request: Request, interrupt: Interrupt) -> Iterator[ModelEvent]:
        """Nobody answers."""
        raise ConfigurationError("This session was opened to run code by hand; it has no model.")

    def close(self) -> None:
        """There is nothing to give back."""

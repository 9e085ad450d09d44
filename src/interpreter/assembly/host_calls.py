"""What code may call of the host's in one session, and who answers it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from interpreter.protocol.errors import SandboxUnavailable
from interpreter.protocol.ports import CallPolicy
from interpreter.tools.calls.functions import HostFunctions

if TYPE_CHECKING:
    from interpreter.tools.calls.broker import Broker
    from interpreter.tools.guarded import Escalations


def _nobody_rules() -> CallPolicy:
    raise SandboxUnavailable("Nobody rules here on what code may call.")


class HostCalls:
    """A registry, and a broker for the cell that the session has at the moment."""

    def __init__(self, escalations: Escalations) -> None:
        self.functions = HostFunctions()
        self.policy: Callable[[], CallPolicy] = _nobody_rules
        self._escalations = escalations
        self._broker: Broker | None = None

    def serve(self, exchange: Path) -> tuple[str, ...]:
        """Answer the cell with this exchange; the names that its code finds."""
        from interpreter.tools.calls.broker import Broker

        if self._broker is None:
            asked = self._escalations
            self._broker = Broker(
                self.functions,
                lambda: self.policy(),
                asked.ask,
                lambda event: asked.inject(event),
            )
        self._broker.serve(exchange)
        return self.functions.roots()

    def close(self) -> None:
        """Answer nobody any more."""
        if self._broker is not None:
            self._broker.close()

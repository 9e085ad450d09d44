"""What code may call of the host's in one session, and who answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from interpreter.protocol import safe_files
from interpreter.protocol.calls import Arguments, HostFunction
from interpreter.protocol.inside_files import INSIDE
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.ports import CallPolicy
from interpreter.tools.calls.functions import HostFunctions

if TYPE_CHECKING:
    from interpreter.tools.calls.broker import Broker
    from interpreter.tools.guarded import Escalations


class HostCalls:
    """A registry, and a broker for the cell that the session has at the moment."""

    def __init__(
        self,
        escalations: Escalations,
        policy: Callable[[], CallPolicy],
        unheard: Callable[[str], None],
        origin: Callable[[Arguments], str] = lambda arguments: "",
    ) -> None:
        self.functions = HostFunctions()
        self._policy = policy
        self._unheard = unheard
        self._origin = origin
        self._escalations = escalations
        self._broker = Lazy(self._make_broker)
        self._later: list[Callable[[], Iterable[HostFunction]]] = []
        self.closing: list[Callable[[], None]] = []
        """What functions hold, and give back at the end."""

    def offer_later(self, make: Callable[[], Iterable[HostFunction]]) -> None:
        """Add functions when there is a cell whose code could call them."""
        self._later.append(make)

    def serve(self, exchange: Path) -> tuple[str, ...]:
        """Answer the cell with this exchange; the names that its code finds."""
        while self._later:
            self.functions.add(*self._later.pop(0)())
        self._broker.get().serve(exchange)
        roots = self.functions.roots()
        if "tools" in roots:
            source = (INSIDE / "functions" / "tools_client.py").read_bytes()
            safe_files.write(exchange / "tools_client.py", source)
        return roots

    def close(self) -> None:
        """Answer nobody any more."""
        if self._broker.made is not None:
            self._broker.made.close()
        while self.closing:
            self.closing.pop()()

    def _make_broker(self) -> Broker:
        from interpreter.tools.calls.broker import Broker

        asked = self._escalations
        return Broker(
            self.functions, self._policy, asked.ask, asked.inject, self._unheard, self._origin
        )

"""The conversation that goes on in a session, for those who must know where words come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from interpreter.protocol.lazy import Lazy
from interpreter.protocol.messages import Action, Message

if TYPE_CHECKING:
    from interpreter.policies.origins import Origins


class Conversation:
    """What has been said; `said` are the user's words where somebody else began this session."""

    def __init__(self, said: Callable[[], str] | None = None) -> None:
        self.messages: Sequence[Message] = ()
        self._said = said

    def origins(self, running: Callable[[], Action | None]) -> Lazy[Origins]:
        """Tells where texts come from; `running` is the block that runs."""

        def make() -> Origins:
            from interpreter.policies.origins import Origins

            return Origins(
                lambda: self.messages,
                running,
                self._said or str,
                first_is_foreign=self._said is not None,
            )

        return Lazy(make)

"""The sessions that a user's MCP clients work in: among all others, and parked as those are."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Coroutine, Iterator
from functools import partial
from typing import Any, TypeVar

from interpreter.assembly.served_sessions import ServedHost, ServedSessions
from interpreter.mcp.serving.serving import Offer
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import ApprovalRequested
from interpreter.server.access.tokens import User
from interpreter.server.api.talking import is_of_the_cell
from interpreter.server.errors import Refused
from interpreter.server.hub import LOOK_EVERY, Hub
from interpreter.settings.settings import Settings

T = TypeVar("T")


class McpSessions:
    """Made on the event loop; the sessions themselves are used on the threads of calls."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._loop: asyncio.AbstractEventLoop | None = None
        self._by_user: dict[str, ServedSessions] = {}

    def offer(self, user: User) -> Offer:
        """What a user's clients can do."""
        self._loop = asyncio.get_running_loop()
        host = ServedHost(partial(self._begin, user), self._room, partial(_may_allow, user))
        self._by_user[user.name] = sessions = ServedSessions(host)
        return sessions.offer()

    async def park_the_idle(self) -> None:
        """Park, for ever, the sessions that have had nothing to do for long."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            before = time.monotonic() - self._hub.config.limits.idle_seconds
            for sessions in tuple(self._by_user.values()):
                await asyncio.to_thread(sessions.park_the_idle, before)

    async def close(self) -> None:
        """End all of them."""
        await asyncio.gather(*(asyncio.to_thread(one.close) for one in self._by_user.values()))

    async def dismiss(self, name: str) -> None:
        """End those of one user."""
        if (sessions := self._by_user.pop(name, None)) is not None:
            await asyncio.to_thread(sessions.close)

    def _begin(self, user: User) -> tuple[Settings, str]:
        async def begun() -> tuple[Settings, str]:
            session = self._hub.create(user, "", {})
            return self._hub.settings(session), session

        return self._on_the_loop(begun())

    @contextlib.contextmanager
    def _room(self) -> Iterator[None]:
        room = self._hub.room_for_a_guest()
        self._on_the_loop(room.__aenter__())
        try:
            yield
        finally:
            self._on_the_loop(room.__aexit__(None, None, None))

    def _on_the_loop(self, work: Coroutine[Any, Any, T]) -> T:
        assert self._loop is not None, "somebody has called"
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except Refused as error:
            raise ConfigurationError(str(error)) from error


def _may_allow(user: User, request: ApprovalRequested) -> bool:
    return user.is_owner or is_of_the_cell(request)

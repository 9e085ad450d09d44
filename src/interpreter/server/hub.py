"""All sessions of a server: made, woken when they are needed, parked when nobody uses them."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from interpreter.assembly.attempts import Attempt, Differences
from interpreter.assembly.live import EventLog, LiveSession, open_log
from interpreter.assembly.model_list import ReachableModels
from interpreter.assembly.session_factory import SessionFactory
from interpreter.protocol.errors import ConfigurationError, StoreError
from interpreter.protocol.live import LiveEvent, SessionChanged
from interpreter.protocol.messages import Message
from interpreter.protocol.ports import OnConflict
from interpreter.server.access.tokens import OWNER, User
from interpreter.server.config import ServerConfig
from interpreter.server.errors import Refused
from interpreter.server.registry import Registry
from interpreter.server.workspaces import below, fixed, unmoved
from interpreter.session.session import Session
from interpreter.session.store.database import Store
from interpreter.session.store.owners import Owners
from interpreter.session.store.session_list import SessionInfo
from interpreter.settings.paths import data_directory
from interpreter.settings.settings import Settings, changed

PLAIN: tuple[str, ...] = (
    *("model", "max_steps", "max_budget", "max_turn_budget", "temperature"),
    *("reasoning_effort", "custom_instructions", "timeout", "dry_run", "safe_mode"),
)
FOR_THE_OWNER = ("auto_run", "approval", "sandbox", "api_base")
OF_FILES = ("scripted/", "embedded/")  # models whose names are paths of this machine
MEMORY = Path("/proc/meminfo")
LOOK_EVERY = 5.0  # seconds between two looks for sessions that can be parked


class Hub:
    """Used from the event loop; what takes long is done on the sessions' own threads."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.reachable_models = ReachableModels(config.settings, but=config.port)
        self._settings = fixed(config.settings)
        place = data_directory() / "server"
        self._alone = Owners(place)
        try:
            self._alone.take("lock")
        except StoreError as error:
            raise ConfigurationError("A server of yours is running already.") from error
        self.store = Store(data_directory())
        self._registry = Registry(place)
        self._live: dict[str, LiveSession] = {}
        self._guests = 0
        self._attempts: dict[str, tuple[str, Attempt]] = {}
        self._logs: WeakValueDictionary[str, EventLog[LiveEvent]] = WeakValueDictionary()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    # What there is.

    def list(self, user: User, query: str = "", most: int = 50) -> list[SessionInfo]:
        """The sessions of a user, the last used first; of a query, those that have its words."""
        users = self._registry.users()
        found = set(self.store.containing(query.split())) if query.split() else None
        mine = (
            info
            for info in self.store.list(most=-1)
            if users.get(info.id, OWNER) == user.name and (found is None or info.id in found)
        )
        return [info for info, _ in zip(mine, range(most), strict=False)]

    def info(self, user: User, session: str) -> SessionInfo:
        """One session; Refused where there is none, or it is somebody else's."""
        known = self.store.info(session)
        if known is None or self._registry.user(session) != user.name:
            raise Refused(404, "missing", "There is no such session.")
        return known

    def state(self, session: str) -> str:
        """What a session does."""
        live = self._live.get(session)
        return live.state if live else "parked"

    def has_run(self, session: str) -> bool:
        """Whether code has run since it was woken."""
        live = self._live.get(session)
        return live is not None and live.has_run

    def question(self, session: str) -> int | None:
        """The number of the event that waits for an answer."""
        live = self._live.get(session)
        return live.questions.open if live else None

    def log(self, session: str) -> EventLog[LiveEvent]:
        """The events of a session."""
        log = self._logs.get(session)
        if log is None:
            log = self._logs[session] = open_log(self.store, session)
        return log

    def snapshot(self, session: str) -> tuple[Sequence[Message] | None, int]:
        """The transcript, and the number of the last event that it holds; None where nothing works
        on it, and the store has it as it is."""
        log = self.log(session)  # which ends a turn that a killed process left
        live = self._live.get(session)
        return (live.snapshot() if live else None) or (None, log.last)

    def messages(self, session: str) -> Sequence[Message]:
        """The transcript."""
        found, _ = self.snapshot(session)
        return tuple(self.store.messages(session)) if found is None else found

    # Making and changing.

    def create(self, user: User, workspace: str, given: dict[str, Any]) -> str:
        """Begin a session; its id."""
        directory = below(user.root, workspace)
        settings = self.settings_for(user, given)
        directory.mkdir(mode=0o755, parents=True, exist_ok=True)
        session = self.store.create(model=settings.model, directory=str(directory))
        self._registry.add(session, user.name, given)
        return session

    def settings(self, session: str) -> Settings:
        """What a session is run with."""
        given = {**self._registry.settings(session), "workspace": self.store.directory(session)}
        base = _behind_walls(self._settings, self._registry.user(session))
        return changed(base, given, source="the session")

    def shown_settings(self, user: User, session: str) -> dict[str, Any]:
        """The settings that the user may see."""
        settings = self.settings(session)
        return {name: getattr(settings, name) for name in _allowed(user)}

    async def change(self, user: User, session: str, given: dict[str, Any]) -> None:
        """Change settings; they hold from the next turn on."""
        self.settings_for(user, given)
        kept = {**self._registry.settings(session), **given}
        self._registry.add(session, user.name, kept)
        live = self._live.get(session)
        if live is not None and "sandbox" in given:
            await self.park(session)  # the walls of a cell stay as they are while it lives
        elif live is not None:
            live.settings = replace(self.settings(session), workspace=live.settings.workspace)
        self.log(session).append(SessionChanged())

    def settings_for(self, user: User, given: dict[str, Any]) -> Settings:
        """The settings of the server with some that a user gives, each checked."""
        for name in given:
            if name not in _allowed(user):
                raise Refused(403, "forbidden", f"{name!r} cannot be set here.")
        if not user.is_owner and given.get("model", "").startswith(OF_FILES):
            raise Refused(403, "forbidden", "A model that is a file cannot be chosen here.")
        base = _behind_walls(self._settings, user.name)
        return changed(base, given, source="the request")

    async def delete(self, session: str) -> None:
        """Remove a session; files in its workspace stay."""
        from interpreter.assembly.cell.kept_files import forget_session  # noqa: PLC0415  (loads the undo)

        children = [child for child, (base, _) in self._attempts.items() if base == session]
        for child in children:
            await self.delete(child)
        async with self._locks[session]:
            live = self._live.pop(session, None)
            if live is not None:
                await asyncio.to_thread(live.close)
                live.log.end()
            _, attempt = self._attempts.pop(session, ("", None))
            if attempt is not None:
                await asyncio.to_thread(attempt.close)
            else:
                await asyncio.to_thread(self.store.delete, session)
                await asyncio.to_thread(forget_session, session)
            if (log := self._logs.pop(session, None)) is not None:
                log.end()
            self._registry.remove(session)
        self._locks.pop(session, None)

    # Living and parked.

    @contextlib.asynccontextmanager
    async def woken(self, session: str) -> AsyncIterator[LiveSession]:
        """A session with all that it needs, which is not parked within this block."""
        async with self._locks[session]:
            if session not in self._live:
                unmoved(self._directory(session))
                await self._make_room()
                self._live[session] = LiveSession(
                    self.settings(session), self.log(session), session
                )
            yield self._live[session]

    def _directory(self, session: str) -> str:
        if found := self.store.directory(session):
            return found
        raise Refused(404, "missing", "There is no such session.")  # removed a moment ago

    @contextlib.asynccontextmanager
    async def room_for_a_guest(self) -> AsyncIterator[None]:
        """Room for a session that lives for one request and is kept nowhere."""
        await self._make_room()
        self._guests += 1
        try:
            yield
        finally:
            self._guests -= 1

    async def interrupt(self, session: str, *, force: bool) -> None:
        """Stop what a session does, if it does anything."""
        live = self._live.get(session)
        if live is not None:
            await asyncio.to_thread(live.interrupt, force=force)

    def stop(self, session: str) -> None:
        """The same, from any thread."""
        live = self._live.get(session)
        if live is not None:
            live.interrupt()

    def answer(self, session: str, number: int, reply: Any) -> bool:
        """Answer a question; False when it is not open."""
        live = self._live.get(session)
        return live is not None and live.questions.answer(number, reply)

    def asked(self, session: str, number: int) -> Any:
        """The event that asks something; None when it is not open."""
        live = self._live.get(session)
        return live.questions.asked(number) if live else None

    async def park(self, session: str) -> None:
        """End the processes of a session; what they hold is saved."""
        async with self._locks[session]:
            live = self._live.get(session)
            if live is None or live.state != "idle" or session in self._attempts:
                return
            await asyncio.to_thread(live.close)
            del self._live[session]

    async def dismiss(self, user: str) -> None:
        """Stop and park all that somebody has; it stays theirs, should they come again."""
        for session, live in tuple(self._live.items()):
            if self._registry.user(session) != user:
                continue
            if session in self._attempts:
                await self.delete(session)
                continue
            live.interrupt()
            async with self._locks[session]:
                if self._live.get(session) is live:
                    await asyncio.to_thread(live.close)
                    del self._live[session]

    async def park_the_idle(self) -> None:
        """Park, for ever, the sessions that have had nothing to do for long."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            before = time.monotonic() - self.config.limits.idle_seconds
            for session, live in tuple(self._live.items()):
                if live.state == "idle" and live.used < before:
                    await self.park(session)

    async def _make_room(self) -> None:
        """Have room for one more: the one that was idle longest goes, or nobody comes."""
        most = self.config.limits.live
        while len(self._live) + self._guests >= most or self._memory_is_short():
            idle = [one for one in self._live.values() if one.state == "idle"]
            free = [one for one in idle if not self._locks[one.id].locked()]
            parkable = [one for one in free if one.id not in self._attempts]
            if not parkable:
                text = "As many sessions are at work as this machine can take; try again later."
                raise Refused(503, "full", text)
            await self.park(min(parkable, key=lambda one: one.used).id)

    def _memory_is_short(self) -> bool:
        return free_megabytes() < self.config.limits.free_memory

    async def close(self) -> None:
        """End every process; every session can be woken again by the next server."""
        for session in tuple(self._attempts):
            await self.delete(session)
        await asyncio.gather(*(asyncio.to_thread(live.close) for live in self._live.values()))
        for log in tuple(self._logs.values()):
            log.close()
        self._live.clear()
        self._registry.close()
        self.store.close()
        self._alone.close()

    # Trying several ways.

    async def fork(self, user: User, session: str) -> str:
        """Try something in a copy of everything; the id of the try."""

        def begin(factory: SessionFactory, base: Session) -> tuple[Attempt, LiveSession]:
            child = LiveSession(live.settings, EventLog())
            attempt = Attempt(
                factory, base, live.settings, approve=child.approve, answer=child.answer
            )
            child.settings = attempt.settings
            return attempt, child

        async with self.woken(session) as live:
            await self._make_room()
            attempt, child = await asyncio.wrap_future(live.use(begin))
        child.log = self.log(attempt.session.id)
        child.move_into(attempt.factory, attempt.session)
        self._registry.add(child.id, user.name, self._registry.settings(session))
        self._attempts[child.id] = (session, attempt)
        self._live[child.id] = child
        return child.id

    def parent(self, session: str) -> str | None:
        """The session that a try began with."""
        return self._attempts[session][0] if session in self._attempts else None

    def tries(self, session: str) -> tuple[str, ...]:
        """The tries that began with a session, in their order."""
        return tuple(child for child, (parent, _) in self._attempts.items() if parent == session)

    async def compare(self, session: str) -> tuple[str, Differences]:
        """What a try did, as text and as data."""
        attempt = self._attempt(session)
        async with self.woken(session) as live:
            found = live.use(lambda factory, _: (attempt.compare(), attempt.differences()))
            return await asyncio.wrap_future(found)

    async def keep(self, session: str, conflicts: OnConflict) -> str:
        """Make what a try did what happened; the try is over."""
        attempt, base = self._attempt(session), self._attempts[session][0]
        if self.state(session) != "idle":
            raise Refused(409, "busy", "The try is still at work; interrupt it or wait.")

        async with self.woken(base) as live:
            told = await asyncio.wrap_future(live.go_back(lambda parent: attempt.keep(conflicts)))
        child = self._live.pop(session)
        child.log.end()
        del self._attempts[session]
        self._logs.pop(session, None)
        self._registry.remove(session)
        return told

    def _attempt(self, session: str) -> Attempt:
        if session not in self._attempts:
            raise Refused(409, "conflict", "This session is no try, or the server has restarted.")
        return self._attempts[session][1]


def _behind_walls(settings: Settings, user: str) -> Settings:
    """The settings of the server as they hold for a user: only the owner goes without walls, and
    only the owner's code has the owner's tool servers, skills and instructions."""
    if user == OWNER:
        return settings
    walled = settings.sandbox in ("read-only", "workspace")
    return replace(
        settings,
        sandbox=settings.sandbox if walled else "workspace",
        require_sandbox=True,
        personal=False,
        mcp_servers="",
    )


def _allowed(user: User) -> tuple[str, ...]:
    return (*PLAIN, *FOR_THE_OWNER) if user.is_owner else PLAIN


def free_megabytes() -> int:
    """What is left of the machine's memory."""
    try:
        return int(MEMORY.read_text().split("MemAvailable:")[1].split()[0]) >> 10
    except (OSError, IndexError, ValueError):  # another system, or an old one
        import psutil  # noqa: PLC0415  (slow, and rarely needed)

        available: int = psutil.virtual_memory().available
        return available >> 20

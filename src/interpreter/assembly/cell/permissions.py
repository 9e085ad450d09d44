"""What the user lets code have beyond its cell: hosts, places, programs, files that run."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from interpreter.assembly.cell.opener import hidden_places
from interpreter.assembly.policy import SessionRules
from interpreter.policies.origins import Origins
from interpreter.protocol.git.config import QUESTION
from interpreter.protocol.messages import ActionCall
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import visible
from interpreter.sandboxes.cell.cell import Access
from interpreter.sandboxes.grants import GrantBook, Grants, Kind, Scope
from interpreter.sandboxes.network.host_gate import HostAnswer, HostGate
from interpreter.settings.paths import config_directory
from interpreter.settings.settings import Settings
from interpreter.tools.guarded import Escalations


@frozen
class Permission:
    """Something that the user has allowed."""

    kind: Kind
    value: str
    for_good: bool

    def is_called(self, name: str) -> bool:
        """Whether the user means this one."""
        if self.kind == "host":
            return name.lower() in (self.value, self.value.partition(":")[0])
        return Path(name).expanduser() == Path(self.value)


class Permissions:
    """The grants of a workspace and of the session in it."""

    def __init__(
        self, settings: Settings, rules: SessionRules, escalations: Escalations, origins: Origins
    ) -> None:
        hidden = hidden_places()
        self.book = GrantBook(config_directory() / "grants.json", settings.directory(), hidden)
        self.gate = HostGate(
            allow=self.book.all("host"),
            ask=partial(ask_about_hosts, escalations, origins),
            keep=partial(self.book.add, "host"),
            ruling=rules.host_verdict,
            suspicion=origins.of_host,
        )
        self.session = SessionGrants()

    def places(self, access: Access) -> tuple[Path, ...]:
        """What a new cell shows in this way."""
        return (*map(Path, self.book.all(access)), *self.session.paths(access))

    def granted(self) -> tuple[Permission, ...]:
        """What the user has allowed: for this session, and for good in this workspace."""
        kinds: tuple[Kind, ...] = ("host", "read", "write")
        kept = {(kind, value) for kind in kinds for value in self.book.all(kind)}
        now: list[tuple[Kind, str]] = [("host", host) for host in self.gate.allowed()]
        now += [(access, str(path)) for path, access in self.session.lasting()]
        return tuple(Permission(*one, for_good=one in kept) for one in sorted({*kept, *now}))

    def take_back(self, value: str, grants: Grants | None) -> tuple[Permission, ...]:
        """Ask again about a host or a place that was allowed; what that was.

        `grants` are those of the cell that is open.
        """
        gone = tuple(one for one in self.granted() if one.is_called(value))
        for one in gone:
            self.book.remove(one.kind, one.value)
            if one.kind == "host":
                self.gate.forget(one.value)
                continue
            self.session.forget(Path(one.value))
            if grants is None or not grants.forget(Path(one.value)):
                self.session.needs_new_cell = True  # the cell has shown it from its beginning
        return gone


class SessionGrants:
    """Places granted in this session; what a running cell cannot show needs a new one."""

    def __init__(self) -> None:
        self.needs_new_cell = False
        self._grants: dict[Path, tuple[Access, Scope]] = {}
        self._shown: frozenset[Path] = frozenset()

    def ask_for_new_cell(self, path: Path, access: Access, scope: Scope) -> None:
        """The user has granted this, and the running cell cannot show it."""
        self._grants[path] = (access, scope)
        self._shown -= {path}
        self.needs_new_cell = True

    def remember(self, path: Path, access: Access) -> None:
        """The cell has been given this for the session: one that is opened later shows it, too."""
        self._grants[path] = (access, "session")
        self._shown |= {path}

    def forget(self, path: Path) -> None:
        """The user has taken this back."""
        self._grants.pop(path, None)

    def lasting(self) -> tuple[tuple[Path, Access], ...]:
        """What was granted until the session ends."""
        return tuple((p, access) for p, (access, scope) in self._grants.items() if scope != "block")

    def paths(self, access: Access) -> tuple[Path, ...]:
        """What a new cell shows in this way."""
        return tuple(path for path, (wanted, _) in self._grants.items() if wanted == access)

    def cell_opened(self) -> None:
        """There is a cell that shows it all."""
        self._shown = frozenset(self._grants)
        self.needs_new_cell = False

    def give_up(self) -> None:
        """There cannot be such a cell; the one that runs stays."""
        self._grants = {path: self._grants[path] for path in self._shown & self._grants.keys()}
        self.needs_new_cell = False

    def end_block(self) -> None:
        """A block is over: what was shown for it alone goes."""
        for path in self._shown & self._grants.keys():
            if self._grants[path][1] == "block":
                del self._grants[path]
                self.needs_new_cell = True


def ask_about_hosts(
    escalations: Escalations, origins: Origins, hosts: tuple[str, ...]
) -> HostAnswer:
    """One question about hosts: for this block, the session, or this workspace for ever."""
    call = ActionCall("network", json.dumps({"hosts": hosts}))
    reason = f"This block wants to connect to {', '.join(map(visible, hosts))}."
    origin = filter(None, (origins.of_host(host.partition(":")[0]) for host in hosts))
    reason = " ".join((reason, *(f"{one}." for one in origin)))
    decision = escalations.ask(call, reason)
    if not decision.allows:
        return "no"
    answers: dict[str, HostAnswer] = {"session": "session", "always": "always"}
    return answers.get(decision.answer, "once")


def ask_about_file(escalations: Escalations, path: str, size: int, why: str) -> bool:
    """One question about a file that a block is about to change: git would run what it says, or
    it cannot be kept."""
    if why.startswith(QUESTION):
        lines = why.removeprefix(QUESTION)
        call = ActionCall("git", json.dumps({"path": path, "lines": lines.splitlines()}))
        shown = "\n".join(map(visible, lines.split("\n")))
        return escalations.ask(call, f"This block writes into {visible(path)}:\n{shown}").allows
    call = ActionCall("write", json.dumps({"path": path, "bytes": size}))
    name = visible(path)
    what = f"{name}, {size / 1e9:.1f} GB," if size >= 1e8 else name
    fault = "is too large to keep" if why == "too large" else f"cannot be kept ({why})"
    reason = f"{what} {fault}: this cannot be undone."
    return escalations.ask(call, reason).allows

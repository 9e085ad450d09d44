"""The guards around a block: secrets, refused hosts, wanted paths, files that run themselves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from interpreter.assembly.reopening import Reopening
from interpreter.policies.autorun import AutorunGuard, Changed
from interpreter.policies.secrets import Secrets, SecretStream
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import ConfigurationError, InterpreterError
from interpreter.protocol.events import (
    ApprovalRequested,
    DisplayShown,
    ExecutionFinished,
    OutputDelta,
    RuntimeEvent,
)
from interpreter.protocol.git_config import QUESTION
from interpreter.protocol.messages import ActionCall, Display, Stream
from interpreter.protocol.visible import visible
from interpreter.sandboxes.grants import Grants, Scope, Wish, wanted_paths
from interpreter.sandboxes.held_place import HeldPlace
from interpreter.sandboxes.host_gate import HostAnswer, HostGate
from interpreter.tools.guarded import After, Escalations

PRINTED_KEPT = 20_000  # characters of a block's output in which refused paths are looked for


class SecretGuard:
    """Replaces the values of secret variables, and what is shaped like a key."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._streams: dict[Stream, SecretStream] = {}

    def before(self) -> None:
        """Nothing to prepare."""

    def passing(self, event: RuntimeEvent) -> Iterator[RuntimeEvent]:
        """Redact text; what may be half a secret waits for the rest."""
        match event:
            case OutputDelta(text, stream):
                redactor = self._streams.setdefault(stream, self._secrets.stream())
                yield from _printed(redactor.feed(text), stream)
            case DisplayShown(display):
                yield replace(event, display=self._shown(display))
            case ExecutionFinished():
                for stream, redactor in self._streams.items():
                    yield from _printed(redactor.flush(), stream)
                yield replace(event, summary=self._secrets.redact(event.summary))
            case _:
                yield event

    def after(self) -> After:
        """Nothing to say."""
        yield from ()
        return ()

    def _shown(self, display: Display) -> Display:
        faces = tuple(
            replace(face, data=self._secrets.redact(face.data))
            if isinstance(face.data, str)
            else face
            for face in display.faces
        )
        return replace(display, faces=faces)


def _printed(text: str, stream: Stream) -> Iterator[OutputDelta]:
    if text:
        yield OutputDelta(text, stream)


class HostGuard:
    """Tells the model which hosts were refused, so that it does not try them again blindly."""

    def __init__(self, gate: HostGate) -> None:
        self._gate = gate

    def before(self) -> None:
        """Nothing to prepare."""

    def passing(self, event: RuntimeEvent) -> Iterator[RuntimeEvent]:
        """Everything passes."""
        yield event

    def after(self) -> After:
        """What was refused."""
        refused = self._gate.end_block()
        yield from ()
        if not refused:
            return ()
        hosts = ", ".join(refused[:8])
        return (f"the sandbox refused to connect to {hosts}; ask the user before trying again",)


class PathGuard:
    """Asks about places outside of the walls that a failed block wanted, and opens them."""

    def __init__(self, grants: Grants, reopening: Reopening, workspace: Path) -> None:
        self._grants = grants
        self._reopening = reopening
        self._workspace = workspace
        self._printed = ""
        self._failed = False
        self._trouble = ""

    def before(self) -> None:
        """Take back what was granted for a block that was broken off."""
        self._trouble = self._grants.begin_block()

    def passing(self, event: RuntimeEvent) -> Iterator[RuntimeEvent]:
        """Remember the end of what is printed."""
        if isinstance(event, OutputDelta):
            self._printed = (self._printed + event.text)[-PRINTED_KEPT:]
        if isinstance(event, ExecutionFinished):
            self._failed = event.outcome == "failed"
            self._printed += event.summary
        yield event

    def after(self) -> After:
        """Ask, grant, and say so: the block has failed, but the next try may not."""
        self._reopening.end_block()
        notes = [note for note in (self._trouble, self._grants.end_block()) if note]
        for wanted in wanted_paths(self._printed, self._workspace) if self._failed else ():
            try:
                held = self._grants.hold(wanted.path)
            except ConfigurationError as error:
                notes.append(str(error))
                continue
            wish = replace(wanted, path=held.path)
            call = ActionCall(wish.access, json.dumps({"path": str(wish.path)}))
            named = f", by the name {wanted.path}" if wanted.path != wish.path else ""
            reason = f"This block wants to {visible(wish.describe() + named)}."
            decision = yield ApprovalRequested(call, reason)
            notes.append(self._granted(wish, held, decision))
        return tuple(notes)

    def _granted(self, wish: Wish, held: HeldPlace, decision: Decision) -> str:
        if not decision.allows:
            return f"{wish.path} is outside of the sandbox and the user did not grant it"
        scopes: dict[str, Scope] = {"always": "workspace", "session": "session"}
        scope = scopes.get(decision.answer, "block")
        try:
            given = self._grants.give(held, wish.access, scope)
        except InterpreterError as error:
            return str(error)
        when = "for the next block" if scope == "block" else "from now on"
        if given.needs_restart:
            self._reopening.ask(given.path, wish.access, scope)
            return (
                f"the user allowed to {wish.describe()} {when}; for that the sandbox is opened "
                "anew: Python keeps its variables, other languages start afresh; try again"
            )
        return f"the user allowed to {wish.describe()} {when}; try again"


class News:
    """Tells the model, with the next block, what happened to the ground that it runs on."""

    def __init__(self, news: list[str]) -> None:
        self._news = news

    def before(self) -> None:
        """Nothing to prepare."""

    def passing(self, event: RuntimeEvent) -> Iterator[RuntimeEvent]:
        """Everything passes."""
        yield event

    def after(self) -> After:
        """Say each thing once."""
        told = tuple(self._news)
        self._news.clear()
        yield from ()
        return told


class AutorunWatch:
    """Takes back changes to files that run by themselves, unless the user wants them."""

    def __init__(
        self, guard: AutorunGuard, changes: Callable[[], Iterable[Changed]] = tuple
    ) -> None:
        self._guard = guard
        self._changes = changes

    def before(self) -> None:
        """Look at the files as they are."""
        self._guard.begin()

    def passing(self, event: RuntimeEvent) -> Iterator[RuntimeEvent]:
        """Everything passes."""
        yield event

    def after(self) -> After:
        """Ask about what changed."""
        flags = self._guard.end(self._changes())
        if not flags:
            return ()
        names = ", ".join(visible(flag.path) for flag in flags[:8])
        call = ActionCall("autorun", json.dumps({"files": [flag.path for flag in flags]}))
        reason = f"The block changed files that run by themselves: {names}. Keep them?"
        decision = yield ApprovalRequested(call, reason)
        if decision.allows:
            return ()
        failed = self._guard.revert(flags)
        notes = [f"{names} would run by itself and was put back; the user did not allow it"]
        if failed:
            notes.append(f"could not be put back: {', '.join(failed)}")
        return tuple(notes)


def ask_about_hosts(escalations: Escalations, hosts: tuple[str, ...]) -> HostAnswer:
    """One question about hosts: for this block, the session, or this workspace for ever."""
    call = ActionCall("network", json.dumps({"hosts": hosts}))
    reason = f"This block wants to connect to {', '.join(map(visible, hosts))}."
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
        return escalations.ask(call, f"This block writes into {path}:\n{lines}").allows
    call = ActionCall("write", json.dumps({"path": path, "bytes": size}))
    name = visible(path)
    what = f"{name}, {size / 1e9:.1f} GB," if size >= 1e8 else name
    fault = "is too large to keep" if why == "too large" else f"cannot be kept ({why})"
    reason = f"{what} {fault}: this cannot be undone."
    return escalations.ask(call, reason).allows

"""The hooks of a session: those of the user's and of a trusted project's files, run in its cell."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL
from typing import TYPE_CHECKING, Any

from interpreter.protocol.errors import ConfigurationError, InterpreterError
from interpreter.protocol.hooks import NO_ANSWER, Hook, HookAnswer, HookCall, HookFailed
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.messages import Message
from interpreter.protocol.ports import Approver, Policy, Process, Tool
from interpreter.protocol.system.host_programs import PROGRAM_PLACES
from interpreter.settings.paths import config_directory
from interpreter.settings.settings import Settings
from interpreter.settings.trust import is_trusted

if TYPE_CHECKING:
    from interpreter.hooks.configuration import CommandHook, FoundHooks, Source
    from interpreter.hooks.dispatch import Hooks

SHELL = ("/bin/sh", "-c")
PIPES: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
MODES = {"auto": "bypassPermissions", "never": "plan"}


def user_file() -> Path:
    """The user's own hooks."""
    return config_directory() / "hooks.json"


def hook_files(settings: Settings) -> list[tuple[Path, Source]]:
    """The files with hooks that count here: the user's, and those of a trusted directory."""
    from interpreter.hooks.configuration import PROJECT_FILES

    if not settings.personal:
        return []
    directory = settings.directory()
    files: list[tuple[Path, Source]] = [(user_file(), "user")]
    if is_trusted(directory):
        files += [(directory / name, "project") for name in PROJECT_FILES]
    return [(file, source) for file, source in files if file.exists()]


def left_out(settings: Settings) -> tuple[Path, ...]:
    """The files of a directory that has hooks and is not trusted."""
    from interpreter.hooks.configuration import PROJECT_FILES, read_files

    directory = settings.directory()
    if is_trusted(directory):
        return ()
    files = (directory / name for name in PROJECT_FILES)
    found = {file: read_files([(file, "project")]) for file in files}
    return tuple(file for file, one in found.items() if one.hooks or one.mistakes)


def configured(settings: Settings) -> FoundHooks:
    """The hooks that those files have."""
    from interpreter.hooks.configuration import read_files

    return read_files(hook_files(settings))


class SessionHooks:
    """Who is told of what happens in one session; `add` takes more than files have.

    `subagent` is the kind of a session within a session: its last word is that of a subagent.
    """

    def __init__(
        self,
        settings: Callable[[], Settings],
        launch: Callable[..., Process],
        notice: Callable[[str], None],
        session: Callable[[], str],
        *,
        subagent: str = "",
    ) -> None:
        self._settings = settings
        self._launch = launch
        self._notice = notice
        self._session = session
        self._subagent = subagent
        self._hooks: Lazy[Hooks | None] = Lazy(self._read)
        self._told: list[str] = []
        self._judged: list[dict[str, Any]] = []
        self._begun = False

    def for_agent(self, agent: str, session: Callable[[], str]) -> SessionHooks:
        """The same hooks for a session within this one; commands run where those of this one do."""
        other = SessionHooks(self._settings, self._launch, self._notice, session, subagent=agent)
        other._hooks = self._hooks
        return other

    def add(self, *hooks: Hook) -> None:
        """More hooks, such as functions of a program that drives us."""
        from interpreter.hooks.dispatch import Hooks

        if (known := self._hooks.get()) is not None:
            known.add(*hooks)
            return
        self._hooks = Lazy(lambda: Hooks(self._notice, hooks))

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return self._hooks.get() is not None

    def run(self, call: HookCall) -> HookAnswer:
        """Tell all who want to know of it; what they say together."""
        hooks = self._hooks.get()
        if hooks is None:
            return NO_ANSWER
        if call.event == "Stop" and self._subagent:
            call = HookCall("SubagentStop", call.payload)
        if not hooks.wants(call.event):
            return NO_ANSWER
        return hooks.run(HookCall(call.event, {**self._common(call), **call.payload}))

    # Where they stand.

    def policy(self, policy: Policy) -> Policy:
        """A policy after the hooks."""
        if not self.any:
            return policy
        from interpreter.hooks.around import HookedPolicy

        return HookedPolicy(policy, self.run, self._keep, self._judged)

    def approver(self, approve: Approver) -> Approver:
        """The user after the hooks."""
        if not self.any:
            return approve
        from interpreter.hooks.around import hooked_approver

        return hooked_approver(approve, self.run)

    def tools(self, tools: Mapping[str, Tool]) -> dict[str, Tool]:
        """Tools of which hooks hear what came of them."""
        if not self.any:
            return dict(tools)
        from interpreter.hooks.around import HookedTool

        return {name: HookedTool(one, self.run, self._told_before) for name, one in tools.items()}

    def begin(self, *, resumed: bool) -> str:
        """The session begins to be used; what the hooks want the model to know."""
        if self._begun:
            return ""
        self._begun = True
        if self._subagent:
            payload = {"agent_id": self._session(), "agent_type": self._subagent}
            return self.run(HookCall("SubagentStart", payload)).context
        source = "resume" if resumed else "startup"
        return self.run(HookCall("SessionStart", {"source": source})).context

    def end(self) -> None:
        """The session, if it was used, is about to end."""
        if self._begun and not self._subagent:
            self._begun = False
            self.run(HookCall("SessionEnd", {"reason": "other"}))

    def compacting(
        self, log: Callable[[Sequence[Message]], str]
    ) -> Callable[[Sequence[Message]], str]:
        """What keeps the messages that are about to become a digest; hooks are told of it."""

        def keep(messages: Sequence[Message]) -> str:
            self.run(HookCall("PreCompact", {"trigger": "auto", "custom_instructions": ""}))
            return log(messages)

        return keep

    # How they are made.

    def _keep(self, context: str) -> None:
        self._told += [context] if context else []

    def _told_before(self) -> str:
        told, self._told = self._told, []
        return "\n".join(told)

    def _common(self, call: HookCall) -> dict[str, Any]:
        settings = self._settings()
        mode = settings.approval or ("auto" if settings.auto_run else "ask")
        of_agent = {"agent_id": self._session(), "agent_type": self._subagent}
        return {
            "session_id": self._session(),
            "transcript_path": "",
            "cwd": str(settings.directory()),
            "permission_mode": MODES.get(mode, "default"),
            "hook_event_name": call.event,
            **(of_agent if self._subagent else {}),
        }

    def _read(self) -> Hooks | None:
        """None where there are none, as for most: then nothing more is loaded.

        A mistake in a file is an error, not a shrug: what is not understood may be a guard.
        """
        if not hook_files(self._settings()):
            return None
        from interpreter.hooks.command import as_hook
        from interpreter.hooks.dispatch import Hooks

        found = configured(self._settings())
        if found.mistakes:
            raise ConfigurationError("\n".join(found.mistakes))
        for text in found.left_out:
            self._notice(text)
        return Hooks(self._notice, [as_hook(one, self._start) for one in found.hooks])

    def _start(self, hook: CommandHook) -> Process:
        directory = self._settings().directory()
        known = {"CLAUDE_PROJECT_DIR": str(directory)}
        if hook.outside:
            return _Outside(hook.command, known)
        try:
            return self._launch([*SHELL, hook.command], env=known, cwd=directory, **PIPES)
        except InterpreterError as error:
            raise HookFailed(f"it cannot be started in the sandbox: {error}") from error


class _Outside(subprocess.Popen[bytes]):
    """A command of the user's, outside of the cell: not in the workspace, where code writes."""

    def __init__(self, command: str, env: Mapping[str, str]) -> None:
        super().__init__(
            [*SHELL, command],
            env={**os.environ, "PATH": PROGRAM_PLACES, **env},
            cwd=Path.home(),
            start_new_session=True,
            **PIPES,
        )

    def signal_group(self, signal: int = SIGKILL) -> None:
        """Signal the command and what it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal)

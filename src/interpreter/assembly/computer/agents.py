"""Agents: a task is handed to a session within the session, which works in a copy and reports.

What it did to files comes over as part of the block that called it, so that one undo takes all of
it back. It is asked about, ruled on and paid for as the session is.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from interpreter.protocol.actions import Decision
from interpreter.protocol.calls import Arguments, CallContext, HostFunction
from interpreter.protocol.errors import CallFailed, CheckpointError, InterpreterError
from interpreter.protocol.events import ApprovalRequested, Event, TurnFinished
from interpreter.protocol.messages import ActionCall, Code
from interpreter.protocol.ports import Model, nobody_answers
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import visible, visible_lines

if TYPE_CHECKING:
    from interpreter.assembly.hooks import SessionHooks
    from interpreter.assembly.session_factory import SessionFactory
    from interpreter.checkpoints.workspace_copy import WorkspaceCopy
    from interpreter.guidance.agents import AgentFile
    from interpreter.guidance.project import ProjectGuidance
    from interpreter.session.budget import Budget
    from interpreter.session.session import Session
    from interpreter.settings.settings import Settings

SECONDS = 3600.0
MOST_REPORTED = 50_000  # characters
MOST_STEPS = 40
TEXT = {"type": "string"}
SCHEMA = {
    "type": "object",
    "properties": {"name": TEXT, "task": TEXT},
    "required": ["name", "task"],
}
REPORT = "You work for another agent: nobody reads along. Your last message is all that it gets."


@frozen
class Within:
    """What a session within another one has of it."""

    budget: Budget
    guidance: Callable[[], ProjectGuidance]
    said: Callable[[], str]
    """What the user said there: the task comes from a model."""
    hooks: Callable[[Callable[[], str]], SessionHooks]
    """Those of there, for a session by its id."""


def agent_functions(
    factory: SessionFactory, settings: Callable[[], Settings], model: Callable[[], Model]
) -> tuple[HostFunction, ...]:
    """`agents.run`, for code."""

    def run(given: Arguments, context: CallContext) -> str:
        known = factory.guidance.agents
        agent = known.get(given["name"])
        if agent is None:
            names = ", ".join(known) or "none"
            raise CallFailed(f"There is no agent {given['name']!r}; there are: {names}.")
        return AgentRun(factory, agent, settings(), model()).carry_out(given["task"], context)

    about = "Hand a task to an agent; its report."
    return (HostFunction("agents.run", about, SCHEMA, run, asks=True, seconds=SECONDS),)


class AgentRun:
    """One task in the hands of one agent."""

    def __init__(
        self, factory: SessionFactory, agent: AgentFile, settings: Settings, model: Model
    ) -> None:
        from interpreter.assembly.attempts import new_place
        from interpreter.checkpoints.workspace_copy import WorkspaceCopy

        self._base = factory
        self._agent = agent
        self._model = None if agent.model else model
        workspace = settings.directory().resolve()
        self._copy: WorkspaceCopy = WorkspaceCopy(workspace, new_place() / workspace.name)
        self._settings = replace(
            settings,
            workspace=str(self._copy.path),
            model=agent.model or settings.model,
            sandbox="read-only" if agent.reads_only else settings.sandbox,
            custom_instructions=f"{agent.text}\n\n{REPORT}",
            max_steps=min(settings.max_steps, MOST_STEPS),
            os=False,
        )

    def carry_out(self, task: str, context: CallContext) -> str:
        """Have the agent work; its report, once what it changed is here."""
        from interpreter.assembly.cell.kept_files import forget_session

        try:
            child = self._base.another(self._settings, self._asked, nobody_answers, self._within())
            try:
                session = child.open_session(
                    self._settings,
                    model=self._model,
                    within=self._base.environment.session_cell.session,
                )
                report = _heard(session, task, context)
            finally:
                child.close()  # nothing writes there any more
                forget_session(
                    child.environment.session_cell.session
                )  # its words stay, its undo does not
            return f"{report}{self._bring()}"
        except CallFailed:
            raise
        except InterpreterError as error:
            raise CallFailed(f"The agent {self._agent.name} gave up: {error}") from error
        finally:
            self._copy.remove()

    def _within(self) -> Within:
        base, name = self._base, self._agent.name
        said = base.environment.origins.get().words_of_user
        return Within(base.budget, lambda: base.guidance, said, partial(base.hooks.for_agent, name))

    def _asked(self, request: ApprovalRequested) -> Decision:
        """A question of the agent's, asked by the block that called it."""
        action = request.action
        lines = [f"The agent {self._agent.name} asks. {request.reason}".rstrip()]
        if isinstance(action, Code):
            lines += [f"It wants to run this {visible(action.language)}:"]
            lines += visible_lines(action.source)
            given = {"agent": self._agent.name, "language": action.language, "code": action.source}
            action = ActionCall("agent", json.dumps(given))
        if not isinstance(action, ActionCall):
            return Decision("no", "it cannot be understood")
        decision = self._base.environment.escalations.ask(action, "\n".join(lines))
        return replace(decision, answer="yes") if decision.allows else decision

    def _bring(self) -> str:
        """Bring over what it did to files, in the block that runs: its undo takes it back."""
        from interpreter.assembly.attempts import apply_changes
        from interpreter.runtimes import handover

        changed = [Path(one.path).relative_to(self._copy.path) for one in self._copy.changes()]
        if self._agent.reads_only or not changed:
            return ""
        taken = self._copy.conflicts()
        staged = self._base.environment.session_cell.exchange / f"agent-{secrets.token_hex(4)}"
        changes = self._copy.stage(staged, taken)
        handover.write(staged / "changes.json", json.dumps(changes))
        try:
            apply_changes(self._base.environment, staged, decided=False)
        except CheckpointError as error:
            return f"\n\n[{error}]"
        finally:
            shutil.rmtree(staged, ignore_errors=True)  # which follows no link
        names = ", ".join(sorted(map(str, changed))[:20])
        left = f"; left as they are, because they changed meanwhile: {', '.join(taken)}"
        return f"\n\n[files that it changed: {visible(names)}{visible(left) if taken else ''}]"


def _heard(session: Session, task: str, context: CallContext) -> str:
    """The last word of a session about a task."""
    end = TurnFinished("failed", "it said nothing")
    for event in session.send(task):
        if context.interrupt.requested and not session.stopping:
            session.interrupt()
        end = _end(event) or end
    said = (m.text for m in reversed(session.transcript) if m.role == "assistant" and m.text)
    report = next(said, "")[:MOST_REPORTED]
    if end.end == "answered" and report:
        return report
    why = end.detail or end.end.replace("_", " ")
    raise CallFailed(f"The agent did not come to an end: {why}. It said last: {report[:2_000]}")


def _end(event: Event) -> TurnFinished | None:
    return event if isinstance(event, TurnFinished) else None

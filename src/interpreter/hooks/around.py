"""Hooks around what a session does: before a tool is used, when the user is asked, and after."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from interpreter.protocol.actions import Asks, Decision, Verdict
from interpreter.protocol.events import (
    ApprovalRequested,
    ExecutionFinished,
    ModelTold,
    Notice,
    OutputDelta,
    RuntimeEvent,
)
from interpreter.protocol.hooks import HookAnswer, HookCall, RunHooks, tool_use, with_input
from interpreter.protocol.messages import Action, ActionCall, MalformedCall
from interpreter.protocol.ports import Approver, Policy, Tool, ToolContext

MOST_SHOWN = 100_000  # characters of a result
CANNOT_CHANGE = "a hook wants other arguments, which a call from code cannot be given"

Tell = Callable[[str], None]


class HookedPolicy:
    """Another policy, after the hooks: what they refuse is refused, whatever it says.

    A hook's yes answers for the mode alone: a rule, a scan or a missing sandbox asks all the same.
    """

    def __init__(
        self, policy: Policy, run: RunHooks, tell: Tell, judged: list[dict[str, Any]]
    ) -> None:
        self._policy = policy
        self._run = run
        self._tell = tell
        self._judged = judged
        """The call of a server's tool that the hooks have just seen, for all policies of a session:
        it is judged once more under its name in code, and they need not see it twice."""

    def review(self, action: Action) -> Verdict:
        """Judge one action, or what a hook makes of it."""
        if isinstance(action, MalformedCall):
            return self._policy.review(action)
        answer = self._run(HookCall("PreToolUse", tool_use(action)))
        self._tell(answer.context)
        if refusal := _refusal(answer):
            return refusal
        changed = with_input(action, answer.new_input) if answer.new_input is not None else action
        if changed is None:
            return Verdict("deny", "a hook wants another input, which does not fit")
        self._judged[:] = [_seen(changed)] if _is_judged_as_call(changed) else []
        verdict = _after(answer, self._policy.review(changed))
        return verdict if changed == action else replace(verdict, instead=changed)

    def review_call(self, call: ActionCall, *, asks: Asks) -> Verdict:
        """Judge one call of the host, made by code, or by the model itself and seen before."""
        if _seen(call) in self._judged:
            self._judged.clear()
            return self._policy.review_call(call, asks=asks)
        answer = self._run(HookCall("PreToolUse", tool_use(call)))
        self._tell(answer.context)
        if refusal := _refusal(answer):
            return refusal
        if answer.new_input is not None and answer.new_input != tool_use(call)["tool_input"]:
            return Verdict("deny", CANNOT_CHANGE)
        return _after(answer, self._policy.review_call(call, asks=asks))

    def remember(self, action: Action, decision: Decision) -> None:
        """Learn from an answer."""
        self._policy.remember(action, decision)

    def remember_call(self, call: ActionCall, decision: Decision) -> None:
        """Learn from an answer."""
        self._policy.remember_call(call, decision)

    def allowed(self) -> tuple[str, ...]:
        """What is no longer asked about."""
        return self._policy.allowed()

    def forget(self) -> None:
        """Ask about all of it again."""
        self._policy.forget()


def _is_judged_as_call(action: Action) -> bool:
    """Whether it is a tool of a server, which is judged under its name in code as well."""
    return isinstance(action, ActionCall) and "__" in action.tool


def _seen(call: Action) -> dict[str, Any]:
    return {**tool_use(call), "tool_use_id": ""}


def _refusal(answer: HookAnswer) -> Verdict | None:
    if answer.stop is not None:
        return Verdict("deny", answer.stop, stops=True)
    if answer.ruling == "deny":
        return Verdict("deny", answer.reason or "a hook said no")
    return None


def _after(answer: HookAnswer, verdict: Verdict) -> Verdict:
    """Deny beats ask, and ask beats allow; a reasoned question is not answered by a hook."""
    if answer.ruling == "ask" and verdict.ruling != "deny":
        reasons = (answer.reason or "a hook wants you to be asked", verdict.reason)
        return replace(verdict, ruling="ask", reason=" ".join(filter(None, reasons)))
    if answer.ruling == "allow" and verdict.ruling == "ask" and not verdict.reason:
        return replace(verdict, ruling="allow")
    return verdict


def hooked_approver(approve: Approver, run: RunHooks) -> Approver:
    """The user, after the hooks: they may say no, and yes to a question that has no reason."""

    def ask(request: ApprovalRequested) -> Decision:
        answer = run(HookCall("PermissionRequest", tool_use(request.action)))
        if answer.stop is not None:
            return Decision("stop", answer.stop)
        if answer.ruling == "deny":
            return Decision("no", answer.reason or "a hook said no")
        is_plain = request.proposed and not request.reason
        if answer.ruling == "allow" and is_plain and answer.new_input is None:
            return Decision("yes")
        said = request.reason or "Your approval is needed."
        payload = {"message": said, "notification_type": "permission_prompt"}
        run(HookCall("Notification", payload))
        return approve(request)

    return ask


class HookedTool:
    """Another tool; hooks hear how each run of it ended, and what they say is told to the model."""

    def __init__(self, tool: Tool, run: RunHooks, told: Callable[[], str]) -> None:
        self.spec = tool.spec
        self._tool = tool
        self._run = run
        self._told = told

    def run(self, action: Action, context: ToolContext) -> Iterator[RuntimeEvent]:
        """Run the tool."""
        printed = ""
        for event in self._tool.run(action, context):
            if isinstance(event, OutputDelta) and len(printed) < MOST_SHOWN:
                printed = (printed + event.text)[:MOST_SHOWN]
            if isinstance(event, ExecutionFinished):
                yield from self._ended(action, event, printed, context)
            yield event

    def _ended(
        self, action: Action, event: ExecutionFinished, printed: str, context: ToolContext
    ) -> Iterator[RuntimeEvent]:
        if before := self._told():
            yield ModelTold(before)
        used = tool_use(action)
        if event.outcome in ("ok", "backgrounded"):
            response = {"output": printed, "outcome": event.outcome}
            answer = self._run(HookCall("PostToolUse", {**used, "tool_response": response}))
        else:
            error = f"{event.outcome}: {event.summary}\n{printed}".strip()
            interrupted = event.outcome == "interrupted"
            more = {"error": error[:MOST_SHOWN], "is_interrupt": interrupted}
            answer = self._run(HookCall("PostToolUseFailure", {**used, **more}))
        said = (answer.reason if answer.ruling == "deny" else "", answer.context)
        if text := "\n".join(filter(None, said)):
            yield ModelTold(text)
        if answer.stop is not None:
            yield Notice(answer.stop, "warning")
            context.interrupt.request()

"""A question of a session as a question to the program at the other end; no answer is a no."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interpreter.headless.control import ControlReply, ControlRequests
from interpreter.headless.tool_rules import ToolRules
from interpreter.protocol.actions import Decision
from interpreter.protocol.events import ApprovalRequested
from interpreter.protocol.hooks import tool_use, with_input
from interpreter.protocol.messages import Code
from interpreter.protocol.ports import nobody_approves

NOT_ASKED = "it is not among what is allowed, and this session asks nobody"


class HeadlessPermissions:
    """Asks, where there is somebody to ask, and understands the answers."""

    def __init__(
        self, control: ControlRequests, rules: ToolRules, *, asks: bool, goes_on: bool
    ) -> None:
        self._control = control
        self._rules = rules
        self._asks = asks
        self._goes_on = goes_on
        """Whether the model is to answer without what nobody could be asked about."""

    def ask(self, request: ApprovalRequested, call_id: str, then: Any) -> str:
        """Ask; `then` is given the decision once. The id of the question, if there is one."""
        if self._rules.mode == "dontAsk":
            then(Decision("no", NOT_ASKED))
            return ""
        if not self._asks:
            then(_without_asking(request) if self._goes_on else nobody_approves(request))
            return ""
        question = _question(request, call_id)
        return self._control.ask(question, lambda reply: then(self._decision(request, reply)))

    def _decision(self, request: ApprovalRequested, reply: ControlReply) -> Decision:
        if reply.kind == "nobody":
            return Decision("no", f"it needs approval, and nobody answered: {reply.error}")
        if reply.kind == "error":
            return Decision("no", f"it needs approval, and the question failed: {reply.error}")
        told = reply.response
        if told.get("behavior") == "allow":
            return self._allowed(request, told)
        reason = str(told.get("message") or "the user said no")[:10_000]
        return Decision("stop" if told.get("interrupt") is True else "no", reason)

    def _allowed(self, request: ApprovalRequested, told: Mapping[str, Any]) -> Decision:
        action, given = request.action, told.get("updatedInput")
        if given is not None and given != tool_use(action)["tool_input"]:
            fits = request.proposed and isinstance(given, dict)
            edited = with_input(action, given) if fits else None
            if edited is None:
                return Decision("no", "the answer changes the input in a way that does not fit")
            self._learn(told.get("updatedPermissions"))
            return Decision("yes", edited=edited)
        self._learn(told.get("updatedPermissions"))
        return Decision("yes")

    def _learn(self, updates: Any) -> None:
        """Rules that come with a yes; those that are to be kept in files are kept for now only."""
        for update in updates if isinstance(updates, list) else ():
            if not isinstance(update, dict) or update.get("behavior") != "allow":
                continue
            rules = update.get("rules") if update.get("type") == "addRules" else None
            for rule in rules if isinstance(rules, list) else ():
                name = rule.get("toolName") if isinstance(rule, dict) else None
                if isinstance(name, str) and name:
                    about = rule.get("ruleContent")
                    self._rules.allow(f"{name}({about})" if isinstance(about, str) else name)


def _without_asking(request: ApprovalRequested) -> Decision:
    reason = request.reason.rstrip(".?") or "it needs approval"
    return Decision("no", f"{reason}, and nobody is there to ask; answer without it")


def _question(request: ApprovalRequested, call_id: str) -> dict[str, Any]:
    used = tool_use(request.action)
    of_code = isinstance(request.action, Code) and request.proposed
    rule = {"toolName": used["tool_name"]}
    kept = {"type": "addRules", "behavior": "allow", "destination": "session", "rules": [rule]}
    return {
        "subtype": "can_use_tool",
        "tool_name": used["tool_name"],
        "input": used["tool_input"],
        "tool_use_id": call_id,
        "permission_suggestions": [kept] if of_code else [],
        "blocked_path": None,
        "decision_reason": request.reason or None,
        "title": request.reason or f"Run this {used['tool_name']} block?",
        "display_name": used["tool_name"],
        "description": request.preview or None,
    }

"""Which tools may be used without a question, and which not at all: `Bash(git log:*)`, `execute`.

They are held as hooks: a rule's yes answers for the mode alone, and deny beats all.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from typing import Any

from interpreter.policies.rules import Rule, facts_of
from interpreter.protocol.actions import Ruling
from interpreter.protocol.hooks import NO_ANSWER, Hook, HookAnswer, HookCall
from interpreter.protocol.messages import Code

RUNS_CODE = ("Bash", "execute")
MOST_RULES = 1000


class ToolRules:
    """The rules of one session; more come when the user says "always"."""

    def __init__(
        self,
        allowed: Iterable[str] = (),
        disallowed: Iterable[str] = (),
        only: Iterable[str] | None = None,
    ) -> None:
        self._allowed = list(allowed)
        self._disallowed = list(disallowed)
        self._only = None if only is None else [one.partition("(")[0] for one in only]
        self.mode = ""
        """`plan` and `dontAsk` hold from the moment they are set."""

    def hook(self) -> Hook:
        """The rules as a session holds them."""
        return Hook("PreToolUse", self._judge, name="the rules about tools", may_allow=True)

    def allow(self, rule: str) -> None:
        """Do not ask about this any more."""
        if len(self._allowed) < MOST_RULES:
            self._allowed.append(rule)

    def _judge(self, call: HookCall) -> HookAnswer:
        name, given = str(call.payload["tool_name"]), call.payload["tool_input"]
        if self.mode == "plan":
            return HookAnswer("deny", "this session only plans; describe what you would do")
        if any(_fits(rule, name, given, "deny") for rule in self._disallowed):
            return HookAnswer("deny", f"{name} may not be used here")
        if self._only is not None and name in RUNS_CODE and name not in self._only:
            return HookAnswer("deny", f"there is no tool {name} in this session")
        if any(_fits(rule, name, given, "allow") for rule in self._allowed):
            return HookAnswer("allow")
        return NO_ANSWER


def _fits(rule: str, name: str, given: Mapping[str, Any], decision: Ruling) -> bool:
    wanted, bracket, rest = rule.partition("(")
    if not fnmatch.fnmatchcase(name, wanted) and not name.startswith(f"{wanted}__"):
        return False
    about = rest.removesuffix(")")
    if not bracket or about in ("", "*"):
        return True
    if name == "execute":
        return str(given.get("language", "")).lower() == about.lower()
    return name == "Bash" and _is_command(about, str(given.get("command", "")), decision)


def _is_command(about: str, source: str, decision: Ruling) -> bool:
    """To deny, one command of it is enough; to allow, each has to be what the rule says."""
    words = about.removesuffix(":*").removesuffix("*").split()
    if not about.endswith("*") and decision == "allow":
        return source.strip() == about.strip()
    if not words:
        return False
    block = Code("shell", source)
    return Rule(decision, languages=("shell",), commands=(tuple(words),)).fits(
        block, facts_of(block)
    )

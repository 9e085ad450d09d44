"""Who decides whether a block runs: the user's rules, then the mode, then safe mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from interpreter.policies.code_scan import SafeMode, can_scan, scan
from interpreter.policies.facts import canonical, facts_of, programs_of
from interpreter.policies.places import is_secret
from interpreter.policies.rules import Rules
from interpreter.protocol.actions import Decision, Finding, Verdict
from interpreter.protocol.messages import Action, ActionCall, Code, MalformedCall

Mode = Literal["ask", "auto", "never"]
ExtraScan = Callable[[str, str], tuple[Finding, ...]]


def kind_of(action: Action) -> str:
    """What "always for this kind" is about, in words for the question."""
    match action:
        case ActionCall(tool):
            return f"calls of {tool}"
        case Code(language) if canonical(language) != "shell":
            return f"{canonical(language)} blocks"
        case Code():
            programs = sorted(programs_of(facts_of(action)))
            return (
                f"shell blocks that run only {', '.join(programs)}" if programs else "shell blocks"
            )
    return "such actions"


@dataclass(slots=True)
class _Memory:
    """What the user said "always" to, in this session."""

    kinds: set[str] = field(default_factory=set)
    programs: set[str] = field(default_factory=set)
    secrets: set[str] = field(default_factory=set)
    """Files with secrets that the user let a block use."""

    def add(self, action: Action) -> None:
        programs = _programs(action)
        self.programs |= programs
        if not programs:
            self.kinds.add(kind_of(action))

    def unseen_secrets(self, action: Action) -> set[str]:
        return _secret_files(action) - self.secrets

    def covers(self, action: Action) -> bool:
        programs = _programs(action)
        return programs <= self.programs if programs else kind_of(action) in self.kinds


def full_scan(action: Code, extra: ExtraScan | None) -> tuple[Finding, ...]:
    """What our scan and another one find in a block."""
    found = scan(action.language, action.source)
    return found if extra is None else found + extra(action.language, action.source)


def _secret_files(action: Action) -> set[str]:
    """Files of a block that hold secrets, such as ``.env``, judged by their names."""
    if not isinstance(action, Code):
        return set()
    return {path for path in facts_of(action).paths if is_secret(path)}


def _programs(action: Action) -> frozenset[str]:
    """The programs of a shell block, by which such blocks are told apart."""
    if isinstance(action, Code) and canonical(action.language) == "shell":
        return programs_of(facts_of(action))
    return frozenset()


class Approvals:
    """The policy of a session.

    `confined` is False when there is no sandbox and the user has not confirmed that: then every
    block needs approval, whatever else is said. `extra_scan` adds another scanner's findings.
    """

    def __init__(
        self,
        mode: Mode = "ask",
        *,
        rules: Rules | None = None,
        safe_mode: SafeMode = "off",
        confined: bool = True,
        extra_scan: ExtraScan | None = None,
    ) -> None:
        self._mode = mode
        self._rules = rules or Rules()
        self._safe_mode = safe_mode
        self._confined = confined
        self._extra_scan = extra_scan
        self._memory = _Memory()

    def review(self, action: Action) -> Verdict:
        """Judge one action; dangerous code is asked about even where nothing else is."""
        if isinstance(action, MalformedCall):
            return Verdict("allow")  # nothing of it runs
        ruled = self._rules.verdict(action)
        verdict = ruled or self._by_mode(action)
        if verdict.ruling == "deny":
            return verdict
        if not self._confined:
            verdict = Verdict("ask", "there is no sandbox here, so every block needs your yes")
        if ruled is None and (new := self._memory.unseen_secrets(action)):
            verdict = Verdict("ask", f"the model may see what is in {', '.join(sorted(new))}")
        if self._safe_mode == "auto":
            return self._scanned(action, verdict)
        offers = self._safe_mode == "ask" and isinstance(action, Code) and can_scan(action.language)
        return replace(verdict, offers_scan=offers) if verdict.ruling == "ask" else verdict

    def remember(self, action: Action, decision: Decision) -> None:
        """Learn from an answer that says "always"."""
        done = decision.edited or action
        if decision.answer == "always":
            self._memory.add(done)
        if decision.allows:
            self._memory.secrets |= _secret_files(done)

    def scan(self, action: Action) -> tuple[Finding, ...]:
        """What is dangerous in an action; safe mode "ask" offers this to the user."""
        if not isinstance(action, Code):
            return ()
        return full_scan(action, self._extra_scan)

    def _by_mode(self, action: Action) -> Verdict:
        if self._mode == "never":
            return Verdict("deny", "this session runs nothing; describe what you would do")
        if self._mode == "auto" or self._memory.covers(action):
            return Verdict("allow")
        return Verdict("ask")

    def _scanned(self, action: Action, verdict: Verdict) -> Verdict:
        findings = self.scan(action)
        if findings:
            reasons = "; ".join(f"line {f.line}: {f.reason}" for f in findings)
            return Verdict("ask", f"it may be dangerous: {reasons}", findings)
        if isinstance(action, Code) and not can_scan(action.language):
            return Verdict("ask", f"{action.language} cannot be scanned")
        return verdict


class AskFirst(Approvals):
    """Asks for every action, until the user says "always" about a kind of block."""

    def __init__(self) -> None:
        super().__init__("ask")


class RunAll(Approvals):
    """Allows every action: `auto_run`."""

    def __init__(self) -> None:
        super().__init__("auto")

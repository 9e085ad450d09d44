"""Who decides whether a block runs: the user's rules, then the mode, then safe mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from interpreter.policies.places import is_secret
from interpreter.policies.rules import Rules, canonical, facts_of
from interpreter.policies.scan.code_scan import SafeMode, can_scan, scan
from interpreter.policies.scan.command_words import Words
from interpreter.policies.scan.understood import may_change_words, plain_commands
from interpreter.protocol.actions import Asks, Decision, Finding, Verdict
from interpreter.protocol.messages import Action, ActionCall, Code, MalformedCall
from interpreter.protocol.visible import visible

Mode = Literal["ask", "auto", "never"]
_LONGEST_LINE = 80
ExtraScan = Callable[[str, str], tuple[Finding, ...]]


@dataclass(slots=True)
class _Memory:
    """What the user said "always" to in this session, and what its shell has become."""

    blocks: set[Action] = field(default_factory=set)
    commands: set[tuple[str, ...]] = field(default_factory=set)
    secrets: set[str] = field(default_factory=set)
    """Files with secrets that the user let a block use."""
    functions: set[str] = field(default_factory=set)
    """Functions of the host that code may call without a question."""
    shell_changed: bool = False
    """Whether a block ran after which the same words may do something else."""

    def add(self, action: Action) -> None:
        self.blocks.add(_without_call(action))
        self.commands |= {tuple(words) for words in _plain(action)}

    def unseen_secrets(self, action: Action) -> set[str]:
        return _secret_files(action) - self.secrets

    def covers(self, action: Action) -> bool:
        """Exactly what was shown, or shell code of no other commands than were shown."""
        if not self.blocks:
            return False
        commands = {tuple(words) for words in _plain(action)}
        known = bool(commands) and commands <= self.commands and not self.shell_changed
        return known or _without_call(action) in self.blocks

    def runs(self, action: Action) -> None:
        """A block is about to run."""
        if isinstance(action, Code) and canonical(action.language) == "shell":
            self.shell_changed = self.shell_changed or may_change_words(action.source)


def full_scan(action: Code, extra: ExtraScan | None) -> tuple[Finding, ...]:
    """What our scan and another one find in a block."""
    found = scan(action.language, action.source)
    return found if extra is None else found + extra(action.language, action.source)


def _secret_files(action: Action) -> set[str]:
    """Files of a block that hold secrets, such as ``.env``, judged by their names."""
    if not isinstance(action, Code):
        return set()
    return {path for path in facts_of(action).paths if is_secret(path)}


def _plain(action: Action) -> list[Words]:
    """The commands of a shell block in which nothing else happens."""
    if isinstance(action, Code) and canonical(action.language) == "shell":
        return plain_commands(action.source) or []
    return []


def _without_call(action: Action) -> Action:
    """What is the same however often the model proposes it."""
    match action:
        case Code(language, source):
            return Code(canonical(language), source)
        case ActionCall(tool, arguments):
            return ActionCall(tool, arguments)
    return action


def _in_a_line(action: Action) -> str:
    match action:
        case Code(language, source):
            first, *more = source.strip().splitlines() or [""]
            rest = f" (and {len(more)} more lines)" if more else ""
            return f"{language}: {first[:_LONGEST_LINE]}{rest}"
        case ActionCall(tool):
            return tool
    return ""


class Approvals:
    """The policy of a session.

    `confined` is False when there is no sandbox and the user has not confirmed that: then every
    block needs approval, whatever else is said. `unenforced` names the rules that nothing holds
    here: then code is asked about, too. `walled` is False where the user wants code to reach beyond
    its walls: no sandbox, or OS mode. `extra_scan` adds another scanner's findings. `suspicion`
    says why a block may have been dictated by what was read.
    """

    def __init__(
        self,
        mode: Mode = "ask",
        *,
        rules: Rules | None = None,
        safe_mode: SafeMode = "off",
        confined: bool = True,
        unenforced: str = "",
        walled: bool = True,
        extra_scan: ExtraScan | None = None,
        suspicion: Callable[[Action], str] = lambda action: "",
    ) -> None:
        self._mode = mode
        self._rules = rules or Rules()
        self._safe_mode = safe_mode
        self._confined = confined
        self._unenforced = unenforced
        self._walled = walled
        self._extra_scan = extra_scan
        self._suspicion = suspicion
        self._memory = _Memory()

    def review(self, action: Action) -> Verdict:
        """Judge one action; dangerous code is asked about even where nothing else is."""
        if isinstance(action, MalformedCall):
            return Verdict("allow")  # nothing of it runs
        verdict = self._judged(action)
        if verdict.ruling == "allow":
            self._memory.runs(action)
        return verdict

    def _judged(self, action: Action) -> Verdict:
        ruled = self._ruled(action)
        verdict = ruled or self._by_mode(action)
        if verdict.ruling == "deny":
            return verdict
        if not self._confined:
            verdict = Verdict("ask", "there is no sandbox here, so every block needs your yes")
        elif self._unenforced and isinstance(action, Code):
            verdict = Verdict("ask", " ".join(filter(None, (verdict.reason, self._unenforced))))
        if ruled is None and (new := self._memory.unseen_secrets(action)):
            verdict = Verdict("ask", f"the model may see what is in {', '.join(sorted(new))}")
        if ruled is None and not self._memory.covers(action) and (why := self._suspicion(action)):
            verdict = Verdict("ask", ". ".join(filter(None, (verdict.reason, why))))
        if self._safe_mode == "auto":
            return self._scanned(action, verdict)
        offers = self._safe_mode == "ask" and isinstance(action, Code) and can_scan(action.language)
        return replace(verdict, offers_scan=offers) if verdict.ruling == "ask" else verdict

    def _ruled(self, action: Action) -> Verdict | None:
        """What the rules say; words that were allowed may no longer be what they were."""
        ruled = self._rules.verdict(action)
        if ruled and ruled.ruling == "allow" and _plain(action) and self._memory.shell_changed:
            return None
        return ruled

    def remember(self, action: Action, decision: Decision) -> None:
        """Learn from an answer that says "always"."""
        done = decision.edited or action
        if decision.answer == "always":
            self._memory.add(done)
        if decision.allows:
            self._memory.runs(done)
            self._memory.secrets |= _secret_files(done)

    def allowed(self) -> tuple[str, ...]:
        """The blocks that are no longer asked about in this session, in a line each."""
        blocks = {visible(_in_a_line(one)) for one in self._memory.blocks}
        return tuple(sorted(blocks | self._memory.functions))

    def forget(self) -> None:
        """Ask about all of them again."""
        self._memory.blocks.clear()
        self._memory.commands.clear()
        self._memory.functions.clear()

    def review_call(self, call: ActionCall, *, asks: Asks) -> Verdict:
        """Judge one call of the host, made by code that has been judged before."""
        ruled = self._rules.verdict(call)
        if ruled and (ruled.ruling != "ask" or call.tool not in self._memory.functions):
            return ruled
        if self._mode == "never":
            return Verdict("deny", "this session runs nothing")
        leaves = asks == "from what was read" or (self._walled and asks == "even in auto")
        unasked = self._mode == "auto" and not leaves
        may = not asks or unasked or call.tool in self._memory.functions
        return Verdict("allow" if may else "ask")

    def remember_call(self, call: ActionCall, decision: Decision) -> None:
        """Let a function be called from now on, where the user says so."""
        if decision.answer in ("session", "always"):
            self._memory.functions.add(call.tool)

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
        if isinstance(action, Code) and action.to_compare and not self.scan(action):
            return Verdict("allow")  # nobody has read it, but nothing that it does can last
        return Verdict("ask")

    def _scanned(self, action: Action, verdict: Verdict) -> Verdict:
        findings = self.scan(action)
        if findings:
            reasons = "; ".join(f"line {f.line}: {visible(f.reason)}" for f in findings)
            return Verdict("ask", f"it may be dangerous: {reasons}", findings)
        if isinstance(action, Code) and not can_scan(action.language):
            return Verdict("ask", f"{action.language} cannot be scanned")
        return verdict

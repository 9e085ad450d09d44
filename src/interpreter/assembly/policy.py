"""Who decides about code: the mode, the user's rules and the scanners become a policy."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.messages import Action, ActionCall, Code
from interpreter.protocol.ports import Policy
from interpreter.protocol.system.program_rules import shown
from interpreter.session.budget import Ceiling
from interpreter.settings.paths import config_directory
from interpreter.settings.settings import Settings, fault

if TYPE_CHECKING:
    from interpreter.assembly.cell.environment import Environment
    from interpreter.checkpoints.gates.denied_paths import DeniedPath
    from interpreter.policies.approvals import Mode
    from interpreter.policies.origins import Origins
    from interpreter.policies.rules import Rules
    from interpreter.policies.scan.code_scan import SafeMode
    from interpreter.protocol.actions import Verdict
    from interpreter.protocol.system.program_rules import ProgramRule
    from interpreter.tools.guarded import Escalations


def make_policy(
    mode: str, settings: Settings, origins: Origins, *, confined: bool, unenforced: str = ""
) -> Policy:
    """The policy that settings ask for; ConfigurationError for what cannot be meant."""
    from interpreter.policies.approvals import Approvals
    from interpreter.policies.rules import load_rules
    from interpreter.policies.scan.semgrep import find_semgrep

    behind_proxy = confined and settings.sandbox in ("workspace", "read-only")
    return Approvals(
        cast("Mode", mode),  # checked when the session began
        rules=load_rules(rules_file(settings)),
        safe_mode=cast("SafeMode", settings.safe_mode),
        confined=confined,
        unenforced=unenforced,
        walled=settings.sandbox != "off" and (settings.os_dry or not settings.os),
        suspicion=partial(origins.of_code, walled=behind_proxy),
        extra_scan=find_semgrep(settings.directory()) if settings.safe_mode != "off" else None,
    )


class SessionPolicies:
    """One policy per way of deciding, so that what was always allowed stays so."""

    def __init__(self) -> None:
        self._made: dict[object, Policy] = {}

    def of(self, settings: Settings, environment: Environment) -> Policy:
        """The policy for blocks that run there under these settings."""
        mode = settings.approval or ("auto" if settings.auto_run else "ask")
        way = (mode, settings.safe_mode, settings.rules)
        if way not in self._made:
            self._made[way] = make_policy(
                mode,
                settings,
                environment.origins.get(),
                confined=not environment.session_cell.unconfined,
                unenforced=environment.unenforced(),
            )
        return self._made[way]


def check_policy(settings: Settings) -> None:
    """Find mistakes now rather than when the first block is proposed."""
    for name in ("approval", "safe_mode"):
        if problem := fault(name, getattr(settings, name)):
            raise ConfigurationError(problem)
    _rules_if_any(settings)


def _rules_if_any(settings: Settings) -> Rules | None:
    file = rules_file(settings)
    if not file.exists():
        return None
    from interpreter.policies.rules import load_rules

    return load_rules(file)


def rules_file(settings: Settings) -> Path:
    """The file with the user's rules; never one that code could write."""
    if not settings.rules:
        return config_directory() / "rules.toml"
    file = Path(settings.rules).expanduser().resolve()
    if not file.is_file():
        raise ConfigurationError(f"There is no file with rules at {str(file)!r}.")
    if file.is_relative_to(settings.directory()):
        raise ConfigurationError("Rules cannot be kept in the workspace, where code writes.")
    return file


class SessionRules:
    """The user's rules as limits: programs, paths and hosts are held where they are used."""

    def __init__(
        self, settings: Settings, escalations: Escalations, running: Callable[[], Action | None]
    ) -> None:
        self._settings = settings
        self._escalations = escalations
        self._running = running
        self._always: set[tuple[str, ...]] = set()
        self._file = Lazy(lambda: _rules_if_any(settings))

    @property
    def programs(self) -> tuple[ProgramRule, ...]:
        """Which programs may not be started, or are asked about."""
        return self._rules.programs if self._rules else ()

    @property
    def allows_hosts(self) -> bool:
        """Whether a rule lets code reach a host unasked."""
        return bool(self._rules and self._rules.allows_hosts)

    @property
    def denied_paths(self) -> tuple[DeniedPath, ...]:
        """What may not be changed, even where it appears only later."""
        if self._rules is None:
            return ()
        from interpreter.checkpoints.gates.denied_paths import DeniedPath
        from interpreter.policies.path_patterns import absolute, expression, literal_part

        whole = [(glob, absolute(glob, self._workspace)) for glob in self._rules.denied_paths]
        return tuple(DeniedPath(g, expression(path), literal_part(path)) for g, path in whole)

    def denied_places(self, granted: tuple[Path, ...]) -> tuple[Path, ...]:
        """What is there now of what a rule denies: the cell's view hides it."""
        if self._rules is None or not self._rules.denied_paths:
            return ()
        from interpreter.policies.path_patterns import found_places

        home = (Path.home(),) if self._settings.sandbox == "trusted" else ()
        system = map(Path, ("/usr", "/etc", "/opt"))
        visible = (self._workspace, *granted, *home, *system)
        return tuple(found_places(self._rules.denied_paths, self._workspace, visible))

    @property
    def _rules(self) -> Rules | None:
        return self._file.get()

    @property
    def _workspace(self) -> Path:
        return self._settings.directory().resolve()

    def host_verdict(self, host: str) -> Verdict | None:
        """What a rule says about a connection."""
        return self._rules.host_verdict(host) if self._rules else None

    def unenforced(self, *, confined: bool, journal: bool) -> str:
        """Which rules nothing holds, in a sentence."""
        if self._rules is None:
            return ""
        direct = self._settings.sandbox == "trusted"
        kinds = {
            "programs": bool(self._rules.programs) and not (confined and journal),
            "paths": bool(self._rules.denied_paths) and not confined,
            "hosts": self._rules.names_hosts and (direct or not confined),
        }
        missing = " and ".join(kind for kind, lacks in kinds.items() if lacks)
        if not missing:
            return ""
        return f"your rules about {missing} cannot be enforced here, so every block needs your yes"

    def ask_about_program(self, words: list[str], rule: str, why: str) -> bool:
        """Ask about a program that is about to start, unless the user was shown just that."""
        if tuple(words) in self._always or _is_shown(words, self._running()):
            return True
        call = ActionCall("start", json.dumps({"command": words}))
        reason = f"The rule `{rule}` asks about `{shown(words)}`, which this block starts"
        decision = self._escalations.ask(call, f"{reason}: {why}." if why else f"{reason}.")
        if decision.answer in ("session", "always"):
            self._always.add(tuple(words))
        return decision.allows


def _is_shown(words: list[str], running: Action | None) -> bool:
    """Whether a block that runs says literally this, so that its question was about it."""
    if not isinstance(running, Code):
        return False
    from interpreter.policies.rules import facts_of

    name = words[0].rsplit("/", 1)[-1] if words else ""
    said = (command for command in facts_of(running).commands if command)
    return any((c[0].rsplit("/", 1)[-1], *c[1:]) == (name, *words[1:]) for c in said)


def ceiling(settings: Settings) -> Ceiling:
    """What may be spent; a setting of 0 is no limit."""
    return Ceiling(
        dollars=settings.max_budget or None,
        tokens=settings.max_session_tokens or None,
        turn_dollars=settings.max_turn_budget or None,
        turn_tokens=settings.max_turn_tokens or None,
        requests=settings.max_session_steps or None,
        turn_seconds=settings.max_turn_seconds or None,
        session_seconds=settings.max_session_seconds or None,
    )

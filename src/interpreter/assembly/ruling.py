"""Who decides about code: the mode, the user's rules and the scanners become a policy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.ports import Policy
from interpreter.settings.paths import config_directory
from interpreter.settings.settings import Settings, fault

if TYPE_CHECKING:
    from interpreter.policies.approvals import Mode
    from interpreter.policies.code_scan import SafeMode


def make_policy(mode: str, settings: Settings, *, confined: bool) -> Policy:
    """The policy that settings ask for; ConfigurationError for what cannot be meant."""
    from interpreter.policies.approvals import Approvals
    from interpreter.policies.rules import load_rules
    from interpreter.policies.semgrep import find_semgrep

    return Approvals(
        cast("Mode", mode),  # checked when the session began
        rules=load_rules(rules_file(settings)),
        safe_mode=cast("SafeMode", settings.safe_mode),
        confined=confined,
        extra_scan=find_semgrep() if settings.safe_mode != "off" else None,
    )


def check_ruling(settings: Settings) -> None:
    """Find mistakes now rather than when the first block is proposed."""
    for name in ("approval", "safe_mode"):
        if problem := fault(name, getattr(settings, name)):
            raise ConfigurationError(problem)
    file = rules_file(settings)
    if file.exists():
        from interpreter.policies.rules import load_rules

        load_rules(file)


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

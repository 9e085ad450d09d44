"""Languages and a model of the user's own, from a profile in Python, for a factory."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from interpreter.protocol.messages import Code
from interpreter.settings.own import ProfileParts

if TYPE_CHECKING:
    from interpreter.assembly import SessionFactory


def own_parts() -> ProfileParts:
    """What a profile may fill."""
    return ProfileParts(_offered, _say, _choose_local)


def equip(factory: SessionFactory, own: ProfileParts) -> None:
    """Let a factory use what a profile brought along."""
    factory.use_completions(own.completions)
    if own.languages is not None:
        from interpreter.lmc.languages import OwnLanguages  # noqa: PLC0415  (few bring any)

        factory.choose_runtimes(OwnLanguages(own.languages).choose)


def run_first(factory: SessionFactory, own: ProfileParts) -> None:
    """Run what a profile wants to have run, once there is a session."""
    while own.first:
        for _ in factory.run(Code(*own.first.pop(0))):
            pass


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _choose_local() -> dict[str, Any]:
    from interpreter.terminal.subcommands.local_models import choose_local  # noqa: PLC0415  (asks servers)

    return choose_local()


def _offered() -> list[Any]:
    from interpreter.lmc.languages import built_in_languages  # noqa: PLC0415  (few ask for them)

    return built_in_languages()

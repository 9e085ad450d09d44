"""Languages and a model of the user's own, from a profile in Python, for a workshop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interpreter.settings.own import Own

if TYPE_CHECKING:
    from interpreter.assembly import Workshop


def own_parts() -> Own:
    """What a profile may fill."""
    return Own(_offered)


def equip(workshop: Workshop, own: Own) -> None:
    """Let a workshop use what a profile brought along."""
    workshop.use_completions(own.completions)
    if own.languages is not None:
        from interpreter.lmc.languages import OwnLanguages  # noqa: PLC0415  (few bring any)

        workshop.choose_runtimes(OwnLanguages(own.languages).choose)


def _offered() -> list[Any]:
    from interpreter.lmc.languages import built_in_languages  # noqa: PLC0415  (few ask for them)

    return built_in_languages()

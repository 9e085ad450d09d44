"""What a profile in Python brings along that is no setting: languages, and a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


class ProfileParts:
    """Filled while a profile runs; the languages to choose from are `offered`."""

    def __init__(
        self,
        offered: Callable[[], list[Any]] = list,
        say: Callable[[str], None] = lambda text: None,
        choose_local: Callable[[], dict[str, Any]] = dict,
    ) -> None:
        self.offered = offered
        self.say = say
        """Shows a sentence of the profile."""
        self.choose_local = choose_local
        """Picks a model of this machine; the settings that it needs."""
        self.first: list[tuple[str, str]] = []
        """Code that the profile runs: done as soon as there is a place for it."""
        self.languages: list[Any] | None = None
        """The languages as the profile left them; None where it changed nothing."""
        self.completions: Callable[..., Iterable[Any]] | None = None
        """Answers instead of the model."""

    @property
    def instructions(self) -> list[str]:
        """What the languages want the model to be told."""
        texts = (getattr(language, "system_message", "") for language in self.languages or ())
        return [str(text) for text in texts if text]

"""`computer.contacts` over .vcf files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from interpreter.desktop.personal.accounts import text_of
from interpreter.desktop.personal.ics import plain, unfolded
from interpreter.protocol.desktop import DesktopError

MISSING = "No contacts are named here: write their .vcf file into accounts.toml (docs/computer.md)."


class Contacts:
    """The user's address book."""

    def __init__(self, files: Callable[[], Sequence[Path]]) -> None:
        self._files = files

    def get_phone_number(self, name: str) -> str:
        """The first number of the one person of that name."""
        return self._one(name, "TEL", "telephone number")

    def get_email_address(self, name: str) -> str:
        """The first address of the one person of that name."""
        return self._one(name, "EMAIL", "mail address")

    def get_full_names_from_first_name(self, first_name: str) -> list[str]:
        """All whose names begin so."""
        wanted = first_name.casefold()
        return [
            card["FN"][0]
            for card in self._cards()
            if card["FN"][0].casefold().split()[:1] == [wanted]
        ]

    def _one(self, name: str, field: str, called: str) -> str:
        cards = list(self._cards())
        wanted = name.casefold()
        found = [card for card in cards if card["FN"][0].casefold() == wanted]
        found = found or [card for card in cards if wanted in card["FN"][0].casefold()]
        if len(found) > 1:
            listed = ", ".join(card["FN"][0] for card in found[:20])
            raise DesktopError(f"{name!r} is there {len(found)} times: {listed}. Say which.")
        if not found or field not in found[0]:
            raise DesktopError(f"There is no {called} of {name!r}.")
        return found[0][field][0]

    def _cards(self) -> Iterator[dict[str, list[str]]]:
        files = self._files()
        if not files:
            raise DesktopError(MISSING)
        for file in files:
            card: dict[str, list[str]] = {}
            for line in unfolded(text_of(file)):
                name, _, value = line.partition(":")
                word = name.partition(";")[0].rpartition(".")[2].upper()
                if word == "BEGIN":
                    card = {}
                elif word == "END" and "FN" in card:
                    yield card
                elif value.strip():
                    card.setdefault(word, []).append(plain(value).removeprefix("tel:").strip())

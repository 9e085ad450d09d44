"""Write web/src/visible-table.ts: what `protocol.visible` knows of each character, for the page."""

import sys
import unicodedata
from itertools import groupby
from pathlib import Path

from interpreter.protocol import visible

TARGET = Path(__file__).parents[1] / "web" / "src" / "visible-table.ts"
SCRIPTS = sorted(visible.SCRIPTS)

Facts = tuple[int, int, str]
"""Flags, the script's place in SCRIPTS from 1 (0: another), the direction."""


def typescript() -> str:
    """The whole file: kinds of characters, and how many of which kind follow one another."""
    runs = [(facts, len(list(run))) for facts, run in groupby(range(sys.maxunicode + 1), _facts)]
    kinds = sorted({facts for facts, _ in runs})
    packed = ",".join(
        f"{kinds.index(facts):x}" + (f":{length:x}" if length > 1 else "") for facts, length in runs
    )
    lines = [
        "// Written by scripts/visible_table.py from src/interpreter/protocol/visible.py.",
        f"export const SCRIPTS = {_list(SCRIPTS)};",
        f"export const BESIDE_ANY = {_list(sorted(visible.BESIDE_ANY))};",
        f'export const LOOKALIKES = "{_characters(visible.LOOKALIKES)}";',
        f'export const IN_FORMULAS = "{_characters(visible.IN_FORMULAS)}";',
        "/** Flags (1 plain, 2 sign on a letter, 4 letter, 8 in a word), direction, script. */",
        f'export const KINDS = "{";".join(f"{a}{d}{s}" for a, s, d in kinds)}";',
        "/** Kinds of all characters in order, by number, with how many follow; hexadecimal. */",
        f'export const RUNS = "{packed}";',
    ]
    return "\n".join([*lines, ""])


def _facts(number: int) -> Facts:
    character = chr(number)
    script = visible.script_of(character)
    flags = (
        visible.is_plain(character),
        unicodedata.category(character)[0] == "M",
        character.isalpha(),
        character.isalnum() and not character.isdecimal(),
    )
    return (
        sum(flag << place for place, flag in enumerate(flags)),
        SCRIPTS.index(script) + 1 if script in SCRIPTS else 0,
        visible.direction_of(character) if flags[0] else "L",  # as a mark stands
    )


def _characters(some: frozenset[str]) -> str:
    return "".join(f"\\u{ord(one):04x}" for one in sorted(some))


def _list(words: list[str]) -> str:
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"


if __name__ == "__main__":
    TARGET.write_text(typescript(), encoding="utf-8")

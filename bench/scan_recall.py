"""Print what safe mode finds in labelled blocks: python -m bench.scan_recall [SET ...]."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from interpreter.policies.scan.code_scan import scan

BLOCKS = Path(__file__).parents[1] / "tests" / "policies" / "blocks"
_BLOCK = re.compile(r"^### (\S+).*\n((?:(?!### ).*\n?)*)", re.MULTILINE)


def blocks(name: str) -> list[tuple[str, str]]:
    """Language and source of the blocks in a set."""
    return _BLOCK.findall((BLOCKS / f"{name}.txt").read_text())


def main(names: list[str]) -> None:
    """One line per set; with names, also what was missed or wrongly found."""
    every = sorted(path.stem.removesuffix("-dangerous") for path in BLOCKS.glob("*-dangerous.txt"))
    for name in names or every:
        dangerous, harmless = blocks(f"{name}-dangerous"), blocks(f"{name}-harmless")
        missed = [block for block in dangerous if not scan(*block)]
        alarms = [block for block in harmless if scan(*block)]
        found = len(dangerous) - len(missed)
        print(f"{name:10} found {found} of {len(dangerous)}", end=", ")
        print(f"false alarms {len(alarms)} of {len(harmless)}")
        for kind, wrong in (("missed", missed), ("false alarm", alarms)) if names else ():
            for language, source in wrong:
                print(f"--- {kind} ({language})\n{source.rstrip()}")


if __name__ == "__main__":
    main(sys.argv[1:])

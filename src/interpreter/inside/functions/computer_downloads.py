"""`computer.browser.downloads` where code runs: so a download is one of the block's own changes."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

_brought: dict[str, str] = {}


def downloads() -> list[str]:
    """Bring what was downloaded into the current directory; all of it, in the order of coming."""
    host = sys.modules.get("host_calls") or sys.modules["__main__"]
    arrived: list[str] = host.call("computer.browser.arrived")
    for place in arrived:
        if place not in _brought:
            _brought[place] = str(_copied(Path(place)))
    return [_brought[place] for place in arrived]


def _copied(place: Path) -> Path:
    number = 0
    while True:
        target = Path.cwd() / (f"{number}-{place.name}" if number else place.name)
        try:
            with target.open("xb") as new, place.open("rb") as file:
                shutil.copyfileobj(file, new)
        except FileExistsError:
            number += 1
        else:
            return target

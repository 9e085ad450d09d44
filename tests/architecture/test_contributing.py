"""CONTRIBUTING tells a newcomer where things are: every path that it names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()


def test_every_path_it_names_exists():
    named = set(re.findall(r"`((?:src|tests|scripts|docs|bench)/[\w./-]+)`", PAGE))
    named.discard("src/interpreter/server/page/")  # made by `make page`
    named |= {
        f"src/interpreter/{path}"
        for path in re.findall(r"\b[a-z]+/[a-z_/]+\.py", PAGE.split("```")[1])
    }
    assert len(named) > 20
    built = {"src/interpreter/server/page/"}  # by `make page`, and not committed
    assert {path for path in named - built if not (ROOT / path).exists()} == set()


def test_every_room_stands_on_a_floor():
    rooms = {p.name for p in (ROOT / "src/interpreter").iterdir() if (p / "__init__.py").exists()}
    floors = PAGE.split("### Ten words")[0]
    assert {room for room in rooms if f"`{room}" not in floors} == set()

"""A new event that nobody handles fails the type check, in every place that takes in events."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TAKERS = (
    "terminal/live_face.py",
    "terminal/plain_face.py",
    "lmc/chunks.py",
    "facade/notebook/face.py",
    "facade/typed/result.py",
    "facade/compatible/narration.py",
)
GROUPS = ("ModelEvent", "RuntimeEvent", "TurnEvent")


def with_new_events(text):
    """The module of events with one more in each group."""
    for group in GROUPS:
        start = text.index(f"\n{group} = ") + 1
        rest = text[start:].removeprefix(f"{group} = ")
        made = f"@frozen\nclass New{group}:\n    text: str\n\n\n"
        text = f"{text[:start]}{made}{group} = New{group} | {rest}"
    return text


def test_an_event_that_nobody_handles_fails_the_types(tmp_path):
    copy = tmp_path / "src" / "interpreter"
    shutil.copytree(ROOT / "src/interpreter", copy, ignore=shutil.ignore_patterns("__pycache__"))
    file = copy / "protocol" / "events.py"
    file.write_text(with_new_events(file.read_text(encoding="utf-8")), encoding="utf-8")
    takers = [f"src/interpreter/{taker}" for taker in TAKERS]
    config = ["--config-file", ROOT / "pyproject.toml", "--cache-dir", tmp_path / "cache"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *config, "--follow-imports=silent", *takers],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=280,
    )
    complaints = {
        (taker, group)
        for line in done.stdout.splitlines()
        for taker in TAKERS
        for group in GROUPS
        if line.startswith(f"src/interpreter/{taker}:") and f"New{group}" in line
    }
    assert complaints == {(taker, group) for taker in TAKERS for group in GROUPS}, done.stdout

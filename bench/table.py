"""Measure commands and print tables."""

import os
import statistics
import subprocess
import time
from pathlib import Path


def seconds(action, *, times=15):
    """The time of an action in seconds: the least of several, which noise disturbs least."""
    return min(_once(action) for _ in range(times))


def median(action, *, times=50):
    """The median time of an action in seconds."""
    return statistics.median(_once(action) for _ in range(times))


def _once(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def command(*argv, **options):
    """An action that runs a command to its end."""

    def run():
        subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, **options)

    return run


def as_users_have_it(home):
    """The environment of a program that starts in an empty home, as it is installed by users: its
    bytecode is kept, and there is no trio, which only packages for tests bring along, and which
    httpcore imports where it finds it (90 ms)."""
    stub = Path(home) / "without"
    stub.mkdir(exist_ok=True)
    (stub / "trio.py").write_text("raise ImportError('not here')\n")
    places = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), str(home))
    environ = {**os.environ, **places, "PYTHONPATH": str(stub)}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    return environ


def show(title, rows):
    """Print rows of (what, measured, baseline or limit, remark)."""
    print(f"\n{title}")
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print(
            "  "
            + "  ".join(
                str(cell).ljust(width) for cell, width in zip(row, widths, strict=True)
            ).rstrip()
        )

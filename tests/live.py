"""Live runtimes for tests, and short words for what they say."""

import os
import threading
import time
from contextlib import contextmanager
from pathlib import Path

from interpreter.protocol.events import DisplayShown, ExecutionFinished, Notice, OutputDelta
from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox
from interpreter.sandboxes.backends.none import OpenCell
from interpreter.sandboxes.confinement import Confinement, interpreter_places


def walled(workspace: Path):
    """A cell with walls, as users have it."""
    confinement = Confinement(programs=interpreter_places())
    return BubblewrapSandbox(confinement, os.environ).open(workspace)


@contextmanager
def live(factory, workspace: Path, *options, open_cell=OpenCell):
    """A runtime in a cell, without walls unless they are asked for; closed at the end."""
    cell = open_cell(workspace)
    runtime = factory(cell.launch, cell.exchange, *options)
    try:
        yield runtime
    finally:
        runtime.close()
        cell.close()


def run(runtime, source, **options):
    """All events of a block."""
    return list(runtime.run(source, **options))


def end_of(events) -> ExecutionFinished:
    assert isinstance(events[-1], ExecutionFinished)
    return events[-1]


def printed(events, stream=None) -> str:
    """What a block printed, on one stream or both."""
    return "".join(
        event.text
        for event in events
        if isinstance(event, OutputDelta) and stream in (None, event.stream)
    )


def noticed(events) -> str:
    return "\n".join(event.text for event in events if isinstance(event, Notice))


def shown(events) -> list[str]:
    """The short texts of what a block showed."""
    return [event.display.text for event in events if isinstance(event, DisplayShown)]


def said(runtime, source) -> str:
    """What a block prints and shows, when all goes well."""
    events = run(runtime, source)
    assert end_of(events).outcome == "ok", events
    return (printed(events) + "".join(shown(events))).strip()


def interrupt_once_it_prints(runtime, source):
    """Run a block that prints when it is under way, and interrupt it then."""
    blocks = runtime.run(source)
    events = []
    while "under way" not in printed(events):
        events.append(next(blocks))
    threading.Thread(target=runtime.interrupt).start()
    return [*events, *blocks]


def wait_until(condition, seconds=20.0):
    """Wait for something that must happen soon."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        threading.Event().wait(0.01)


def is_running(pid) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in ("Z", "X")

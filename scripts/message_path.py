"""Follow one message with one block of Python from the prompt to the screen.

Prints how many modules of ours work on it, how often one of them calls another, and how often such
a call leaves a room (a package under `interpreter/`): the fewer doors, the better. A chat in a live
terminal has answered one message before; the second one counts, in all threads. `--doors` lists the
calls between rooms, `--modules` the modules, both with their numbers.
"""

from __future__ import annotations

import argparse
import io
import os
import pty
import sys
import tempfile
import threading
from collections import Counter
from contextlib import closing, redirect_stdout
from dataclasses import replace
from pathlib import Path
from types import FrameType

from interpreter.models.scripted import ScriptedModel
from interpreter.settings.settings import Settings
from interpreter.terminal.opening import open_chat
from interpreter.terminal.start import ChatPlan

ROOT = f"{Path(__file__).parents[1] / 'src' / 'interpreter'}/"
REPLIES = [{"text": "I add them.", "code": "print(1 + 1)"}, "It is two."]
GOALS = {"modules": 70, "room crossings": 120}


class Trace:
    """Counts calls between modules; a generator that goes on is not called again."""

    def __init__(self) -> None:
        self.modules: Counter[str] = Counter()
        self.calls: Counter[tuple[str, str]] = Counter()
        self.resumed: Counter[tuple[str, str]] = Counter()
        self._seen: set[int] = set()
        self._generators: list[FrameType] = []  # kept, so that no other frame gets their number

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """What sys.setprofile calls."""
        module = _module(frame)
        if event != "call" or not module:
            return
        self.modules[module] += 1
        caller: FrameType | None = frame.f_back
        while caller is not None and not _module(caller):
            caller = caller.f_back
        if caller is None or _module(caller) == module:
            return
        door = (_module(caller), module)
        self.resumed[door] += 1
        if id(frame) not in self._seen:
            self.calls[door] += 1
        if frame.f_code.co_flags & 0x20:  # a generator
            self._seen.add(id(frame))
            self._generators.append(frame)


def _module(frame: FrameType) -> str:
    file = frame.f_code.co_filename
    return file.removeprefix(ROOT).removesuffix(".py") if file.startswith(ROOT) else ""


def _between_rooms(doors: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    def room(module: str) -> str:
        return module.partition("/")[0]

    return Counter({door: n for door, n in doors.items() if room(door[0]) != room(door[1])})


def trace() -> Trace:
    """The path of a message."""
    found = Trace()
    with tempfile.TemporaryDirectory() as home, redirect_stdout(io.StringIO()):
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
            os.environ[name] = home
        (Path(home) / "work").mkdir()
        os.chdir(Path(home) / "work")
        os.dup2(pty.openpty()[1], 0)
        plan = ChatPlan(Settings(model="scripted/demo", auto_run=True))
        with closing(open_chat(plan)) as chat:
            model = ScriptedModel(REPLIES, repeat=True)
            chat.session.engine = replace(chat.session.engine, model=model)
            chat.handle("Add one and one.")
            threading.setprofile(found)
            sys.setprofile(found)
            chat.handle("Once more.")
            sys.setprofile(None)
            threading.setprofile(None)
        os.chdir("/")
    return found


def main() -> None:
    """Print the numbers."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--doors", action="store_true")
    options.add_argument("--modules", action="store_true")
    wanted = options.parse_args()
    found = trace()
    rooms, resumed = _between_rooms(found.calls), _between_rooms(found.resumed)
    numbers = {
        "modules": len(found.modules),
        "module switches": found.calls.total(),
        "room crossings": rooms.total(),
        "the same, with every generator that goes on": resumed.total(),
    }
    for name, number in numbers.items():
        print(f"{number:5} {name}" + (f" (goal {GOALS[name]})" if name in GOALS else ""))
    for (start, end), number in rooms.most_common() if wanted.doors else ():
        print(f"{number:5} {start} -> {end}")
    for module, number in found.modules.most_common() if wanted.modules else ():
        print(f"{number:5} {module}")


if __name__ == "__main__":
    main()

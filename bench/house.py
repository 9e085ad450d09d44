"""How fast the house opens its door: start, import, first event, and turns that stay cheap."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.table import as_users_have_it, command, seconds, show

BIN = Path(sys.executable).parent
FIRST_EVENT = "- text: Hello.\n"


def main():
    rows = [("what", "measured", "baseline", "ratio", "goal")]
    rows += [_version(), _import(), _modules()]
    rows += [_first_event(), *_turns()]
    show("The house", rows)


def _row(what, measured, baseline, goal, unit="ms"):
    ratio = f"{measured / baseline:.2f}"
    return (what, f"{measured:.1f} {unit}", f"{baseline:.1f} {unit}", ratio, goal)


def _version():
    bare = seconds(command(sys.executable, "-I", "-c", "pass")) * 1000
    ours = seconds(command(BIN / "interpreter", "--version")) * 1000
    return _row("interpreter --version", ours, bare, "<= 3 x python -I -c pass")


def _import():
    bare = seconds(command(sys.executable, "-c", "pass")) * 1000
    ours = seconds(command(sys.executable, "-c", "from interpreter import __version__")) * 1000
    return _row("import interpreter", ours, bare, "<= 1.5 x python -c pass")


def _modules():
    code = "import sys; a = set(sys.modules); import interpreter; print(*(set(sys.modules) - a))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    foreign = {name for name in out.stdout.split() if not name.startswith("interpreter")}
    foreign = {name for name in foreign if name.split(".")[0] not in sys.stdlib_module_names}
    return ("third-party modules imported", len(foreign), "-", "-", "0")


def _first_event():
    """From the start of the process to the first event of a turn, the kernel starting meanwhile."""
    with tempfile.TemporaryDirectory() as home:
        script = Path(home) / "script.yaml"
        script.write_text(FIRST_EVENT)
        argv = [BIN / "interpreter", "--json", "--model", f"scripted/{script}", "hi"]
        measured = min(_until_first_line(argv, home) for _ in range(7)) * 1000
    bare = seconds(command(sys.executable, "-c", "pass")) * 1000
    return _row("process start to first event", measured, bare, "<= 120 ms on an idle machine")


def _until_first_line(argv, home):
    start = time.perf_counter()
    env = as_users_have_it(home)
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, env=env, stdin=subprocess.DEVNULL)
    first = process.stdout.readline()
    took = time.perf_counter() - start
    assert json.loads(first)["type"] == "TextDelta", first
    process.communicate()
    return took


def _turns():
    """Host time per turn with a model that answers at once: does it grow with the history?

    CPU time of this process, the median of 40 turns: other work on the machine does not count.
    """
    from interpreter.assembly import SessionFactory
    from interpreter.models.scripted import ScriptedModel
    from interpreter.protocol.actions import Decision
    from interpreter.protocol.ports import nobody_answers
    from interpreter.settings.settings import Settings

    with tempfile.TemporaryDirectory() as home:
        os.environ["XDG_DATA_HOME"] = home
        settings = Settings(model="scripted/demo", auto_run=True)
        factory = SessionFactory(settings, lambda request: Decision("yes"), nobody_answers)
        session = factory.open_session(settings)
        model = ScriptedModel([{"text": "Adding.", "code": "1 + 1"}, "Two."], repeat=True)
        session.engine = _with(session.engine, model=model)
        times = [_turn(session) for _ in range(1020)]
        factory.close()
    early, late = (sorted(part)[len(part) // 2] for part in (times[5:45], times[980:1020]))
    return [_row("host CPU of turn 1,000 against turn 10", late * 1000, early * 1000, "<= 1.2")]


def _with(engine, **changes):
    from dataclasses import replace

    return replace(engine, **changes)


def _turn(session):
    start = time.process_time()
    for _ in session.send("Add."):
        pass
    return time.process_time() - start


if __name__ == "__main__":
    main()

"""The library: import, first chunk, and a long history that stays cheap."""

import os
import sys
import tempfile
import time
from pathlib import Path

from bench.table import command, seconds, show


def main():
    rows = [("what", "measured", "baseline", "ratio", "goal")]
    rows += [_import(), *_first_chunk(), *_history()]
    show("The library", rows)


def _row(what, measured, baseline, goal, unit="ms"):
    ratio = f"{measured / baseline:.2f}"
    return (what, f"{measured:.3f} {unit}", f"{baseline:.3f} {unit}", ratio, goal)


def _import():
    bare = seconds(command(sys.executable, "-c", "pass")) * 1000
    line = "from interpreter import interpreter"
    ours = seconds(command(sys.executable, "-c", line)) * 1000
    return _row(line, ours, bare, "<= 1.5 x python -c pass")


def _first_chunk():
    """From `chat` to the first chunk: the first chat, and one in a session that is open."""
    from interpreter import OpenInterpreter

    first, warm = [], []
    with tempfile.TemporaryDirectory() as home:
        os.environ["XDG_DATA_HOME"] = os.environ["XDG_CONFIG_HOME"] = home
        script = Path(home) / "script.yaml"
        script.write_text("repeat: true\nreplies: [Hello.]\n")
        for _ in range(7):
            interpreter = OpenInterpreter()
            interpreter.llm.model = f"scripted/{script}"
            first.append(_until_first_chunk(interpreter))
            warm.append(_until_first_chunk(interpreter))
            interpreter.close()
    bare = seconds(command(sys.executable, "-c", "pass")) * 1000
    return [
        _row("first chat to first chunk", min(first) * 1000, bare, "<= 150 ms"),
        _row("next chat to first chunk", min(warm) * 1000, bare, "-"),
    ]


def _until_first_chunk(interpreter):
    start = time.perf_counter()
    chunks = interpreter.chat("hi", display=False, stream=True)
    next(chunks)
    took = time.perf_counter() - start
    for _ in chunks:
        pass
    return took


def _history():
    """Append to and view `messages` at 10 and at 10,000; and a turn at both, kept or not."""
    times = {}
    with tempfile.TemporaryDirectory() as home:
        os.environ["XDG_DATA_HOME"] = os.environ["XDG_CONFIG_HOME"] = home
        script = Path(home) / "script.yaml"
        script.write_text("repeat: true\nreplies: [Hello.]\n")
        for size in (10, 10_000):
            times[size] = (*_at(size, script, kept=False), _at(size, script, kept=True)[2])
    names = ("append", "view", "turn", "turn that is saved")
    goals = ("~1 (O(1))", "~1 (O(1))", "-", "-")
    return [
        _row(f"{name} at 10,000 messages against 10", late, early, goal)
        for name, late, early, goal in zip(names, times[10_000], times[10], goals, strict=True)
    ]


def _at(size, script, *, kept):
    from interpreter import OpenInterpreter

    said = {"role": "user", "type": "message", "content": "hi"}
    messages = [dict(said) for _ in range(size)]
    interpreter = OpenInterpreter(messages=messages, conversation_history=kept)
    interpreter.llm.model = f"scripted/{script}"
    interpreter.chat("hi", display=False)
    append = seconds(lambda: interpreter.messages.append(said), times=200)
    view = seconds(lambda: interpreter.messages[-1]["content"], times=200)
    interpreter.chat("hi", display=False)
    turn = seconds(lambda: interpreter.chat("hi", display=False), times=15)
    interpreter.close()
    return append * 1000, view * 1000, turn * 1000


if __name__ == "__main__":
    main()

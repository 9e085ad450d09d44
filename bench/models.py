"""The model layer: time to the first request, cost per delta, prompt size, prefixes, interrupts."""

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import bench._first_request as first_request
from bench.table import as_users_have_it, command, seconds, show
from interpreter.models.dialects.arguments import ArgumentsReader
from interpreter.models.dialects.text_reply import TextReply
from interpreter.models.dialects.toolbox import toolbox_of
from interpreter.models.names import resolve
from interpreter.models.options import ModelOptions
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import ActionResult, Code, Message, Output, Text, user_says
from interpreter.protocol.ports import Capabilities
from interpreter.session.request.context import Context
from support.model_server import ModelServer, Raw, called, chunk, said
from support.talking import EXECUTE, request
from support.tiny_model import tiny_model

BIN = Path(sys.executable).parent


def main():
    rows = [("what", "measured", "baseline", "ratio", "goal")]
    rows += [*_first_request(), _reading_arguments(), _reading_text(), _delta()]
    rows += [_prompt(), _prefix(), *_turns(), _interrupt()]
    show("Models", rows)


def _first_request():
    bare = seconds(command(sys.executable, "-c", "pass"), times=7)
    with socket.socket() as door, tempfile.TemporaryDirectory() as home:
        door.bind(("127.0.0.1", 0))
        door.listen()
        url = f"http://127.0.0.1:{door.getsockname()[1]}/v1"
        argv = [BIN / "interpreter", "--json", "--model", "openai/x", "--api_base", url, "hi"]
        runs = [_until_first_byte(argv, door, home) for _ in range(7)]
    goal = "<= 150 ms idle"
    measured, used = min(took for took, _ in runs), min(used for _, used in runs)
    return [
        _row("process start to first byte of first request", measured, bare, goal),
        ("CPU time until then", f"{used * 1000:.0f} ms", "-", "-", "-"),
    ]


def _until_first_byte(argv, door, home):
    start = time.perf_counter()
    environ = as_users_have_it(home)
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(argv, stdin=nothing, stdout=nothing, stderr=nothing, env=environ)
    door.settimeout(30)
    connection, _ = door.accept()
    connection.recv(1)
    took = time.perf_counter() - start
    used = _cpu_seconds(process.pid)
    process.kill()
    process.wait()
    connection.close()
    return took, used


def _cpu_seconds(pid):
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _reading_arguments():
    text = json.dumps({"language": "python", "code": "x = f(1, 'two')  # three\n" * 37_000})
    start = time.process_time()
    json.loads(text)
    once = time.process_time() - start
    reader, start = ArgumentsReader(), time.process_time()
    for at in range(0, len(text), 4):
        reader.feed(text[at : at + 4])
    took = (time.process_time() - start) * 1_000_000 / len(text)
    return _row("1 MB of arguments, 4 bytes at a time", took, once, "< 1 s")


def _reading_text():
    text = "```python\n" + "x = f(1, 'two')  # three\n" * 40_000 + "```\n"
    start = time.process_time()
    whole = TextReply(toolbox_of((EXECUTE,)))
    whole.feed(text)
    once = time.process_time() - start
    reader, start = TextReply(toolbox_of((EXECUTE,))), time.process_time()
    for at in range(0, len(text), 4):
        reader.feed(text[at : at + 4])
    return _row("1 MB in a fence, 4 bytes at a time", time.process_time() - start, once, "-")


def _delta():
    """Host time per delta, from bytes on a socket to our event."""
    count = 20_000
    whole = b"".join([chunk({"content": "word "})] * count)
    pieces = [whole[at : at + 16_384] for at in range(0, len(whole), 16_384)]
    payload = [line[6:] for line in whole.split(b"\n") if line]
    start = time.process_time()
    for data in payload:
        json.loads(data)
    bare = (time.process_time() - start) / count
    server = ModelServer()
    server.replies = [Raw([*pieces, chunk(finish="stop")])]
    model = _model(server)
    start = time.process_time()
    sum(1 for _ in model.stream(request(), Interrupt()))
    took = (time.process_time() - start) / count
    model.close()
    server.close()
    return _row("CPU per delta (server included)", took, bare, "<= 50 µs", unit="µs")


def _prompt():
    """System text and tools of the first request, by the same tokenizer."""
    model = tiny_model()
    if model is None:
        return ("tokens of the first request", "-", "-", "-", "no model to count with")
    with first_request.tokenizer(model) as count:
        tokens = sum(map(count, first_request.ours()))
        caught = first_request.theirs()
        baseline = sum(map(count, caught)) if caught else first_request.RECORDED
    who = f"{baseline} (Open Interpreter, {'caught now' if caught else 'recorded'})"
    ratio = f"{tokens / baseline:.2f}"
    return ("tokens of the first request", f"{tokens}", who, ratio, "<= 350, 0.4")


def _prefix():
    server = ModelServer()
    server.replies = [said("ok")]
    model, history = _model(server), [user_says("start")]
    for turn in range(50):
        list(model.stream(request(*history), Interrupt()))
        history += _step(turn)
    bodies = [seen.body.removesuffix(b"]}") for seen in server.requests]
    kept = sum(b.startswith(a) for a, b in zip(bodies, bodies[1:], strict=False))
    model.close()
    server.close()
    return ("requests that begin with the one before", f"{kept} of 49", "-", "-", "all")


def _turns():
    """What a request costs the host early and late in a session of 200 turns."""
    server = ModelServer()
    server.replies = [called(("execute", '{"language":"python","code":"1"}'))]
    model, history, times = _model(server), [user_says("start")], []
    context = Context(Capabilities(context_window=1_000_000))
    for turn in range(200):
        start = time.process_time()
        asked = context.prepare("Be brief.", (EXECUTE,), history)
        for event in model.stream(asked, Interrupt()):
            context.learn(getattr(event, "usage", None))
        times.append(time.process_time() - start)
        history += _step(turn)
    model.close()
    server.close()
    early, late = statistics.median(times[:20]), statistics.median(times[180:])
    return [_row("CPU of one request, turns 180-200 against 1-20", late, early, "flat")]


def _interrupt():
    server = ModelServer()
    server.replies = [said("One", ending="silence")]
    model = _model(server)
    worst = max(_until_stopped(model) for _ in range(5))
    model.close()
    server.close()
    return (
        "interrupt to end of the stream, worst of 5",
        f"{worst * 1000:.1f} ms",
        "-",
        "-",
        "<= 200 ms",
    )


def _until_stopped(model):
    interrupt, asked = Interrupt(), []
    stream = model.stream(request(), interrupt)
    next(stream)

    def stop():
        asked.append(time.perf_counter())
        interrupt.request()

    timer = threading.Timer(0.2, stop)
    timer.start()
    list(stream)
    took = time.perf_counter() - asked[0]
    timer.join()
    return took


def _step(turn):
    call = f"c{turn}"
    yield Message("assistant", (Text("Next."), Code("python", f"x = {turn}", call)))
    yield Message("computer", (Output("line of output\n" * 20), ActionResult(call, "ok")))


def _model(server):
    return resolve("openai/x", ModelOptions(api_base=server.url, api_key="k"))


def _row(what, measured, baseline, goal, unit="ms"):
    scale = 1_000_000 if unit == "µs" else 1_000
    ratio = f"{measured / baseline:.1f}"
    return (what, f"{measured * scale:.1f} {unit}", f"{baseline * scale:.1f} {unit}", ratio, goal)


if __name__ == "__main__":
    main()

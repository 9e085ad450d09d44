"""How fast blocks run: against a bare jupyter_client loop, and against fixed goals."""

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from bench.table import show
from interpreter.protocol.events import DisplayShown, OutputDelta
from interpreter.runtimes.kernel.python import PythonOptions, python_kernel
from interpreter.runtimes.process.node import javascript
from interpreter.runtimes.process.shell import bash
from interpreter.sandboxes.backends.none import OpenCell

BLOCKS = 200
LINES = 100_000
PRINTING = f"for i in range({LINES}): print(i)"
LOOP = """
import time
def work():
    total = 0
    for i in range(1_000_000): total += i
    return total
start = time.perf_counter()
for i in range(3): work()
time.perf_counter() - start
"""


def main():
    rows = [("what", "measured", "baseline", "ratio", "goal")]
    with bare_kernel() as bare, live(python_kernel) as python:
        rows.append(_ratio("Python, one block", python_block(python), bare_block(bare), "<= 1.5"))
        rows.append(_ratio("Python, 100k lines", python_lines(python), bare_lines(bare), "<= 1.5"))
    rows.append(_ratio("Python, ready", ready(python_kernel), bare_ready(), "<= 1.2"))
    rows.append(_ratio("Python, a loop with active line", *active_line(), "<= 1.05"))
    rows.append(_goal("Python, first output seen after", first_output(python_kernel), 50))
    for name, factory, block, start in (("shell", bash, 3, 60), ("JavaScript", javascript, 3, 150)):
        with live(factory) as runtime:
            rows.append(_goal(f"{name}, one block", python_block(runtime, ""), block))
        rows.append(_goal(f"{name}, ready", ready(factory), start))
    rows.append(_ratio("JavaScript, ready, to node -e 0", ready(javascript), bare_node(), ""))
    rows.append(_memory())
    show("Runtimes", rows)


@contextmanager
def live(factory, *options):
    with tempfile.TemporaryDirectory() as workspace:
        cell = OpenCell(Path(workspace))
        runtime = factory(cell.launch, cell.exchange, *options)
        try:
            yield runtime
        finally:
            runtime.close()
            cell.close()


@contextmanager
def bare_kernel():
    from jupyter_client.manager import KernelManager

    with tempfile.TemporaryDirectory() as directory:
        manager = KernelManager(transport="ipc", connection_file=f"{directory}/k.json")
        manager.ip = f"{directory}/k"
        manager.start_kernel()
        client = manager.blocking_client()
        client.start_channels()
        client.wait_for_ready(timeout=60)
        try:
            yield client
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


def python_block(runtime, source="pass"):
    list(runtime.run(source))
    return _median(lambda: list(runtime.run(source)))


def bare_block(client):
    quiet = {"output_hook": lambda message: None, "timeout": 60}
    client.execute_interactive("pass", **quiet)
    return _median(lambda: client.execute_interactive("pass", **quiet))


def python_lines(python):
    return _best(lambda: sum(len(e.text) for e in python.run(PRINTING) if hasattr(e, "text")))


def bare_lines(client):
    printed = []
    return _best(
        lambda: client.execute_interactive(PRINTING, output_hook=printed.append, timeout=120)
    )


def ready(factory):
    """From nothing to the end of the first block."""
    return min(_first_block(lambda: live(factory), lambda it: list(it.run(""))) for _ in range(5))


def bare_ready():
    def run(client):
        client.execute_interactive("pass", timeout=60)

    return min(_first_block(bare_kernel, run) for _ in range(5))


def _first_block(opened, run):
    start = time.perf_counter()
    with opened() as runtime:
        run(runtime)
        return time.perf_counter() - start


def bare_node():
    return min(_time(lambda: subprocess.run(["node", "-e", "0"], check=True)) for _ in range(5))


def active_line():
    with (
        live(python_kernel, PythonOptions(active_line=True)) as watched,
        live(python_kernel, PythonOptions(active_line=False)) as plain,
    ):
        both = [(_shown(watched, LOOP), _shown(plain, LOOP)) for _ in range(30)]
    return tuple(min(column) for column in zip(*both, strict=True))


def _shown(python, source):
    (text,) = [e.display.text for e in python.run(source) if isinstance(e, DisplayShown)]
    return float(text)


def first_output(factory):
    """From `print` to our event, by the one clock that both processes share."""
    source = "import time; print(time.monotonic()); time.sleep(0.2)"
    with live(factory) as python:
        return statistics.median(_delay(python.run(source)) for _ in range(20))


def _delay(events):
    seen = [(time.monotonic(), e.text) for e in events if isinstance(e, OutputDelta)]
    return seen[0][0] - float(seen[0][1])


def _memory():
    """How much the host grows while a block prints 100 MB, in a process of its own."""
    script = "from bench.runtimes import print_a_lot; print_a_lot()"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    grown = float(done.stdout)
    return (
        "host memory for 100 MB printed",
        f"{grown:.1f} MB",
        "20 MB",
        f"{grown / 20:.2f}",
        "<= 1",
    )


def print_a_lot():
    with live(python_kernel) as python:
        list(python.run("print('x' * 200_000)"))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in python.run("for i in range(100_000): print('x' * 999)"):
            pass
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)


def _median(action):
    return statistics.median(_time(action) for _ in range(BLOCKS))


def _best(action):
    return min(_time(action) for _ in range(3))


def _time(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _ratio(what, measured, baseline, goal):
    ratio = f"{measured / baseline:.2f}"
    return (what, f"{measured * 1000:.1f} ms", f"{baseline * 1000:.1f} ms", ratio, goal)


def _goal(what, measured, limit):
    milliseconds = measured * 1000
    return (what, f"{milliseconds:.2f} ms", f"{limit} ms", f"{milliseconds / limit:.2f}", "<= 1")


if __name__ == "__main__":
    main()

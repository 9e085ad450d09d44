"""Whatever a Python block does, it ends with a clear event and the next block works."""

import os
import threading

import pytest
from tests.live import end_of, is_running, live, noticed, printed, run, said, shown, wait_until

from interpreter.protocol.events import OutputDelta
from interpreter.runtimes.kernel.python import PythonOptions, python_kernel

GIGABYTES = 4 << 30
KEEPS = {
    "infinite recursion": ("def f(): return f()\nf()", "failed"),
    "fifty children": (
        "import subprocess\n"
        "children = [subprocess.Popen(['sleep', '600']) for _ in range(50)]\n"
        "for child in children: child.kill()",
        "ok",
    ),
    "a fork without wait": ("import os\nif os.fork() == 0:\n    os._exit(0)", "ok"),
    "a fork that returns into the block": (
        "import os, time\npid = os.fork()\nif pid == 0:\n    print('child'); os._exit(0)\n"
        "os.waitpid(pid, 0)",
        "ok",
    ),
    "print redefined": ("print = None\nsum = max = len = None\ndel print, sum, max, len", "ok"),
    "print broken": ("import builtins\nkept_print = builtins.print\nbuiltins.print = 3", "ok"),
    "print mended": ("import builtins\nbuiltins.print = kept_print", None),
    "stdout closed": ("import sys\nsys.stdout.close()", "ok"),
    "stdout replaced": ("import sys\nsys.stdout = sys.stderr = None", "ok"),
    "stdout's descriptor closed": ("import os\nos.close(1)\nos.close(2)", "ok"),
    "ten megabytes on one line": ("print('x' * 10_000_000)", "ok"),
    "invalid UTF-8": (r"import os; os.write(1, b'\xff\xfe caf\xc3\xa9\n')", "ok"),
    "half a surrogate pair": (r"print('\ud800')", "ok"),
    "NUL bytes": (r"print('a\0b')", "ok"),
    "ANSI": (r"print('\033[2J\033[31mred')", "ok"),
    "an unclosed bracket": ("print((1, 2", "failed"),
    "an unclosed string": ("'''abc", "failed"),
    "Unicode identifiers": ("größe = 1\nπ = 2\nassert größe + π == 3", "ok"),
    "CRLF": ("a = 1\r\nif a:\r\n    b = 2\r\nassert b == 2\r\n", "ok"),
    "an empty block": ("", "ok"),
    "only a comment": ("# nothing", "ok"),
    "a megabyte of source": ("s = '" + "x" * 1_000_000 + "'", "ok"),
    "a deleted directory": (
        "import os, tempfile\nhome = os.getcwd()\nd = tempfile.mkdtemp()\nos.chdir(d)\nos.rmdir(d)",
        "ok",
    ),
    "back from it": ("import os\nos.chdir(home)", None),
    "sys.exit": ("import sys; sys.exit(3)", "failed"),
    "quit": ("quit()", "ok"),
    "exit by exception": ("raise SystemExit", "ok"),
    "a BaseException": ("raise BaseException('odd')", "failed"),
    "an exception that cannot be shown": (
        "class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd",
        "failed",
    ),
    "a repr that fails": (
        "class Odd:\n    def __repr__(self): raise ValueError('no')\nOdd()",
        None,
    ),
    "os.system": ("import os; os.system('stty -echo; exec 1>&-')", None),
    "a child that holds the output": (
        "import subprocess; holder = subprocess.Popen(['sleep', '600'])",
        "ok",
    ),
    "signals blocked": (
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)",
        "ok",
    ),
    "a warning as error": ("import warnings\nwarnings.warn('odd')", "ok"),
    "tracing": ("import sys\nsys.settrace(lambda *a: None)\nsys.settrace(None)", "ok"),
    "all modules thrown out": ("import sys\nsys.modules.pop('json')\nimport json", "ok"),
}
LOSES = {
    "os._exit": "import os; os._exit(1)",
    "a segmentation fault": "import ctypes; ctypes.string_at(0)",
    "kill -9": "import os; os.kill(os.getpid(), 9)",
    "an abort": "import os; os.abort()",
}


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    with live(
        python_kernel, tmp_path_factory.mktemp("work"), PythonOptions(memory_bytes=GIGABYTES)
    ) as runtime:
        run(runtime, "kept = 42")
        yield runtime


@pytest.fixture
def kept(python):
    """The kernel with a variable that must still be there afterwards."""
    run(python, "kept = 42")
    yield python
    assert said(python, "kept") == "42"
    for _ in range(20):
        assert said(python, "1 + 1") == "2"


@pytest.mark.parametrize(("source", "outcome"), KEEPS.values(), ids=KEEPS)
def test_the_session_goes_on_after(kept, source, outcome):
    end = end_of(run(kept, source))
    assert end.outcome == outcome or outcome is None
    run(kept, "import builtins, os\nif 'kept_print' in dir(): builtins.print = kept_print")
    run(kept, "if 'home' in dir(): os.chdir(home)")


@pytest.mark.parametrize("source", LOSES.values(), ids=LOSES)
def test_death_is_told_and_a_new_kernel_goes_on_after(python, source):
    run(python, "kept = 42")
    end = end_of(run(python, source))
    assert end.outcome == "died"
    assert "variables are gone" in end.summary
    assert said(python, "'kept' in dir()") == "False"
    for _ in range(20):
        assert said(python, "1 + 1") == "2"


def test_a_kill_from_outside_is_told(python):
    pid = int(said(python, "import os; os.getpid()"))
    events = python.run("print('under way')\nwhile True: pass")
    next(events)
    os.kill(pid, 9)
    assert end_of(list(events)).outcome == "died"
    assert said(python, "1 + 1") == "2"


def test_too_much_memory_is_an_error_and_no_death(kept):
    end = end_of(run(kept, "b = bytearray(8 << 30)"))
    assert (end.outcome, end.summary) == ("failed", "MemoryError")


def test_an_infinite_print_stops_when_asked(kept):
    events = kept.run("while True: print('x' * 1000)")
    count = 0
    for event in events:
        count += isinstance(event, OutputDelta)
        if count == 50:
            kept.interrupt()
    assert end_of([event]).outcome == "interrupted"


def test_an_interrupt_that_is_swallowed_is_repeated(kept):
    source = (
        "import time\nswallowed = 0\nprint('under way')\n"
        "while swallowed < 2:\n"
        "    try: time.sleep(600)\n"
        "    except KeyboardInterrupt: swallowed += 1\n"
    )
    events = kept.run(source)
    next(events)
    kept.interrupt()
    list(events)
    assert said(kept, "swallowed") == "2"


def test_code_that_obeys_no_interrupt_is_ended(tmp_path):
    from interpreter.runtimes.kernel.jupyter import KernelOptions

    options = PythonOptions(kernel=KernelOptions(interrupt_seconds=1.5))
    with live(python_kernel, tmp_path, options) as python:
        events = python.run(
            "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
            "print('under way')\nwhile True: pass"
        )
        next(events)
        threading.Thread(target=python.interrupt).start()
        end = end_of(list(events))
        assert end.outcome == "died"
        assert "did not obey" in end.summary
        assert said(python, "1 + 1") == "2"


def test_threads_that_print_later_are_told_apart(kept):
    run(
        kept,
        "import threading\ngo = threading.Event()\n"
        "t = threading.Thread(target=lambda: (go.wait(), print('late')))\nt.start()",
    )
    events = run(kept, "go.set()\nt.join()\nprint('mine')")
    assert printed(events) == "mine\n"
    assert "late" in noticed(events)


def test_a_child_that_prints_later_is_told_apart(kept):
    run(
        kept,
        "import subprocess, pathlib\n"
        "p = subprocess.Popen('until [ -e go ]; do sleep 0.01; done; echo late', shell=True)",
    )
    events = run(kept, "pathlib.Path('go').touch()\np.wait()\nprint('mine')")
    events += run(kept, "import time; time.sleep(0.2)")
    assert printed(events) == "mine\n"
    assert "late" in noticed(events)


def test_a_hundred_megabytes_cost_the_host_little(kept):
    import resource

    run(kept, "print('x')")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    size = 0
    for event in kept.run("line = 'x' * 999\nfor _ in range(100_000): print(line)"):
        size += len(event.text) if isinstance(event, OutputDelta) else 0
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert size == 100_000_000
    assert grown < 60, "megabytes; the benchmark measures it precisely"


def test_a_full_disk_is_the_blocks_failure(kept):
    end = end_of(run(kept, "open('/dev/full', 'w').write('x' * 100_000)"))
    assert (end.outcome, end.summary.split(":")[0]) == ("failed", "OSError")


def test_a_kernel_whose_host_is_gone_ends(tmp_path):
    """A host that dies without closing leaves no kernel behind."""
    import signal
    import subprocess
    import sys

    script = (
        "from pathlib import Path\n"
        "from interpreter.sandboxes.backends.none import OpenCell\n"
        "from interpreter.runtimes.kernel.python import python_kernel\n"
        "cell = OpenCell(Path.cwd())\n"
        "kernel = python_kernel(cell.launch, cell.exchange)\n"
        "for event in kernel.run('import os; os.getpid()'):\n"
        "    if hasattr(event, 'display'): print(event.display.text, flush=True)\n"
        "import signal; signal.pause()\n"
    )
    host = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=tmp_path, text=True
    )
    try:
        pid = int(host.stdout.readline())
    finally:
        host.send_signal(signal.SIGKILL)
        host.wait()
        host.stdout.close()
    wait_until(lambda: not is_running(pid))


def test_what_a_block_shows_is_not_lost_by_its_failure(kept):
    events = run(kept, "from IPython.display import display\ndisplay(1)\nprint(2)\n1/0")
    assert shown(events) == ["1"]
    assert "ZeroDivisionError" in printed(events, "stderr")
    assert end_of(events).summary == "ZeroDivisionError: division by zero"

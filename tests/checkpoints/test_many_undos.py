"""Going back again and again costs a session no more than going back once."""

import itertools
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from interpreter.checkpoints.variables.python import PythonVariables
from tests.checkpoints.kernels import Kernel
from tests.live import wait_until

UNDOS = 80
NUMBERS = itertools.count()
KILOBYTES_EACH = 200  # of memory that an undo may cost for good


@pytest.fixture
def kept(tmp_path):
    with tempfile.TemporaryDirectory(prefix="rl-") as exchange:
        variables = PythonVariables(Path(exchange))
        kernel = Kernel(variables, sys.executable, tmp_path)
        yield kernel, variables
        kernel.close()
        variables.close()


def go_on_and_back(kernel, variables, times, source="n += 1"):
    """Each time from a copy of the kernel that has come out of the undo before."""
    for _ in range(times):
        number = next(NUMBERS)
        kernel.block(f"stays-{number}", source)
        assert kernel.end.outcome == "ok", kernel.end
        kernel.block(f"goes-{number}", "n = -1")
        assert kernel.end.outcome == "ok", kernel.end
        report = variables.restore(f"goes-{number}")
        assert report.restored == ("n",), report


def cost(kernel):
    process = Path(f"/proc/{kernel.pid}")
    memory = process.joinpath("smaps_rollup").read_text().splitlines()
    return (
        sorted(one.readlink().name.split("[")[0] for one in process.joinpath("fd").iterdir()),
        sorted(one.joinpath("comm").read_text() for one in process.joinpath("task").iterdir()),
        next(int(line.split()[1]) for line in memory if line.startswith("Pss:")),
    )


def no_more(now, before):
    """Whether there are no more descriptors and threads of any kind than there were."""
    return not any(Counter(one) - Counter(other) for one, other in zip(now, before, strict=False))


def test_many_undos_cost_neither_descriptors_nor_threads_and_little_memory(kept):
    kernel, variables = kept
    kernel.run("n = 0")
    go_on_and_back(kernel, variables, 2)
    descriptors, threads, kilobytes = cost(kernel)
    go_on_and_back(kernel, variables, UNDOS)
    wait_until(lambda: no_more(cost(kernel), (descriptors, threads)))  # the last pipes are closed
    kilobytes_then = cost(kernel)[2]
    assert kernel.run("print(n)") == f"{UNDOS + 2}\n"
    assert kilobytes_then - kilobytes < KILOBYTES_EACH * UNDOS
    assert kernel.run("!echo hi").strip() == "hi"


def test_threads_that_print_and_programs_that_outlive_their_block_leave_no_descriptors(kept):
    kernel, variables = kept
    kernel.run("import subprocess, threading; n = 0")
    block = """
n += 1
def say_and_wait():
    print("here", flush=True)
    said.set()
    threading.Event().wait()
said = threading.Event()
threading.Thread(target=say_and_wait, daemon=True).start()
said.wait()
program = subprocess.Popen(["sleep", "100"])
"""
    go_on_and_back(kernel, variables, 2, block)
    descriptors, threads, _ = cost(kernel)
    go_on_and_back(kernel, variables, 5, block)
    wait_until(lambda: no_more(cost(kernel), (descriptors, threads)))


def test_descriptors_of_the_user_keep_their_numbers(kept):
    kernel, variables = kept
    kernel.run(
        "import os, select, socket; n = 0; file = open('file', 'w'); pipe = os.pipe()\n"
        "mine = [*socket.socketpair(), select.epoll(), file]; event = os.eventfd(0)\n"
        "listening = socket.create_server(('127.0.0.1', 0)); mine.append(listening)\n"
        "mine.append(socket.create_connection(listening.getsockname()))\n"
        "numbers = lambda: [*pipe, event, *(one.fileno() for one in mine)]"
    )
    before = kernel.run("print(numbers())")
    go_on_and_back(kernel, variables, 3)
    opened = kernel.run("print(numbers(), [os.fstat(one) and 1 for one in numbers()])")
    assert opened == before.strip() + " " + str([1] * len(before.split())) + "\n"
    closing = "for number in (*pipe, event): os.close(number)\nfor one in mine: one.close()"
    assert kernel.run(closing) == ""
    go_on_and_back(kernel, variables, 2)
    assert kernel.run("!echo hi").strip() == "hi"


def test_a_loop_that_sees_to_signals_still_does_after_an_undo(kept):
    kernel, variables = kept
    kernel.run(
        "import asyncio, os, signal; n = 0; heard = asyncio.Event()\n"
        "asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, heard.set)"
    )
    go_on_and_back(kernel, variables, 2)
    assert kernel.run("os.kill(os.getpid(), signal.SIGUSR1); await heard.wait(); 5") == "5"


def test_a_file_that_a_fork_closes_is_not_put_over_what_the_kernel_opened_since(kept, tmp_path):
    """Matplotlib closes its fonts so, and the number becomes one of ZeroMQ's or of a pipe's."""
    (tmp_path / "font").write_text("")
    kernel, variables = kept
    kernel.run(
        "import os; n = 0; fonts = [open('font') for _ in range(3)]\n"
        "for font in fonts: os.register_at_fork(after_in_child=font.close)"
    )
    go_on_and_back(kernel, variables, 3)
    listed = "print([os.path.realpath(f'/proc/self/fd/{n}') for n in os.listdir('/proc/self/fd')])"
    assert "/font'" not in kernel.run(listed)
    assert kernel.end.outcome == "ok"

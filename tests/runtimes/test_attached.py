"""Working in a kernel that is already running."""

import os
import signal
import subprocess
import sys

import pytest
import zmq
from tests.live import end_of, interrupt_once_it_prints, run, said, wait_until

from interpreter.protocol.errors import ConfigurationError, StartFailed
from interpreter.runtimes.kernel.attached import attached_kernel, find_connection_file
from interpreter.runtimes.kernel.encrypted_line import EncryptedLine
from interpreter.runtimes.kernel.wire import Connection


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """A kernel as a notebook would have it, with its connection file."""
    directory = tmp_path_factory.mktemp("jupyter")
    file = directory / "kernel-1.json"
    kernel = subprocess.Popen(
        [sys.executable, "-m", "ipykernel_launcher", "-f", file],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    wait_until(lambda: file.exists() and file.read_text().rstrip().endswith("}"))
    yield kernel, file
    kernel.kill()
    kernel.wait()


def test_the_variables_of_the_notebook_are_there(notebook):
    kernel, file = notebook
    first = attached_kernel(file)
    run(first, "theirs = 42")
    first.close()
    second = attached_kernel(file)
    assert said(second, "theirs") == "42"
    second.close()
    assert kernel.poll() is None


def test_a_block_can_be_interrupted_there(notebook):
    attached = attached_kernel(notebook[1])
    run(attached, "theirs = 42")
    source = "print('under way', flush=True)\nimport time; time.sleep(600)"
    assert end_of(interrupt_once_it_prints(attached, source)).outcome == "interrupted"
    assert said(attached, "theirs") == "42"
    attached.close()


def test_a_kernel_that_goes_away_is_noticed(tmp_path):
    file = tmp_path / "kernel-2.json"
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", file]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as kernel:
        wait_until(lambda: file.exists() and file.read_text().rstrip().endswith("}"))
        attached = attached_kernel(file)
        events = attached.run("print('under way', flush=True)\nimport time; time.sleep(600)")
        next(events)
        os.kill(kernel.pid, signal.SIGKILL)
        assert end_of(list(events)).outcome == "failed"
        attached.close()


def test_the_newest_kernel_is_found(tmp_path):
    for number, name in enumerate(["kernel-a.json", "kernel-b.json"]):
        (tmp_path / name).write_text("{}")
        os.utime(tmp_path / name, (number, number))
    environment = {"JUPYTER_RUNTIME_DIR": str(tmp_path)}
    assert find_connection_file("existing", environment) == tmp_path / "kernel-b.json"
    assert find_connection_file("kernel-a", environment) == tmp_path / "kernel-a.json"
    with pytest.raises(ConfigurationError, match="kernel-c"):
        find_connection_file("kernel-c", environment)


def test_a_file_that_is_none_says_so(tmp_path):
    (tmp_path / "x.json").write_text("[]")
    with pytest.raises(StartFailed, match="not a kernel's connection file"):
        run(attached_kernel(tmp_path / "x.json"), "1")


def test_a_line_to_an_encrypted_kernel_carries_messages_both_ways():
    public, secret = zmq.curve_keypair()
    with zmq.Context() as context, context.socket(zmq.ROUTER) as kernel:
        kernel.curve_secretkey, kernel.curve_publickey, kernel.curve_server = secret, public, True
        port = kernel.bind_to_random_port("tcp://127.0.0.1")
        connection = Connection("tcp", "127.0.0.1", {"shell": port}, b"key", public)
        line = EncryptedLine(connection, "shell", "DEALER", b"us")
        line.send([b"question"])
        assert kernel.poll(30_000)
        assert kernel.recv_multipart() == [b"us", b"question"]
        kernel.send_multipart([b"us", b"an", b"answer"])
        found = []
        wait_until(lambda: found.append(line.receive()) or found[-1])
        assert found[-1] == [b"an", b"answer"]
        line.close()

"""Packages are installed in a cell once their index is allowed, and only there."""

import base64
import hashlib
import http.server
import os
import socket
import subprocess
import sys
import threading
import zipfile
from functools import partial

import pytest

from interpreter.sandboxes.bubblewrap import BubblewrapSandbox
from interpreter.sandboxes.confinement import Confinement, interpreter_places
from interpreter.sandboxes.host_gate import HostGate

WHEEL = "greeter-1.0-py3-none-any.whl"


def write_wheel(path):
    files = {
        "greeter.py": b"word = 'hello from a package'\n",
        "greeter-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: greeter\nVersion: 1.0\n",
        "greeter-1.0.dist-info/WHEEL": (
            b"Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        ),
    }
    record = ""
    with zipfile.ZipFile(path, "w") as wheel:
        for name, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            record += f"{name},sha256={digest},{len(content)}\n"
            wheel.writestr(name, content)
        wheel.writestr("greeter-1.0.dist-info/RECORD", record + "greeter-1.0.dist-info/RECORD,,\n")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def index(tmp_path):
    """A package index on this machine."""
    simple = tmp_path / "index/simple/greeter"
    simple.mkdir(parents=True)
    write_wheel(tmp_path / "index" / WHEEL)
    (simple / "index.html").write_text(f'<a href="/{WHEEL}">{WHEEL}</a>')
    handler = partial(Quiet, directory=str(tmp_path / "index"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield server.server_address[1]
        server.shutdown()


def test_pip_installs_through_the_proxy_after_one_answer(tmp_path, index, monkeypatch):
    async def found():
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", index))]

    monkeypatch.setattr("interpreter.sandboxes.network_proxy.is_public", lambda address: True)
    monkeypatch.setattr(
        "asyncio.base_events.BaseEventLoop.getaddrinfo", lambda self, *_, **__: found()
    )
    questions = []

    def answer(question):
        questions.append(question)
        return "session"

    (tmp_path / "workspace").mkdir()
    sandbox = BubblewrapSandbox(
        Confinement(programs=interpreter_places()), os.environ, gate=HostGate(ask=answer)
    )
    cell = sandbox.open(tmp_path / "workspace")

    def run(*argv, env=None):
        program = cell.launch(
            [sys.executable, *argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env
        )
        with program.stdout as stdout:
            text = stdout.read().decode()
        return program.wait(100), text

    try:
        url = f"http://packages.example:{index}/simple"
        options = ["--index-url", url, "--trusted-host", "packages.example"]
        env = {"PIP_CONFIG_FILE": os.devnull}
        status, text = run("-m", "pip", "install", "-q", *options, "greeter", env=env)
        assert status == 0, text
        assert run("-c", "import greeter; print(greeter.word)") == (0, "hello from a package\n")
        assert questions == [f"packages.example:{index}"]
    finally:
        cell.close()
    with pytest.raises(ModuleNotFoundError):
        __import__("greeter")

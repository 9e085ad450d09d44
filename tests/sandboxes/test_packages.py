"""Packages are installed in a cell once their hosts are allowed, by name, and only there."""

import base64
import hashlib
import http.server
import io
import json
import os
import socket
import subprocess
import sys
import tarfile
import threading
import zipfile
from functools import partial

import pytest

from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox
from interpreter.sandboxes.confinement import Confinement, interpreter_places
from interpreter.sandboxes.network.host_gate import HostGate

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


def write_tarball(path):
    files = {
        "package/package.json": json.dumps({"name": "greeter", "version": "1.0.0"}).encode(),
        "package/index.js": b"module.exports = 'hello from a package'\n",
    }
    with tarfile.open(path, "w:gz") as tarball:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tarball.addfile(entry, io.BytesIO(content))


def about_greeter(port):
    tarball = f"http://files.example:{port}/greeter-1.0.0.tgz"
    version = {"name": "greeter", "version": "1.0.0", "dist": {"tarball": tarball}}
    return {"name": "greeter", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def index(tmp_path):
    """A package index on this machine, for Python and for Node; its files are on another host."""
    root = tmp_path / "index"
    handler = partial(Quiet, directory=str(root))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        port = server.server_address[1]
        link = f'<a href="http://files.example:{port}/{WHEEL}">{WHEEL}</a>'
        for name in ("greeter", "pip"):
            (root / "simple" / name).mkdir(parents=True)
            (root / "simple" / name / "index.html").write_text(link)
        for name in ("greeter", "npm"):
            (root / name).write_text(json.dumps(about_greeter(port)))
        write_wheel(root / WHEEL)
        write_tarball(root / "greeter-1.0.0.tgz")
        threading.Thread(target=server.serve_forever).start()
        yield port
        server.shutdown()


@pytest.fixture
def here(index, monkeypatch):
    """Every name is this machine, and this machine is public."""

    async def found():
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", index))]

    monkeypatch.setattr("interpreter.sandboxes.network.proxy.is_public", lambda address: True)
    monkeypatch.setattr(
        "asyncio.base_events.BaseEventLoop.getaddrinfo", lambda self, *_, **__: found()
    )


class Cell:
    """A cell whose user allows what is asked about for ever, and sees what is kept."""

    def __init__(self, workspace):
        self.questions = []
        workspace.mkdir()
        self.kept = []
        self.gate = HostGate(ask=self._answer, keep=self.kept.append)
        confinement = Confinement(programs=interpreter_places())
        self._cell = BubblewrapSandbox(confinement, os.environ, gate=self.gate).open(workspace)
        self.close = self._cell.close

    def _answer(self, question):
        self.questions.append(question)
        return "always"

    def run(self, *argv, **env):
        program = self._cell.launch(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env)
        with program.stdout as stdout:
            text = stdout.read().decode()
        return program.wait(100), text


@pytest.fixture
def opened(tmp_path, here):
    cells = []

    def make():
        cells.append(Cell(tmp_path / "workspace"))
        return cells[-1]

    yield make
    for cell in cells:
        cell.close()


def test_pip_installs_after_an_answer_for_the_index_and_one_for_its_files(opened, index):
    url = f"http://packages.example:{index}/simple"
    cell = opened()
    trusted = ["--trusted-host", "packages.example", "--trusted-host", "files.example"]
    pip = [sys.executable, "-m", "pip", "install", "-q", "--index-url", url, *trusted]
    status, text = cell.run(*pip, "greeter", PIP_CONFIG_FILE=os.devnull)
    assert status == 0, text
    said = cell.run(sys.executable, "-c", "import greeter; print(greeter.word)")
    assert said == (0, "hello from a package\n")
    assert cell.questions == [(f"packages.example:{index}",), (f"files.example:{index}",)]
    assert cell.kept == [f"packages.example:{index}", f"files.example:{index}"]
    with pytest.raises(ModuleNotFoundError):
        __import__("greeter")


def test_npm_installs_after_an_answer_for_the_index_and_one_for_its_files(opened, index):
    url = f"http://registry.example:{index}"
    cell = opened()
    npm = ["npm", "install", "--no-audit", "--no-fund", "--registry", url]
    status, text = cell.run(*npm, "greeter")
    assert status == 0, text
    said = cell.run("node", "-p", "require('greeter')")
    assert said == (0, "hello from a package\n")
    assert cell.questions == [(f"registry.example:{index}",), (f"files.example:{index}",)]


def test_an_index_allows_nothing_by_what_its_pages_say(opened, index, tmp_path):
    page = '<a href="https://*.com/x">x</a><a href="https://evil.example/greeter-1.0.tar.gz">y</a>'
    (tmp_path / "index/simple/pip/index.html").write_text(page)
    (tmp_path / "index/simple/greeter/index.html").write_text(page)
    cell = opened()
    fetch = (
        "import urllib.request; urllib.request.urlopen('http://packages.example:%d/simple/pip/')"
    )
    assert cell.run(sys.executable, "-c", f"# pip install x\n{fetch % index}")[0] == 0
    assert cell.kept == [f"packages.example:{index}"]

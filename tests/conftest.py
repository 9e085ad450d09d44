"""Shared by all tests: a closed network, a home of their own, and small helpers."""

import gc
import http.server
import itertools
import os
import signal
import socket
import sys
import threading

import pytest
from hypothesis import HealthCheck, settings

# Tests start hundreds of Pythons: each would compile our modules again where writing them is off.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# In the background of a script SIGINT is ignored, and so it would be in all that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes depends on what else the machine does: timing is for benchmarks.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


# Nine thousand tests, and what they import, are no garbage: nobody looks through them again.
gc.disable()


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


class OutsideConnection(RuntimeError):
    """A test tried to leave this machine."""


def _is_local(address) -> bool:
    if not isinstance(address, tuple):
        return True
    host = str(address[0])
    return host in ("localhost", "::1", "") or host.startswith("127.")


@pytest.fixture(autouse=True)
def no_connection_leaves_this_machine(monkeypatch):
    connect = socket.socket.connect

    def guarded(self, address):
        if not _is_local(address):
            raise OutsideConnection(f"a test wanted to connect to {address!r}")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(scope="session")
def own_places(tmp_path_factory):
    """New directories; pytest's own look through all that there are already for each new one."""
    base = tmp_path_factory.mktemp("own")
    return (base / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def own_home(own_places, monkeypatch):
    """Each test has an empty home and works in an empty directory, not in the project: code may
    change what is there, and many thousand files would be looked at before each block. None has
    the machine's keys or settings."""
    place = next(own_places)
    home, work = place / "home", place / "work"
    for directory in (home, work):
        directory.mkdir(parents=True, mode=0o700)
    monkeypatch.chdir(work)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
    monkeypatch.setenv("HOME", str(home))
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def served():
    """Serve texts by path; the address of a path."""
    texts = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            content = texts.get(self.path, "").encode()
            self.send_response(200 if self.path in texts else 404)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()

    def serve(path, text):
        texts[path] = text
        return f"http://127.0.0.1:{server.server_port}{path}"

    yield serve
    server.shutdown()
    server.server_close()
    thread.join()

"""How many connections there may be, and for how long somebody may say nothing."""

import contextlib
import socket
import subprocess
import sys

import httpx
import pytest
from tests.server.conftest import ADA, OWNER, Talk
from websockets.exceptions import InvalidStatus

from interpreter.server import connections
from interpreter.server.access import gate
from interpreter.server.config import Limits


@pytest.fixture
def calls():
    """Open connections to a server that say some bytes; all are closed in the end."""
    with contextlib.ExitStack() as open_ones:

        def call(running, said=b""):
            line = socket.create_connection(("127.0.0.1", running.config.port))
            open_ones.callback(line.close)
            line.settimeout(30)
            line.sendall(said)
            return line

        yield call


def is_hung_up_on(line):
    """Whether a line ends; whatever is still said on it may come first."""
    with contextlib.suppress(ConnectionResetError):
        while line.recv(10_000):
            pass
    return True


def asked(running, token=OWNER):
    return httpx.get(f"{running.url}/api/me", headers={"x-api-key": token})


def test_of_too_many_connections_the_next_is_told_so_and_one_that_goes_makes_room(serve):
    running = serve(limits=Limits(connections=4, free_memory=0))
    mine, hers = Talk(running), Talk(running, ADA)
    with contextlib.ExitStack() as sockets:
        for one in (mine, mine, hers):
            sockets.enter_context(one.socket(after=0))
        more = asked(running)
        assert (more.status_code, more.json()["error"]["code"]) == (429, "too_many")
        with pytest.raises(InvalidStatus), mine.socket(after=0):
            pass
        assert asked(running, ADA).status_code == 200  # one user does not take all of them
        with hers.socket(after=0):
            full = asked(running, ADA)
            assert (full.status_code, full.json()["error"]["code"]) == (503, "full")
            assert full.headers["retry-after"] == "60"
    while asked(running).status_code != 200:  # until the server has seen that they went
        pass


def test_a_thousand_who_say_nothing_keep_nobody_out(serve, calls, monkeypatch):
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 5.0)
    running = serve()
    silent = [calls(running) for _ in range(running.config.limits.connections)]
    assert asked(running).status_code == 200
    for line in silent:
        assert is_hung_up_on(line)


@pytest.mark.parametrize(
    "said", [b"", b"GET /heart", b"GET /heartbeat HTTP/1.1\r\nHost: localhost\r\nX-A: "]
)
def test_who_says_no_whole_request_is_hung_up_on(serve, calls, monkeypatch, said):
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.2)
    assert is_hung_up_on(calls(serve(), said))


def test_a_second_request_on_a_line_must_come_in_time_too(serve, calls, monkeypatch):
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.5)
    line = calls(serve(), b"GET /heartbeat HTTP/1.1\r\nHost: localhost\r\n\r\n")
    heard = b""
    while b"alive" not in heard:
        heard += line.recv(10_000)
    line.sendall(b"GET /heartbeat HTTP/1.1\r\nHo")
    assert is_hung_up_on(line)


def test_a_stranger_who_sends_a_body_byte_by_byte_is_hung_up_on(serve, calls, monkeypatch):
    monkeypatch.setattr(gate, "SECONDS_OF_A_STRANGER", 0.2)
    head = b"POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    line = calls(serve(), head + b"Content-Length: 1000\r\n\r\n{")
    assert line.recv(10_000).startswith(b"HTTP/1.1 408 ")


def test_a_request_that_takes_long_is_answered(serve, monkeypatch):
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.2)
    one = Talk(serve())
    one.post("run", language="python", source="import time; time.sleep(1); print('late')")
    with one.http.stream("GET", f"{one.path}/events") as events:
        assert any("late" in line for line in events.iter_lines())


def test_the_server_may_open_as_many_files_as_it_has_connections():
    code = (
        "import resource as r\n"
        "hard = r.getrlimit(r.RLIMIT_NOFILE)[1]\n"
        "r.setrlimit(r.RLIMIT_NOFILE, (256, hard))\n"
        "from interpreter.server.connections import allow_open_files\n"
        "allow_open_files(2000)\n"
        "print(r.getrlimit(r.RLIMIT_NOFILE)[0] == min(2000, hard) or hard == -1)\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "True\n"

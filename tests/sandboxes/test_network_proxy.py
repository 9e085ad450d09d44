"""The way out of a cell: only names that the user allows, and only public addresses."""

import base64
import contextlib
import gc
import http.server
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.live import wait_until

from interpreter.protocol.actions import Verdict
from interpreter.protocol.errors import ConfigurationError
from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox
from interpreter.sandboxes.confinement import Confinement, interpreter_places
from interpreter.sandboxes.network.host_gate import MOST_NOES, HostGate
from interpreter.sandboxes.network.hosts import HostRule, is_public, target
from interpreter.sandboxes.network.proxy import (
    MOST_CONNECTIONS,
    NetworkProxy,
    public_addresses,
)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "http://evil.example/")
            self.end_headers()
            return
        body = f"{self.headers['Host']} {self.path}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Public(Handler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"public")


@pytest.fixture
def web():
    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield server.server_address[1]
        server.shutdown()


async def all_here(host, port):
    return ["127.0.0.1"]


class Asked:
    """A user who gives these answers, and remembers the questions."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.questions = []

    def __call__(self, question):
        self.questions.append(question)
        return self.answers.pop(0)


@pytest.fixture
def serve():
    proxies = []

    def start(gate, resolve=all_here, **options):
        listener = socket.create_server(("127.0.0.1", 0))
        proxies.append(NetworkProxy(gate, resolve, **options))
        proxies[-1].serve(listener)
        return listener.getsockname()[1]

    yield start
    for proxy in proxies:
        proxy.close()


def say(port, request):
    with socket.create_connection(("127.0.0.1", port), 30) as sock:
        sock.sendall(request)
        sock.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := sock.recv(65536):
            answer += piece
    return answer.decode("latin-1")


def get(port, url):
    return say(port, f"GET {url} HTTP/1.1\r\nHost: x\r\n\r\n".encode())


def tunnel(port, authority, inner=b""):
    return say(port, f"CONNECT {authority} HTTP/1.1\r\n\r\n".encode("latin-1") + inner)


def status(answer):
    return int(answer.split()[1])


def test_nothing_gets_out_without_a_rule(serve, web):
    gate = HostGate()
    answer = get(serve(gate), f"http://example.org:{web}/")
    assert answer.startswith("HTTP/1.1 403 Blocked by the sandbox: example.org:")
    assert "is not allowed" in answer
    assert gate.end_block() == (f"example.org:{web}",)
    assert gate.end_block() == ()


def test_an_allowed_host_is_reached_by_its_own_name(serve, web):
    gate = HostGate(allow=[f"example.org:{web}"])
    answer = get(serve(gate), f"http://example.org:{web}/page?q=1")
    assert status(answer) == 200
    assert answer.endswith(f"example.org:{web} /page?q=1")


def test_the_hosts_of_a_block_and_their_bytes_are_counted(serve, web):
    gate = HostGate(allow=[f"example.org:{web}"])
    answer = get(serve(gate), f"http://example.org:{web}/page")
    gate.end_block()
    assert gate.last_traffic == {f"example.org:{web}": len(answer)}
    gate.end_block()
    assert gate.last_traffic == {}


def test_a_tunnel_reaches_an_allowed_host(serve, web):
    gate = HostGate(allow=[f"example.org:{web}"])
    request = b"GET /inner HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n"
    answer = tunnel(serve(gate), f"example.org:{web}", request)
    assert answer.startswith("HTTP/1.1 200 Connection established")
    assert answer.endswith("example.org /inner")


def test_a_rule_is_for_its_port_only(serve, web):
    assert status(tunnel(serve(HostGate(allow=["example.org"])), f"example.org:{web}")) == 403
    assert HostRule.parse("example.org").covers(target("example.org", 443))
    assert not HostRule.parse("example.org").covers(target("example.org", 22))
    assert not HostRule.parse("example.org:443").covers(target("example.org", 80))


@pytest.mark.parametrize(
    "authority",
    [
        "evil.example\0.example.org:443",
        "evil.example%00.example.org:443",
        "127.0.0.1:443",
        "2130706433:443",
        "0x7f000001:443",
        "a.0x7f000001:443",
        "017700000001:443",
        "*.example.org:443",
        "*.com:443",
        "0x7f.1:443",
        "[::1]:443",
        "[::ffff:127.0.0.1]:443",
        "user@example.org:443",
        "example.org:443/path",
        "example.org:0443443",
        "example.org:-1",
        "example.org:",
        "example.org",
        ".example.org:443",
        "exa mple.org:443",
        "ex\u00e4mple.org:443",
        "-example.org:443",
        "a" * 64 + ".org:443",
        "\u2460.example.org:443",
    ],
)
def test_what_is_not_a_plain_name_is_refused_without_asking(serve, authority):
    user = Asked()
    gate = HostGate(allow=["*.example.org", "example.org"], ask=user)
    request = f"CONNECT {authority} HTTP/1.1\r\n\r\n".encode("utf-8", "replace")
    assert status(say(serve(gate), request)) == 403
    assert user.questions == []


def test_names_are_compared_whole_and_without_regard_to_case():
    rule = HostRule.parse("*.Example.org")
    assert rule.covers(target("A.EXAMPLE.ORG.", 443))
    assert not rule.covers(target("example.org", 443))
    assert not rule.covers(target("evilexample.org", 443))
    assert not HostRule.parse("example.org").covers(target("example.org.evil.example", 443))


@pytest.mark.parametrize("rule", ["*", "*.*", "10.0.0.1", "example.org:99999", "", "http://a.b"])
def test_a_rule_that_is_no_name_is_an_error(rule):
    with pytest.raises(ConfigurationError):
        HostRule.parse(rule)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),
        *("224.0.0.1", "255.255.255.255", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "::"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "ff02::1"),
        *("fec0::1", "fe00::1", "3fff::1", "2001:db8::1", "192.88.99.1", "192.0.0.1", "5f00::1"),
        *("::7f00:1", "64:ff9b:1::1", "240.0.0.1", "2001:2::1", "100::1", "0x7f000001", "1"),
        "nonsense",
    ],
)
def test_private_addresses_are_not_public_in_any_disguise(address):
    assert not is_public(address)


def test_public_addresses_are():
    assert is_public("93.184.216.34")
    assert is_public("2606:2800:220:1:248:1893:25c8:1946")


def test_an_allowed_name_that_leads_to_this_machine_is_refused(serve, web):
    gate = HostGate(allow=[f"localhost:{web}"])
    answer = tunnel(serve(gate, public_addresses), f"localhost:{web}")
    assert status(answer) == 403
    assert "no public address" in answer


def test_what_was_checked_is_what_is_dialled(serve, web, monkeypatch):
    """A name that leads elsewhere when it is asked again, or to several places at once."""
    answers = [["127.0.0.1", "127.0.0.2"], ["127.0.0.1"]]

    async def looked_up(self, host, port, **_):
        found = answers.pop(0) if host == "rebound.example" else [host]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (at, port)) for at in found]

    monkeypatch.setattr("asyncio.base_events.BaseEventLoop.getaddrinfo", looked_up)
    monkeypatch.setattr(
        "interpreter.sandboxes.network.proxy.is_public", lambda address: address == "127.0.0.2"
    )
    port = serve(HostGate(allow=[f"rebound.example:{web}"]), public_addresses)
    with Server(("127.0.0.2", web), Public) as public:  # the private one has the same port
        threading.Thread(target=public.serve_forever).start()
        assert get(port, f"http://rebound.example:{web}/").endswith("public")
        assert status(get(port, f"http://rebound.example:{web}/")) == 403
        public.shutdown()
    assert answers == []


def test_a_redirect_is_a_new_question(serve, web):
    user = Asked("no")
    port = serve(HostGate(allow=[f"example.org:{web}"], ask=user))
    first = get(port, f"http://example.org:{web}/away")
    assert "Location: http://evil.example/" in first
    assert status(get(port, "http://evil.example/")) == 403
    assert user.questions == [("evil.example:80",)]


def test_a_tunnel_cannot_be_used_to_ask_for_another_host(serve, web):
    """The inner CONNECT goes to the host that was allowed, which is no proxy."""
    gate = HostGate(allow=[f"example.org:{web}"])
    inner = b"CONNECT evil.example:443 HTTP/1.1\r\n\r\n"
    answer = tunnel(serve(gate), f"example.org:{web}", inner)
    assert "501" in answer.split("\r\n\r\n", 1)[1]


def test_a_second_request_on_one_connection_goes_to_the_same_host(serve, web):
    gate = HostGate(allow=[f"example.org:{web}"])
    twice = (
        f"GET http://example.org:{web}/1 HTTP/1.1\r\nConnection: keep-alive\r\n\r\n"
        "GET http://evil.example/2 HTTP/1.1\r\n\r\n"
    )
    answer = say(serve(gate), twice.encode())
    assert answer.endswith(f"example.org:{web} /1")


@pytest.mark.parametrize(
    "request_",
    [
        b"GET http://example.org/ HTTP/1.1\r\nHost : evil.example\r\n\r\n",
        b"GET http://example.org/ HTTP/1.1\r\nX: y\r\n Host: evil.example\r\n\r\n",
        b"GET http://example.org/ HTTP/1.1\r\nConnection : keep-alive\r\n\r\n",
        b"GET http://example.org/ HTTP/1.1\r\nno header\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET ftp://example.org/ HTTP/1.1\r\n\r\n",
        b"GET file:///etc/passwd HTTP/1.1\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"\x00\xff\xfe\r\n\r\n",
        b"GET http://example.org/ HTTP/1.1\r\nX: a\nHost: evil\r\n\r\n",
        b"GET http:///x HTTP/1.1\r\n\r\n",
        b"CONNECT  HTTP/1.1\r\n\r\n",
    ],
)
def test_nonsense_is_refused(serve, request_):
    assert status(say(serve(HostGate(allow=["example.org"])), request_)) == 403


def test_an_endless_head_ends_the_connection(serve):
    with (
        socket.create_connection(("127.0.0.1", serve(HostGate())), 30) as sock,
        pytest.raises((ConnectionResetError, BrokenPipeError)),
    ):
        sock.sendall(b"X: aaaa" * 10_000_000)


def test_once_lasts_for_the_block(serve, web):
    user = Asked("once", "no")
    gate = HostGate(ask=user)
    port = serve(gate)
    url = f"http://example.org:{web}/"
    assert [status(get(port, url)), status(get(port, url))] == [200, 200]
    gate.end_block()
    assert [status(get(port, url)), status(get(port, url))] == [403, 403]
    assert user.questions == [(f"example.org:{web}",)] * 2


def received(sock):
    return b"".join(iter(lambda: sock.recv(65536), b""))


def send_collecting(host, program):
    """Send some lines, each followed by a garbage collection once it has arrived."""
    for line in (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n", b"Z: w\r\n", b"\r\n"):
        host.sendall(line)
        program.recv(65536)
        gc.collect()


def test_a_slow_answer_survives_garbage_collection(serve):
    """The program has said all it has to say, and the host takes its time."""
    with socket.create_server(("127.0.0.1", 0)) as slow:
        port = slow.getsockname()[1]
        at = serve(HostGate(allow=[f"example.org:{port}"]))
        with socket.create_connection(("127.0.0.1", at), 30) as program:
            program.sendall(f"GET http://example.org:{port}/ HTTP/1.1\r\n\r\n".encode())
            program.shutdown(socket.SHUT_WR)
            with slow.accept()[0] as host:
                received(host)
                send_collecting(host, program)
                host.sendall(b"here")
            assert received(program) == b"here"


def test_session_lasts_and_always_is_kept(serve, web):
    kept = []
    user = Asked("session", "always")
    gate = HostGate(ask=user, keep=kept.append)
    port = serve(gate)
    assert status(get(port, f"http://a.example:{web}/")) == 200
    gate.end_block()
    assert status(get(port, f"http://a.example:{web}/")) == 200
    assert kept == []
    assert status(get(port, f"http://b.example:{web}/")) == 200
    assert kept == [f"b.example:{web}"]


def test_many_connections_to_one_host_are_one_question(serve, web):
    asked = threading.Event()
    answer = threading.Event()
    questions = []

    def user(question):
        questions.append(question)
        asked.set()
        answer.wait(30)
        return "once"

    port = serve(HostGate(ask=user))
    results = []
    url = f"http://example.org:{web}/"
    threads = [
        threading.Thread(target=lambda: results.append(status(get(port, url)))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    assert asked.wait(30)
    answer.set()
    for thread in threads:
        thread.join(30)
    assert results == [200] * 8
    assert questions == [(f"example.org:{web}",)]


class SlowUser:
    """Somebody who answers when told to."""

    def __init__(self, answer):
        self.answer = answer
        self.questions = []
        self.ready = threading.Event()

    def __call__(self, question):
        self.questions.append(question)
        self.ready.wait(30)
        return self.answer


def fetch_all(port, hosts):
    """Connect to all of them at once; what became of it."""
    found = []
    threads = [
        threading.Thread(target=lambda host=host: found.append(status(get(port, host))))
        for host in hosts
    ]
    for thread in threads:
        thread.start()
    return found, threads


def test_hosts_that_wait_together_are_one_question_and_what_is_allowed_is_what_was_shown(
    serve, web
):
    user, kept, seen = SlowUser("always"), [], set()
    gate = HostGate(ask=user, keep=kept.append, ruling=seen.add)
    found, threads = fetch_all(serve(gate), [f"http://h{n}.example:{web}/" for n in range(12)])
    wait_until(lambda: len(seen) == 12)
    user.ready.set()
    for thread in threads:
        thread.join(30)
    assert found == [200] * 12
    assert len(user.questions) == 2  # the first one had been asked about already
    assert sorted(kept) == sorted(host for question in user.questions for host in question)
    assert set(kept) == {f"h{n}.example:{web}" for n in range(12)}


def test_a_block_that_goes_on_asking_is_not_listened_to(serve):
    user = Asked(*["no"] * 300)
    gate = HostGate(ask=user)
    port = serve(gate)
    answers = [get(port, f"http://h{n}.example/") for n in range(300)]
    assert {status(answer) for answer in answers} == {403}
    assert len(user.questions) == MOST_NOES
    assert "is not asked about more hosts" in answers[-1]
    gate.end_block()
    get(port, "http://h1.example/")
    assert len(user.questions) == MOST_NOES + 1


def test_more_connections_than_there_is_room_for_wait_outside(serve, web):
    before = len(list(Path("/proc/self/fd").iterdir()))
    port = serve(HostGate(allow=[f"example.org:{web}"]))
    with contextlib.ExitStack() as crowd:
        for _ in range(300):
            line = crowd.enter_context(socket.socket())
            line.setblocking(False)
            line.connect_ex(("127.0.0.1", port))
        own = 300 + 20
        assert len(list(Path("/proc/self/fd").iterdir())) - before - own < MOST_CONNECTIONS
    assert status(get(port, f"http://example.org:{web}/")) == 200


def test_a_question_that_fails_means_no(serve, web, monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda arguments: None)

    def user(question):
        raise EOFError("nobody is there")

    assert status(get(serve(HostGate(ask=user)), f"http://example.org:{web}/")) == 403


FETCH = """
import sys, urllib.request
try:
    print(urllib.request.urlopen(sys.argv[1], timeout=30).read().decode())
except OSError as error:
    print("refused:", error)
"""


def test_a_program_in_a_cell_gets_out_by_the_proxy_and_a_grant_needs_no_restart(
    tmp_path, web, monkeypatch
):
    monkeypatch.setattr("interpreter.sandboxes.network.proxy.is_public", lambda address: True)
    monkeypatch.setattr(
        "asyncio.base_events.BaseEventLoop.getaddrinfo", lambda self, *_, **__: found()
    )

    async def found():
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", web))]

    gate = HostGate()
    sandbox = BubblewrapSandbox(Confinement(programs=interpreter_places()), os.environ, gate=gate)
    cell = sandbox.open(tmp_path)

    def fetch():
        argv = [sys.executable, "-c", FETCH, f"http://example.org:{web}/"]
        program = cell.launch(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with program.stdout as stdout:
            return stdout.read().decode()

    try:
        assert fetch().startswith("refused: HTTP Error 403: Blocked by the sandbox")
        gate.allow(f"example.org:{web}")
        assert fetch() == f"example.org:{web} /\n"
    finally:
        cell.close()


def test_a_suspicion_asks_again_about_what_was_allowed_and_an_answer_settles_it():
    answers, asked = ["no", "session"], []

    def ask(hosts):
        asked.append(hosts)
        return answers.pop(0)

    suspect = {"known.example"}
    gate = HostGate(
        allow=["known.example"], ask=ask, suspicion=lambda host: "read" if host in suspect else ""
    )
    wanted = target("known.example", 443)
    assert not gate.allows(wanted)
    gate.ask([wanted])
    assert not gate.allows(wanted)
    gate.end_block()
    gate.ask([wanted])
    assert gate.allows(wanted)
    assert asked == [("known.example:443",)] * 2
    allowed = HostGate(ruling=lambda host: Verdict("allow"), suspicion=lambda host: "read")
    assert allowed.allows(wanted)


def with_password(port, url, password, scheme="Basic"):
    coded = base64.b64encode(f"anyone:{password}".encode()).decode()
    line = f"Proxy-Authorization: {scheme} {coded}"
    return say(port, f"GET {url} HTTP/1.1\r\nHost: x\r\n{line}\r\n\r\n".encode())


def test_a_proxy_with_a_password_serves_nobody_else(serve, web):
    gate = HostGate(allow=[f"example.org:{web}"])
    port, url = serve(gate, password="pass:word"), f"http://example.org:{web}/"
    assert status(with_password(port, url, "pass:word")) == 200
    for answer in (
        get(port, url), tunnel(port, f"example.org:{web}"), with_password(port, url, "pass"),
        with_password(port, url, ""), with_password(port, url, "pass:word", "Bearer"),
        say(port, f"GET {url} HTTP/1.1\r\nProxy-Authorization: Basic ä\r\n\r\n".encode()),
    ):  # fmt: skip
        assert status(answer) == 407
        assert 'Proxy-Authenticate: Basic realm="sandbox"' in answer


def test_a_stranger_is_no_question_to_the_user(serve, web):
    asked = Asked()
    gate = HostGate(ask=asked)
    get(serve(gate, password="secret"), f"http://example.org:{web}/")
    assert (asked.questions, gate.end_block()) == ([], ())

"""Servers at an address that refuse, break off, redirect or send too much."""

import http.server
import json
import threading

import pytest

from interpreter.mcp.client import CallPatience, Client
from interpreter.mcp.errors import (
    CallStopped,
    NeedsLogin,
    ServerGone,
    ServerMisbehaves,
    ServerTimedOut,
)
from interpreter.mcp.transports.arrivals import LargeAnswer
from interpreter.mcp.transports.http import HttpTransport
from interpreter.protocol.interrupt import Interrupt

TOOL = {"name": "do", "inputSchema": {"type": "object"}}
LISTS = {
    "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
    "tools/list": {"tools": [TOOL]},
}


@pytest.fixture
def at():
    """An address whose calls of tools are answered by a function of the test's."""
    servers = []

    def address(behave, **patience):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                call = json.loads(self.rfile.read(int(self.headers["content-length"])))
                found = LISTS.get(call["method"])
                if found is None:
                    behave(self, call)
                    return
                self.reply({"jsonrpc": "2.0", "id": call["id"], "result": found})

            def reply(self, message, status=200, **headers):
                body = json.dumps(message).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        transport = HttpTransport("peer", f"http://127.0.0.1:{server.server_port}/mcp")
        client = Client("peer", transport, patience=CallPatience(**patience))
        servers.append((server, client))
        client.connect()
        return client

    yield address
    for server, client in servers:
        client.close()
        server.shutdown()
        server.server_close()


def call(client, **options):
    return client.call_tool(client.tools()[0], {}, **options)


def test_a_server_that_wants_a_login_is_told_apart(at):
    client = at(lambda reply, call: reply.reply({}, 401, www_authenticate='Bearer scope="read"'))
    with pytest.raises(NeedsLogin, match="interpreter mcp login peer") as found:
        call(client)
    assert found.value.challenge == 'Bearer scope="read"'


def test_fifty_megabytes_come_as_a_file(at):
    def large(reply, call):
        content = [{"type": "text", "text": "y" * (50 << 20)}]
        reply.reply({"jsonrpc": "2.0", "id": call["id"], "result": {"content": content}})

    answer = call(at(large))
    assert isinstance(answer, LargeAnswer)
    answer.file.close()


def test_a_stream_that_breaks_off_is_an_error(at):
    def broken(reply, call):
        reply.send_response(200)
        reply.send_header("content-type", "text/event-stream")
        reply.end_headers()
        reply.wfile.write(b'data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n')
        reply.close_connection = True

    with pytest.raises(ServerGone, match="hung up before"):
        call(at(broken))


def test_a_redirect_is_not_followed(at):
    with pytest.raises((ServerGone, ServerMisbehaves)):
        call(at(lambda reply, call: reply.reply([], 307, location="http://127.0.0.1:9/")))


def test_an_answer_to_something_else_is_refused(at):
    client = at(lambda reply, call: reply.reply({"jsonrpc": "2.0", "id": 999, "result": {}}))
    with pytest.raises(Exception, match="answered something else"):
        call(client)


def test_a_packed_answer_is_refused(at):
    client = at(lambda reply, call: reply.reply({}, content_encoding="gzip"))
    with pytest.raises(ServerMisbehaves, match="packs its answers"):
        call(client)


@pytest.mark.parametrize("headers_first", [True, False])
def test_a_server_that_hangs_is_hung_up_on(at, headers_first):
    gone = threading.Event()

    def hang(reply, call):
        if headers_first:
            reply.send_response(200)
            reply.send_header("content-type", "text/event-stream")
            reply.end_headers()
        reply.connection.settimeout(30)
        if not reply.connection.recv(1):  # the end of the connection is the cancellation
            gone.set()
        reply.close_connection = True

    client = at(hang, silence=0.5, ceiling=5)
    with pytest.raises(ServerTimedOut):
        call(client)
    assert gone.wait(20)
    interrupt = Interrupt()
    threading.Timer(0.1, interrupt.request).start()
    with pytest.raises(CallStopped):
        call(client, interrupt=interrupt)

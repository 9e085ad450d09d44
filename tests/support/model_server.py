"""A server on loopback that answers as a model server would, or as badly as one can."""

import json
import socket
import struct
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ModelServer:
    """Answers each request with the next of its replies; the last one is repeated."""

    def __init__(self):
        self.replies = []
        self.listing = {"data": [{"id": "loaded-model"}]}
        self.requests = []
        self.connections = set()
        self.asked = threading.Event()
        self.over = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *arguments):
                pass

            def do_GET(self):
                owner.connections.add(self.client_address)
                Json(owner.listing)(self, owner)

            def do_POST(self):
                owner.connections.add(self.client_address)
                body = self.rfile.read(int(self.headers["content-length"]))
                owner.requests.append(Seen(self.path, dict(self.headers), body))
                owner.asked.set()
                reply = owner.replies.pop(0) if len(owner.replies) > 1 else owner.replies[0]
                try:
                    reply(self, owner)
                except OSError:
                    self.close_connection = True

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def wait_for_request(self, seconds=60):
        """Wait until somebody has asked."""
        assert self.asked.wait(seconds), "nobody asked"

    def close(self):
        if self.over.is_set():
            return
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@dataclass
class Seen:
    path: str
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


@dataclass
class Raw:
    """Bytes as they are, in pieces, with a status and headers."""

    pieces: list
    status: int = 200
    headers: dict = field(default_factory=lambda: {"content-type": "text/event-stream"})
    ending: str = "proper"  # or "reset", "silence"

    def __call__(self, handler, server):
        handler.send_response(self.status)
        for name, value in self.headers.items():
            handler.send_header(name, value)
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        for piece in self.pieces:
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            handler.wfile.flush()
        if self.ending == "silence":
            server.over.wait(60)
        elif self.ending == "reset":
            reset(handler)
        else:
            handler.wfile.write(b"0\r\n\r\n")


def reset(handler):
    """Cut the connection the hard way."""
    linger = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    handler.close_connection = True
    handler.connection.close()


def Json(value, status=200, headers=None):
    headers = {"content-type": "application/json", **(headers or {})}
    return Raw([json.dumps(value).encode()], status, headers)


def Refusal(status, message="no", headers=None, **more):
    return Json({"error": {"message": message, **more}}, status, headers)


def Hang(handler, server):
    """Take the request and never answer."""
    server.over.wait(60)


def Cut(handler, server):
    """Take the request and cut the connection."""
    reset(handler)


def event(value):
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def chunk(delta=None, finish=None, usage=None, **more):
    value = {"choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}], **more}
    return event({**value, "usage": usage} if usage else value)


def said(*texts, finish="stop", usage=None, ending="proper"):
    """A reply of plain text."""
    pieces = [chunk({"content": text}) for text in texts]
    if ending == "proper":
        pieces += [chunk(finish=finish, usage=usage), b"data: [DONE]\n\n"]
    return Raw(pieces, ending=ending)


def called(*calls, text="", finish="tool_calls", size=7):
    """A reply with tool calls, their arguments in small pieces."""
    pieces = [chunk({"content": text})] if text else []
    for index, (name, arguments) in enumerate(calls):
        function = {"name": name, "arguments": ""}
        pieces.append(_tool(index, function, id=f"call_{index}"))
        for at in range(0, len(arguments), size):
            pieces.append(_tool(index, {"arguments": arguments[at : at + size]}))
    return Raw([*pieces, chunk(finish=finish), b"data: [DONE]\n\n"])


def _tool(index, function, **more):
    return chunk({"tool_calls": [{"index": index, "function": function, **more}]})

"""Servers on this machine that answer as the real ones do."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    """Looks up (method, path) in the server's routes and calls what it finds with itself."""

    protocol_version = "HTTP/1.1"
    server_version = ""
    sys_version = ""

    def _dispatch(self):
        path = self.path.partition("?")[0]
        length = int(self.headers.get("content-length", 0))
        self.body = self.rfile.read(length)
        self.server.seen.append((self.command, path, self.body))
        route = self.server.routes.get((self.command, path))
        if route is None:
            return self.reply(404, b"404 page not found", "text/plain")
        return route(self)

    do_GET = do_POST = do_HEAD = do_DELETE = _dispatch

    def version_string(self):
        return self.server.banner

    def reply(self, status, body, kind="application/json", **headers):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def stream(self, lines, kind):
        """Send lines one by one, in chunks, as servers do that stream."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for line in [*lines, b""]:
            self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
            self.wfile.flush()

    def log_message(self, *args):
        pass


@contextmanager
def serving(routes, *, banner="test", port=0):
    """A server with these routes; `.url` is its address and `.seen` what was asked."""
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    server.routes, server.banner, server.seen = routes, banner, []
    server.port = server.server_address[1]
    server.url = f"http://127.0.0.1:{server.port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def always(body, status=200, kind="application/json"):
    """A route that always answers the same."""
    return lambda handler: handler.reply(status, body, kind)

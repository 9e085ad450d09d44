"""What walls cost: opening a cell, starting programs, running blocks, fetching by the proxy."""

import http.client
import http.server
import os
import socket
import statistics
import tempfile
import threading
import time
from pathlib import Path

from bench.table import median, show
from interpreter.policies.scan.code_scan import scan
from interpreter.runtimes.kernel.python import python_kernel
from interpreter.runtimes.process.shell import bash
from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox
from interpreter.sandboxes.backends.landlock import LandlockSandbox
from interpreter.sandboxes.backends.none import NoSandbox
from interpreter.sandboxes.confinement import Confinement, interpreter_places
from interpreter.sandboxes.network.host_gate import HostGate
from interpreter.sandboxes.network.proxy import NetworkProxy

CONFINEMENT = Confinement(programs=interpreter_places())
BLOCKS = 200
SANDBOXES = {
    "no walls": NoSandbox(),
    "bubblewrap": BubblewrapSandbox(CONFINEMENT, os.environ),
    "bubblewrap, no live grants": BubblewrapSandbox(CONFINEMENT, os.environ, live=False),
    "Landlock": LandlockSandbox(CONFINEMENT, os.environ),
}


def milliseconds(seconds):
    return f"{seconds * 1000:.2f} ms"


def open_and_start(sandbox, workspace):
    """Seconds until the first program of a new cell has ended."""
    start = time.perf_counter()
    cell = sandbox.open(workspace)
    cell.launch(["true"]).wait()
    taken = time.perf_counter() - start
    cell.close()
    return taken


def opening(workspace, times=25):
    taken = {name: [] for name in SANDBOXES}
    for _ in range(times):
        for name, sandbox in SANDBOXES.items():
            taken[name].append(open_and_start(sandbox, workspace))
    plain = min(taken["no walls"])
    rows = [("open a cell and run `true`", "least", "median", "over no walls (least)")]
    for name, values in taken.items():
        over = f"+{(min(values) - plain) * 1000:.1f} ms"
        rows.append((name, *map(milliseconds, (min(values), statistics.median(values))), over))
    return rows


def launching(workspace, times=100):
    rows = [("start a program in an open cell", "median", "ratio")]
    plain = 0.0
    for name in ("no walls", "bubblewrap"):
        cell = SANDBOXES[name].open(workspace)
        taken = median(lambda cell=cell: cell.launch(["true"]).wait(), times=times)
        cell.close()
        plain = plain or taken
        rows.append((name, milliseconds(taken), f"{taken / plain:.2f}"))
    return rows


def running(workspace, factory, source):
    """Medians of `BLOCKS` blocks inside and outside, taken in turns so that noise hits both."""
    cells = [SANDBOXES[name].open(workspace) for name in ("no walls", "bubblewrap")]
    runtimes = [factory(cell.launch, cell.exchange) for cell in cells]
    taken = [[], []]
    for runtime in runtimes:
        list(runtime.run(source))
    for _ in range(BLOCKS):
        for runtime, values in zip(runtimes, taken, strict=True):
            start = time.perf_counter()
            list(runtime.run(source))
            values.append(time.perf_counter() - start)
    for closing in (*runtimes, *cells):
        closing.close()
    return [statistics.median(values) for values in taken]


def blocks(workspace):
    rows = [(f"run {BLOCKS} blocks", "no walls", "bubblewrap", "ratio (limit 1.1)")]
    work = "s = 0\nfor i in range(20000): s += i"
    files = "for i in 1 2 3 4 5; do echo $i > f$i; cat f$i; done"
    for name, factory, source in (
        ("python: pass", python_kernel, "pass"),
        ("python: a loop", python_kernel, work),
        ("bash: write and read files", bash, files),
    ):
        plain, inside = running(workspace, factory, source)
        rows.append((name, milliseconds(plain), milliseconds(inside), f"{inside / plain:.2f}"))
    return rows


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


def fetch(address, url):
    connection = http.client.HTTPConnection(*address)
    connection.request("GET", url)
    connection.getresponse().read()
    connection.close()


async def this_machine(host, port):
    return ["127.0.0.1"]


def proxied():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        proxy = NetworkProxy(HostGate(allow=[f"example.org:{port}"]), this_machine)
        listener = socket.create_server(("127.0.0.1", 0))
        at = listener.getsockname()
        proxy.serve(listener)
        direct = median(lambda: fetch(("127.0.0.1", port), "/"), times=100)
        through = median(lambda: fetch(at, f"http://example.org:{port}/"), times=100)
        proxy.close()
        server.shutdown()
    added = f"+{(through - direct) * 1000:.2f} ms (limit 5)"
    return [("fetch a page", "direct", "by the proxy", "added")] + [
        ("small page, this machine", milliseconds(direct), milliseconds(through), added)
    ]


def granting(workspace):
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as other:
        cell = SANDBOXES["bubblewrap"].open(workspace)
        taken = median(lambda: cell.grant(cell.hold(Path(other)), "read"), times=15)
        cell.close()
    scanned = median(lambda: scan("python", "import os\nprint(os.getcwd())\n" * 50), times=50)
    return [
        ("other", "median"),
        ("grant a directory to a running cell, with its check", milliseconds(taken)),
        ("scan a Python block of 100 lines", milliseconds(scanned)),
    ]


def main():
    with tempfile.TemporaryDirectory() as name:
        workspace = Path(name)
        show("Walls: opening", opening(workspace))
        show("Walls: programs", launching(workspace))
        show("Walls: blocks", blocks(workspace))
        show("Walls: network", proxied())
        show("Walls: grants and scans", granting(workspace))


if __name__ == "__main__":
    main()

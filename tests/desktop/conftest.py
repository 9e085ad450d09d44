"""A desktop of its own for these tests: Xvfb, a window manager, a session bus, real programs."""

import ctypes
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from interpreter.desktop.opening import open_desktop

APPS = Path(__file__).parent / "apps"
PATIENCE = 40


def wait_for(condition, what="it", seconds=PATIENCE):
    """Wait until a condition holds; its value."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what} did not happen in {seconds} seconds"
        time.sleep(0.005)
    return found


PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


def _die_with_the_tests():
    """In the child: a run that is killed leaves no server behind."""
    _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@contextmanager
def running(argv, **options):
    """A program that ends with this block, with all that it started, or with the tests."""
    process = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        preexec_fn=_die_with_the_tests, **options,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


@dataclass
class Screen:
    """A display with what a desktop needs, and the environment of programs on it."""

    environment: dict
    directory: Path
    stack: ExitStack
    manager: subprocess.Popen
    numbers: list = field(default_factory=list)

    def desktop(self):
        return open_desktop(self.environment)

    def has_window_manager(self):
        """Whether it has taken over."""
        asked = ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"]
        done = subprocess.run(asked, env=self.environment, capture_output=True, check=False)
        return b"window id" in done.stdout

    def start(self, kind, left=60, top=60):
        """Start a program of one toolkit; what it says about itself."""
        self.numbers.append(kind)
        file = self.directory / f"{kind}{len(self.numbers)}.json"
        place = [str(left), str(top)]
        argv = {
            "gtk3": ["/usr/bin/python3", str(APPS / "gtk_app.py"), "3", str(file), *place],
            "gtk4": ["/usr/bin/python3", str(APPS / "gtk_app.py"), "4", str(file), *place],
            "qt": [sys.executable, str(APPS / "qt_app.py"), str(file), *place],
            "tk": ["wish", str(APPS / "tk_app.tcl"), str(file), *place],
        }
        if kind == "xterm":
            return self._terminal(file, place)
        if kind == "chromium":
            return self._browser(place)
        process = self.stack.enter_context(running(argv[kind], env=self.environment))
        wait_for(file.exists, f"the first state of {kind}")
        pid = None if kind == "tk" else process.pid  # Tk does not say whose its windows are
        return App(kind, lambda: json.loads(file.read_text()), pid)

    def _terminal(self, file, place):
        script = f"stty -echo -icanon min 1; cat > {file}"
        argv = ["xterm", "-u8", "-geometry", f"60x8+{place[0]}+{place[1]}", "-T", "Terminal",
                "-e", "sh", "-c", script]  # fmt: skip
        self.stack.enter_context(running(argv, env=self.environment))
        wait_for(file.exists, "the terminal's file")
        return App("xterm", lambda: {"text": file.read_text(errors="replace")})

    def _browser(self, place):
        states = [{}]

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write((APPS / "page.html").read_bytes())

            def do_POST(self):
                states.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        self.stack.callback(thread.join)
        self.stack.callback(server.server_close)
        self.stack.callback(server.shutdown)
        argv = ["chromium", "--no-sandbox", "--no-first-run", "--force-renderer-accessibility",
                f"--user-data-dir={self.directory}/profile{len(self.numbers)}", "--disable-gpu",
                f"--window-position={place[0]},{place[1]}", "--window-size=700,400",
                f"--app=http://127.0.0.1:{server.server_port}/"]  # fmt: skip
        self.stack.enter_context(running(argv, env=self.environment))
        wait_for(lambda: len(states) > 1, "the page in the browser")
        return App("chromium", lambda: states[-1])


@dataclass
class App:
    """A running program and its own account of what happened to it."""

    kind: str
    state: object
    pid: int | None = None  # tells its window from that of another program of the same kind

    @property
    def title(self):
        return {"gtk3": "GTK 3 shop", "gtk4": "GTK 4 shop", "qt": "Qt shop", "tk": "Tk shop",
                "xterm": "Terminal", "chromium": "Web shop"}[self.kind]  # fmt: skip

    def window(self, desktop):
        """Its window, once it is shown."""
        return wait_for(
            lambda: next((w for w in desktop.windows() if self._is_its(w)), None), self.title
        )

    def _is_its(self, window):
        return self.title in window.title and self.pid in (None, window.pid)


def in_front(app, desktop):
    """The window of a program, once it has the focus: clicks then land in no other one.

    A window that was just shown stays behind one in which somebody typed, and one that is shown a
    moment later may take the focus again.
    """
    window = app.window(desktop)

    def active():
        return next((one for one in desktop.windows() if one.active and one.id == window.id), None)

    desktop.activate(window)
    with suppress(AssertionError):
        return wait_for(active, seconds=5)
    desktop.activate(window)
    return wait_for(active, f"the focus of {app.kind}")


@contextmanager
def displayed(server):
    """A display by a server's command, with a window manager and a session bus."""
    directory = Path(tempfile.mkdtemp(prefix="desk"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, directory, ignore_errors=True)
        reader, writer = os.pipe()
        argv = [*server, "-displayfd", str(writer), "-nolisten", "tcp", "-noreset"]
        stack.enter_context(running(argv, pass_fds=[writer], stdout=subprocess.DEVNULL))
        os.close(writer)
        with os.fdopen(reader) as numbers:
            number = numbers.readline().strip()
        assert number, f"{server[0]} did not start"
        runtime = directory / "run"
        runtime.mkdir(mode=0o700)
        environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(directory), "DISPLAY": f":{number}",
            "XDG_RUNTIME_DIR": str(runtime), "LANG": "C.UTF-8", "NO_AT_BRIDGE": "0",
            "GTK_A11Y": "atspi", "GSK_RENDERER": "cairo", "QT_QPA_PLATFORM": "xcb",
        }  # fmt: skip
        bus = stack.enter_context(
            running(["dbus-daemon", "--session", "--print-address", "--nofork"],
                    env=environment, stdout=subprocess.PIPE, text=True)
        )  # fmt: skip
        environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
        stack.callback(bus.stdout.close)
        manager = running(["openbox"], env=environment, stdout=subprocess.DEVNULL)
        screen = Screen(environment, directory, stack, stack.enter_context(manager))
        wait_for(screen.has_window_manager, "openbox")
        yield screen


NEEDED = ("Xvfb", "openbox", "dbus-daemon", "xclip")


@pytest.fixture(scope="module")
def screen():
    """One monitor of 1280 by 900."""
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}; make test installs them")
    with displayed(["Xvfb", "-screen", "0", "1280x900x24"]) as screen:
        yield screen


@pytest.fixture
def desktop(screen, monkeypatch):
    """The desktop on that screen; programs that a test starts end with it."""
    for name in ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, screen.environment[name])
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    outer, screen.stack = screen.stack, ExitStack()
    with closing(screen.desktop()) as desktop, screen.stack:
        yield desktop
    screen.stack = outer

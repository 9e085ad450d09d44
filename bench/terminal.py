"""How the terminal feels: the prompt on screen, the CPU of rendering, the echo of a key."""

import fcntl
import io
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

from bench.table import command, seconds, show

BIN = Path(sys.executable).parent
WORDS = "The quick **brown** fox jumps over the `lazy` dog, and then goes on to the next one. "
TOKEN = 4  # characters
LINES = 400_000


def main():
    rows = [("what", "measured", "baseline", "ratio", "goal")]
    rows += [_prompt(), *_rendering(), _echo()]
    show("The terminal", rows)


def _prompt():
    """From the start of the process until the prompt can be seen."""
    bare = seconds(command(sys.executable, "-c", "pass")) * 1000
    measured = min(_until_prompt() for _ in range(9)) * 1000
    ratio = f"{measured / bare:.1f}"
    return ("prompt on screen", f"{measured:.0f} ms", f"{bare:.0f} ms", ratio, "<= 250 ms, idle")


def _until_prompt():
    with tempfile.TemporaryDirectory() as home, _Program(home, [], "- Hello.\n") as program:
        start = time.perf_counter()
        program.start()
        program.read_until(b"> ")
        return time.perf_counter() - start


def _rendering():
    """CPU for a reply that comes token by token, all drawings included."""
    _render(100)  # imports
    short, long = (min(_render(tokens) for _ in range(5)) for tokens in (800, 3_200))
    naive = _render_naively(800)
    return [
        (
            "CPU of an 800-token reply",
            f"{short * 1000:.1f} ms",
            f"{naive * 1000:.0f} ms (Markdown again per token)",
            f"{short / naive:.3f}",
            "<= 200 ms",
        ),
        ("3,200 tokens against 800", f"{long * 1000:.1f} ms", f"{short * 1000:.1f} ms",
         f"{long / short:.2f}", "<= 4.5"),
    ]  # fmt: skip


def _reply(tokens):
    return (WORDS * (tokens * TOKEN // len(WORDS) + 1))[: tokens * TOKEN]


def _render(tokens):
    from interpreter.protocol.events import TextDelta, TurnFinished
    from interpreter.terminal.live_face import LiveFace, TerminalLook
    from interpreter.terminal.render.ansi import COLOURS
    from interpreter.terminal.render.screen import Screen

    text = _reply(tokens)
    screen = Screen(io.StringIO(), size=lambda: os.terminal_size((100, 30)))
    face = LiveFace(screen, TerminalLook(COLOURS, lambda face, width: "", lambda face: None))
    events = [TextDelta(text[at : at + TOKEN]) for at in range(0, len(text), TOKEN)]
    start = time.process_time()
    for event in events:
        with screen.lock:
            face._show(event)
        screen.draw()  # as if each token came a frame after the other
    face.show([TurnFinished("answered")])
    return time.process_time() - start


def _render_naively(tokens):
    """What a face costs that renders the whole message again for each token."""
    from rich.console import Console
    from rich.markdown import Markdown

    text = _reply(tokens)
    console = Console(file=io.StringIO(), width=100, force_terminal=True)
    start = time.process_time()
    for at in range(TOKEN, len(text), TOKEN):
        console.print(Markdown(text[:at]))
    return time.process_time() - start


def _echo():
    """From a key to its echo, while a block prints as fast as 10,000 lines a second."""
    block = (
        "import sys, time\n"
        f"for n in range(0, {LINES}, 100):\n"
        "    sys.stdout.write(''.join(f'row {n + m}\\n' for m in range(100))); sys.stdout.flush()\n"
        "    time.sleep(0.01)\n"
    )
    indented = "".join(f"    {line}\n" for line in block.splitlines())
    script = f"- code: |\n{indented}- Done.\n"
    arguments = ["-y"]
    with tempfile.TemporaryDirectory() as home, _Program(home, arguments, script) as program:
        program.start()
        program.read_until(b"> ")
        program.write(b"go\r")
        program.read_until(b"row 2000")
        times = sorted(_one_echo(program, place) for place in range(40))
        program.process.send_signal(signal.SIGINT)
    middle, worst = times[len(times) // 2] * 1000, times[-2] * 1000
    return (
        "echo of a key, median of 40",
        f"{middle:.1f} ms",
        f"{worst:.1f} ms (95 %)",
        "-",
        "<= 20 ms",
    )


def _one_echo(program, place):
    key = bytes([ord("a") + place % 26])
    typed = b"".join(bytes([ord("a") + n % 26]) for n in range(place + 1))
    start = time.perf_counter()
    program.write(key)
    program.read_until(typed)
    return time.perf_counter() - start


class _Program:
    """The command in a terminal of its own, without any emulator that could be slow."""

    def __init__(self, home, arguments, script):
        self._home = home
        (Path(home) / "work").mkdir()
        path = Path(home) / "script.yaml"
        path.write_text(script)
        self._argv = [BIN / "interpreter", "--model", f"scripted/{path}", *arguments]
        self._seen = b""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
        os.close(self._ours)

    def start(self):
        self._ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (30, 100))
        env = {
            **os.environ,
            "HOME": self._home,
            "XDG_DATA_HOME": self._home,
            "TERM": "xterm-256color",
        }
        env |= {"XDG_CONFIG_HOME": self._home, "PROMPT_TOOLKIT_NO_CPR": "1"}
        self.process = subprocess.Popen(
            self._argv,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=env,
            cwd=f"{self._home}/work",
            start_new_session=True,
            preexec_fn=lambda: _own_terminal(theirs),
        )
        os.close(theirs)

    def write(self, data):
        os.write(self._ours, data)

    def read_until(self, wanted, limit=30.0):
        end = time.perf_counter() + limit
        while wanted not in self._seen:
            ready, _, _ = select.select([self._ours], [], [], end - time.perf_counter())
            assert ready, f"{wanted!r} did not come; the end: {self._seen[-300:]!r}"
            self._seen = (self._seen + os.read(self._ours, 65536))[-200_000:]
        self._seen = b""


def _own_terminal(descriptor):
    fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)


if __name__ == "__main__":
    main()

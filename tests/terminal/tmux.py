"""A real terminal to type into: tmux, watched through its control mode, so that nothing sleeps."""

import os
import re
import select
import shlex
import signal
import subprocess
import time

HANG = 240.0  # seconds; a machine may be busy with other things
PROMPT = re.compile(r">(?: {2,}\S.*)?")  # there may be a word at the right


class Terminal:
    """A program in a tmux pane of a given size."""

    def __init__(self, argv, directory, *, width=100, height=30, env=None):
        self._socket = str(directory / "tmux.sock")
        settings = directory / "tmux.conf"
        settings.write_text(
            "set -g history-limit 50000\nset -g remain-on-exit on\nset -g escape-time 0\n"
            "set -g default-terminal tmux-256color\nset -g status off\n"
        )
        env = {"PYTHONFAULTHANDLER": "1", **(env or {})}
        assignments = [f"{name}={shlex.quote(value)}" for name, value in env.items()]
        words = ["env", *assignments, *map(shlex.quote, map(str, argv))]
        command = f"{' '.join(words)}; echo $? > {shlex.quote(str(directory / 'status'))}"
        self._status = directory / "status"
        start = ["-f", str(settings), "new-session", "-d", "-s", "main"]
        size = ["-x", str(width), "-y", str(height)]
        self._tmux(*start, *size, "-c", str(directory), command)
        self._watch = subprocess.Popen(
            ["tmux", "-S", self._socket, "-C", "attach", "-t", "main"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ,
        )
        self.resize(width, height)

    def resize(self, width, height):
        self._watch.stdin.write(f"refresh-client -C {width}x{height}\n".encode())
        self._watch.stdin.flush()

    def type(self, text):
        """Characters as if typed."""
        for at in range(0, len(text), 400):
            self._tmux("send-keys", "-l", "-t", "main", "--", text[at : at + 400])

    def press(self, *keys):
        """Special keys by tmux's names: Enter, C-c, Escape, M-Enter."""
        self._tmux("send-keys", "-t", "main", *keys)

    def paste(self, text):
        """A bracketed paste, as a terminal makes it."""
        subprocess.run(
            ["tmux", "-S", self._socket, "load-buffer", "-"], input=text.encode(), check=True
        )
        self._tmux("paste-buffer", "-p", "-r", "-t", "main")

    def screen(self, *, styled=False):
        """What can be seen now."""
        return self._tmux("capture-pane", "-p", *(["-e"] if styled else []), "-t", "main")

    def everything(self, *, styled=False):
        """The scrollback and what can be seen, with lines that were wrapped joined again."""
        flags = ["-e"] if styled else []
        lines = self._tmux("capture-pane", "-p", "-J", "-S", "-", *flags, "-t", "main").split("\n")
        text = "\n".join(line.rstrip() for line in lines)
        return text.rstrip("\n") + "\n"

    def wait_for(self, *words, where=None):
        """Wait until all these words are there; what was seen."""
        look = where or self.everything
        return self.wait_until(lambda: _has_all(look(), words), words)

    def wait_until(self, condition, about=""):
        """Wait until a condition holds, looking again whenever the terminal has changed."""
        end = time.monotonic() + HANG
        while not condition():
            left = end - time.monotonic()
            if left <= 0 or (about != "the end" and self._dead().startswith("1")):
                if condition():
                    break
                self._have_it_say_where_it_hangs()
                raise AssertionError(f"waited for {about!r}; the screen:\n{self.everything()}")
            self._look_up(min(left, 1.0))
        return self.everything()

    def _have_it_say_where_it_hangs(self):
        """A program that does not end as it should writes on the screen what its threads do."""
        shell = self._tmux("list-panes", "-t", "main", "-F", "#{pane_pid}").strip()
        found = subprocess.run(["pgrep", "-P", shell], capture_output=True, text=True)
        for program in map(int, found.stdout.split()):
            os.kill(program, signal.SIGABRT)
        end = time.monotonic() + 10.0
        while found.stdout.strip() and not self.has_ended() and time.monotonic() < end:
            self._look_up(0.5)

    def _look_up(self, seconds):
        """Wait until the terminal has changed, or the time is over."""
        ready, _, _ = select.select([self._watch.stdout], [], [], seconds)
        if ready:
            os.read(self._watch.stdout.fileno(), 65536)

    def wait_for_prompt(self):
        """Wait until the program takes a message."""

        def is_there():
            (*_, line, _) = ("", *self.everything().split("\n"))
            return bool(PROMPT.fullmatch(line))

        return self.wait_until(is_there, "a prompt")

    def wait_for_end(self):
        """Wait until the program has left; its exit status."""
        self.wait_until(self.has_ended, "the end")
        return int(self._status.read_text())

    def has_ended(self):
        """Whether the program has left."""
        return self._status.exists() and self._status.read_text().endswith("\n")

    def _dead(self):
        return self._tmux("list-panes", "-t", "main", "-F", "#{pane_dead} #{pane_dead_status}")

    def close(self):
        subprocess.run(["tmux", "-S", self._socket, "kill-server"], capture_output=True)
        self._watch.kill()
        self._watch.communicate(timeout=HANG)

    def _tmux(self, *arguments):
        done = subprocess.run(
            ["tmux", "-S", self._socket, *arguments], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def _has_all(text, words):
    """Whether the words are there, also where a line was broken between two of them."""
    flat = " ".join(text.split())
    return all(word in text or word in flat for word in words)

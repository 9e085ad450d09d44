"""A journal over a workspace, and programs that run under it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from interpreter.checkpoints.journal.client import FileJournal, JournalOptions
from tests.checkpoints.trees import read_tree

WORKER = """
import ctypes, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def exchange(a, b):
    libc.renameat2(-100, os.fsencode(a), -100, os.fsencode(b), 2)
def write(path, mode, text):
    with open(path, mode) as file:
        file.write(text)
def edit(path, text):
    with open(path, "r+") as file:
        file.seek(1)
        file.write(text)
calls = {
    "write": lambda p, t: write(p, "w", t), "append": lambda p, t: write(p, "a", t),
    "edit": edit, "unlink": os.unlink, "rename": os.rename, "mkdir": os.mkdir, "rmdir": os.rmdir,
    "symlink": lambda p, t: os.symlink(t, p), "link": os.link, "chmod": os.chmod,
    "truncate": os.truncate, "exchange": exchange, "touch": lambda p: open(p, "a").close(),
    "fifo": os.mkfifo, "age": lambda p: os.utime(p, (1e9, 1e9), follow_symlinks=False),
}
for line in sys.stdin:
    for name, *arguments in json.loads(line):
        try:
            calls[name](*arguments)
        except OSError:
            pass
    print("done", flush=True)
"""


class Bench:
    """A workspace, its journal, and a program under it that does what it is told."""

    def __init__(self, base: Path, **options) -> None:
        self.workspace = base / "workspace"
        self.exchange = base / "exchange"
        self.store = base / "store"
        self.workspace.mkdir()
        self.exchange.mkdir()
        self.options = JournalOptions(self.store, (self.workspace,), self.exchange, **options)
        self.journal = FileJournal(self.options)
        self._count = 0
        self._worker = None

    def next_name(self) -> str:
        self._count += 1
        return f"{self._count:06}"

    def run(self, *argv: str, **options) -> subprocess.CompletedProcess:
        return subprocess.run(
            self.journal.wrap(argv),
            cwd=self.workspace,
            capture_output=True,
            text=True,
            timeout=100,
            **options,
        )

    def block(self, *argv: str, **options):
        """Run a program as a block that must succeed; its name and what it changed."""
        name = self.next_name()
        self.journal.begin(name, " ".join(argv)[:60])
        done = self.run(*argv, **options)
        assert done.returncode == 0, done.stderr
        return name, self.journal.end()

    def shell(self, source: str):
        return self.block("bash", "-c", source)

    def operations(self, *steps):
        """Have a program that stays alive do file operations as one block."""
        name = self.next_name()
        self.journal.begin(name, "operations")
        self.tell(*steps)
        return name, self.journal.end()

    def tell(self, *steps) -> None:
        if self._worker is None:
            self._worker = subprocess.Popen(
                self.journal.wrap([sys.executable, "-I", "-c", WORKER]),
                cwd=self.workspace,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        self._worker.stdin.write(json.dumps(steps) + "\n")
        self._worker.stdin.flush()
        assert self._worker.stdout.readline() == "done\n"

    def tree(self):
        return read_tree(self.workspace)

    def reopen(self) -> None:
        """What a new host does with the store of one that is gone."""
        self.stop()
        self.journal = FileJournal(self.options)

    def stop(self) -> None:
        if self._worker is not None:
            self._worker.stdin.close()
            self._worker.wait(timeout=60)
            self._worker.stdout.close()
            self._worker = None
        self.journal.close()


@pytest.fixture
def bench(tmp_path):
    bench = Bench(tmp_path)
    yield bench
    bench.stop()

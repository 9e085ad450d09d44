"""Runs as root or as an ordinary user: blocks in a cell under the journal, and the user's own git.

``guard_driver.py SRC HOME``: one JSON object per line in, ``{"steps": [[kind, text], ...]}``; one
out. Each line gets a workspace of its own: a repository with one commit and `evil.sh` in it, which
leaves a mark when it runs on the host. Self-contained but for the package in SRC.
"""

# ruff: noqa: E402

import contextlib
import json
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

sys.path.insert(0, sys.argv[1])
# Without its own opening, which needs packages that an ordinary user's Python may not have.
assembly = sys.modules["interpreter.assembly"] = types.ModuleType("interpreter.assembly")
assembly.__path__ = [f"{sys.argv[1]}/interpreter/assembly"]

from interpreter.assembly.cell.guards import AutorunWatch
from interpreter.checkpoints.journal.client import FileJournal, JournalOptions
from interpreter.policies.autorun import AutorunGuard
from interpreter.protocol.actions import Decision
from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox
from interpreter.sandboxes.confinement import Confinement, interpreter_places

PATIENCE = 120


class Place:
    """One workspace with what is around it."""

    def __init__(self, base, options):
        shutil.rmtree(base, ignore_errors=True)
        self.workspace, self.mark = base / "project", base / "mark"
        self.workspace.mkdir(parents=True)
        self.host = {**os.environ, "HOME": str(base), "EVIL": str(self.workspace / "evil.sh")}
        (base / ".gitconfig").write_text("[user]\nname = Ann\nemail = ann@example.org\n")
        self.on_host("git init -q . && git commit -q --allow-empty -m first")
        evil = self.workspace / "evil.sh"
        evil.write_text(f"#!/bin/sh\ntouch {self.mark}\nexit 1\n")
        evil.chmod(0o755)
        self.on_host(options.get("setup", ""))
        self.questions, self.answer, self.said, self.notes = [], False, [], []
        self.programs, self.names = [], []
        self.cell = self.journal = self.guard = None
        self.flags = []
        if options.get("walls", True):
            self.open(base)

    def open(self, base):
        confinement = Confinement(programs=interpreter_places())
        self.cell = BubblewrapSandbox(confinement, self.host).open(self.workspace)
        options = JournalOptions(
            base / "store", (self.workspace,), self.cell.exchange, protected=self.cell.protected
        )
        self.journal = FileJournal(options, self.ask)
        self.guard = AutorunGuard(self.workspace)

    def ask(self, path, size, why):
        self.questions.append([os.path.relpath(path, self.workspace), why])
        return self.answer

    def on_host(self, source):
        done = subprocess.run(
            ["bash", "-c", source], cwd=self.workspace, env=self.host, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            timeout=PATIENCE,
        )  # fmt: skip
        return done.stdout

    def launch(self, source):
        is_python = source.lstrip().startswith("import ")
        words = [sys.executable, "-c", source] if is_python else ["bash", "-c", source]
        env = {"EVIL": self.host["EVIL"], "HOME": "/tmp", "GIT_AUTHOR_NAME": "C"}
        env |= {"GIT_AUTHOR_EMAIL": "c@c", "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@c"}
        return self.cell.launch(
            self.journal.wrap(words), cwd=self.workspace, env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def block(self, source):
        if self.journal is None:
            self.said.append(self.on_host(source))
            return
        self.said.append(self.heard(self.begun(source)))
        self.end()

    def begun(self, source):
        self.names.append(f"{len(self.names) + 1:06}")
        self.journal.begin(self.names[-1], "block")
        self.watch = AutorunWatch(self.guard, self.workspace, self.journal)
        self.watch.before()
        return self.launch(source)

    def end(self):
        """The user is asked about the files, and answers."""
        asking, answer = self.watch.after(), None
        with contextlib.suppress(StopIteration):
            while True:
                step = asking.send(answer)
                answer = None
                if isinstance(step, str):
                    self.notes.append(step)
                else:
                    self.flags.append(json.loads(step.action.arguments)["files"])
                    answer = Decision("yes" if self.answer else "no")
        self.watch.close()
        self.notes += self.journal.end().notes

    def abandoned(self, source):
        """A block that is broken off while the user is asked."""
        self.said.append(self.heard(self.begun(source)))
        asking = self.watch.after()
        self.flags.append(json.loads(next(asking).action.arguments)["files"])
        asking.close()
        self.watch.close()

    def unanswered(self, source):
        """A block after which the host is gone."""
        self.said.append(self.heard(self.begun(source)))

    def leave(self, source):
        """A block whose program goes on after it has said that it is ready."""
        self.left = self.begun(source)
        assert self.left.stdout.readline() == b"ready\n"
        self.end()

    def leave_allowed(self, source):
        """The same; what it has written until then is allowed."""
        self.answer = True
        self.leave(source)
        self.answer = False

    def wait(self, _):
        self.said.append(self.heard(self.left))

    def heard(self, program):
        with program.stdout:
            text = program.stdout.read().decode("utf-8", "replace")
        program.wait(PATIENCE)
        return text

    def yes(self, source):
        """A block whose questions are answered with yes."""
        self.answer = True
        self.block(source)
        self.answer = False

    def undo(self, _):
        self.said.append(self.journal.undo(self.names.pop()))

    def user(self, source):
        """What the user does on the host."""
        self.said.append(self.on_host(source))

    def close(self):
        if self.cell is not None:
            self.cell.close()
            self.journal.close()
            self.guard.close()


def main():
    home = Path(sys.argv[2])
    sys.stdout.write(json.dumps({"uid": os.getuid()}) + "\n")
    sys.stdout.flush()
    for line in sys.stdin:
        request = json.loads(line)
        place = Place(home, request)
        try:
            for kind, text in request["steps"]:
                getattr(place, kind)(text)
        finally:
            place.close()
        names = ("said", "questions", "notes", "flags")
        found = {name: getattr(place, name) for name in names}
        left = {name: place.on_host(f"cat {name}") for name in request.get("look", ())}
        found |= {"ran": place.mark.exists(), "left": left}
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

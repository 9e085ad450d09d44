"""Runs as root or as an ordinary user: blocks in a cell under the journal, and the user's own git.

``guard_driver.py SRC HOME``: one JSON object per line in, ``{"steps": [[kind, text], ...]}``; one
out. Each line gets a workspace of its own: a repository with one commit and `evil.sh` in it, which
leaves a mark when it runs on the host. Self-contained but for the package in SRC.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from interpreter.checkpoints.journal import FileJournal, JournalOptions
from interpreter.sandboxes.bubblewrap import BubblewrapSandbox
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
        self.cell = self.journal = None
        if options.get("walls", True):
            self.open(base)

    def open(self, base):
        confinement = Confinement(programs=interpreter_places())
        self.cell = BubblewrapSandbox(confinement, self.host).open(self.workspace)
        options = JournalOptions(
            base / "store", (self.workspace,), self.cell.exchange, protected=self.cell.protected
        )
        self.journal = FileJournal(options, self.ask)

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
        words = [sys.executable, "-c", source] if "import " in source else ["bash", "-c", source]
        env = {"EVIL": self.host["EVIL"], "HOME": "/tmp", "GIT_AUTHOR_NAME": "C"}
        env |= {"GIT_AUTHOR_EMAIL": "c@c", "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@c"}
        return self.cell.launch(
            self.journal.wrap(words), cwd=self.workspace, env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def begin(self):
        self.names.append(f"{len(self.names) + 1:06}")
        self.journal.begin(self.names[-1], "block")

    def block(self, source):
        if self.journal is None:
            self.said.append(self.on_host(source))
            return
        self.begin()
        program = self.launch(source)
        with program.stdout:
            text = program.stdout.read().decode("utf-8", "replace")
        program.wait(PATIENCE)
        self.notes += self.journal.end().notes
        self.said.append(text)

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
        found = {"said": place.said, "questions": place.questions, "notes": place.notes}
        sys.stdout.write(json.dumps({**found, "ran": place.mark.exists()}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

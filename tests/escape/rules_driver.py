"""Runs as root or as an ordinary user: a cell with rules, in which it tries what it is told.

``rules_driver.py SRC HOME``: one JSON object per line in, ``{"code", "where"}``; one out. In the
place "ruled" the rules hold; in "free" the same cell runs the same program without them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from interpreter.checkpoints.journal import FileJournal, JournalOptions
from interpreter.protocol.program_rules import ProgramRule
from interpreter.sandboxes.bubblewrap import BubblewrapSandbox
from interpreter.sandboxes.confinement import Confinement, interpreter_places

RULES = (
    ProgramRule("deny", ("git", "push"), "pushing is for people"),
    ProgramRule("deny", ("pip", "download")),
    ProgramRule("deny", ("forbidden",)),
    ProgramRule("ask", ("git", "tag")),
)
GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]


class Place:
    """A repository with a remote, in a cell under a journal with rules."""

    def __init__(self, home):
        self.workspace = home / "project"
        self.workspace.mkdir(parents=True)
        self.git("init", "-q", ".")
        self.git("commit", "-q", "--allow-empty", "-m", "first")
        self.git("init", "-q", "--bare", "remote")
        host = {**os.environ, "HOME": str(home)}
        confinement = Confinement(programs=interpreter_places())
        self.cell = BubblewrapSandbox(confinement, host).open(self.workspace)
        options = JournalOptions(
            home.parent / "store", (self.workspace,), self.cell.exchange, programs=RULES
        )
        self.answer, self.asked = False, []
        self.journal = FileJournal(options, ask_program=self.ask)
        self._count = 0

    def ask(self, words, rule, why):
        self.asked.append([words, rule])
        return self.answer

    def git(self, *words):
        command = [*GIT, *words]
        done = subprocess.run(command, cwd=self.workspace, capture_output=True, text=True)
        return done.stdout

    def attempt(self, request):
        self._count += 1
        ref, self.asked, self.answer = f"try{self._count}", [], request.get("answer", False)
        argv = [sys.executable, "-c"] if request["language"] == "python" else ["bash", "-c"]
        argv += [request["code"].replace("REF", f"HEAD:refs/heads/{ref}").replace("NEW", ref)]
        ruled = request["where"] == "ruled"
        self.journal.begin(f"{self._count:06}", "try")
        program = self.cell.launch(
            self.journal.wrap(argv) if ruled else argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        with program.stdout:
            text = program.stdout.read(1 << 20).decode("utf-8", "replace")
        status = program.wait(60)
        notes = self.journal.end().notes
        refs = self.git("-C", "remote", "for-each-ref", f"refs/heads/{ref}") + self.git("tag")
        pushed = ref in refs.split("\n")[0] or ref in refs
        return {
            "text": text,
            "status": status,
            "notes": list(notes),
            "pushed": pushed,
            "asked": self.asked,
        }


def tell(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def main():
    place = Place(Path(sys.argv[2]))
    tell({"workspace": str(place.workspace)})
    for line in sys.stdin:
        tell(place.attempt(json.loads(line)))
    place.cell.close()
    place.journal.close()


if __name__ == "__main__":
    main()

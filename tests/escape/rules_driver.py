"""Runs as root or as an ordinary user: a cell with rules, in which it tries what it is told.

``rules_driver.py SRC HOME``: one JSON object per line in, ``{"code", "where"}``; one out. In the
place "ruled" the rules hold; in "free" a cell runs the same program without them.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from interpreter.checkpoints.gates.denied_paths import DeniedPath
from interpreter.checkpoints.journal.client import FileJournal, JournalOptions
from interpreter.policies.path_patterns import absolute, expression, found_places, literal_part
from interpreter.protocol.actions import Verdict
from interpreter.protocol.system.program_rules import ProgramRule
from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox
from interpreter.sandboxes.confinement import Confinement, interpreter_places
from interpreter.sandboxes.network.host_gate import HostGate

RULES = (
    ProgramRule("deny", ("git", "push"), "pushing is for people"),
    ProgramRule("deny", ("pip", "download")),
    ProgramRule("deny", ("forbidden",)),
    ProgramRule("ask", ("git", "tag")),
)
DENIED = ("secrets/**", "**/*.pem", "config/prod.toml", "later/**", "a/b/never.txt")
FILES = ("secrets/key.txt", "server.pem", "sub/deep/other.pem", "config/prod.toml")
GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]


class Place:
    """A repository with a remote, in a cell under a journal with rules."""

    def __init__(self, home):
        self.workspace = home / "project"
        self.workspace.mkdir(parents=True)
        self.git("init", "-q", ".")
        self.git("commit", "-q", "--allow-empty", "-m", "first")
        self.git("init", "-q", "--bare", "remote")
        for name in FILES:
            (self.workspace / name).parent.mkdir(parents=True, exist_ok=True)
            (self.workspace / name).write_text("CANARY")
        host = {**os.environ, "HOME": str(home)}
        hidden = tuple(found_places(DENIED, self.workspace, [self.workspace]))
        self.gates = {
            "ruled": HostGate(allow=["evil.test", "*.evil.test"], ruling=self.rule),
            "free": HostGate(allow=["evil.test", "*.evil.test"]),
        }
        self.cells = {}
        for name, gate in self.gates.items():
            places = hidden if name == "ruled" else ()
            confinement = Confinement(programs=interpreter_places(), hidden=places)
            self.cells[name] = BubblewrapSandbox(confinement, host, gate=gate).open(self.workspace)
        globs = [(glob, absolute(glob, self.workspace)) for glob in DENIED]
        options = JournalOptions(
            home.parent / "store",
            (self.workspace,),
            self.cells["ruled"].exchange,
            programs=RULES,
            protected=self.cells["ruled"].protected,
            denied=tuple(DeniedPath(g, expression(p), literal_part(p)) for g, p in globs),
        )
        self.answer, self.asked = False, []
        self.journal = FileJournal(options, ask_program=self.ask)
        self._count = 0

    def ask(self, words, rule, why):
        self.asked.append([words, rule])
        return self.answer

    def rule(self, host):
        denied = host == "evil.test" or host.endswith(".evil.test")
        return Verdict("deny", "not there") if denied else None

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
        program = self.cells[request["where"]].launch(
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
        appeared = [
            name
            for name in ("later", "new.pem", "a/b/never.txt", "secrets/new")
            if os.path.lexists(self.workspace / name)
        ]
        for name in ("later", "a", "new.pem", "secrets/new", "other"):
            path = self.workspace / name
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else None
            path.unlink(missing_ok=True)
        return {
            "text": text,
            "status": status,
            "notes": list(notes),
            "pushed": ref in refs,
            "asked": self.asked,
            "appeared": appeared,
            "kept": [(self.workspace / name).read_text() for name in FILES],
            "refused": list(self.gates[request["where"]].end_block()),
        }


def tell(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def main():
    place = Place(Path(sys.argv[2]))
    tell({"workspace": str(place.workspace)})
    for line in sys.stdin:
        tell(place.attempt(json.loads(line)))
    for cell in place.cells.values():
        cell.close()
    place.journal.close()


if __name__ == "__main__":
    main()

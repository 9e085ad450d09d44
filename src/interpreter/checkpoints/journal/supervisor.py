"""The journal's own process: answers the cell's calls, and keeps, undoes and redoes blocks.

Started by `supervision.py` with three sockets: for commands and for questions of ours, as lines of
JSON, each with its reply, and a door through which listeners come. When the commands end, because
our host is gone, it goes on until the last program of the cell has ended: their calls would fail
without us.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import mmap
import os
import socket
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

from interpreter.checkpoints.gates.asked_files import AskedFiles
from interpreter.checkpoints.gates.denied_paths import DeniedPath, DeniedPaths
from interpreter.checkpoints.gates.doors import Doors
from interpreter.checkpoints.gates.git_gate import CarriedOut, GitGate
from interpreter.checkpoints.gates.program_watch import STARTED, STARTS, ProgramWatch, from_plain
from interpreter.checkpoints.journal.cell_calls import CellCalls
from interpreter.checkpoints.journal.kept.blocks import BlockDirectory
from interpreter.checkpoints.journal.kept.changes import Change
from interpreter.checkpoints.journal.kept.history import BlockHistory, Retention
from interpreter.checkpoints.journal.kept.trees import TreePlace, Trees
from interpreter.checkpoints.journal.listener import BEYOND, DONE, SIZE, SeccompListener
from interpreter.checkpoints.journal.programs import Programs
from interpreter.checkpoints.journal.recorder import ChangeRefused, JournalLimits, Recorder
from interpreter.protocol.git.config import QUESTION
from interpreter.protocol.system.program_rules import ProgramRule
from interpreter.protocol.system.system_calls import native, numbers

SLOTS = 512
_MOST_NOTES = 50
_LOOKS = 2  # for files that are being written, after the last call that could have opened one
Message = dict[str, Any]


class Supervisor:
    """One lock: while a command runs, every call that would change files waits."""

    def __init__(
        self,
        control: socket.socket,
        questions: socket.socket,
        door: socket.socket,
        options: Message,
    ) -> None:
        self._control = control
        self._questions = questions
        self._answers = questions.makefile("rb")
        self._door = door
        store = Path(options["store"])
        store.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock_file = (store / "lock").open("w")
        fcntl.flock(self._lock_file, fcntl.LOCK_EX)
        self._memory = _shared(store / "calls", fresh=not options["takes_over"])
        self._trees = Trees(options["roots"], options["protected"])
        self._history = BlockHistory(store, self._trees, Retention(**options["retention"]))
        self._programs = Programs()
        limits = JournalLimits(**options["limits"])
        self._recorder = Recorder(self._trees, limits, self._ask, self._programs.hold)
        self._gate = GitGate(self._trees, self._recorder, self._ask_about_lines, self._tell)
        self._asked = AskedFiles(
            store, self._trees, self._recorder, self._tell, takes_over=options["takes_over"]
        )
        doors = Doors(self._trees, self._gate, self._asked, self._recorder)
        denied = DeniedPaths((DeniedPath(*rule) for rule in options["denied"]), self._tell)
        self._calls = CellCalls(self._trees, self._recorder, doors, denied)
        rules = from_plain(options["programs"])
        self._watch = ProgramWatch(rules, self._ask_about_program, self._tell)
        self._names = {number: name for name, number in numbers(native()).items()}
        self._heard = 0
        self._looks = _LOOKS
        self._trouble = ""
        self._lock = threading.Lock()
        self._listening: list[threading.Thread] = []
        if options["takes_over"]:
            self._record_into(self._history.done[-1] if self._history.done else None)
        else:  # whoever was before us here was killed together with the host
            self._asked.settle(allow=False)

    def serve(self) -> None:
        """Carry out commands until the host is gone and the cell is empty."""
        threading.Thread(target=self._let_in, daemon=True).start()
        with contextlib.suppress(OSError), self._control.makefile("rb") as lines:
            for line in lines:
                self._obey(json.loads(line))
        with self._lock:  # nobody answers any more
            self._asked.settle(allow=False)
        for thread in self._listening:
            thread.join()
        self._history.close()

    def _obey(self, message: Message) -> None:
        with self._lock:
            reply = {**self._carry_out(message), "number": message["number"]}
        self._control.sendall(json.dumps(reply).encode() + b"\n")
        if message["do"] == "begin":  # when nobody waits for it any more
            with self._lock, contextlib.suppress(OSError):  # they stay until the next time
                self._history.let_go_of_the_oldest()

    def _ask(self, path: str, size: int, why: str) -> bool:
        return self._asked_host({"ask": path, "size": size, "why": why})

    def _ask_about_program(self, rule: ProgramRule, argv: list[str]) -> bool:
        question = {"ask_program": argv, "rule": str(rule), "why": rule.reason}
        return self._asked_host(question)

    def _asked_host(self, question: Message) -> bool:
        """The answer, while everybody else waits for our lock; of a host that is gone, a no."""
        with contextlib.suppress(OSError):
            self._questions.sendall(json.dumps(question).encode() + b"\n")
            if line := self._answers.readline():
                return bool(json.loads(line)["answer"])
        return False

    def _ask_about_lines(self, path: str, lines: list[str]) -> bool:
        return self._ask(path, 0, QUESTION + "\n".join(lines))

    def _tell(self, text: str) -> None:
        """Say something with the block that runs."""
        notes = self._history.done[-1].facts.notes if self._history.done else []
        if text not in notes and len(notes) < _MOST_NOTES:
            notes.append(text)

    def _let_in(self) -> None:
        while True:
            try:
                word, descriptors, _, _ = socket.recv_fds(self._door, 16, 1)
            except OSError:
                return
            if not word:
                return
            slot, _, new = word.decode().partition(" ")
            for descriptor in descriptors:
                # What a new program of ours starts first is ours, too: no rule is about it.
                own = threading.Event()
                if not new:
                    own.set()
                handle = partial(self._handle, own)
                listener = SeccompListener(descriptor, self._memory, int(slot), handle)
                thread = threading.Thread(target=listener.serve, daemon=True)
                self._listening = [t for t in self._listening if t.is_alive()] + [thread]
                thread.start()

    def _handle(
        self,
        begun: threading.Event,
        thread: int,
        number: int,
        arguments: tuple[int, ...],
        valid: Any,
    ) -> int:
        name = self._names[number]
        with self._lock:
            self._heard += 1
            self._programs.heard(thread)
            try:
                if name in STARTED:
                    self._watch.started(thread) if begun.is_set() else begun.set()
                elif name not in STARTS:
                    self._asked.heard()
                    self._calls.take(name, thread, arguments, valid)
                elif begun.is_set():
                    self._watch.starting(name, thread, arguments)
            except ChangeRefused:
                return errno.EPERM
            except CarriedOut:
                return DONE
            except OSError as error:
                if error.errno == errno.EFAULT:  # another thread may bring it back for the kernel
                    return errno.EFAULT
                self._note(number, error)
        return 0

    def _health(self, message: Message) -> Message:
        return {"heard": self._heard, "trouble": self._trouble}

    def _note(self, number: int, error: OSError) -> None:
        self._trouble = self._trouble or str(error)
        gone = isinstance(error, ProcessLookupError | FileNotFoundError)
        if not gone and self._history.done:
            text = f"a file could not be kept before {self._names[number]}: {error}"
            self._history.done[-1].facts.notes.append(text)

    def _carry_out(self, message: Message) -> Message:
        commands = {
            "begin": self._begin,
            "end": self._end,
            "conflicts": self._conflicts,
            "undo": self._undo,
            "redo": self._redo,
            "discard": self._discard,
            "list": self._list,
            "changes": self._changes,
            "watch": self._watch_files,
            "flagged": self._flagged,
            "settle": self._settle,
            "health": self._health,
        }
        self._trees.let_go()
        try:
            return {"ok": commands[message["do"]](message)}
        except (OSError, LookupError, ValueError) as error:
            return {"error": f"{type(error).__name__}: {error}"}

    def _begin(self, message: Message) -> Message:
        if _newest(self._history.done) == message["name"]:
            return {}  # asked again, since our predecessor died before it could answer
        writing = self._being_written()
        self._history.seal(writing)
        block = self._history.begin(message["name"], message["label"])
        self._record_into(block, writing)
        return {}

    def _record_into(
        self, block: BlockDirectory | None, writing: list[TreePlace] | None = None
    ) -> None:
        self._gate.begin()
        self._recorder.begin(block, self._history.known())
        for place in self._being_written() if writing is None else writing:
            self._recorder.open(place, os.O_WRONLY, lambda: True)

    def _being_written(self) -> list[TreePlace]:
        """What programs hold open; to look through all of them is worth it if some may have opened
        something, also the one that was let do so a moment ago and has not done it yet."""
        if self._recorder.heard:
            self._looks, self._recorder.heard = _LOOKS, False
        if not self._looks:
            return []
        places = [self._trees.place(path) for path in self._programs.writing()]
        found = [place for place in places if place is not None]
        self._looks = _LOOKS if found else self._looks - 1
        return found

    def _end(self, message: Message) -> Message:
        changes = self._history.end()
        notes = self._history.done[-1].facts.notes
        kept = [block.name for block in self._history.done]
        return {
            "changes": [self._plain(change) for change in changes],
            "notes": notes,
            "kept": kept,
        }

    def _watch_files(self, message: Message) -> Message:
        self._gate.begin()
        return {"late": self._asked.begin()}

    def _flagged(self, message: Message) -> Message:
        flags = self._asked.flagged()
        if not flags:
            self._asked.settle(allow=True)
        return {"flags": flags, "written": self._gate.written}

    def _settle(self, message: Message) -> Message:
        return {"failed": self._asked.settle(allow=message["allow"])}

    def _conflicts(self, message: Message) -> Message:
        blocks = self._blocks(message)
        return {"paths": [self._trees.text(place) for place in self._history.conflicts(blocks)]}

    def _blocks(self, message: Message) -> list[BlockDirectory]:
        if message.get("redo"):
            return self._history.undone[-1:]
        self._history.seal(self._being_written())
        return self._history.done[: -message["count"] - 1 : -1]

    def _undo(self, message: Message) -> Message:
        if _newest(self._history.undone) == message["name"]:
            return {"problems": self._history.problems}  # asked again, and done meanwhile
        if _newest(self._history.done) != message["name"]:
            raise LookupError(f"{message['name']} is not the newest block")
        problems = self._history.undo(self._spared(message))
        self._record_into(self._history.done[-1] if self._history.done else None)
        return {"problems": problems}

    def _redo(self, message: Message) -> Message:
        if _newest(self._history.done) == message["name"]:
            return {"problems": self._history.problems}
        if _newest(self._history.undone) != message["name"]:
            raise LookupError(f"{message['name']} is not the block that was undone last")
        problems = self._history.redo(self._spared(message))
        self._record_into(self._history.done[-1])
        return {"problems": problems}

    def _spared(self, message: Message) -> list[TreePlace]:
        places = [self._trees.place(path) for path in message["spared"]]
        return [place for place in places if place is not None]

    def _discard(self, message: Message) -> Message:
        self._history.drop_undone()
        return {}

    def _list(self, message: Message) -> Message:
        done, undone = self._history.done, self._history.undone[::-1]
        blocks = [(block, False) for block in done] + [(block, True) for block in undone]
        return {
            "blocks": [(b.name, b.facts.label, b.facts.created, gone) for b, gone in blocks],
            "problems": self._history.problems,
        }

    def _changes(self, message: Message) -> Message:
        block = self._history.find(message["name"])
        if block is None:
            raise LookupError(message["name"])
        changes = self._history.changes(block)
        images = {change.place: block.image(change.image) for change in changes if change.image}
        after = self._contents_after(block)
        plain = []
        for change in changes:
            now = after.get(change.place) or self._trees.text(change.place)
            plain.append({**self._plain(change), "before": images.get(change.place), "after": now})
        return {"changes": plain}

    def _contents_after(self, block: BlockDirectory) -> dict[TreePlace, str]:
        """Where the content is that places had after a block, if a later one has changed it."""
        found: dict[TreePlace, str] = {}
        done = self._history.done
        for later in done[done.index(block) + 1 :] if block in done else ():
            for step in later.steps():
                if step.image:
                    found.setdefault(step.place, later.image(step.image))
        return found

    def _plain(self, change: Change) -> Message:
        return {
            "path": self._trees.text(change.place),
            "kind": change.kind,
            "size": change.size,
            "origin": self._trees.text(change.origin) if change.origin else "",
        }


def _newest(blocks: list[BlockDirectory]) -> str:
    return blocks[-1].name if blocks else ""


def _shared(path: Path, *, fresh: bool) -> mmap.mmap:
    """Memory that outlives us: the calls in hand, for whoever takes over."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | (os.O_TRUNC if fresh else 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        os.ftruncate(descriptor, SLOTS * SIZE + BEYOND)
        return mmap.mmap(descriptor, SLOTS * SIZE + BEYOND)
    finally:
        os.close(descriptor)


def main() -> None:
    """Serve on the sockets whose numbers are the arguments."""
    control, questions, door = (socket.socket(fileno=int(one)) for one in sys.argv[1:4])
    Supervisor(control, questions, door, json.loads(sys.argv[4])).serve()

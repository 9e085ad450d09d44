"""Sessions as tools for other programs: code runs in the sandbox, stays, and is taken back."""

from __future__ import annotations

import base64
import contextlib
import re
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from interpreter.assembly.model_choice import FaceCallbacks
from interpreter.assembly.session_factory import SessionFactory
from interpreter.mcp.serving.jobs import ServedJob, text_result
from interpreter.mcp.serving.serving import Offer, ServedTool
from interpreter.models.nobody import NobodyToAsk
from interpreter.protocol import events as ev
from interpreter.protocol.actions import Decision
from interpreter.protocol.calls import in_one_line
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.messages import Code, Message
from interpreter.protocol.ports import nobody_answers, nobody_approves
from interpreter.protocol.values import frozen
from interpreter.protocol.visible import sentence, visible_lines
from interpreter.session.session import Session
from interpreter.settings.settings import Settings
from interpreter.tools.live_variables import all_variables

MAIN = "main"
MOST_SESSIONS = 8
LONGEST = 20_000  # characters of output in a result; the beginning and the end of more
MOST_PICTURES = 4
LARGEST_PICTURE = 2_000_000
INSTRUCTIONS = (
    "Runs code on the user's computer in a sandbox. Variables, imports and the directory stay "
    "between calls of run_code in the same session; undo takes back what the last blocks did to "
    "files and variables."
)
ANSWERS = {"type": "string", "enum": ["yes", "yes, in this session", "no"]}
APPROVAL = {"type": "object", "properties": {"answer": ANSWERS}, "required": ["answer"]}
_NAME = re.compile(r"[A-Za-z_]\w{0,200}")


TEXT, COUNT = {"type": "string"}, {"type": "integer", "minimum": 1}
LANGUAGE = {**TEXT, "description": "python, shell, javascript and others; without it, python"}
SESSION = {"session": {**TEXT, "description": "the handle of a session; without it, main"}}
TOOLS: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "run_code": (
        "Run a block of code in the sandbox; variables stay.",
        {"code": TEXT, "language": LANGUAGE},
        ["code"],
    ),
    "list_variables": ("List the variables of a session.", {}, []),
    "read_variable": ("Read one variable.", {"name": TEXT}, ["name"]),
    "undo": (
        "Take back what the last blocks did to files and variables.",
        {"blocks": COUNT},
        [],
    ),
    "redo": ("Take the last undo back.", {}, []),
    "diff": ("Show what a block did to files; 1 is the last one.", {"block": COUNT}, []),
    "open_session": ("Open another session; the result is its handle.", {}, []),
    "close_session": ("End a session and all that runs in it.", {}, []),
}


@frozen
class ServedHost:
    """Where sessions come from, and what their user may do."""

    begin: Callable[[], tuple[Settings, str]]
    """The settings of a new session, and its id where it is kept already."""
    room: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
    """Room for the processes of one session, for as long as it is open."""
    may_allow: Callable[[ev.ApprovalRequested], bool] = lambda request: True


class ServedSession:
    """One session by hand: nobody but the caller proposes code, and the policy judges it."""

    def __init__(self, host: ServedHost) -> None:
        self._host = host
        self._lock = threading.Lock()
        self._job: ServedJob | None = None
        settings, self._id = host.begin()
        # What was proposed is run, and no model is asked.
        self._settings = replace(settings, max_steps=1)
        self._notes: list[str] = []
        self._held = contextlib.ExitStack()
        self._open: Session | None = None
        self.used = time.monotonic()
        self._awake()

    def _awake(self) -> Session:
        """The session; with its variables where it was parked."""
        if self._open is not None:
            return self._open
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._host.room())
            face = FaceCallbacks(notice=self._notes.append)
            factory = SessionFactory(self._settings, self._approve, nobody_answers, face)
            stack.callback(factory.close)
            self._open = factory.open_session(self._settings, resume=self._id, model=NobodyToAsk())
            self._id = self._open.id
            self._held = stack.pop_all()
        return self._open

    def park(self) -> bool:
        """End its processes; the next call brings everything back. False while it is at work."""
        if not self._id or not self._lock.acquire(blocking=False):
            return False
        try:
            self._open = None
            self._held.close()
            return True
        finally:
            self._lock.release()

    def run(self, code: Code, job: ServedJob) -> BlockRun:
        """Propose a block, and follow it to its end."""
        if not self._lock.acquire(blocking=False):
            raise ConfigurationError("The session is busy with another call; wait, or use another.")
        try:
            self._job = job
            session = self._awake()
            session.add(Message("assistant", (code,)))
            block = BlockRun()
            with job.interrupt.calls(session.interrupt):
                for event in session.proceed():
                    block.add(event, job.progress)
            block.notes += self._notes
            self._notes.clear()
            return block
        finally:
            self._job = None
            self.used = time.monotonic()
            self._lock.release()

    def alone(self, work: Callable[[Session], str]) -> str:
        """Do something between blocks."""
        if not self._lock.acquire(blocking=False):
            raise ConfigurationError("The session is busy with another call; wait for it.")
        try:
            return work(self._awake())
        finally:
            self.used = time.monotonic()
            self._lock.release()

    def variables(self) -> str:
        """Which there are."""
        return self.alone(lambda session: all_variables(session.engine.tools["execute"]))

    def close(self) -> None:
        """End it."""
        self._open = None
        self._held.close()

    def _approve(self, request: ev.ApprovalRequested) -> Decision:
        job = self._job
        if job is None or not job.can_ask or not self._host.may_allow(request):
            return nobody_approves(request)
        answer = job.ask(_as_question(request), APPROVAL).get("answer")
        if answer == "yes, in this session":
            return Decision("session")
        return Decision("yes") if answer == "yes" else Decision("no", "the user said no")


class BlockRun:
    """What came of one block."""

    def __init__(self) -> None:
        self.output: list[str] = []
        self.pictures: list[bytes] = []
        self.notes: list[str] = []
        self.outcome = "declined"
        self.files: list[str] = []

    def add(self, event: ev.Event, progress: Callable[[str], None]) -> None:
        """Take in what happened."""
        match event:
            case ev.OutputDelta(text):
                self.output.append(text)
                progress(text.strip()[-200:])
            case ev.DisplayShown(display):
                self.output.append(display.text)
                faces = [face.data for face in display.faces if face.media_type == "image/png"]
                self.pictures += [data for data in faces if isinstance(data, bytes)]
            case ev.ExecutionFinished(outcome, summary):
                self.outcome = outcome
                self.notes += [summary] if summary else []
            case ev.FilesChanged(changes):
                self.files += [f"{change.kind} {change.path}" for change in changes]
            case ev.HostCallFinished():
                self.notes.append(in_one_line(event))
            case ev.Notice(told) | ev.TurnFinished("declined", told):
                self.notes.append(told or "It was not allowed.")
            case _:
                _pass_over(event)

    def result(self, session: str) -> dict[str, Any]:
        """As it is handed to the other side."""
        text = _shortened("".join(self.output))
        notes = [f"[{note}]" for note in (*self.notes, *self.files[:50]) if note]
        told = "\n".join(filter(None, (text.rstrip("\n"), *notes))) or "[no output]"
        data = {"session": session, "outcome": self.outcome, "files": self.files[:200]}
        found = text_result(told, data)
        for picture in self.pictures[:MOST_PICTURES]:
            if len(picture) <= LARGEST_PICTURE:
                encoded = base64.b64encode(picture).decode()
                found["content"].append({"type": "image", "data": encoded, "mimeType": "image/png"})
        return found if self.outcome == "ok" else {**found, "isError": True}


class ServedSessions:
    """The sessions of one client, by their handles; the first is there without being opened."""

    def __init__(self, host: ServedHost) -> None:
        self._host = host
        self._lock = threading.Lock()
        self._sessions: dict[str, ServedSession] = {}

    def offer(self) -> Offer:
        """What a client can do."""
        looks = ("list_variables", "diff")
        found = []
        for name, (told, parts, needed) in TOOLS.items():
            schema = {"type": "object", "properties": {**parts, **SESSION}, "required": needed}
            run = getattr(self, f"_{name}")
            found.append(ServedTool(name, told, schema, run, read_only=name in looks))
        return Offer(found, INSTRUCTIONS)

    def park_the_idle(self, before: float) -> None:
        """End the processes of sessions that were not used since then."""
        with self._lock:
            idle = [one for one in self._sessions.values() if one.used < before]
        for session in idle:
            session.park()

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            sessions, self._sessions = list(self._sessions.values()), {}
        for session in sessions:
            session.close()

    def _get(self, given: dict[str, Any]) -> tuple[str, ServedSession]:
        name = given.get("session") or MAIN
        with self._lock:
            if name not in self._sessions and name != MAIN:
                raise ConfigurationError(
                    f"There is no session {name[:80]!r}; open_session opens one."
                )
            if name not in self._sessions:
                self._sessions[name] = ServedSession(self._host)
            return name, self._sessions[name]

    def _run_code(self, given: dict[str, Any], job: ServedJob) -> dict[str, Any]:
        name, session = self._get(given)
        code = Code(given.get("language") or "python", given["code"], secrets.token_hex(8))
        return session.run(code, job).result(name)

    def _read_variable(self, given: dict[str, Any], job: ServedJob) -> dict[str, Any]:
        if not _NAME.fullmatch(given["name"]):
            raise ConfigurationError("That is no name of a variable.")
        name, session = self._get(given)
        code = Code("python", f"print({given['name']!s})", secrets.token_hex(8))
        return session.run(code, job).result(name)

    def _list_variables(self, given: dict[str, Any], job: ServedJob) -> dict[str, Any]:
        return text_result(_shortened(self._get(given)[1].variables()) or "[none]")

    def _undo(self, given: dict[str, Any], job: ServedJob) -> dict[str, Any]:
        blocks = int(given.get("blocks") or 1)
        return text_result(self._get(given)[1].alone(lambda session: session.undo(blocks)))

    def _redo(self, given: dict[str, Any], job: ServedJob) -> dict[str, Any]:
        return text_result(self._get(given)[1].alone(lambda session: session.redo()))

    def _diff(self, given: dict[str, Any], job: ServedJob) -> dict[str, Any]:
        block = int(given.get("block") or 1)
        told = self._get(given)[1].alone(lambda session: session.diff(block))
        return text_result(_shortened(told) or "[nothing]")

    def _open_session(self, given: dict[str, Any], job: ServedJob) -> dict[str, Any]:
        with self._lock:
            if len(self._sessions) >= MOST_SESSIONS:
                raise ConfigurationError(f"There are {MOST_SESSIONS} sessions already; close one.")
            name = f"session-{secrets.token_hex(4)}"
            self._sessions[name] = ServedSession(self._host)
        return text_result(name, {"session": name})

    def _close_session(self, given: dict[str, Any], job: ServedJob) -> dict[str, Any]:
        name, session = self._get(given)
        with self._lock:
            self._sessions.pop(name, None)
        session.close()
        return text_result(f"{name} is closed")


def _pass_over(
    event: ev.TextDelta
    | ev.ReasoningDelta
    | ev.CodeDelta
    | ev.ActionProposed
    | ev.ModelRetrying
    | ev.ReplyFinished
    | ev.ModelTold
    | ev.OutputCleared
    | ev.ActiveLine
    | ev.InputRequested
    | ev.ApprovalRequested
    | ev.HostCallProposed
    | ev.HostCallRuled
    | ev.Decided
    | ev.ActionStarted
    | ev.CheckpointTaken
    | ev.CheckpointDiscarded
    | ev.MessageFinished
    | ev.TurnFinished,
) -> None:
    """What happens around a block is no part of its result."""


def _as_question(request: ev.ApprovalRequested) -> str:
    """The question with what it is about, drawn so that nothing in it can hide."""
    lines = [sentence(request.reason)] if request.reason else []
    if isinstance(request.action, Code):
        lines.append(f"Run this {request.action.language}?")
        lines += visible_lines(request.action.source)
    lines += [f"line {finding.line}: {finding.reason}" for finding in request.findings]
    return "\n".join(lines)[:LONGEST]


def _shortened(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters are left out]\n{text[-half:]}"

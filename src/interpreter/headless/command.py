"""`interpreter --print …`: one message, or a stream of them, for a program."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from types import FrameType
from typing import Any
from uuid import uuid4

from interpreter._version import __version__
from interpreter.assembly.live import EventLog, LiveSession
from interpreter.assembly.session_factory import SessionFactory
from interpreter.headless.control import ControlRequests
from interpreter.headless.conversation import HeadlessConversation, HeadlessResult
from interpreter.headless.flags import HeadlessOptions, with_mode
from interpreter.headless.hook_callbacks import HookCallbacks
from interpreter.headless.lines import LineWriter
from interpreter.headless.messages import Line, Narrator
from interpreter.headless.permission import HeadlessPermissions
from interpreter.headless.requests import IncomingRequests, servers_of
from interpreter.headless.sdk_servers import BroughtServers
from interpreter.headless.stream import Arrived, LineInbox
from interpreter.headless.tool_rules import RUNS_CODE, ToolRules
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.hooks import tool_use
from interpreter.protocol.json import answers as json_answers
from interpreter.protocol.messages import ActionCall, user_says
from interpreter.protocol.visible import sentence
from interpreter.session.store.database import Store
from interpreter.settings.paths import data_directory
from interpreter.settings.settings import Settings

PROTOCOL = "2.1.248"  # the level of the protocol that is spoken here, as its clients compare it
WANTS_STATES = "CLAUDE_CODE_SDK_READS_SESSION_STATE"
EXIT_TERMINATED = 143
CODE = ("execute", "compare")  # the tools that run code, which has two names for programs


class Terminated(BaseException):
    """We were asked to end."""


def run(options: HeadlessOptions, settings: Settings, text: str, *, resume: str) -> int:
    """Answer what is asked; the exit code. Whatever else prints goes to the standard error."""
    if options.input == "text" and not text.strip():
        raise ConfigurationError('There is no message: interpreter --print "…"')
    session = _session(options, settings, resume)
    writer = LineWriter(os.dup(1))
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    face = HeadlessFace(options, settings, session, writer)
    try:
        with _signals(face.conversation):
            return face.stream() if options.input == "stream-json" else face.once(text)
    except Terminated:
        face.conversation.live.interrupt(force=True)
        return EXIT_TERMINATED
    except BrokenPipeError:
        face.conversation.live.interrupt(force=True)
        raise
    finally:
        face.close()


class HeadlessFace:
    """A session for a program, with all that the two have to do with each other."""

    def __init__(
        self, options: HeadlessOptions, settings: Settings, session: str, writer: LineWriter
    ) -> None:
        self._options = options
        self._writer = writer
        streams = options.input == "stream-json"
        self._send = writer.send if options.output == "stream-json" else _to_stderr
        self._control = ControlRequests(self._send)
        if not streams:
            self._control.close("there is nobody to ask")
        self._rules = ToolRules(options.allowed, options.disallowed, options.tools)
        self._rules.mode = options.mode
        self._hooks = HookCallbacks(self._control)
        self._servers = BroughtServers(options.servers, self._control)
        self._states = bool(os.environ.get(WANTS_STATES))
        self._usual = _worded(settings, options)
        chosen = with_mode(self._usual, options.mode)
        live = LiveSession(chosen, EventLog(), session, prepare=self._prepare)
        narrator = Narrator(self._send, lambda: self.conversation.model, partial=options.partial)
        narrator.session = session or str(uuid4())
        permissions = HeadlessPermissions(
            self._control, self._rules, asks=options.asks and streams, goes_on=streams
        )
        self.conversation = HeadlessConversation(
            live, narrator, permissions, self._control, schema=options.schema
        )

    def close(self) -> None:
        """End the session; what still waits for an answer gets none."""
        self._control.close("it has ended")
        self.conversation.live.close()

    def once(self, text: str) -> int:
        """One message: print its answer, or the result, or all that happens."""
        self.conversation.expect()
        result = self._told(Arrived(user_says(text)))
        if self._options.output == "json":
            narrator = self.conversation.narrator
            told = {"type": "result", **result.line, "session_id": narrator.session}
            self._writer.send({**told, "uuid": str(uuid4())})
        elif self._options.output == "text" and not result.is_error:
            value = result.line.get("structured_output")
            text = result.line["result"].rstrip("\n") if value is None else json.dumps(value)
            self._writer.print(text)
        for error in result.line.get("errors", ()):
            if self._options.output == "text":
                print(f"interpreter: {sentence(error)}", file=sys.stderr)  # noqa: T201
        return result.code

    def stream(self) -> int:
        """Messages until the input ends; the exit code is that of the last."""
        lists: dict[str, Any] = dict.fromkeys(("commands", "agents", "models"), [])
        greeting = {**lists, "account": {}, "output_style": "default", "pid": os.getpid()}
        requests = IncomingRequests(
            self.conversation, self._rules, self._hooks, greeting, self._usual
        )
        inbox = LineInbox(0, self._send, requests, self._control)
        inbox.start()
        failed = False
        while (arrived := inbox.take()) is not None:
            if arrived.problem:
                self._tell_result(self.conversation.failed(arrived.problem, 2))
            if arrived.ends:
                return 2
            if arrived.problem:
                continue
            failed = self._told(arrived).is_error
            if inbox.is_empty:
                self._state("idle")
        return int(failed)

    def _told(self, arrived: Arrived) -> HeadlessResult:
        def started() -> None:
            self._init()
            if self._options.replay and arrived.message.parts:
                self.conversation.narrator.user(arrived.message, arrived.uuid)

        self._state("running")
        if arrived.message.parts:
            result = self.conversation.turn(arrived.message, started)
        else:
            result = self.conversation.nothing_said()
            started()
        self._tell_result(result)
        return result

    def _tell_result(self, result: HeadlessResult) -> None:
        self.conversation.narrator.line("result", **result.line)

    def _state(self, state: str) -> None:
        if self._states:
            narrator = self.conversation.narrator
            narrator.line(
                "system", subtype="session_state_changed", state=state, sdk_host_only=True
            )

    def _init(self) -> None:
        factory, session = self.conversation.opened()
        settings = self.conversation.live.settings
        calls = (ActionCall(name, "{}") for name in session.engine.tools if name not in CODE)
        names = [tool_use(call)["tool_name"] for call in calls]
        self.conversation.narrator.line(
            "system",
            subtype="init",
            cwd=str(settings.directory()),
            tools=[*RUNS_CODE, *names],
            mcp_servers=servers_of(factory),
            model=self.conversation.model,
            permissionMode=self._rules.mode or _mode_of(settings),
            slash_commands=[],
            agents=[],
            skills=[],
            plugins=[],
            output_style="default",
            apiKeySource="none",
            claude_code_version=PROTOCOL,
            interpreter_version=__version__,
        )

    def _prepare(self, factory: SessionFactory) -> None:
        factory.hooks.add(self._rules.hook(), *self._hooks.take())
        environment = factory.environment
        if self._servers.configs or self._options.only_these_servers:
            environment.tool_servers.bring(
                self._servers.configs, self._servers.reach, alone=self._options.only_these_servers
            )
            environment.tool_servers.offer(environment.calls.functions)
            self._servers.get_to_know(environment.tool_servers.servers)
        for directory in self._options.directories:
            environment.grant(directory)


def _session(options: HeadlessOptions, settings: Settings, resume: str) -> str:
    """The session to go on with; empty for a new one."""
    wanted = resume or ("last" if options.go_on else "")
    if not wanted and not options.session:
        if options.fork:
            raise ConfigurationError("--fork-session needs --resume or --continue.")
        return ""
    if wanted and options.session:
        raise ConfigurationError("--session-id names a new session, not one that goes on.")
    with contextlib.closing(Store(data_directory())) as store:
        directory = str(settings.directory())
        if wanted:
            found = store.find(wanted, directory)
            return store.fork(found) if options.fork else found
        if store.info(options.session) is not None:
            raise ConfigurationError(f"There is a session {options.session!r}; --resume goes on.")
        return store.create(model=settings.model, directory=directory, name=options.session)


def _worded(settings: Settings, options: HeadlessOptions) -> Settings:
    """Settings that ask for an answer of the wanted shape."""
    if options.schema is None:
        return settings
    words = (settings.custom_instructions, json_answers.request(options.schema))
    return replace(settings, custom_instructions="\n\n".join(filter(None, words)))


def _mode_of(settings: Settings) -> str:
    if settings.approval == "never":
        return "plan"
    auto = settings.approval == "auto" or (settings.auto_run and not settings.approval)
    return "bypassPermissions" if auto else "default"


def _to_stderr(line: Line | Any) -> None:
    """Where nobody reads lines, a person may want to know what there is to notice."""
    if line.get("subtype") == "notice":
        print(sentence(line["text"]), file=sys.stderr)  # noqa: T201


@contextlib.contextmanager
def _signals(conversation: HeadlessConversation) -> Iterator[None]:
    """Ctrl-C stops the turn and keeps everything; to be terminated ends all."""

    def stop(number: int, frame: FrameType | None) -> None:
        threading.Thread(target=conversation.interrupt, daemon=True).start()

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        raise Terminated

    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, stop),
        signal.SIGTERM: signal.signal(signal.SIGTERM, end),
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

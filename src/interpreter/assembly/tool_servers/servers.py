"""Servers of tools as functions that code calls: which there are, how they start, who is asked."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.assembly.tool_servers.values import described, handed_over
from interpreter.protocol.actions import FORM, Decision
from interpreter.protocol.calls import Arguments, CallContext, HostFunction, Value
from interpreter.protocol.errors import ConfigurationError, InterpreterError
from interpreter.protocol.events import ApprovalRequested
from interpreter.protocol.lazy import Lazy
from interpreter.protocol.messages import ActionCall
from interpreter.protocol.ports import Approver, nobody_approves
from interpreter.protocol.visible import visible
from interpreter.settings.paths import config_directory
from interpreter.settings.settings import Settings
from interpreter.settings.trust import is_trusted

if TYPE_CHECKING:
    from interpreter.mcp.catalogue import ToolFunction
    from interpreter.mcp.configuration import ToolServerConfig
    from interpreter.mcp.pins import Changes, PinBook
    from interpreter.mcp.questions import Question, Reply
    from interpreter.mcp.servers import Consent, Servers
    from interpreter.mcp.transports.transport import Transport
    from interpreter.protocol.json.rpc import Rpc
    from interpreter.protocol.ports import Process
    from interpreter.tools.calls.functions import HostFunctions
    from interpreter.tools.guarded import Escalations

PROJECT_FILE = ".mcp.json"
MOST_NAMED = 30  # servers in the words for the model
MOST_FOUND = 50
STARTED_FROM = {
    "project": "this directory's .mcp.json",
    "user": "your mcp.json",
    "profile": "the profile",
    "caller": "the program that started this",
}
WORDS = """\
Tools of other programs are Python functions here. `tools.search("words")` finds them and shows \
how each is called; `tools.SERVER.TOOL(…)` calls one and returns Python data (text, dict, list, \
picture), or raises ToolError. Work on results in code, and print only what you need to see. \
Servers: {names}."""

Launch = Callable[..., "Process"]


def user_file() -> Path:
    """The user's own servers."""
    return config_directory() / "mcp.json"


def pin_book() -> PinBook:
    """What the user has approved."""
    from interpreter.mcp.pins import PinBook

    return PinBook(config_directory() / "mcp-approved.json")


def configured(settings: Settings, notice: Callable[[str], None]) -> dict[str, ToolServerConfig]:
    """The servers that the user, a trusted directory and a profile name; the last one wins."""
    project, user = settings.directory() / PROJECT_FILE, user_file()
    if not settings.personal:
        return {}
    if not (settings.mcp_servers or project.exists() or user.exists()):
        return {}  # as for most: nothing more is loaded
    from interpreter.mcp.configuration import read_file, servers_in

    found = read_file(user, "user")
    if project.exists() and not is_trusted(settings.directory()):
        place = visible(str(settings.directory()))
        notice(f"The tools of {place}/.mcp.json are left out; if you trust it: interpreter trust")
    elif project.exists():
        found |= read_file(project, "project")
    if settings.mcp_servers:
        found |= servers_in(settings.mcp_servers.encode(), "profile", "mcp_servers")
    return found


class ToolServers:
    """The servers of one session, in its cell."""

    def __init__(
        self,
        settings: Settings,
        launch: Launch,
        escalations: Escalations,
        notice: Callable[[str], None],
        reaches_hosts: Callable[[], bool],
    ) -> None:
        self._settings = settings
        self._reaches_hosts = reaches_hosts
        self._launch = launch
        self._escalations = escalations
        try:
            self.configs = configured(settings, notice)
        except ConfigurationError as error:
            notice(f"{error} No tool server is used.")
            self.configs = {}
        self._functions: HostFunctions | None = None
        self._reach: Callable[[ToolServerConfig], Transport | None] = lambda config: None
        self._servers = Lazy(self._make_servers)
        self._is_typed = False
        self.approve: Approver = nobody_approves
        """Who is asked where no block is running."""

    def bring(
        self,
        configs: Mapping[str, ToolServerConfig],
        reach: Callable[[ToolServerConfig], Transport | None],
        *,
        alone: bool,
    ) -> None:
        """Use the servers of whoever starts us, with or without the others; before any is used.

        Who names a server on the command line need not be asked about it. `reach` is the way to
        those that are no programs of their own.
        """
        self.configs = {**({} if alone else self.configs), **configs}
        self._reach = reach

    @property
    def servers(self) -> Servers:
        """All of them; none runs before it is needed."""
        return self._servers.get()

    def _make_servers(self) -> Servers:
        from interpreter.mcp.client import Surroundings
        from interpreter.mcp.servers import Access, Servers

        workspace = self._settings.directory().resolve()
        access = Access(
            self._start, self._consent, self._accept, Surroundings(self._ask, (workspace.as_uri(),))
        )
        return Servers(self.configs.values(), access, pin_book())

    @contextlib.contextmanager
    def by_hand(self) -> Iterator[None]:
        """Within this a server is used by what the user typed, between blocks."""
        self._is_typed = True
        try:
            yield
        finally:
            self._is_typed = False

    @property
    def loads_any(self) -> bool:
        """Whether tools of some server are shown to the model one by one."""
        return any(config.always_load for config in self.configs.values())

    def words(self) -> str:
        """What the model is told; nothing where there is no server."""
        if not self.configs:
            return ""
        from interpreter.mcp.configuration import named

        names = list(named(self.configs.values()))
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        return WORDS.format(names=", ".join(names[:MOST_NAMED]) + more)

    def offer(self, functions: HostFunctions) -> None:
        """Let code find the tools."""
        if not self.configs or self._functions is not None:
            return
        self._functions = functions
        text, number = {"type": "string"}, {"type": "integer"}
        server, words = {"server": text}, {"arguments": {"type": "object"}}
        functions.add(
            _function("search", {"query": text, "limit": number}, self._search),
            _function("servers", {}, lambda arguments, context: list(self.servers.names())),
            _function("describe", server, self._describe),
            _function("resources", server, self._resources),
            _function("prompts", server, self._prompts),
            _function("read", {**server, "uri": text}, self._read, asks=True),
            _function("prompt", {**server, "name": text, **words}, self._prompt, asks=True),
        )

    def close(self) -> None:
        """End all servers."""
        if self._servers.made is not None:
            self._servers.made.close()

    # What code calls.

    def _search(self, arguments: Arguments, context: CallContext) -> Value:
        from interpreter.mcp.catalogue import search

        among = self.servers.known_functions(context.interrupt)
        most = max(1, min(int(arguments.get("limit") or 10), MOST_FOUND))
        found = search(str(arguments.get("query") or ""), among, most)
        troubles = [f"{server.name}: {server.trouble}" for server in self.servers if server.trouble]
        self._register(found)
        return {"found": [described(one) for one in found], "troubles": troubles, "of": len(among)}

    def _describe(self, arguments: Arguments, context: CallContext) -> Value:
        server = self.servers.get(arguments["server"])
        found = server.functions(context.interrupt)
        self._register(found)
        return [described(one) for one in found]

    def _resources(self, arguments: Arguments, context: CallContext) -> Value:
        client = self.servers.get(arguments["server"]).client()
        return [
            {
                "uri": one.uri,
                "name": one.name,
                "description": one.description,
                "type": one.media_type,
            }
            for one in client.resources(context.interrupt)
        ]

    def _prompts(self, arguments: Arguments, context: CallContext) -> Value:
        client = self.servers.get(arguments["server"]).client()
        return [
            {"name": one.name, "description": one.description, "arguments": list(one.arguments)}
            for one in client.prompts(context.interrupt)
        ]

    def _read(self, arguments: Arguments, context: CallContext) -> Value | Iterator[Value]:
        client = self.servers.get(arguments["server"]).client()
        return handed_over(client.read_resource(arguments["uri"], context.interrupt))

    def _prompt(self, arguments: Arguments, context: CallContext) -> Value | Iterator[Value]:
        client = self.servers.get(arguments["server"]).client()
        given = {key: str(value) for key, value in (arguments.get("arguments") or {}).items()}
        return handed_over(client.get_prompt(arguments["name"], given, context.interrupt))

    def _register(self, found: tuple[ToolFunction, ...]) -> None:
        """Make functions of tools: each has a name of its own for policy and transcript."""
        assert self._functions is not None, "whoever calls has been offered something"
        from interpreter.mcp.catalogue import parameters

        for one in found:
            if self._functions.get(one.full_name) is None:
                summary = one.document().partition("\n")[0][:200]
                schema = parameters(one.tool)
                seconds = (self.servers.get(one.server).config.seconds or 600.0) + 60.0
                self._functions.add(
                    HostFunction(
                        one.full_name,
                        summary,
                        schema,
                        self._calling(one),
                        seconds=seconds,
                        sends=partial(self._sends, one.server),
                    )
                )

    def _sends(self, server: str) -> bool:
        """Whether a server is elsewhere, or may reach a host from the cell."""
        return bool(self.servers.get(server).config.url) or self._reaches_hosts()

    def _calling(self, function: ToolFunction) -> Callable[[Arguments, CallContext], Any]:
        def call(arguments: Arguments, context: CallContext) -> Value | Iterator[Value]:
            server = self.servers.get(function.server)
            return handed_over(server.call(function.name, arguments, context.interrupt))

        return call

    # How a server is reached.

    def _start(self, config: ToolServerConfig, on_note: Callable[[Rpc], None]) -> Transport:
        from interpreter.mcp.errors import ServerGone

        if (way := self._reach(config)) is not None:
            return way
        try:
            filled = config.filled(os.environ)
        except ConfigurationError as error:
            raise ServerGone(str(error)) from error
        if filled.url:
            from interpreter.assembly.tool_servers.logins import kept_login
            from interpreter.mcp.transports.http import HttpTransport

            login = kept_login(filled)
            return HttpTransport(
                config.name,
                filled.url,
                lambda: {**login.headers(), **dict(filled.headers)},
                login.answer,
            )
        from interpreter.mcp.transports.stdio import StdioTransport

        try:
            process = self._launch(
                list(filled.command),
                env=dict(filled.env),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except (InterpreterError, OSError) as error:
            raise ServerGone(f"{config.name} cannot be started in the sandbox: {error}") from error
        return StdioTransport(config.attribute, process, on_note)

    # Who is asked.

    def _consent(self, config: ToolServerConfig) -> Consent:
        if config.source == "caller":
            return "session"
        where = STARTED_FROM[config.source]
        place = ", in the sandbox" if config.command and self._settings.sandbox != "off" else ""
        reason = f"The tool server {visible(config.name)} of {where} is new. It will{place}:\n"
        return self._asked("start", config, reason + config.describe())

    def _accept(self, config: ToolServerConfig, news: Changes) -> Consent:
        if config.source == "caller":
            return "session"
        reason = f"The tool server {visible(config.name)} has changed what it offers:\n"
        return self._asked("change", config, reason + news.describe()[:20_000])

    def _asked(self, what: str, config: ToolServerConfig, reason: str) -> Consent:
        call = ActionCall("mcp", json.dumps({"server": config.name, what: config.describe()}))
        decision = self._decided(call, reason)
        if not decision.allows:
            return "no"
        return "always" if decision.answer == "always" else "session"

    def _decided(self, call: ActionCall, reason: str) -> Decision:
        if self._is_typed:
            return self.approve(ApprovalRequested(call, reason))
        return self._escalations.ask(call, reason)

    def _ask(self, question: Question) -> Reply:
        """A question of a server: a form is filled in where one can edit, and else is a no."""
        from interpreter.mcp.questions import Reply

        lines = [f"The tool server {visible(question.server)} asks:"]
        lines += map(visible, question.message.split("\n"))
        if question.url:
            lines.append(f"It wants you to open {visible(question.url)} in your browser.")
        lines += (visible(field.line) for field in question.fields)
        asked: dict[str, Any] = {"server": question.server, "asks": question.message}
        if question.fields:
            asked[FORM] = {f.name: f.schema.get("default") for f in question.fields}
        decision = self._decided(ActionCall("mcp", json.dumps(asked)), "\n".join(lines))
        if not decision.allows:
            return Reply("decline")
        filled = decision.edited.arguments if isinstance(decision.edited, ActionCall) else "{}"
        given = json.loads(filled).get(FORM, {})
        return Reply("accept", {name: one for name, one in given.items() if one is not None})


SUMMARIES = {
    "search": "Find tools by words.",
    "servers": "Name the servers of tools.",
    "describe": "Describe the tools of a server.",
    "resources": "List what a server lets you read.",
    "prompts": "List the texts that a server has ready.",
    "read": "Read a resource of a server.",
    "prompt": "Fill in a text of a server.",
}


def _function(
    name: str,
    properties: dict[str, Any],
    call: Callable[[Arguments, CallContext], Any],
    *,
    asks: bool = False,
) -> HostFunction:
    needed = [key for key in properties if key in ("server", "uri", "name")]
    schema = {"type": "object", "properties": properties, "required": needed}
    return HostFunction(f"tools.{name}", SUMMARIES[name], schema, call, asks=asks, seconds=900.0)

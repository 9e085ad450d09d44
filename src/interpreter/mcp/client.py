"""The client of one server: calls with a time limit, listings page by page, questions answered."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from interpreter.mcp import eras
from interpreter.mcp.errors import (
    CallStopped,
    McpError,
    ServerCallFailed,
    ServerMisbehaves,
    ServerTimedOut,
)
from interpreter.mcp.listings import (
    MOST_LISTED,
    ListedTool,
    Prompt,
    Resource,
    read_all,
    read_prompt,
    read_resource,
    read_tool,
)
from interpreter.mcp.questions import Ask, answered, nobody_replies
from interpreter.mcp.schemas import fault_in
from interpreter.mcp.transports.arrivals import Arrival, Inbox, LargeAnswer, StreamEnded
from interpreter.mcp.transports.headers import call_headers, header_parameters
from interpreter.mcp.transports.transport import Transport
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.json.rpc import METHOD_NOT_FOUND, Call, Fault, Note, Rpc, RpcAnswer
from interpreter.protocol.values import frozen

MOST_PAGES = 100
MOST_ROUNDS = 10  # in which a server wants to know more before it answers one call
MOST_QUESTIONS = 20  # of an older server within one call
_CHANGES = {
    f"notifications/{kind}/list_changed": kind for kind in ("tools", "resources", "prompts")
}
T = TypeVar("T")
Result = Mapping[str, Any]


@frozen
class CallPatience:
    """How long to wait: progress makes the silence begin anew, and never the whole."""

    silence: float = 60.0
    ceiling: float = 600.0


@frozen
class Surroundings:
    """What a client knows about its user."""

    ask: Ask = nobody_replies
    roots: tuple[str, ...] = ()
    """Directories that a server may want to know about, as addresses."""
    progress: Callable[[str], None] = lambda text: None

    def capabilities(self) -> dict[str, Any]:
        """What a server may ask of us."""
        found: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}}
        return {**found, "roots": {}} if self.roots else found


ORDINARY = CallPatience()
ALONE = Surroundings()


class _Clock:
    """What is left of the time for one call."""

    def __init__(self, patience: CallPatience, seconds: float | None) -> None:
        self._silence = seconds or patience.silence
        self._until = time.monotonic() + (seconds or patience.ceiling)
        self.heard()

    def heard(self) -> None:
        """The server is still there."""
        self._last = time.monotonic()

    def left(self) -> float:
        """Seconds until it has taken too long."""
        return min(self._last + self._silence, self._until) - time.monotonic()

    @contextlib.contextmanager
    def standing_still(self) -> Iterator[None]:
        """Within this block no time passes."""
        began = time.monotonic()
        yield
        self._until += time.monotonic() - began
        self.heard()


class _ChangeListener:
    """Hears what a server says unasked."""

    def __init__(self, hear: Callable[[Rpc], None]) -> None:
        self._hear = hear

    def put(self, arrival: Arrival) -> None:
        if isinstance(arrival, Note | Call):
            self._hear(arrival)


class Client:
    """Speaks with one server, from any thread, as soon as `connect` has found out how."""

    def __init__(
        self,
        name: str,
        transport: Transport,
        surroundings: Surroundings = ALONE,
        patience: CallPatience = ORDINARY,
    ) -> None:
        self.name = name
        self.transport = transport
        self.era = eras.Era("", {})
        self.rejected: tuple[str, ...] = ()
        """What is wrong with tools that the server has and we do not show."""
        self._surroundings = surroundings
        self._patience = patience
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._inboxes: dict[int, Inbox] = {}
        self._listed: dict[str, Any] = {}
        self._stale_at: dict[str, float] = {}

    def connect(self, known: str = "") -> None:
        """Find out how the server speaks; `known` is the version that it spoke before."""
        capabilities = self._surroundings.capabilities()
        self.era = eras.agree(self._exchange, self.transport, capabilities, known)
        if not self.era.is_modern:
            self.transport.listen(_ChangeListener(self.heard))
            return
        changing = [kind for kind in _CHANGES.values() if self.era.tells_changes(kind)]
        if not changing:
            return
        wanted = {f"{kind}ListChanged": True for kind in changing}
        call = self._numbered("subscriptions/listen", {"notifications": wanted}, self.era.version)
        headers = call_headers(call.method, call.params, None)
        with contextlib.suppress(McpError):
            self.transport.begin(call, _ChangeListener(self.heard), headers)

    def close(self) -> None:
        """End the server, or hang up."""
        self.transport.close()

    # What a server offers.

    def tools(self, interrupt: Interrupt | None = None) -> tuple[ListedTool, ...]:
        """Its tools; those that cannot be used are left out, and `rejected` says why."""
        return self._list("tools", "tools/list", "tools", self._usable_tool, interrupt)

    def resources(self, interrupt: Interrupt | None = None) -> tuple[Resource, ...]:
        """What it lets us read, and then the templates of what it does."""
        method = "resources/templates/list"
        fixed = self._list("resources", "resources/list", "resources", read_resource, interrupt)
        with contextlib.suppress(ServerCallFailed):  # many do not know templates
            made = self._list("resources", method, "resourceTemplates", read_resource, interrupt)
            return (*fixed, *made)
        return fixed

    def prompts(self, interrupt: Interrupt | None = None) -> tuple[Prompt, ...]:
        """The texts that it has ready."""
        return self._list("prompts", "prompts/list", "prompts", read_prompt, interrupt)

    def listed(self, method: str) -> tuple[Any, ...]:
        """What was listed last by this method, as it is known here."""
        return tuple(self._listed.get(method, ()))

    # What can be done with it.

    def call_tool(
        self, tool: ListedTool, arguments: Result, interrupt: Interrupt | None = None
    ) -> Result | LargeAnswer:
        """Call a tool; what it answers, also when that is an error of the tool."""
        params = {"name": tool.name, "arguments": dict(arguments)}
        found = self._rounds("tools/call", params, interrupt, tool)
        if isinstance(found, LargeAnswer):
            return found
        content = found.get("structuredContent")
        lies = tool.output_schema is not None and not found.get("isError") and content is not None
        fault = fault_in(content, tool.output_schema) if lies and tool.output_schema else ""
        if fault:
            raise ServerMisbehaves(f"{self.name}.{tool.name} does not keep to its schema: {fault}.")
        return found

    def read_resource(self, uri: str, interrupt: Interrupt | None = None) -> Result | LargeAnswer:
        """What is at an address of the server's."""
        return self._rounds("resources/read", {"uri": uri}, interrupt)

    def get_prompt(
        self, name: str, arguments: Mapping[str, str], interrupt: Interrupt | None = None
    ) -> Result | LargeAnswer:
        """A text of the server's with its arguments filled in."""
        params = {"name": name, "arguments": dict(arguments)}
        return self._rounds("prompts/get", params, interrupt)

    def heard(self, message: Rpc) -> None:
        """The server said something that is no answer; from any thread."""
        if isinstance(message, Note) and message.method in _CHANGES:
            with self._lock:
                self._stale_at[_CHANGES[message.method]] = 0.0
        if isinstance(message, Call):  # it asks on behalf of a call: the youngest, we suppose
            with self._lock:
                inbox = next(reversed(self._inboxes.values()), None)
            if inbox is not None:
                inbox.put(message)
                return
            with contextlib.suppress(McpError):  # nothing is asked when nothing was
                self.transport.send(self._reply(message, asking=False))

    # One call.

    def _rounds(
        self,
        method: str,
        params: Mapping[str, Any],
        interrupt: Interrupt | None,
        tool: ListedTool | None = None,
    ) -> Result | LargeAnswer:
        """Call, and answer what the server wants to know first, until it has an answer."""
        more: dict[str, Any] = {}
        version = self.era.version
        for _ in range(MOST_ROUNDS):
            found = self._exchange(
                method, {**params, **more}, version=version, interrupt=interrupt, tool=tool
            )
            if isinstance(found, LargeAnswer):
                return found
            if not isinstance(found, dict):
                raise ServerMisbehaves(f"{self.name} answered with what is no object.")
            if not self.era.is_modern or found.get("resultType") != "input_required":
                return found
            more = self._more_input(found)
        raise ServerMisbehaves(f"{self.name} asks on and on, and does not answer.")

    def _more_input(self, found: Result) -> dict[str, Any]:
        asked = found.get("inputRequests")
        replies: dict[str, Any] = {}
        for key, request in asked.items() if isinstance(asked, dict) else ():
            if len(replies) >= MOST_QUESTIONS or not isinstance(request, dict):
                raise ServerMisbehaves(f"{self.name} asks for too much, or unclearly.")
            params = request.get("params")
            call = Call(0, str(request.get("method")), params if isinstance(params, dict) else {})
            answer = self._reply(call, asking=True)
            if answer.fault is not None:
                raise ServerMisbehaves(f"{self.name} asks what it may not: {call.method[:60]}.")
            replies[key] = answer.result
        state = {"requestState": found["requestState"]} if "requestState" in found else {}
        return {**({"inputResponses": replies} if replies else {}), **state}

    def _exchange(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        version: str,
        seconds: float | None = None,
        interrupt: Interrupt | None = None,
        tool: ListedTool | None = None,
    ) -> Any:
        call = self._numbered(method, params, version)
        is_modern = version not in eras.LEGACY
        headers = call_headers(method, params, tool) if is_modern else {}
        inbox, done = Inbox(), False
        watch = interrupt or Interrupt()
        with watch.calls(inbox.wake):
            with self._lock:
                self._inboxes[int(call.id)] = inbox
            try:
                self.transport.begin(call, inbox, headers)
                answer = self._await(inbox, watch, seconds)
                done = True
            finally:
                with self._lock:
                    del self._inboxes[int(call.id)]
                # A hello must not be cancelled, and what was only tried need not be.
                is_call = method not in ("initialize", "server/discover")
                self.transport.forget(call, cancel=not done and is_call)
        if isinstance(answer, LargeAnswer):
            return answer
        if answer.fault is not None:
            raise ServerCallFailed(self.name, answer.fault)
        return answer.result

    def _await(
        self, inbox: Inbox, interrupt: Interrupt, seconds: float | None
    ) -> RpcAnswer | LargeAnswer:
        clock = _Clock(self._patience, seconds)
        questions = 0
        while True:
            arrival = inbox.take(clock.left())
            match arrival:
                case RpcAnswer() | LargeAnswer():
                    return arrival
                case StreamEnded(error) if not interrupt.requested:
                    raise error
                case Note("notifications/progress", told):
                    clock.heard()
                    self._surroundings.progress(str(told.get("message") or "")[:400])
                case Note():
                    self.heard(arrival)
                case Call():
                    questions += 1
                    with clock.standing_still():  # the user may think as long as it takes
                        self.transport.send(self._reply(arrival, asking=True))
            self._check(clock, interrupt, questions)

    def _check(self, clock: _Clock, interrupt: Interrupt, questions: int) -> None:
        if interrupt.requested:
            raise CallStopped(f"{self.name} was told to stop.")
        if clock.left() <= 0:
            raise ServerTimedOut(f"{self.name} did not answer in time.")
        if questions > MOST_QUESTIONS:
            raise ServerMisbehaves(f"{self.name} asks on and on.")

    def _numbered(self, method: str, params: Mapping[str, Any], version: str) -> Call:
        number = next(self._numbers)
        capabilities = self._surroundings.capabilities()
        return Call(number, method, eras.with_meta(params, version, capabilities, number))

    def _reply(self, call: Call, *, asking: bool) -> RpcAnswer:
        """The answer to something that the server wants from us."""
        if call.method == "ping":
            return RpcAnswer(call.id, {})
        if call.method == "elicitation/create" and asking:
            return RpcAnswer(call.id, answered(self.name, call.params, self._surroundings.ask))
        if call.method == "roots/list" and self._surroundings.roots:
            return RpcAnswer(call.id, {"roots": [{"uri": uri} for uri in self._surroundings.roots]})
        return RpcAnswer(call.id, fault=Fault(METHOD_NOT_FOUND, f"no {call.method[:60]} here"))

    # Listings.

    def _usable_tool(self, entry: Mapping[str, Any]) -> ListedTool:
        tool = read_tool(entry)
        if self.era.is_modern:
            header_parameters(tool)
        return tool

    def _list(
        self,
        kind: str,
        method: str,
        key: str,
        read: Callable[[Mapping[str, Any]], T],
        interrupt: Interrupt | None,
    ) -> tuple[T, ...]:
        if not self.era.offers(kind):
            return ()
        with self._lock:
            if method in self._listed and time.monotonic() < self._stale_at.get(kind, 0.0):
                kept: tuple[T, ...] = self._listed[method]
                return kept
            self._stale_at[kind] = float("inf")  # a change that is told from now on counts
        entries, seconds = self._pages(method, key, interrupt)
        good, bad = read_all(entries, read)
        if kind == "tools":
            self.rejected = bad
        with self._lock:
            self._listed[method] = good
            if seconds is not None and self._stale_at[kind]:
                self._stale_at[kind] = min(self._stale_at[kind], time.monotonic() + seconds)
        return good

    def _pages(
        self, method: str, key: str, interrupt: Interrupt | None
    ) -> tuple[list[Any], float | None]:
        """All entries of a listing, and for how many seconds they hold."""
        entries: list[Any] = []
        cursors: set[str] = set()
        params: dict[str, Any] = {}
        seconds: float | None = None
        for _ in range(MOST_PAGES):
            page = self._exchange(method, params, version=self.era.version, interrupt=interrupt)
            if isinstance(page, LargeAnswer):
                page.file.close()
                raise ServerMisbehaves(f"{self.name} lists more than anybody can use.")
            if not isinstance(page, dict) or not isinstance(page.get(key), list):
                raise ServerMisbehaves(f"{self.name} does not list what it has.")
            entries += page[key]
            if isinstance(page.get("ttlMs"), int):
                seconds = page["ttlMs"] / 1000
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str) or cursor in cursors or len(entries) > MOST_LISTED:
                break
            cursors.add(cursor)
            params = {"cursor": cursor}
        return entries[:MOST_LISTED], seconds

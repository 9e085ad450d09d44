"""A server at an address: every call is a request of its own, answered whole or as a stream."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx

from interpreter.mcp.errors import McpError, NeedsLogin, ServerGone, ServerMisbehaves, ServerRefused
from interpreter.mcp.transports.arrivals import LargeAnswer, Receiver, Spool, StreamEnded, TooLong
from interpreter.mcp.transports.sse import Events
from interpreter.protocol.json.rpc import Call, Fault, NotJsonRpc, Rpc, RpcAnswer, encoded

CONNECT_SECONDS = 15.0
SILENCE_SECONDS = 900.0  # whoever waits gives up before
NOTE_SECONDS = 30.0
MOST_RESUMED = 20  # times that a broken stream is gone on with
LONGEST_PAUSE = 30.0  # seconds that a server may want us to wait before
MOST_IDLE = 4
MOST_LOGINS = 3  # for one call
ACCEPTED = "application/json, text/event-stream"
NO_SUCH_MESSAGE = -32000


class _HttpLine:
    """One connection, used by one call at a time, that can be cut from another thread."""

    def __init__(self, verify: ssl.SSLContext | bool) -> None:
        self.client = httpx.Client(
            timeout=httpx.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS),
            limits=httpx.Limits(max_connections=1),
            follow_redirects=False,
            verify=verify,
        )
        self._stream: Any = None
        self.is_cut = False

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Remember the socket as soon as there is one."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._stream = info["return_value"]
            if self.is_cut:
                self.cut()

    def cut(self) -> None:
        """Wake whoever reads from it, with an error."""
        self.is_cut = True
        connection = self._stream.get_extra_info("socket") if self._stream is not None else None
        if connection is not None:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(connection, socket.SHUT_RDWR)


class HttpTransport:
    """Talks to one address. `headers` is asked for each request: a token may be renewed."""

    def __init__(
        self,
        name: str,
        url: str,
        headers: Callable[[], Mapping[str, str]] = dict,
        log_in: Callable[[str, int], bool] = lambda challenge, status: False,
    ) -> None:
        self._name = name
        self._url = url
        self._headers = headers
        self._log_in = log_in
        self._lines: dict[int, _HttpLine] = {}
        self._idle: list[_HttpLine] = []
        self._lock = threading.Lock()
        # Reading all certificates takes a fifth of a second: once, and only where they are used.
        self._verify = httpx.create_ssl_context() if url.startswith("https:") else False
        self._closed = False
        self.session = ""
        """The session that an older server gave us."""
        self.version = ""
        """What goes into the header of the protocol's version, once that is agreed on."""
        self.may_resume = False
        """Whether a stream that breaks off is gone on with, as older servers want it."""

    @property
    def is_open(self) -> bool:
        """Whether it can be asked something."""
        return not self._closed

    def begin(self, call: Call, receiver: Receiver, headers: Mapping[str, str]) -> None:
        """Send a call; what comes for it is put to the receiver."""
        work = threading.Thread(
            target=self._converse,
            args=(call, receiver, headers),
            name=f"mcp-{self._name}",
            daemon=True,
        )
        work.start()

    def listen(self, receiver: Receiver) -> None:
        """Hear what an older server says unasked; most say nothing, and that is no trouble."""
        silent = Call(0, "", {})
        hear = threading.Thread(
            target=lambda: self._heard(silent, receiver), name=f"mcp-{self._name}", daemon=True
        )
        hear.start()

    def send(self, message: Rpc) -> None:
        """Send what is no call; ServerGone if it is not taken."""
        try:
            with self._line() as line:
                response = line.client.post(
                    self._url,
                    content=encoded(message),
                    headers=self._all_headers({}),
                    timeout=NOTE_SECONDS,
                )
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        if response.status_code >= 400:
            raise self._refusal(response)

    def forget(self, call: Call, *, cancel: bool) -> None:
        """Nobody waits for this answer any more: closing the stream says so."""
        line = self._lines.get(int(call.id))
        if cancel and line is not None:
            line.cut()

    def close(self) -> None:
        """Hang up; a session of an older server is ended."""
        self._closed = True
        for line in tuple(self._lines.values()):
            line.cut()
        if self.session:
            with contextlib.suppress(httpx.HTTPError, McpError), self._line() as line:
                line.client.delete(
                    self._url, headers=self._all_headers({}), timeout=CONNECT_SECONDS
                )
        while self._idle:
            self._idle.pop().client.close()

    def complaints(self) -> str:
        """Addresses have no standard error."""
        return ""

    @contextlib.contextmanager
    def _line(self) -> Iterator[_HttpLine]:
        with self._lock:
            line = self._idle.pop() if self._idle else _HttpLine(self._verify)
        try:
            yield line
        except BaseException:
            line.client.close()
            raise
        with self._lock:
            if len(self._idle) < MOST_IDLE and not line.is_cut:
                self._idle.append(line)
                return
        line.client.close()

    def _all_headers(self, more: Mapping[str, str]) -> dict[str, str]:
        known = {"Mcp-Session-Id": self.session, "MCP-Protocol-Version": self.version}
        return {
            "Accept": ACCEPTED,
            "Accept-Encoding": "identity",  # nothing that is small outside and huge inside
            "Content-Type": "application/json",
            **{name: value for name, value in known.items() if value},
            **self._headers(),
            **more,
        }

    # The thread of one call.

    def _converse(self, call: Call, receiver: Receiver, headers: Mapping[str, str]) -> None:
        try:
            self._ask_as_somebody(call, receiver, headers)
        except (TooLong, NotJsonRpc) as error:
            receiver.put(StreamEnded(ServerMisbehaves(f"{self._name} sent {error}.")))
        except McpError as error:
            receiver.put(StreamEnded(error))
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, OSError) as error:
            receiver.put(StreamEnded(self._unreachable(error)))
        finally:
            self._lines.pop(int(call.id), None)

    def _ask_as_somebody(self, call: Call, receiver: Receiver, headers: Mapping[str, str]) -> None:
        """Ask; where the server wants a login, log in and ask again, a few times."""
        for _ in range(MOST_LOGINS):
            try:
                self._ask(call, receiver, headers)
                return
            except NeedsLogin as wanted:
                if not self._log_in(wanted.challenge, wanted.status):
                    raise
        self._ask(call, receiver, headers)

    def _ask(self, call: Call, receiver: Receiver, headers: Mapping[str, str]) -> None:
        with contextlib.closing(Events()) as events:
            self._follow(call, receiver, headers, events)

    def _follow(
        self, call: Call, receiver: Receiver, headers: Mapping[str, str], events: Events
    ) -> None:
        with self._line() as line:
            self._lines[int(call.id)] = line
            with line.client.stream(
                "POST",
                self._url,
                content=encoded(call),
                headers=self._all_headers(headers),
                extensions={"trace": line.trace},
            ) as response:
                self.session = response.headers.get("mcp-session-id", "")[:1000] or self.session
                if self._read(response, call, receiver, events):
                    return
        for _ in range(MOST_RESUMED):
            if not (self.may_resume and events.last_id) or self._closed:
                break
            time.sleep(min(events.retry_seconds, LONGEST_PAUSE))
            if self._resumed(call, receiver, events):
                return
        raise ServerGone(f"{self._name} hung up before it had answered.")

    def _heard(self, silent: Call, receiver: Receiver) -> None:
        troubles = (McpError, httpx.HTTPError, httpx.StreamError, OSError, ValueError)
        with contextlib.suppress(*troubles), contextlib.closing(Events()) as events:
            self._resumed(silent, receiver, events)
        self._lines.pop(0, None)

    def _resumed(self, call: Call, receiver: Receiver, events: Events) -> bool:
        with self._line() as line:
            self._lines[int(call.id)] = line
            with line.client.stream(
                "GET",
                self._url,
                headers=self._all_headers(
                    {"Last-Event-ID": events.last_id} if events.last_id else {}
                ),
                extensions={"trace": line.trace},
            ) as response:
                return self._read(response, call, receiver, events)

    def _read(
        self, response: httpx.Response, call: Call, receiver: Receiver, events: Events
    ) -> bool:
        """Hand on what comes; whether the answer was among it."""
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ServerMisbehaves(f"{self._name} packs its answers, which was not asked for.")
        if response.status_code in (401, 403):
            raise self._refusal(response)
        if kind == "text/event-stream" and response.status_code == 200:
            return self._streamed(response, call, receiver, events)
        message = self._whole(response)
        if isinstance(message, RpcAnswer) and message.fault is not None:  # some leave the id out
            message = RpcAnswer(call.id, fault=message.fault)
        elif response.status_code >= 400:
            raise self._refusal(response)
        return self._hand_on(message, call, receiver)

    def _whole(self, response: httpx.Response) -> Rpc | LargeAnswer:
        spool, whole = Spool(), False
        try:
            for chunk in response.iter_raw():
                spool.add(chunk)
            message = spool.message()
            whole = True
        except NotJsonRpc as error:
            if response.status_code >= 400:
                raise self._refusal(response) from error
            raise
        finally:
            if not whole:
                spool.close()
        return message

    def _streamed(
        self, response: httpx.Response, call: Call, receiver: Receiver, events: Events
    ) -> bool:
        for chunk in response.iter_raw():
            for event in events.feed(chunk):
                if self._hand_on(event.message(), call, receiver):
                    return True
        return False

    def _hand_on(self, message: Rpc | LargeAnswer, call: Call, receiver: Receiver) -> bool:
        if isinstance(message, RpcAnswer | LargeAnswer):
            if message.id == call.id:
                receiver.put(message)
                return True
            receiver.put(
                RpcAnswer(call.id, fault=Fault(NO_SUCH_MESSAGE, "it answered something else"))
            )
            return True
        receiver.put(message)
        return False

    def _refusal(self, response: httpx.Response) -> McpError:
        status = response.status_code
        challenge = response.headers.get("www-authenticate", "")[:4000]
        if status == 401 or (status == 403 and challenge):
            return NeedsLogin(self._name, challenge, status)
        return ServerRefused(self._name, status)

    def _unreachable(self, error: Exception) -> ServerGone:
        reason = str(error) or type(error).__name__
        return ServerGone(f"{self._name} cannot be reached: {reason[:200]}")

"""`interpreter mcp serve`: sessions for another program, on our standard streams."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

from interpreter.assembly.served_sessions import ServedHost, ServedSessions
from interpreter.mcp.serving.jobs import WaitingJobs
from interpreter.mcp.serving.serving import McpServer
from interpreter.mcp.transports.arrivals import LargeAnswer, Lines, Spool, TooLong
from interpreter.protocol.json.rpc import PARSE_ERROR, Fault, NotJsonRpc, Rpc, RpcAnswer, encoded
from interpreter.settings.settings import Settings

PIECE = 1 << 16


def serve(settings: Settings) -> int:
    """Answer until our input ends. Whatever else prints goes to the standard error."""
    out = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    writing = threading.Lock()

    def send(message: Rpc) -> None:
        line = memoryview(encoded(message) + b"\n")
        with writing:
            while line:
                line = line[os.write(out, line) :]

    sessions, waiting = ServedSessions(ServedHost(lambda: (settings, ""))), WaitingJobs()
    server = McpServer(sessions.offer(), waiting)
    lines = Lines()
    try:
        while piece := os.read(0, PIECE):
            for line in lines.feed(piece):
                _received(line, server, send)
    except (TooLong, BrokenPipeError, KeyboardInterrupt):
        return 1
    finally:
        lines.close()
        server.close()
        waiting.close()
        sessions.close()
    return 0


def _received(line: Spool, server: McpServer, send: Callable[[Rpc], None]) -> None:
    try:
        found = line.message()
    except NotJsonRpc as error:
        send(RpcAnswer(None, fault=Fault(PARSE_ERROR, str(error))))
        return
    if isinstance(found, LargeAnswer):
        found.file.close()
        return
    server.receive(found, send)

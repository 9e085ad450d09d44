"""The engine's process: started by the first session that needs it, shared by all."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from interpreter.protocol.errors import ConfigurationError, ModelError, install_command
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.values import frozen

PROGRAM = Path(__file__).with_name("engine_program.py")
BACKLOG = 32  # sessions that wait while a model is being loaded
HELLO = 4096
CALM = {"GOMP_SPINCOUNT": "1000"}  # threads that spin for long make a busy machine much slower
MISSING = f"The built-in model needs llama.cpp; install it with: {install_command('local')}"


class EngineFailed(ModelError):
    """The engine did not come up; the text holds its last words."""


@frozen
class EngineOptions:
    """What an engine is started with. Sessions with equal options share one."""

    model: Path
    context: int
    threads: int
    directory: Path
    """For sockets and logs: short, and nobody else's."""
    cache: Path
    """For prompts that were processed before."""
    drafts: int = 5
    """How many replies it can write at once."""
    keep_warm: float = 300.0
    load_seconds: float = 300.0

    @property
    def name(self) -> str:
        """A short name that is equal for equal engines and the same file."""
        details = self.model.stat()
        file = (str(self.model), details.st_size, details.st_mtime_ns)
        facts = (*file, self.context, self.threads, self.drafts)
        return hashlib.blake2b(repr(facts).encode(), digest_size=6).hexdigest()


@frozen
class Lease:
    """The right to use an engine; it may end itself once all leases are closed."""

    address: str
    key: str
    context: int
    connection: socket.socket

    def close(self) -> None:
        """Give it back."""
        self.connection.close()


def is_installed() -> bool:
    """Whether llama.cpp is there."""
    return importlib.util.find_spec("xllamacpp") is not None


def lease(options: EngineOptions, interrupt: Interrupt) -> Lease | None:
    """Join the engine, starting it if it does not run; None when interrupted meanwhile."""
    if not is_installed():
        raise ConfigurationError(MISSING)
    _make_private(options.directory)
    options.cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    joined, connection = _connect(options)
    try:
        return _greeted(connection, options, interrupt)
    except EngineFailed:
        if not joined:
            raise
    _, connection = _connect(options)  # it was about to end when we came
    return _greeted(connection, options, interrupt)


def _connect(options: EngineOptions) -> tuple[bool, socket.socket]:
    """A connection to the engine, and whether it ran before."""
    place = options.directory / f"{options.name}.sock"
    with _one_at_a_time(place.with_suffix(".lock")):
        if connection := _join(place):
            return True, connection
        return False, _start(options, place)


def _make_private(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    details = directory.lstat()
    private = not stat.S_IMODE(details.st_mode) & 0o077
    if not stat.S_ISDIR(details.st_mode) or details.st_uid != os.getuid() or not private:
        raise ConfigurationError(f"{directory} belongs to somebody else or is open to others.")


@contextmanager
def _one_at_a_time(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _join(place: Path) -> socket.socket | None:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(place))
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    return connection


def _start(options: EngineOptions, place: Path) -> socket.socket:
    """Start it around a socket that is ready now: connections wait in it until the model is."""
    place.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen(BACKLOG)
        connection = _join(place)
        assert connection is not None, "we listen there ourselves"
        settings = {
            "listener": listener.fileno(),
            "model": str(options.model),
            "context": options.context,
            "threads": options.threads,
            "drafts": options.drafts,
            "cache": f"{options.cache}{os.sep}",
            "keep_warm": options.keep_warm,
        }
        _spawn(json.dumps(settings), listener.fileno(), _log(options))
    return connection


def _spawn(settings: str, listener: int, log: Path) -> None:
    """Start the program apart from us: Ctrl-C is not for it, and it may outlive us."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-I", str(PROGRAM), settings],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(listener,),
            start_new_session=True,
            env={**CALM, **os.environ},
        )
    process.returncode = 0  # it ends by itself, and is then no child that anybody waits for


def _greeted(
    connection: socket.socket, options: EngineOptions, interrupt: Interrupt
) -> Lease | None:
    """Wait for the engine to say where it is."""
    connection.settimeout(options.load_seconds)
    with interrupt.calls(lambda: _hang_up(connection)):
        line = _first_line(connection)
    if interrupt.requested:
        connection.close()
        return None
    try:
        hello = json.loads(line)
        connection.setblocking(False)
        return Lease(hello["address"], hello["key"], hello["context"], connection)
    except (ValueError, KeyError, TypeError) as error:
        connection.close()
        raise EngineFailed(_last_words(options)) from error


def _hang_up(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _first_line(connection: socket.socket) -> bytes:
    line = b""
    try:
        while not line.endswith(b"\n") and len(line) < HELLO:
            piece = connection.recv(HELLO)
            if not piece:
                break
            line += piece
    except OSError:  # reset, or nothing came in time
        return b""
    return line


def _log(options: EngineOptions) -> Path:
    return options.directory / f"{options.name}.log"


def _last_words(options: EngineOptions) -> str:
    try:
        lines = _log(options).read_text(encoding="utf-8", errors="replace")[-4000:].splitlines()
    except OSError:
        lines = []
    said = next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")
    return f"llama.cpp could not load {options.model.name}: {said[:300]} (see {_log(options)})"

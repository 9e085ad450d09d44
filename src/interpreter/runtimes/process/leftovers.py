"""What background jobs of earlier blocks go on printing: kept apart, bounded, and readable."""

from __future__ import annotations

import selectors
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from interpreter.runtimes.process.pipes import StreamPipe
from interpreter.runtimes.resident import Bell

KEPT_CHARACTERS = 64_000


@dataclass(slots=True)
class Leftover:
    """The output of one block's background jobs since that block ended; `text` is its tail."""

    label: str
    open_pipes: int
    text: str = ""
    printed: int = 0
    told: int = 0

    def add(self, text: str) -> None:
        """Keep the tail and the count."""
        self.printed += len(text)
        self.text = (self.text + text)[-KEPT_CHARACTERS:]

    @property
    def running(self) -> bool:
        """Whether somebody still holds the block's output open."""
        return self.open_pipes > 0


@dataclass(slots=True)
class Leftovers:
    """Drains pipes that outlive their blocks, in a thread that exists while there are any."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _pipes: dict[StreamPipe, Leftover] = field(default_factory=dict)
    _kept: list[Leftover] = field(default_factory=list)
    _bell: Bell | None = None
    _thread: threading.Thread | None = None

    def take(self, label: str, pipes: Sequence[StreamPipe]) -> None:
        """Go on reading those of a block's pipes that somebody still writes to."""
        waiting = [_waiting(pipe) for pipe in pipes]
        live = [pipe for pipe in pipes if not pipe.ended]
        for pipe in pipes:
            if pipe.ended:
                pipe.close()
        if not live:
            return
        leftover = Leftover(label, len(live))
        leftover.add("".join(waiting))
        with self._lock:
            self._kept = [*self._kept[-19:], leftover]
            self._pipes.update({pipe: leftover for pipe in live})
            self._start_or_wake()

    def all(self) -> tuple[Leftover, ...]:
        """The background output there is, oldest first."""
        with self._lock:
            return tuple(self._kept)

    def news(self) -> list[str]:
        """One sentence for each job that has printed since the last call."""
        with self._lock:
            fresh = [one for one in self._kept if one.printed > one.told]
            for one in fresh:
                one.told = one.printed
            self._kept = [one for one in self._kept if one.running or one in fresh]
            return [_news(one) for one in fresh]

    def close(self) -> None:
        """Stop reading."""
        with self._lock:
            pipes, self._pipes = self._pipes, {}
            self._kept = []
            if self._bell is not None:
                self._bell.ring()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        for pipe in pipes:
            pipe.close()

    def _start_or_wake(self) -> None:
        if self._thread is not None and self._thread.is_alive() and self._bell is not None:
            self._bell.ring()
            return
        self._bell = Bell()
        self._thread = threading.Thread(target=self._drain, name="leftovers", daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        bell = self._bell
        assert bell is not None
        with selectors.DefaultSelector() as selector:
            selector.register(bell, selectors.EVENT_READ)
            while self._register_new(selector):
                for key, _ in selector.select():
                    self._serve(key.fileobj, selector, bell)
        bell.close()

    def _register_new(self, selector: selectors.BaseSelector) -> bool:
        known = selector.get_map()
        with self._lock:
            for pipe in self._pipes:
                if pipe.fileno() not in known:
                    selector.register(pipe, selectors.EVENT_READ)
            if not self._pipes:
                self._bell = None
            return bool(self._pipes)

    def _serve(self, source: object, selector: selectors.BaseSelector, bell: Bell) -> None:
        if not isinstance(source, StreamPipe):
            bell.silence()
            return
        with self._lock:
            leftover = self._pipes.get(source)
            if leftover is None:
                selector.unregister(source)
                return
            leftover.add(source.read())
            if source.ended:
                selector.unregister(source)
                leftover.open_pipes -= 1
                del self._pipes[source]
                source.close()


def _waiting(pipe: StreamPipe) -> str:
    """What can be read at once; a pipe whose writers are gone tells so with that."""
    if pipe.ended:
        return ""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        return pipe.read() if selector.select(0) else ""


def _news(leftover: Leftover) -> str:
    state = "still runs" if leftover.running else "has ended"
    return (
        f"The background job of {leftover.label!r} {state}; it printed {leftover.printed} "
        f"characters, at the end: {leftover.text[-500:]}"
    )

"""Decides which hosts a session may reach; the proxy of a cell asks here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Literal

from interpreter.sandboxes.hosts import HostRule, Target, rules

HostAnswer = Literal["once", "session", "always", "no"]
AskHost = Callable[[str], HostAnswer]
"""Asked with ``host:port`` from a thread of its own; may take as long as the user takes."""

_MOST_REFUSALS = 100


class HostGate:
    """Rules that change while the session runs. Without rules and without `ask` nothing passes.

    `relatives` tells which hosts go with one that was allowed, as package indexes keep their files
    elsewhere; `keep` stores what the user allows for ever.
    """

    def __init__(
        self,
        *,
        allow: Iterable[str] = (),
        ask: AskHost | None = None,
        keep: Callable[[str], None] = lambda rule: None,
        relatives: Callable[[Target], Iterable[str]] = lambda wanted: (),
    ) -> None:
        self._ask = ask
        self._keep = keep
        self._relatives = relatives
        self._lasting = list(rules(allow))
        self._block: list[HostRule] = []
        self._denied: set[Target] = set()
        self._refusals: dict[str, None] = {}
        self._traffic: dict[str, int] = {}
        self.last_traffic: dict[str, int] = {}
        """The hosts that the last block connected to, and the bytes that went to and fro."""
        self._lock = threading.Lock()

    def allow(self, rule: str) -> None:
        """Allow a host for the rest of the session."""
        with self._lock:
            self._lasting.append(HostRule.parse(rule))
            self._denied.clear()

    def allows(self, wanted: Target) -> bool:
        """Whether a rule lets this pass."""
        with self._lock:
            return any(rule.covers(wanted) for rule in (*self._lasting, *self._block))

    def may_ask(self, wanted: Target) -> bool:
        """Whether the user is there, and has not said no since the block began."""
        with self._lock:
            return self._ask is not None and wanted not in self._denied

    def ask(self, wanted: Target) -> None:
        """Ask the user and learn the answer; takes as long as the user takes."""
        answer: HostAnswer = "no" if self._ask is None else self._ask(str(wanted))
        granted = [str(wanted), *(self._relatives(wanted) if answer != "no" else ())]
        with self._lock:
            if answer in ("session", "always"):
                self._lasting += rules(granted)
            elif answer == "once":
                self._block += rules(granted)
            else:
                self._denied.add(wanted)
        if answer == "always":
            for rule in granted:
                self._keep(rule)

    def note_refusal(self, wanted: Target) -> None:
        """Remember, for the end of the block, that this was wanted."""
        with self._lock:
            if len(self._refusals) < _MOST_REFUSALS:
                self._refusals[str(wanted)] = None

    def note_traffic(self, wanted: Target, size: int) -> None:
        """So many bytes went to or from a host; its first mention says that it was reached."""
        with self._lock:
            if str(wanted) in self._traffic or len(self._traffic) < _MOST_REFUSALS:
                self._traffic[str(wanted)] = self._traffic.get(str(wanted), 0) + size

    def end_block(self) -> tuple[str, ...]:
        """The block is over: what was said for it is forgotten. Returns what was refused."""
        with self._lock:
            refusals = tuple(self._refusals)
            self._block.clear()
            self._denied.clear()
            self._refusals.clear()
            self.last_traffic, self._traffic = self._traffic, {}
        return refusals

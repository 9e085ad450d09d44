"""Decides which hosts a session may reach; the proxy of a cell asks here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Literal

from interpreter.protocol.actions import Verdict
from interpreter.sandboxes.hosts import HostRule, Target, rules

HostAnswer = Literal["once", "session", "always", "no"]
AskHost = Callable[[str], HostAnswer]
"""Asked with ``host:port`` from a thread of its own; may take as long as the user takes."""

_MOST_REFUSALS = 100


class HostGate:
    """Rules that change while the session runs. Without rules and without `ask` nothing passes.

    `relatives` tells which hosts go with one that was allowed, as package indexes keep their files
    elsewhere; `keep` stores what the user allows for ever; `ruling` is what the user's own rules
    say about a host, before anything that was allowed.
    """

    def __init__(
        self,
        *,
        allow: Iterable[str] = (),
        ask: AskHost | None = None,
        keep: Callable[[str], None] = lambda rule: None,
        relatives: Callable[[Target], Iterable[str]] = lambda wanted: (),
        ruling: Callable[[str], Verdict | None] = lambda host: None,
    ) -> None:
        self._ask = ask
        self._keep = keep
        self._relatives = relatives
        self._ruling = ruling
        self._lasting = list(rules(allow))
        self._from_before = len(self._lasting)
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
        """Whether a rule lets this pass. What is to be asked about needs an answer of today."""
        verdict = self._ruling(wanted.host)
        if verdict is not None and verdict.ruling == "deny":
            return False
        if verdict is not None and verdict.ruling == "allow" and wanted.port in (80, 443):
            return True
        with self._lock:
            lasting = self._lasting[self._from_before if verdict is not None else 0 :]
            return any(rule.covers(wanted) for rule in (*lasting, *self._block))

    def may_ask(self, wanted: Target) -> bool:
        """Whether the user is there, and has not said no since the block began, nor in a rule."""
        if self.denial(wanted):
            return False
        with self._lock:
            return self._ask is not None and wanted not in self._denied

    def denial(self, wanted: Target) -> str:
        """Why a rule of the user's denies this; empty if none does."""
        verdict = self._ruling(wanted.host)
        return verdict.reason if verdict is not None and verdict.ruling == "deny" else ""

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
        denial = self.denial(wanted)
        with self._lock:
            if len(self._refusals) < _MOST_REFUSALS:
                self._refusals[f"{wanted} ({denial})" if denial else str(wanted)] = None

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

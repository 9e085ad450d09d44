"""Decides which hosts a session may reach; the proxy of a cell asks here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from interpreter.protocol.actions import Verdict
from interpreter.sandboxes.network.hosts import HostRule, Target, rules

HostAnswer = Literal["once", "session", "always", "no"]
AskHosts = Callable[[tuple[str, ...]], HostAnswer]
"""Asked about ``host:port``, one or several, in a thread of its own; takes as long as it takes."""

MOST_IN_A_QUESTION = 20
MOST_NOES = 3  # questions of one block that are answered by no; then nothing more is asked
_MOST_REFUSALS = 100


class HostGate:
    """Rules that change while the session runs. Without rules and without `ask` nothing passes.

    What is allowed is exactly what was asked about, by name and port; nothing comes with it. `keep`
    stores what the user allows for ever; `ruling` is what the user's own rules say about a host,
    before anything that was allowed. Where no rule speaks, `suspicion` says why a host is asked
    about although it was allowed.
    """

    def __init__(
        self,
        *,
        allow: Iterable[str] = (),
        ask: AskHosts | None = None,
        keep: Callable[[str], None] = lambda rule: None,
        ruling: Callable[[str], Verdict | None] = lambda host: None,
        suspicion: Callable[[str], str] = lambda host: "",
    ) -> None:
        self._ask = ask
        self._keep = keep
        self._ruling = ruling
        self._suspicion = suspicion
        self._cleared: set[Target] = set()
        self._lasting = list(rules(allow))
        self._from_before = len(self._lasting)
        self._block: list[HostRule] = []
        self._denied: set[Target] = set()
        self._noes = 0
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
            self._noes = 0

    def allowed(self) -> tuple[str, ...]:
        """What passes without a question: for this session, and for good."""
        with self._lock:
            return tuple(dict.fromkeys(map(str, self._lasting)))

    def forget(self, rule: str) -> None:
        """Ask about a host again that was allowed."""
        gone = HostRule.parse(rule)
        with self._lock:
            before = [one for one in self._lasting[: self._from_before] if one != gone]
            since = [one for one in self._lasting[self._from_before :] if one != gone]
            self._lasting, self._from_before = [*before, *since], len(before)
            self._cleared.clear()

    def allows(self, wanted: Target) -> bool:
        """Whether a rule lets this pass. What is to be asked about needs an answer of today."""
        verdict = self._ruling(wanted.host)
        if verdict is not None and verdict.ruling == "deny":
            return False
        if verdict is not None and verdict.ruling == "allow" and wanted.port in (80, 443):
            return True
        with self._lock:
            is_cleared = verdict is not None or wanted in self._cleared
        is_suspect = not is_cleared and bool(self._suspicion(wanted.host))
        with self._lock:
            lasting = self._lasting[self._from_before if verdict is not None else 0 :]
            lasting = [] if is_suspect else lasting
            return any(rule.covers(wanted) for rule in (*lasting, *self._block))

    def may_ask(self, wanted: Target) -> bool:
        """Whether the user is there, and has not said no since the block began, nor in a rule."""
        if self.denial(wanted):
            return False
        with self._lock:
            is_enough = self._noes >= MOST_NOES or wanted in self._denied
            return self._ask is not None and not is_enough

    def denial(self, wanted: Target) -> str:
        """Why a rule of the user's denies this; empty if none does."""
        verdict = self._ruling(wanted.host)
        return verdict.reason if verdict is not None and verdict.ruling == "deny" else ""

    def reason(self, wanted: Target) -> str:
        """Why this does not pass, for the program that wanted it."""
        with self._lock:
            is_enough = self._noes >= MOST_NOES
        said_no = "the user said no often enough in this block, and is not asked about more hosts"
        return self.denial(wanted) or (said_no if is_enough else "the user must allow it")

    def ask(self, wanted: Sequence[Target]) -> None:
        """Ask the user one question about all of these, and learn the answer; takes its time."""
        granted = tuple(map(str, wanted))
        answer: HostAnswer = "no" if self._ask is None else self._ask(granted)
        with self._lock:
            if answer in ("session", "always"):
                self._lasting += rules(granted)
                self._cleared.update(wanted)
            elif answer == "once":
                self._block += rules(granted)
            else:
                self._denied.update(wanted)
                self._noes += 1
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
            self._noes = 0
            self._refusals.clear()
            self.last_traffic, self._traffic = self._traffic, {}
        return refusals

"""Notices a model that goes round in circles, so that a turn ends with a reason, not a bill."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b

from interpreter.protocol.actions import Decision
from interpreter.protocol.events import ApprovalRequested
from interpreter.protocol.messages import Action, ActionCall, Code, Message, Output
from interpreter.protocol.ports import Approver


class StuckDetector:
    """Counts, within one turn, actions that end the same way and replies that say nothing."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._seen: Counter[bytes] = Counter()
        self._failed: set[bytes] = set()
        self._granted = False
        self._silences = 0

    def noting(self, approve: Approver) -> Approver:
        """The approver, with its grants noted: what failed for want of one may work now."""

        def decide(request: ApprovalRequested) -> Decision:
            decision = approve(request)
            self._granted |= decision.allows and not request.proposed
            return decision

        return decide

    def failed_before(self, action: Action) -> bool:
        """Whether just this failed in the turn, and nothing has succeeded since."""
        return _fingerprint(action) in self._failed

    def repeats(self, action: Action, result: Message) -> str:
        """Why the turn should end after this result; empty while it should go on."""
        self._silences = 0
        outcomes = {one.outcome for one in result.results}
        if "ok" in outcomes or self._granted:
            self._failed.clear()
            self._granted = False
        elif outcomes & {"failed", "died"}:
            self._failed.add(_fingerprint(action))
        mark = _fingerprint(action, result)
        self._seen[mark] += 1
        if self._seen[mark] < self._limit:
            return ""
        return f"the same {_kind(action)} gave the same result {self._limit} times"

    def silence(self) -> str:
        """Why the turn should end after an empty reply; empty while it is worth asking again."""
        self._silences += 1
        if self._silences < self._limit:
            return ""
        return f"the model sent {self._limit} empty replies in a row"


def _kind(action: Action) -> str:
    match action:
        case Code(language):
            return f"{language} block"
        case ActionCall(tool):
            return f"call of {tool}"
        case _:
            return "unreadable call"


def _fingerprint(action: Action, result: Message | None = None) -> bytes:
    digest = blake2b(digest_size=16)
    match action:
        case Code(language, source):
            kind = f"{language}\0{action.to_compare}\0{source.strip()}"
            digest.update(kind.encode(errors="replace"))
        case ActionCall(tool, arguments):
            digest.update(f"{tool}\0{arguments}".encode(errors="replace"))
        case _:
            digest.update(action.raw.encode(errors="replace"))
    for part in result.parts if result else ():
        if isinstance(part, Output):
            digest.update(part.text.encode(errors="replace"))
    for outcome in result.results if result else ():
        digest.update(f"\0{outcome.outcome}\0{outcome.summary}".encode(errors="replace"))
    return digest.digest()

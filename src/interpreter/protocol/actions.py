"""Who may do what: verdicts of policies, questions to the user, and the user's decisions."""

from __future__ import annotations

from typing import Literal

from interpreter.protocol.messages import Action
from interpreter.protocol.values import frozen

Ruling = Literal["allow", "ask", "deny"]
Asks = bool | Literal["even in auto", "from what was read"]
"""Whether the user is asked before something is done; what leaves the walls is asked about even in
a session that runs code unasked, and so is what leaves the machine and comes from what was read."""
Answer = Literal["yes", "session", "always", "dry_run", "no", "stop"]
"""`session` and `always` are wider than `yes`: they cover exactly this command, host or path, when
it is asked about again."""

FAILED_BEFORE = "the very same block failed a moment ago, and nothing has changed since"
"""Why a block is not run again."""


@frozen
class Finding:
    """Something a scan noticed in a block: the line, what it is, why it matters."""

    line: int
    rule: str
    reason: str


@frozen
class Verdict:
    """What a policy says about an action; `reason` is shown to the user and to the model."""

    ruling: Ruling
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    offers_scan: bool = False
    """Whether the user may have the action scanned before answering."""
    instead: Action | None = None
    """What was judged, and is to run, instead of what was proposed."""
    stops: bool = False
    """Whether the turn ends with it."""


FORM = "form"
"""In the arguments of a question of a tool server: what the user may fill in, by editing."""


@frozen
class Decision:
    """The user's answer. `reason` goes to the model; `edited` replaces the proposed action."""

    answer: Answer
    reason: str = ""
    edited: Action | None = None

    @property
    def allows(self) -> bool:
        """Whether the action may run."""
        return self.answer in ("yes", "session", "always", "dry_run")

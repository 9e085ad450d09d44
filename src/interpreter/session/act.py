"""One action of a turn: may it run, and if so what came of it.

Also who notices a model that goes round in circles, so that a turn ends with a reason, not a bill.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from hashlib import blake2b

from interpreter.protocol.actions import Answer, Decision
from interpreter.protocol.changed_files import (
    FAILED_AND_BACK,
    IN_ITS_PLACE,
    TAKEN_BACK,
    in_one_line,
)
from interpreter.protocol.errors import CheckpointError, RuntimeFailure
from interpreter.protocol.events import (
    ActionStarted,
    ApprovalRequested,
    CheckpointDiscarded,
    CheckpointTaken,
    Decided,
    Event,
    ExecutionFinished,
    FilesChanged,
    MessageFinished,
    Notice,
    RuntimeEvent,
)
from interpreter.protocol.messages import (
    Action,
    ActionCall,
    ActionResult,
    Attempt,
    Code,
    MalformedCall,
    Message,
    Outcome,
    Output,
)
from interpreter.protocol.ports import Approver, ToolContext
from interpreter.session.draft import Draft
from interpreter.session.engine import Turn

INSTEAD = "It runs in the place of the block before it: what that changed is taken back first."


def decide(action: Action, turn: Turn) -> Generator[Event, None, Decision]:
    """Ask the policy, and the user where the policy says so."""
    if isinstance(action, MalformedCall):
        return Decision("no", action.problem)
    verdict = turn.engine.policy().review(action)
    asked = verdict.instead or action
    if _is_to_compare(action) and verdict.ruling == "ask":
        return Decision("no", "what is only compared is not asked about")
    warnings = turn.engine.checkpoints().warnings(asked) if verdict.ruling != "deny" else ()
    if verdict.ruling == "allow":
        for warning in warnings:  # whoever lets code run unasked is told, and not kept waiting
            yield Notice(warning, "warning")
        return Decision("yes", edited=verdict.instead)
    if verdict.ruling == "deny":
        answer: Answer = "stop" if verdict.stops else "no"
        decision = Decision(answer, verdict.reason or "a rule forbids it")
    else:
        instead = INSTEAD if _attempt(action) == "again" else ""
        reason = " ".join(filter(None, (verdict.reason, instead, *warnings)))
        request = ApprovalRequested(
            asked,
            reason,
            verdict.findings,
            verdict.offers_scan,
            proposed=True,
            preview=turn.engine.checkpoints().preview(asked),
        )
        yield request
        decision = turn.engine.approve(request)
        turn.engine.policy().remember(asked, decision)
        if decision.allows and verdict.instead is not None and decision.edited is None:
            decision = replace(decision, edited=verdict.instead)
    yield Decided(action, decision)
    return decision


def refuse(action: Action, decision: Decision, turn: Turn) -> Generator[Event, None, Message]:
    """Tell the model that it was not run, and why."""
    if isinstance(action, MalformedCall):
        return (yield from _not_run(action, "invalid", action.problem, turn))
    reason = decision.reason or "the user declined to run this"
    return (yield from _not_run(action, "declined", reason, turn))


def skip(action: Action, turn: Turn) -> Generator[Event, None, Message]:
    """Answer an action that the end of the turn left over."""
    return (yield from _not_run(action, "skipped", "the turn ended before this could run", turn))


def _not_run(
    action: Action, outcome: Outcome, summary: str, turn: Turn
) -> Generator[Event, None, Message]:
    message = Message("computer", (ActionResult(action.call_id, outcome, summary),))
    turn.record(message)
    yield MessageFinished(message)
    return message


def execute(proposed: Action, decision: Decision, turn: Turn) -> Generator[Event, None, Message]:
    """Run it between two checkpoints and record what it printed, showed and changed."""
    draft = Draft("computer")
    if decision.edited:
        draft.put(decision.edited)
    broken_off = ActionResult(proposed.call_id, "interrupted", "it was stopped")
    with turn.keeping(draft, broken_off):
        action = decision.edited or proposed
        if _is_to_compare(proposed):
            finished = yield from _run(action, draft, turn)
        else:
            trial = decision.answer == "dry_run"  # what becomes of it the user decides
            attempt = _attempt(proposed)
            finished = yield from _between_checkpoints(action, draft, turn, attempt, trial=trial)
        if decision.answer == "dry_run":
            draft.put((yield from _kept_or_discarded(action, turn)))
        draft.put(ActionResult(proposed.call_id, finished.outcome, finished.summary))
    message = draft.message()
    assert message is not None, "a result has at least its outcome"
    turn.record(message)
    yield MessageFinished(message)
    return message


def _between_checkpoints(
    action: Action, draft: Draft, turn: Turn, attempt: Attempt, *, trial: bool
) -> Generator[Event, None, ExecutionFinished]:
    turn.engine.before_block()
    checkpoints = turn.engine.checkpoints()
    if attempt == "again":
        yield from _take_back(IN_ITS_PLACE, draft, turn)
    checkpoint = checkpoints.begin(action)
    changed: FilesChanged | None = None
    try:
        if checkpoint:
            yield CheckpointTaken(checkpoint)
        finished = yield from _run(action, draft, turn)
    finally:
        changed = checkpoints.end()
    if changed and changed.changes:
        draft.put(Output(in_one_line(changed), "stderr"))
        yield changed
    for note in changed.notes if changed else ():
        draft.put(Output(f"[{note}]\n", "stderr"))
        yield Notice(note, "warning")
    halfway = changed is not None and changed.changes and finished.outcome in ("failed", "died")
    if attempt and checkpoint and halfway and not trial:
        yield from _take_back(FAILED_AND_BACK, draft, turn)
    return finished


def _take_back(why: str, draft: Draft, turn: Turn) -> Generator[Event, None, None]:
    """Undo the last block for good; where that cannot be, what it did stays, and that is told."""
    try:
        discarded = _discarded(turn)
    except CheckpointError as error:
        yield Notice(f"What the last block changed could not be taken back: {error}", "warning")
        return
    draft.put(Output(f"{why}: {discarded.told}]\n", "stderr"))
    yield discarded


def _discarded(turn: Turn) -> CheckpointDiscarded:
    checkpoints = turn.engine.checkpoints()
    done = [one.name for one in checkpoints.list() if not one.undone]
    if not done:
        raise CheckpointError("nothing was kept of it.")
    return CheckpointDiscarded(checkpoints.discard(), done[-1])


def _kept_or_discarded(action: Action, turn: Turn) -> Generator[Event, None, Output]:
    """After a dry run: the user has seen what it did, and says whether it stays."""
    effects = turn.engine.checkpoints().effects() or "it changed no file and reached no host"
    reason = f"It ran as a trial: {effects}. This can still be taken back as if it had not run."
    request = ApprovalRequested(action, reason)
    yield request
    decision = turn.engine.approve(request)
    yield Decided(action, decision)
    if decision.allows:
        return Output("[a dry run, and the user kept its effects]\n", "stderr")
    discarded = _discarded(turn)
    yield discarded
    return Output(f"{TAKEN_BACK}: {discarded.told}]\n", "stderr")


def _run(action: Action, draft: Draft, turn: Turn) -> Generator[Event, None, ExecutionFinished]:
    yield ActionStarted(action)
    finished = ExecutionFinished("failed", "it ended without a result")
    with closing(_work(action, turn)) as work:
        for event in work:
            draft.add(event)
            yield event
            if isinstance(event, ExecutionFinished):
                finished = event
    return finished


def _is_to_compare(action: Action) -> bool:
    return isinstance(action, Code) and action.to_compare


def _attempt(action: Action) -> Attempt:
    return action.attempt if isinstance(action, Code) else ""


def _work(action: Action, turn: Turn) -> Generator[RuntimeEvent, None, None]:
    tools = turn.engine.tools
    usual = "compare" if _is_to_compare(action) else "execute"
    name = action.tool if isinstance(action, ActionCall) else usual
    if name not in tools:
        known = ", ".join(sorted(tools))
        yield ExecutionFinished("invalid", f"there is no tool {name!r}; there are: {known}")
        return
    context = ToolContext(turn.engine.answer, turn.interrupt, turn.engine.approve)
    try:
        yield from tools[name].run(action, context)
    except RuntimeFailure as failure:  # the model can often help: it reads the reason and goes on
        yield ExecutionFinished("failed", str(failure))


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

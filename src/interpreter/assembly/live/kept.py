"""The log of a session that is kept: opened where it ended, mended where a process died."""

from __future__ import annotations

from interpreter.assembly.live.log import EventLog
from interpreter.assembly.live.log_file import LogFile
from interpreter.protocol.events import ApprovalRequested, InputRequested, TurnFinished
from interpreter.protocol.json.codec import decode, encode
from interpreter.protocol.live import LiveEvent, QuestionClosed, TurnStarted, WentBack
from interpreter.session.store.database import Store

BROKEN_OFF = "The process that ran it ended; what was kept until then is shown."


def open_log(store: Store, session: str) -> EventLog[LiveEvent]:
    """The events of a session, which go on with the next number."""
    file = LogFile[LiveEvent](
        store.events_path(session),
        lambda event: encode(event, keep=lambda data: store.keep_blob(session, data)),
        lambda line: decode(line, fetch=lambda digest: store.blob(session, digest)),
    )
    log = EventLog(file)
    running, asked = _left(file)
    if running:
        _mend(store, session, log, asked)
    return log


def _left(file: LogFile[LiveEvent]) -> tuple[bool, int]:
    """Whether a turn has no end, and the number of the question that it was waiting with."""
    asked = closed = 0
    for number, kind in file.backwards():
        if kind in (TurnFinished.__name__, TurnStarted.__name__):
            return kind == TurnStarted.__name__, asked if asked > closed else 0
        if kind in (ApprovalRequested.__name__, InputRequested.__name__):
            asked = asked or number
        elif kind == QuestionClosed.__name__:
            closed = closed or number
    return False, 0


def _mend(store: Store, session: str, log: EventLog[LiveEvent], asked: int) -> None:
    """End the turn that was running when a process died."""
    store.settle(session)
    if asked:
        log.append(QuestionClosed(asked, "end"))
    log.append(TurnFinished("interrupted", BROKEN_OFF))
    log.append(WentBack(BROKEN_OFF, sum(1 for _ in store.messages(session))))

"""The log of a session that is kept: opened where it ended, mended where a process died."""

from __future__ import annotations

from interpreter.assembly.live.log import EventLog
from interpreter.assembly.live.log_file import LogFile
from interpreter.protocol.codec import decode, encode
from interpreter.protocol.events import ApprovalRequested, InputRequested, TurnFinished
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
    latest = file.last_of_type
    if latest.get(TurnStarted.__name__, 0) > latest.get(TurnFinished.__name__, 0):
        _mend(store, session, log, latest)
    return log


def _mend(store: Store, session: str, log: EventLog[LiveEvent], latest: dict[str, int]) -> None:
    """End the turn that was running when a process died."""
    store.settle(session)
    asked = max(latest.get(kind.__name__, 0) for kind in (ApprovalRequested, InputRequested))
    if asked > latest.get(QuestionClosed.__name__, 0):
        log.append(QuestionClosed(asked, "end"))
    log.append(TurnFinished("interrupted", BROKEN_OFF))
    log.append(WentBack(BROKEN_OFF, sum(1 for _ in store.messages(session))))

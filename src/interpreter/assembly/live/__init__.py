"""Live sessions for any face: each on a thread of its own, its events numbered for all readers."""

from interpreter.assembly.live.kept import open_log
from interpreter.assembly.live.log import EventLog, Gone, Numbered, Reader
from interpreter.assembly.live.log_file import LogFile
from interpreter.assembly.live.questions import Questions
from interpreter.assembly.live.session import Busy, LiveSession
from interpreter.assembly.live.thread import SessionThread

__all__ = [
    "Busy",
    "EventLog",
    "Gone",
    "LiveSession",
    "LogFile",
    "Numbered",
    "Questions",
    "Reader",
    "SessionThread",
    "open_log",
]

"""One line of `interpreter doctor`."""

from __future__ import annotations

from typing import Literal

from interpreter.protocol.values import frozen

State = Literal["ok", "absent", "degraded", "missing"]


@frozen
class Finding:
    """One line: what, how it is, more about it, and what mends it."""

    what: str
    state: State
    detail: str = ""
    fix: str = ""

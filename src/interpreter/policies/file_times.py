"""When the time of a change can be trusted to tell that there was no other change since.

Files and directories have their times from a clock that ticks every few milliseconds, on some disks
every two seconds: two changes within one tick look like one. What was read right after a change is
therefore read again.
"""

from __future__ import annotations

import time

NEVER = -1  # a time that nothing has
_TICK = 3_000_000_000  # nanoseconds, longer than any


def is_settled(changed: int) -> bool:
    """Whether something that is read now would get another time by a change from now on."""
    return time.time_ns() - changed > _TICK

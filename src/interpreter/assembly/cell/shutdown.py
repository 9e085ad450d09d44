"""Leaving a session: one thing after the other ends, and none is waited for without end."""

from __future__ import annotations

import threading
from collections.abc import Callable

START_SECONDS = 10.0  # for what was still starting
SAVE_SECONDS = 25.0
END_SECONDS = 15.0  # for languages, journal and sandbox, each
_A_MOMENT = 1.0  # seconds that nobody needs an explanation for


class Shutdown:
    """Ends things in threads of their own. The user is told what takes long; Ctrl-C goes on."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell

    def step(self, what: str, work: Callable[[], object], seconds: float) -> None:
        """Have something done, and wait so long at most; an error of it is raised here."""
        errors: list[BaseException] = []

        def done() -> None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001  (raised where it was wanted)
                errors.append(error)

        thread = threading.Thread(target=done, name=what, daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the program itself is ending, and starts no thread any more
            work()
            return
        try:
            self._wait(thread, what, seconds)
        except KeyboardInterrupt:
            self._tell(f"{what}: not waited for any longer.")
        if errors:
            raise errors[0]

    def _wait(self, thread: threading.Thread, what: str, seconds: float) -> None:
        thread.join(_A_MOMENT)
        if not thread.is_alive():
            return
        self._tell(f"{what} … (at most {seconds:g} seconds; Ctrl-C goes on without)")
        thread.join(seconds - _A_MOMENT)
        if thread.is_alive():
            self._tell(f"{what}: no answer within {seconds:g} seconds, so it is left.")

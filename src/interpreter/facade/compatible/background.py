"""A turn in a thread of its own: `chat(blocking=False)` and `wait()`."""

from __future__ import annotations

import threading
from collections.abc import Callable


class BackgroundWork:
    """At most one piece of work at a time."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._trouble: BaseException | None = None

    def start(self, work: Callable[[], object]) -> None:
        """Begin; what was begun before is waited for first."""
        self.wait()
        self._thread = threading.Thread(target=self._run, args=(work,), name="chat")
        self._thread.start()

    def wait(self) -> None:
        """Until it is done; what went wrong in it is raised here."""
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
            self._thread = None
        trouble, self._trouble = self._trouble, None
        if trouble is not None:
            raise trouble

    def _run(self, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001  (raised again by whoever waits)
            self._trouble = error

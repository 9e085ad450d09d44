"""Things that are made in the background while the session already begins."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Later(Generic[T]):
    """Something that is made once it is wanted, and waited for when it is used."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._made: T
        self._error: BaseException | None = None
        self._told = False

    @property
    def wanted(self) -> bool:
        """Whether somebody has asked for it."""
        return self._thread is not None

    def begin(self) -> None:
        """Start making it."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()

    def get(self) -> T:
        """The thing itself, or the error that making it ended with."""
        self.begin()
        assert self._thread is not None
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._made

    def settle(self) -> None:
        """Wait until it is made, if it is being made; whether that went well does not matter."""
        if self._thread is not None:
            self._thread.join()

    def news(self) -> T | None:
        """The thing itself when it is asked for the first time, if it was wanted at all."""
        if not self.wanted or self._told:
            return None
        self._told = True
        return self.get()

    def _work(self) -> None:
        try:
            self._made = self._make()
        except BaseException as error:  # noqa: BLE001  (whoever waits for it gets it)
            self._error = error

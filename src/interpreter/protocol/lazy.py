"""Values that are made late: when they are first wanted, or in the background before that."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Lazy(Generic[T]):
    """A value that is made once, by whoever asks first, or in a thread of its own after `begin`.

    An error in the background is raised wherever the value is asked for; Ctrl-C there ends the
    waiting, and not the work. Without `begin` it is made in place, and after an error once more.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.RLock()
        self._in_background = False
        self._over = threading.Event()  # a join that Ctrl-C broke off takes a thread for ended
        self._value: tuple[T] | None = None
        self._error: BaseException | None = None

    @property
    def begun(self) -> bool:
        """Whether it is there, or is being made."""
        return self._in_background or self._value is not None

    @property
    def made(self) -> T | None:
        """The value if it is there already."""
        return self._value[0] if self._value else None

    def begin(self) -> None:
        """Start making it in the background; never waits for it."""
        if self.begun:
            return
        with self._lock:
            if not self.begun:
                self._in_background = True
                threading.Thread(target=self._work, name="lazy", daemon=True).start()

    def get(self) -> T:
        """The value, or the error that making it ended with."""
        if self._value is None:
            self.settle()
            if self._error is not None:
                raise self._error
            with self._lock:
                if self._value is None:
                    self._value = (self._make(),)
        return self._value[0]

    def settle(self) -> None:
        """Wait until it is made, if it is being made; whether that went well does not matter."""
        if self._in_background:
            self._over.wait()

    def _work(self) -> None:
        try:
            with self._lock:
                self._value = self._value or (self._make(),)
        except BaseException as error:  # noqa: BLE001  (whoever waits for it gets it)
            self._error = error
        finally:
            self._over.set()

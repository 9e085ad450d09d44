"""How much memory this process comes to hold; self-contained, as drivers take it along."""

import os
import threading
from pathlib import Path


def resident_mb():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


class Peak:
    """The most megabytes held while something went on, over what was held before."""

    def __enter__(self):
        self.megabytes = 0
        self._before = resident_mb()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self):
        while not self._done.wait(0.01):
            self.megabytes = max(self.megabytes, resident_mb() - self._before)

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()

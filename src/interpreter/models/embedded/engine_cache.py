"""Prompts that were processed before, kept on disk: a system text is never read twice.

A text that is new may begin as a kept one does, since only the date or the directory has changed;
then the engine starts from that and reads what is different.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from interpreter.models.embedded.engine_process import Lease

KEPT = 8  # files; each holds a few megabytes for every hundred tokens of system text
SUFFIX = ".prompt"
TEXT = ".text"  # beside each: what was processed
ENOUGH = 0.7  # of a text that a kept one shares: the rest is not worth a file of its own
TIMEOUT = 30.0
CHARACTERS = 8  # of a token, at most: what has fewer tokens is not all of a text


class PromptCache:
    """Puts the state after a system text back into the engine, or keeps it when it is new."""

    def __init__(self, held: Lease, directory: Path, engine: str) -> None:
        self._held = held
        self._directory = directory
        self._engine = engine
        self._ready: set[str] = set()

    def prepare(self, text: str, process: Callable[[], bool]) -> None:
        """Make the engine know `text`; `process` sends it when no file holds it yet, and tells
        whether all of it was read."""
        digest = hashlib.blake2b(text.encode(errors="replace"), digest_size=10).hexdigest()
        name = f"{self._engine}-{digest}"  # another engine cannot use it
        if name in self._ready:
            return
        self._ready.add(name)
        path = self._directory / f"{name}{SUFFIX}"
        if path.exists() and self._restore(path, text):
            return
        if self._begin_like_another(text) >= ENOUGH * len(text):
            return
        if not process():  # it was interrupted: a part would be taken for all of it ever after
            self._ready.discard(name)
        elif self._act("save", path):
            path.with_suffix(TEXT).write_text(text, encoding="utf-8", errors="replace")
            self._forget_the_oldest()

    def _begin_like_another(self, text: str) -> int:
        """Restore the kept text that begins most like this one; how many characters they share."""
        kept = [
            (_shared(text, path), path) for path in self._directory.glob(f"{self._engine}-*{TEXT}")
        ]
        shared, path = max(kept, default=(0, self._directory))
        is_back = shared and self._restore(path.with_suffix(SUFFIX), text[:shared])
        return shared if is_back else 0

    def _restore(self, path: Path, text: str) -> bool:
        if self._act("restore", path) * CHARACTERS < len(text):
            path.unlink(missing_ok=True)
            path.with_suffix(TEXT).unlink(missing_ok=True)
            return False
        path.touch()
        return True

    def _act(self, action: str, path: Path) -> int:
        """How many tokens were saved or restored; a cache that cannot be used costs time, never an
        answer."""
        parts = urlsplit(self._held.address)
        connection = http.client.HTTPConnection(parts.netloc, timeout=TIMEOUT)
        headers = {"Authorization": f"Bearer {self._held.key}", "Content-Type": "application/json"}
        body = json.dumps({"filename": path.name})
        try:
            connection.request("POST", f"/slots/0?action={action}", body, headers)
            response = connection.getresponse()
            told = json.loads(response.read()) if response.status == HTTPStatus.OK else {}
            return int(told.get(f"n_{action}d", 0))
        except (OSError, http.client.HTTPException, ValueError, TypeError, AttributeError):
            return 0
        finally:
            connection.close()

    def _forget_the_oldest(self) -> None:
        files = sorted(self._directory.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime)
        for path in files[:-KEPT]:
            path.unlink(missing_ok=True)
            path.with_suffix(TEXT).unlink(missing_ok=True)


def _shared(text: str, path: Path) -> int:
    """How many characters a text and a kept one have in common at their beginning."""
    try:
        kept = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return 0
    return len(os.path.commonprefix([text, kept]))

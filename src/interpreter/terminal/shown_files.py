"""The files beside what is shown: pictures, pages, formulas; each once, the oldest dropped."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from interpreter.protocol.messages import Face

SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/svg+xml": ".svg",
    "text/html": ".html",
    "text/latex": ".tex",
    "application/pdf": ".pdf",
}
MOST = 200


class ShownFiles:
    """A private directory of things that were shown."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def keep(self, face: Face) -> Path | None:
        """The file of a face; None where it cannot be written, or is nothing to open."""
        suffix = SUFFIXES.get(face.media_type)
        if suffix is None:
            return None
        data = face.data.encode(errors="replace") if isinstance(face.data, str) else face.data
        path = self._directory / f"{sha256(data).hexdigest()[:12]}{suffix}"
        try:
            self._write(path, data)
        except OSError:
            return None
        return path

    def _write(self, path: Path, data: bytes) -> None:
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists():
            path.touch()
            return
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
        files = sorted(self._directory.iterdir(), key=lambda file: file.stat().st_mtime)
        for old in files[:-MOST]:
            old.unlink(missing_ok=True)

"""Pictures and other large data, as files that are named by what is in them."""

from __future__ import annotations

import os
import re
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

from interpreter.protocol.errors import StoreError


class Blobs:
    """A directory of content-addressed files."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def keep(self, data: bytes) -> str:
        """Keep data; the name to fetch it by. The same data is kept once."""
        digest = sha256(data).hexdigest()
        path = self._path(digest)
        if not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft = path.with_name(f".{digest}.{token_hex(4)}")
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            draft.replace(path)  # whole or not at all, whoever is killed meanwhile
        return digest

    def fetch(self, digest: str) -> bytes:
        """The data of a name."""
        try:
            return self._path(digest).read_bytes()
        except OSError as error:
            raise StoreError(f"A stored picture is missing: {error}.") from error

    def remove(self, digest: str) -> None:
        """Forget data."""
        self._path(digest).unlink(missing_ok=True)

    def _path(self, digest: str) -> Path:
        if not re.fullmatch(r"[0-9a-f]{64}", digest):
            raise StoreError(f"{digest!r} is not the name of a stored picture.")
        return self._directory / digest[:2] / digest[2:]

"""Saved variables on disk: this user's, and only as we wrote them, since a pickle is code."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path
from typing import BinaryIO

from interpreter.protocol import safe_files
from interpreter.protocol.errors import CheckpointError

_CHUNK = 1 << 20
_LONGEST_SEAL = 1 << 16
_SEAL = hashlib.sha256().digest_size


class Vault:
    """A directory of the user's with a key in it; never the workspace, which others may write."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory.resolve()  # a home may be a link
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)

    def path(self, session: str, workspace: str = "") -> Path:
        """Where a session's variables are: in every workspace it has others."""
        place = hashlib.sha256(workspace.encode(errors="surrogateescape")).hexdigest()[:32]
        return self._directory / f"{_name(session)}-{place}.variables"

    def create(self, session: str, workspace: str = "") -> BinaryIO:
        """A new file to write a session's variables to; it counts once it is sealed."""
        fresh = self.path(session, workspace).with_suffix(".new")
        return safe_files.create(fresh)

    def seal(self, session: str, file: BinaryIO, level: str = "", workspace: str = "") -> None:
        """Mark what was written as ours and put it in the place of the last one.

        `level` says how the code was confined that wrote it, and comes back with it.
        """
        path = self.path(session, workspace)
        seal = self._seal(path.name, file, level) + level.encode()
        # A kill between the two leaves a pair that does not match, and is refused: never wrong.
        safe_files.write(path.with_suffix(".seal"), seal)
        safe_files.move(path.with_suffix(".new"), path.name)

    def discard(self, session: str, workspace: str = "") -> None:
        """Give back the space of a new file that was not sealed."""
        self.path(session, workspace).with_suffix(".new").unlink(missing_ok=True)

    def open(self, session: str, workspace: str = "") -> tuple[BinaryIO, str]:
        """A session's variables, checked, and their level; CheckpointError if they are not ours."""
        path = self.path(session, workspace)
        try:
            file = safe_files.opened(path)
        except OSError as error:
            elsewhere = any(self._directory.glob(f"{_name(session)}-*.variables"))
            where = ", only in the directory where it was before" if elsewhere else ""
            raise CheckpointError(f"none were saved{' here' if where else ''}{where}") from error
        try:
            return file, self._check(path, file)
        except (OSError, CheckpointError):
            file.close()
            raise

    def forget(self, session: str) -> None:
        """Remove a session's variables."""
        for path in self._directory.glob(f"{_name(session)}-*"):
            safe_files.remove(path)

    def shrink(self, most: int) -> None:
        """Remove the oldest until all together have no more than so many bytes."""
        files = [(path.stat(), path) for path in self._directory.glob("*.variables")]
        total = 0
        for status, path in sorted(files, key=lambda pair: -pair[0].st_mtime):
            total += status.st_size
            if total > most:
                path.unlink(missing_ok=True)
                path.with_suffix(".seal").unlink(missing_ok=True)

    def _check(self, path: Path, file: BinaryIO) -> str:
        status = os.fstat(file.fileno())
        private = status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077
        with contextlib.suppress(OSError):
            mark = safe_files.read_bytes(path.with_suffix(".seal"), _LONGEST_SEAL)
            expected, level = mark[:_SEAL], mark[_SEAL:].decode(errors="replace")
            if private and hmac.compare_digest(expected, self._seal(path.name, file, level)):
                file.seek(0)
                return level
        raise CheckpointError("what is saved is not as it was written, so it is not loaded")

    def _seal(self, name: str, file: BinaryIO, level: str) -> bytes:
        mac = hmac.new(self._key(), f"{name}\0{level}\0".encode(), hashlib.sha256)
        file.seek(0)
        while chunk := file.read(_CHUNK):
            mac.update(chunk)
        return mac.digest()

    def _key(self) -> bytes:
        path = self._directory / "key"
        if not path.exists():
            safe_files.write(path, secrets.token_bytes(32), replace=False)
        key = safe_files.read_bytes(path, 32)
        if len(key) != 32:
            raise CheckpointError(f"The key at {path} is damaged; remove it to start anew.")
        return key


def _name(session: str) -> str:
    return hashlib.sha256(session.encode()).hexdigest()[:32]

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

from interpreter.protocol.errors import CheckpointError

_CHUNK = 1 << 20


class Vault:
    """A directory of the user's with a key in it; never the workspace, which others may write."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)

    def path(self, session: str) -> Path:
        """Where a session's variables are."""
        return self._directory / f"{hashlib.sha256(session.encode()).hexdigest()[:32]}.variables"

    def create(self, session: str) -> BinaryIO:
        """A new file to write a session's variables to; it counts once it is sealed."""
        fresh = self.path(session).with_suffix(".new")
        fresh.unlink(missing_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        return os.fdopen(os.open(fresh, flags, 0o600), "w+b")

    def seal(self, session: str, file: BinaryIO) -> None:
        """Mark what was written as ours and put it in the place of the last one."""
        seal = self._seal(session, file)
        fresh = self.path(session).with_suffix(".new")
        mark = self.path(session).with_suffix(".seal")
        unfinished = mark.with_suffix(".seal.new")
        unfinished.write_bytes(seal)
        # A kill between the two leaves a pair that does not match, and is refused: never wrong.
        unfinished.replace(mark)
        fresh.replace(self.path(session))

    def open(self, session: str) -> BinaryIO:
        """A session's variables, checked; CheckpointError if they are not as we left them."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            file = os.fdopen(os.open(self.path(session), flags), "rb")
        except OSError as error:
            raise CheckpointError(f"No variables were saved for session {session!r}.") from error
        try:
            self._check(session, file)
        except (OSError, CheckpointError):
            file.close()
            raise
        return file

    def forget(self, session: str) -> None:
        """Remove a session's variables."""
        for suffix in (".variables", ".seal", ".new"):
            self.path(session).with_suffix(suffix).unlink(missing_ok=True)

    def _check(self, session: str, file: BinaryIO) -> None:
        status = os.fstat(file.fileno())
        private = status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077
        with contextlib.suppress(OSError):
            expected = self.path(session).with_suffix(".seal").read_bytes()
            if private and hmac.compare_digest(expected, self._seal(session, file)):
                file.seek(0)
                return
        raise CheckpointError(
            f"The saved variables of session {session!r} are not as they were written; "
            "they are not loaded. Start the session without them."
        )

    def _seal(self, session: str, file: BinaryIO) -> bytes:
        mac = hmac.new(self._key(), session.encode() + b"\0", hashlib.sha256)
        file.seek(0)
        while chunk := file.read(_CHUNK):
            mac.update(chunk)
        return mac.digest()

    def _key(self) -> bytes:
        path = self._directory / "key"
        with contextlib.suppress(FileExistsError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
                file.write(secrets.token_bytes(32))
        key = path.read_bytes()
        if len(key) != 32:
            raise CheckpointError(f"The key at {path} is damaged; remove it to start anew.")
        return key

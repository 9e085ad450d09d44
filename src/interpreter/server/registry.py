"""Whose session is whose, and with which settings: what the server knows beside the transcripts."""

from __future__ import annotations

import json
import sqlite3
import threading
from pathlib import Path
from typing import Any

from interpreter.protocol import safe_files
from interpreter.protocol.errors import StoreError
from interpreter.server.access.tokens import OWNER

SCHEMA = """CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, user TEXT NOT NULL, settings TEXT NOT NULL) WITHOUT ROWID"""


class Registry:
    """A small database beside the sessions. A session that is not in it is the owner's."""

    def __init__(self, directory: Path) -> None:
        safe_files.make_folder(directory)
        self._lock = threading.Lock()
        try:
            self._database = sqlite3.connect(
                directory / "server.db", isolation_level=None, check_same_thread=False
            )
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute(SCHEMA)
        except sqlite3.Error as error:
            raise StoreError(f"The database of the server cannot be used: {error}.") from error

    def add(self, session: str, user: str, settings: dict[str, Any]) -> None:
        """Keep whose a session is, and its settings."""
        row = (session, user, json.dumps(settings))
        with self._lock:
            self._database.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)", row)

    def remove(self, session: str) -> None:
        """It is gone."""
        with self._lock:
            self._database.execute("DELETE FROM sessions WHERE id = ?", (session,))

    def user(self, session: str) -> str:
        """Whose it is."""
        row = self._row("SELECT user FROM sessions WHERE id = ?", session)
        return str(row[0]) if row else OWNER

    def settings(self, session: str) -> dict[str, Any]:
        """What was set for it."""
        row = self._row("SELECT settings FROM sessions WHERE id = ?", session)
        found: dict[str, Any] = json.loads(row[0]) if row else {}
        return found

    def users(self) -> dict[str, str]:
        """The user of every session that is known here."""
        with self._lock:
            return dict(self._database.execute("SELECT id, user FROM sessions").fetchall())

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._database.close()

    def _row(self, query: str, session: str) -> Any:
        with self._lock:
            return self._database.execute(query, (session,)).fetchone()

"""Every session as it happens, in one SQLite database: appended to, never rewritten.

A finished message is one row. While a message is still being made, each of its events is a row of
`deltas`; the row of the finished message replaces them in one transaction. So a process that is
killed loses at most the event being written, and what it had streamed comes back as interrupted.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from secrets import token_hex
from typing import Any

from interpreter.protocol.errors import StoreError
from interpreter.protocol.events import Event
from interpreter.protocol.json.codec import decode, encode
from interpreter.protocol.messages import (
    ActionCall,
    Code,
    Message,
    Output,
    Reasoning,
    Role,
    Text,
)
from interpreter.session.budget import Spent
from interpreter.session.draft import Draft
from interpreter.session.store.blobs import Blobs
from interpreter.session.store.connection import DatabaseConnection
from interpreter.session.store.owners import Owners
from interpreter.session.store.session_list import SessionList

PLAIN_KEPT = 50_000  # characters of a message that can be searched
TITLE_KEPT = 80
DELTAS_KEPT = 1_000_000  # characters of an unfinished message that are kept as they stream


class Store(SessionList):
    """The database and its blobs. Several threads and several processes may use it at once."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "sessions.db"
        self._events = directory / "events"
        self._closed = False
        self._draft_size: dict[str, int] = {}
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            database = DatabaseConnection.to(self.path)
            self._blobs = Blobs(directory / "blobs")
            super().__init__(database, Owners(directory / "open"))
        except (OSError, sqlite3.Error) as error:
            reason = getattr(error, "strerror", None) or error
            raise StoreError(
                f"Cannot keep sessions in {self.path}: {reason}. --no-history goes on without."
            ) from error

    def close(self) -> None:
        """Leave the sessions that are open here, and close the database."""
        self.owners.close()
        if not self._closed:
            self._closed = True
            self._database.close()

    # Sessions.

    def create(
        self,
        *,
        model: str = "",
        directory: str = "",
        parent: str | None = None,
        within: str = "",
        name: str = "",
    ) -> str:
        """Begin a session; its id, which may be given by `name`.

        One that is a copy of another has it as its `parent`. One that works `within` another, as a
        try does, is its child: no list shows it, and it goes with it.
        """
        session = name or time.strftime("%Y%m%d-%H%M%S-") + token_hex(3)
        with self._database.writing() as database:
            now = time.time()
            row = (session, "", model, directory, parent, now, now)
            database.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            if within:
                database.execute("INSERT INTO children VALUES (?, ?)", (session, within))
        return session

    def fork(self, session: str, *, at: int | None = None) -> str:
        """A new session that begins with the first `at` messages of another one (all of them)."""
        with self._database.writing() as database:
            query = "SELECT title, model, directory FROM sessions WHERE id = ?"
            title, model, directory = database.execute(query, (session,)).fetchone()
            copy = self.create(model=model, directory=directory, parent=session)
            database.execute("UPDATE sessions SET title = ? WHERE id = ?", (title, copy))
            query = """SELECT created, body, plain FROM messages
                WHERE session = ? AND place >= 0 ORDER BY place LIMIT ?"""
            rows = database.execute(query, (session, -1 if at is None else at))
            for place, row in enumerate(rows.fetchall()):
                self._insert(database, copy, place, row)
            query = "INSERT INTO blobs SELECT digest, ? FROM blobs WHERE session = ?"
            database.execute(query, (copy, session))
        return copy

    def delete(self, session: str) -> None:
        """Remove a session with its children, and the blobs that no other session uses."""
        for child in self.children(session):
            self.delete(child.id)
        with self._database.writing() as database:
            query = "SELECT id, plain FROM messages WHERE session = ?"
            for row in database.execute(query, (session,)).fetchall():
                remove = "INSERT INTO words (words, rowid, plain) VALUES ('delete', ?, ?)"
                database.execute(remove, row)
            query = """SELECT digest FROM blobs WHERE session = ? EXCEPT
                SELECT digest FROM blobs WHERE session != ?"""
            orphans = database.execute(query, (session, session)).fetchall()
            for table in ("messages", "deltas", "blobs", "marks", "undone", "spent", "children"):
                database.execute(f"DELETE FROM {table} WHERE session = ?", (session,))
            database.execute("DELETE FROM sessions WHERE id = ?", (session,))
            for (digest,) in orphans:  # before the lock is released: somebody may want them next
                self._blobs.remove(digest)
        self.events_path(session).unlink(missing_ok=True)

    def events_path(self, session: str) -> Path:
        """Where the events of a session are, if it has been a live one."""
        return self._events / f"{session}.jsonl"

    # Messages.

    def append(self, session: str, place: int, message: Message) -> None:
        """Keep a finished message; what was kept while it was being made is replaced by it."""
        with self._database.writing() as database:
            now = time.time()
            body = self._encode(message, session)
            self._insert(database, session, place, (now, body, words_of(message)))
            database.execute("DELETE FROM deltas WHERE session = ?", (session,))
            query = """UPDATE sessions SET updated = ?,
                title = CASE WHEN title = '' THEN ? ELSE title END WHERE id = ?"""
            database.execute(query, (now, title_of(message), session))
        self._draft_size.pop(session, None)

    def append_delta(self, session: str, place: int, role: Role, event: Event) -> None:
        """Keep one event of the message that is being made."""
        size = self._draft_size.get(session, 0)
        if size > DELTAS_KEPT:
            return
        with self._database.writing() as database:
            body = self._encode(event, session)
            row = (session, place, role, body)
            database.execute("INSERT INTO deltas VALUES (?, ?, ?, ?)", row)
        self._draft_size[session] = size + len(body)

    def messages(self, session: str) -> Iterator[Message]:
        """The messages of a session, in order."""
        for body in self.encoded_messages(session):
            message: Message = decode(body, fetch=self._blobs.fetch)
            yield message

    def encoded_messages(self, session: str) -> Sequence[str]:
        """The same, each as `encode` wrote it; bytes are named by what `blob` has."""
        query = "SELECT body FROM messages WHERE session = ? AND place >= 0 ORDER BY place"
        with self._database.reading() as database:
            return [row[0] for row in database.execute(query, (session,))]

    def retract(self, session: str, place: int) -> None:
        """Take the messages from a place on out of the session; they can still be searched."""
        query = "UPDATE messages SET place = -id WHERE session = ? AND place >= ?"
        with self._database.writing() as database:
            database.execute(query, (session, place))

    def keep_blob(self, session: str, data: bytes) -> str:
        """Keep a picture or other large data of a session; the name to fetch it by."""
        with (
            self._database.writing() as database
        ):  # so that nobody who deletes a session removes it now
            digest = self._blobs.keep(data)
            database.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?)", (digest, session))
        return digest

    def blob(self, session: str, digest: str) -> bytes:
        """The data of a name, where it is of this session."""
        query = "SELECT 1 FROM blobs WHERE digest = ? AND session = ?"
        with self._database.reading() as database:
            if database.execute(query, (digest, session)).fetchone() is None:
                raise StoreError(f"Session {session} has no data {digest!r}.")
        return self._blobs.fetch(digest)

    # What can be undone and redone.

    def marks(self, session: str) -> Sequence[tuple[str, int]]:
        """The checkpoints of a session in their order, each with its place among the messages."""
        query = "SELECT checkpoint, place FROM marks WHERE session = ? ORDER BY checkpoint"
        with self._database.reading() as database:
            return database.execute(query, (session,)).fetchall()

    def mark(self, session: str, marks: Sequence[tuple[str, int]]) -> None:
        """Keep where checkpoints stand."""
        with self._database.writing() as database:
            rows = [(session, *mark) for mark in marks]
            database.executemany("INSERT OR REPLACE INTO marks VALUES (?, ?, ?)", rows)

    def unmark(self, session: str, checkpoints: Sequence[str]) -> None:
        """Forget where checkpoints stand."""
        with self._database.writing() as database:
            rows = [(session, name) for name in checkpoints]
            database.executemany("DELETE FROM marks WHERE session = ? AND checkpoint = ?", rows)

    def undone(self, session: str) -> Sequence[tuple[tuple[Message, ...], Any]]:
        """What was taken back and can be done again, oldest first."""
        query = "SELECT messages, marks FROM undone WHERE session = ? ORDER BY number"
        with self._database.reading() as database:
            rows = database.execute(query, (session,)).fetchall()
        return [
            (
                tuple(decode(body, self._blobs.fetch) for body in json.loads(bodies)),
                json.loads(marks),
            )
            for bodies, marks in rows
        ]

    def keep_undone(
        self, session: str, messages: Sequence[Message], marks: Sequence[tuple[str, int]]
    ) -> None:
        """Keep what was taken back."""
        with self._database.writing() as database:
            bodies = json.dumps([self._encode(message, session) for message in messages])
            query = "SELECT count(*) FROM undone WHERE session = ?"
            number = database.execute(query, (session,)).fetchone()[0]
            row = (session, number, bodies, json.dumps(marks))
            database.execute("INSERT INTO undone VALUES (?, ?, ?, ?)", row)

    def forget_undone(self, session: str, since: int = 0) -> None:
        """Forget what was taken back, all but the oldest `since`."""
        with self._database.writing() as database:
            query = "DELETE FROM undone WHERE session = ? AND number >= ?"
            database.execute(query, (session, since))

    def spent(self, session: str) -> Spent:
        """What the requests of a session have cost."""
        with self._database.reading() as database:
            query = "SELECT body FROM spent WHERE session = ?"
            row = database.execute(query, (session,)).fetchone()
        return Spent(**json.loads(row[0])) if row else Spent()

    def keep_spent(self, session: str, spent: Spent) -> None:
        """Remember what a session has cost until now."""
        with self._database.writing() as database:
            row = (session, json.dumps(asdict(spent)))
            database.execute("INSERT OR REPLACE INTO spent VALUES (?, ?)", row)

    def settle(self, session: str) -> None:
        """Keep, as interrupted, the message that was being made when a process died."""
        query = "SELECT role, body FROM deltas WHERE session = ? ORDER BY place"
        with self._database.writing() as database:
            deltas = database.execute(query, (session,)).fetchall()
            draft = Draft(deltas[0][0] if deltas else "assistant")
            for _, body in deltas:
                draft.add(decode(body, fetch=self._blobs.fetch))
            partial = draft.message("interrupted")
            query = "SELECT count(*) FROM messages WHERE session = ? AND place >= 0"
            place = database.execute(query, (session,)).fetchone()[0]
            if partial is not None:
                self.append(session, place, partial)

    def _insert(
        self,
        database: sqlite3.Connection,
        session: str,
        place: int,
        row: tuple[float, str, str],
    ) -> None:
        query = "INSERT INTO messages (session, place, created, body, plain) VALUES (?, ?, ?, ?, ?)"
        try:
            inserted = database.execute(query, (session, place, *row)).lastrowid
        except sqlite3.IntegrityError as error:
            text = f"Session {session} was continued by another process; fork it to go on here."
            raise StoreError(text) from error
        database.execute("INSERT INTO words (rowid, plain) VALUES (?, ?)", (inserted, row[2]))

    def _encode(self, value: Message | Event, session: str) -> str:
        return encode(value, keep=lambda data: self.keep_blob(session, data))


def title_of(message: Message) -> str:
    """What a session is called after this message; empty if nothing."""
    if message.role != "user" or message.is_private:
        return ""
    return _whole_characters(" ".join(message.text.split())[:TITLE_KEPT])


def words_of(message: Message) -> str:
    """The words of a message that can be searched."""
    texts = []
    for part in message.parts:
        match part:
            case Text(text) | Output(text) | Reasoning(text) | Code(_, text) | ActionCall(_, text):
                texts.append(text)
            case _:
                pass
    return _whole_characters("\n".join(texts)[:PLAIN_KEPT])


def _whole_characters(text: str) -> str:
    """Text that the database takes: half a character, as a paste may bring, is a question mark."""
    return text.encode(errors="replace").decode()

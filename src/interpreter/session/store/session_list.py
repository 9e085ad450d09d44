"""Which sessions there are: found by their names, listed, and searched by their words."""

from __future__ import annotations

from collections.abc import Sequence

from interpreter.protocol.errors import StoreError
from interpreter.protocol.values import frozen
from interpreter.session.store.connection import DatabaseConnection
from interpreter.session.store.owners import Owners


@frozen
class SessionInfo:
    """What a list of sessions shows."""

    id: str
    title: str
    model: str
    directory: str
    parent: str | None
    created: float
    updated: float
    messages: int


_NO_CHILD = "id NOT IN (SELECT session FROM children)"


@frozen
class Hit:
    """A message that was found, with the words around the match."""

    session: str
    place: int
    excerpt: str


class SessionList:
    """What is asked about sessions without opening one."""

    def __init__(self, database: DatabaseConnection, owners: Owners) -> None:
        self._database = database
        self.owners = owners

    def find(self, name: str, directory: str = "") -> str:
        """The id of a session by its id, the beginning of it, or `last`.

        With a directory, `last` is the last one of it that is not open in another process.
        """
        if name == "last" and directory:
            return self._last_of(directory)
        with self._database.reading() as database:
            if name == "last":
                query = f"SELECT id FROM sessions WHERE {_NO_CHILD} ORDER BY updated DESC LIMIT 1"
                rows = database.execute(query).fetchall()
            else:
                query = "SELECT id FROM sessions WHERE substr(id, 1, ?) = ? LIMIT 2"
                rows = database.execute(query, (len(name), name)).fetchall()
        if len(rows) == 1 and name:
            return str(rows[0][0])
        problem = "matches several sessions" if len(rows) > 1 else "is no session"
        raise StoreError(f"{name!r} {problem}; `interpreter sessions` lists them.")

    def _last_of(self, directory: str) -> str:
        query = f"""SELECT id FROM sessions WHERE directory = ? AND {_NO_CHILD}
            ORDER BY updated DESC LIMIT 50"""
        with self._database.reading() as database:
            found = [str(row[0]) for row in database.execute(query, (directory,))]
        if not found:
            raise StoreError(
                f"There is no session of {directory} to go on with; "
                "`interpreter sessions` lists all."
            )
        free = next((session for session in found if not self.owners.is_elsewhere(session)), "")
        if not free:
            self.owners.take(found[0])  # which says who keeps it, unless it was left just now
        return free or found[0]

    def directory(self, session: str) -> str:
        """Where a session began to work; nothing where there is no such session."""
        with self._database.reading() as database:
            query = "SELECT directory FROM sessions WHERE id = ?"
            return str((database.execute(query, (session,)).fetchone() or ("",))[0])

    def list(self, most: int = 50) -> tuple[SessionInfo, ...]:
        """The sessions that have messages, the last used first; with -1, all of these."""
        which = f"WHERE messages > 0 AND {_NO_CHILD} ORDER BY s.updated DESC LIMIT ?"
        return self._infos(which, most)

    def children(self, session: str) -> tuple[SessionInfo, ...]:
        """The sessions that work within another one, the oldest first."""
        which = "WHERE s.id IN (SELECT session FROM children WHERE within = ?) ORDER BY s.created"
        return self._infos(which, session)

    def info(self, session: str) -> SessionInfo | None:
        """What a list shows of one session, also before its first message."""
        return next(iter(self._infos("WHERE s.id = ?", session)), None)

    def _infos(self, which: str, value: str | int) -> tuple[SessionInfo, ...]:
        query = f"""
            SELECT s.id, s.title, s.model, s.directory, s.parent, s.created, s.updated,
                (SELECT count(*) FROM messages WHERE session = s.id AND place >= 0) AS messages
            FROM sessions s {which}"""
        with self._database.reading() as database:
            return tuple(SessionInfo(*row) for row in database.execute(query, (value,)))

    def search(self, words: str, most: int = 20) -> tuple[Hit, ...]:
        """The messages with words that begin like all of these, the best first."""
        terms = " ".join('"' + word.replace('"', '""') + '"*' for word in words.split())
        if not terms:
            return ()
        query = """
            SELECT m.session, m.place, snippet(words, 0, '', '', '…', 16)
            FROM words JOIN messages m ON m.id = words.rowid
            WHERE words MATCH ? ORDER BY rank LIMIT ?"""
        with self._database.reading() as database:
            return tuple(Hit(*row) for row in database.execute(query, (terms, most)))

    def containing(self, parts: Sequence[str]) -> frozenset[str]:
        """The sessions in which a message contains all these parts of words."""
        each = " AND ".join(["instr(lower(plain), ?)"] * len(parts))
        query = f"SELECT DISTINCT session FROM messages WHERE {each or 1}"
        with self._database.reading() as database:
            found = database.execute(query, [part.lower() for part in parts])
            return frozenset(row[0] for row in found)

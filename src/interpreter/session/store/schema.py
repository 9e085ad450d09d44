"""The tables in which sessions are kept, and how an older database becomes a new one."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

SCHEMA = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, model TEXT NOT NULL, directory TEXT NOT NULL,
    parent TEXT, created REAL NOT NULL, updated REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE messages (
    id INTEGER PRIMARY KEY, session TEXT NOT NULL, place INTEGER NOT NULL,
    created REAL NOT NULL, body TEXT NOT NULL, plain TEXT NOT NULL,
    UNIQUE (session, place)
);
CREATE TABLE deltas (
    session TEXT NOT NULL, place INTEGER NOT NULL, role TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (session, place)
) WITHOUT ROWID;
CREATE TABLE blobs (
    digest TEXT NOT NULL, session TEXT NOT NULL, PRIMARY KEY (digest, session)
) WITHOUT ROWID;
CREATE INDEX blobs_by_session ON blobs (session);
CREATE VIRTUAL TABLE words USING fts5 (plain, content='messages', content_rowid='id');
"""
SINCE_2 = """
CREATE TABLE marks (
    session TEXT NOT NULL, checkpoint TEXT NOT NULL, place INTEGER NOT NULL,
    PRIMARY KEY (session, checkpoint)
) WITHOUT ROWID;
CREATE TABLE undone (
    session TEXT NOT NULL, number INTEGER NOT NULL, messages TEXT NOT NULL, marks TEXT NOT NULL,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;
"""
SINCE_3 = """
CREATE TABLE spent (session TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
"""
SINCE_4 = """
CREATE TABLE children (session TEXT PRIMARY KEY, within TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX children_by_session ON children (within);
"""
STEPS = (SCHEMA, SINCE_2, SINCE_3, SINCE_4)
"""The database of version n is made by the first n steps."""


def open_database(path: Path) -> sqlite3.Connection:
    """The database of sessions, made or brought up to date if need be."""
    with contextlib.suppress(FileExistsError):  # to close it would take our own locks away
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    database = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if version > len(STEPS):
        raise sqlite3.Error(f"it was made by a newer version of this program ({version})")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    if version < len(STEPS):
        _create_schema(database)
    return database


def _create_schema(database: sqlite3.Connection) -> None:
    database.execute("BEGIN IMMEDIATE")
    version = database.execute("PRAGMA user_version").fetchone()[0]  # somebody may have been faster
    for statement in "".join(STEPS[version:]).split(";"):
        database.execute(statement)
    database.execute(f"PRAGMA user_version = {max(version, len(STEPS))}")
    database.execute("COMMIT")

"""SQL over local files and Python's data frames: it runs in the session's own Python."""

from __future__ import annotations

from collections.abc import Iterator

from interpreter.protocol.events import RuntimeEvent
from interpreter.protocol.ports import Answerer, Language, Runtime, nobody_answers

SQL = Language("sql", ("duckdb", "sqlite", "sqlite3"), ".sql")


class SqlRuntime:
    """Hands its blocks to Python, whose variables they see."""

    language = SQL

    def __init__(self, python: Runtime) -> None:
        self._python = python

    def run(self, source: str, answer: Answerer = nobody_answers) -> Iterator[RuntimeEvent]:
        """Run statements; the rows of the last one are shown."""
        return self._python.run(f"%%reploop_sql\n{source}\n", answer)

    def interrupt(self) -> None:
        """Stop the running statement."""
        self._python.interrupt()

    def restart(self) -> None:
        """Python keeps the connection; restart that to lose the tables."""

    def close(self) -> None:
        """Python is closed by whoever opened it."""

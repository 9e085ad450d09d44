"""SQL in the user's Python: DuckDB over files and data frames where installed, else SQLite."""

from __future__ import annotations

import importlib.util
import re
import sqlite3
from typing import Any

SHOWN_ROWS = 40
FETCHED_ROWS = 100_000


class Rows:
    """The result of a query, for a Python without pandas."""

    def __init__(self, columns: list[str], rows: list[tuple[Any, ...]]) -> None:
        self.columns = columns
        self.rows = rows

    def __repr__(self) -> str:
        cells = [self.columns, *([str(v) for v in row] for row in self.rows[:SHOWN_ROWS])]
        widths = [max(map(len, column)) for column in zip(*cells)]  # noqa: B905  (Python 3.9)
        lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in cells]  # noqa: B905
        more = len(self.rows) - SHOWN_ROWS
        return "\n".join([*lines, *([f"({more} more rows)"] if more > 0 else [])])

    def _repr_reploop_table_(self) -> dict[str, Any]:
        kinds = [type(value).__name__ for value in (self.rows or [(None,) * len(self.columns)])[0]]
        columns = [{"name": n, "type": k} for n, k in zip(self.columns, kinds)]  # noqa: B905
        rows = [[v if isinstance(v, (int, float, str)) else str(v) for v in r] for r in self.rows]
        return {"columns": columns, "rows": rows[:100], "shape": [len(self.rows), len(columns)]}


class Sql:
    """One connection that stays open; tables and views stay with it."""

    def __init__(self) -> None:
        self._connection: Any = None

    def query(self, statements: str, namespace: dict[str, Any]) -> Any:
        """Run the statements; the last one's rows, as a data frame where pandas is installed."""
        if importlib.util.find_spec("duckdb"):
            cursor = self._duckdb(statements, namespace)
        else:
            cursor = self._sqlite(statements)
        if cursor is None or cursor.description is None:
            return None
        columns = [column[0] for column in cursor.description]
        rows = cursor.fetchmany(FETCHED_ROWS)
        if importlib.util.find_spec("pandas") is None:
            return Rows(columns, rows)
        import pandas  # noqa: PLC0415

        return pandas.DataFrame.from_records(rows, columns=columns)

    def _duckdb(self, statements: str, namespace: dict[str, Any]) -> Any:
        import duckdb  # noqa: PLC0415

        if self._connection is None:
            self._connection = duckdb.connect()
        for name in set(re.findall(r"[A-Za-z_]\w*", statements)):
            value = namespace.get(name)
            if type(value).__name__ in ("DataFrame", "LazyFrame", "Table"):
                self._connection.register(name, value)
        return self._connection.execute(statements)

    def _sqlite(self, statements: str) -> Any:
        if self._connection is None:
            self._connection = sqlite3.connect(":memory:", isolation_level=None)
        cursor, waiting = None, ""
        for piece in re.split(r"(?<=;)", statements):
            waiting += piece
            if sqlite3.complete_statement(waiting):
                cursor, waiting = self._connection.execute(waiting), ""
        if waiting.strip():
            cursor = self._connection.execute(waiting)
        return cursor


def offer_sql(shell: Any) -> None:
    """Make `%%reploop_sql` a cell of SQL over the shell's own variables."""
    sql = Sql()

    def run(line: str, cell: str) -> Any:
        return sql.query(cell, shell.user_ns)

    shell.register_magic_function(run, magic_kind="cell", magic_name="reploop_sql")

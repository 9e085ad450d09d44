"""What a kernel shows of its results beyond ipykernel: tables as data, and the line that runs now.

Loaded by our launcher inside the user's Python. Standard library and IPython only.
"""

# mypy: allow-untyped-calls
from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from IPython.core.formatters import BaseFormatter
from traitlets import ObjectName, Unicode

TABLE = "application/vnd.reploop.table+json"
ROWS, COLUMNS, CHARACTERS = 100, 50, 500
LOOK_SECONDS = 0.05
LONGEST_PAUSE = 2.0


class TableFormatter(BaseFormatter):
    """Data frames as columns with types and the first rows as plain values."""

    format_type = Unicode(TABLE)
    print_method = ObjectName("_repr_reploop_table_")
    _return_type = dict


def show_tables(shell: Any) -> None:
    """Give data frames a face that is data; their libraries are not imported for it."""
    formatter = TableFormatter(parent=shell.display_formatter)
    formatter.for_type_by_name("pandas.core.frame", "DataFrame", pandas_table)
    formatter.for_type_by_name("pandas", "DataFrame", pandas_table)
    formatter.for_type_by_name("polars.dataframe.frame", "DataFrame", polars_table)
    shell.display_formatter.formatters[TABLE] = formatter
    shell.display_formatter.active_types = [*shell.display_formatter.active_types, TABLE]


def pandas_table(frame: Any) -> dict[str, Any]:
    part = with_row_names(frame.iloc[:ROWS, :COLUMNS])
    columns = [{"name": str(n), "type": str(t)} for n, t in zip(part.columns, part.dtypes)]  # noqa: B905
    rows = [[plain(v) for v in row] for row in part.itertuples(index=False, name=None)]
    return {"columns": columns, "rows": rows, "shape": list(frame.shape)}


def with_row_names(frame: Any) -> Any:
    """A frame whose rows have names, and not only numbers, with these as its first columns."""
    names = frame.index.names
    if names == [None] and frame.index.dtype.kind in "iu":
        return frame
    return frame.reset_index(allow_duplicates=True)


def polars_table(frame: Any) -> dict[str, Any]:
    part = frame[:ROWS, :COLUMNS]
    columns = [{"name": str(n), "type": str(t)} for n, t in part.schema.items()]
    rows = [[plain(v) for v in row] for row in part.rows()]
    return {"columns": columns, "rows": rows, "shape": list(frame.shape)}


def plain(value: Any) -> Any:
    """A cell as JSON knows it; what JSON does not know becomes text."""
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()  # numpy's numbers
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)[:CHARACTERS]


class ActiveLine:
    """Reports which line of a block runs, by looking at the main thread now and then.

    The code is not touched. Where a look costs much, on a busy machine, there are fewer of them.
    """

    def __init__(self, publish: Callable[[int], None]) -> None:
        self._publish = publish
        self._main = threading.main_thread().ident
        self._change = threading.Condition()
        self._block = 0
        self._names: set[str] = set()

    def start(self) -> None:
        """Begin to look, once in every process: a fork leaves the thread and its lock behind."""
        self._change = threading.Condition()
        self._block = -abs(self._block)
        threading.Thread(target=self._look, name="Active line", daemon=True).start()

    def begin(self) -> None:
        with self._change:
            self._block = abs(self._block) + 1
            self._names.clear()
            self._change.notify()

    def end(self) -> None:
        with self._change:
            self._block = -abs(self._block)
            self._change.notify()

    def names_a_cell(self, name: str) -> None:
        """Code of the running block is compiled under this file name."""
        self._names.add(name)

    def _look(self) -> None:
        last, pause = (0, 0), LOOK_SECONDS
        while True:
            with self._change:
                self._change.wait_for(lambda: self._block > 0)
                if self._block != last[0]:
                    pause = LOOK_SECONDS
                due = time.monotonic() + pause
                ended = self._change.wait_for(lambda: self._block < 0, pause)
                now = (self._block, 0 if ended else self._line())
            pause = self._pause_after(time.monotonic() - due)
            if now[1] and now != last:
                last = now
                self._publish(now[1])

    def _pause_after(self, late: float) -> float:
        """A look makes the code wait about as long as we had to; it may cost one part in forty."""
        return min(LONGEST_PAUSE, max(LOOK_SECONDS, late * 40))

    def _line(self) -> int:
        """The line of the block's own top level, not of what it calls."""
        frame: FrameType | None = sys._current_frames().get(self._main or 0)
        line = 0
        while frame is not None:
            code: CodeType = frame.f_code
            if code.co_filename in self._names:
                line = frame.f_lineno  # the outermost of them is the last to be met
            frame = frame.f_back
        return line


def watch_lines(shell: Any, publish: Callable[[int], None]) -> ActiveLine:
    """Report active lines of what runs between `begin` and `end`."""
    watch = ActiveLine(publish)
    cache = shell.compile.cache

    def remembering(*arguments: Any, **options: Any) -> Any:
        name = cache(*arguments, **options)
        watch.names_a_cell(name)
        return name

    shell.compile.cache = remembering
    watch.start()
    return watch

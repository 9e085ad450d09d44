"""The life of a cell: opened by the first who asks, not set up once it is left, closed once."""

import threading

import pytest

from interpreter.assembly.cell.life import CellLife
from interpreter.assembly.cell.shutdown import Shutdown
from interpreter.protocol.errors import SandboxUnavailable
from interpreter.sandboxes.backends.none import NoSandbox


def test_a_cell_that_nobody_needed_is_never_opened(tmp_path):
    opened = []
    life = CellLife(lambda: opened.append(1), lambda cell: None)
    assert (life.state, life.opened) == ("unopened", None)
    life.close(Shutdown(print), (), lambda contents: None)
    assert (life.state, opened) == ("closed", [])
    with pytest.raises(SandboxUnavailable, match="ended"):
        life.contents()


def test_a_cell_that_is_left_while_it_opens_is_closed_and_not_set_up(tmp_path):
    asked, gate, cells, set_up = threading.Event(), threading.Event(), [], []

    def open_cell():
        asked.set()
        gate.wait()
        cells.append(NoSandbox().open(tmp_path))
        return cells[0]

    life = CellLife(open_cell, set_up.append)
    waiting = threading.Thread(target=lambda: pytest.raises(SandboxUnavailable, life.contents))
    waiting.start()
    asked.wait()
    assert life.state == "opening"
    life.close(Shutdown(print), (gate.set,), lambda contents: None)
    waiting.join()
    assert (life.state, set_up, cells[0].exchange.exists()) == ("closed", [], False)

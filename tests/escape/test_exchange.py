"""The host writes and reads in a directory that the cell can change: no link is followed there."""

import os
import tempfile
import threading
from pathlib import Path

import pytest

from interpreter.checkpoints.variables.python import PythonVariables
from interpreter.protocol.errors import CheckpointError
from interpreter.tools.run_code import IN_MEMORY, Spill

HANG = 60


@pytest.fixture
def exchange():
    with tempfile.TemporaryDirectory(prefix="rl-") as place:  # short: there are sockets in it
        yield Path(place)


@pytest.fixture
def treasure(tmp_path):
    """A file of the user's, outside."""
    file = tmp_path / "output-treasure.txt"
    file.write_text('{"environ": {}}\ngold')
    return file


def in_time(work):
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(HANG)
    assert not thread.is_alive(), "the host waits for ever"


@pytest.fixture
def variables(exchange):
    kept = PythonVariables(exchange)
    kept.attach(lambda source: "", lambda become: None)
    yield kept
    kept.close()


@pytest.mark.parametrize("name", ["next", "next.new"])
def test_an_order_for_the_next_copy_is_not_written_through_a_link(
    exchange, treasure, variables, name
):
    (exchange / name).symlink_to(treasure)
    variables.before("000001")
    assert treasure.read_text().endswith("gold")
    assert (exchange / "next").read_text().startswith("000001\n")
    assert not (exchange / "next").is_symlink()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_an_order_comes_to_an_end_whatever_is_in_its_place(exchange, variables, make):
    make(exchange / "next")
    in_time(variables.died)
    assert variables.kept() == ()


def test_values_are_not_taken_from_a_link_or_a_pipe(exchange, treasure, variables, tmp_path):
    variables.before("000001")
    state = (exchange / "next").read_text().split("\n")[1]
    for make in (lambda path: path.symlink_to(treasure), os.mkfifo):
        make(exchange / f"{state}.values")
        assert variables.state == ""  # nothing of ours is there
        (exchange / f"{state}.values").unlink()


@pytest.mark.parametrize("header", ["", "[]", "{}", "7", "[" * 100_000, "\0"])
def test_values_with_a_senseless_beginning_are_an_error_of_ours(exchange, variables, header):
    variables.before("000001")
    state = (exchange / "next").read_text().split("\n")[1]
    (exchange / f"{state}.values").write_text(header)
    with tempfile.TemporaryFile() as file, pytest.raises(CheckpointError):
        variables.export(file)


def test_long_output_is_not_kept_or_cleaned_up_through_a_link(exchange, treasure):
    for number in range(30):
        treasure.with_name(f"output-{number}.txt").write_text("mine")
    (exchange / "output").symlink_to(treasure.parent)
    before = sorted(treasure.parent.iterdir())
    spill = Spill(exchange / "output")
    spill.add("x" * (IN_MEMORY + 1))
    spill.add("more")
    spill.close()
    assert sorted(treasure.parent.iterdir()) == before
    assert spill.summary() == ""

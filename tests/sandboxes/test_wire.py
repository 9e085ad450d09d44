"""A cell may be hostile through and through: whatever comes out of it, the host stays well."""

import os
import random
import socket
import subprocess
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interpreter.protocol.errors import RuntimeFailure
from interpreter.sandboxes.cell.process import Streams
from interpreter.sandboxes.cell.wire import LauncherWire

HANG = 60
NOTHING = (None, None, None)


def open_descriptors():
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


class Hostile:
    """A launcher that answers as it likes: each request it gets is answered with the next bytes."""

    def __init__(self, *answers, fds=()):
        ours, self._theirs = socket.socketpair()
        self.wire = LauncherWire(ours, patience=2)
        self._answers = answers
        self._fds = fds
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self):
        with self._theirs:
            for answer in self._answers:
                try:
                    self._theirs.recv(1 << 16)
                    socket.send_fds(self._theirs, [answer or b"\n"], self._fds)
                except OSError:
                    return

    def ready(self):
        self.wire.setup({}, [], None)
        return self.wire

    def close(self):
        self.wire.close()
        self._thread.join(HANG)


@pytest.fixture
def hostile():
    made = []

    def make(*answers, **options):
        made.append(Hostile(*answers, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def launch(wire):
    return wire.launch(["true"], {}, Path("/"), Streams(*NOTHING), ())


READY = b"0 ready\n"


@pytest.mark.parametrize(
    "answer",
    [
        *(b"", b"\n", b"nonsense\n", b"0\n", b"0 ready x\n", b"1 ready\n", b"\xff\xfe\n"),
        *(b"0 ready 99999999999999999999\n", b"0 " + b"a" * 5000),
    ],
)
def test_a_launcher_that_does_not_come_up_properly_is_an_error(hostile, answer):
    with pytest.raises((RuntimeFailure, ValueError)):
        hostile(answer).ready()


@pytest.mark.parametrize(
    "answer",
    [
        *(b"1 started x\n", b"1 started\n", b"1 failed x\n", b"1 failed\n", b"1 what\n", b"1\n"),
        *(b"1 started " + b"9" * 100 + b"\n", b"\xff\n", b"a" * 100_000, b"1 failed 2 3\n"),
    ],
)
def test_a_senseless_answer_to_a_launch_is_an_error(hostile, answer):
    wire = hostile(READY, answer).ready()
    with pytest.raises((RuntimeFailure, ValueError)):
        launch(wire)


def test_an_error_number_from_inside_becomes_an_error_of_the_system(hostile):
    with pytest.raises(OSError, match="true"):
        launch(hostile(READY, b"1 failed 2\n").ready())


def test_programs_that_nobody_started_are_ignored(hostile):
    answer = b"7 started 1\n7 ended 0\n8 ended 1\n1 started 5\n1 started 6\n"
    wire = hostile(READY, answer, b"it waits for one more request").ready()
    program = launch(wire)
    assert (program.pid, wire.programs) == (5, (program,))


def test_an_absurd_status_is_cut_to_size(hostile):
    program = launch(hostile(READY, b"1 started 5\n1 ended 99999\n1 ended 3\n").ready())
    assert program.wait(HANG) == 255


def test_a_launcher_that_goes_away_ends_all_programs(hostile):
    program = launch(hostile(READY, b"1 started 5\n").ready())
    assert program.wait(HANG) == -9


def test_descriptors_that_were_not_asked_for_do_not_pile_up(hostile):
    with Path(os.devnull).open("rb") as null:
        before = open_descriptors()
        wire = hostile(READY, *[b"1 started 5\n"] * 20, fds=[null.fileno()] * 20).ready()
        launch(wire)
        for _ in range(15):
            wire.tell("signal", "1", "0")
        assert open_descriptors() < before + 20


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.binary(max_size=200), min_size=1, max_size=8))
def test_no_bytes_at_all_hang_or_break_the_host(answers):
    hostile = Hostile(READY, b"".join(answers))
    try:
        wire = hostile.ready()
        program = launch(wire)
        program.signal_group(9)
        program.kill()
        hostile.close()
        assert program.wait(HANG) is not None
    except (RuntimeFailure, ValueError, OSError):
        pass
    finally:
        hostile.close()


WORDS = [b"started", b"ended", b"failed", b"ready", b"1", b"2", b"-9", b"0", b"\n", b" ", b"\0"]


@pytest.mark.parametrize("seed", range(20))
def test_messages_that_look_right_do_not_hang_or_break_the_host(seed):
    chance = random.Random(seed)
    answers = [
        b"".join(chance.choice(WORDS) + chance.choice([b" ", b"\n"]) for _ in range(30))
        for _ in range(5)
    ]
    hostile = Hostile(READY, b"".join(answers))
    try:
        launch(hostile.ready()).wait(HANG)
    except (RuntimeFailure, ValueError, OSError):
        pass
    finally:
        hostile.close()


def test_our_ends_of_pipes_are_closed_when_a_launch_fails(hostile):
    before = open_descriptors()
    wire = hostile(READY, b"1 failed 2\n").ready()
    pipes = Streams(subprocess.PIPE, subprocess.PIPE, subprocess.PIPE)
    with pytest.raises(FileNotFoundError):
        wire.launch(["none"], {}, Path("/"), pipes, ())
    assert open_descriptors() <= before + 2  # the two ends of the wire

import os

from tests.live import wait_until

from interpreter.runtimes.process.leftovers import Leftovers
from interpreter.runtimes.process.pipes import StreamPipe


def test_what_waits_in_a_pipe_when_its_block_ends_is_kept(tmp_path):
    pipe, leftovers = StreamPipe(tmp_path / "pipe"), Leftovers()
    writer = pipe.writer()
    os.write(writer, b"one ")
    leftovers.take("block", [pipe])
    os.write(writer, b"two")
    pipe.close_writer()
    (leftover,) = leftovers.all()
    wait_until(lambda: not leftover.running)
    assert (leftover.text, leftover.printed) == ("one two", 7)
    leftovers.close()


def test_a_pipe_whose_writers_are_gone_leaves_nothing(tmp_path):
    pipe, leftovers = StreamPipe(tmp_path / "pipe"), Leftovers()
    pipe.writer()
    pipe.close_writer()
    leftovers.take("block", [pipe])
    assert leftovers.all() == ()
    leftovers.close()

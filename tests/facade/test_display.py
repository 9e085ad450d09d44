"""Options that change what a person sees or hears."""

import io
import logging
import os
import stat
import subprocess
import sys

import pytest

from interpreter.terminal.plain_face import PlainFace
from interpreter.terminal.render.speech import SPEAKING

ADD = {"text": "Adding.", "code": "open('made.txt', 'w').close()\nprint(2 + 3)"}


@pytest.fixture
def log(caplog):
    caplog.set_level(logging.DEBUG, "interpreter")
    return caplog


def told(log, level):
    return [record.getMessage() for record in log.records if record.levelno == level]


def test_verbose_tells_what_else_happens(play, log, tmp_path):
    it = play(ADD, "It is 5.", auto_run=True, verbose=True, workspace=str(tmp_path))
    it.chat("go", display=False)
    lines = told(log, logging.INFO)
    assert "python begins to run" in lines
    assert "it ended: ok" in lines
    assert any(line.startswith("checkpoint ") for line in lines)
    assert any(line.startswith("files: added") and "made.txt" in line for line in lines)
    assert lines[-1] == "the turn ended: answered"
    assert not told(log, logging.DEBUG)


def test_debug_tells_of_every_event_and_is_bounded(play, log):
    it = play({"code": "print('x' * 10_000)"}, "Done.", auto_run=True, debug=True)
    it.chat("go", display=False)
    events = told(log, logging.DEBUG)
    assert any(line.startswith("OutputDelta(") for line in events)
    assert max(map(len, events)) <= 500


def test_without_them_nothing_is_logged(play, log, tmp_path):
    play(ADD, "It is 5.", auto_run=True, workspace=str(tmp_path)).chat("go", display=False)
    assert not log.records


def test_a_program_without_logging_is_told_on_stderr(script):
    program = (
        "from interpreter import OpenInterpreter\n"
        f"it = OpenInterpreter(verbose=True)\nit.llm.model = {script('Hello.')!r}\n"
        "it.chat('hi', display=False)\n"
    )
    argv = [sys.executable, "-c", program]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True)
    assert "the model has answered (stop" in done.stderr
    assert done.stdout == ""


def test_an_answer_is_read_aloud_where_something_can(play, tmp_path, monkeypatch):
    spoken = tmp_path / "spoken"
    os.mkfifo(spoken)
    program = tmp_path / "espeak-ng"
    program.write_text(f'#!/bin/sh\necho "$1" > {spoken}\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    play("Hello there.", speak_messages=True).chat("hi")
    assert spoken.read_text() == "Hello there.\n"
    assert [voice.wait(30) for voice in SPEAKING] == [0]


def test_an_answer_is_read_aloud_by_the_same_mouth_as_in_the_terminal(play, tmp_path, monkeypatch):
    played = tmp_path / "played"
    player = tmp_path / "pw-play"
    os.mkfifo(played)
    player.write_text(f"#!/bin/sh\nexec cat > {played}\n")
    player.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    play("Hello there. It is four.", speak_messages=True).chat("hi")
    sounds = [played.read_bytes(), played.read_bytes()]  # a sentence each
    assert min(map(len, sounds)) > 10_000


def test_a_note_for_a_stream_that_was_closed_is_left_out():
    stream = io.StringIO()
    face = PlainFace(stream, stream)
    stream.close()
    face.note("Waiting for what still starts")


def test_nothing_is_said_without_a_display(play, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    play("Hello there.", speak_messages=True).chat("hi", display=False)
    assert capsys.readouterr() == ("", "")


def test_a_stream_can_be_shown_while_it_is_read(play, capsys):
    it = play("Hello there.")
    streamed = "".join(c.get("content", "") for c in it.chat("hi", display=True, stream=True))
    assert streamed == "Hello there."
    assert "Hello there." in capsys.readouterr().out


def test_a_note_of_the_program_is_shown(play, capsys):
    play().display_message("> Loading…")
    assert "> Loading…" in "".join(capsys.readouterr())

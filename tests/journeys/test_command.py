import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from tests.journeys.conftest import COMMAND

from interpreter import __version__

ADD = {"text": "Adding.", "code": "x = 2 + 3\nprint(x)"}
AGAIN = {"text": "Again.", "code": "print(x * 10)"}


def test_the_version_is_shown(interpreter_command):
    assert interpreter_command("--version").stdout == f"interpreter {__version__}\n"


def test_the_help_helps(interpreter_command):
    shown = interpreter_command("--help")
    assert shown.returncode == 0
    assert all(word in shown.stdout for word in ("--model", "-y", "--once", "--json", "sessions"))
    assert max(map(len, shown.stdout.splitlines())) <= 110


@pytest.mark.parametrize("arguments", [["--frobnicate"], ["-y", "--frobnicate", "hi"], ["--model"]])
def test_an_unknown_argument_is_one_clear_line(interpreter_command, arguments):
    done = interpreter_command(*arguments)
    assert done.returncode == 2
    assert re.fullmatch(r"interpreter: .*--(frobnicate|model).*\n", done.stderr)
    assert done.stdout == ""


def test_one_message_is_answered_with_code_that_really_ran(interpreter_command, script):
    done = interpreter_command("-y", "--model", script(ADD, AGAIN, "Fifty."), "What is it?")
    assert done.returncode == 0
    assert done.stdout == "Adding.\nAgain.\nFifty.\n"
    assert "```python\nx = 2 + 3\nprint(x)\n```\n5\n" in done.stderr
    assert "```python\nprint(x * 10)\n```\n50\n" in done.stderr


def test_a_shell_block_runs_too(interpreter_command, script):
    block = {"code": "cd /; X=7\necho one", "language": "shell"}
    then = {"code": "pwd; echo $X", "language": "bash"}
    done = interpreter_command("-y", "--model", script(block, then, "Done."), "go")
    assert "one\n" in done.stderr
    assert "/\n7\n" in done.stderr


def test_a_message_may_come_by_the_standard_input(interpreter_command, script):
    done = interpreter_command("--model", script("Hello."), input="hi\n")
    assert (done.returncode, done.stdout) == (0, "Hello.\n")


def test_code_that_nobody_approves_is_not_run(interpreter_command, script, tmp_path):
    touch = {"code": f"open({str(tmp_path / 'ran')!r}, 'w')"}
    done = interpreter_command("--model", script(touch), "go")
    assert done.returncode == 3
    assert "nobody is there to ask" in done.stderr
    assert not (tmp_path / "ran").exists()


def test_events_come_as_json_lines(interpreter_command, script):
    done = interpreter_command("-y", "--json", "--model", script(ADD, "Five."), "go")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [event["type"] for event in events]
    assert kinds[0] == "TextDelta"
    assert [kind for kind in kinds if kind in ("ActionStarted", "ExecutionFinished")] == [
        "ActionStarted",
        "ExecutionFinished",
    ]
    assert events[-1] == {"type": "TurnFinished", "end": "answered", "detail": ""}
    assert done.returncode == 0


def test_a_session_goes_on_where_it_was_left(interpreter_command, script):
    interpreter_command("--model", script("Nice to meet you."), "I am Ada.")
    done = interpreter_command("--resume", "last", "--model", script("You are Ada."), "Who am I?")
    assert done.returncode == 0
    shown = interpreter_command("sessions", "show", "last").stdout
    assert shown == "> I am Ada.\nNice to meet you.\n> Who am I?\nYou are Ada.\n"


def test_kept_sessions_are_listed_searched_forked_and_deleted(interpreter_command, script):
    interpreter_command("--model", script("Zebras have stripes."), "Tell me about zebras")
    session, *_, title = interpreter_command("sessions").stdout.split(maxsplit=5)
    assert title == "Tell me about zebras\n"
    assert session in interpreter_command("sessions", "search", "stripes").stdout
    fork = interpreter_command("sessions", "fork", session).stdout.strip()
    interpreter_command("sessions", "delete", session)
    assert interpreter_command("sessions").stdout.split()[0] == fork


def test_no_history_keeps_nothing(interpreter_command, script):
    interpreter_command("--no-history", "--model", script("Hello."), "hi")
    assert interpreter_command("sessions").stdout == ""


def test_a_killed_process_leaves_what_it_had_shown(tmp_path, interpreter_command, script):
    model = script([{"text": "one two three"}, {"text": " four five six", "delay": 60}])
    process = subprocess.Popen(
        [COMMAND, "--json", "--model", model, "count"],
        cwd=tmp_path / "work",
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    shown = json.loads(process.stdout.readline())["text"]
    process.send_signal(signal.SIGKILL)
    process.communicate()

    done = interpreter_command("--resume", "last", "--model", script("Go on."), "and?")

    assert done.returncode == 0
    kept = interpreter_command("sessions", "show", "last").stdout
    assert kept == f"> count\n{shown}\n> and?\nGo on.\n"


def test_ctrl_c_stops_the_turn_and_keeps_it(script, interpreter_command):
    model = script({"text": "one", "code": "import time\nprint('on', flush=True)\ntime.sleep(600)"})
    process = subprocess.Popen(
        [COMMAND, "-y", "--json", "--model", model, "wait"],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    for line in process.stdout:
        if json.loads(line)["type"] == "OutputDelta":
            process.send_signal(signal.SIGINT)
            break
    rest = [json.loads(line) for line in process.communicate(timeout=240)[0].splitlines()]
    assert rest[-1]["end"] == "interrupted"
    assert process.returncode == 130
    assert "on\n" in interpreter_command("sessions", "show", "last").stdout


# Bad input: one clear sentence, an exit code, no traceback.


def assert_one_sentence(done, code, words):
    error = done.stderr if isinstance(done.stderr, str) else done.stderr.decode()
    assert done.returncode == code, error
    assert words in error
    assert "Traceback" not in error
    progress = "Waiting for what still starts"  # said on a machine that is busy
    lines = [line for line in error.strip().splitlines() if not line.startswith(progress)]
    assert len(lines) == 1


def test_a_broken_profile(interpreter_command, tmp_path):
    (tmp_path / "bad.yaml").write_text("model: [")
    done = interpreter_command("-p", str(tmp_path / "bad.yaml"), "hi")
    assert_one_sentence(done, 2, "Cannot read the profile")


def test_a_broken_database(interpreter_command, script, tmp_path):
    database = tmp_path / "data" / "reploop" / "sessions.db"
    database.parent.mkdir(parents=True)
    database.write_bytes(b"not a database at all" * 200)
    done = interpreter_command("--model", script("x"), "hi", XDG_DATA_HOME=str(tmp_path / "data"))
    assert_one_sentence(done, 2, "sessions.db")
    assert database.read_bytes() == b"not a database at all" * 200


def test_a_data_directory_that_cannot_be_written(interpreter_command, script, tmp_path):
    (tmp_path / "file").write_text("")
    done = interpreter_command("--model", script("x"), "hi", XDG_DATA_HOME=str(tmp_path / "file"))
    assert_one_sentence(done, 2, "Cannot keep sessions")


def test_a_script_that_is_missing(interpreter_command):
    done = interpreter_command("--model", "scripted/nowhere.yaml", "hi")
    assert_one_sentence(done, 2, "Cannot read the script")


def test_a_script_that_ends_early(interpreter_command, script):
    done = interpreter_command("-y", "--model", script(ADD), "hi")
    assert done.returncode == 1
    assert "has ended" in done.stderr
    assert "Traceback" not in done.stderr
    assert "5\n" in interpreter_command("sessions", "show", "last").stdout


def test_a_standard_input_that_is_not_utf8(interpreter_command, script):
    done = interpreter_command("--model", script("x"), input=b"caf\xe9")
    assert_one_sentence(done, 2, "not UTF-8")


def test_no_message_and_no_terminal(interpreter_command, script):
    assert_one_sentence(interpreter_command("--model", script("x")), 2, "There is no message")


@pytest.mark.parametrize("form", ["--json", "--once"])
def test_a_reader_that_goes_away(script, form):
    model = script(*[{"text": "many words " * 200, "code": "print(1)"}] * 4, "Done.")
    pipeline = f"{COMMAND} -y {form} --model {model} hi | head -c 5"
    done = subprocess.run(
        ["bash", "-c", pipeline + "; exit ${PIPESTATUS[0]}"],
        capture_output=True,
        text=True,
        env=os.environ,
        timeout=240,
    )
    assert done.returncode == 141
    assert len(done.stdout) == 5
    assert not [line for line in done.stderr.splitlines() if line.startswith("interpreter:")]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [["-y", "hi"], ["-y", "--json", "hi"], ["sessions"]])
def test_a_full_disk_behind_the_output(interpreter_command, script, arguments):
    interpreter_command("--model", script("Hello."), "something to list")
    model = script(*[{"text": "many words " * 200, "code": "print(1)"}] * 2, "Done.")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "INTERPRETER_MODEL": model},
            timeout=240,
        )
    assert done.returncode == 1
    assert "The output cannot be written: No space left on device." in done.stderr
    assert "Traceback" not in done.stderr


def test_a_python_that_does_not_exist(interpreter_command, script):
    done = interpreter_command("--python", "/no/python", "--model", script("x"), "hi")
    assert_one_sentence(done, 2, "There is no Python at '/no/python'")


def test_a_number_that_cannot_be(interpreter_command, script):
    done = interpreter_command("--timeout=-5", "--model", script("x"), "hi")
    assert_one_sentence(done, 2, "'timeout' cannot be negative")


def test_a_profile_that_does_not_exist(interpreter_command):
    assert_one_sentence(interpreter_command("-p", "nobody", "hi"), 2, "no profile 'nobody'")


def test_a_flag_that_is_nearly_right(interpreter_command):
    assert_one_sentence(interpreter_command("--auto-rnu"), 2, "did you mean --auto_run?")


@pytest.fixture
def running(script, tmp_path):
    """The command at work on a long answer, in a directory of its own; how to let it end."""
    started = []

    def start(directory):
        directory.mkdir(exist_ok=True)
        slow = {"code": "import signal\nprint('re' + 'ady')\nsignal.pause()"}
        argv = [COMMAND, "-y", "--json", "--model", script(slow, "Done."), "work"]
        process = subprocess.Popen(
            argv, cwd=directory, stdin=subprocess.DEVNULL, stdout=-1, text=True
        )
        started.append(process)
        for line in process.stdout:
            if "ready" in line:
                return process
        raise AssertionError("it ended")

    yield start
    for process in started:
        process.kill()
        process.communicate()


def sessions_in(interpreter_command):
    return [line.split()[0] for line in interpreter_command("sessions").stdout.splitlines()]


def test_last_is_the_last_session_of_this_directory(interpreter_command, script, running, tmp_path):
    interpreter_command("--model", script("Hello Ada."), "I am Ada.")
    other = running(tmp_path / "elsewhere")
    done = interpreter_command("--resume", "last", "--model", script("You are Ada."), "Who am I?")
    assert done.stdout == "You are Ada.\n", done.stderr
    assert other.poll() is None
    shown = interpreter_command("sessions", "show", "last").stdout
    assert "I am Ada." in shown


def test_a_session_that_is_open_elsewhere_stays_there(
    interpreter_command, script, running, tmp_path
):
    running(tmp_path / "work")
    [session] = sessions_in(interpreter_command)
    for name in ("last", session):
        done = interpreter_command("--resume", name, "--model", script("Mine."), "hi")
        assert done.returncode != 0
        assert "is open in another terminal" in done.stderr
        assert f"sessions fork {session}" in done.stderr
    copy = interpreter_command("sessions", "fork", session).stdout.strip()
    done = interpreter_command("--resume", copy, "--model", script("In a copy."), "hi")
    assert done.stdout == "In a copy.\n", done.stderr


def test_in_a_pipe_each_reply_is_a_line_of_its_own(interpreter_command, script):
    steps = {"text": "Let me add.", "code": "print(2 + 3, end='')"}
    model = script(steps, {"text": "Once more.", "code": "print(6)"}, "It is 5.")
    done = interpreter_command("-y", "--model", model, "hi")
    assert done.stdout == "Let me add.\nOnce more.\nIt is 5.\n"
    assert "```\n5\n" in done.stderr


def test_a_file_that_cannot_be_read_is_named_with_a_short_reason(interpreter_command, tmp_path):
    (tmp_path / "work" / "broken.yaml").write_text("model: x\nauto_run: [1\n")
    for arguments, reason in (
        (("-p", "./broken.yaml", "hi"), "broken.yaml: line 3: expected ',' or ']'"),
        (("--model", "scripted/broken.yaml", "hi"), "broken.yaml: line 3: expected ',' or ']'"),
        (("sessions", "import", "nofile.json"), "nofile.json: No such file or directory."),
        (("--resume", "./nofile.json", "hi"), "nofile.json: No such file or directory."),
    ):
        done = interpreter_command(*arguments)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert reason in done.stderr
        assert "unicode string" not in done.stderr

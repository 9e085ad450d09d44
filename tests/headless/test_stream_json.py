"""Lines of JSON in both directions, as a program sends them, and as a broken or hostile one does."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest
import yaml

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
USER = {"type": "user", "message": {"role": "user", "content": "go"}}
ASKS = ("--permission-prompt-tool", "stdio")
ENDLESS = {"code": "open('running', 'w').close()\nwhile True: pass"}


class Program:
    """Our program, and the lines that it has said."""

    def __init__(self, process, work):
        self.process = process
        self.work = work

    def say(self, *lines):
        for line in lines:
            self.process.stdin.write(json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()

    def wait_for(self, kind, **fields):
        """The next line of this type with these fields."""
        for line in self.process.stdout:
            found = json.loads(line)
            if found["type"] == kind and fields.items() <= found.items():
                return found
        raise AssertionError(f"no {kind} came")

    def wait_until_running(self):
        while not (self.work / "running").exists():
            assert self.process.poll() is None
            time.sleep(0.02)

    def request(self, **request):
        self.say({"type": "control_request", "request_id": "r", "request": request})
        return self.wait_for("control_response")["response"]

    def answer(self, request, response):
        told = {"subtype": "success", "request_id": request["request_id"], "response": response}
        self.say({"type": "control_response", "response": told})

    def ends(self):
        """How it ends when there is no more input."""
        self.process.stdin.close()
        return self.process.wait(60)


@pytest.fixture
def program(tmp_path):
    started = []
    work = tmp_path / "work"
    work.mkdir()

    def start(*replies, flags=()):
        (tmp_path / "script.yaml").write_text(yaml.safe_dump(list(replies)))
        formats = ("--input-format", "stream-json", "--output-format", "stream-json")
        model = ("--model", f"scripted/{tmp_path}/script.yaml")
        process = subprocess.Popen(
            [sys.executable, "-m", "interpreter", *formats, *model, *flags],
            cwd=work,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        started.append(process)
        return Program(process, work)

    yield start
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def picture(data):
    source = {"type": "base64", "media_type": "image/png", "data": data}
    return {"type": "image", "source": source}


def test_what_makes_no_sense_is_refused_and_the_session_goes_on(program):
    replies = [{"code": f"open('made-{n}', 'w')"} for n in range(4)]
    ours = program(*replies, {"code": "print('x' * 3_000_000)"}, "Done.", flags=ASKS)
    ours.say({"type": "keep_alive"})
    unknown = ours.request(subtype="fly")
    assert unknown["subtype"] == "error"
    assert "There is no control request 'fly'" in unknown["error"]
    assert (
        "permission mode is one of" in ours.request(subtype="set_permission_mode", mode=3)["error"]
    )
    assert "There is no event" in ours.request(subtype="initialize", hooks={"X": []})["error"]
    for block, told in (({"type": "video"}, "neither"), (picture("%%%"), "not in base64")):
        ours.say({"type": "user", "message": {"content": [block]}})
        assert told in ours.wait_for("result")["errors"][0]
    ours.say({
        "type": "user",
        "message": {"content": [picture(PNG), {"type": "text", "text": "go"}]},
    })
    for answer in (
        {},
        {"behavior": "yes"},
        {"behavior": "allow", "updatedInput": {"code": 7}},
        {"behavior": "allow", "updatedInput": [1]},
    ):
        asked = ours.wait_for("control_request")
        assert asked["request"]["subtype"] == "can_use_tool"
        stranger = {**asked, "request_id": "another"}
        ours.answer(stranger, {"behavior": "allow"})
        ours.answer(asked, answer)
    asked = ours.wait_for("control_request")
    ours.answer(asked, {"behavior": "allow", "updatedInput": asked["request"]["input"]})
    for line in ours.process.stdout:
        assert len(line) < 1_000_000
        if json.loads(line)["type"] == "result":
            break
    assert json.loads(line)["subtype"] == "success"
    assert ours.ends() == 0
    assert list(ours.work.iterdir()) == []


def test_an_input_that_ends_is_a_no_to_what_was_asked(program):
    ours = program({"code": "open('made', 'w').close()"}, "I could not.", flags=ASKS)
    ours.say(USER)
    ours.wait_for("control_request")
    ours.process.stdin.close()
    result = ours.wait_for("result")
    assert result["result"] == "I could not."
    assert len(result["permission_denials"]) == 1
    assert ours.process.wait(60) == 0
    assert not (ours.work / "made").exists()


def test_a_hook_that_nobody_answers_does_not_let_code_run(program):
    ours = program({"code": "open('made', 'w').close()"}, "Well.", flags=("-y",))
    hook = {"hookCallbackIds": ["h"], "timeout": 0.5}
    assert ours.request(subtype="initialize", hooks={"PreToolUse": [hook]})["subtype"] == "success"
    ours.say(USER)
    assert ours.wait_for("control_request")["request"]["subtype"] == "hook_callback"
    ours.wait_for("result")
    assert ours.ends() in (0, 1)
    assert not (ours.work / "made").exists()


def test_a_broken_line_stops_what_runs(program):
    ours = program(ENDLESS, flags=("-y",))
    ours.say(USER)
    ours.wait_until_running()
    ours.process.stdin.write(b'{"type": "user", "mess\n')
    ours.process.stdin.flush()
    assert ours.wait_for("result")["subtype"] == "error_during_execution"  # of the turn
    result = ours.wait_for("result")
    assert result["is_error"]
    assert "Line 2 of the input is no JSON" in result["errors"][0]
    assert ours.process.wait(60) == 2


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"[1]\n", "Line 1 of the input is no JSON object"),
        (b'"' + b"x" * (17 << 20), "is longer than 16 MB"),
        (b"[" * 200_000 + b"\n", "Line 1 of the input is no JSON"),
    ],
)
def test_a_broken_line_is_told(program, line, told):
    ours = program("Never said.")
    with contextlib.suppress(BrokenPipeError):  # it does not read to the end
        ours.process.stdin.write(line)
        ours.process.stdin.flush()
    assert told in ours.wait_for("result")["errors"][0]
    assert ours.process.wait(60) == 2


def test_a_signal_stops_the_turn_and_another_all_that_runs(program):
    ours = program(ENDLESS, ENDLESS, flags=("-y",))
    ours.say(USER)
    ours.wait_until_running()
    ours.process.send_signal(signal.SIGINT)
    assert ours.wait_for("result")["errors"] == ["It was interrupted."]
    (ours.work / "running").unlink()
    ours.say(USER)
    ours.wait_until_running()
    children = descendants(ours.process.pid)
    assert children
    ours.process.send_signal(signal.SIGTERM)
    assert ours.process.wait(60) == 143
    for child in children:
        wait_until_gone(child)


def test_nobody_who_reads_ends_it(program):
    ours = program(ENDLESS, flags=("-y",))
    ours.say(USER)
    ours.wait_until_running()
    ours.process.stdout.close()
    ours.say({"type": "control_request", "request_id": "r", "request": {"subtype": "interrupt"}})
    assert ours.process.wait(60) in (1, 2, 141)


def descendants(pid):
    found = []
    for one in os.listdir("/proc"):  # noqa: PTH208
        if one.isdigit() and parent(one) == pid:
            found += [int(one), *descendants(int(one))]
    return found


def parent(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            return int(file.read().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def wait_until_gone(pid):
    while parent(pid):
        time.sleep(0.02)

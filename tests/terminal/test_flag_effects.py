"""Every flag does what it says: seen in what the model is sent, or in what happens."""

import base64
import json
import zlib

import pytest
from tests.journeys.conftest import interpreter_command, script  # noqa: F401  (fixtures)
from tests.support.model_server import ModelServer, called, said

LONG = json.dumps({"language": "python", "code": "print('a' * 30000 + 'end')"})


@pytest.fixture
def server():
    server = ModelServer()
    server.replies = [said("Hello.")]
    yield server
    server.close()


@pytest.fixture
def sent(interpreter_command, server):  # noqa: F811
    """What the model was sent last when the command was run with these flags."""

    def run(*flags, message="hi", **options):
        common = ["--once", "--api_base", server.url, "--model", "openai/some-model"]
        done = interpreter_command(*common, *flags, message, **options)
        assert server.requests, done.stderr
        return server.requests[-1]

    return run


def system_of(request):
    return request.json["messages"][0]["content"]


def test_the_model_and_where_it_is(sent):
    assert sent("-m", "openai/another").json["model"] == "another"


def test_the_key(sent):
    assert sent("-ak", "sk-mine").headers["authorization"] == "Bearer sk-mine"


@pytest.mark.parametrize(
    ("flags", "name", "value"),
    [(["-t", "0.7"], "temperature", 0.7), (["-x", "77"], "max_tokens", 77)],
)
def test_numbers_for_the_model(sent, flags, name, value):
    body = sent(*flags).json
    assert body.get(name, body.get("max_completion_tokens")) == value


def test_instructions_are_added_and_the_prompt_replaced(sent):
    added = system_of(sent("-ci", "Speak like a pirate."))
    assert "Speak like a pirate." in added
    assert "execute" in added
    replaced = system_of(sent("-sm", "You are a parrot."))
    assert "You are a parrot." in replaced
    assert len(replaced) < len(added)


@pytest.mark.parametrize(
    ("flag", "words"), [("--fast", "Be fast"), ("--assistant", "everyday things")]
)
def test_a_preset_is_told_to_the_model(sent, flag, words):
    assert words in system_of(sent(flag))


def test_whether_it_calls_tools(sent):
    assert "tools" in sent("-lsf").json
    assert "tools" not in sent("--no-llm_supports_functions").json


def picture(path):
    def chunk(kind, data):
        checked = kind + data
        return len(data).to_bytes(4, "big") + checked + zlib.crc32(checked).to_bytes(4, "big")

    header = chunk(b"IHDR", bytes([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\xff\0\0"))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + header + pixels + chunk(b"IEND", b""))
    return base64.b64encode(path.read_bytes()).decode()


def test_whether_it_sees_pictures(sent, tmp_path):
    data = picture(tmp_path / "dot.png")
    message = f"what is in {tmp_path}/dot.png?"
    assert data in sent("-lsv", message=message).body.decode()
    assert data in sent("--vision", message=message).body.decode()
    assert data not in sent("--no-llm_supports_vision", message=message).body.decode()


def test_how_much_output_it_reads(sent, server):
    server.replies = [called(("execute", LONG)), said("Read.")]
    seen = sent("-y", "-xo", "100").body.decode()
    assert "a" * 90 + "end" in seen
    assert "a" * 110 not in seen


def test_how_much_it_can_read(sent, server):
    usual = [called(("execute", LONG)), said("Read.")]
    server.replies = list(usual)
    whole = len(sent("-y").body)
    server.replies = list(usual)
    assert len(sent("-y", "-cw", "4000").body) < 0.9 * whole


def test_a_budget_ends_the_turn(interpreter_command, server):  # noqa: F811
    usage = {"prompt_tokens": 9, "completion_tokens": 9, "cost": 0.02}  # as a proxy tells it
    server.replies = [
        called(("execute", json.dumps({"language": "python", "code": "1"}))),
        said("More.", usage=usage),
    ]
    server.replies[0].pieces.insert(-1, said(usage=usage).pieces[0])
    model = ["--api_base", server.url, "--model", "openai/gpt-4o", "-y", "-b", "0.01"]
    done = interpreter_command(*model, "go")
    assert (done.returncode, "the budget is used up" in done.stderr) == (1, True), done.stderr


def test_offline_never_leaves_this_machine(interpreter_command):  # noqa: F811
    done = interpreter_command("--offline", "-m", "gpt-4o", "-ak", "x", "hi")
    assert done.returncode != 0
    assert "offline" in done.stderr.lower()


@pytest.mark.parametrize(
    ("flag", "model"), [("--codestral", "codestral"), ("--llama3", "llama3"), ("--groq", "llama-3")]
)
def test_a_model_by_a_flag(interpreter_command, server, flag, model):  # noqa: F811
    interpreter_command(flag, "--api_base", server.url, "hi", GROQ_API_KEY="x")
    assert server.requests[-1].json["model"].startswith(model)


# What happens.


def test_a_block_may_take_so_long_and_no_longer(interpreter_command, script):  # noqa: F811
    block = {"code": "import time\ntime.sleep(600)"}
    done = interpreter_command("-y", "--timeout", "0.5", "-m", script(block, "Late."), "wait")
    assert done.stdout == "Late.\n"
    assert "[backgrounded] Its time is over." in done.stderr


def test_steps_are_limited(interpreter_command, script):  # noqa: F811
    model = script({"code": "1"}, {"code": "2"}, "Never said.")
    done = interpreter_command("-y", "--max-steps", "1", "-m", model, "go")
    assert "the limit of steps is reached" in done.stderr
    assert done.stdout == ""


def test_code_works_in_the_workspace(interpreter_command, script, tmp_path):  # noqa: F811
    (tmp_path / "there").mkdir()
    block = {"code": "open('made.txt', 'w').write('x')"}
    model = script(block, "Done.")
    interpreter_command("-y", "--workspace", str(tmp_path / "there"), "-m", model, "go")
    assert (tmp_path / "there" / "made.txt").exists()


def test_a_read_only_sandbox_lets_nothing_be_written(interpreter_command, script):  # noqa: F811
    block = {"code": "open('made.txt', 'w').write('x')"}
    done = interpreter_command("-y", "--sandbox", "read-only", "-m", script(block, "No."), "go")
    assert "Read-only file system" in done.stderr


def test_risky_code_is_asked_about_even_with_y(interpreter_command, script):  # noqa: F811
    block = {"code": "rm -rf /", "language": "shell"}
    model = script(block, "Done.")
    done = interpreter_command("-y", "--safe_mode", "auto", "-m", model, "go")
    assert "Not run: it may be dangerous: line 1: rm" in done.stderr
    assert "nobody is there to ask" in done.stderr


def test_nothing_is_kept_without_history(interpreter_command, script):  # noqa: F811
    interpreter_command("--no-history", "-m", script("Hello."), "a secret")
    assert "a secret" not in interpreter_command("sessions").stdout


def test_what_cannot_speak_says_so(interpreter_command, script):  # noqa: F811
    done = interpreter_command("--speak_messages", "-m", script("Hello."), "hi", PATH="/nowhere")
    assert "Nothing on this machine can speak" in done.stderr


def test_os_mode_without_a_screen_says_so_and_the_rest_is_done(interpreter_command, script):  # noqa: F811
    nowhere = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
    done = interpreter_command("--os", "-m", script("Hello."), "hi", **nowhere)
    assert (done.returncode, done.stdout) == (0, "Hello.\n")
    assert "There is no display here" in done.stderr


@pytest.mark.parametrize("flag", ["--verbose", "--debug", "--debug_mode"])
def test_more_is_shown(interpreter_command, script, flag):  # noqa: F811
    model = script({"code": "1"}, "Done.")
    quiet = interpreter_command("-y", "-m", model, "go").stderr
    loud = interpreter_command("-y", flag, "-m", model, "go").stderr
    assert len(loud.splitlines()) > len(quiet.splitlines())

"""The subcommands as they are typed, in an empty home."""

import json

import pytest
from tests.journeys.conftest import interpreter_command, script  # noqa: F401  (fixtures)

from interpreter.assembly.hooks import user_file
from interpreter.terminal.commands import SUBCOMMANDS


def write_hooks(text):
    user_file().parent.mkdir(parents=True)
    user_file().write_text(text)


@pytest.mark.parametrize("name", [*SUBCOMMANDS, "serve"])
def test_each_says_how_it_is_used(interpreter_command, name):  # noqa: F811
    done = interpreter_command(name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: ")


def test_the_help_names_them_all(interpreter_command):  # noqa: F811
    told = interpreter_command("--help").stdout.split("\n\n")[2]
    assert [name for name in (*SUBCOMMANDS, "serve") if f" {name} " not in told] == []


@pytest.mark.parametrize(
    "words",
    [
        ["models", "pull", "nope"],
        ["models", "rm", "nope"],
        ["models", "fly"],
        ["models", "prices", "nope"],
        ["doctor", "who"],
        ["hooks", "--foo"],
        ["trust", "--foo"],
        ["--kernel", "nope", "--model", "scripted/demo", "hi"],
    ],
)
def test_a_wrong_word_is_told_like_any_wrong_argument(interpreter_command, words):  # noqa: F811
    done = interpreter_command(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("interpreter: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("word", "meant"), [("doctr", "doctor"), ("session", "sessions"), ("serv", "serve")]
)
def test_a_misspelt_one_is_no_message(interpreter_command, script, word, meant):  # noqa: F811
    model = script("Hello.")
    done = interpreter_command("--model", model, word)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"did you mean `interpreter {meant}`? As a message: interpreter -- {word}" in done.stderr
    assert interpreter_command("--model", model, "--", word).stdout == "Hello.\n"


@pytest.mark.parametrize("words", [["hello"], ["session please"], ["session", "please"]])
def test_other_words_are_a_message(interpreter_command, script, words):  # noqa: F811
    assert interpreter_command("--model", script("Hello."), *words).stdout == "Hello.\n"


def test_where_there_is_no_model_every_way_to_one_is_named(interpreter_command):  # noqa: F811
    done = interpreter_command("hi", OLLAMA_HOST="127.0.0.1:9")
    assert (done.returncode, done.stdout) == (2, "")
    for way in ("config key PROVIDER", "OPENAI_API_KEY", "--model scripted/demo"):
        assert way in done.stderr
    assert interpreter_command("-y", "--model", "scripted/demo", "hi").returncode == 0


def test_a_port_of_the_environment_that_is_none_is_named(interpreter_command):  # noqa: F811
    done = interpreter_command("serve", INTERPRETER_PORT="abc")
    assert done.returncode == 2
    assert done.stderr == "interpreter: INTERPRETER_PORT is a number, not 'abc'.\n"


def test_the_hooks_of_this_directory_are_listed(interpreter_command):  # noqa: F811
    assert interpreter_command("hooks").stdout.startswith("There are no hooks. Yours would be in ")
    hook = {"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(json.dumps({"hooks": {"PreToolUse": [hook]}}))
    assert interpreter_command("hooks").stdout.startswith("PreToolUse Bash: true\n")


@pytest.mark.parametrize("text", ["{", '{"hooks": {"PreTolUse": []}}'])
def test_a_mistake_in_a_hooks_file_stops_the_start(interpreter_command, script, text):  # noqa: F811
    write_hooks(text)
    model = script({"code": "open('made', 'w')"}, "Done.")
    done = interpreter_command("-y", "--model", model, "go")
    assert (done.returncode, done.stdout) == (2, "")
    assert str(user_file()) in done.stderr
    assert str(user_file()) in interpreter_command("hooks").stdout
    doctor = interpreter_command("doctor")
    assert doctor.returncode == 1
    assert "missing   hooks" in doctor.stdout

"""What goes wrong with a model, and what changes of it, as the user of the command meets it."""

import json
import os
import signal
import socket
import subprocess

import pytest
from tests.journeys.conftest import COMMAND
from tests.journeys.test_command import assert_one_sentence

from interpreter.assembly.model_choice import drafts_wanted
from interpreter.settings.settings import Settings
from support.model_server import Hang, ModelServer, Refusal, said


@pytest.fixture
def server():
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture
def ask(server, interpreter_command):
    """Ask the model behind the loopback server."""

    def ask(*arguments, **options):
        where = ("--model", "openai/gpt-x", "--api_base", server.url, "--api_key", "k")
        return interpreter_command(*where, *arguments, **options)

    return ask


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Refusal(401, "Incorrect API key"), "set OPENAI_API_KEY or --api_key"),
        (Refusal(404, "The model gpt-x does not exist"), "check --model and --api_base"),
        (Refusal(429, "You exceeded your current quota"), "check the plan or use another --model"),
        (Refusal(400, "maximum context length is 10 tokens"), "set --context_window"),
    ],
    ids=["key", "model", "quota", "context"],
)
def test_a_refusal_is_one_sentence_that_says_what_to_do(server, ask, reply, words):
    server.replies = [reply]
    assert_one_sentence(ask("hi"), 1, words)


def test_no_server_is_one_sentence(interpreter_command):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        done = interpreter_command("--model", "openai/x", "--api_base", base, "hi")
    assert_one_sentence(done, 1, "start the server, or check --api_base")


def test_no_key_is_one_sentence(interpreter_command):
    assert_one_sentence(interpreter_command("--model", "gpt-4o", "hi"), 1, "set OPENAI_API_KEY")


def test_a_model_of_litellm_says_how_to_install_it(interpreter_command):
    done = interpreter_command("--model", "bedrock/anthropic.claude-v2", "hi")
    if done.returncode == 1:
        pytest.skip("LiteLLM is installed here")
    assert_one_sentence(done, 2, "pip install '.[litellm]' in the checkout of reploop")


def test_a_request_beyond_the_budget_is_not_sent(interpreter_command):
    where = ("--model", "gpt-4o", "--api_key", "k")  # would be asked, if the budget allowed it
    done = interpreter_command(*where, "--max_budget", "0.0001", "hi")
    assert_one_sentence(done, 1, "over the budget of $0.0001. Raise max_budget to go on.")


def test_a_server_on_this_machine_costs_nothing_whatever_its_model_is_called(
    server, interpreter_command
):
    server.replies = [said("ok")]
    where = ("--model", "gpt-4o", "--api_base", server.url, "--api_key", "k")
    done = interpreter_command(*where, "--max_budget", "0.0001", "hi")
    assert (done.returncode, len(server.requests)) == (0, 1)


def test_code_in_the_prompt_of_a_profile_runs_only_when_the_user_trusts_it(server, ask, tmp_path):
    profile = tmp_path / "profile.yaml"
    profile.write_text(
        "system_message: It is {{ print(6 * 7) }}.\ncustom_instructions: '{{ 1 }}'\n"
    )
    server.replies = [said("ok")]
    ask("-p", str(profile), "hi")
    ask("-p", str(profile), "--trust_profile", "hi")
    told = [seen.json["messages"][0]["content"] for seen in server.requests]
    assert told == ["It is {{ print(6 * 7) }}.\n\n{{ 1 }}", "It is 42.\n\n{{ 1 }}"]
    profile.write_text("trust_profile: true\n")
    assert_one_sentence(ask("-p", str(profile), "hi"), 2, "only you can say trust_profile")


def test_what_a_check_finds_out_is_used_from_then_on(server, ask, interpreter_command):
    prose = said("I would print 42.")
    fence = said("```python\nprint(6 * 7)\n```\n")
    server.replies = [prose, fence, said("hello"), said("blue"), said("Done.")]
    checked = interpreter_command("models", "check", "openai/gpt-x", "--api_base", server.url)
    *steps, verdict = checked.stdout.splitlines()
    assert [line.split()[0] for line in steps] == ["no", "yes", "yes", "no", "no"], checked.stderr
    assert (verdict, checked.returncode) == ("It can be used, by fenced blocks.", 0)
    assert "tools" in server.requests[0].json
    assert ask("hi").stdout == "Done.\n"
    assert "tools" not in server.requests[-1].json


def test_a_hosted_model_is_refused_offline(interpreter_command):
    done = interpreter_command("--offline", "--model", "gpt-4o", "--api_key", "k", "hi")
    assert_one_sentence(done, 2, "offline is on")


@pytest.mark.parametrize(
    "reply", [Hang, said("One moment.", ending="silence")], ids=["all", "half"]
)
def test_a_model_that_falls_silent_is_given_up(server, ask, reply):
    server.replies = [reply]
    done = ask("--model_timeout", "0.5", "hi")
    assert done.returncode == 1
    assert "has said nothing for 0.5 seconds" in done.stderr


@pytest.mark.parametrize(
    "reply", [Hang, said("One moment.", ending="silence")], ids=["all", "half"]
)
def test_ctrl_c_stops_a_silent_model_and_keeps_what_came(server, reply, interpreter_command):
    server.replies = [reply]
    argv = [COMMAND, "--json", "--model", "openai/x", "--api_base", server.url, "hi"]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
    with subprocess.Popen(argv, env=os.environ, text=True, **pipes) as process:
        came = process.stdout.readline() if reply is not Hang else server.wait_for_request()
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=240)[0].splitlines()
    assert json.loads(rest[-1])["end"] == "interrupted"
    assert process.returncode == 130
    kept = interpreter_command("sessions", "show", "last").stdout
    assert kept == ("> hi\n" if reply is Hang else "> hi\nOne moment.\n"), came


def test_a_resumed_session_has_not_forgotten_what_it_cost(server, ask):
    server.replies = [said("Once.", usage={"prompt_tokens": 900, "completion_tokens": 50})]
    ask("hello")
    asked = len(server.requests)
    done = ask("--resume", "last", "--max_session_tokens", "940", "again")
    assert "So far: 900 tokens in" in done.stderr + done.stdout
    assert len(server.requests) == asked


@pytest.mark.parametrize(
    ("chosen", "drafts"),
    [
        ({}, 4),
        ({"auto_run": True}, 4),
        ({"drafts": 2}, 2),
        ({"approval": "never"}, 0),
        ({"sandbox": "off"}, 0),
        ({"kernel": "k1.json"}, 0),
    ],
)
def test_programs_to_compare_are_written_where_they_can_run_without_a_question(chosen, drafts):
    assert drafts_wanted(Settings(**chosen)) == drafts

"""`interpreter --print` as scripts use it: what it prints, and how it exits."""

import io
import json
import re
import shlex

import pytest
from tests.docs.test_commands import ROOT, lines_of, shown
from tests.journeys.conftest import interpreter_command, script  # noqa: F401  (fixtures)

CODE = {"text": "Let me see.", "code": "print(6 * 7)"}


@pytest.fixture
def printed(interpreter_command, script):  # noqa: F811
    """Run a command line of the page with a script; how it ended."""

    def run(line, *replies, **options):
        return interpreter_command(*shlex.split(line)[1:], "--model", script(*replies), **options)

    return run


def sentence(done):
    (line,) = done.stderr.splitlines()
    return line


def test_the_commands_of_the_page_do_what_they_say(printed):
    text, json_line, stream, schema = lines_of("headless.md")
    done = printed(text, CODE, "It has 3 lines.")
    assert (done.returncode, done.stdout, done.stderr) == (0, "It has 3 lines.\n", "")

    done = printed(json_line, CODE, "It has 3 lines.")
    result = json.loads(done.stdout)
    (documented,) = map(json.loads, shown("headless.md", "json"))
    assert set(documented) <= set(result)
    same = ("type", "subtype", "is_error", "result", "num_turns", "permission_denials")
    assert [result[name] for name in same] == [documented[name] for name in same]

    done = printed(stream, CODE, "It has 3 lines.")
    lines = list(map(json.loads, done.stdout.splitlines()))
    assert [line["type"] for line in lines] == [
        "system",
        "assistant",
        "user",
        "assistant",
        "result",
    ]
    assert len({line["session_id"] for line in lines}) == 1

    done = printed(schema, '{"lines": 3}')
    assert json.loads(done.stdout)["structured_output"] == {"lines": 3}


def test_a_line_of_the_page_comes_in_and_lines_come_out(printed):
    said, _, command = next(
        row for body in shown("headless.md", "sh") for row in body.split("\n") if "echo" in row
    ).partition(" | ")
    done = printed(command, "Hello.", input=shlex.split(said)[1])
    assert done.returncode == 0
    assert json.loads(done.stdout.splitlines()[-1])["result"] == "Hello."


def test_where_nobody_approves_nothing_runs_and_the_exit_code_says_so(printed):
    done = printed("interpreter --print go", {"code": "open('made', 'w').close()"}, "Never said.")
    assert (done.returncode, done.stdout) == (3, "")
    assert "nobody is there to ask" in sentence(done)
    assert "-y" in sentence(done)


def test_a_session_that_asks_nobody_goes_on_without_what_is_not_allowed(printed):
    line = "interpreter --print go --output-format json --permission-mode dontAsk"
    done = printed(f"{line} --allowed-tools Bash", CODE, {"code": "pwd", "language": "sh"}, "Well.")
    result = json.loads(done.stdout)
    assert (done.returncode, result["result"], result["num_turns"]) == (0, "Well.", 3)
    assert [one["tool_name"] for one in result["permission_denials"]] == ["execute"]


def test_money_is_a_limit_of_its_own(interpreter_command):  # noqa: F811
    where = ("--model", "gpt-4o", "--api_key", "k")  # would be asked, if the budget allowed it
    flags = ("--output-format", "json", "--max-budget-usd", "0.0001")
    done = interpreter_command("--print", "hi", *where, *flags)
    result = json.loads(done.stdout)
    assert (done.returncode, result["subtype"]) == (1, "error_max_budget_usd")
    assert "over the budget of $0.0001" in result["errors"][0]


def test_an_answer_that_never_fits_is_an_error_of_its_own(printed):
    schema = """--json-schema '{"type": "integer"}'"""
    done = printed(f"interpreter --print x --output-format json {schema}", *["no"] * 4)
    result = json.loads(done.stdout)
    assert (done.returncode, result["subtype"]) == (1, "error_max_structured_output_retries")


def test_an_answer_in_json_is_printed_without_what_is_around_it(printed):
    line = """interpreter --print x --json-schema '{"type": "integer"}'"""
    assert printed(line, "Here you are:\n```json\n3\n```\n").stdout == "3\n"


def test_the_last_session_goes_on(printed):
    printed("interpreter --print go -y", {"code": "x = 5"}, "Set.")
    done = printed("interpreter --print go -y --continue", {"code": "print(x)"}, "It is 5.")
    assert done.stdout == "It is 5.\n"
    named = printed("interpreter --print go --session-id mine --output-format json", "Hi.")
    assert json.loads(named.stdout)["session_id"] == "mine"
    again = printed("interpreter --print go --session-id mine", "Hi.")
    assert again.returncode == 2
    assert "--resume" in sentence(again)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--print", "There is no message"),
        ("--print hi --plugin-dir x", "--plugin-dir is not possible"),
        ("--print hi --max-turns 0", "more than 0"),
        ("--print hi --session-mirror", "not possible"),
        ("--print hi --output-format yaml", "invalid choice"),
        ("--print hi --input-format stream-json", "needs --output-format stream-json"),
        ("--print hi --json", "take one"),
        ("--print hi --nonsense", "unrecognized arguments: --nonsense"),
        ("""--print hi --settings '{"sandbox": {}}'""", "and nothing else"),
        ("--print hi --mcp-config '{}'", "is to be an object of servers"),
        ("--print hi --json-schema nonsense", "it is no JSON"),
        ("--print hi --fork-session", "needs --resume or --continue"),
        ("--print hi --resume nonsense", "is no session"),
        ("--max-turns 3 hi", "unrecognized arguments: --max-turns"),
    ],
)
def test_a_wrong_flag_is_one_sentence(line, told, capsys, monkeypatch):
    from interpreter.cli import main

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    assert main(shlex.split(line)) == 2
    seen = capsys.readouterr()
    assert told in sentence_in(seen.err)
    assert seen.out == ""


def sentence_in(text):
    (line,) = text.splitlines()
    return line


def test_no_model_is_a_sentence_and_a_result(interpreter_command):  # noqa: F811
    flags = ("--print", "hi", "--model", "nonsense/x")
    done = interpreter_command(*flags)
    assert done.returncode == 2
    assert "nonsense" in sentence(done)
    result = json.loads(interpreter_command(*flags, "--output-format", "json").stdout)
    assert (result["subtype"], result["is_error"]) == ("error_during_execution", True)
    assert "nonsense" in result["errors"][0]


@pytest.mark.parametrize(
    "words",
    [
        ["--continue"],
        ["--max-turns", "3"],
        ["--append-system-prompt", "x"],
        ["--system-prompt-file", "x"],
        ["--allowed_tools", "Bash"],
    ],
)
def test_a_flag_for_programs_without_print_says_what_it_needs(interpreter_command, words):  # noqa: F811
    done = interpreter_command(*words, "hi")
    assert done.returncode == 2
    assert f"{words[0]}; it is for programs, and needs --print" in sentence(done)


def test_a_misspelt_flag_for_programs_is_known_by_its_looks(interpreter_command):  # noqa: F811
    done = interpreter_command("--print", "x", "--output-formt", "json")
    assert done.returncode == 2
    assert "did you mean --output-format?" in sentence(done)


def test_the_help_names_the_flags_of_the_page(interpreter_command):  # noqa: F811
    page = (ROOT / "docs" / "headless.md").read_text(encoding="utf-8")
    told = interpreter_command("--help").stdout
    assert [flag for flag in re.findall(r"`(--[a-z-]+)", page) if flag not in told] == []

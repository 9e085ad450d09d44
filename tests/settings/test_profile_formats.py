"""Profiles as Open Interpreter's users have them: YAML, JSON and Python, near and far."""

import json

import pytest

from interpreter.protocol.errors import ConfigurationError
from interpreter.settings.own import ProfileParts
from interpreter.settings.paths import profile_directory
from interpreter.settings.profiles import with_profile
from interpreter.settings.settings import Settings


def kept(name, text):
    path = profile_directory() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


OLD = """\
version: 0.2.5
llm:
  model: gpt-4o
  temperature: 0
  api_key: null
  context_window: 16000
computer:
  import_computer_api: True
wtf: {model: x}
custom_instructions: Be brief.
auto_run: true
safe_mode: ask
offline: true
max_output: 500
loop: true
loop_breakers: [Done., Stop.]
conversation_history: false
disable_telemetry: true
"""


def test_a_profile_of_open_interpreter_is_understood():
    kept("old.yaml", OLD)
    assert with_profile(Settings(), "old") == Settings(
        model="gpt-4o",
        temperature=0,
        context_window=16000,
        custom_instructions="Be brief.",
        auto_run=True,
        safe_mode="ask",
        offline=True,
        max_output=500,
        loop=True,
        loop_breakers=("Done.", "Stop."),
        keep_history=False,
    )


def test_dotted_keys_mean_the_same_as_groups():
    kept("a.yaml", "llm.model: x\ncomputer.import_computer_api: true\n")
    assert with_profile(Settings(), "a") == Settings(model="x")


def test_json_profiles_are_read():
    kept("a.json", json.dumps({"llm": {"model": "x"}, "auto_run": True}))
    assert with_profile(Settings(), "a") == Settings(model="x", auto_run=True)


def test_a_suffix_may_be_written():
    kept("a.json", "{}")
    kept("a.yaml", "auto_run: true")
    assert with_profile(Settings(), "a.json") == Settings()
    assert with_profile(Settings(), "a.yaml") == Settings(auto_run=True)


PYTHON = """\
from interpreter import interpreter
import os.path

interpreter.llm.model = "claude" + "-x"
interpreter.llm.supports_functions = True
interpreter.auto_run = True
interpreter.custom_instructions += " Be brief."
interpreter.computer.import_computer_api = True
"""


def test_a_python_profile_is_run_and_what_it_sets_counts():
    kept("a.py", PYTHON)
    before = Settings(custom_instructions="Hello.")
    assert with_profile(before, "a") == Settings(
        model="claude-x",
        supports_functions=True,
        auto_run=True,
        custom_instructions="Hello. Be brief.",
    )


def test_a_python_profile_that_makes_its_own_interpreter_means_ours():
    text = "from interpreter import OpenInterpreter\ninterpreter = OpenInterpreter()\n"
    kept("a.py", text + "interpreter.auto_run = True\n")
    assert with_profile(Settings(), "a").auto_run is True


OWN_PARTS = """\
from interpreter import interpreter, BaseLanguage

class Reverse(BaseLanguage):
    name = "reverse"
    system_message = "Reverse turns text round."

def answer(messages, **more):
    yield {"choices": [{"delta": {"content": "hello"}}]}

interpreter.computer.terminate()
interpreter.computer.languages = [l for l in interpreter.computer.languages if l != "a"]
interpreter.computer.languages.append(Reverse)
interpreter.llm.completions = answer
interpreter.custom_instructions = "Be brief."
"""


def test_a_python_profile_brings_languages_and_a_model_of_its_own():
    kept("a.py", OWN_PARTS)
    own = ProfileParts(lambda: ["a", "b"])
    told = "Be brief.\n\nReverse turns text round."
    assert with_profile(Settings(), "a", own=own) == Settings(custom_instructions=told)
    assert own.languages[0] == "b"
    assert own.languages[1].name == "reverse"
    assert own.completions.__name__ == "answer"


def test_a_python_profile_may_name_languages_only():
    kept("a.py", "interpreter.computer.languages = ['python', 'shell']\n")
    own = ProfileParts(lambda: ["a"])
    assert with_profile(Settings(), "a", own=own) == Settings(languages=("python", "shell"))
    assert own.languages is None


def test_a_start_script_in_yaml_is_run_after_the_settings():
    kept("a.yaml", "llm.model: x\nstart_script: |\n  interpreter.llm.model += '-large'\n")
    assert with_profile(Settings(), "a") == Settings(model="x-large")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x = 1\n1 / 0\n", "failed in line 2: ZeroDivisionError"),
        ("interpreter.frobnicate()", "failed in line 1.*interpreter.frobnicate cannot be used"),
        ("interpreter.modle = 'x'", "there is no setting 'modle'"),
        ("interpreter.auto_run = 'yes'", "'auto_run' must be of type bool"),
        ("if:", "SyntaxError"),
        ("raise SystemExit(3)", "SystemExit: 3"),
    ],
)
def test_a_broken_python_profile_is_one_clear_sentence(text, complaint):
    kept("a.py", text)
    with pytest.raises(ConfigurationError, match=complaint) as error:
        with_profile(Settings(), "a")
    assert "\n" not in str(error.value)


def test_a_profile_from_elsewhere_is_shown_and_used_when_confirmed(served):
    shown = []

    def confirm(source, text):
        shown.append((source, text))
        return True

    address = served("/a.py", "interpreter.auto_run = True\n")
    assert with_profile(Settings(), address, confirm) == Settings(auto_run=True)
    assert shown == [(address, "interpreter.auto_run = True\n")]


def test_a_profile_from_elsewhere_does_not_run_unless_confirmed(served, tmp_path):
    address = served("/a.py", f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    with pytest.raises(ConfigurationError, match="was not confirmed"):
        with_profile(Settings(), address)
    assert not (tmp_path / "ran").exists()


def test_a_profile_from_elsewhere_has_a_limit(served):
    address = served("/a.yaml", "# " + "x" * 2_000_000)
    with pytest.raises(ConfigurationError, match="too large"):
        with_profile(Settings(), address, lambda source, text: True)


def test_a_profile_is_not_fetched_in_the_clear():
    with pytest.raises(ConfigurationError, match="https"):
        with_profile(Settings(), "http://example.org/a.yaml", lambda source, text: True)

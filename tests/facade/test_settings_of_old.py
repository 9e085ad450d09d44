"""The constructor, attributes and defaults that Open Interpreter's programs rely on."""

import inspect
import json

import pytest

from interpreter import AsyncInterpreter, OpenInterpreter
from interpreter.protocol.desktop import DesktopError, NoDesktop
from interpreter.protocol.errors import ConfigurationError, UnknownLanguage

DEFAULTS = {
    "messages": [],
    "offline": False,
    "auto_run": False,
    "verbose": False,
    "debug": False,
    "max_output": 2800,
    "safe_mode": "off",
    "shrink_images": True,
    "loop": False,
    "loop_breakers": [
        "The task is done.",
        "The task is impossible.",
        "Let me know what you'd like to do next.",
        "Please provide more information.",
    ],
    "disable_telemetry": False,
    "in_terminal_interface": False,
    "conversation_history": True,
    "conversation_filename": None,
    "os": False,
    "speak_messages": False,
    "custom_instructions": "",
    "user_message_template": "{content}",
    "always_apply_user_message_template": False,
    "code_output_sender": "user",
    "sync_computer": False,
    "import_computer_api": False,
    "skills_path": None,
    "import_skills": False,
    "multi_line": True,
    "contribute_conversation": False,
    "plain_text_display": False,
}
ARGUMENTS = [
    *("messages", "offline", "auto_run", "verbose", "debug", "max_output", "safe_mode"),
    *("shrink_images", "loop", "loop_message", "loop_breakers", "disable_telemetry"),
    *("in_terminal_interface", "conversation_history", "conversation_filename"),
    *("conversation_history_path", "os", "speak_messages", "llm", "system_message"),
    *("custom_instructions", "user_message_template", "always_apply_user_message_template"),
    *("code_output_template", "empty_code_output_template", "code_output_sender", "computer"),
    *("sync_computer", "import_computer_api", "skills_path", "import_skills", "multi_line"),
    *("contribute_conversation", "plain_text_display"),
]
LLM_DEFAULTS = {
    "model": "",  # the best that can be reached: a name that needs a key helps nobody
    "temperature": 0.0,
    "supports_vision": None,
    "supports_functions": None,
    "context_window": None,
    "max_tokens": None,
    "api_base": None,
    "api_key": None,
    "api_version": None,
    "max_budget": None,
}
COMPUTER_DEFAULTS = {
    "offline": False,
    "emit_images": True,
    "save_skills": True,
    "import_computer_api": False,
    "import_skills": False,
}


@pytest.mark.parametrize(("name", "value"), DEFAULTS.items())
def test_an_option_has_its_documented_default(name, value):
    assert getattr(OpenInterpreter(), name) == value


def test_the_constructor_takes_every_documented_argument_in_order():
    given = list(inspect.signature(OpenInterpreter).parameters)
    assert given[: len(ARGUMENTS)] == ARGUMENTS


@pytest.mark.parametrize("name", [name for name in DEFAULTS if name != "messages"])
def test_every_option_can_be_given_and_set(name):
    marker = object()
    assert getattr(OpenInterpreter(**{name: marker}), name) is marker
    interpreter = OpenInterpreter()
    setattr(interpreter, name, marker)
    assert getattr(interpreter, name) is marker


@pytest.mark.parametrize(("name", "value"), LLM_DEFAULTS.items())
def test_the_model_has_its_documented_defaults(name, value):
    assert getattr(OpenInterpreter().llm, name) == value


@pytest.mark.parametrize(("name", "value"), COMPUTER_DEFAULTS.items())
def test_the_computer_has_its_documented_defaults(name, value):
    assert getattr(OpenInterpreter().computer, name) == value


def test_templates_hold_the_place_of_the_output():
    interpreter = OpenInterpreter()
    assert "{content}" in interpreter.code_output_template
    assert "{content}" not in interpreter.empty_code_output_template


def test_the_loop_message_names_every_phrase_that_ends_the_loop():
    interpreter = OpenInterpreter()
    assert all(phrase in interpreter.loop_message for phrase in interpreter.loop_breakers)


def test_lists_are_not_shared_between_interpreters():
    one, other = OpenInterpreter(), OpenInterpreter()
    one.loop_breakers.append("Enough.")
    one.messages.append({"role": "user", "type": "message", "content": "x"})
    assert "Enough." not in other.loop_breakers
    assert other.messages == []


def test_a_list_of_messages_that_is_handed_in_stays_the_callers_list():
    mine = [{"role": "user", "type": "message", "content": "x"}]
    interpreter = OpenInterpreter(messages=mine)
    assert interpreter.messages is mine


def test_the_system_message_can_be_added_to():
    interpreter = OpenInterpreter()
    usual = interpreter.system_message
    assert "code" in usual
    interpreter.system_message += "\nAnswer in rhymes."
    assert interpreter.system_message == usual + "\nAnswer in rhymes."


def test_a_flag_of_the_constructor_reaches_the_computer():
    assert OpenInterpreter(import_computer_api=True).computer.import_computer_api is True


def test_nothing_is_ever_sent_anywhere():
    interpreter = OpenInterpreter(disable_telemetry=False, contribute_conversation=True)
    assert interpreter.anonymous_telemetry is False
    assert interpreter.will_contribute is False


def test_the_languages_of_the_computer_have_names_aliases_and_extensions():
    languages = {language.name: language for language in OpenInterpreter().computer.languages}
    assert {"python", "shell"} <= set(languages)
    assert "py" in languages["python"].aliases
    assert languages["python"].file_extension == "py"


def test_a_language_is_found_by_any_of_its_names():
    terminal = OpenInterpreter().computer.terminal
    assert terminal.get_language("PY") is terminal.get_language("python")
    assert terminal.get_language("klingon") is None


def test_the_computer_can_be_saved_and_loaded_as_json():
    computer = OpenInterpreter().computer
    saved = json.loads(json.dumps({**computer.to_dict(), "offline": True}))
    computer.load_dict(saved)
    assert computer.offline is True


def test_an_unknown_language_is_a_clear_error():
    with pytest.raises(UnknownLanguage, match="klingon.*python"):
        OpenInterpreter().computer.run("klingon", "x")


@pytest.mark.parametrize(
    "use",
    [
        lambda computer: computer.mail.get(),
        lambda computer: computer.sms.send("1", "x"),
        lambda computer: computer.calendar.get_events(),
        lambda computer: computer.contacts.get_phone_number("Ada"),
    ],
)
def test_what_is_not_here_says_so_and_never_pretends(use):
    with pytest.raises(DesktopError, match="accounts.toml|only there"):
        use(OpenInterpreter().computer)


@pytest.mark.parametrize(
    "use",
    [
        lambda computer: computer.display.screenshot(),
        lambda computer: computer.screenshot(),
        lambda computer: computer.view(),
        lambda computer: computer.mouse.click("OK"),
        lambda computer: computer.keyboard.write("x"),
        lambda computer: computer.os.get_selected_text(),
    ],
)
def test_without_a_display_the_screen_says_so(use, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NoDesktop, match="no display"):
        use(OpenInterpreter().computer)


def test_files_and_documentation_are_searched_by_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.md").write_text("Bread and butter.\n\nThe key is under the mat.\n")
    computer = OpenInterpreter().computer
    found = computer.files.search("key mat")
    assert [(one["path"], one["line"]) for one in found] == [("notes.md", 3)]
    assert computer.docs.search("key mat") == ["The key is under the mat."]
    import textwrap

    assert (
        "dedent(text)" in computer.docs.search("remove any common leading whitespace", textwrap)[0]
    )


def test_an_attribute_that_never_existed_is_an_attribute_error():
    with pytest.raises(AttributeError, match="frobnicator"):
        _ = OpenInterpreter().computer.frobnicator


def test_the_async_interpreter_is_an_interpreter_with_its_own_attributes():
    interpreter = AsyncInterpreter()
    assert isinstance(interpreter, OpenInterpreter)
    for name in ("respond_thread", "stop_event", "output_queue", "unsent_messages", "id"):
        assert hasattr(interpreter, name)
    assert (interpreter.print, interpreter.require_acknowledge) == (False, False)
    assert (interpreter.acknowledged_outputs, interpreter.context_mode) == ([], False)


def test_os_mode_without_a_screen_warns_and_the_rest_is_done(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    it = OpenInterpreter(os=True)
    it.llm.completions = lambda **asked: [{"choices": [{"delta": {"content": "Hello."}}]}]
    with pytest.warns(UserWarning, match="There is no display here"):
        assert it.chat("hi", display=False)[0]["content"] == "Hello."
    it.close()


def test_the_wizard_where_nobody_can_pick_says_what_to_do(monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    with pytest.raises(ConfigurationError, match="interpreter models pull"):
        OpenInterpreter().local_setup()

"""The commands after `%`, typed at the prompt of a real terminal."""

import json
import subprocess
import sys
import sysconfig

import pytest

from interpreter.settings.paths import config_directory
from interpreter.terminal.magics.table import COMMANDS

SET = {"code": "import array\nnumbers = [1, 2, 3]\nname = 'Ada'\nprint('set')"}


@pytest.fixture
def command(chat):
    """A chat with a command typed; what was seen then."""

    def command(line, *expected, terminal=None, replies=("Hello.",), **options):
        terminal = terminal or chat(*replies, **options)
        terminal.type(line)
        terminal.press("Enter")
        terminal.wait_for(*expected)
        return terminal, terminal.wait_for_prompt()

    return command


def say(terminal, text, answer):
    terminal.type(text)
    terminal.press("Enter")
    terminal.wait_for(answer)
    terminal.wait_for_prompt()


def test_the_help_fits_a_small_screen(command):
    terminal, _ = command("%help", "%help all", width=60, height=24)
    seen = terminal.screen()
    assert all(word in seen for word in ("> %help", "%undo", "%jupyter", "%verbose", "Ctrl-R"))


def test_the_help_tells_more_of_a_group_of_a_command_and_of_all(command):
    terminal, _ = command("%help tries", "%compare [name]  what the tries did")
    command("%help %vars", "%vars   the live Python variables", terminal=terminal)
    command("%help jobs", "%jobs [stop n]  blocks that go on", terminal=terminal)
    command("%help jbos", "There is no command %jbos. Did you mean %jobs?", terminal=terminal)
    _, seen = command("%help all", "%exit", terminal=terminal)
    listed = {line.split()[0] for line in seen.splitlines() if line.startswith("%")}
    assert set(COMMANDS) <= listed


def test_an_unknown_command_gets_a_suggestion(command):
    command("%modle", "There is no command %modle. Did you mean %model?")


def test_a_slash_that_means_nothing_is_no_message(command):
    replies = ("Hello.", "Again.")
    terminal, _ = command(
        "/hlep me", "There is no command /hlep. Did you mean %help?", replies=replies
    )
    say(terminal, "/tmp is what?", "Hello.")
    say(terminal, " /hlep me", "Again.")


def test_the_model_is_shown_and_changed(command, tmp_path):
    (tmp_path / "other.yaml").write_text("- I am another one.\n")
    terminal, _ = command("%model", "The model is", "scripted/")
    command(f"%model scripted/{tmp_path}/other.yaml", "other.yaml.", terminal=terminal)
    say(terminal, "who?", "I am another one.")
    command("%model nonsense/x", "nonsense", terminal=terminal)
    command("%auto_run", "Code is asked about.", terminal=terminal)
    terminal.type("still there?")
    terminal.press("Enter")
    terminal.wait_until(lambda: terminal.everything().count("I am another one.") == 2)


def test_auto_run_is_switched(command):
    terminal, _ = command("%auto_run on", "Code runs without asking.", replies=(SET, "Done."))
    say(terminal, "go", "Done.")
    assert "Run this?" not in terminal.everything()


def test_variables_are_listed_with_type_shape_and_size(command):
    terminal, _ = command(
        "%vars", "There are no variables yet.", replies=(SET, "Done."), arguments=["-y"]
    )
    say(terminal, "go", "Done.")
    _, seen = command("%vars", "shape", terminal=terminal)
    rows = [line.split()[:3] for line in seen.splitlines()]
    assert ["numbers", "list", "3"] in rows
    assert ["name", "str", "3"] in rows
    assert not any(row[:1] == ["array"] for row in rows)


def test_reset_forgets_words_and_variables(command):
    terminal, _ = command(
        "%auto_run on", "without", replies=(SET, "Done.", {"code": "name"}, "Gone.")
    )
    say(terminal, "go", "Done.")
    command("%reset", "A new conversation", "begin at zero; the last: 0", terminal=terminal)
    command("%cost", "this conversation:  0 tokens in (0 cached), 0 out", terminal=terminal)
    say(terminal, "still there?", "Gone.")
    assert "NameError" in terminal.everything()


def test_messages_are_saved_and_loaded(command, tmp_path):
    terminal, _ = command("hi", "Hello.", replies=("Hello.", "Again."))
    path = tmp_path / "kept.json"
    command(f"%save_message {path}", "written to", terminal=terminal)
    assert [message["role"] for message in json.loads(path.read_text())] == ["user", "assistant"]
    command(f"%load_message {path}", "2 messages from", terminal=terminal)
    command(f"%load_message {tmp_path}/none", "Cannot read", terminal=terminal)


def test_the_session_is_exported(command, tmp_path):
    terminal, _ = command("hi", "Hello.")
    for name, suffix in (("markdown", "md"), ("html", "html"), ("jupyter", "ipynb")):
        command(f"%{name} {tmp_path}/out", f"out.{suffix}", terminal=terminal)
        assert "Hello." in (tmp_path / f"out.{suffix}").read_text()
    command(f"%export {tmp_path}/out.docx", "must end in one of", terminal=terminal)


def test_sessions_are_listed_found_forked_and_resumed(command):
    terminal, _ = command("about zebras", "Hello.", replies=("Hello.", "Again."))
    command("%sessions", "* ", "about zebras", terminal=terminal)
    _, seen = command("%search zebras", "about zebras", terminal=terminal)
    session = next(line.split()[1] for line in seen.splitlines() if line.startswith("* "))
    command("%fork", "2 messages.\nYou said last: about zebras", terminal=terminal)
    command(f"%resume {session}", f"Session {session}, 2 messages.", terminal=terminal)
    say(terminal, "more", "Again.")


def test_a_session_is_picked_with_search_and_preview(chat, start):
    first = chat("Zebras have stripes.")
    say(first, "about zebras", "stripes")
    first.press("C-d")
    first.wait_for_end()
    second = chat("Lions roar.")
    say(second, "about lions", "roar")
    picking = start("You are back.", arguments=["--conversations"])
    picking.wait_for("search:", "about zebras", "about lions", "Lions roar.")
    picking.type("tripe")
    picking.wait_until(lambda: "about lions" not in picking.screen())
    picking.wait_for("Zebras have stripes.", where=picking.screen)
    picking.press("Enter")
    picking.wait_for_prompt()
    say(picking, "hello", "You are back.")
    assert "search:" not in picking.everything()


def test_cost_tokens_info_and_the_rest_answer(command):
    terminal, _ = command("hi", "Hello.")
    for line, expected in (
        ("%cost", "last turn: "),
        ("%cost", "this conversation: "),
        ("%tokens", "about"),
        ("%compact", "It is short already"),
        ("%info", "languages"),
        ("%checkpoints", "no checkpoints"),
        ("%diff", "Nothing has been changed"),
        ("%jobs", "no jobs"),
        ("%jobs all of them", "%jobs stop 3 ends it."),
        ("%grants", "for this session or for good"),
        ("%safe_mode", "safe_mode is off"),
        ("%verbose on", "verbose is on"),
        ("%models", "* scripted/"),
        ("%% echo $((6 * 7))", "\n42\n"),
    ):
        command(line, expected, terminal=terminal)


def test_info_names_the_python_that_code_runs_in(command, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / ".venv"], check=True)
    (packages,) = (tmp_path / ".venv").glob("lib/*/site-packages")
    (packages / "ours.pth").write_text(sysconfig.get_path("purelib"))  # where ipykernel is
    python = tmp_path / ".venv" / "bin" / "python"
    options = {"arguments": ["--workspace", str(tmp_path)], "width": 200}
    _, seen = command("%info", "data  ", env={"VIRTUAL_ENV": ""}, **options)
    rows = dict(line.split(maxsplit=1) for line in seen.splitlines() if "runs in" in line)
    assert rows == {"code": f"runs in {python}"}


def test_what_was_allowed_is_listed_and_taken_back(command, tmp_path):
    book = config_directory() / "grants.json"
    book.parent.mkdir(parents=True)
    place = str((tmp_path / "terminal0").resolve())
    book.write_text(json.dumps({place: {"host": ["example.org:443"], "read": ["/srv"]}}))
    terminal, seen = command("%grants", "host   example.org:443  (for good)", "read   /srv")
    command("%grants forget example.org", "Taken back: host example.org:443", terminal=terminal)
    command("%grants forget nowhere", "'nowhere' was not allowed", terminal=terminal)
    command("%grants nonsense", "%grants forget VALUE takes one back", terminal=terminal)
    assert json.loads(book.read_text())[place]["host"] == []


def test_files_and_commands_are_completed(chat, tmp_path):
    terminal = chat("Read.")
    (tmp_path / "terminal0" / "a-long-name.csv").write_text("x")
    terminal.type("look at @a-lo")
    terminal.wait_for("a-long-name.csv")
    terminal.press("Tab")
    terminal.wait_for("look at @a-long-name.csv")
    terminal.press("C-c")
    terminal.type("%check")
    terminal.wait_for("%checkpoints")
    terminal.press("C-c")


def test_a_resumed_session_goes_on(chat, tmp_path):
    first = chat("Nice to meet you.", arguments=["--workspace", str(tmp_path)])
    say(first, "I am Ada.", "Nice to meet you.")
    first.press("C-d")
    first.wait_for_end()
    second = chat("You are Ada.", arguments=["--workspace", str(tmp_path), "--resume"])
    second.wait_for("2 messages.", "You said last: I am Ada.", "The last words: Nice to meet you.")
    say(second, "Who am I?", "You are Ada.")


def test_a_list_fits_the_window_and_shows_no_marks(command, chat):
    long = {"code": "value = 'a word ' * 3 + 'and another one' # " + "long " * 20}
    terminal = chat(long, "Done.", arguments=["-y"], width=60)
    say(terminal, "go", "Done.")
    for line, expected in (("%checkpoints", "checkpoint   time"), ("%vars", "name ")):
        _, seen = command(line, expected, terminal=terminal)
        listed = seen.split(f"> {line}")[1].splitlines()
        assert "⟨U+" not in seen
        assert all(len(row) <= 60 for row in listed)

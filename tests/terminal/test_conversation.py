"""The conversation as a person has it: a real terminal, real keys, real blocks."""

import pytest

ADD = {"text": "Adding **them** now.", "code": "x = 2 + 3\nprint(x)"}


def ask(terminal, text):
    terminal.type(text)
    terminal.press("Enter")


def asked_again(terminal, question="Run this?"):
    """Wait for the question a second time: keys before it are not meant for it."""
    terminal.wait_until(lambda: terminal.everything().count(question) == 2, question)


def test_a_message_is_answered(chat):
    terminal = chat("Hello, *world*.")
    ask(terminal, "hi")
    terminal.wait_for("> hi", "Hello, world.")


def test_an_approved_block_runs_and_its_output_stays(chat):
    terminal = chat(ADD, "It is five.")
    ask(terminal, "add")
    terminal.wait_for("Adding them now.", "x = 2 + 3", "Run this?")
    terminal.press("y")
    seen = terminal.wait_for("It is five.")
    assert seen.count("x = 2 + 3") == 1
    assert seen.count("\n5\n") == 1


def test_the_prose_is_styled_and_without_colour_it_is_not(chat):
    terminal = chat("A **bold** word.")
    ask(terminal, "hi")
    terminal.wait_for("A bold word.")
    assert "\x1b[1mbold" in terminal.everything(styled=True)

    grey = chat("A **bold** word.", env={"NO_COLOR": "1"})
    ask(grey, "hi")
    grey.wait_for("A bold word.")
    assert "\x1b[1mbold" not in grey.everything(styled=True)


def test_what_goes_wrong_behind_the_prompt_is_one_sentence(start):
    terminal = start(arguments=["--resume", "nonsense"])
    terminal.wait_for("interpreter: 'nonsense' is no session")
    assert terminal.wait_for_end() == 2


# Approval.


def test_no_with_a_reason_goes_on_with_the_turn(chat):
    terminal = chat(ADD, "Then not.")
    ask(terminal, "add")
    terminal.wait_for("Run this?")
    terminal.press("n")
    terminal.wait_for("Why not?")
    ask(terminal, "use numpy")
    terminal.wait_for("Not run: use numpy", "Then not.")


def test_stop_ends_the_turn(chat):
    terminal = chat(ADD, "Never said.")
    ask(terminal, "add")
    terminal.wait_for("Run this?")
    terminal.press("s")
    seen = terminal.wait_for("Stopped: the code was not run.")
    assert "Never said." not in seen


def test_always_is_not_asked_again(chat):
    terminal = chat(ADD, ADD, {"code": "print(x * 10)"}, "Fifty.")
    ask(terminal, "add")
    terminal.wait_for("Run this?")
    terminal.press("a")
    terminal.wait_for("print(x * 10)", "Run this? [y]es")
    assert terminal.everything().count("Run this?") == 2  # the same block once, another one again
    terminal.press("y")
    assert "\n50\n" in terminal.wait_for("Fifty.")
    terminal.wait_for_prompt()
    ask(terminal, "%grants")
    terminal.wait_for("block  python: ", "(session)")
    ask(terminal, "%grants forget blocks")
    terminal.wait_for("Every block is asked about again.")


def test_an_edited_block_is_shown_asked_about_again_and_run(chat, tmp_path):
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/2 + 3/40 + 2/' \"$1\"\n")
    editor.chmod(0o755)
    terminal = chat(ADD, "Done.", env={"EDITOR": str(editor)})
    ask(terminal, "add")
    terminal.wait_for("Run this?")
    terminal.press("e")
    asked_again(terminal)
    assert "x = 40 + 2" in terminal.everything()
    terminal.press("y")
    assert "\n42\n" in terminal.wait_for("Done.")


def test_a_question_mark_explains_the_keys(chat):
    terminal = chat(ADD, "Done.")
    ask(terminal, "add")
    terminal.wait_for("Run this?")
    terminal.type("?")
    terminal.wait_for("edit it in $EDITOR first")
    asked_again(terminal)
    terminal.type("q")  # means nothing
    terminal.press("y")
    terminal.wait_for("Done.")


# Ctrl-C and Esc, in every state.


@pytest.mark.parametrize("key", ["C-c", "Escape"])
def test_stopping_the_model_keeps_what_it_said(chat, key):
    slow = [{"text": "The first words. "}, {"text": "x" * 24, "delay": 600}]
    terminal = chat(slow, "Second answer.")
    ask(terminal, "talk")
    terminal.wait_for("The first words.", "thinking")
    terminal.press(key)
    terminal.wait_for("Interrupted; everything so far is kept.")
    ask(terminal, "again")
    terminal.wait_for("Second answer.")


@pytest.mark.parametrize("key", ["C-c", "Escape"])
def test_stopping_a_block_keeps_its_variables(chat, key):
    block = {"code": "kept = 7\nprint('started', flush=True)\nimport time\ntime.sleep(600)"}
    terminal = chat(block, {"code": "print('kept is', kept)"}, "Done.", arguments=["-y"])
    ask(terminal, "wait")
    terminal.wait_for("\nstarted", "running")
    terminal.press(key)
    terminal.wait_for("Interrupted; everything so far is kept.")
    ask(terminal, "and now?")
    assert "kept is 7" in terminal.wait_for("Done.")


@pytest.mark.parametrize("key", ["C-c", "Escape"])
def test_stopping_at_the_question_runs_nothing(chat, key):
    terminal = chat(ADD, "Second answer.")
    ask(terminal, "add")
    terminal.wait_for("Run this?")
    terminal.press(key)
    seen = terminal.wait_for("kept." if key == "C-c" else "Stopped")
    assert "\n5\n" not in seen
    ask(terminal, "again")
    terminal.wait_for("Second answer.")


def test_ctrl_c_twice_at_the_prompt_leaves(chat):
    terminal = chat()
    terminal.press("C-c", "C-c")
    assert terminal.wait_for_end() == 0


def test_more_ctrl_c_than_are_needed_leave_as_well(chat):
    terminal = chat()
    terminal.press("C-c", "C-c")
    terminal.wait_until(lambda: terminal.has_ended() or terminal.press("C-c", "C-c"), "the end")
    assert terminal.wait_for_end() in (0, 130)
    assert "Traceback" not in terminal.everything()


def test_ctrl_c_empties_the_line_first(chat):
    terminal = chat("Hello.")
    terminal.type("not this")
    terminal.press("C-c")
    ask(terminal, "this")
    assert "> this" in terminal.wait_for("Hello.")


def test_ctrl_d_leaves(chat):
    terminal = chat()
    terminal.press("C-d")
    assert terminal.wait_for_end() == 0


def test_a_block_is_sent_to_the_background_and_looked_after(chat):
    block = {"code": "import time\nprint('started', flush=True)\ntime.sleep(600)"}
    terminal = chat(block, "It goes on.", arguments=["-y"])
    ask(terminal, "wait")
    terminal.wait_for("\nstarted", "running")
    terminal.press("C-b")
    terminal.wait_for("[backgrounded] The user sent it to the background.", "It goes on.")
    terminal.wait_for_prompt()
    ask(terminal, "%jobs")
    terminal.wait_for("still runs;")
    ask(terminal, "%jobs stop 1")
    terminal.wait_for("has ended: interrupted")


def test_a_dry_run_is_taken_back(chat, tmp_path):
    block = {"code": "open('made.txt', 'w').write('x')\nprint('did it')"}
    terminal = chat(block, "Then not.")
    ask(terminal, "write")
    terminal.wait_for("Run this?")
    terminal.press("d")
    terminal.wait_for("\ndid it", "It ran as a trial: files: added made.txt", "[n]o, take it back")
    terminal.press("n")
    terminal.wait_for("Then not.")
    assert "Not run" not in terminal.everything()
    assert not (tmp_path / "terminal0" / "made.txt").exists()


# Typing.


def test_a_paste_of_many_lines_is_one_message(chat, interpreter_says):
    terminal = chat("Read.")
    pasted = "\n".join(f"line {n}" for n in range(2_000))
    terminal.type("Look: ")
    terminal.paste(pasted)
    terminal.wait_for("[pasted text 1: 2,000 lines")
    terminal.press("Enter")
    terminal.wait_for("Read.")
    terminal.wait_for_prompt()
    terminal.press("C-d")
    terminal.wait_for_end()
    assert interpreter_says() == f"> Look: {pasted}\nRead.\n"


def test_triple_quotes_and_alt_enter_make_several_lines(chat, interpreter_says):
    terminal = chat("One.", "Two.")
    ask(terminal, '"""first')
    ask(terminal, 'second"""')
    terminal.wait_for("One.")
    terminal.wait_for_prompt()
    terminal.type("third")
    terminal.press("M-Enter")
    ask(terminal, "fourth")
    terminal.wait_for("Two.")
    terminal.wait_for_prompt()
    terminal.press("C-d")
    terminal.wait_for_end()
    assert interpreter_says() == "> first\nsecond\nOne.\n> third\nfourth\nTwo.\n"


UNTIL_TOLD = """\
import os, time
print('on', flush=True)
while not os.path.exists('go'): time.sleep(0.05)
"""


def test_what_is_typed_while_a_turn_runs_is_sent_next(chat, tmp_path):
    terminal = chat({"code": UNTIL_TOLD}, "There.", "Second.", arguments=["-y"])
    ask(terminal, "first")
    terminal.wait_for("\non\n")
    terminal.type("typed ahead")
    terminal.wait_for("› typed ahead")
    terminal.press("Enter")
    (tmp_path / "terminal0" / "go").touch()
    terminal.wait_for("There.", "> typed ahead", "Second.")


def test_the_history_is_kept_and_searched(chat):
    first = chat("One.")
    ask(first, "an unusual sentence")
    first.wait_for("One.")
    first.wait_for_prompt()
    first.press("C-d")
    first.wait_for_end()
    second = chat("Two.")
    second.press("C-r")
    second.type("unusual")
    second.wait_for("an unusual sentence")
    second.press("Enter", "Enter")
    second.wait_for("> an unusual sentence", "Two.")


def test_a_shell_line_runs_in_the_shell_of_the_session(chat):
    terminal = chat("Fine.")
    ask(terminal, "!X=41; echo $((X + 1))")
    terminal.wait_for("\n42\n")
    ask(terminal, "!echo X is $X")
    terminal.wait_for("X is 41")


def test_a_shell_line_with_two_marks_is_shown_to_the_model(chat, interpreter_says):
    terminal = chat("I see.")
    ask(terminal, "!!echo hello there")
    terminal.wait_for("\nhello there\n")
    ask(terminal, "look")
    terminal.wait_for("I see.")
    terminal.wait_for_prompt()
    terminal.press("C-d")
    terminal.wait_for_end()
    assert "I ran `echo hello there`" in interpreter_says()
    assert "hello there\n```\n\nlook" in interpreter_says()


def test_a_block_that_asks_is_answered(chat):
    block = {"code": "name = input('Your name? ')\nprint('Hello', name)"}
    terminal = chat(block, "Done.", arguments=["-y"])
    ask(terminal, "greet")
    terminal.wait_for("\nYour name?")
    ask(terminal, "Ada")
    terminal.wait_for("Hello Ada", "Done.")


# Output.


def test_long_output_is_complete_and_printed_once(chat):
    terminal = chat({"code": "for n in range(3000): print('row', n)"}, "Done.", arguments=["-y"])
    ask(terminal, "count")
    seen = terminal.wait_for("Done.")
    rows = [line for line in seen.splitlines() if line.startswith("row ")]
    assert rows == [f"row {n}" for n in range(3000)]


def test_output_is_never_read_as_markup_or_as_commands(chat):
    block = (
        "print('[bold]list[int][/foo] \\x1b[2J\\x1b]0;title\\x07**stars** \\x1b[31mred\\x1b[0m')"
    )
    terminal = chat({"code": block}, "Done.", arguments=["-y"])
    ask(terminal, "print")
    assert "\n[bold]list[int][/foo] **stars** red\n" in terminal.wait_for("Done.")


def test_a_progress_bar_is_one_line_in_the_end(chat):
    block = "for n in range(101): print(f'\\r{n:3}% done', end='', flush=True)\nprint()"
    terminal = chat({"code": block}, "Finished.", arguments=["-y"])
    ask(terminal, "work")
    seen = terminal.wait_for("Finished.")
    assert [line for line in seen.splitlines() if "% done" in line and "print" not in line] == [
        "100% done"
    ]


def test_the_running_line_is_marked(chat):
    block = {"code": "import time\nprint('on', flush=True)\ntime.sleep(600)"}
    terminal = chat(block, arguments=["-y"])
    ask(terminal, "wait")
    terminal.wait_for("▶   3 time.sleep(600)")
    terminal.press("C-c")
    assert "▶" not in terminal.wait_for("Interrupted;")


def test_a_resize_leaves_nothing_behind(chat):
    block = {"code": "import time\nprint('a' * 90, flush=True)\ntime.sleep(600)"}
    terminal = chat(block, arguments=["-y"])
    ask(terminal, "wait")
    terminal.wait_for("aaaa", "running")
    terminal.resize(60, 30)
    terminal.wait_until(lambda: "…" in terminal.screen())
    terminal.resize(120, 30)
    terminal.wait_until(lambda: "a" * 90 in terminal.screen())
    terminal.press("C-c")
    seen = terminal.wait_for("Interrupted;")
    assert seen.count("a" * 50) == 1
    assert "running" not in seen


def test_plain_has_no_live_lines_and_no_colours(chat):
    terminal = chat(ADD, "**Five.**", arguments=["--plain"])
    ask(terminal, "add")
    terminal.wait_for("Run this?")
    ask(terminal, "y")
    seen = terminal.wait_for("**Five.**")
    assert "```python\nx = 2 + 3\nprint(x)\n```" in seen
    assert seen.startswith("Say what you want done. Code runs when you approve it.")
    assert "\x1b[" not in terminal.everything(styled=True)


def test_a_dumb_terminal_gets_plain_text(chat):
    terminal = chat("**Hello.**", env={"TERM": "dumb"})
    ask(terminal, "hi")
    seen = terminal.wait_for("**Hello.**")
    assert seen.startswith("Say what you want done. Code runs when you approve it.")


def test_it_starts_in_the_home(start, own_home):
    directory = own_home / "user"
    directory.mkdir()
    terminal = start(
        {"code": "open('made.txt', 'w').write('x'); print('wrote')"},
        "Done.",
        arguments=["-y", "--workspace", str(directory)],
        env={
            "HOME": str(directory),
            "XDG_CONFIG_HOME": str(directory / ".config"),
            "XDG_DATA_HOME": str(directory / ".local/share"),
        },
    )
    terminal.wait_for_prompt()
    ask(terminal, "write")
    terminal.wait_for("\nwrote", "Done.")
    assert (directory / "made.txt").exists()


def test_a_host_is_asked_about_by_the_same_line(chat):
    block = {"code": "curl -sS http://example.invalid/", "language": "shell"}
    terminal = chat(block, "Not reached.")
    ask(terminal, "fetch")
    terminal.wait_for("Run this?")
    terminal.press("y")
    terminal.wait_for("wants to connect to example.invalid", "Allow this?", "[t]his session")
    terminal.press("n")
    terminal.wait_for("Why not?")
    ask(terminal, "stay at home")
    seen = terminal.wait_for("Not reached.")
    assert '{"host"' not in seen


def test_how_code_is_confined_stands_below_it(chat):
    terminal = chat(ADD, "Done.", arguments=["--sandbox", "read-only"])
    ask(terminal, "add")
    terminal.wait_for("─ sandbox: writes nothing", "Run this?")
    terminal.press("s")


def test_a_block_that_changed_a_file_names_it_from_here(chat):
    block = {"code": "open('made.txt', 'w').write('x'); print('did it')"}
    terminal = chat(block, "Done.", arguments=["-y"])
    ask(terminal, "write")
    terminal.wait_for("\n+ made.txt\n", "Done.")


def test_safe_mode_ask_offers_a_scan(chat):
    block = {"code": "import shutil\nshutil.rmtree('/')"}
    terminal = chat(block, "Done.", arguments=["--safe_mode", "ask"])
    ask(terminal, "clean")
    terminal.wait_for("Run this?", "[c]heck")
    terminal.press("c")
    terminal.wait_for("⚠ line 2:")
    asked_again(terminal)
    terminal.press("s")
    terminal.wait_for("Stopped")

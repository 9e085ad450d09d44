"""%undo and %redo: talk, files and variables together."""

MAKE = {"text": "Making.", "code": "open('made.txt', 'w').write('x'); made = 1; print('was made')"}


def test_a_block_is_undone_and_done_again(chat):
    terminal = chat(MAKE, "Made.", arguments=["-y"])
    terminal.type("make it\n")
    terminal.wait_for("was made", "Made.")
    terminal.wait_for_prompt()
    terminal.type("%undo\n")
    terminal.wait_for("1 file put back", "messages taken back")
    terminal.type("%redo\n")
    terminal.wait_for("Redone", "messages back")


def test_there_is_nothing_to_undo_at_first(chat):
    terminal = chat()
    terminal.type("%undo\n")
    terminal.wait_for("There are 0 blocks that can be undone.")


def test_a_session_is_left_and_resumed_with_its_variables(chat, tmp_path):
    terminal = chat(MAKE, "Made.", arguments=["--workspace", str(tmp_path), "-y"])
    terminal.type("make it\n")
    terminal.wait_for("was made", "Made.")
    terminal.wait_for_prompt()
    terminal.press("C-d")
    terminal.wait_for_end()
    look = {"code": "print('made is', made + 41)"}
    again = chat(
        look, "Looked.", arguments=["--workspace", str(tmp_path), "-y", "--resume", "last"]
    )
    again.type("look\n")
    again.wait_for(
        "The variables of this session are back: made restored.", "made is 42", "Looked."
    )
    again.wait_for_prompt()
    again.type("%undo\n")
    again.wait_for("Undone: 1 block", "taken back")
    again.wait_for_prompt()
    again.type("%undo\n")
    again.wait_for("1 block of before the restart")


def test_a_line_of_the_shell_is_undone_by_itself(chat):
    terminal = chat(MAKE, "Made.", arguments=["-y"])
    terminal.type("make it\n")
    terminal.wait_for("was made", "Made.")
    terminal.wait_for_prompt()
    terminal.type("! rm made.txt\n")
    terminal.wait_for("- ", "made.txt")
    terminal.wait_for_prompt()
    terminal.type("%undo to 2\n")
    terminal.wait_for("1 file put back")
    terminal.type("%checkpoints\n")
    terminal.wait_for("rm made.txt", "undone")


def test_leaving_while_a_block_runs_says_that_variables_are_not_saved(chat):
    wait = {"code": "import time\nprint('under way', flush=True)\ntime.sleep(600)"}
    terminal = chat(wait, "Waiting.", arguments=["-y"])
    terminal.type("wait\n")
    terminal.wait_for("\nunder way")
    terminal.press("C-b")
    terminal.wait_for("Waiting.")
    terminal.wait_for_prompt()
    terminal.press("C-d")
    terminal.wait_for("The variables were not saved: a block still runs in the background.")
    terminal.wait_for_end()

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
    terminal.wait_for("Redone", "messages are back")


def test_there_is_nothing_to_undo_at_first(chat):
    terminal = chat()
    terminal.type("%undo\n")
    terminal.wait_for("There are 0 blocks that can be undone.")

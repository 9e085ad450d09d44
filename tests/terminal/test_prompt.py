"""The prompt: what can be typed, pasted, dropped, completed and searched for."""

import zlib

import pytest


def ask(terminal, text):
    terminal.type(text)
    terminal.press("Enter")


def leave(terminal):
    terminal.wait_for_prompt()
    terminal.press("C-d")
    terminal.wait_for_end()


def test_a_paste_of_a_megabyte_is_one_message(chat, interpreter_says):
    terminal = chat("Read.")
    pasted = "\n".join(f"{n:06} {'x' * 92}" for n in range(10_000))
    terminal.paste(pasted)
    terminal.wait_for("[pasted text 1: 10,000 lines, 999,999 characters]")
    terminal.type(" and two more words")
    terminal.press("Enter")
    terminal.wait_for("Read.")
    leave(terminal)
    assert interpreter_says() == f"> {pasted} and two more words\nRead.\n"


def test_a_short_paste_of_several_lines_can_be_edited(chat, interpreter_says):
    terminal = chat("Read.")
    terminal.paste("first\nsecond")
    terminal.wait_for("> first", "  second")
    ask(terminal, " line")
    terminal.wait_for("Read.")
    leave(terminal)
    assert interpreter_says() == "> first\nsecond line\nRead.\n"


def test_vi_keys_move_and_delete(chat, interpreter_says):
    terminal = chat("Read.", env={"INTERPRETER_EDIT_MODE": "vi"})
    terminal.type("hello there world")
    terminal.press("Escape")
    terminal.type("bdw0x")  # a word back, delete it, to the start, delete a letter
    terminal.wait_until(lambda: "> ello there" in terminal.screen())
    terminal.press("Enter")
    terminal.wait_for("Read.")
    leave(terminal)
    assert interpreter_says() == "> ello there \nRead.\n"


def test_emacs_keys_move_and_delete(chat, interpreter_says):
    terminal = chat("Read.")
    terminal.type("hello there world")
    terminal.press("C-w", "C-a", "C-d")
    terminal.wait_until(lambda: "> ello there" in terminal.screen())
    terminal.press("Enter")
    terminal.wait_for("Read.")
    leave(terminal)
    assert interpreter_says() == "> ello there \nRead.\n"


def test_arrows_bring_back_what_was_said_before(chat, interpreter_says):
    terminal = chat("One.", "Two.")
    ask(terminal, "the first message")
    terminal.wait_for("One.")
    terminal.wait_for_prompt()
    terminal.press("Up")
    terminal.wait_until(lambda: terminal.everything().count("> the first message") == 2)
    ask(terminal, " again")
    terminal.wait_for("Two.")
    leave(terminal)
    assert "> the first message again\nTwo." in interpreter_says()


PNG = b"\x89PNG\r\n\x1a\n"


def dot(path):
    def chunk(kind, data):
        checked = kind + data
        return len(data).to_bytes(4, "big") + checked + zlib.crc32(checked).to_bytes(4, "big")

    header = chunk(b"IHDR", bytes([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]))
    pixels = chunk(b"IDAT", zlib.compress(b"\0\xff\0\0"))
    path.write_bytes(PNG + header + pixels + chunk(b"IEND", b""))


@pytest.mark.parametrize("form", ["{}", "'{}'", "file://{}"], ids=["path", "quoted", "address"])
def test_the_path_of_a_picture_that_is_dropped_attaches_it(chat, tmp_path, form):
    dot(tmp_path / "dot.png")
    terminal = chat("Red.")
    terminal.paste(form.format(tmp_path / "dot.png"))
    ask(terminal, " what colour?")
    terminal.wait_for("attached: [picture dot.png]", "Red.")


def test_a_picture_whose_name_has_blanks_is_dropped_with_backslashes(chat, tmp_path):
    dot(tmp_path / "a dot.png")
    terminal = chat("Red.")
    terminal.paste(str(tmp_path / "a dot.png").replace(" ", "\\ "))
    terminal.press("Enter")
    terminal.wait_for("attached: [picture a dot.png]", "Red.")


def test_an_editor_writes_the_message(chat, tmp_path, interpreter_says):
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "written\\nthere" > "$1"\n')
    editor.chmod(0o755)
    terminal = chat("Read.", env={"EDITOR": str(editor), "VISUAL": str(editor)})
    terminal.press("C-x", "C-e")
    terminal.wait_for("> written", "there")
    terminal.press("Enter")
    terminal.wait_for("Read.")
    leave(terminal)
    assert "> written\nthere\nRead." in interpreter_says()

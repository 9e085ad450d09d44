"""Ctrl-C and Esc in the states that are left: a silent model, a question, an editor, a download."""

import socket
import threading

import pytest
from tests.terminal.tmux import HANG

ADD = {"text": "Adding.", "code": "x = 2 + 3\nprint(x)"}


def ask(terminal, text):
    terminal.type(text)
    terminal.press("Enter")


@pytest.mark.parametrize("key", ["C-c", "Escape"])
def test_a_model_that_has_said_nothing_yet_is_stopped(chat, key):
    terminal = chat([{"text": "Never said.", "delay": 600}], "Second answer.")
    ask(terminal, "talk")
    terminal.wait_for("thinking")
    terminal.press(key)
    terminal.wait_for("Interrupted; everything so far is kept.")
    ask(terminal, "again")
    terminal.wait_for("Second answer.")


def test_ctrl_c_at_the_reason_ends_the_turn(chat):
    terminal = chat(ADD, "Second answer.")
    ask(terminal, "add")
    terminal.wait_for("Run this?")
    terminal.press("n")
    terminal.wait_for("Why not?")
    terminal.press("C-c")
    terminal.wait_for("Stopped: the code was not run.")
    ask(terminal, "again")
    terminal.wait_for("Second answer.")


def test_ctrl_c_at_the_question_of_a_block_is_the_end_of_its_input(chat):
    terminal = chat({"code": "input('Your name? ')"}, "Done.", arguments=["-y"])
    ask(terminal, "greet")
    terminal.wait_for("\nYour name?")
    terminal.press("C-c")
    terminal.wait_for("Done.")


def test_ctrl_c_in_the_editor_belongs_to_the_editor(chat, tmp_path):
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\ntrap 'exit 0' INT\necho editing; read line\n")
    editor.chmod(0o755)
    terminal = chat(ADD, "Five.", env={"EDITOR": str(editor)})
    ask(terminal, "add")
    terminal.wait_for("Run this?")
    terminal.press("e")
    terminal.wait_for("\nediting")
    terminal.press("C-c")
    terminal.wait_until(lambda: terminal.everything().count("Run this?") == 2)
    terminal.press("y")
    terminal.wait_for("\n5\n", "Five.")


def test_two_ctrl_c_in_a_turn_do_not_leave(chat):
    terminal = chat([{"text": "Never said.", "delay": 600}], "Second answer.")
    ask(terminal, "talk")
    terminal.wait_for("thinking")
    terminal.press("C-c", "C-c")
    terminal.wait_for("Interrupted;")
    terminal.wait_for_prompt()
    ask(terminal, "again")
    terminal.wait_for("Second answer.")


@pytest.fixture
def silent_proxy():
    """A proxy that takes connections and never answers: its address, and a flag for the first."""
    listener = socket.create_server(("127.0.0.1", 0))
    came, taken = threading.Event(), []

    def take():
        while True:
            try:
                taken.append(listener.accept()[0])
            except OSError:
                return
            came.set()

    thread = threading.Thread(target=take)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}", came
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()
    for one in taken:
        one.close()


def first_start(start, proxy):
    """The command on a machine without any model, at its one question."""
    names = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
    env = {**dict.fromkeys(names, proxy), **dict.fromkeys(map(str.lower, names), proxy)}
    terminal = start(arguments=[], env={**env, "OLLAMA_HOST": "http://127.0.0.1:9"}, model=False)
    terminal.wait_for("Welcome.", "qwen2.5-coder", "[y/n]")
    return terminal


def test_a_download_is_asked_about_and_ctrl_c_ends_it(start, silent_proxy):
    proxy, came = silent_proxy
    terminal = first_start(start, proxy)
    terminal.press("y")
    assert came.wait(HANG)
    terminal.press("C-c")
    assert terminal.wait_for_end() == 130


def test_a_download_that_is_not_wanted_is_not_begun(start, silent_proxy):
    proxy, came = silent_proxy
    terminal = first_start(start, proxy)
    terminal.press("n")
    terminal.wait_for("is not on this machine")
    assert terminal.wait_for_end() == 2
    assert not came.is_set()

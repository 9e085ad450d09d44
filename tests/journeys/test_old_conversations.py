"""Conversations that Open Interpreter saved: imported, listed, shown, and gone on with."""

import json

import pytest

SAVED = [
    {"role": "user", "type": "message", "content": "What is six times seven?"},
    {"role": "assistant", "type": "message", "content": "Let me see."},
    {"role": "assistant", "type": "code", "format": "python", "content": "print(6 * 7)"},
    {"role": "computer", "type": "console", "format": "output", "content": "42\n"},
    {"role": "user", "type": "image", "format": "path", "content": "/gone/screen.png"},
    {"role": "assistant", "type": "message", "content": "It is 42."},
    {"role": "server", "type": "status", "content": "complete"},
]


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "What_is_six__November_15_2024_10-00-00.json"
    path.write_text(json.dumps(SAVED))
    return str(path)


def test_one_is_imported_and_shown(interpreter_command, saved):
    done = interpreter_command("sessions", "import", saved)
    assert (done.returncode, done.stderr) == (0, "")
    shown = interpreter_command("sessions", "show", done.stdout.strip()).stdout
    assert shown.splitlines() == [
        "> What is six times seven?",
        "Let me see.",
        "```python",
        "print(6 * 7)",
        "```",
        "42",
        "> [picture: /gone/screen.png]",
        "It is 42.",
    ]
    assert "What is six times seven?" in interpreter_command("sessions").stdout


def test_several_are_imported_at_once(interpreter_command, saved):
    ids = interpreter_command("sessions", "import", saved, saved).stdout.split()
    assert len(set(ids)) == 2


def test_one_is_gone_on_with(interpreter_command, script, saved):
    done = interpreter_command("--model", script("As I said."), "--resume", saved, "Really?")
    assert "As I said." in done.stdout
    shown = interpreter_command("sessions", "show", "last").stdout
    assert shown.splitlines()[0] == "> What is six times seven?"
    assert shown.splitlines()[-2:] == ["> Really?", "As I said."]


@pytest.mark.parametrize("text", ["{", "{}", '[{"role": "nobody"}]', '["x"]', "[[[["])
def test_what_is_no_conversation_is_refused_in_a_sentence(interpreter_command, tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    done = interpreter_command("sessions", "import", str(path))
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert interpreter_command("sessions").stdout == ""

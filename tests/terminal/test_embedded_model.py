"""A whole conversation with a real model that runs inside: stream, stop, resume, export."""

from pathlib import Path

import pytest
from tests.journeys.conftest import interpreter_command  # noqa: F401  (a fixture)
from tests.models.embedded.conftest import small_model  # noqa: F401  (a fixture)

pytest.importorskip("xllamacpp", reason="no engine for embedded models is installed")
ENDS = ("tokens in,", "Run this?")


@pytest.fixture
def embedded(start, small_model, monkeypatch, tmp_path):  # noqa: F811
    """The command with the smallest model, at its prompt; its engine ends with it."""
    monkeypatch.setenv("REPLOOP_KEEP_WARM", "0")

    def chat(*arguments, words="200"):
        model = ["--model", f"embedded/{small_model}", "--max_tokens", words, "-t", "0"]
        env = {"REPLOOP_KEEP_WARM": "0", "TMPDIR": str(tmp_path)}
        terminal = start(arguments=[*model, *arguments], env=env, model=False)
        terminal.wait_for_prompt()
        return terminal

    return chat


def ask(terminal, text):
    terminal.type(text)
    terminal.press("Enter")


def answer(terminal):
    """Wait for the end of a turn; whatever such a small model proposes is not run."""
    terminal.wait_until(lambda: any(word in terminal.everything() for word in ENDS), ENDS)
    if "Run this?" in terminal.screen():
        terminal.press("s")
    terminal.wait_for("tokens in,")
    terminal.wait_for_prompt()


def test_it_streams_is_stopped_resumed_and_exported(embedded, interpreter_command, tmp_path):  # noqa: F811
    terminal = embedded(words="2000")
    ask(terminal, "Count from one to one thousand, in words.")
    terminal.wait_for("esc stops")  # from the start of the engine to its last word
    terminal.press("C-c")
    terminal.wait_for("Interrupted; everything so far is kept.")
    terminal.wait_for_prompt()
    terminal.press("C-d")
    assert terminal.wait_for_end() == 0

    resumed = embedded("--resume", "last", words="24")
    ask(resumed, "Say hello.")
    answer(resumed)
    ask(resumed, f"%markdown {tmp_path}/talk.md")
    resumed.wait_for("written to")
    text = Path(tmp_path / "talk.md").read_text()
    assert "Count from one to one thousand" in text
    assert "Say hello." in text

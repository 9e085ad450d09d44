"""The whole way with the real default model: a question, code that runs, a right answer."""

import fcntl
import shutil
import tempfile
from pathlib import Path

import pytest
from tests.models.embedded.conftest import MODELS, model_file

from interpreter.assembly import SessionFactory
from interpreter.protocol.actions import Decision
from interpreter.protocol.events import ActionProposed, MessageFinished, TurnFinished
from interpreter.protocol.ports import nobody_answers
from interpreter.settings.paths import data_directory
from interpreter.settings.settings import Settings

SALES = "region,amount\nNorth,120\nSouth,95\nNorth,37\nEast,210\nSouth,61\n"


@pytest.fixture(scope="session")
def default_model():
    """The file of the default model."""
    return model_file("")


@pytest.fixture
def session(default_model, monkeypatch):
    """A session with the built-in model, in a directory with a table."""
    monkeypatch.setenv("REPLOOP_KEEP_WARM", "0")
    data_directory().mkdir(parents=True)
    (data_directory() / "models").symlink_to(MODELS)
    # The model reads its directory's name: the same name, the same words, for one run at a time.
    workspace = Path(tempfile.gettempdir()) / "a-journey-with-the-built-in-model"
    turn = workspace.with_suffix(".lock").open("w")
    fcntl.flock(turn, fcntl.LOCK_EX)
    shutil.rmtree(workspace, ignore_errors=True)
    workspace.mkdir()
    (workspace / "sales.csv").write_text(SALES)
    settings = Settings(
        model="embedded",
        auto_run=True,
        keep_history=False,
        workspace=str(workspace),
        context_window=4096,
    )
    factory = SessionFactory(settings, lambda request: Decision("yes"), nobody_answers)
    yield factory.open_session(settings)
    factory.close()
    shutil.rmtree(workspace)
    turn.close()


@pytest.mark.timeout(900)  # a busy machine of two cores says one word a second
def test_a_question_about_a_file_ends_with_a_computed_answer(session):
    events = list(session.send("What is the sum of amount for the region North in sales.csv?"))
    answer = [e.message for e in events if isinstance(e, MessageFinished)][-1]
    assert isinstance(events[-1], TurnFinished)
    assert any(isinstance(event, ActionProposed) for event in events)
    assert "157" in answer.text, "\n".join(map(str, session.transcript))

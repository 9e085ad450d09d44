"""The built-in model with somebody who looks at every block: helped as far as that goes."""

import os

import pytest
from tests.models.embedded.conftest import MODELS

from interpreter.assembly import SessionFactory
from interpreter.models.embedded.catalogue import catalogue
from interpreter.protocol.actions import Decision
from interpreter.protocol.messages import Code
from interpreter.protocol.ports import nobody_answers
from interpreter.settings.settings import Settings

FILE = MODELS / catalogue().get("embedded").file
pytestmark = [
    pytest.mark.timeout(900),  # on two busy cores it is very slow
    pytest.mark.skipif(
        not (os.environ.get("REAL_MODEL") and FILE.exists()),
        reason=f"REAL_MODEL=1 asks the built-in model, which has to be at {FILE}: minutes",
    ),
]
SALES = "product,units,price\ntea,12,3.5\ncoffee,4,4.0\ntea,30,3.5\ncocoa,16,5.25\n"


def test_drafts_of_the_real_model_are_compared_without_a_question(tmp_path, monkeypatch):
    pytest.importorskip("xllamacpp", reason="no engine for embedded models is installed")
    data = tmp_path / "data" / "reploop"
    data.mkdir(parents=True)
    (data / "models").symlink_to(MODELS)
    monkeypatch.setenv("XDG_DATA_HOME", str(data.parent))
    monkeypatch.setenv("REPLOOP_KEEP_WARM", "0")
    work = tmp_path / "work"
    work.mkdir()
    (work / "sales.csv").write_text(SALES)
    asked = []

    def approve(request):
        asked.append(request.action)
        return Decision("yes")

    settings = Settings(model="embedded", workspace=str(work), keep_history=False)
    factory = SessionFactory(settings, approve, nobody_answers)
    try:
        session = factory.open_session(settings)
        list(session.send("How many units of tea were sold, by sales.csv?"))
        actions = [action for message in session.transcript for action in message.actions]
    finally:
        factory.close()
    compared = [one for one in actions if isinstance(one, Code) and one.to_compare]
    assert compared
    assert not any(action.to_compare for action in asked)
    assert "42" in session.transcript[-1].text
    assert [path.name for path in work.iterdir()] == ["sales.csv"]

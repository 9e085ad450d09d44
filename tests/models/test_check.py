"""The self-test of a model."""

import json

import pytest

from interpreter.models.check import Check
from interpreter.models.findings import Findings, remember, remembered
from interpreter.models.names import resolve
from interpreter.models.options import ModelOptions, Patience
from interpreter.protocol.errors import Unreachable
from interpreter.terminal.subcommands.models import models_command
from support.model_server import Json, Refusal, called, said

RUN = json.dumps({"language": "python", "code": "print(6 * 7)"})


def checked(server, *replies):
    server.replies = list(replies)
    options = ModelOptions(api_base=server.url, patience=Patience(attempts=1))
    check = Check("openai/x", options, resolve)
    steps = {step.title: step.passed for step in check.steps()}
    return steps, check.findings


def test_a_model_that_cannot_act_is_said_to_be_of_no_use_in_words(server, monkeypatch, capsys):
    other = json.dumps({"language": "python", "code": "import this"})
    server.replies = [called(("execute", other)), said("No."), said("hello"), said("Blue.")]
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    assert models_command(["check", "openai/x", "--api_base", server.url]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "no   tool calls  it wrote: 'import this'",
        "no   fenced blocks  it said: 'No.'",
    ]
    assert lines[-1] == "It cannot run code: it neither calls tools nor writes blocks."


def test_a_good_model_passes_everything(server):
    steps, findings = checked(
        server,
        called(("execute", RUN)),
        said("```python\nprint(6 * 7)\n```\n"),
        said("hello"),
        said("Red."),
    )
    assert steps == {
        "tool calls": True,
        "fenced blocks": True,
        "stops cleanly": True,
        "pictures": True,
        "context window": False,
    }
    assert findings == Findings(None, True, None)


def test_a_small_model_is_remembered_as_one_that_writes_fences(server, tmp_path):
    steps, findings = checked(
        server,
        Refusal(400, "this model does not take functions"),
        said("```python\nprint(6 * 7)\n```\n"),
        said("hello<|im_end|>"),
        Refusal(400, "no pictures"),
    )
    assert steps["tool calls"] is False
    assert findings == Findings("fenced", False, None)
    path = tmp_path / "deep" / "findings.json"
    remember(path, "openai/x", findings)
    assert remembered(path, "openai/x") == findings
    opened = resolve("openai/x", ModelOptions(api_base=server.url, findings_file=str(path)))
    assert opened.dialect == "fenced"
    told = ModelOptions(api_base=server.url, findings_file=str(path), dialect="native")
    assert resolve("openai/x", told).dialect == "native"


def test_nothing_is_remembered_from_a_spoilt_file(tmp_path):
    path = tmp_path / "findings.json"
    path.write_text("{nonsense")
    assert remembered(path, "x") == Findings()


def test_the_window_is_asked_from_the_server(server):
    server.listing = {"data": [{"id": "x", "meta": {"n_ctx": 4096, "n_ctx_train": 8192}}]}
    _, findings = checked(server, said("no"))
    assert findings.context_window == 4096


def test_a_model_that_is_not_there_is_the_error_itself(server):
    server.close()
    with pytest.raises(Unreachable):
        checked(server, Json({}))

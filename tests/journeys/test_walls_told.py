"""The model is told which walls there are, and no later than with a result which there are not."""

import pytest

from interpreter import OpenInterpreter
from interpreter.protocol.errors import SandboxUnavailable
from interpreter.sandboxes.backends import fallback


class Missing:
    """A sandbox of another machine."""

    def __init__(self, *given, **options):
        pass

    def open(self, workspace):
        raise SandboxUnavailable("it is not installed")


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Have a block run that the user lets run; the requests that the model got."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    requests = []

    def completions(messages, **more):
        requests.append(messages)
        text = "```python\n1\n```" if len(requests) == 1 else "Done."
        yield {"choices": [{"delta": {"content": text}}]}

    def ask(*missing):
        for sandbox in missing:
            monkeypatch.setattr(fallback, sandbox, Missing)
        it = OpenInterpreter(conversation_history=False)
        it.llm.completions = completions
        for _ in it.chat("go", display=False, stream=True):
            pass
        it.close()
        return [(messages[0]["content"], messages[-1]["content"]) for messages in requests]

    return ask


def test_walls_that_are_as_asked_for_are_told_once(asked):
    [(first, _), (second, result)] = asked()
    assert first == second
    assert "no network but for hosts that the user allows" in first
    assert "sandbox" not in result


def test_a_machine_without_a_sandbox_is_told_with_the_first_result(asked):
    [(first, _), (second, result)] = asked("BubblewrapSandbox", "LandlockSandbox")
    assert "no network" in first  # the cell is opened while the model thinks
    for told in (second, result):
        assert "There is no sandbox on this machine: code runs with all rights" in told
    assert "no network" not in second


def test_a_program_is_told_why_its_code_does_not_run_by_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for sandbox in ("BubblewrapSandbox", "LandlockSandbox"):
        monkeypatch.setattr(fallback, sandbox, Missing)
    it = OpenInterpreter(auto_run=True, conversation_history=False)
    it.llm.completions = lambda **more: [{"choices": [{"delta": {"content": "```sh\nls\n```"}}]}]
    with pytest.warns(UserWarning, match="No sandbox on this machine.*Set sandbox='off'"):
        messages = it.chat("go", display=False)
    said = {message["content"] for message in messages if message["type"] == "console"}
    why = "there is no sandbox here, so every block needs your yes, and nobody is there to ask"
    assert said == {why}
    it.close()


def test_weaker_walls_are_told_with_the_first_result(asked):
    [_, (second, result)] = asked("BubblewrapSandbox")
    for told in (second, result):
        assert "Landlock (reduced)" in told or "There is no sandbox on this machine" in told

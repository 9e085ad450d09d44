"""What keeps code in bounds, as attributes of the drop-in object; each can be set at any time."""

import pytest

from interpreter.protocol.errors import ConfigurationError

RULES = """
[[rule]]
decision = "deny"
command = "touch"
reason = "nothing is touched here"
"""


@pytest.fixture
def work(tmp_path, monkeypatch):
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


def shell(source):
    return {"code": source, "language": "shell"}


def said(it, text="go"):
    """All that a chat brought: the messages, as one text."""
    return "\n".join(str(message["content"]) for message in it.chat(text, display=False))


def test_the_level_of_the_sandbox_is_an_attribute(play, work):
    it = play(shell("touch here || echo REFUSED"), "Done.", auto_run=True)
    assert it.sandbox == "workspace"
    it.sandbox = "read-only"
    assert "REFUSED" in said(it)
    assert not (work / "here").exists()


def test_a_level_that_is_none_is_an_error(play, work):
    it = play(shell("true"), "Done.", auto_run=True, sandbox="paranoid")
    with pytest.raises(ConfigurationError, match="paranoid"):
        said(it)


def test_code_runs_without_asking_only_if_that_was_set(play, work):
    it = play(shell("touch one"), shell("touch two"), "Done.")
    said(it)
    assert not (work / "one").exists()
    it.auto_run = True
    said(it)
    assert (work / "two").exists()


def test_safe_mode_stops_what_looks_harmful_even_under_auto_run(play, work):
    it = play(shell("rm -rf ~/*; touch ran"), shell("touch fine"), "Done.", auto_run=True)
    it.safe_mode = "auto"
    assert said(it).endswith("Done.")  # the model is told, and goes on
    assert not (work / "ran").exists()
    assert (work / "fine").exists()


def test_approval_never_runs_nothing(play, work):
    it = play(shell("touch ran"), "Done.", auto_run=True)
    it.approval = "never"
    said(it)
    assert not (work / "ran").exists()


def test_rules_are_read_from_the_file_that_is_named(play, work, tmp_path):
    (tmp_path / "mine.toml").write_text(RULES)
    it = play(shell("touch ran"), "Done.", auto_run=True)
    it.rules = str(tmp_path / "mine.toml")
    said(it)
    assert not (work / "ran").exists()


def test_memory_and_programs_are_limited_as_told(play, work):
    it = play(shell("ulimit -d; ulimit -u"), "Done.", auto_run=True)
    it.max_memory, it.max_programs = 300, 77
    assert f"{300 * 1024}\n77\n" in said(it)


def test_a_budget_ends_a_turn(play, work):
    it = play(shell("touch one"), shell("touch two"), "Done.", auto_run=True, max_session_steps=1)
    said(it)
    assert (work / "one").exists()
    assert not (work / "two").exists()


def test_tokens_of_a_turn_are_limited(play, work):
    it = play(shell("touch one"), shell("touch two"), "Done.", auto_run=True)
    it.max_turn_tokens = 1
    said(it)
    assert not (work / "two").exists()

import os

import pytest

from interpreter.settings.settings import Settings
from interpreter.terminal.render.ansi import without_styles
from interpreter.terminal.render.greeting import greeting


@pytest.fixture(autouse=True)
def of_an_ordinary_user(tmp_path, monkeypatch):
    if os.geteuid() == 0:
        os.chown(tmp_path, 54321, 54321)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_the_first_screen_is_in_whole_words_and_fits(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = without_styles(greeting(Settings(), first=True, colourful=True)).split("\n")
    assert max(map(len, lines)) <= width
    assert len(lines) <= 18
    said = " ".join(" ".join(lines).split())
    assert said.startswith("Welcome. Say what you want done, in plain words. A model writes code")
    assert said.endswith("%help · !shell line · @file · Ctrl-C stops · Ctrl-D leaves")


def test_the_first_screen_names_the_model_that_will_be_used(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    assert "the model        gpt-" in without_styles(
        greeting(Settings(), first=True, colourful=True)
    )
    named = Settings(model="openai/a-model\u202e")
    shown = without_styles(greeting(named, first=True, colourful=True))
    assert "  the model        openai/a-model⟨U+202E⟩\n" in shown
    assert max(map(len, shown.split("\n"))) <= 80


@pytest.mark.parametrize("first", [True, False])
def test_without_colours_it_is_the_same_text(first):
    plain, painted = (
        greeting(Settings(model="m"), first=first, colourful=colourful)
        for colourful in (False, True)
    )
    assert plain == without_styles(painted) != painted


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's code can be root's")
@pytest.mark.parametrize("first", [True, False])
def test_root_is_told_when_code_runs_as_root(tmp_path, first):
    def said():
        text = greeting(Settings(model="m"), first=first, colourful=True)
        return " ".join(without_styles(text).split())

    assert "as root" not in said()
    os.chown(tmp_path, 0, 0)
    assert "so code runs as root, without root's capabilities" in said()

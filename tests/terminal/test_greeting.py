import pytest

from interpreter.settings.settings import Settings
from interpreter.terminal.ansi import without_styles
from interpreter.terminal.greeting import greeting


@pytest.mark.parametrize("width", [40, 60, 100, 200])
def test_the_first_screen_is_in_whole_words_and_fits(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = without_styles(greeting(Settings(), first=True)).split("\n")
    assert max(map(len, lines)) <= width
    assert len(lines) <= 16
    said = " ".join(" ".join(lines).split())
    assert said.startswith("Welcome. Say what you want done, in plain words. A model writes code")
    assert said.endswith("%help · !shell line · @file · Ctrl-C stops · Ctrl-D leaves")

"""Keys by the names that people and models give them."""

import pytest

from interpreter.desktop.keys import combination, key_name
from interpreter.protocol.desktop import DesktopError


@pytest.mark.parametrize(
    ("spelled", "name"),
    [("enter", "Return"), ("Return", "Return"), ("CTRL", "Control_L"), ("cmd", "Super_L"),
     ("a", "a"), ("A", "A"), ("é", "é"), ("F5", "F5"), ("f12", "F12"), ("Page_Down", "Next"),
     ("pgdn", "Next"), ("ArrowLeft", "Left"), ("period", "."), ("exclam", "!"), (" ", "space"),
     ("\n", "Return"), ("Escape", "Escape"), ("BackSpace", "BackSpace"), ("KP_Enter", "KP_Enter")],
)  # fmt: skip
def test_many_spellings_mean_one_key(spelled, name):
    assert key_name(spelled) == name


def test_combinations_are_taken_apart():
    assert combination("ctrl+shift+t") == ("Control_L", "Shift_L", "t")
    assert combination("ctrl++") == ("Control_L", "plus")
    assert combination("+") == ("+",)


def test_an_unknown_key_is_a_sentence():
    with pytest.raises(DesktopError, match="There is no key 'turbo'"):
        key_name("turbo")

"""Both vendors' computer-use actions, as their SDKs define them, become one union."""

import pytest

from interpreter.desktop.mode import actions as act
from interpreter.desktop.mode.words import in_words
from interpreter.protocol.desktop import DesktopError

OF_20241022 = [
    ({"action": "screenshot"}, act.Look()),
    ({"action": "left_click", "coordinate": [3, 4]}, act.Click((3.0, 4.0))),
    ({"action": "left_click"}, act.Click()),
    ({"action": "right_click", "coordinate": [3, 4]}, act.Click((3.0, 4.0), "right")),
    ({"action": "middle_click"}, act.Click(None, "middle")),
    ({"action": "double_click", "coordinate": [1, 2]}, act.Click((1.0, 2.0), "left", 2)),
    ({"action": "mouse_move", "coordinate": [5, 6]}, act.Move((5.0, 6.0))),
    ({"action": "left_click_drag", "coordinate": [5, 6]}, act.Drag((None, (5.0, 6.0)))),
    ({"action": "key", "text": "ctrl+s"}, act.PressKeys(("Control_L", "s"))),
    ({"action": "type", "text": "hé"}, act.TypeText("hé")),
    ({"action": "cursor_position"}, act.WhereIsPointer()),
]  # fmt: skip
OF_20250124 = [
    ({"action": "left_click_drag", "start_coordinate": [1, 2], "coordinate": [5, 6]},
     act.Drag(((1.0, 2.0), (5.0, 6.0)))),
    ({"action": "left_mouse_down"}, act.Hold(True)),
    ({"action": "left_mouse_up"}, act.Hold(False)),
    ({"action": "triple_click", "coordinate": [1, 2], "text": "shift"},
     act.Click((1.0, 2.0), "left", 3, ("Shift_L",))),
    ({"action": "scroll", "coordinate": [1, 2], "scroll_direction": "up", "scroll_amount": 3},
     act.Scroll(0, -3, (1.0, 2.0))),
    ({"action": "scroll", "scroll_direction": "right", "scroll_amount": 2, "text": "ctrl"},
     act.Scroll(2, 0, None, ("Control_L",))),
    ({"action": "hold_key", "text": "a", "duration": 2}, act.PressKeys(("a",), 2.0)),
    ({"action": "wait", "duration": 3}, act.Wait(3.0)),
    ({"action": "wait", "duration": 9999}, act.Wait(30.0)),
]  # fmt: skip
OF_20251124 = [({"action": "zoom", "region": [0, 1, 200, 100]}, act.Look((0.0, 1.0, 200.0, 100.0)))]


@pytest.mark.parametrize(("given", "meant"), OF_20241022 + OF_20250124 + OF_20251124)
def test_anthropics_actions_of_each_date(given, meant):
    assert act.understood(given) == (meant,)


def test_every_member_of_anthropics_toolset_of_2026_08_01_is_understood():
    from anthropic.types.beta.beta_computer_member_name import BETA_COMPUTER_MEMBER_NAME_VALUES

    assert set(BETA_COMPUTER_MEMBER_NAME_VALUES) <= set(act.ACTION_NAMES)
    assert act.from_anthropic("key", {"text": "Page_Down", "repeat": 4}) == act.PressKeys(
        ("Next",), 0.0, 4
    )


OPENAI = [
    ({"type": "click", "x": 1, "y": 2, "button": "left"}, act.Click((1.0, 2.0))),
    ({"type": "click", "x": 1, "y": 2, "button": "wheel", "keys": ["CTRL"]},
     act.Click((1.0, 2.0), "middle", 1, ("Control_L",))),
    ({"type": "double_click", "x": 1, "y": 2}, act.Click((1.0, 2.0), "left", 2)),
    ({"type": "drag", "path": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]},
     act.Drag(((1.0, 2.0), (3.0, 4.0)))),
    ({"type": "keypress", "keys": ["CTRL", "ENTER"]}, act.PressKeys(("Control_L", "Return"))),
    ({"type": "move", "x": 1, "y": 2}, act.Move((1.0, 2.0))),
    ({"type": "screenshot"}, act.Look()),
    ({"type": "scroll", "x": 1, "y": 2, "scroll_x": 0, "scroll_y": 300},
     act.Scroll(0, 3, (1.0, 2.0))),
    ({"type": "scroll", "x": 1, "y": 2, "scroll_x": -10, "scroll_y": 0},
     act.Scroll(-1, 0, (1.0, 2.0))),
    ({"type": "type", "text": "hi"}, act.TypeText("hi")),
    ({"type": "wait"}, act.Wait(1.0)),
]  # fmt: skip


@pytest.mark.parametrize(("given", "meant"), OPENAI)
def test_openais_actions(given, meant):
    from openai.types.responses.computer_action import ComputerAction
    from pydantic import TypeAdapter

    TypeAdapter(ComputerAction).validate_python(given)  # the vendor's own schema takes it, too
    assert act.understood(given) == (meant,)
    assert act.understood({"action": given}) == (meant,)


def test_openais_actions_come_in_lists():
    assert act.understood({"actions": [given for given, _ in OPENAI]}) == tuple(
        meant for _, meant in OPENAI
    )


@pytest.mark.parametrize(("given", "meant"), OF_20241022 + OF_20250124 + OPENAI)
def test_every_action_is_told_in_words(given, meant):
    told = in_words(meant)
    assert told
    assert type(meant).__name__ not in told


def test_an_action_in_words_says_what_where_and_how():
    click = act.Click((3.0, 4.0), "right", 2, ("Shift_L",))
    assert in_words(click) == "double-click at (3, 4) with the right button with Shift_L held"
    assert in_words(act.Scroll(0, -3)) == "scroll 3 up"
    assert in_words(act.PressKeys(("Control_L", "s"))) == "press Control_L+s"
    assert in_words(act.TypeText("a\u202eb")) != "type “a\u202eb”"  # nothing turns the line round


@pytest.mark.parametrize(
    "given",
    [{}, {"action": "explode"}, {"type": "explode"}, {"action": "left_click", "coordinate": [1]},
     {"action": "scroll", "scroll_direction": "in", "scroll_amount": 1}, {"action": "key"},
     {"action": "zoom", "region": [1, 2]}, {"action": "key", "text": "turbo"},
     {"action": "left_click", "coordinate": "here"}, {"type": "drag", "path": 3}],
)  # fmt: skip
def test_what_is_no_action_is_a_sentence(given):
    with pytest.raises(DesktopError):
        act.understood(given)

"""What a model can do to a desktop: one union, whoever's words it was asked for in.

Points are those of the last picture that the model was shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from interpreter.desktop.keys import combination
from interpreter.protocol.desktop import Button, DesktopError
from interpreter.protocol.values import frozen

Spot = tuple[float, float]
Direction = Literal["up", "down", "left", "right"]
LONGEST_WAIT = 30.0
MOST_REPEATS = 100
PIXELS_PER_NOTCH = 100  # OpenAI's models scroll by pixels
OPENAI_BUTTONS: dict[str, Button] = {
    "left": "left", "right": "right", "wheel": "middle", "middle": "middle", "back": "back",
    "forward": "forward",
}  # fmt: skip


@frozen
class Look:
    """See the screen; `region` is a part of it, enlarged: left, top, right, bottom."""

    region: tuple[float, float, float, float] | None = None
    monitor: int | None = None


@frozen
class Click:
    """Click, there or where the pointer is."""

    spot: Spot | None = None
    button: Button = "left"
    count: int = 1
    keys: tuple[str, ...] = ()


@frozen
class ClickText:
    """Click on what has this name or text."""

    text: str
    count: int = 1


@frozen
class Move:
    """Put the pointer somewhere."""

    spot: Spot


@frozen
class Hold:
    """Press the left button, or let go of it."""

    down: bool


@frozen
class Drag:
    """Press at the first spot and let go at the last; None is where the pointer is."""

    path: tuple[Spot | None, ...]
    keys: tuple[str, ...] = ()


@frozen
class Scroll:
    """Turn the wheel by notches; down and right are positive."""

    x: int
    y: int
    spot: Spot | None = None
    keys: tuple[str, ...] = ()


@frozen
class TypeText:
    """Type a text."""

    text: str


@frozen
class PressKeys:
    """Press keys together, for so long and so often."""

    keys: tuple[str, ...]
    seconds: float = 0.0
    repeat: int = 1


@frozen
class Wait:
    """Do nothing for a while."""

    seconds: float = 1.0


@frozen
class WhereIsPointer:
    """Tell where the pointer is."""


@frozen
class Open:
    """Start a program, or open a file or address."""

    name: str


@frozen
class ListElements:
    """Tell what programs say is in the active window."""


DesktopAction = (
    Look | Click | ClickText | Move | Hold | Drag | Scroll | TypeText | PressKeys | Wait
    | WhereIsPointer | Open | ListElements
)  # fmt: skip
HARMLESS = (Look, Wait, WhereIsPointer, ListElements)
"""What changes nothing; a session that shows its screen to a model needs no yes for each."""


def understood(given: Mapping[str, Any]) -> tuple[DesktopAction, ...]:
    """The actions of a call in Anthropic's words, in OpenAI's, or in a list of the latter."""
    try:
        if isinstance(given.get("actions"), list):
            return tuple(from_openai(one) for one in given["actions"][:50])
        if "action" in given and isinstance(given["action"], dict):
            return (from_openai(given["action"]),)
        if "action" not in given and "type" in given:
            return (from_openai(given),)
        return (from_anthropic(str(given.get("action", "")), given),)
    except (KeyError, TypeError, ValueError) as error:
        raise DesktopError(f"The action cannot be understood: {error!r}.") from error


def from_anthropic(name: str, given: Mapping[str, Any]) -> DesktopAction:
    """An action of the computer tool of any date, or a member of the toolset of 2026-08-01."""
    keys = combination(str(given["text"])) if given.get("text") and _has_modifier(name) else ()
    if name in CLICKS:
        button, count = CLICKS[name]
        return Click(_spot(given.get("coordinate")), button, count, keys)
    match name:
        case "left_mouse_down" | "left_mouse_up":
            return Hold(name.endswith("down"))
        case "left_click_drag":
            return Drag((_spot(given.get("start_coordinate")), _sure(given["coordinate"])), keys)
        case "scroll":
            return _scroll(given, keys)
        case "key" | "hold_key":
            return _keys(name, given)
    return _without_pointer(name, given)


def _without_pointer(name: str, given: Mapping[str, Any]) -> DesktopAction:
    match name:
        case "mouse_move":
            return Move(_sure(given["coordinate"]))
        case "type":
            return TypeText(str(given["text"]))
        case "wait":
            return Wait(min(max(float(given.get("duration", 1)), 0.0), LONGEST_WAIT))
        case "screenshot":
            monitor = given.get("monitor")
            return Look(monitor=int(monitor) if monitor is not None else None)
        case "zoom":
            left, top, right, bottom = map(float, given["region"])
            return Look((left, top, right, bottom))
    return _of_ours(name, given)


def _of_ours(name: str, given: Mapping[str, Any]) -> DesktopAction:
    """Names instead of points."""
    match name:
        case "cursor_position":
            return WhereIsPointer()
        case "click_text":
            return ClickText(str(given["text"]))
        case "open":
            return Open(str(given["text"]))
        case "elements":
            return ListElements()
    known = ", ".join(ACTION_NAMES)
    raise DesktopError(f"There is no action {name!r}; there are: {known}.")


CLICKS: dict[str, tuple[Button, int]] = {
    "left_click": ("left", 1), "right_click": ("right", 1), "middle_click": ("middle", 1),
    "double_click": ("left", 2), "triple_click": ("left", 3),
}  # fmt: skip
OURS = ("open", "elements", "click_text")
"""What no vendor's own tool has."""
ACTION_NAMES = (
    "screenshot", *CLICKS, "click_text", "mouse_move", "left_click_drag", "left_mouse_down",
    "left_mouse_up", "scroll", "type", "key", "hold_key", "wait", "zoom", "cursor_position",
    "open", "elements",
)  # fmt: skip


def _has_modifier(name: str) -> bool:
    """Whether `text` means keys to hold meanwhile."""
    return name in CLICKS or name in ("scroll", "left_click_drag")


def _keys(name: str, given: Mapping[str, Any]) -> PressKeys:
    keys = combination(str(given["text"]))
    held = min(float(given.get("duration", 0)), LONGEST_WAIT) if name == "hold_key" else 0.0
    return PressKeys(keys, held, min(int(given.get("repeat") or 1), MOST_REPEATS))


def _scroll(given: Mapping[str, Any], keys: tuple[str, ...]) -> Scroll:
    amount, direction = int(given["scroll_amount"]), given["scroll_direction"]
    if direction not in get_args(Direction):
        raise ValueError(f"no direction {direction!r}")
    signed = amount if direction in ("down", "right") else -amount
    x, y = (signed, 0) if direction in ("left", "right") else (0, signed)
    return Scroll(x, y, _spot(given.get("coordinate")), keys)


def from_openai(given: Mapping[str, Any]) -> DesktopAction:
    """An action of OpenAI's computer use."""
    kind = given["type"]
    keys = tuple(name for key in given.get("keys") or () for name in combination(str(key)))
    match kind:
        case "click":
            return Click(_xy(given), OPENAI_BUTTONS[given.get("button", "left")], 1, keys)
        case "double_click":
            return Click(_xy(given), "left", 2, keys)
        case "move":
            return Move(_xy(given))
        case "drag":
            return Drag(tuple(_xy(point) for point in given["path"][:200]), keys)
        case "scroll":
            x, y = _notches(given.get("scroll_x", 0)), _notches(given.get("scroll_y", 0))
            return Scroll(x, y, _xy(given), keys)
        case "keypress":
            return PressKeys(keys)
    simple: dict[str, DesktopAction] = {
        "type": TypeText(str(given.get("text", ""))),
        "wait": Wait(min(float(given.get("ms", 1000)) / 1000, LONGEST_WAIT)),
        "screenshot": Look(),
    }
    if kind not in simple:
        raise DesktopError(f"There is no action {kind!r}.")
    return simple[kind]


def _notches(pixels: Any) -> int:
    """At least one, where there is any distance at all."""
    distance = int(pixels)
    size = max(1, round(abs(distance) / PIXELS_PER_NOTCH)) if distance else 0
    return size if distance > 0 else -size


def _xy(given: Mapping[str, Any]) -> Spot:
    return float(given["x"]), float(given["y"])


def _sure(given: Any) -> Spot:
    x, y = given
    return float(x), float(y)


def _spot(given: Any) -> Spot | None:
    return None if given is None else _sure(given)

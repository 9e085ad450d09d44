"""What is done to the desktop, as people read of it."""

from __future__ import annotations

from interpreter.desktop.mode import actions as act
from interpreter.protocol.visible import visible

TIMES = {1: "", 2: "double-", 3: "triple-"}
LONGEST = 300


def in_words(wish: act.DesktopAction) -> str:
    """One action; points are those of the picture that the model has seen."""
    match wish:
        case act.Click(spot, button, count, keys):
            which = "" if button == "left" else f" with the {button} button"
            return f"{TIMES.get(count, '')}click{_at(spot)}{which}{_holding(keys)}"
        case act.ClickText(text, count):
            return f"{TIMES.get(count, '')}click on {_quoted(text)}"
        case act.Move(spot):
            return f"move the pointer{_at(spot)}"
        case act.Drag(path, keys):
            return f"drag from{_at(path[0])} to{_at(path[-1])}{_holding(keys)}"
        case act.Scroll(x, y, spot, keys):
            ways = ((y, "down", "up"), (x, "right", "left"))
            told = " and ".join(f"{abs(n)} {on if n > 0 else back}" for n, on, back in ways if n)
            return f"scroll {told}{_at(spot) if spot else ''}{_holding(keys)}"
    return _without_place(wish)


def _without_place(wish: act.DesktopAction) -> str:
    match wish:
        case act.Hold(down):
            return "press the left button" if down else "let go of the left button"
        case act.TypeText(text):
            return f"type {_quoted(text)}"
        case act.PressKeys(keys, seconds, repeat):
            length = f" for {seconds:g} s" if seconds else ""
            return f"press {'+'.join(keys)}{length}{f' {repeat} times' if repeat > 1 else ''}"
        case act.Wait(seconds):
            return f"wait for {seconds:g} s"
        case act.Open(name):
            return f"open {_quoted(name)}"
    return "look at the screen"


def _at(spot: act.Spot | None) -> str:
    return f" at ({spot[0]:g}, {spot[1]:g})" if spot else " where the pointer is"


def _holding(keys: tuple[str, ...]) -> str:
    return f" with {'+'.join(keys)} held" if keys else ""


def _quoted(text: str) -> str:
    shown = visible(text)
    return f"“{shown[:LONGEST]}…” ({len(text)} letters)" if len(shown) > LONGEST else f"“{shown}”"

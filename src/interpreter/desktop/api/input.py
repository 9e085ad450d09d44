"""`computer.mouse` and `computer.keyboard`: acting."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from interpreter.desktop.api.screen import picture_from
from interpreter.desktop.finding.finder import Finder
from interpreter.desktop.finding.pictures import find_picture
from interpreter.desktop.geometry import whole
from interpreter.desktop.hands import BETWEEN_CLICKS, Hands
from interpreter.desktop.keys import combination
from interpreter.protocol.desktop import (
    Button,
    Candidate,
    Desktop,
    DesktopError,
    Point,
    TargetNotFound,
)

if TYPE_CHECKING:
    from PIL.Image import Image

Report = dict[str, Any]
LONGEST = 100.0  # seconds for keys with pauses between them
BUTTONS: tuple[Button, ...] = ("left", "middle", "right", "back", "forward")


class Mouse:
    """`computer.mouse`: by point, by the text on something, by its name, or by its picture."""

    def __init__(self, desktop: Callable[[], Desktop], finder: Callable[[], Finder]) -> None:
        self._desktop = desktop
        self._finder = finder

    def position(self) -> tuple[int, int]:
        """Where the pointer is."""
        point = self._desktop().pointer()
        return point.x, point.y

    def move(
        self, *args: str | float, x: float | None = None, y: float | None = None,
        icon: str | Image | bytes | None = None, text: str | None = None,
        screenshot: Any = None,
    ) -> Report:  # fmt: skip
        """Put the pointer on something; what that was."""
        point, report = self._target(args, x, y, icon, text)
        if point is None:
            raise DesktopError("Say where: a point, a text or an icon.")
        Hands(self._desktop()).move(point)
        return report

    def click(
        self, *args: str | float, button: str = "left", clicks: int = 1,
        interval: float = BETWEEN_CLICKS, x: float | None = None, y: float | None = None,
        icon: str | Image | bytes | None = None, text: str | None = None,
        screenshot: Any = None,
    ) -> Report:  # fmt: skip
        """Click on something, or where the pointer is; what was hit and how it was found."""
        if button not in BUTTONS:
            raise DesktopError(f"There is no button {button!r}; there are: {', '.join(BUTTONS)}.")
        point, report = self._target(args, x, y, icon, text)
        Hands(self._desktop()).click(point, button, clicks, interval=interval)
        return report

    def double_click(
        self, *args: str | float, x: float | None = None, y: float | None = None,
        icon: str | Image | bytes | None = None, text: str | None = None,
        screenshot: Any = None,
    ) -> Report:  # fmt: skip
        """Click twice."""
        return self.click(*args, clicks=2, x=x, y=y, icon=icon, text=text)

    def triple_click(
        self, *args: str | float, x: float | None = None, y: float | None = None,
        icon: str | Image | bytes | None = None, text: str | None = None,
        screenshot: Any = None,
    ) -> Report:  # fmt: skip
        """Click three times."""
        return self.click(*args, clicks=3, x=x, y=y, icon=icon, text=text)

    def right_click(
        self, *args: str | float, x: float | None = None, y: float | None = None,
        icon: str | Image | bytes | None = None, text: str | None = None,
        screenshot: Any = None,
    ) -> Report:  # fmt: skip
        """Click with the right button."""
        return self.click(*args, button="right", x=x, y=y, icon=icon, text=text)

    def drag(self, start_x: float, start_y: float, end_x: float, end_y: float) -> None:
        """Press at one point and let go at another."""
        path = (Point(int(start_x), int(start_y)), Point(int(end_x), int(end_y)))
        Hands(self._desktop()).drag(path)

    def scroll(self, clicks: int) -> None:
        """Turn the wheel by notches: up for positive numbers, down for negative ones."""
        self._desktop().scroll(0, -clicks)

    def down(self) -> None:
        """Press the left button and hold it."""
        self._desktop().button("left", down=True)

    def up(self) -> None:
        """Let go of the left button."""
        self._desktop().button("left", down=False)

    def _target(
        self, args: tuple[str | float, ...], x: float | None, y: float | None,
        icon: str | Image | bytes | None, text: str | None,
    ) -> tuple[Point | None, Report]:  # fmt: skip
        if len(args) == 1 and isinstance(args[0], str):
            text = args[0]
        elif len(args) == 2 and not any(isinstance(one, str) for one in args):
            x, y = float(args[0]), float(args[1])
        elif args:
            raise DesktopError("Say where by one text, or by two numbers.")
        if text is not None or isinstance(icon, str):
            found = self._finder().find(str(text if text is not None else icon))
        elif icon is not None:
            found = self._by_picture(icon)
        elif x is not None and y is not None:
            point = Point(int(x), int(y))
            return point, {"point": (point.x, point.y), "how": "point"}
        else:
            return None, {"point": self.position(), "how": "pointer"}
        return found.box.center, _report(found)

    def _by_picture(self, icon: Image | bytes) -> Candidate:
        around = self._desktop().grab(whole(self._desktop().monitors()))
        found = find_picture(around, picture_from(icon))
        if not found:
            raise TargetNotFound("The picture is not on the screen.")
        return found[0]


def _report(found: Candidate) -> Report:
    point = found.box.center
    return {"point": (point.x, point.y), "how": found.how, "text": found.text, "role": found.role,
            "similarity": round(found.score, 3)}  # fmt: skip


def _in_good_time(seconds: float) -> None:
    """Refuse what would go on long after whoever wanted it is gone."""
    if seconds > LONGEST:
        raise DesktopError(f"That would take {seconds:.0f} seconds; at most {LONGEST:.0f} may.")


class Keyboard:
    """`computer.keyboard`: text of any letters, keys by name."""

    def __init__(self, desktop: Callable[[], Desktop]) -> None:
        self._desktop = desktop

    def write(self, text: str, interval: float | None = None, delay: float | None = None) -> None:
        """Type a text; with an interval, letter by letter with a pause between them."""
        hands = Hands(self._desktop())
        if not interval:
            hands.write(text)
            return
        _in_good_time(len(text) * interval)
        for letter in text:
            hands.write(letter)
            time.sleep(max(0.0, min(interval, 1.0)))  # asked for

    def press(self, *keys: str, presses: int = 1, interval: float = 0.05) -> None:
        """Press keys one after the other, so often."""
        hands = Hands(self._desktop())
        _in_good_time(min(presses, 1000) * interval)
        for number in range(max(1, min(presses, 1000))):
            if number:
                time.sleep(max(0.0, min(interval, 1.0)))  # asked for
            for key in keys:
                hands.press(combination(key))

    def press_and_release(self, *keys: str, presses: int = 1, interval: float = 0.05) -> None:
        """The same as `press`."""
        self.press(*keys, presses=presses, interval=interval)

    def hotkey(self, *keys: str, interval: float = 0.0) -> None:
        """Press keys together, as `hotkey("ctrl", "c")` or `hotkey("ctrl+c")`."""
        Hands(self._desktop()).press([name for key in keys for name in combination(key)])

    def down(self, key: str) -> None:
        """Press a key and hold it."""
        self._desktop().key(key, down=True)

    def up(self, key: str) -> None:
        """Let go of a key."""
        self._desktop().key(key, down=False)

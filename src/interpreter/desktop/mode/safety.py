"""Who may be seen and touched in OS mode: approval for each program, windows that stay unseen."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from interpreter.desktop.mode import actions as act
from interpreter.desktop.mode.tool import BY_NAME, NAME, ComputerTool, understood_call
from interpreter.desktop.mode.words import in_words
from interpreter.protocol.actions import Asks, Decision, Verdict
from interpreter.protocol.desktop import (
    Box,
    Button,
    Desktop,
    DesktopError,
    Element,
    Frame,
    Point,
    Window,
)
from interpreter.protocol.messages import Action, ActionCall
from interpreter.protocol.ports import Policy
from interpreter.protocol.visible import visible

BLACK = b"\x00\x00\x00\x00"
EXCLUDED = "This window is excluded from what may be seen or used."


class DesktopApprovals:
    """Asks about each action; `session` allows the program it reaches, `always` all of them.

    What other policies forbid or allow stays so: this one only remembers more than single calls.
    """

    def __init__(self, inner: Policy, tool: ComputerTool) -> None:
        self._inner = inner
        self._tool = tool
        self._apps: set[str] = set()
        self._everything = False

    def review(self, action: Action) -> Verdict:
        """Judge one action."""
        verdict = self._inner.review(action)
        if not _is_ours(action):
            return verdict
        if verdict.ruling != "deny" and (warning := _warning(action)):
            return Verdict("ask", f"the model's vendor warns: {warning}")
        if verdict.ruling != "ask":
            return verdict
        try:
            wishes = understood_call(action)
        except DesktopError:
            return Verdict("allow")  # nothing is done: the tool says what is wrong
        acting = [wish for wish in wishes if not isinstance(wish, act.HARMLESS)]
        apps = {self._tool.target(wish) for wish in acting}
        if not acting or self._everything or (apps <= self._apps and "" not in apps):
            return Verdict("allow")
        shown = ", ".join(sorted(visible(app) or "an unknown program" for app in apps))
        what = "; ".join(map(in_words, acting))
        return Verdict("ask", f"{what} in {shown}. `session` allows this program, `always` all")

    def remember(self, action: Action, decision: Decision) -> None:
        """Learn from an answer."""
        if not _is_ours(action):
            self._inner.remember(action, decision)
        elif decision.answer == "always":
            self._everything = True
        elif decision.answer == "session":
            self._apps |= {self._tool.target(wish) for wish in understood_call(action)} - {""}

    def review_call(self, call: ActionCall, *, asks: Asks) -> Verdict:
        """Judge a call that code makes."""
        return self._inner.review_call(call, asks=asks)

    def remember_call(self, call: ActionCall, decision: Decision) -> None:
        """Learn from an answer about a call that code makes."""
        self._inner.remember_call(call, decision)

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)


def _warning(action: Action) -> str:
    """What the vendor wants a person to know before an action; who says yes acknowledges it."""
    given = json.loads(action.arguments or "{}") if isinstance(action, ActionCall) else {}
    checks = given.get("pending_safety_checks") if isinstance(given, dict) else None
    told = [one.get("message") or one.get("code") for one in checks or () if isinstance(one, dict)]
    return visible("; ".join(str(one) for one in told))[:500]


def _is_ours(action: Action) -> bool:
    return isinstance(action, ActionCall) and action.tool in (NAME, BY_NAME)


class Shielded:
    """A desktop without some windows: they are black, say nothing, and are not clicked."""

    def __init__(self, inner: Desktop, excluded: Sequence[str]) -> None:
        self._inner = inner
        self._patterns = [re.compile(re.escape(word), re.IGNORECASE) for word in excluded if word]

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def grab(self, box: Box) -> Frame:
        """A picture in which excluded windows are black, even where others cover them."""
        before = self._hidden()
        frame = self._inner.grab(box)
        now = [one for one in self._hidden() if one not in before]  # it may be on its way
        hidden = [common for one in before + now if (common := one.box.common(box))]
        if not hidden:
            return frame
        pixels = bytearray(frame.pixels)
        x, y = frame.width / box.width, frame.height / box.height
        for part in hidden:
            left, right = int((part.left - box.left) * x), int((part.right - box.left) * x)
            for row in range(int((part.top - box.top) * y), int((part.bottom - box.top) * y)):
                start = (row * frame.width + left) * 4
                pixels[start : start + (right - left) * 4] = BLACK * (right - left)
        return Frame(box, bytes(pixels), frame.width, frame.height)

    def windows(self) -> tuple[Window, ...]:
        """The windows that may be seen."""
        hidden = {one.id for one in self._hidden()}
        return tuple(one for one in self._inner.windows() if one.id not in hidden)

    def elements(self, window: Window | None = None) -> tuple[Element, ...]:
        """What may be read; of menus and bubbles only the program is known."""
        hidden = {one.title for one in self._hidden()}
        return tuple(
            one
            for one in self._inner.elements(window)
            if one.window not in hidden and not self._is_excluded(one.window, one.app)
        )

    def button(self, button: Button, *, down: bool) -> None:
        """Press, but not in an excluded window."""
        if down:
            self._refuse(self._inner.pointer())
        self._inner.button(button, down=down)

    def scroll(self, x: int, y: int) -> None:
        """Turn the wheel, but not over an excluded window."""
        self._refuse(self._inner.pointer())
        self._inner.scroll(x, y)

    def selection(self) -> str:
        """What is selected, but not in an excluded window: nobody tells in which one it is."""
        return "" if self._hidden() else self._inner.selection()

    def activate(self, window: Window) -> None:
        """Bring a window to the front that may be seen."""
        if self._is_excluded(window.title, window.app):
            raise DesktopError(EXCLUDED)
        self._inner.activate(window)

    def key(self, name: str, *, down: bool) -> None:
        """Press a key, but not into an excluded window."""
        if down:
            self._refuse(None)
        self._inner.key(name, down=down)

    def type(self, text: str) -> None:
        """Type, but not into an excluded window."""
        self._refuse(None)
        self._inner.type(text)

    def _refuse(self, point: Point | None) -> None:
        for window in self._hidden():
            if window.box.holds(point) if point else window.active:
                raise DesktopError(EXCLUDED)

    def _hidden(self) -> list[Window]:
        return [one for one in self._inner.windows() if self._is_excluded(one.title, one.app)]

    def _is_excluded(self, title: str, app: str) -> bool:
        return any(pattern.search(title) or pattern.search(app) for pattern in self._patterns)

"""The tool `computer`: a picture of the screen, one action, and the picture after it.

The loop is the session's own: the model calls this tool as it calls any other, beside code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from interpreter.desktop.finding.finder import Finder
from interpreter.desktop.geometry import Transform, fitting
from interpreter.desktop.hands import Hands
from interpreter.desktop.mode import actions as act
from interpreter.desktop.mode import schemas
from interpreter.desktop.mode.emergency import STOPPED, Emergency
from interpreter.desktop.mode.log import ActionLog
from interpreter.desktop.mode.words import in_words
from interpreter.desktop.pictures import (
    changed_box,
    cropped,
    encoded,
    jpeg,
    marked,
    still_frame,
    with_cross,
)
from interpreter.protocol.desktop import (
    AmbiguousTarget,
    Box,
    Desktop,
    DesktopError,
    Frame,
    Monitor,
    Point,
)
from interpreter.protocol.events import DisplayShown, ExecutionFinished, RuntimeEvent
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Action, ActionCall, Display, Face
from interpreter.protocol.ports import ToolContext, ToolSpec
from interpreter.protocol.visible import visible

NAME, BY_NAME = "computer", "desktop"
LONGEST, MOST_PIXELS = 1568, 1_150_000  # what Anthropic's models see without shrinking it further
HAND_MOVED = 12  # pixels that the pointer may be off before somebody else has moved it
MOST_LISTED = 150
SMALL_PART = 0.2  # of the screen: what changes within it is shown alone
SMALLEST_PART = 240
JPEG, PNG = "image/jpeg", "image/png"


class ComputerTool:
    """Carries out the desktop actions of a model."""

    def __init__(
        self,
        desktop: Callable[[], Desktop],
        log: ActionLog | None = None,
        *,
        dry: bool = False,
        emergency: Emergency | None = None,
    ) -> None:
        self._desktop = desktop
        self._emergency = emergency or Emergency()
        self._log = log
        self._dry = dry
        self._monitor = 0
        self._view: Transform | None = None
        self._left_at: Point | None = None

    @property
    def spec(self) -> ToolSpec:
        """How models are told of it, with the size of the picture that they get."""
        view = self._whole_view()
        size = (view.width, view.height)
        return ToolSpec(NAME, schemas.BY_POINT, json.dumps(schemas.by_point()), display=size)

    def run(self, action: Action, context: ToolContext) -> Iterator[RuntimeEvent]:
        """Do what is asked; the last event says what came of it."""
        try:
            wishes = understood_call(action)
            self._emergency.serve(context.interrupt)
            for wish in wishes:
                yield from self._one(wish, context.interrupt)
            if _wants_whole_picture(action) and not isinstance(wishes[-1], act.Look):
                yield self._picture(self._desktop().grab(self._view_now().box))
        except AmbiguousTarget as error:
            frame = self._desktop().grab(self._whole_view().box)
            yield _shown(PNG, encoded(marked(frame, error.candidates)))
            yield ExecutionFinished("failed", f"{error} In the picture they are numbered.")
            return
        except _StoppedByHand as stop:
            context.interrupt.request()
            yield ExecutionFinished("interrupted", str(stop))
            return
        except DesktopError as error:
            stopped = context.interrupt.requested
            yield ExecutionFinished("interrupted" if stopped else "failed", str(error))
            return
        yield ExecutionFinished("ok", self._summary(wishes[-1]))

    def target(self, wish: act.DesktopAction) -> str:
        """The program that an action would reach, by name; empty where nobody knows."""
        spot = getattr(wish, "spot", None)
        try:
            point = self._view_now().to_desktop(*spot) if spot else None
            windows = self._desktop().windows()
        except DesktopError:
            return ""
        for window in reversed(windows):
            if window.box.holds(point) if point else window.active:
                return window.app or window.title
        return ""

    def _one(self, wish: act.DesktopAction, interrupt: Interrupt) -> Iterator[RuntimeEvent]:
        if isinstance(wish, act.Look):
            yield self._look(wish)
            return
        if isinstance(wish, act.WhereIsPointer | act.ListElements):
            return
        self._nobody_stopped_it()
        before = self._desktop().grab(self._view_now().box)
        if self._dry:
            yield from self._would(wish, before)
            return
        secret = isinstance(wish, act.TypeText) and self._types_a_password()
        if isinstance(wish, act.Wait):
            interrupt.pause(wish.seconds)
        else:
            self._do(wish, interrupt)
            self._left_at = self._pointer()
        after = still_frame(self._desktop(), self._view_now().box)
        if self._log is not None:
            said = in_words(_without_secret(wish) if secret else wish)
            self._log.add(said, before, after, self._left_at if _has_place(wish) else None)
        self._changed = changed_box(before, after)
        if self._changed is not None:
            yield self._new_picture(after, self._changed)

    _changed: Box | None = None

    def _do(self, wish: act.DesktopAction, interrupt: Interrupt) -> None:
        hands = Hands(self._desktop(), interrupt.pause)
        match wish:
            case act.Click(spot, button, count, keys):
                hands.click(self._point(spot), button, count, keys)
            case act.ClickText(text, count):
                hands.click(Finder(self._desktop()).find(text).box.center, "left", count)
            case act.Drag(path, keys):
                points = [self._point(one) or self._desktop().pointer() for one in path]
                hands.drag(points, held=keys)
            case act.Scroll(x, y, spot, keys):
                hands.scroll(x, y, self._point(spot), keys)
            case act.PressKeys(keys, seconds, repeat):
                for _ in range(repeat):
                    hands.press(keys, seconds)
            case _:
                self._do_simply(wish, hands)

    def _do_simply(self, wish: act.DesktopAction, hands: Hands) -> None:
        match wish:
            case act.Move((x, y)):
                hands.move(self._view_now().to_desktop(x, y))
            case act.Hold(down):
                self._desktop().button("left", down=down)
            case act.TypeText(text):
                hands.write(text)
            case act.Open(name):
                self._desktop().open(name)

    def _point(self, spot: act.Spot | None) -> Point | None:
        return self._view_now().to_desktop(*spot) if spot is not None else None

    def _look(self, wish: act.Look) -> RuntimeEvent:
        if wish.monitor is not None:
            monitors = self._desktop().monitors()
            if not 0 <= wish.monitor < len(monitors):
                raise DesktopError(f"There are {len(monitors)} monitors, counted from 0.")
            self._monitor = wish.monitor
        self._view = self._whole_view()
        if wish.region is None:
            return self._picture(still_frame(self._desktop(), self._view.box))
        left, top, right, bottom = wish.region
        start, end = self._view.to_desktop(left, top), self._view.to_desktop(right - 1, bottom - 1)
        part = Box(start.x, start.y, end.x - start.x + 1, end.y - start.y + 1)
        if part.width < 1 or part.height < 1:
            raise DesktopError("The region is empty: it is left, top, right, bottom.")
        return _shown(JPEG, jpeg(self._desktop().grab(part), fitting(part, LONGEST, MOST_PIXELS)))

    def _picture(self, frame: Frame) -> RuntimeEvent:
        view = self._view_now()
        return _shown(JPEG, jpeg(frame, (view.width, view.height)))

    def _new_picture(self, frame: Frame, changed: Box) -> RuntimeEvent:
        """What changed, where that is a small part; otherwise the whole."""
        view = self._view_now()
        part = _around(changed, view.box)
        if part.width * part.height > SMALL_PART * view.box.width * view.box.height:
            return self._picture(frame)
        start = view.to_picture(Point(part.left, part.top))
        end = view.to_picture(Point(part.right - 1, part.bottom - 1))
        where = f"({start.x}, {start.y}) to ({end.x}, {end.y})"
        told = f"[what changed: {where} of the screen; points are those of the whole picture]"
        size = (max(1, end.x - start.x + 1), max(1, end.y - start.y + 1))
        return _shown(JPEG, jpeg(cropped(frame, part), size), told)

    def _types_a_password(self) -> bool:
        try:
            active = next((one for one in self._desktop().windows() if one.active), None)
            shown = self._desktop().elements(active)
        except DesktopError:  # nobody tells, so it may be one
            return True
        return any(one.role == "password text" and "focused" in one.states for one in shown)

    def _would(self, wish: act.DesktopAction, before: Frame) -> Iterator[RuntimeEvent]:
        """Dry mode: only draw where it would happen."""
        spot = getattr(wish, "spot", None)
        point = self._point(spot) if spot else None
        if isinstance(wish, act.ClickText):
            point = Finder(self._desktop()).find(wish.text).box.center
        if point is not None:
            yield _shown(PNG, encoded(with_cross(before, point)))

    def _whole_view(self) -> Transform:
        monitors: tuple[Monitor, ...] = self._desktop().monitors()
        box = monitors[min(self._monitor, len(monitors) - 1)].box
        return Transform(box, *fitting(box, LONGEST, MOST_PIXELS))

    def _view_now(self) -> Transform:
        if self._view is None:
            self._view = self._whole_view()
        return self._view

    def _pointer(self) -> Point | None:
        try:
            return self._desktop().pointer()
        except DesktopError:  # some systems do not tell
            return None

    def _nobody_stopped_it(self) -> None:
        """Stop when the user takes the mouse or has pressed the key; the next turn begins anew."""
        if self._emergency.pressed:
            raise _StoppedByHand(STOPPED)
        now, left = self._pointer(), self._left_at
        self._left_at = None
        if now and left and max(abs(now.x - left.x), abs(now.y - left.y)) > HAND_MOVED:
            raise _StoppedByHand(
                "The mouse was moved by hand, so everything stopped. Say 'go on' to continue."
            )

    def _summary(self, wish: act.DesktopAction) -> str:
        match wish:
            case act.WhereIsPointer():
                point = self._view_now().to_picture(self._desktop().pointer())
                return f"The pointer is at ({point.x}, {point.y})."
            case act.ListElements():
                return self._listed()
            case act.Look():
                return self._overview()
        if self._dry:
            return f"Dry mode: nothing was done. It would {in_words(wish)}."
        if self._changed is None:
            return "Done; nothing on the screen changed."
        area = self._changed.width * self._changed.height
        view = self._view_now().box
        return f"Done; {100 * area // (view.width * view.height)} % of the screen changed."

    def _overview(self) -> str:
        monitors = self._desktop().monitors()
        view = self._view_now()
        told = [f"The picture is {view.width} by {view.height}."]
        if len(monitors) > 1:
            told.append(f"It shows monitor {self._monitor} of {len(monitors)}, counted from 0.")
        try:
            active = next((one for one in self._desktop().windows() if one.active), None)
        except DesktopError:
            active = None
        if active:
            told.append(f"The active window is {visible(active.title)!r}.")
        return " ".join(told)

    def _listed(self) -> str:
        active = next((one for one in self._desktop().windows() if one.active), None)
        view = self._view_now()
        lines = []
        for one in self._desktop().elements(active):
            if not (one.name or one.value) or not view.box.holds(one.box.center):
                continue
            point = view.to_picture(one.box.center)
            value = f" = {visible(one.value)!r}" if one.value else ""
            lines.append(f"{one.role} {visible(one.name)!r}{value} at ({point.x}, {point.y})")
        return "\n".join(lines[:MOST_LISTED]) or "The active window does not say what is in it."


class ByNameTool:
    """The same hands, for what vendors' own computer tools lack: names instead of points."""

    def __init__(self, computer: ComputerTool) -> None:
        self.run = computer.run
        self.spec = ToolSpec(BY_NAME, schemas.BY_NAME, json.dumps(schemas.by_name()))


class _StoppedByHand(Exception):
    """The user has taken the mouse."""


def understood_call(action: Action) -> tuple[act.DesktopAction, ...]:
    """The actions of a call; DesktopError says what is wrong with it."""
    try:
        given = json.loads(action.arguments) if isinstance(action, ActionCall) else None
    except ValueError as error:
        raise DesktopError(f"The call is not JSON: {error}") from error
    if not isinstance(given, Mapping):
        raise DesktopError("A call has an object with an `action`.")
    return act.understood(given)


def _wants_whole_picture(action: Action) -> bool:
    """Whether it was asked for in OpenAI's words, where each call is answered with the screen."""
    given = json.loads(action.arguments) if isinstance(action, ActionCall) else {}
    return isinstance(given.get("actions"), list)


def _has_place(wish: act.DesktopAction) -> bool:
    return isinstance(wish, act.Click | act.ClickText | act.Drag | act.Scroll | act.Move)


def _without_secret(wish: act.DesktopAction) -> act.DesktopAction:
    return act.TypeText("•••") if isinstance(wish, act.TypeText) else wish


def _around(changed: Box, view: Box) -> Box:
    """A part with something around it, so that it can be recognised, within what is seen."""
    width, height = max(SMALLEST_PART, changed.width + 80), max(SMALLEST_PART, changed.height + 80)
    center = changed.center
    grown = Box(center.x - width // 2, center.y - height // 2, width, height)
    return grown.common(view) or view


def _shown(media_type: str, data: bytes, told: str = "[a picture of the screen]") -> DisplayShown:
    plain = Face("text/plain", told)
    return DisplayShown(Display((plain, Face(media_type, data))))

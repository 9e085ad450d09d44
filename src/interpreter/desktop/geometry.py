"""Points as a model gives them and points of the desktop: one transform per monitor."""

from __future__ import annotations

from collections.abc import Sequence

from interpreter.protocol.desktop import Box, Monitor, OutOfRange, Point
from interpreter.protocol.values import frozen


@frozen
class Transform:
    """From a picture of `width` by `height` to the part of the desktop that it shows, and back."""

    box: Box
    width: int
    height: int

    def to_desktop(self, x: float, y: float) -> Point:
        """The pixel of the desktop under a point of the picture; OutOfRange beyond its edges."""
        if not (0 <= x < self.width and 0 <= y < self.height):
            size = f"{self.width} by {self.height}"
            raise OutOfRange(f"({x:g}, {y:g}) is outside the picture, which is {size}.")
        return Point(
            self.box.left + int((x + 0.5) * self.box.width / self.width),
            self.box.top + int((y + 0.5) * self.box.height / self.height),
        )

    def to_picture(self, point: Point) -> Point:
        """Where a pixel of the desktop is in the picture."""
        if not self.box.holds(point):
            raise OutOfRange(f"({point.x}, {point.y}) is outside what the picture shows.")
        return Point(
            int((point.x - self.box.left + 0.5) * self.width / self.box.width),
            int((point.y - self.box.top + 0.5) * self.height / self.box.height),
        )


def fitting(box: Box, longest: int, most_pixels: int) -> tuple[int, int]:
    """The size for a picture of a box within these limits, of the same shape; never enlarged."""
    scale = min(
        1.0, longest / max(box.width, box.height), (most_pixels / (box.width * box.height)) ** 0.5
    )
    return max(1, int(box.width * scale)), max(1, int(box.height * scale))


def whole(monitors: Sequence[Monitor]) -> Box:
    """The smallest box around all monitors."""
    left = min(one.box.left for one in monitors)
    top = min(one.box.top for one in monitors)
    right = max(one.box.right for one in monitors)
    bottom = max(one.box.bottom for one in monitors)
    return Box(left, top, right - left, bottom - top)


def monitor_at(monitors: Sequence[Monitor], point: Point) -> Monitor:
    """The monitor that shows a point; OutOfRange where none does: nothing is clicked nearby."""
    for monitor in monitors:
        if monitor.box.holds(point):
            return monitor
    listed = ", ".join(
        f"{one.name} {one.box.width}x{one.box.height} at ({one.box.left}, {one.box.top})"
        for one in monitors
    )
    raise OutOfRange(f"({point.x}, {point.y}) is on no monitor; there are: {listed}.")

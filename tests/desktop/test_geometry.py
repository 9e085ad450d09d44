"""Points of pictures and points of the desktop, with monitors on any side of the origin."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.desktop.geometry import Transform, fitting, monitor_at, whole
from interpreter.protocol.desktop import Box, Monitor, OutOfRange, Point

sizes = st.integers(1, 5000)
boxes = st.builds(Box, st.integers(-9000, 9000), st.integers(-9000, 9000), sizes, sizes)


@given(boxes, st.integers(100, 2000), st.data())
def test_a_point_of_the_picture_comes_back_to_itself(box, longest, data):
    width, height = fitting(box, longest, 2_000_000)
    transform = Transform(box, width, height)
    x = data.draw(st.integers(0, width - 1))
    y = data.draw(st.integers(0, height - 1))
    point = transform.to_desktop(x, y)
    assert box.holds(point)
    assert transform.to_picture(point) == Point(x, y)


@given(boxes, st.integers(100, 2000))
def test_a_picture_keeps_within_its_limits_and_its_shape(box, longest):
    width, height = fitting(box, longest, 1_000_000)
    assert max(width, height) <= longest
    assert width * height <= 1_000_000
    assert (width, height) <= (box.width, box.height)


@pytest.mark.parametrize("point", [(-1, 5), (800, 5), (5, -1), (5, 600), (1e9, 0)])
def test_a_point_outside_the_picture_is_refused(point):
    with pytest.raises(OutOfRange, match="outside the picture, which is 800 by 600"):
        Transform(Box(0, 0, 1600, 1200), 800, 600).to_desktop(*point)


LEFT = Monitor("left", Box(-1920, -200, 1920, 1080))
MAIN = Monitor("main", Box(0, 0, 1366, 768), primary=True)


def test_monitors_left_of_and_above_the_origin_are_found():
    assert monitor_at((MAIN, LEFT), Point(-1, -200)) == LEFT
    assert monitor_at((MAIN, LEFT), Point(0, 0)) == MAIN
    assert whole((MAIN, LEFT)) == Box(-1920, -200, 3286, 1080)


def test_a_point_between_monitors_is_refused_and_the_monitors_are_listed():
    with pytest.raises(OutOfRange, match=r"on no monitor; there are: main 1366x768 at \(0, 0\)"):
        monitor_at((MAIN, LEFT), Point(100, -100))

"""Value classes behave as frozen dataclasses with slots do."""

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import ClassVar

import pytest

from interpreter.protocol.values import frozen


@frozen
class Point:
    """A place."""

    kind: ClassVar[str] = "place"
    x: int
    y: int = 0
    tags: dict[str, int] = field(default_factory=dict, compare=False)
    secret: str = field(default="", repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class PlainPoint:
    """The same by the standard library, to compare with."""

    kind: ClassVar[str] = "place"
    x: int
    y: int = 0
    tags: dict[str, int] = field(default_factory=dict, compare=False)
    secret: str = field(default="", repr=False, kw_only=True)


@frozen
class Place(Point):
    """A place with a name that must not be empty."""

    name: str = "here"

    def __post_init__(self):
        if not self.name:
            raise ValueError("a place has a name")


@frozen
class Nothing:
    """A value without fields."""


def test_it_is_made_shown_and_compared_as_a_dataclass_is():
    ours, theirs = Point(1, y=2, secret="k"), PlainPoint(1, y=2, secret="k")
    assert repr(ours) == repr(theirs).removeprefix("Plain")
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert hash(ours) == hash(theirs)
    assert Point.__match_args__ == PlainPoint.__match_args__
    assert list(inspect.signature(Point).parameters) == list(
        inspect.signature(PlainPoint).parameters
    )


def test_values_are_equal_when_their_compared_fields_are():
    assert Point(1, 2, {"a": 1}) == Point(1, 2, {"b": 2})
    assert Point(1, 2) != Point(1, 3)
    assert Point(1, 2) != PlainPoint(1, 2)
    assert Nothing() == Nothing()
    assert len({Point(1), Point(1), Point(2)}) == 2


def test_a_value_cannot_be_changed():
    point = Point(1)
    with pytest.raises(FrozenInstanceError):
        point.x = 2
    with pytest.raises(FrozenInstanceError):
        del point.x
    with pytest.raises(FrozenInstanceError):
        point.other = 2
    assert not hasattr(point, "__dict__")


def test_every_value_gets_a_default_of_its_own():
    assert Point(1).tags is not Point(1).tags


def test_wrong_arguments_are_refused():
    with pytest.raises(TypeError, match="x"):
        Point()
    with pytest.raises(TypeError):
        Point(1, 2, {}, "secret")
    with pytest.raises(ValueError, match="name"):
        Place(1, name="")


def test_it_can_be_replaced_copied_and_pickled():
    place = Place(1, 2, secret="s", name="home")
    assert replace(place, y=3) == Place(1, 3, secret="s", name="home")
    assert copy.deepcopy(place) == place
    assert pickle.loads(pickle.dumps(place)) == place


def test_it_is_matched_by_position():
    match Place(4, 5):
        case Point(x, y):
            assert (x, y) == (4, 5)
        case _:
            pytest.fail("a place is a point")

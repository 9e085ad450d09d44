"""Which thing on a page is meant: by its reference, its name or its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from interpreter.protocol.desktop import AmbiguousTarget, Box, Candidate, TargetNotFound

USABLE = ("button", "link", "textbox", "checkbox", "radio", "tab", "menuitem", "option", "combobox")
FIELDS = ("textbox", "combobox", "listbox", "searchbox", "spinbutton")
MOST_LOOKED_AT = 20

Name = str | re.Pattern[str]


def located(page: Any, target: str, *, fields: bool = False) -> tuple[Any, str]:
    """The one thing that is meant: by reference, then exactly, then about."""
    if re.fullmatch(r"(f\d+)?e\d+", target):
        return page.locator(f"aria-ref={target}"), target
    for found in _ways(page, target, fields=fields):
        shown = [one for one in found.all()[:MOST_LOOKED_AT] if one.is_visible()]
        if len(shown) == 1:
            return shown[0], target
        if shown:
            raise AmbiguousTarget(target, tuple(_candidate(one, target) for one in shown))
    raise TargetNotFound(f"Nothing on the page is called {target!r}.")


def _ways(page: Any, target: str, *, fields: bool) -> Iterator[Any]:
    """What is called exactly so, then so in other letters, then what has the words in its name.

    A text that is no name must at least begin with the words: somewhere in a sentence they mean
    nothing that could be clicked.
    """
    words = re.escape(target.strip())
    whole = re.compile(rf"^\s*{words}\s*$", re.IGNORECASE)
    within = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
    begins = re.compile(rf"^\s*{words}(?!\w)", re.IGNORECASE)
    for name, text in ((target, target), (whole, whole), (within, begins)):
        yield from _of_name(page, name, text, fields=fields)


def _of_name(page: Any, name: Name, text: Name, *, fields: bool) -> Iterator[Any]:
    exact = isinstance(name, str)
    roles = FIELDS if fields else USABLE
    yield from (page.get_by_role(role, name=name, exact=exact) for role in roles)
    if not fields:
        yield page.get_by_text(text, exact=exact)
    yield page.get_by_label(name, exact=exact)
    yield page.get_by_placeholder(name, exact=exact)


def _candidate(found: Any, target: str) -> Candidate:
    box = found.bounding_box() or {"x": 0, "y": 0, "width": 0, "height": 0}
    place = Box(*(int(box[key]) for key in ("x", "y", "width", "height")))
    return Candidate(target, place, "browser")

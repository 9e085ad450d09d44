"""JSON from somebody who is not trusted: counted before it becomes objects.

A text of 30 MB can stand for more than a gigabyte of empty lists.
"""

from __future__ import annotations

import json
import re
from typing import Any

_SMALL = 1 << 16  # bytes that cannot do harm, whatever they say
_TOKENS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[{,]', re.DOTALL)


class TooManyValues(ValueError):
    """It would take up far more memory than its text."""


def bounded_json(text: bytes, most: int) -> Any:
    """The value of a text with no more than so many values; ValueError, or RecursionError."""
    if len(text) > _SMALL:
        for count, _ in enumerate(_TOKENS.finditer(text), 1):
            if count > most:
                raise TooManyValues(f"it has more than {most} values")
    return json.loads(text)

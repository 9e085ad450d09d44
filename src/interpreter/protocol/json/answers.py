"""Answers in JSON: how they are asked for, found in what a model says, and asked for again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

FENCE = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)


def request(schema: Mapping[str, Any]) -> str:
    """What is asked of the model."""
    return (
        "When you are done, answer with nothing but JSON that fits this schema, in one ```json "
        f"block:\n{json.dumps(schema)}"
    )


def complaint(problem: str) -> str:
    """What the model is told when its answer does not fit."""
    return f"That does not fit the schema: {problem}. Answer again, with nothing but the JSON."


def raw_json(text: str, *, is_object: bool) -> str:
    """The part of an answer that is to be JSON."""
    fenced = FENCE.findall(text)
    raw = fenced[-1] if fenced else text[text.find("{") :] if is_object else text
    return str(raw).strip()


def json_in(text: str, *, is_object: bool = False) -> Any:
    """The value in an answer; ValueError says in a few words what is wrong with it."""
    try:
        return json.loads(raw_json(text, is_object=is_object))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is not JSON ({error})") from error

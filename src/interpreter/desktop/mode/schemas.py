"""How models are told of the desktop: by points, as vendors' own tools do it, and by names."""

from __future__ import annotations

from typing import Any

from interpreter.desktop.mode import actions as act

BY_POINT = (
    "See and use the screen by points in its picture. Every action is answered with a new "
    "picture where something changed."
)
BY_NAME = (
    "Use the desktop by names, which is cheaper and surer than points: `open` a program, list the "
    "`elements` of the active window, `click_text` on what is called so, or take a `screenshot` of "
    "another monitor. A command or a program's own interface by `execute` is cheaper still."
)


def by_point() -> dict[str, Any]:
    """The schema for models that have no computer tool of their own."""
    point = {"type": "array", "items": {"type": "number"}, "description": "x, y in the picture"}
    names = [name for name in act.ACTION_NAMES if name not in act.OURS]
    return {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": names},
            "coordinate": point,
            "start_coordinate": point,
            "text": {
                "type": "string",
                "description": "what to type; a key such as ctrl+s; keys to hold",
            },
            "scroll_direction": {"type": "string", "enum": ["up", "down", "left", "right"]},
            "scroll_amount": {"type": "integer"},
            "duration": {"type": "number", "description": "seconds"},
            "repeat": {"type": "integer"},
            "region": {"type": "array", "items": {"type": "number"}},
        },
        "required": ["action"],
    }


def by_name() -> dict[str, Any]:
    """The schema of what works by names."""
    return {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": [*act.OURS, "screenshot"]},
            "text": {"type": "string", "description": "what to open or to click on"},
            "monitor": {"type": "integer", "description": "counted from 0"},
        },
        "required": ["action"],
    }

"""Claude's own computer tools: which one a model knows, how it is declared, and what it calls."""

from __future__ import annotations

import json
import re
from typing import Any

from interpreter.protocol.events import ActionProposed, ModelEvent
from interpreter.protocol.messages import Action, ActionCall
from interpreter.protocol.ports import ToolSpec
from interpreter.protocol.values import frozen

FAMILY = "computer"
MEMBERS = frozenset({
    "cursor_position", "double_click", "hold_key", "key", "left_click", "left_click_drag",
    "left_mouse_down", "left_mouse_up", "middle_click", "mouse_move", "right_click", "screenshot",
    "scroll", "triple_click", "type", "wait", "zoom",
})  # fmt: skip
"""The tools of the toolset; each is called by its own name."""


@frozen
class ScreenVersion:
    """One dated version; the older ones need a header of their own."""

    kind: str
    beta: str = ""

    @property
    def is_toolset(self) -> bool:
        """Whether its actions are tools of their own."""
        return "toolset" in self.kind

    def declared(self, tool: ToolSpec) -> dict[str, Any]:
        """How a request names it."""
        if self.is_toolset or tool.display is None:
            return {"type": self.kind}
        width, height = tool.display
        size = {"display_width_px": width, "display_height_px": height}
        zoom = {"enable_zoom": True} if self.kind == "computer_20251124" else {}
        return {"type": self.kind, "name": tool.name, **size, **zoom}


VERSIONS = (
    ScreenVersion("computer_toolset_20260801"),
    ScreenVersion("computer_20251124", "computer-use-2025-11-24"),
    ScreenVersion("computer_20250124", "computer-use-2025-01-24"),
    ScreenVersion("computer_20241022", "computer-use-2024-10-22"),
)
_KNOWN = (
    (r"claude-3-5", 3),
    (r"claude-3-7|claude-(sonnet|opus|haiku)-4(-[01]|-\d{8}|$)|claude-(sonnet|haiku)-4-5", 2),
    (r"claude-(sonnet|opus|haiku)-4-", 1),
)


def version_for(model: str) -> ScreenVersion:
    """The newest that a model knows by its name; of new models the newest there is."""
    found = (number for pattern, number in _KNOWN if re.search(pattern, model))
    return VERSIONS[next(found, 0)]


def version_after(refused: ScreenVersion, message: str) -> ScreenVersion | None:
    """The next older one, where the server names the tool in its refusal; None is our own schema.

    ValueError if something else was refused.
    """
    if "computer" not in message and "toolset" not in message:
        raise ValueError(message)
    older = VERSIONS[VERSIONS.index(refused) + 1 :]
    return older[0] if older else None


def with_member(event: ModelEvent, member: str) -> ModelEvent:
    """A call of one tool of the set, as an action of the one tool that we have."""
    if not isinstance(event, ActionProposed) or not isinstance(event.action, ActionCall):
        return event
    call = event.action
    given = {"action": member, **json.loads(call.arguments or "{}")}
    return ActionProposed(ActionCall(FAMILY, json.dumps(given), call.call_id))


def member_of(action: Action) -> tuple[str, dict[str, Any]] | None:
    """The tool of the set that an action was a call of, and what it was given."""
    if not isinstance(action, ActionCall) or action.tool != FAMILY:
        return None
    given = json.loads(action.arguments or "{}")
    member = given.pop("action", None) if isinstance(given, dict) else None
    return (member, given) if isinstance(member, str) and member in MEMBERS else None

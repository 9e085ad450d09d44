"""The shapes of what goes in and out."""

from __future__ import annotations

from interpreter.server.api.schema import Schema, fields, listed, one_of, or_null, text, whole

ANYTHING: Schema = {}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
PLAIN: Schema = {"type": "string"}
CONFLICTS = one_of("refuse", "keep", "overwrite", default="refuse")
SESSION_KEYS = {
    "id": PLAIN,
    "title": PLAIN,
    "model": PLAIN,
    "directory": PLAIN,
    "parent": or_null(PLAIN),
    "created": NUMBER,
    "updated": NUMBER,
    "messages": whole(),
    "state": one_of("parked", "idle", "running", "waiting"),
    "n": whole(),
    "question": or_null(whole()),
}
SESSION = fields(*SESSION_KEYS, **SESSION_KEYS)
SETTINGS: Schema = {
    "type": "object",
    "properties": {
        "model": text(300),
        "max_steps": whole(1, 10_000),
        "max_budget": {"type": "number", "minimum": 0},
        "max_turn_budget": {"type": "number", "minimum": 0},
        "temperature": {"type": ["number", "null"], "minimum": 0, "maximum": 2},
        "reasoning_effort": text(20),
        "custom_instructions": text(50_000),
        "timeout": {"type": "number", "minimum": 0},
        "dry_run": FLAG,
        "safe_mode": one_of("off", "ask", "auto"),
        "auto_run": FLAG,
        "approval": text(20),
        "sandbox": one_of("read-only", "workspace", "trusted", "off"),
        "api_base": text(2_000),
    },
    "additionalProperties": False,
}
SPENT = fields("dollars", "input", "output", dollars=or_null(NUMBER), input=whole(), output=whole())
WHOLE_SESSION = fields(
    *SESSION_KEYS, "settings", "spent", **SESSION_KEYS, settings=SETTINGS, spent=SPENT
)
STARTED = fields("n", n=whole(1))
COMPARED = fields(
    *("text", "messages", "variables", "files"),
    text=PLAIN,
    messages=whole(),
    variables=listed(fields("name", "change", name=PLAIN, change=one_of("new", "changed", "gone"))),
    files=listed(
        fields(
            *("path", "change", "size"),
            path=PLAIN,
            change=one_of("added", "modified", "deleted", "renamed"),
            size=or_null(whole()),
        )
    ),
)
TOLD = fields("told", told=PLAIN)
ERROR: Schema = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {"code": PLAIN, "text": PLAIN, "files": listed(PLAIN)},
            "required": ["code", "text"],
        }
    },
    "required": ["error"],
}
ENTRY = fields(
    *("name", "kind", "size", "modified"),
    name=PLAIN,
    kind=one_of("file", "directory", "link", "other"),
    size=whole(0, 1 << 62),
    modified=NUMBER,
)
VARIABLE = fields(
    *("name", "type", "shape", "size", "preview", "changed"),
    name=PLAIN,
    type=PLAIN,
    shape={"type": ["array", "null"], "items": whole(0, 1 << 62)},
    size={"type": ["integer", "null"]},
    preview=PLAIN,
    changed=FLAG,
)
COLUMN = fields(
    *("name", "type", "nulls", "distinct", "min", "max"),
    name=PLAIN,
    type=PLAIN,
    nulls={"type": ["integer", "null"]},
    distinct={"type": ["integer", "null"]},
    min=ANYTHING,
    max=ANYTHING,
)

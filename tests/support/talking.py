"""Small helpers to talk to a model and to read what came."""

import json

from interpreter.protocol.events import ActionProposed, CodeDelta, ReplyFinished, TextDelta
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import user_says
from interpreter.protocol.ports import Request, ToolSpec

EXECUTE = ToolSpec(
    "execute",
    "Run code.",
    json.dumps({
        "type": "object",
        "properties": {
            "language": {"type": "string", "enum": ["python", "shell", "javascript"]},
            "code": {"type": "string"},
        },
        "required": ["language", "code"],
    }),
)
READ_FILE = ToolSpec(
    "read_file", "Read a file.", '{"type":"object","properties":{"path":{"type":"string"}}}'
)


def request(*messages, system="Be brief.", tools=(EXECUTE,)):
    return Request(system, messages or (user_says("hello"),), tools)


def ask(model, asked=None, interrupt=None):
    return list(model.stream(asked or request(), interrupt or Interrupt()))


def text_of(events):
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def code_of(events):
    return "".join(event.text for event in events if isinstance(event, CodeDelta))


def actions_of(events):
    return [event.action for event in events if isinstance(event, ActionProposed)]


def end_of(events):
    assert isinstance(events[-1], ReplyFinished)
    return events[-1].end

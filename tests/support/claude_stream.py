"""Replies as Anthropic streams them."""

import json

from support.model_server import Raw, event


def stream(*blocks, stop="end_turn", ending="proper"):
    """A reply as Anthropic streams it; each block is its start and its deltas."""
    usage = {
        "input_tokens": 10,
        "cache_read_input_tokens": 90,
        "cache_creation_input_tokens": 20,
        "output_tokens": 1,
    }
    start = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "usage": usage}
    events = [{"type": "message_start", "message": start}, {"type": "ping"}]
    for index, (block, *deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [
            {"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas
        ]
        events.append({"type": "content_block_stop", "index": index})
    if ending == "proper":
        delta = {"stop_reason": stop, "stop_sequence": None}
        events += [
            {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 30}},
            {"type": "message_stop"},
        ]
    named = [b"event: " + e["type"].encode() + b"\n" + event(e) for e in events]
    return Raw(named, ending=ending)


def text(*pieces):
    return ({"type": "text", "text": ""}, *({"type": "text_delta", "text": p} for p in pieces))


def use(call_id, arguments, size=5):
    start = {"type": "tool_use", "id": call_id, "name": "execute", "input": {}}
    cuts = range(0, len(arguments), size)
    return (
        start,
        *({"type": "input_json_delta", "partial_json": arguments[at : at + size]} for at in cuts),
    )


RUN = json.dumps({"language": "python", "code": "print('hi')"})

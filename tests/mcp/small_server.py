"""A small server that behaves well, in the way of 2026-07-28; standard library only."""

import base64
import json
import os
import sys
from pathlib import Path

PNG = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63"
        "6060606000000005000175f3ca3b0000000049454e44ae426082"
    )
).decode()
NUMBER = {"type": "integer"}
TOOLS = {
    "add": ("Add two numbers.", {"a": NUMBER, "b": {**NUMBER, "default": 2}}, ["a"]),
    "fail": ("Fail.", {"why": {"type": "string"}}, ["why"]),
    "picture": ("Show a picture.", {}, []),
    "write": ("Write a file.", {"name": {"type": "string"}, "text": {"type": "string"}}, ["name"]),
    "environment": ("Tell the variables.", {}, []),
    "look": ("Tell whether a path is there.", {"path": {"type": "string"}}, ["path"]),
    "large": ("Say much.", {"megabytes": NUMBER}, ["megabytes"]),
    "pid": ("Tell the number of the process.", {}, []),
}


def listed():
    for name, (text, properties, required) in TOOLS.items():
        schema = {"type": "object", "properties": properties, "required": required}
        tool = {"name": name, "description": text, "inputSchema": schema}
        yield {**tool, "outputSchema": {"type": "object"}} if name == "add" else tool


def said(value):
    return {"content": [{"type": "text", "text": value}]}


def write(name, text=""):
    Path(name).write_text(text)
    return said("written")


DONE = {
    "add": lambda a, b=2: {"content": [], "structuredContent": {"sum": a + b}},
    "fail": lambda why: {**said(why), "isError": True},
    "picture": lambda: {"content": [{"type": "image", "data": PNG, "mimeType": "image/png"}]},
    "write": write,
    "environment": lambda: said(json.dumps(dict(os.environ))),
    "look": lambda path: said(str(Path(path).exists())),
    "large": lambda megabytes: said("y" * (megabytes << 20)),
    "pid": lambda: said(str(os.getpid())),
}

for line in sys.stdin:
    call = json.loads(line)
    match call.get("method"):
        case "server/discover":
            able = {"tools": {}, "prompts": {}, "resources": {}}
            result = {"supportedVersions": ["2026-07-28"], "capabilities": able}
        case "tools/list":
            result = {"tools": list(listed())}
        case "tools/call":
            result = DONE[call["params"]["name"]](**call["params"]["arguments"])
        case "prompts/list":
            given = [{"name": "who", "required": True}, {"name": "how"}]
            result = {"prompts": [{"name": "greet", "description": "Greets.", "arguments": given}]}
        case "prompts/get":
            given = call["params"]["arguments"]
            text = f"Greet {given['who']} {given.get('how', 'warmly')}."
            result = {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}
        case "resources/list":
            result = {"resources": [{"uri": "note://first", "name": "first"}]}
        case "resources/read":
            uri = call["params"]["uri"]
            result = {"contents": [{"uri": uri, "text": "Water the plants."}]}
        case _:
            continue
    answer = {"jsonrpc": "2.0", "id": call["id"], "result": {"resultType": "complete", **result}}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()

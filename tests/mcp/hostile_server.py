"""A server that behaves badly in the way that its first argument names; standard library only.

It speaks the way of 2026-07-28, or with "old-" before the name the one before.
"""

import json
import os
import signal
import subprocess
import sys
import time

TOOL = {
    "name": "do",
    "description": "Do it.",
    "inputSchema": {"type": "object", "properties": {"what": {"type": "string"}}},
    "outputSchema": {
        "type": "object",
        "properties": {"count": {"type": "integer"}},
        "required": ["count"],
    },
}


def say(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(call, **result):
    say({"id": call["id"], "result": {"resultType": "complete", **result}})


def hang(call):
    time.sleep(1000)


def wait(call):
    """Does not answer, but listens."""


def flood(call):
    while True:
        say({"method": "notifications/message", "params": {"level": "info", "data": "x" * 100}})


def endless(call):
    while True:
        sys.stdout.write("x" * 65536)


def junk(call):
    while True:
        sys.stdout.write("this is not for you\n")


def progress(call):
    """Goes on and on, and says so."""
    token = call["params"]["_meta"]["progressToken"]
    for step in range(1_000_000):
        told = {"progressToken": token, "progress": step, "message": f"step {step}"}
        say({"method": "notifications/progress", "params": told})
        time.sleep(0.01)


def lie(call):
    answer(call, content=[], structuredContent={"count": "many"})


def die(call):
    sys.stderr.write("out of luck\n")
    os.kill(os.getpid(), signal.SIGKILL)


def large(call):
    text = "y" * (50 << 20)
    answer(call, content=[{"type": "text", "text": text}])


def change(call):
    TOOL["description"] = "Do something else."
    say({"method": "notifications/tools/list_changed"})
    answer(call, content=[], structuredContent={"count": 1})


def fork(call):
    for _ in range(3):
        subprocess.Popen(["sleep", "1000"])
    answer(call, content=[], structuredContent={"count": 3})


def good(call):
    answer(call, content=[{"type": "text", "text": "done"}], structuredContent={"count": 1})


def ask(call):
    """Wants to know something first, in the way of its time."""
    schema = {"type": "object", "properties": {"name": {"type": "string", "title": "Your name"}}}
    params = {"message": "Who are you?", "requestedSchema": schema}
    if not is_old:
        given = call["params"].get("inputResponses")
        if given is None:
            wanted = {"who": {"method": "elicitation/create", "params": {"mode": "form", **params}}}
            say({
                "id": call["id"],
                "result": {
                    "resultType": "input_required",
                    "inputRequests": wanted,
                    "requestState": "abc",
                },
            })
            return
        said = {**given["who"], "state": call["params"].get("requestState")}
    else:
        say({"id": "q1", "method": "elicitation/create", "params": params})
        said = json.loads(sys.stdin.readline())["result"]
    answer(
        call, content=[{"type": "text", "text": json.dumps(said)}], structuredContent={"count": 1}
    )


def nag(call):
    """Wants to know more, for ever."""
    wanted = {
        "who": {
            "method": "elicitation/create",
            "params": {"message": "?", "requestedSchema": {"type": "object", "properties": {}}},
        }
    }
    say({"id": call["id"], "result": {"resultType": "input_required", "inputRequests": wanted}})


def pages(call):
    """Lists one tool on each of endless pages."""


name = sys.argv[1]
is_old = name.startswith("old-")
behave = globals()[name.removeprefix("old-")]
capabilities = {"tools": {"listChanged": True}}
for line in sys.stdin:
    call = json.loads(line)
    match call.get("method"):
        case "server/discover" if not is_old:
            answer(call, supportedVersions=["2026-07-28"], capabilities=capabilities)
        case "initialize":
            say({
                "id": call["id"],
                "result": {
                    "protocolVersion": "2025-11-25",
                    "capabilities": capabilities,
                    "serverInfo": {"name": "hostile", "version": "1"},
                },
            })
        case "tools/list":
            if behave is pages:
                at = int(call["params"].get("cursor", "0"))
                answer(call, tools=[{**TOOL, "name": f"do{at}"}], nextCursor=str(at + 1))
            else:
                answer(call, tools=[TOOL])
        case "tools/call":
            behave(call)
        case "notifications/cancelled":
            sys.stderr.write("cancelled\n")
        case str() if "id" in call and call["method"] != "subscriptions/listen":
            say({"id": call["id"], "error": {"code": -32601, "message": "Method not found"}})

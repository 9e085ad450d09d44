"""A web app's back end: streams chunks as server-sent events, keeps each user's conversation."""

import json
import sys

from interpreter import interpreter

interpreter.llm.model = sys.argv[1]
interpreter.auto_run = True
interpreter.disable_telemetry = True
interpreter.llm.context_window = 32_000
interpreter.llm.max_tokens = 1_000
interpreter.llm.supports_functions = True
interpreter.custom_instructions = "The user is called Ada."
interpreter.system_message += """
Run shell commands with -y so the user doesn't have to confirm them.
"""

histories = {}


def answer(user, prompt):
    """Server-sent events, one for each chunk."""
    interpreter.messages = histories.get(user, [])
    for chunk in interpreter.chat(prompt, display=False, stream=True):
        yield f"data: {json.dumps(chunk)}\n\n"
    histories[user] = interpreter.messages


def shown(events):
    """What a browser makes of the events: messages, put together by start, content and end."""
    messages = []
    for event in events:
        chunk = json.loads(event.removeprefix("data: "))
        if chunk.get("start"):
            messages.append({**chunk, "content": ""})
        elif chunk.get("end"):
            assert messages[-1]["type"] == chunk["type"]
        elif chunk.get("format") != "active_line":
            messages[-1]["content"] += chunk["content"]
    return [(m["role"], m["type"], m["content"]) for m in messages]


first = shown(answer("ada", "What is 6 * 7?"))
assert first == [
    ("assistant", "message", "Let me compute that."),
    ("assistant", "code", "answer = 6 * 7\nprint(answer)"),
    ("computer", "console", "42\n"),
    ("assistant", "message", "It is 42."),
], first
assert shown(answer("bob", "hi")) == [("assistant", "message", "Hello, Bob.")]
assert shown(answer("ada", "and half of it?"))[1] == ("computer", "console", "21.0")
assert [len(history) for history in histories.values()] == [9, 2]
interpreter.reset()
assert interpreter.messages == []

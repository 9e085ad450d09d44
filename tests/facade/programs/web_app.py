"""A web application: each chunk is fetched by whichever thread is free, and sent as JSON."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

from interpreter import OpenInterpreter


def new_interpreter():
    interpreter = OpenInterpreter(auto_run=True, conversation_history=False)
    interpreter.llm.model = sys.argv[1]
    return interpreter


def served(chunks):
    """What a client of server-sent events gets; no two chunks come from one thread."""
    while True:
        with ThreadPoolExecutor(1) as pool:
            chunk = pool.submit(next, chunks, None).result()
        if chunk is None:
            return
        yield f"data: {json.dumps(chunk)}\n\n"


alice, bob = new_interpreter(), new_interpreter()  # one for each visitor, in the same directory

events = list(served(alice.chat("Add up.", display=False, stream=True)))
contents = [json.loads(event.removeprefix("data: ")) for event in events]
printed = "".join(chunk["content"] for chunk in contents if chunk.get("format") == "output")
assert printed == "5050\n", printed

# This visitor goes away in the middle; the next question is a new one.
for event in served(bob.chat("Add up.", display=False, stream=True)):
    if "output" in event:
        break
assert bob.chat("And?", display=False)[-1]["content"] == "It is 5050."

# What was said is kept by the application, and a question may come with a picture.
kept = json.loads(json.dumps(alice.messages))
alice.reset()
pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
picture = {"role": "user", "type": "image", "format": "base64.png", "content": pixel}
alice.chat([*kept, picture], display=False)
assert alice.messages[: len(kept) + 1] == [*kept, picture]
alice.close()
bob.close()

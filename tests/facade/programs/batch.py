"""A batch job: questions in the background, saved and taken up again, with code run by hand."""

import json
import sys
from pathlib import Path

from interpreter import OpenInterpreter, computer, interpreter

interpreter.llm.model = sys.argv[1]
interpreter.auto_run = True
interpreter.offline = True
interpreter.max_output = 200
interpreter.conversation_history_path = "conversations"

# Prepare a file by hand, in the same session that the model uses.
made = computer.run("shell", "seq 1 5 > numbers.txt && wc -l < numbers.txt")
assert made[0]["content"].strip() == "5"
for chunk in interpreter.computer.run("python", "path = 'numbers.txt'\nprint(path)", stream=True):
    assert chunk["type"] == "console"

# A question in the background; then its messages.
interpreter.chat("Sum the numbers.", display=False, blocking=False)
messages = interpreter.wait()
assert not interpreter.responding
assert messages[-1] == {"role": "assistant", "type": "message", "content": "The sum is 15."}
assert [m["content"] for m in messages if m["type"] == "console"][0].strip() == "15"

# Long output keeps its end.
long = interpreter.chat("Print a lot.", display=False)[1]["content"]
assert len(long) < 300
assert long.rstrip().endswith("9999")

# Saved, forgotten, and taken up again.
(saved,) = Path("conversations").iterdir()
assert saved.name.startswith("Sum_the__")
assert json.loads(saved.read_text()) == interpreter.messages
interpreter.reset()
again = OpenInterpreter(messages=json.loads(saved.read_text()), auto_run=True)
again.llm.model = sys.argv[1]
again.conversation_filename = saved.name
again.conversation_history_path = "conversations"
count = len(again.messages)
again.chat({"role": "user", "type": "message", "content": "Sum them again."}, display=False)
assert len(json.loads(saved.read_text())) == len(again.messages) > count

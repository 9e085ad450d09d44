"""A program with functions of its own, which the model finds and calls."""

import sys
from pathlib import Path

from interpreter import interpreter

Path("skills").mkdir()
Path("skills/shop.py").write_text("def price_of(thing):\n    return {'tea': 3}[thing]\n")

interpreter.os = True  # also where there is no desktop
interpreter.auto_run = True
interpreter.llm.model = sys.argv[1]
interpreter.computer.skills.path = "./skills"
interpreter.computer.import_skills = True
interpreter.computer.save_skills = True

assert interpreter.computer.skills.list() == ["price_of"]
messages = interpreter.chat("What is tea?", display=False)
assert messages[-1]["content"] == "Three."
printed = "".join(m["content"] for m in messages if m["type"] == "console")
assert "3 ['price_of'] ['price_of']" in printed, printed

new = interpreter.computer.skills.new_skill
new.create()
new.name = "Buy tea"
new.add_step("Look up the price", "price_of('tea')")
new.save()
assert "buy_tea" in interpreter.computer.skills.list()

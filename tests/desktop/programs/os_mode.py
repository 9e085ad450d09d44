"""A program that lets a model that sees pictures use the computer, by code and by itself."""

import sys

from interpreter import interpreter

interpreter.os = True
interpreter.auto_run = True
interpreter.offline = True
interpreter.disable_telemetry = True
interpreter.sync_computer = True
interpreter.llm.model = sys.argv[1]
interpreter.llm.supports_vision = True
interpreter.llm.supports_functions = False
interpreter.llm.context_window = 110000
interpreter.llm.max_tokens = 4096
interpreter.computer.import_computer_api = True
interpreter.system_message += "\nYou control the computer of the user."
interpreter.custom_instructions = "Be brief."

messages = interpreter.chat("Order, please.", display=False)
assert messages[-1]["content"] == "The task is done."
printed = "".join(m["content"] for m in messages if m["type"] == "console")
assert "a picture of (1280, 900)" in printed, printed
assert "accessibility Proceed to Checkout" in printed, printed
assert "copied: 17 apples" in printed, printed
assert sum(m["type"] == "image" for m in messages) == 1

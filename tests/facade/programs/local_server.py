"""A model behind a local server that speaks OpenAI's protocol, approved on the command line."""

import sys

from interpreter import interpreter

interpreter.offline = True
interpreter.llm.model = "openai/x"
interpreter.llm.api_key = "fake_key"
interpreter.llm.api_base = sys.argv[1]
interpreter.llm.supports_functions = False
interpreter.llm.execution_instructions = False

new = interpreter.chat("What is 2 + 2?")  # shown in the terminal, where nobody can say yes
assert [m["type"] for m in new][:1] == ["code"], new
assert all(m["content"] != "4\n" for m in new)

interpreter.auto_run = True
new = interpreter.chat("Do it.", display=False)
assert [m["content"].strip() for m in new] == ["print(2 + 2)", "4", "It is 4."], new

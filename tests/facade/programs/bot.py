"""A chat bot that asks its users before code runs, lets them change it, and remembers a no."""

import sys

from interpreter import OpenInterpreter

bot = OpenInterpreter(conversation_history=False, import_computer_api=False)
bot.llm.model = sys.argv[1]
bot.auto_run = False
answers = iter(["no", "edit", "yes"])
sent = []


def on_message(text):
    buffer = ""
    for chunk in bot.chat(text, display=False, stream=True):
        kind = chunk["type"]
        if kind == "message" and "content" in chunk:
            buffer += chunk["content"]
        if kind == "message" and chunk.get("end"):
            sent.append(buffer)
            buffer = ""
        if kind == "confirmation":
            language, code = chunk["content"]["format"], chunk["content"]["content"]
            sent.append(f"Run this {language}? {code}")
            answer = next(answers)
            if answer == "no":
                break
            if answer == "edit":
                bot.messages[-1]["content"] = code.replace("100", "10")
        if kind == "console" and chunk.get("format") == "output":
            sent.append(chunk["content"].strip())


on_message("delete everything")
assert bot.messages[-1]["type"] == "code"
on_message("No! Please sum the numbers up to 100 instead.")
on_message("again, please")
assert sent == [
    *("Sure.", "Run this shell? echo gone"),
    *("Run this python? sum(range(100))", "45", "45."),
    *("Run this python? sum(range(100))", "4950", "4950."),
], sent
assert [m["content"] for m in bot.messages if m["type"] == "console"] == ["45", "4950"]
bot.reset()

"""A model and a language of one's own, as the documentation shows them."""

from interpreter import interpreter


def custom_language_model(messages, model, stream, max_tokens):
    """OpenAI-compatible: this one echoes what the user said."""
    users_content = messages[-1].get("content")
    yield {"delta": {"role": "assistant"}}
    for character in users_content:
        yield {"delta": {"content": character}}


interpreter.llm.completions = custom_language_model
interpreter.llm.context_window = 2000
interpreter.llm.max_tokens = 1000
assert interpreter.chat("Hi!", display=False)[-1]["content"] == "Hi!"

interpreter.messages = []


class Remote:
    """Python somewhere else: here it only counts."""

    file_extension = "py"
    name = "python"

    def __init__(self):
        self.runs = 0

    def run(self, code):
        self.runs += 1
        yield {"type": "console", "format": "output", "content": f"run {self.runs}: {code}"}

    def stop(self):
        pass

    def terminate(self):
        self.runs = 0


interpreter.computer.terminate()
interpreter.computer.languages = [
    language for language in interpreter.computer.languages if language.name != "python"
]
interpreter.computer.languages.append(Remote)
interpreter.auto_run = True

# What the model echoes is a block of code: it runs in the language above.
first, printed = interpreter.chat("```python\nx\n```", display=False)[:2]
assert (first["type"], first["content"].strip()) == ("code", "x")
assert printed["content"].strip() == "run 1: x", printed
assert interpreter.computer.run("python", "y")[0]["content"] == "run 2: y"
interpreter.computer.terminate()
assert interpreter.computer.run("python", "z")[0]["content"] == "run 1: z"
assert "shell" in [language.name for language in interpreter.computer.languages]

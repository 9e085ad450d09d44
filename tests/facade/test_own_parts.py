"""Languages, models, profiles and conversations of the user's own."""

import json

import pytest

from interpreter import BaseLanguage, OpenInterpreter
from interpreter.lmc import read_conversation
from interpreter.protocol.errors import ConfigurationError, ModelError


class Upper:
    """As the documentation shows it: no base class and no __init__."""

    name = "Upper"
    aliases = ("up",)
    file_extension = "up"
    system_message = "# SHOUT\nUse Upper to shout."

    def run(self, code):
        for line in code.splitlines():
            yield {"type": "console", "format": "output", "content": line.upper() + "\n"}

    def stop(self):
        pass

    def terminate(self):
        pass


class Counter(BaseLanguage):
    name = "counter"
    made = 0
    ended = 0

    def __init__(self, computer):
        type(self).made += 1
        self.computer = computer
        self.count = 0

    def run(self, code):
        self.count += 1
        yield {"type": "console", "format": "active_line", "content": 1}
        yield {"type": "console", "format": "output", "content": f"{self.count}"}

    def terminate(self):
        type(self).ended += 1


class Broken(BaseLanguage):
    name = "broken"

    def run(self, code):
        yield {"type": "console", "format": "output", "content": "so far\n"}
        raise RuntimeError("no further")


def outputs(messages):
    return [message["content"] for message in messages if message["type"] == "console"]


def test_a_language_of_ones_own_runs_by_hand_and_by_the_model(play):
    it = play({"code": "hello", "language": "upper"}, "Done.", auto_run=True)
    it.computer.languages.append(Upper)
    assert it.computer.run("Up", "a\nb")[0]["content"] == "A\nB\n"
    assert outputs(it.chat("go", display=False)) == ["HELLO\n"]


def test_languages_can_be_replaced_as_the_documentation_shows(play):
    it = play({"code": "1 + 1"}, {"code": "x", "language": "upper"}, "Done.", auto_run=True)
    it.computer.terminate()
    it.computer.languages = [Upper]
    printed = outputs(it.chat("go", display=False))
    assert "no language 'python'" in printed[0]
    assert printed[1] == "X\n"


def test_languages_can_be_filtered(play):
    it = play()
    it.computer.languages = [one for one in it.computer.languages if one.name == "python"]
    assert it.computer.run("python", "1 + 1")[0]["content"] == "2"
    assert [one.name for one in it.computer.terminal.languages] == ["python"]


def test_a_language_keeps_its_state_and_is_ended(play):
    Counter.made = Counter.ended = 0
    it = play()
    it.computer.languages.append(Counter)
    assert it.computer.run("counter", "")[0]["content"] == "1"
    assert it.computer.run("counter", "")[0]["content"] == "2"
    it.computer.terminate()
    assert it.computer.run("counter", "")[0]["content"] == "1"
    assert (Counter.made, Counter.ended) == (2, 1)
    it.close()
    assert Counter.ended == 2


def test_a_language_that_the_model_used_is_ended_too(play):
    Counter.made = Counter.ended = 0
    it = play({"code": "x", "language": "counter"}, "ok", "ok", auto_run=True)
    it.computer.languages.append(Counter)
    it.chat("go", display=False)
    it.chat("and?", display=False)
    assert (Counter.made, Counter.ended) == (1, 0)
    it.computer.terminate()
    assert Counter.ended == 1


def test_an_error_in_a_language_is_output(play):
    it = play({"code": "x", "language": "broken"}, "I see.", auto_run=True)
    it.computer.languages.append(Broken)
    printed = outputs(it.chat("go", display=False))[0]
    assert printed.startswith("so far\nTraceback")
    assert "RuntimeError: no further" in printed
    assert it.messages[-1]["content"] == "I see."


def test_the_model_is_told_what_a_language_is_for(play):
    seen = []

    def completions(**request):
        seen.append(request["messages"][0]["content"])
        yield {"choices": [{"delta": {"content": "Yes."}}]}

    it = play()
    it.llm.completions = completions
    it.computer.languages.append(Upper)
    it.chat("hi", display=False)
    assert "Use Upper to shout." in seen[0]
    assert "upper" in seen[0]


def fenced(**request):
    """A model without tools, as the documentation shows one."""
    asked = [message for message in request["messages"] if message["role"] == "user"]
    reply = "```python\nprint(6 * 7)\n```" if len(asked) == 1 else "It is 42."
    for character in reply:
        yield {"choices": [{"delta": {"content": character}}]}


def test_a_model_of_ones_own_writes_code_that_runs(play):
    it = play(auto_run=True)
    it.llm.completions = fenced
    new = it.chat("go", display=False)
    assert [m["content"].strip() for m in new] == ["print(6 * 7)", "42", "It is 42."]


def test_a_model_of_ones_own_gets_openai_arguments(play):
    seen = {}

    def completions(model, messages, stream, **more):
        seen.update(model=model, stream=stream, roles=[m["role"] for m in messages], **more)
        yield {"choices": [{"delta": {"content": "Yes."}}]}

    it = play()
    it.llm.model, it.llm.max_tokens, it.llm.temperature = "mine", 99, 0.5
    it.llm.completions = completions
    it.chat("hi", display=False)
    assert (seen["model"], seen["stream"], seen["roles"]) == ("mine", True, ["system", "user"])
    assert (seen["max_tokens"], seen["temperature"]) == (99, 0.5)


def test_a_model_of_ones_own_may_fail(play):
    def completions(**request):
        raise KeyError("quota")
        yield

    it = play()
    it.llm.completions = completions
    with pytest.raises(ModelError, match="quota"):
        it.chat("hi", display=False)


def test_output_templates_reach_a_model_without_tools(play):
    seen = []

    def completions(**request):
        seen.append(request["messages"][-1]["content"])
        yield from fenced(**request)

    it = play(auto_run=True, code_output_template="IT PRINTED {content}!")
    it.llm.completions = completions
    it.chat("go", display=False)
    assert seen[-1] == "IT PRINTED 42!"


def test_the_user_template_is_applied_to_the_last_message_only(play):
    seen = []

    def completions(**request):
        seen.append([m["content"] for m in request["messages"] if m["role"] == "user"])
        yield {"choices": [{"delta": {"content": "Yes."}}]}

    it = play(user_message_template="<<{content}>>")
    it.llm.completions = completions
    it.chat("one", display=False)
    it.chat("two", display=False)
    assert seen == [["<<one>>"], ["one", "<<two>>"]]
    assert [m["content"] for m in it.messages if m["role"] == "user"] == ["one", "two"]


def test_the_model_alone_answers_messages_in_chunks(play):
    it = play("Hello.")
    messages = [
        {"role": "system", "type": "message", "content": "Be brief."},
        {"role": "user", "type": "message", "content": "hi"},
    ]
    assert list(it.llm.run(messages)) == [{"type": "message", "content": "Hello."}]
    with pytest.raises(ConfigurationError, match="system message"):
        list(it.llm.run([messages[1], messages[0]]))


def test_questions_to_the_model_outside_the_conversation(play):
    it = play("Yes.", "Short.", "Very short.")
    assert it.computer.ai.chat("Is it?") == "Yes."
    assert it.computer.ai.summarize("A long text.") == "Short."
    assert it.messages == []


def test_a_long_text_is_read_in_pieces(play):
    it = play("One.", "Two.", "Three.", "Four.", "Five.", "All.")
    assert it.computer.ai.query("word " * 12_000, "What is it?") in ("Four.", "Five.", "All.")


def test_files_are_edited_by_what_stands_in_them(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("one\nto\nthree to\n", encoding="utf-8")
    files = OpenInterpreter().computer.files
    files.edit(str(file), "to", "two")
    assert file.read_text(encoding="utf-8") == "one\ntwo\nthree two\n"
    with pytest.raises(ValueError, match=r"Did you mean one of these\? three two"):
        files.edit(str(file), "three too", "x")
    with pytest.raises(ValueError, match="Original text not found"):
        files.edit(str(file), "zebra", "x")


def test_skills_are_listed_and_imported(play, tmp_path):
    (tmp_path / "greeting.py").write_text("def greet():\n    print('hello')\n")
    it = play("Hi.", skills_path=str(tmp_path), import_skills=True)
    assert it.computer.skills.list() == ["greet"]
    assert it.computer.skills.search("greet someone") == ["greet"]
    it.chat("hi", display=False)
    assert it.computer.run("python", "greet()")[0]["content"] == "hello\n"


def test_no_skills_are_no_error(tmp_path):
    assert OpenInterpreter(skills_path=str(tmp_path / "none")).computer.skills.list() == []


def test_a_profile_sets_the_objects_themselves(play, tmp_path):
    profile = tmp_path / "mine.py"
    profile.write_text(
        "from interpreter import interpreter\n"
        "class Echo:\n"
        "    name = 'echo'\n"
        "    def run(self, code):\n"
        "        yield {'type': 'console', 'format': 'output', 'content': code}\n"
        "interpreter.computer.languages.append(Echo)\n"
        "interpreter.auto_run = True\n"
    )
    it = play()
    it.use_profile(str(profile))
    assert it.auto_run is True
    assert it.computer.run("echo", "x")[0]["content"] == "x"


def test_a_yaml_profile_sets_attributes(tmp_path):
    profile = tmp_path / "mine.yaml"
    profile.write_text(
        "version: 0.2.5\nllm.model: x\ncomputer:\n  import_skills: true\nloop: true\n"
    )
    it = OpenInterpreter()
    it.use_profile(str(profile))
    assert (it.llm.model, it.computer.import_skills, it.loop) == ("x", True, True)
    profile.write_text("modle: x")
    with pytest.raises(ConfigurationError, match="modle"):
        it.use_profile(str(profile))


SAVED = [
    {"role": "user", "type": "message", "content": "plot"},
    {"role": "assistant", "type": "message", "content": "Plotting."},
    {"role": "assistant", "type": "code", "format": "python", "content": "1"},
    {"role": "computer", "type": "console", "format": "output", "content": "1"},
    {"role": "computer", "type": "image", "format": "base64.png", "content": "iVBORw0KGgo="},
    {"role": "assistant", "type": "review", "content": "safe"},
]


def test_a_saved_conversation_is_read_and_continued(play, tmp_path):
    path = tmp_path / "plot__November_15_2026_09-00-00.json"
    path.write_text(json.dumps(SAVED))
    it = play("There it is.")
    it.messages = read_conversation(path)
    it.chat("and?", display=False)
    assert it.messages[:5] == SAVED[:5]
    assert it.messages[-1]["content"] == "There it is."


@pytest.mark.parametrize("text", ["{", "{}", '[{"role": "nobody"}]', "[7]", "[" * 100_000])
def test_a_file_that_is_no_conversation_says_so(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(ConfigurationError):
        read_conversation(path)

"""Languages and models in a profile: those it names, and those it brings along."""

from interpreter import Interpreter


def test_only_the_languages_of_a_profile_run(interpreter_command, script, tmp_path):
    profile = tmp_path / "mine.yaml"
    profile.write_text("version: 0.2.5\ncomputer:\n  languages: [Python, javascript]\n")
    model = script({"code": "echo no", "language": "bash"}, {"code": "print('yes')"}, "Done.")
    done = interpreter_command("-y", "-m", model, "-p", str(profile), "go")
    assert "not among the chosen languages" in done.stderr
    assert "yes" in done.stderr
    assert done.stdout == "Done.\n"


def test_a_language_goes_by_all_its_names():
    with Interpreter("scripted/demo", languages=("bash",)) as it:
        assert it.run("sh", "echo hi").output == "hi\n"
        refused = it.run("python", "1")
        assert not refused.ok
        assert "not among the chosen languages: shell" in refused.text + refused.summary


OWN_PARTS = """\
from interpreter import interpreter, BaseLanguage

class Reverse(BaseLanguage):
    name = "reverse"

    def run(self, code):
        yield {"type": "console", "format": "output", "content": code[::-1]}

def answer(messages, **more):
    said = messages[-1]["content"]
    text = f"```reverse\\n{said}\\n```" if len(messages) == 2 else f"It is {said}."
    yield {"choices": [{"delta": {"content": text}}]}

interpreter.computer.languages.append(Reverse)
interpreter.llm.completions = answer
interpreter.code_output_template = "{content}"
"""


def test_a_language_and_a_model_of_a_profile_in_python(interpreter_command, tmp_path):
    profile = tmp_path / "mine.py"
    profile.write_text(OWN_PARTS)
    done = interpreter_command("-y", "-p", str(profile), "abc")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "It is cba.")


def test_the_same_profile_for_a_typed_interpreter(tmp_path):
    profile = tmp_path / "mine.py"
    profile.write_text(OWN_PARTS)
    with Interpreter(profile=str(profile), auto_run=True) as it:
        assert it.ask("abc").text == "It is cba."
        assert it.run("reverse", "xyz").output == "zyx"
        assert it.run("python", "1 + 1").text == "2"

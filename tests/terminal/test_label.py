"""Below each block stands how it is confined; what runs outside of the sandbox says so."""

import pytest

PROFILE = """
class Reverse:
    name = "reverse"
    def run(self, code):
        yield {"type": "console", "format": "output", "content": code[::-1]}
    def stop(self): ...
    def terminate(self): ...

interpreter.computer.languages.append(Reverse)
"""


@pytest.fixture
def profile(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(PROFILE)
    return str(path)


def test_a_language_of_ones_own_is_not_called_confined(chat, profile):
    replies = {"language": "reverse", "code": "olleh"}, {"code": "print(41 + 1)"}, "Done."
    terminal = chat(*replies, arguments=["-p", profile])
    terminal.type("go\n")
    shown = terminal.wait_for("─ reverse ", "[y]")
    assert "NOT in the sandbox" in shown
    assert "sandbox: writes only here" not in shown
    terminal.type("y")
    terminal.wait_for("hello", "print(41 + 1)", "sandbox: writes only here")


def test_python_in_our_own_process_is_not_called_confined(chat):
    terminal = chat({"code": "print(6)"}, arguments=["--python", "inline"])
    terminal.type("go\n")
    assert "sandbox: writes only here" not in terminal.wait_for("NOT in the sandbox")

"""The profile that docs/languages.md shows, used as it stands: by the command and by programs."""

import re
from pathlib import Path

import pytest
from tests.journeys.conftest import interpreter_command, script  # noqa: F401  (fixtures)

from interpreter import Interpreter, OpenInterpreter
from interpreter.settings.paths import config_directory

PAGE = (Path(__file__).parents[2] / "docs" / "languages.md").read_text()
(SHOWN,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
BLOCKS = (
    {"language": "awk", "code": "BEGIN { print 6 * 7 }"},
    {"language": "calc", "code": "x = 6"},
    {"language": "calculator", "code": "print(x * 8)"},
    "Done.",
)


@pytest.fixture
def profile(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(SHOWN)
    return path


def test_the_command_runs_the_languages_of_a_profile(interpreter_command, script, profile):  # noqa: F811
    done = interpreter_command("-p", str(profile), "-y", "--model", script(*BLOCKS), "go")
    assert done.returncode == 0, done.stderr
    assert "42" in done.stderr
    assert "48" in done.stderr


def test_they_write_where_the_sandbox_lets_them(interpreter_command, script, profile, tmp_path):  # noqa: F811
    source = f'BEGIN {{ print "x" > "here"; print "x" > "{tmp_path}/outside" }}'
    model = script({"language": "awk", "code": source}, "Done.")
    interpreter_command("-p", str(profile), "-y", "--model", model, "go")
    assert (tmp_path / "work" / "here").exists()
    assert not (tmp_path / "outside").exists()


def test_the_settings_name_them(interpreter_command):  # noqa: F811
    place = config_directory() / "profiles"
    place.mkdir(parents=True)
    (place / "default.yaml").write_text(SHOWN)
    shown = interpreter_command("config").stdout
    assert re.search(r"^languages +awk, calculator +profile", shown, re.MULTILINE)


def test_a_mistake_in_one_names_its_file_and_line(interpreter_command, tmp_path):  # noqa: F811
    (tmp_path / "wrong.yaml").write_text("auto_run: true\nlanguages:\n  - name: awk\n")
    done = interpreter_command("-p", str(tmp_path / "wrong.yaml"), "go")
    assert done.returncode == 2
    assert "wrong.yaml, line 2: A language needs a name and a command." in done.stderr


def test_names_beside_them_leave_the_others_out(tmp_path):
    (tmp_path / "mine.yaml").write_text(f"{SHOWN}  - python\n")
    with Interpreter("scripted/demo", profile=str(tmp_path / "mine.yaml"), auto_run=True) as it:
        assert it.run("calc", "print(2)").output == "2\n"
        assert it.run("python", "print(3)").output == "3\n"
        assert "not among the chosen languages" in it.run("shell", "echo 4").summary


def test_a_typed_program_has_them(profile):
    with Interpreter("scripted/demo", profile=str(profile), auto_run=True) as it:
        assert it.run("awk", "BEGIN { print 6 * 7 }").output == "42\n"


def test_a_program_written_for_open_interpreter_has_them(profile):
    it = OpenInterpreter(conversation_history=False)
    it.use_profile(str(profile))
    it.computer.run("calc", "x = 6")
    assert it.computer.run("calculator", "print(x * 7)")[0]["content"] == "42\n"
    assert it.computer.run("python", "print(1)")[0]["content"] == "1\n"
    it.close()

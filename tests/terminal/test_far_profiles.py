"""A profile from an address: shown, and used only by whoever says yes to it."""

import pytest
from tests.journeys.conftest import COMMAND, interpreter_command  # noqa: F401  (a fixture)

PROFILE = "interpreter.llm.model = interpreter.llm.model\nopen({path!r}, 'w').close()\n"


@pytest.fixture
def profile(served, tmp_path):
    """The address of a profile that leaves a trace when it runs."""
    return served("/mine.py", PROFILE.format(path=str(tmp_path / "it ran")))


def test_it_is_shown_and_runs_after_a_yes(start, profile, tmp_path):
    terminal = start("Hello.", arguments=["-p", profile])
    terminal.wait_for("/mine.py:", "interpreter.llm.model = interpreter.llm.model", "Use it?")
    assert not (tmp_path / "it ran").exists()
    terminal.type("yes\n")
    terminal.wait_for_prompt()
    assert (tmp_path / "it ran").exists()


def test_anything_else_is_a_no(start, profile, tmp_path):
    terminal = start(arguments=["-p", profile])
    terminal.wait_for("Use it?")
    terminal.press("Enter")
    terminal.wait_for("was not confirmed")
    assert terminal.wait_for_end() == 2
    assert not (tmp_path / "it ran").exists()


def test_an_escape_code_in_it_does_not_reach_the_terminal(start, served):
    terminal = start(arguments=["-p", served("/a.yaml", "auto_run: true # \x1b[2J\x1b[H gone?\n")])
    terminal.wait_for("auto_run: true #", "Use it?")


def test_where_nobody_can_be_asked_it_is_refused(
    interpreter_command,  # noqa: F811
    profile,
    tmp_path,
):
    done = interpreter_command("-p", profile, "hi")
    assert done.returncode == 2
    assert "was not confirmed" in done.stderr
    assert "in the directory that `interpreter --profiles` prints needs no question" in done.stderr
    assert not (tmp_path / "it ran").exists()


def test_a_name_is_not_taken_for_a_file_of_this_directory(interpreter_command, tmp_path):  # noqa: F811
    for name in ("local.py", "mine.py"):  # of which the first is also the name of a shipped one
        (tmp_path / "work" / name).write_text(PROFILE.format(path=str(tmp_path / "it ran")))
        done = interpreter_command("--profile", name, "hello")
        assert done.returncode != 0
        assert not (tmp_path / "it ran").exists()
    assert "For the file in this directory: ./mine.py" in done.stderr


def test_a_program_in_the_directory_where_code_works_must_be_confirmed(start, tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "local.py").write_text(PROFILE.format(path=str(tmp_path / "it ran")))
    command = f"cd {tmp_path}/work && exec {COMMAND} --model scripted/demo -p ./local.py"
    terminal = start(argv=["sh", "-c", command])
    terminal.wait_for("local.py:", "interpreter.llm.model = interpreter.llm.model", "Use it?")
    assert not (tmp_path / "it ran").exists()
    terminal.type("yes\n")
    terminal.wait_for_prompt()
    assert (tmp_path / "it ran").exists()


def test_where_nobody_can_be_asked_a_program_of_this_directory_is_refused(
    interpreter_command,  # noqa: F811
    tmp_path,
):
    for name, text in {"a.py": PROFILE, "b.yaml": "start_script: |\n  {path!r}\n"}.items():
        (tmp_path / "work" / name).write_text(text.format(path=str(tmp_path / "it ran")))
        done = interpreter_command("-p", f"./{name}", "hello")
        assert done.returncode == 2
        assert "was not confirmed" in done.stderr
    assert not (tmp_path / "it ran").exists()

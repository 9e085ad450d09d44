"""A project's own files, as the user of the command meets them: used once they are trusted."""

import subprocess
from pathlib import Path

import pytest
from tests.journeys.conftest import COMMAND

from support.model_server import ModelServer, said


@pytest.fixture
def server():
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture
def ask(server, interpreter_command):
    """Ask the model behind the loopback server."""

    def ask(*arguments, **options):
        where = ("--model", "openai/gpt-x", "--api_base", server.url, "--api_key", "k")
        return interpreter_command(*where, "-y", "--once", *arguments, **options)

    return ask


@pytest.fixture
def work(tmp_path, interpreter_command):
    return tmp_path / "work"


def system_text(server, request=-1):
    return next(
        m["content"] for m in server.requests[request].json["messages"] if m["role"] == "system"
    )


def trust(directory, *arguments):
    done = subprocess.run(
        [COMMAND, "trust", *arguments], cwd=directory, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_instructions_are_left_out_and_that_is_said_until_the_directory_is_trusted(
    server, ask, work
):
    (work / "AGENTS.md").write_text("Use tabs.")
    server.replies = [said("Hi."), said("Hi.")]
    done = ask("hello")
    assert "Use tabs." not in system_text(server)
    assert "Not used, because this directory is not trusted: AGENTS.md." in done.stderr
    assert "Trusted" in trust(work)
    assert trust(work, "--list").strip() == str(work.resolve())
    done = ask("hello")
    assert "Instructions from AGENTS.md:\nUse tabs." in system_text(server)
    assert "not trusted" not in done.stderr
    trust(work, "--remove")
    assert trust(work, "--list") == ""


def test_the_users_own_instructions_need_no_trust(server, ask, own_home):
    own = own_home / "xdg_config_home" / "reploop"
    own.mkdir(parents=True)
    (own / "AGENTS.md").write_text("I am Ada.")
    server.replies = [said("Hi.")]
    ask("hello")
    assert "I am Ada." in system_text(server)


def code(source):
    return said(f"```python\n{source}\n```")


def test_instructions_below_are_told_when_code_goes_there(server, ask, work):
    (work / "web").mkdir()
    (work / "web" / "AGENTS.md").write_text("No frameworks.")
    trust(work)
    server.replies = [
        code("open('web/page.txt', 'w').write('x')"),
        code("print('web/page.txt')"),
        said("Done."),
    ]
    ask("go")
    assert "No frameworks." not in system_text(server)
    results = [str(request.json["messages"][2:]) for request in server.requests]
    assert results[1].count("No frameworks.") == 1
    assert results[2].count("No frameworks.") == 1


def test_a_skill_of_the_users_is_offered_read_and_its_script_run_in_the_cell(server, ask, own_home):
    skill = own_home / ".agents" / "skills" / "greet"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(
        "---\nname: greet\ndescription: Greets people: politely\n---\nRun greet.py.\n"
    )
    (skill / "greet.py").write_text("print('Good day')")
    source = "\n".join([
        "text = skills.read('greet')",
        "place = text.partition('are in ')[2].rstrip('.)')",
        "import subprocess, sys",
        "print(text.splitlines()[0], subprocess.run([sys.executable, place + '/greet.py'], capture_output=True, text=True).stdout)",
    ])
    server.replies = [code(source), said("Done.")]
    ask("greet me")
    assert "- greet: Greets people: politely" in system_text(server)
    assert "Run greet.py. Good day" in str(server.requests[1].json["messages"])


def test_what_is_remembered_is_told_in_the_next_session_without_keys(server, ask, own_home):
    key = "sk-" + "proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
    server.replies = [
        code(f"print(memory.remember('Tests: make test. Key {key}'))"),
        said("Done."),
        said("Hi."),
    ]
    ask("remember how to test")
    ask("hello")
    text = system_text(server)
    assert "Tests: make test." in text
    kept = list(Path(own_home).rglob("memory/*.md"))
    assert len(kept) == 1
    assert key not in kept[0].read_text()
    assert key not in text

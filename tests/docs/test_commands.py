"""The commands that the pages show, typed as a reader types them, in an empty home without a key."""

import re
import shlex
from pathlib import Path

import pytest
from tests.journeys.conftest import interpreter_command, script  # noqa: F401  (fixtures)

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def shown(page, kind):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return [body for found, body in FENCE.findall(text) if found == kind]


def lines_of(page):
    """The lines that begin with `interpreter`, without what is said about them."""
    rows = [
        row.partition("  #")[0].strip() for body in shown(page, "sh") for row in body.split("\n")
    ]
    return [row for row in rows if row.startswith("interpreter")]


def test_the_commands_of_the_page_about_sessions_do_what_they_say(interpreter_command, script):  # noqa: F811
    model = script("Zebras have stripes.", repeat=True)
    interpreter_command("--model", model, "zebras?")
    exported = ("sessions", "export", "last", "one.json")
    assert interpreter_command(*exported).returncode == 0
    lines = lines_of("sessions.md")
    assert len(lines) == 8
    for line in lines:
        session = interpreter_command("sessions").stdout.split()[0]
        words = shlex.split(line.replace(" ID", f" {session}").replace("FILE...", "one.json"))[1:]
        words = ["zebras" if word == "WORDS" else word for word in words]
        talks = words[0].startswith("-")
        more = ("--model", model) if talks else ()
        done = interpreter_command(*words, *more, *(["and?"] if "--resume" in words else []))
        assert (done.returncode, line) == (0, line), done.stderr
        assert done.stdout


def test_the_script_of_the_page_about_scripted_models_plays_as_said(interpreter_command, tmp_path):  # noqa: F811
    whole, greeting = shown("scripted-models.md", "yaml")
    (tmp_path / "work" / "hello.yaml").write_text(greeting)
    first, demo = lines_of("scripted-models.md")
    assert interpreter_command(*shlex.split(first)[1:]).stdout == "Hello.\n"
    assert "scripted demo" in interpreter_command(*shlex.split(demo)[1:], "-y", "hi").stdout
    (tmp_path / "work" / "hello.yaml").write_text(whole)
    done = interpreter_command("-y", *shlex.split(first)[1:])
    assert done.stdout == "Let me add.\nLet me look.\nIt is 5.\n"
    assert "```\n5\n" in done.stderr


@pytest.mark.parametrize(
    "line",
    ["interpreter doctor", "interpreter config", "interpreter sessions", "interpreter models list"]
    + [f"interpreter completion {shell}" for shell in ("bash", "zsh", "fish")]
    + ["interpreter --version", "interpreter --profiles", "interpreter --help"],
)
def test_what_looks_around_works_before_anything_is_set_up(interpreter_command, line):  # noqa: F811
    done = interpreter_command(*shlex.split(line.removeprefix("interpreter ")))
    assert done.returncode == 0, done.stderr


def test_the_rules_that_the_page_shows_are_read(interpreter_command, script, tmp_path):  # noqa: F811
    (rules,) = shown("rules.md", "toml")
    (tmp_path / "rules.toml").write_text(rules)
    block = {"code": "git push origin main", "language": "shell"}
    model = script(block, "Done.")
    done = interpreter_command(
        "-y", "--rules", str(tmp_path / "rules.toml"), "--model", model, "go"
    )
    assert "pushing is for people" in done.stderr


def test_the_install_page_names_the_extras_that_there_are():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    page = (ROOT / "docs" / "install.md").read_text()
    named = set(re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE))
    assert named == set(project["optional-dependencies"])


def test_the_settings_page_names_every_setting_and_no_other():
    from interpreter.settings.settings import is_setting
    from interpreter.settings.sources import NAMES

    page = (ROOT / "docs" / "settings.md").read_text()
    cells = re.findall(r"^\| (`.*?`) \| ", page, re.MULTILINE)
    named = re.findall(r"`(\w+)`", " ".join(cells))
    assert sorted(named) == sorted(NAMES)
    for text in shown("settings.md", "yaml"):
        assert all(is_setting(line.partition(":")[0]) for line in text.splitlines())


def test_the_terminal_page_lists_every_command():
    from interpreter.terminal.magics.table import COMMANDS

    page = (ROOT / "docs" / "terminal.md").read_text()
    assert [name for name in COMMANDS if f"{name}" not in page] == []

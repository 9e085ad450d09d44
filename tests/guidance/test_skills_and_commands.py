"""Skills and commands of the user's own: found, read leniently, and expanded."""

import pytest

from interpreter.guidance import commands, front_matter, skills


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def skill(folder, name, description, body="Do it."):
    text = f"---\nname: {name}\ndescription: {description}\n---\n{body}\n"
    return write(folder / name / "SKILL.md", text)


@pytest.fixture
def places(tmp_path):
    home, project = tmp_path.resolve() / "home", tmp_path.resolve() / "project"
    home.mkdir()
    project.mkdir()
    return home, project


def test_front_matter_with_colons_and_no_quotes_is_read():
    settings, rest = front_matter.split("---\nname: x\ndescription: Use when: a, b: c\n---\nBody")
    assert (settings, rest) == ({"name": "x", "description": "Use when: a, b: c"}, "Body")
    assert front_matter.split("no settings") == ({}, "no settings")


def test_skills_of_the_project_stand_in_for_those_of_the_user(places):
    home, project = places
    skill(home / ".agents/skills", "report", "mine")
    skill(home / ".claude/skills", "plots", "Draws plots: good ones")
    skill(project / ".claude/skills", "report", "theirs")
    found = skills.find(home, project)
    assert [(one.name, one.description) for one in found.found] == [
        ("report", "theirs"),
        ("plots", "Draws plots: good ones"),
    ]
    assert found.warnings == ("The project's skill report stands in for your own.",)
    assert "- report: theirs\n" in skills.catalogue(found.found)
    assert [one.description for one in skills.find(home, None).found] == [
        "mine",
        "Draws plots: good ones",
    ]
    assert skills.catalogue(()) == ""


@pytest.mark.parametrize(
    ("name", "description", "reason"),
    [
        ("Big", "x", "small letters"),
        ("other", "x", "its directory"),
        ("fine", "", "no description"),
    ],
)
def test_a_skill_that_breaks_the_rules_is_left_out_with_a_sentence(
    places, name, description, reason
):
    home, _ = places
    text = f"---\nname: {name}\ndescription: {description}\n---\n"
    write(home / ".agents/skills" / "fine" / "SKILL.md", text)
    found = skills.find(home, None)
    assert found.found == ()
    assert reason in found.warnings[0]


def test_a_command_takes_its_arguments_and_the_output_of_its_lines(places):
    home, project = places
    text = "---\ndescription: Reviews\nargument-hint: FILE\n---\nReview $1 as $ARGUMENTS.\n!`git status`\n"
    write(home / ".claude/commands/review.md", text)
    found = commands.find(home, project, ())
    command = found["review"]
    assert (command.description, command.hint) == ("Reviews", "FILE")
    ran = []
    message = commands.expanded(
        command, "'a b.py' gently", lambda line: ran.append(line) or "clean"
    )
    assert message == "Review a b.py as 'a b.py' gently.\nclean"
    assert ran == ["git status"]


def test_what_is_typed_after_a_command_is_never_run(places):
    home, _ = places
    write(home / ".agents/commands/echo.md", "Say:\n$ARGUMENTS")
    command = commands.find(home, None, ())["echo"]
    message = commands.expanded(command, "!`rm -rf /`", lambda line: pytest.fail(line))
    assert message == "Say:\n!`rm -rf /`"


def test_words_after_a_command_that_takes_none_are_added(places):
    home, _ = places
    write(home / ".agents/commands/tidy.md", "Tidy up.")
    command = commands.find(home, None, ())["tidy"]
    assert commands.expanded(command, "only src", str) == "Tidy up.\n\nonly src"


def test_a_skill_is_a_command_too(places):
    home, _ = places
    skill(home / ".agents/skills", "report", "Reports", "Write a report.")
    found = commands.find(home, None, skills.find(home, None).found)
    assert commands.expanded(found["report"], "on tea", str) == "Write a report.\n\n\non tea"

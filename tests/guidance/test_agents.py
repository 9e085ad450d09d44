"""Agents: files that say what they are told, and tasks that code hands to them."""

from pathlib import Path

import pytest

from interpreter.assembly import SessionFactory
from interpreter.guidance import agents
from interpreter.models.scripted import ScriptedModel
from interpreter.protocol.actions import Decision
from interpreter.protocol.hooks import Hook, HookAnswer
from interpreter.protocol.messages import Output
from interpreter.protocol.ports import nobody_answers
from interpreter.settings import trust
from interpreter.settings.settings import Settings


def write(place, name, head="", body="You count things."):
    file = place / ".agents" / "agents" / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"---\nname: {name}\ndescription: Counts: well\n{head}---\n{body}\n")


def test_files_are_read_and_the_projects_stand_in_for_the_users(tmp_path):
    home, project = tmp_path / "home", tmp_path / "project"
    write(home, "counter", "model: openai/small\ntools: Read, Grep\n", "Mine.")
    write(home, "other", "model: inherit\ntools: [Bash]\n")
    write(project, "counter", "model: openai/large\n", "Theirs.")
    write(project, "empty", body="")
    mine = agents.find(home, None)
    assert mine["counter"] == agents.AgentFile(
        "counter", "Counts: well", "Mine.", "openai/small", reads_only=True
    )
    assert (mine["other"].model, mine["other"].reads_only) == ("", False)
    both = agents.find(home, project)
    assert (both["counter"].text, both["counter"].model) == ("Theirs.", "")
    assert sorted(both) == ["counter", "other"]
    assert "- counter: Counts: well" in agents.catalogue(both.values())
    assert agents.catalogue([]) == ""


@pytest.fixture
def work(tmp_path, monkeypatch):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    trust.trust(tmp_path / "work")
    return tmp_path / "work"


@pytest.fixture
def start(work):
    opened = []

    def start(*replies, answer="yes", hooks=(), **settings):
        chosen = Settings(model="scripted/x", **{"auto_run": True, **settings})
        asked = []

        def approve(request):
            asked.append(request)
            return Decision(answer)

        factory = SessionFactory(chosen, approve, nobody_answers)
        opened.append(factory)
        factory.hooks.add(*hooks)
        script = [
            {"language": "python", "code": one[1:]} if one.startswith("!") else one
            for one in replies
        ]
        return factory, factory.open_session(chosen, model=ScriptedModel(script)), asked

    yield start
    for factory in opened:
        factory.close()


def told(session):
    parts = [part for message in session.transcript for part in message.parts]
    return "\n".join(part.text for part in parts if isinstance(part, Output))


def test_a_task_is_done_in_a_copy_reported_and_undone_with_the_block(work, start):
    write(work, "counter")
    (work / "data.txt").write_text("1\n2\n3\n")
    seen = []

    def note(call):
        seen.append((call.event, call.payload.get("agent_type")))
        return HookAnswer()

    hooks = [Hook(event, note) for event in ("SubagentStart", "SubagentStop", "Stop", "PreToolUse")]
    factory, session, asked = start(
        "!print(agents.run('counter', 'Count the lines of data.txt.'))",
        "!n = len(open('data.txt').readlines()); open('count.txt', 'w').write(str(n))",
        "There are 3 lines.",
        "!print('n' in dir())",
        "It has 3 lines.",
        hooks=hooks,
    )
    list(session.send("How long is data.txt?"))
    assert asked == []
    out = told(session)
    assert "There are 3 lines." in out
    assert "[files that it changed: count.txt]" in out
    assert "False" in out
    assert (work / "count.txt").read_text() == "3"
    assert ("SubagentStart", "counter") in seen
    assert ("SubagentStop", "counter") in seen
    assert seen[-1] == ("Stop", None)
    assert seen.count(("PreToolUse", "counter")) == 1
    assert factory.budget.session.output > 0
    (child,) = factory.store.children(session.id)
    kept = factory.store.messages(child.id)
    said = [message.text for message in kept if not message.is_private]
    assert said[0] == "Count the lines of data.txt."
    assert said[-1] == "There are 3 lines."
    assert [one.id for one in factory.store.list()] == [session.id]
    session.undo(2)
    assert not (work / "count.txt").exists()


def test_what_an_agent_asks_is_asked_in_its_name_and_a_no_holds(work, start):
    write(work, "counter")
    _, session, asked = start(
        "!print(agents.run('counter', 'Make a file.'))",
        "!open('made.txt', 'w').write('x')",
        "Nothing was made.",
        "Done.",
        auto_run=False,
        answer="yes",
    )
    list(session.send("go"))
    assert len(asked) == 3, [one.reason for one in asked]
    assert "The agent counter asks." in asked[2].reason
    assert "open('made.txt', 'w').write('x')" in asked[2].reason
    assert Path("made.txt").exists()


def test_one_that_reads_only_changes_nothing_and_none_starts_another(work, start):
    write(work, "reader", "tools: Read, Grep\n")
    _, session, _ = start(
        "!print(agents.run('reader', 'Look.'))",
        "!open('made.txt', 'w').write('x')",
        "!agents.run('reader', 'Look again.')",
        "I could not.",
        "!agents.run('nobody', 'x')",
        "Done.",
    )
    list(session.send("go"))
    assert not (work / "made.txt").exists()
    assert "I could not." in told(session)
    assert "There is no agent 'nobody'; there are: reader." in told(session)

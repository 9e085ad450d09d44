"""Code that the model writes calls functions of the host, in a whole session with all its walls."""

import pytest
from tests.live import wait_until

from interpreter.assembly import SessionFactory
from interpreter.models.scripted import ScriptedModel
from interpreter.protocol.actions import Decision
from interpreter.protocol.calls import HostFunction
from interpreter.protocol.events import ExecutionFinished, HostCallFinished, OutputDelta
from interpreter.protocol.ports import nobody_answers
from interpreter.settings.settings import Settings

calls = []


def note(arguments, context):
    calls.append(arguments["text"])
    return len(calls)


NOTE = HostFunction(
    "computer.note",
    "Notes a text.",
    {"type": "object", "properties": {"text": {"type": "string"}}},
    note,
    asks=False,
)


@pytest.fixture
def session(tmp_path, monkeypatch):
    """Opens a session with a script; the factory, the session, and its turns' events."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    calls.clear()
    opened = []

    def start(*replies, **settings):
        chosen = Settings(model="scripted/demo", auto_run=True, **settings)
        factory = SessionFactory(chosen, lambda request: Decision("yes"), nobody_answers)
        opened.append(factory)
        factory.host_functions.add(NOTE)
        script = [
            reply for code in replies for reply in ({"language": "python", "code": code}, "Done.")
        ]
        return factory, factory.open_session(chosen, model=ScriptedModel(script))

    yield start
    for factory in opened:
        factory.close()


def printed(events):
    return "".join(event.text for event in events if isinstance(event, OutputDelta))


def ends(events):
    return [event.outcome for event in events if isinstance(event, ExecutionFinished)]


def test_a_call_is_a_line_in_the_transcript(session):
    _, conversation = session("print(computer.note('hello'))")
    events = list(conversation.send("go"))
    assert printed(events) == "1\n"
    assert calls == ["hello"]
    result = next(message for message in conversation.transcript if message.role == "computer")
    told = "".join(getattr(part, "text", "") for part in result.parts)
    assert '[computer.note("text": "hello"): ok]' in told


def test_of_many_calls_the_first_have_a_line_and_the_others_are_counted(session):
    _, conversation = session("for n in range(50): computer.note(str(n))")
    events = list(conversation.send("go"))
    assert len([event for event in events if isinstance(event, HostCallFinished)]) == 50
    result = next(message for message in conversation.transcript if message.role == "computer")
    told = "".join(getattr(part, "text", "") for part in result.parts)
    assert told.count("[computer.note(") == 20
    assert "[30 more calls of the host]" in told


def test_calls_work_after_an_undo_and_the_names_are_no_variables(session):
    factory, conversation = session(
        "x = 1\ncomputer.note('before')",
        "x = 2\ncomputer.note('second')",
        "print(x, computer.note('after'))",
    )
    list(conversation.send("go"))
    list(conversation.send("go on"))
    conversation.undo()
    events = list(conversation.send("and now"))
    assert printed(events) == "1 3\n"
    assert calls == ["before", "second", "after"]
    assert set(factory.environment.session_cell.opened.variables.digests()) == {"x"}


def test_calls_work_after_the_runtimes_were_restarted(session):
    factory, conversation = session("computer.note('before')", "print(computer.note('after'))")
    list(conversation.send("go"))
    factory.restart_runtimes()
    events = list(conversation.send("go on"))
    assert (printed(events), ends(events)) == ("2\n", ["ok"])


def test_calls_work_without_walls(session):
    _, conversation = session("print(computer.note('open'))", sandbox="off")
    assert printed(conversation.send("go")) == "1\n"


def test_secrets_are_not_shown_in_what_is_told_of_a_call(session, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdefghijklmnop")
    _, conversation = session("computer.note('sk-0123456789abc' + 'defghijklmnop')")
    events = list(conversation.send("go"))
    (finished,) = [event for event in events if isinstance(event, HostCallFinished)]
    assert "0123456789abcdefghijklmnop" not in finished.call.arguments
    assert calls == ["sk-0123456789abcdefghijklmnop"]


def test_code_asks_the_model_of_its_session_and_the_session_pays(session):
    factory, conversation = session("print(computer.ai.chat('What is it?'))")
    script = [{"language": "python", "code": "print(computer.ai.chat('What is it?'))"}]
    script += ["A fish.", "It is a fish."]
    conversation.engine = factory.engine(conversation_settings(), ScriptedModel(script))
    events = list(conversation.send("go"))
    assert printed(events) == "A fish.\n"
    assert factory.budget.session.requests == 3
    assert conversation.transcript[-1].text == "It is a fish."


def test_a_long_text_is_summarized_in_pieces(session):
    factory, conversation = session()
    code = "print(computer.ai.summarize('some words ' * 14_000))"
    script = [{"language": "python", "code": code}, "one", "two", "three", "all", "Done."]
    conversation.engine = factory.engine(conversation_settings(), ScriptedModel(script))
    assert printed(conversation.send("go")) == "all\n"
    assert factory.budget.session.requests == 6


def test_a_session_without_budget_refuses_what_code_asks(session):
    factory, conversation = session()
    script = [{"language": "python", "code": "computer.ai.chat('What?')"}, "A fish."]
    settings = conversation_settings(max_session_steps=1)
    conversation.engine = factory.engine(settings, ScriptedModel(script))
    events = list(conversation.send("go"))
    (end,) = [event for event in events if isinstance(event, ExecutionFinished)]
    assert "The session may take 1 steps" in end.summary


def test_a_call_in_the_background_is_told_with_the_next_block(session, tmp_path):
    later = "import os, pathlib, threading, time\ndef call():\n"
    later += "    while not os.path.exists('go'):\n        time.sleep(0.01)\n"
    later += "    computer.note('late')\n    pathlib.Path('done').touch()\n"
    _, conversation = session(later + "threading.Thread(target=call).start()", "1")
    list(conversation.send("go"))
    (tmp_path / "work" / "go").touch()
    wait_until((tmp_path / "work" / "done").exists)
    list(conversation.send("and then"))
    last = [message for message in conversation.transcript if message.role == "computer"][-1]
    told = "".join(getattr(part, "text", "") for part in last.parts)
    assert '[called in the background: computer.note("text": "late"): ok]' in told


def test_an_edit_of_a_file_is_undone_with_its_block(session, tmp_path):
    file = tmp_path / "work" / "notes.txt"
    file.write_bytes(b"one\r\ntwo\r\n")
    _, conversation = session("computer.files.edit('notes.txt', 'two', 'three')")
    assert ends(conversation.send("go")) == ["ok"]
    assert file.read_bytes() == b"one\r\nthree\r\n"
    conversation.undo()
    assert file.read_bytes() == b"one\r\ntwo\r\n"


def test_an_edit_reaches_no_further_than_the_code(session, tmp_path):
    (tmp_path / "elsewhere.txt").write_text("one")
    path = str(tmp_path / "elsewhere.txt")
    _, conversation = session(f"computer.files.edit({path!r}, 'one', 'two')")
    assert ends(conversation.send("go")) == ["failed"]
    assert (tmp_path / "elsewhere.txt").read_text() == "one"


def test_a_text_that_is_not_there_is_told_with_what_is_similar(session, tmp_path):
    (tmp_path / "work" / "notes.txt").write_text("total = 41\n")
    _, conversation = session("computer.files.edit('notes.txt', 'total = 42', 'x')")
    (end,) = [e for e in conversation.send("go") if isinstance(e, ExecutionFinished)]
    assert "Did you mean one of these? total = 41" in end.summary


def test_files_and_documentation_are_searched_by_words(session, tmp_path):
    (tmp_path / "work" / "fish.md").write_text("# Animals\n\nA herring is a fish of the sea.\n")
    (tmp_path / "work" / "bird.md").write_text("# Animals\n\nA swift is a bird.\n")
    _, conversation = session(
        "print(computer.files.search('fish in the sea')[0].splitlines()[0])\n"
        "print(computer.docs.search('decode a document into a python object', 'json')[0])",
    )
    said = printed(conversation.send("go"))
    assert said.splitlines()[0] == "fish.md:1"
    assert "json.load" in said or "json.JSONDecoder" in said


def test_a_part_that_is_not_here_says_what_there_is(session):
    _, conversation = session("print(hasattr(computer, 'fridge'))\ncomputer.fridge.open()")
    events = list(conversation.send("go"))
    assert printed(events).startswith("False\n")
    (end,) = [event for event in events if isinstance(event, ExecutionFinished)]
    assert "There is no computer.fridge; there are: ai, browser, " in end.summary


IMPORTS = """
import computer
from computer import note, display
import computer.mouse
print(computer.note("imported"), note("by name"), computer.mouse)
import tomllib
try:
    import nothing_of_this_name
except ModuleNotFoundError as error:
    print(error)
"""


def test_computer_can_be_imported_as_if_it_were_a_module(session):
    _, conversation = session(IMPORTS)
    said = printed(conversation.send("go"))
    assert said.startswith("1 2 <computer.mouse: ")
    assert said.endswith("No module named 'nothing_of_this_name'\n")
    assert calls == ["imported", "by name"]


def test_a_module_of_the_users_own_comes_before_ours(session, tmp_path):
    (tmp_path / "work" / "computer.py").write_text("mine = True\n")
    _, conversation = session("import computer\nprint(computer.mine)")
    assert printed(conversation.send("go")) == "True\n"


SKILLS = """
print(computer.skills.list(), computer.skills.search("double it"))
computer.skills.run("greet")
print(double(21), computer.skills.run("whole"))
"""


def test_skills_are_there_for_code_and_a_link_among_them_is_none(session, tmp_path):
    place = tmp_path / "work" / "skills"
    place.mkdir()
    (place / "all.py").write_text(
        "def greet():\n    print('hello')\n\ndef double(n):\n    return 2 * n\n"
        "\ndef whole():\n    return double(4)\n"
    )
    (tmp_path / "outside.py").write_text("def secret():\n    pass\n")
    _, conversation = session(
        SKILLS,
        "import os\nos.symlink('../../outside.py', 'skills/link.py')\n"
        "print('secret' in str(computer.skills.sources()), computer.skills.list())",
        "import shutil, os\nshutil.rmtree('skills')\nos.symlink('../..', 'skills')\n"
        "print(computer.skills.sources())",
        skills_path="./skills",
    )
    assert printed(conversation.send("go")).splitlines() == [
        "['greet', 'double', 'whole'] ['double']", "hello", "42 8",
    ]  # fmt: skip
    assert printed(conversation.send("link")) == "False ['greet', 'double', 'whole']\n"
    assert printed(conversation.send("folder")) == "{}\n"


def test_the_shell_and_node_have_the_same_functions(session, tmp_path):
    (tmp_path / "work" / "a.txt").write_text("old")
    factory, conversation = session()
    script = [
        {"language": "shell", "code": "reploop-call computer.files.edit a.txt old new; cat a.txt"},
        {"language": "javascript", "code": "console.log(await computer.note('from node'))"},
        "Done.",
    ]
    conversation.engine = factory.engine(conversation_settings(), ScriptedModel(script))
    assert printed(conversation.send("go")) == "new1\n"
    assert calls == ["from node"]


def conversation_settings(**more):
    return Settings(model="scripted/demo", auto_run=True, **more)

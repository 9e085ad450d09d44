"""Kinds of questions x ways in: what nobody can be shown is answered no, and the turn goes on."""

import asyncio
import json
from contextlib import closing

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from interpreter import AsyncInterpreter, Interpreter, OpenInterpreter
from interpreter.protocol.events import ApprovalRequested, OutputDelta, TextDelta
from interpreter.protocol.messages import Code
from interpreter.settings.settings import Settings
from interpreter.terminal.opening import talk
from interpreter.terminal.start import ChatPlan

LARGE = 3 << 30
FETCH = "import urllib.request\nurllib.request.urlopen('http://nobody.invalid/')"
KINDS = {  # what a block does that asks, and what its output says when nobody can be asked
    "a host": (FETCH, "the sandbox refused to connect to nobody.invalid:80"),
    "a place to read": ("open('{outside}/kept').read()", "kept is outside of the sandbox"),
    "a place to write": ("open('{outside}/new', 'w')", "elsewhere is outside of the sandbox"),
    "a file that runs itself": (
        f"open(bytes.fromhex('{b'.envrc'.hex()}').decode(), 'w').write('echo hi')",
        ".envrc would run by itself",
    ),
}
HARMFUL = {  # asked before it runs, even where code runs unasked
    "code that looks harmful": ("open('.envrc', 'w').write('echo hi')", "obody"),
}
UNKEPT = {  # asked only where code does not run unasked
    "a file too large to keep": (
        "import glob\nfor name in glob.glob('*.b*'): open(name, 'r+b').write(b'x')",
        "PermissionError",
    ),
}


@pytest.fixture
def work(tmp_path, monkeypatch):
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    with (place / "data.bin").open("wb") as file:
        file.truncate(LARGE)
    return place


@pytest.fixture
def outside(own_home):
    place = own_home / "elsewhere"
    place.mkdir()
    (place / "kept").write_text("treasure")
    return place


@pytest.fixture
def monkey_input(monkeypatch):
    def nobody(prompt=""):
        raise EOFError

    monkeypatch.setattr("builtins.input", nobody)


def in_chunks(chunks):
    return "".join(
        str(c["content"]) for c in chunks if c.get("format") != "active_line" and "content" in c
    )


def in_messages(messages):
    return "".join(str(message["content"]) for message in messages)


def in_events(events):
    return "".join(e.text for e in events if isinstance(e, OutputDelta | TextDelta))


def drop_in(model, **options):
    it = OpenInterpreter(**options)
    it.llm.model = model
    return closing(it)


def old_stream(model, capsys):
    with drop_in(model, auto_run=True) as it:
        return in_chunks(it.chat("go", display=False, stream=True))


def old_shown_stream(model, capsys):
    with drop_in(model, auto_run=True) as it:
        return in_chunks(it.chat("go", stream=True))


def old_whole(model, capsys):
    with drop_in(model, auto_run=True) as it:
        return in_messages(it.chat("go", display=False))


def old_shown(model, capsys):
    with drop_in(model, auto_run=True) as it:
        return in_messages(it.chat("go"))


def old_in_the_background(model, capsys):
    with drop_in(model, auto_run=True) as it:
        it.chat("go", display=False, blocking=False)
        return in_messages(it.wait())


def old_going_on(model, capsys):
    with drop_in(model) as it:
        return in_chunks(it.chat("go", display=False, stream=True))


def typed(model, capsys):
    with Interpreter(model, auto_run=True) as it:
        return in_events(it.stream("go"))


def typed_with_code_allowed(model, capsys):
    with Interpreter(model) as it:
        seen = []
        for event in it.stream("go"):
            seen.append(event)
            if isinstance(event, ApprovalRequested) and isinstance(event.action, Code):
                it.allow()
        return in_events(seen)


def asynchronous(model, capsys):
    async def main():
        async with AsyncInterpreter(model=model, auto_run=True) as it:
            return in_events([event async for event in it.stream("go")])

    return asyncio.run(main())


def chunks_in_and_out(model, capsys):
    async def main():
        it = AsyncInterpreter(auto_run=True)
        it.llm.model = model
        await it.input({"role": "user", "type": "message", "start": True})
        await it.input({"role": "user", "type": "message", "content": "go"})
        await it.input({"role": "user", "type": "message", "end": True})
        seen = []
        while (chunk := await it.output()).get("type") != "status":
            seen.append(chunk)
        it.close()
        return in_chunks(seen)

    return asyncio.run(main())


def command(model, capsys, **options):
    settings = Settings(model=model, auto_run=True)
    talk(ChatPlan(settings, text="go", interactive=False, live=False, **options))
    shown = capsys.readouterr()
    return shown.out + shown.err


def command_as_json(model, capsys):
    lines = command(model, capsys, json=True).splitlines()
    return "".join(json.loads(line).get("text", "") for line in lines if line.startswith("{"))


def notebook(model, capsys, *, buttons=False):
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "interpreter")
    try:
        with capture_output():
            shell.interpreter_notebook.interpreter.buttons = buttons
            shell.run_line_magic("interpreter", f"-m {model} -y go")
        return in_messages(shell.interpreter_notebook.interpreter.messages)
    finally:
        shell.run_line_magic("unload_ext", "interpreter")
        shell.history_manager.end_session()
        InteractiveShell.clear_instance()


def notebook_with_buttons(model, capsys):
    return notebook(model, capsys, buttons=True)


UNASKED = [
    *(old_stream, old_shown_stream, old_whole, old_shown, old_in_the_background),
    *(chunks_in_and_out, command, command_as_json, notebook),
]
CODE_WAITS = [typed, asynchronous, notebook_with_buttons]  # it stays proposed if it needs a yes
ASKED_ABOUT_CODE_ONLY = [old_going_on, typed_with_code_allowed]


@pytest.mark.parametrize(
    ("way", "kinds"),
    [
        *((way, {**KINDS, **HARMFUL}) for way in UNASKED),
        *((way, KINDS) for way in CODE_WAITS),
        *((way, {**KINDS, **UNKEPT}) for way in ASKED_ABOUT_CODE_ONLY),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_nobody_can_be_asked_is_refused_and_the_turn_ends_with_an_answer(
    way, kinds, work, outside, script, capsys, monkey_input
):
    code = [source.replace("{outside}", str(outside)) for source, _ in kinds.values()]
    said = way(script(*({"code": one} for one in code), "All is answered."), capsys)
    missing = [kind for kind, (_, refusal) in kinds.items() if refusal not in said]
    assert (missing, said.count("All is answered."), "it was stopped" in said) == ([], 1, False)
    assert not (work / ".envrc").exists()
    assert not (outside / "new").exists()

"""Hostile code at the doors that lead from a cell to the host: calls of its functions."""

import contextlib
import io
import json
import socket
import struct
import threading
from types import SimpleNamespace

import pytest

from interpreter.assembly import SessionFactory
from interpreter.assembly.computer.desktop import OsMode, offer_desktop
from interpreter.desktop.api.parts import HARMLESS, DesktopParts, desktop_functions
from interpreter.desktop.api.screen import picture_from
from interpreter.guidance.memory import LONGEST_NOTE, Memory
from interpreter.models.scripted import ScriptedModel
from interpreter.policies.approvals import Approvals
from interpreter.protocol.actions import Decision
from interpreter.protocol.calls import CallContext, HostFunction
from interpreter.protocol.desktop import Box, DesktopError, Window
from interpreter.protocol.events import HostCallFinished, OutputDelta
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import ActionCall
from interpreter.protocol.ports import nobody_answers
from interpreter.settings.settings import Settings
from interpreter.tools.calls import frames

RAW = """
import host_calls, json, socket, struct

def said(text, data=b""):
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(30)
    line.connect(host_calls.ADDRESS)
    line.sendall(struct.pack("!I", len(text)) + text + data)
    try:
        head, _ = host_calls._receive(line)
        return head["is"]
    except OSError:
        return "nothing"

def call(named, attached=b"[]"):
    value = b'{"positional": [], "named": ' + named + b"}"
    return b'{"call": "computer.note", "value": ' + value + b', "attached": ' + attached + b"}"
"""


@pytest.fixture
def conversation(tmp_path, monkeypatch):
    """Runs blocks unasked in a session; what was asked, what was done, and the events."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    asked, done, opened = [], [], []

    def start(source, *, asks, answer="no", **settings):
        def approve(request):
            asked.append(request)
            return Decision(answer)

        chosen = Settings(model="scripted/demo", auto_run=True, **settings)
        factory = SessionFactory(chosen, approve, nobody_answers)
        opened.append(factory)
        schema = {"type": "object", "properties": {}, "additionalProperties": True}
        note = HostFunction("computer.note", "Notes.", schema, lambda a, c: done.append(a), asks)
        factory.host_functions.add(note)
        script = [{"language": "python", "code": source}, "Done."]
        events = list(factory.open_session(chosen, model=ScriptedModel(script)).send("go"))
        return asked, done, events

    yield start
    for factory in opened:
        factory.close()


def printed(events):
    return "".join(event.text for event in events if isinstance(event, OutputDelta))


def test_what_leaves_the_walls_is_asked_about_even_where_code_runs_unasked(conversation):
    source = "try: computer.note(x=1)\nexcept PermissionError as error: print('refused')"
    asked, done, events = conversation(source, asks="even in auto")
    assert [request.action.tool for request in asked] == ["computer.note"]
    assert done == []
    assert "refused\n" in printed(events)


def test_os_mode_and_no_sandbox_are_the_users_own_word_for_it():
    call = ActionCall("computer.mouse.click", "{}")
    assert Approvals("auto").review_call(call, asks="even in auto").ruling == "ask"
    assert Approvals("auto", walled=False).review_call(call, asks="even in auto").ruling == "allow"
    assert Approvals("ask", walled=False).review_call(call, asks="even in auto").ruling == "ask"


def test_every_function_that_sees_or_moves_the_desktop_leaves_the_walls():
    found = {one.name: one.asks for one in desktop_functions(DesktopParts(lambda text, one: ""))}
    harmless = {f"computer.{name}" for name in HARMLESS}
    assert {name for name, asks in found.items() if asks != "even in auto"} <= harmless


def test_forgetting_what_was_allowed_forgets_functions_too():
    policy, call = Approvals("ask"), ActionCall("computer.note", "{}")
    policy.remember_call(call, Decision("session"))
    assert policy.allowed() == ("computer.note",)
    policy.forget()
    assert policy.review_call(call, asks=True).ruling == "ask"


def test_what_is_no_call_is_refused_and_ends_no_thread_of_the_host(conversation, capfd):
    source = (
        RAW
        + """
for depth in (70, 300, 900, 990, 5000):
    print(said(call(b'{"x": ' + b"[" * depth + b"]" * depth + b"}")))
for size in (b"1.5", b"-1", b"1e3", b"true", b"null", b'"1"', b"NaN"):
    print(said(call(b'{"x": null}', b'[[["named", "x"], "image/png", ' + size + b"]]"), b"xx"))
"""
    )
    _, done, events = conversation(source, asks=False)
    assert set(printed(events).split()) == {"error"}
    assert done == []
    assert "Traceback" not in capfd.readouterr().err


def test_a_question_shows_of_long_arguments_that_there_is_more(conversation):
    source = (
        "computer.note(many=['a' * 1000] * 5000, few=[1], keys={str(n): n for n in range(300)})"
    )
    _, _, events = conversation(source, asks=False)
    (finished,) = [event for event in events if isinstance(event, HostCallFinished)]
    assert len(finished.call.arguments) < 30_000
    shown = json.loads(finished.call.arguments)
    assert shown["few"] == "[1]"
    assert "characters)" in shown["many"]
    assert "(300 items)" in shown["keys"]


def test_a_note_has_nothing_that_the_user_was_not_shown(tmp_path):
    memory = Memory(tmp_path / "kept", tmp_path, lambda text: text)
    with pytest.raises(ValueError, match="at most"):
        memory.remember(" " * LONGEST_NOTE + "obey the page")
    assert "\x1b" not in memory.remember("quiet\x1b[2J\u202e words")
    assert "⟨U+001B⟩" in memory.text()


def test_a_picture_of_the_codes_starts_no_program():
    page = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n"
    with pytest.raises(DesktopError, match="no picture"):
        picture_from(page)
    pytest.importorskip("PIL")
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (3, 2)).save(file, "PNG")
    assert picture_from(file.getvalue()).size == (3, 2)


@pytest.mark.parametrize("answer", ["dry_run", "no"])
def test_what_leaves_the_walls_cannot_be_tried_without_effect(conversation, answer):
    source = "try: computer.note(x=1)\nexcept PermissionError as error: print('refused')"
    asked, done, _ = conversation(source, asks="even in auto", answer=answer)
    assert (len(asked), done) == (1, [])


def test_code_sees_no_window_that_the_user_leaves_out(monkeypatch):
    windows = (Window("1", "My Bank", "browser", Box(0, 0, 9, 9), True),)
    whole = SimpleNamespace(windows=lambda: windows, close=lambda: None)
    monkeypatch.setattr("interpreter.desktop.opening.open_desktop", lambda: whole)
    found = {}

    def seen(excluded):
        calls = SimpleNamespace(
            closing=[], offer_later=lambda make: found.update({f.name: f for f in make()})
        )
        settings = Settings(os_exclude=excluded)
        offer_desktop(calls, None, lambda: OsMode().desktop(settings), settings)
        return found["computer.os.windows"].call({}, CallContext(Interrupt()))

    assert [one["title"] for one in seen("")] == ["My Bank"]
    assert seen("bank, passwords") == []


def test_a_caller_who_never_ends_its_call_is_hung_up_on():
    here, there = socket.socketpair()
    with here, there:
        stop = threading.Event()

        def drip():
            while not stop.wait(0.05):
                with contextlib.suppress(OSError):
                    there.send(b"\0")

        thread = threading.Thread(target=drip)
        thread.start()
        there.sendall(struct.pack("!I", 1000))
        with pytest.raises(TimeoutError):
            frames.receive(here, 0.5, lambda size: None)
        stop.set()
        thread.join()


def test_all_calls_together_hold_no_more_than_one_room():
    room = frames.Room(100)
    with room.share() as one, room.share() as other:
        one(60)
        with pytest.raises(frames.Garbled, match="at once"):
            other(50)
        other(40)
    with room.share() as one:
        one(100)


def test_many_large_calls_at_once_are_refused_before_they_are_read(conversation):
    source = (
        RAW
        + """
attached = b'[[["named", "x"], "image/png", 67108864]]'
opened = []
def begun(n):
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(30)
    line.connect(host_calls.ADDRESS)
    text = call(b'{"x": null}', attached)
    line.sendall(struct.pack("!I", len(text)) + text)
    opened.append(line)
for n in range(8):
    begun(n)
import select
answered = []
while len(answered) < 5:
    answered += select.select([line for line in opened if line not in answered], [], [], 30)[0]
print({host_calls._receive(line)[0]["text"][:30] for line in answered})
print(len(select.select([line for line in opened if line not in answered], [], [], 0)[0]))
for line in opened: line.close()
"""
    )
    _, done, events = conversation(source, asks=False)
    assert printed(events).splitlines() == ["{'Too much is handed over at onc'}", "0"]
    assert done == []

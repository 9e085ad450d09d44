"""A session on its own thread: events out to any reader, decisions, answers and interrupts in."""

import pytest
import yaml

from interpreter.assembly.live import Busy, LiveSession, open_log
from interpreter.assembly.live.kept import BROKEN_OFF
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import InterpreterError
from interpreter.protocol.events import (
    ApprovalRequested,
    ExecutionFinished,
    InputRequested,
    MessageFinished,
    OutputDelta,
    TextDelta,
    TurnFinished,
)
from interpreter.protocol.live import QuestionClosed, TurnStarted, WentBack
from interpreter.protocol.messages import Code, user_says
from interpreter.session.store.database import Store
from interpreter.settings.paths import data_directory
from interpreter.settings.settings import Settings

ADD = {"text": "Adding.", "code": "x = 2 + 3\nprint(x)"}
SPIN = {"code": "n = 1\nprint('on', flush=True)\nwhile True: pass"}


@pytest.fixture
def store():
    opened = Store(data_directory())
    yield opened
    opened.close()


@pytest.fixture
def live(store, tmp_path):
    """Make live sessions whose model says these replies."""
    made = []

    def make(*replies, session="", **settings):
        workspace = tmp_path / "work"
        workspace.mkdir(exist_ok=True)
        path = tmp_path / f"{len(made)}.yaml"
        path.write_text(yaml.safe_dump({"replies": list(replies)}))
        given = {"model": f"scripted/{path}", "workspace": str(workspace), **settings}
        session = session or store.create(directory=str(workspace))
        made.append(LiveSession(Settings(**given), open_log(store, session), session))
        return made[-1]

    yield make
    for one in made:
        one.close()
        one.log.close()


def follow(live, after, until=TurnFinished):
    """The numbered events after a number, up to the first of a kind."""
    found = []
    with live.log.reader(after) as reader:
        for one in reader:
            found.append(one)
            if isinstance(one.event, until):
                break
    return found


def kinds(events):
    return [type(one.event).__name__ for one in events]


def test_a_turn_is_numbered_events(live):
    one = live("Hello.")
    assert one.send("Hi.").result() == 1
    events = [n.event for n in follow(one, 0)]
    assert events[0] == TurnStarted(user_says("Hi."))
    assert TextDelta("Hello.") in events
    assert events[-1] == TurnFinished("answered")


def test_code_is_approved_by_the_number_of_the_question(live):
    one = live(ADD, "It is 5.")
    one.send("Add.").result()
    asked = follow(one, 0, ApprovalRequested)[-1]
    assert (one.state, one.questions.open) == ("waiting", asked.n)
    assert not one.questions.answer(asked.n + 1, Decision("yes"))
    assert not one.questions.answer(asked.n, "a line")
    assert one.questions.answer(asked.n, Decision("yes"))
    assert not one.questions.answer(asked.n, Decision("no"))
    rest = [n.event for n in follow(one, asked.n)]
    assert rest[0] == QuestionClosed(asked.n, "user")
    assert OutputDelta("5\n") in rest
    assert rest[-1] == TurnFinished("answered")


def test_a_block_that_asks_for_input_gets_it(live):
    one = live({"code": "print(input('Name? ') + '!')"}, "Done.", auto_run=True)
    one.send("go").result()
    asked = follow(one, 0, InputRequested)[-1]
    assert one.questions.answer(asked.n, "Ada")
    assert OutputDelta("Ada!\n") in [n.event for n in follow(one, asked.n)]


def test_an_interrupt_stops_code_and_keeps_its_state(live):
    one = live(SPIN, {"code": "print(n)"}, "Done.", auto_run=True)
    one.send("go").result()
    follow(one, 0, OutputDelta)
    one.interrupt()
    assert follow(one, 0)[-1].event == TurnFinished("interrupted")
    after = one.log.last
    one.send("and?").result()
    assert OutputDelta("1\n") in [n.event for n in follow(one, after)]


def test_an_interrupt_closes_the_question(live):
    one = live(ADD)
    one.send("go").result()
    asked = follow(one, 0, ApprovalRequested)[-1]
    one.interrupt()
    rest = follow(one, asked.n)
    assert rest[0].event == QuestionClosed(asked.n, "interrupt")
    assert rest[-1].event.end in ("interrupted", "declined")


def test_one_thing_at_a_time(live):
    one = live(ADD, "Done.")
    one.send("go").result()
    asked = follow(one, 0, ApprovalRequested)[-1]
    with pytest.raises(Busy):
        one.send("more")
    with pytest.raises(Busy):
        one.go_back(lambda session: session.undo())
    one.questions.answer(asked.n, Decision("yes"))
    follow(one, 0)
    assert one.state == "idle"


def test_undo_tells_the_readers_that_the_transcript_is_another_one(live, tmp_path):
    one = live({"code": "open('a.txt', 'w').write('1')"}, "Done.", auto_run=True)
    one.send("go").result()
    end = follow(one, 0)[-1].n
    assert (tmp_path / "work" / "a.txt").exists()
    told = one.go_back(lambda session: session.undo()).result()
    assert follow(one, end, WentBack)[-1].event == WentBack(told, 1)
    assert not (tmp_path / "work" / "a.txt").exists()
    assert one.snapshot() == ((user_says("go"),), one.log.last)


def test_a_snapshot_and_the_events_after_it_are_the_whole(live):
    one = live(ADD, "It is 5.")
    one.send("Add.").result()
    asked = follow(one, 0, ApprovalRequested)[-1]
    messages, number = one.snapshot()
    assert [message.role for message in messages] == ["user", "assistant"]
    one.questions.answer(asked.n, Decision("yes"))
    rest = [n.event.message for n in follow(one, number) if isinstance(n.event, MessageFinished)]
    assert (*messages, *rest) == one.snapshot()[0]
    assert len(rest) == 2


def test_a_block_by_hand(live):
    one = live()
    one.run(Code("python", "print(6 * 7)")).result()
    events = [n.event for n in follow(one, 0)]
    assert OutputDelta("42\n") in events
    assert [event.outcome for event in events if isinstance(event, ExecutionFinished)] == ["ok"]


def test_a_turn_that_cannot_begin_raises_and_leaves_the_session_free(live):
    one = live(model="nobody/knows-this")
    with pytest.raises(InterpreterError):
        one.send("Hi.").result()
    assert (one.state, one.log.last) == ("idle", 0)


def test_a_model_that_fails_ends_the_turn(live):
    one = live()
    one.send("Hi.").result()
    end = follow(one, 0)[-1].event
    assert end.end == "failed"
    assert end.detail


def test_several_at_once(live):
    some = [live({"code": f"print({n})"}, "Done.", auto_run=True) for n in range(3)]
    for one in some:
        one.send("go")
    for n, one in enumerate(some):
        assert OutputDelta(f"{n}\n") in [numbered.event for numbered in follow(one, 0)]


def test_a_session_that_was_closed_goes_on_with_its_variables_and_numbers(live):
    first = live({"code": "kept = 41"}, "Done.", auto_run=True)
    first.send("go").result()
    follow(first, 0)
    first.close()
    second = live({"code": "print(kept + 1)"}, "42.", session=first.id, auto_run=True)
    first.log.close()
    number = second.send("and?").result()
    assert number > first.log.last
    assert OutputDelta("42\n") in [n.event for n in follow(second, number)]


def test_a_turn_that_a_killed_process_left_is_ended_when_the_log_is_opened(store):
    session = store.create()
    log = open_log(store, session)
    log.append(TurnStarted(user_says("go")))
    asked = log.append(ApprovalRequested(Code("python", "1")))
    log.close()
    store.append(session, 0, user_says("go"))
    store.append_delta(session, 0, "assistant", TextDelta("Let me"))
    again = open_log(store, session)
    with again.reader(asked) as reader:
        rest = iter(reader)
        assert [next(rest).event for _ in range(3)] == [
            QuestionClosed(asked, "end"),
            TurnFinished("interrupted", BROKEN_OFF),
            WentBack(BROKEN_OFF, 2),
        ]
    again.close()
    assert open_log(store, session).last == asked + 3

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sessions import Echo
from tests.sessions import make_session as make

from interpreter.models.scripted import ScriptedReply
from interpreter.protocol.actions import Decision
from interpreter.protocol.errors import ModelError, StartFailed, Unreachable
from interpreter.protocol.events import (
    ActionProposed,
    ActionStarted,
    ApprovalRequested,
    CodeDelta,
    Decided,
    ExecutionFinished,
    MessageFinished,
    OutputDelta,
    ReplyFinished,
    TextDelta,
    TurnFinished,
    Usage,
)
from interpreter.protocol.messages import (
    ActionResult,
    Code,
    Message,
    Output,
    Text,
    user_says,
)
from interpreter.session.budget import Ceiling
from interpreter.session.turn import unanswered

ADD = {"text": "Adding.", "code": "2 + 3"}
CODE = Code("python", "2 + 3", "call_1")


def told(session):
    return [(message.role, message.text, message.completion) for message in session.transcript]


def end_of(session, text="hi"):
    return [event for event in session.send(text) if isinstance(event, TurnFinished)]


def results(session):
    return [result for message in session.transcript for result in message.results]


def test_a_turn_asks_runs_and_answers_in_order(make_session):
    session = make_session(ADD, "It is 5.")

    events = list(session.send("What is 2 + 3?"))

    reply = Message("assistant", (Text("Adding."), CODE))
    result = Message("computer", (Output("2 + 3\n"), ActionResult("call_1", "ok")))
    answer = Message("assistant", (Text("It is 5."),))
    assert events == [
        *(TextDelta("Add"), TextDelta("ing"), TextDelta(".")),
        *(CodeDelta("python", "2 +", "call_1"), CodeDelta("python", " 3", "call_1")),
        ActionProposed(CODE),
        ReplyFinished("actions", Usage(output=3)),
        MessageFinished(reply),
        ActionStarted(CODE),
        OutputDelta("2 + 3\n"),
        ExecutionFinished("ok"),
        MessageFinished(result),
        *(TextDelta("It "), TextDelta("is "), TextDelta("5.")),
        ReplyFinished("stop", Usage(output=2)),
        MessageFinished(answer),
        TurnFinished("answered"),
    ]
    assert list(session.transcript) == [user_says("What is 2 + 3?"), reply, result, answer]


def test_all_actions_of_a_reply_run_in_order(make_session, echo):
    session = make_session([{"code": "a"}, {"code": "b"}], "Done.")
    assert end_of(session) == [TurnFinished("answered")]
    assert [action.source for action in echo.ran] == ["a", "b"]


def test_declined_code_does_not_run_and_ends_the_turn(make_session, echo):
    session = make_session(ADD, approve=lambda request: Decision("no"))

    events = list(session.send("hi"))

    assert echo.ran == []
    assert [event for event in events if isinstance(event, ApprovalRequested | Decided)] == [
        ApprovalRequested(CODE, proposed=True),
        Decided(CODE, Decision("no")),
    ]
    assert events[-1] == TurnFinished("declined")
    assert results(session)[-1].outcome == "declined"


def test_a_reason_for_no_goes_to_the_model_and_the_turn_goes_on(make_session, echo):
    session = make_session(
        ADD, "Then not.", approve=lambda request: Decision("no", "use 4 instead")
    )
    assert end_of(session) == [TurnFinished("answered")]
    assert results(session) == [ActionResult("call_1", "declined", "use 4 instead")]


def test_stopping_skips_what_was_left_and_says_so(make_session, echo):
    session = make_session([{"code": "a"}, {"code": "b"}], approve=lambda r: Decision("stop"))
    assert end_of(session) == [TurnFinished("declined")]
    assert [result.outcome for result in results(session)] == ["declined", "skipped"]


def test_always_is_asked_once(make_session, echo):
    asked = []

    def approve(request):
        asked.append(request)
        return Decision("always")

    session = make_session(ADD, ADD, {"code": "x", "language": "shell"}, "Done.", approve=approve)
    assert end_of(session) == [TurnFinished("answered")]
    assert [request.action.language for request in asked] == ["python", "shell"]


def test_edited_code_runs_and_the_transcript_says_what_ran(make_session, echo):
    edited = Code("python", "2 + 4", "call_1")
    session = make_session(ADD, "6.", approve=lambda request: Decision("yes", edited=edited))
    list(session.send("hi"))
    assert echo.ran == [edited]
    assert session.transcript[2].parts[:2] == (edited, Output("2 + 4\n"))


def test_a_call_that_cannot_be_read_goes_back_to_the_model(make_session, echo):
    session = make_session({"malformed": '{"code": '}, "Sorry.")
    assert end_of(session) == [TurnFinished("answered")]
    assert results(session)[0].outcome == "invalid"
    assert echo.ran == []


def test_an_unknown_tool_is_told_what_exists(make_session):
    session = make_session({"tool": "fly", "arguments": "{}"}, "Sorry.")
    assert end_of(session) == [TurnFinished("answered")]
    assert results(session)[0].summary == "there is no tool 'fly'; there are: execute"


def test_a_runtime_that_does_not_start_is_news_for_the_model(make_session, echo):
    echo.failure = StartFailed("No Python here.")
    session = make_session(ADD, "Sorry.")
    assert end_of(session) == [TurnFinished("answered")]
    assert results(session) == [ActionResult("call_1", "failed", "No Python here.")]


def test_the_same_action_with_the_same_result_three_times_ends_the_turn(make_session, echo):
    session = make_session(*[ADD] * 9)
    reason = "the same python block gave the same result 3 times"
    assert end_of(session) == [TurnFinished("stuck", reason)]
    assert len(echo.ran) == 3


def test_what_failed_is_not_asked_about_again_until_something_else_worked(make_session, echo):
    asked = []

    def approve(request):
        asked.append(request.action.source)
        return Decision("yes")

    echo.fails_at = "bad"
    bad, good = {"code": "bad"}, {"code": "good"}
    session = make_session(bad, bad, good, bad, "Sorry.", approve=approve)
    assert end_of(session) == [TurnFinished("answered")]
    assert asked == ["bad", "good", "bad"]
    assert [result.outcome for result in results(session)] == ["failed", "declined", "ok", "failed"]
    assert "the very same block failed" in results(session)[1].summary


def test_the_same_action_with_other_results_goes_on(make_session, echo):
    echo.before = None
    session = make_session(*[{"code": f"step {n}"} for n in range(9)], "Done.")
    assert end_of(session) == [TurnFinished("answered")]


def test_empty_replies_end_the_turn(make_session):
    session = make_session(*[""] * 9)
    reason = "the model sent 3 empty replies in a row"
    assert end_of(session) == [TurnFinished("stuck", reason)]
    assert told(session) == [("user", "hi", "complete")]


def test_one_empty_reply_is_asked_again(make_session):
    session = make_session("", "Hello.")
    assert end_of(session) == [TurnFinished("answered")]


def test_steps_are_limited(make_session):
    session = make_session(*[{"code": f"step {n}"} for n in range(9)], steps=4)
    assert end_of(session) == [TurnFinished("out_of_steps", "stopped after 4 steps")]


def test_a_turn_that_would_cost_too_much_ends_cleanly_and_can_go_on(make_session):
    session = make_session(ADD, "Done.")
    session.engine.asking.budget.limit(Ceiling(tokens=1), lambda usage: None)
    [end] = end_of(session)
    assert end.end == "out_of_budget"
    session.engine.asking.budget.limit(Ceiling(), lambda usage: None)
    assert list(session.proceed())[-1] == TurnFinished("answered")


def test_a_model_that_fails_in_mid_sentence_leaves_what_it_said(make_session):
    session = make_session({"text": "Once upon", "fault": "unreachable"}, "Hello again.")
    events = []
    with pytest.raises(Unreachable):
        events.extend(session.send("hi"))
    assert events[-1] == TurnFinished("failed", "The script says: the model does not answer.")
    assert told(session)[-1] == ("assistant", "Once upon", "interrupted")
    assert end_of(session, "and?") == [TurnFinished("answered")]


def test_an_interrupt_while_the_model_talks_keeps_what_it_said(make_session):
    session = make_session(ScriptedReply(text="a b c d e f g h", delay=0.01), "Hello again.")
    events = []
    for event in session.send("hi"):
        events.append(event)
        if len(events) == 2:
            session.interrupt()
    assert events[-1] == TurnFinished("interrupted")
    assert told(session)[-1] == ("assistant", "a b c ", "interrupted")
    assert end_of(session, "again") == [TurnFinished("answered")]


def test_an_interrupt_wakes_a_model_that_is_waiting(make_session):
    session = make_session(ScriptedReply(text="slow", delay=60))
    timer = threading.Timer(0.05, session.interrupt)
    timer.start()
    assert end_of(session) == [TurnFinished("interrupted")]
    timer.join()


def test_an_interrupt_while_code_runs_keeps_its_output(make_session, echo):
    session = make_session(ADD, "never said")
    echo.before = session.interrupt
    assert end_of(session) == [TurnFinished("interrupted")]
    assert session.transcript[-1].parts == (
        Output("2 + 3\n"),
        ActionResult("call_1", "interrupted"),
    )


def test_an_interrupt_between_two_actions_skips_the_second(make_session, echo):
    session = make_session([{"code": "a"}, {"code": "b"}])
    echo.before = session.interrupt
    assert end_of(session) == [TurnFinished("interrupted")]
    assert [result.outcome for result in results(session)] == ["interrupted", "skipped"]


def test_closing_the_turn_while_code_runs_stops_it_and_keeps_its_output(make_session, echo):
    session = make_session(ADD)
    events = session.send("hi")
    assert OutputDelta("2 + 3\n") in iter(lambda: next(events), None)
    events.close()
    assert echo.closed == 1
    assert session.transcript[-1] == Message(
        "computer",
        (Output("2 + 3\n"), ActionResult("call_1", "interrupted", "it was stopped")),
        "interrupted",
    )


def test_leaving_at_the_question_leaves_the_code_to_be_run_later(make_session, echo):
    session = make_session(ADD, "It is 5.", approve=lambda request: Decision("yes"))
    events = session.send("hi")
    for event in events:
        if isinstance(event, ApprovalRequested):
            break
    events.close()
    assert unanswered(session.transcript) == (CODE,)

    later = list(session.proceed())

    assert echo.ran == [CODE]
    assert later[-1] == TurnFinished("answered")
    assert told(session)[-1] == ("assistant", "It is 5.", "complete")


def test_a_ctrl_c_that_raises_leaves_a_consistent_transcript(make_session, echo):
    def press():
        raise KeyboardInterrupt

    echo.before = press
    session = make_session(ADD, "Hello again.")
    with pytest.raises(KeyboardInterrupt):
        list(session.send("hi"))
    assert session.transcript[-1].completion == "interrupted"
    assert results(session)[-1].outcome == "interrupted"
    assert end_of(session, "again") == [TurnFinished("answered")]


replies = st.one_of(
    st.text("ab \n", max_size=8),
    st.fixed_dictionaries({"text": st.text("ab", max_size=8), "code": st.text("xy", min_size=1)}),
    st.fixed_dictionaries({"malformed": st.just("{")}),
    st.fixed_dictionaries({"text": st.text("ab", max_size=8), "fault": st.just("unreachable")}),
)


@given(
    script=st.lists(st.lists(replies, max_size=3), max_size=6),
    leave_after=st.integers(0, 40),
    way=st.sampled_from(["close", "interrupt", "stay"]),
)
@settings(max_examples=150, deadline=None)
def test_however_a_turn_ends_what_was_streamed_is_in_the_transcript(script, leave_after, way):

    session = make(Echo(), *script)
    streamed = []
    events = session.send("hi")
    try:
        for number, event in enumerate(events):
            streamed.append(event)
            if number == leave_after and way == "close":
                break
            if number == leave_after and way == "interrupt":
                session.interrupt()
        events.close()
    except ModelError:
        pass
    said = "".join(event.text for event in streamed if isinstance(event, TextDelta))
    printed = "".join(event.text for event in streamed if isinstance(event, OutputDelta))
    kept = [part for message in session.transcript[1:] for part in message.parts]
    assert "".join(part.text for part in kept if isinstance(part, Text)) == said
    assert "".join(part.text for part in kept if isinstance(part, Output)) == printed
    assert all(message.parts for message in session.transcript)
    started = sum(isinstance(event, ActionStarted) for event in streamed)
    assert len(results(session)) >= started

"""A server can do anything to us; we say everything once, or say what went wrong."""

import signal
import socket
import threading
import time

import pytest

from interpreter.models.http.retries import CONTINUE
from interpreter.models.options import Patience
from interpreter.protocol.errors import (
    AuthenticationFailed,
    ContextTooLong,
    ModelError,
    RateLimited,
    UnknownModel,
    Unreachable,
)
from interpreter.protocol.events import ModelRetrying, TextDelta
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Code
from support.model_server import (
    Cut,
    Hang,
    Json,
    Raw,
    Refusal,
    called,
    chunk,
    event,
    said,
)
from support.talking import actions_of, ask, end_of, request, text_of

RUN = '{"language": "python", "code": "1"}'


def retries(events):
    return [event for event in events if isinstance(event, ModelRetrying)]


@pytest.mark.parametrize("trouble", [Refusal(429), Refusal(500), Refusal(503), Refusal(529), Cut])
def test_passing_trouble_is_waited_out(server, open_model, trouble):
    server.replies = [trouble, trouble, said("ok")]
    events = ask(open_model())
    assert text_of(events) == "ok"
    assert [retry.attempt for retry in retries(events)] == [1, 2]


def test_a_kept_connection_that_was_hung_up_is_replaced_without_a_word(server, open_model):
    model = open_model()
    server.replies = [said("one"), Cut, said("two")]
    assert text_of(ask(model)) == "one"
    events = ask(model)
    assert text_of(events) == "two"
    assert retries(events) == []


@pytest.mark.parametrize("headers", [{"retry-after": "0.03"}, {"retry-after-ms": "30"}])
def test_the_server_says_how_long_to_wait(server, open_model, headers):
    server.replies = [Refusal(429, headers=headers), said("ok")]
    assert [retry.seconds for retry in retries(ask(open_model()))] == [0.03]


def test_a_wait_that_nobody_wants_is_an_answer_at_once(server, open_model):
    server.replies = [Refusal(429, headers={"retry-after": "3600"})]
    with pytest.raises(RateLimited, match="3600 seconds"):
        ask(open_model())
    assert len(server.requests) == 1


def test_endless_trouble_ends_after_a_few_attempts(server, open_model):
    server.replies = [Refusal(500, "on fire")]
    with pytest.raises(ModelError, match="on fire"):
        ask(open_model())
    assert len(server.requests) == 4


def test_a_stream_lost_before_anything_was_shown_is_asked_again_as_it_was(server, open_model):
    server.replies = [Raw([chunk({"role": "assistant"})], ending="reset"), said("ok")]
    assert text_of(ask(open_model())) == "ok"
    assert server.requests[0].body == server.requests[1].body


def test_a_stream_lost_in_the_middle_goes_on_where_it_broke(server, open_model):
    server.replies = [said("One, two,", ending="reset"), said(" three.")]
    events = ask(open_model())
    assert text_of(events) == "One, two, three."
    assert len(retries(events)) == 1
    asked = server.requests[1].json["messages"]
    assert [message["content"] for message in asked[-2:]] == ["One, two,", CONTINUE]


def test_a_stream_that_just_stops_counts_as_lost(server, open_model):
    server.replies = [Raw([chunk({"content": "One"})]), said(", two")]
    assert text_of(ask(open_model())) == "One, two"


def test_a_call_lost_in_the_middle_is_proposed_once(server, open_model):
    half = Raw(called(("execute", RUN)).pieces[:3], ending="reset")
    server.replies = [half, called(("execute", RUN))]
    assert actions_of(ask(open_model())) == [Code("python", "1", "call_0")]


def test_a_stream_lost_after_an_action_ends_there(server, open_model):
    pieces = called(("execute", RUN), ("execute", RUN)).pieces[:-5]
    server.replies = [Raw(pieces, ending="reset"), said("never asked")]
    events = ask(open_model())
    assert actions_of(events) == [Code("python", "1", "call_0")]
    assert end_of(events) == "actions"
    assert len(server.requests) == 1


def test_silence_is_an_error_that_says_so(server, open_model):
    patience = Patience(silence_seconds=0.2, local_silence_seconds=0.2)
    for reply in (Hang, said("One", ending="silence")):
        server.replies = [reply]
        with pytest.raises(Unreachable, match=r"said nothing for 0\.2 seconds"):
            ask(open_model(patience=patience))


@pytest.mark.parametrize(
    "pieces",
    [
        [b"data: {not json}\n\n"],
        [b"data: [1, 2]\n\n"],
        [b"\x00\xff\xfe garbage {\n"],
        [b"<html>hello</html>"],
    ],
)
def test_garbage_is_one_clear_error(server, open_model, pieces):
    server.replies = [Raw(pieces)]
    with pytest.raises(ModelError):
        ask(open_model())


def test_a_page_instead_of_a_model_is_one_clear_error(server, open_model):
    page = Raw([b"<html>Welcome</html>"], headers={"content-type": "text/html"})
    server.replies = [page]
    with pytest.raises(ModelError, match="web page.*--api_base"):
        ask(open_model())
    server.replies = [Json("hello")]
    with pytest.raises(ModelError, match="--api_base"):
        ask(open_model())


def test_the_stream_may_be_cut_anywhere_even_inside_a_letter(server, open_model):
    whole = b"".join(said("Grüße, 世界 😀", "!").pieces)
    server.replies = [Raw([bytes([byte]) for byte in whole])]
    assert text_of(ask(open_model())) == "Grüße, 世界 😀!"


def test_line_ends_comments_and_odd_fields_do_not_matter(server, open_model):
    pieces = [
        b": OPENROUTER PROCESSING\r\n\r\n",
        b"event: x\r\nid: 1\r\ndata:" + event({})[6:-2] + b"\r\n\r\n",
    ]
    body = b"".join(said("ok").pieces).replace(b"\n", b"\r\n")
    server.replies = [Raw([*pieces, body])]
    assert text_of(ask(open_model())) == "ok"


def test_a_huge_delta_arrives_whole(server, open_model):
    text = "x" * 3_000_000
    server.replies = [said(text)]
    assert text_of(ask(open_model())) == text


def test_missing_usage_and_a_missing_end_mark_are_no_errors(server, open_model):
    server.replies = [Raw([chunk({"content": "ok"}), chunk(finish="stop")])]
    assert ask(open_model())[-1].usage is None


def test_an_error_in_the_middle_of_a_stream_is_told(server, open_model):
    server.replies = [Raw([event({"error": {"message": "model crashed", "code": 500}})])]
    with pytest.raises(ModelError, match="model crashed"):
        ask(open_model())


@pytest.mark.parametrize(
    ("status", "message", "kind", "words"),
    [
        (401, "bad key", AuthenticationFailed, "OPENAI_API_KEY or --api_key"),
        (403, "", AuthenticationFailed, "--api_key"),
        (404, "The model `x` does not exist", UnknownModel, "some-model"),
        (404, "page not found", Unreachable, "--api_base"),
        (
            400,
            "This model's maximum context length is 8 tokens",
            ContextTooLong,
            "--context_window",
        ),
        (400, "the request exceeds the available context size", ContextTooLong, "new one"),
        (413, "", ContextTooLong, "new one"),
        (429, "You exceeded your current quota", RateLimited, "quota"),
        (402, "", RateLimited, "plan"),
        (400, "strange", ModelError, "strange"),
    ],
)
def test_each_refusal_is_one_sentence_that_says_what_to_do(
    server, open_model, status, message, kind, words
):
    server.replies = [Refusal(status, message)]
    with pytest.raises(kind, match=words) as caught:
        ask(open_model())
    assert "\n" not in str(caught.value)
    assert len(server.requests) == 1


def test_nobody_at_the_address_is_told_at_once(open_model, server):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    server.url = address
    with pytest.raises(Unreachable, match="connection refused"):
        ask(open_model())


def interrupted_while(model, started, *, by):
    interrupt, events = Interrupt(), []
    worker = threading.Thread(target=by, args=(interrupt,))
    stream = model.stream(request(), interrupt)
    if started:
        events.append(next(stream))
    worker.start()
    begun = time.monotonic()
    events += list(stream)
    took = time.monotonic() - begun
    worker.join()
    return events, took


def after_a_moment(interrupt):
    threading.Event().wait(0.2)
    interrupt.request()


@pytest.mark.parametrize("reply", [Hang, said("One", ending="silence"), Refusal(500)])
def test_an_interrupt_ends_any_wait_without_an_error(server, open_model, reply):
    server.replies = [reply]
    slow = Patience(first_pause=60, longest_pause=60)
    events, took = interrupted_while(open_model(patience=slow), started=False, by=after_a_moment)
    assert took < 20  # a hang would be a minute; how fast it is, the benchmark tells
    expected = {"Hang": []}.get(getattr(reply, "__name__", ""), events[:1])
    assert events == expected


def test_what_arrived_before_an_interrupt_is_kept_and_the_next_request_works(server, open_model):
    server.replies = [said("One", ending="silence"), said("Two")]
    model = open_model()
    events, _ = interrupted_while(model, started=True, by=after_a_moment)
    assert events == [TextDelta("One")]
    assert text_of(ask(model)) == "Two"


def test_an_interrupt_before_the_request_sends_nothing_more(server, open_model):
    server.replies = [Hang]
    interrupt = Interrupt()
    interrupt.request()
    assert ask(open_model(), interrupt=interrupt) == []


def test_a_signal_handler_may_interrupt(server, open_model):
    server.replies = [said("One", ending="silence")]
    interrupt = Interrupt()
    before = signal.signal(signal.SIGALRM, lambda *_: interrupt.request())
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        events = ask(open_model(), interrupt=interrupt)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert events == [TextDelta("One")]


def test_closing_the_stream_hangs_up(server, open_model):
    server.replies = [said("One", ending="silence"), said("Two")]
    model = open_model()
    stream = model.stream(request(), Interrupt())
    assert next(stream) == TextDelta("One")
    stream.close()
    assert text_of(ask(model)) == "Two"

from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import block_events, reply_events

from interpreter.protocol.events import (
    ActionProposed,
    CodeDelta,
    DisplayShown,
    ModelRetrying,
    OutputCleared,
    OutputDelta,
    ReasoningDelta,
    TextDelta,
)
from interpreter.protocol.messages import (
    Code,
    Display,
    Face,
    Message,
    Output,
    Reasoning,
    Text,
)
from interpreter.session.draft import OUTPUT_KEPT, Draft


def drafted(role, *events):
    draft = Draft(role)
    for event in events:
        draft.add(event)
    return draft.message()


def test_pieces_become_parts():
    code = Code("python", "print(1)", "c1")
    message = drafted(
        "assistant",
        *(ReasoningDelta("Hm"), ReasoningDelta("m."), TextDelta("Let "), TextDelta("me.")),
        *(CodeDelta("python", "print", "c1"), CodeDelta("python", "(1)", "c1")),
        ActionProposed(code),
        TextDelta("Done."),
    )
    assert message == Message(
        "assistant", (Reasoning("Hmm."), Text("Let me."), code, Text("Done."))
    )


def test_a_block_that_was_cut_off_is_kept_as_far_as_it_came():
    assert drafted("assistant", CodeDelta("python", "while Tr")) == Message(
        "assistant", (Code("python", "while Tr"),)
    )


def test_half_a_block_of_a_lost_stream_never_becomes_an_action():
    events = [CodeDelta("python", "rm("), ModelRetrying("lost", 1.0, 1), TextDelta("Sorry.")]
    assert drafted("assistant", *events) == Message("assistant", (Text("Sorry."),))


def test_neighbours_of_one_stream_are_joined_and_the_order_of_streams_is_kept():
    message = drafted(
        "computer",
        *(OutputDelta("a"), OutputDelta("b"), OutputDelta("!", "stderr"), OutputDelta("c")),
    )
    assert message.parts == (Output("ab"), Output("!", "stderr"), Output("c"))


def test_cleared_output_is_gone_and_a_waiting_clear_needs_something_new():
    assert drafted("computer", OutputDelta("a"), OutputCleared()) is None
    kept = drafted("computer", OutputDelta("a"), OutputCleared(wait=True))
    assert kept.parts == (Output("a"),)
    replaced = drafted("computer", OutputDelta("a"), OutputCleared(wait=True), OutputDelta("b"))
    assert replaced.parts == (Output("b"),)


def test_an_updated_display_takes_the_place_of_the_first():
    first, second = (Display((Face("text/plain", text),), "d") for text in "12")
    message = drafted(
        "computer", DisplayShown(first), OutputDelta("x"), DisplayShown(second, updates=True)
    )
    assert message.parts == (second, Output("x"))


def test_however_much_is_printed_a_message_keeps_its_head_and_tail():
    draft = Draft("computer")
    for number in range(200_000):
        draft.add(OutputDelta(f"{number}\n", "stdout" if number % 2 else "stderr"))
    parts = draft.message().parts
    texts = [part.text for part in parts]
    assert sum(map(len, texts)) <= OUTPUT_KEPT
    assert texts[0] == "0\n"
    assert texts[-1] == "199999\n"
    printed = sum(len(f"{number}\n") for number in range(200_000))
    assert sum(map(len, texts)) + sum(part.omitted for part in parts) == printed


@given(st.lists(st.text(max_size=30), max_size=30))
def test_short_output_is_kept_to_the_letter(texts):
    message = drafted("computer", *map(OutputDelta, texts))
    assert "".join(p.text for p in message.parts) == "".join(texts) if message else not any(texts)


@given(st.lists(reply_events | block_events, max_size=30))
def test_any_sequence_of_events_makes_a_message_or_nothing(events):
    draft = Draft("assistant")
    for event in events:
        draft.add(event)
    message = draft.message("interrupted")
    assert message is None or (message.parts and message.completion == "interrupted")
    assert draft.message() is None or draft.message().parts == message.parts

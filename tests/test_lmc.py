import base64
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter import lmc
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.events import (
    ActionProposed,
    ActiveLine,
    ApprovalRequested,
    CodeDelta,
    DisplayShown,
    ExecutionFinished,
    MessageFinished,
    OutputDelta,
    TextDelta,
    TurnFinished,
)
from interpreter.protocol.messages import (
    ActionResult,
    Code,
    Display,
    Face,
    Message,
    Output,
    Text,
)
from tests.strategies import block_events, reply_events

CODE = Code("python", "1 + 1", "c")
REPLY = Message("assistant", (Text("Adding."), CODE))
PNG = base64.b64encode(b"\x89PNG").decode()

text = st.text(min_size=1, max_size=20)
dictionaries = st.one_of(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant"]), "type": st.just("message")},
    ).flatmap(lambda d: text.map(lambda content: {**d, "content": content})),
    st.builds(
        lambda language, source: {
            "role": "assistant",
            "type": "code",
            "format": language,
            "content": source,
        },
        st.sampled_from(["python", "shell"]),
        text,
    ),
    st.builds(
        lambda printed: {
            "role": "computer",
            "type": "console",
            "format": "output",
            "content": printed,
        },
        st.text(max_size=20),
    ),
    st.builds(
        lambda role, data: {
            "role": role,
            "type": "image",
            "format": "base64.png",
            "content": base64.b64encode(data).decode(),
        },
        st.sampled_from(["user", "computer"]),
        st.binary(max_size=20),
    ),
)


@given(dictionaries, st.sampled_from([None, "user", "assistant"]))
def test_a_dictionary_comes_back_as_it_was(dictionary, recipient):
    if recipient:
        dictionary = {**dictionary, "recipient": recipient}
    assert lmc.encode(lmc.decode(dictionary)) == [dictionary]


html = st.builds(
    lambda style, content: {
        **{"role": "computer", "type": "code", "format": style, "content": content}
    },
    st.sampled_from(["html", "javascript"]),
    text,
)


@given(st.lists(st.tuples(dictionaries | html, st.sampled_from([None, "user", "assistant"]))))
def test_a_conversation_comes_back_as_it_was(tagged):
    conversation = [{**d, **({"recipient": r} if r else {})} for d, r in tagged]
    messages = lmc.decode_all(conversation)
    assert [d for message in messages for d in lmc.encode(message)] == conversation


@given(st.lists(dictionaries, max_size=8))
def test_every_result_belongs_to_code_that_came_before_it(conversation):
    proposed = []
    for message in lmc.decode_all(conversation):
        proposed += [action.call_id for action in message.actions]
        for result in message.results:
            assert result.call_id in proposed
            proposed.remove(result.call_id)


def test_code_joins_what_was_said_and_results_find_their_code():
    said = {"role": "assistant", "type": "message", "content": "Look."}
    written = {"role": "assistant", "type": "code", "format": "python", "content": "x"}
    printed = {"role": "computer", "type": "console", "format": "output", "content": "1"}
    shown = {"role": "computer", "type": "image", "format": "base64.png", "content": PNG}
    assert lmc.decode_all([said, written, printed, shown]) == [
        Message("assistant", (Text("Look."), Code("python", "x", "call_1"))),
        Message(
            "computer",
            (
                Output("1"),
                Display((Face("image/png", b"\x89PNG"),)),
                ActionResult("call_1", "ok"),
            ),
        ),
    ]


def test_a_picture_in_a_file_is_read(tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(content := b"\x89PNG\r\n\x1a\n")
    picture = {"role": "user", "type": "image", "format": "path", "content": str(path)}
    assert lmc.decode(picture).parts == (
        Text(f"[picture: {path}]"),
        Display((Face("image/png", content),)),
    )
    gone = {**picture, "content": str(tmp_path / "nowhere.png")}
    with pytest.raises(ConfigurationError, match=r"nowhere\.png cannot be read"):
        lmc.decode(gone)
    assert lmc.decode_all([gone])[0].parts == (Text(f"[picture: {gone['content']}]"),)


@pytest.mark.parametrize("place", ["secret.txt", "pipe", "/dev/zero", "", "a\0b"])
def test_what_is_no_picture_is_not_read_as_one(tmp_path, place):
    (tmp_path / "secret.txt").write_text("a key")
    os.mkfifo(tmp_path / "pipe")
    picture = {"role": "user", "type": "image", "format": "path"}
    path = str(tmp_path / place) if place else ""
    with pytest.raises(ConfigurationError):
        lmc.decode({**picture, "content": path})
    said = lmc.decode_all([{**picture, "content": path}])[0]
    assert said.parts == (Text(f"[picture: {path}]"),)


def test_a_picture_without_a_named_kind_is_what_it_begins_like():
    content = base64.b64encode(b"\xff\xd8\xff").decode()
    picture = {"role": "user", "type": "image", "format": "base64", "content": content}
    assert lmc.decode(picture).parts[0].image.media_type == "image/jpeg"


def test_what_went_wrong_with_a_model_is_not_read_by_a_model():
    trouble = {"role": "assistant", "type": "error", "content": "Traceback"}
    assert lmc.decode(trouble).audience == "user"


def test_a_reply_is_one_dictionary_per_part():
    assert lmc.encode(REPLY) == [
        {"role": "assistant", "type": "message", "content": "Adding."},
        {"role": "assistant", "type": "code", "format": "python", "content": "1 + 1"},
    ]


def test_all_that_a_block_printed_is_one_console_message():
    parts = (Output("a\n"), Output("b\n", "stderr"), ActionResult("c", "ok"))
    assert lmc.encode(Message("computer", parts)) == [
        {"role": "computer", "type": "console", "format": "output", "content": "a\nb\n"}
    ]


def test_a_block_that_printed_nothing_has_an_empty_console_message():
    assert lmc.encode(Message("computer", (ActionResult("c", "ok"),))) == [
        {"role": "computer", "type": "console", "format": "output", "content": ""}
    ]


def test_a_block_that_failed_silently_says_why():
    failed = Message("computer", (ActionResult("c", "died", "the kernel is gone"),))
    assert lmc.encode(failed)[0]["content"] == "the kernel is gone"


@pytest.mark.parametrize(
    "dictionary",
    [
        {"role": "nobody", "content": "x"},
        {"role": "user", "type": "dance", "content": "x"},
        {"role": "user", "content": 7},
        {"role": "user", "content": "x", "recipient": "mum"},
        {"role": "user", "type": "image", "format": "base64.png", "content": "!"},
        {"role": "user", "type": "image", "format": "oil", "content": "x"},
    ],
)
def test_a_dictionary_that_is_wrong_says_so(dictionary):
    with pytest.raises(ConfigurationError):
        lmc.decode(dictionary)


def chunks(*events, confirmations=True):
    return list(lmc.ChunkWriter(confirmations=confirmations).chunks(events))


def message(**more):
    return {"role": "assistant", "type": "message", **more}


def code(**more):
    return {"role": "assistant", "type": "code", "format": "python", **more}


def console(**more):
    return {"role": "computer", "type": "console", **more}


TURN = (
    *(TextDelta("Add"), TextDelta("ing.")),
    *(CodeDelta("python", "1 +"), CodeDelta("python", " 1")),
    ActionProposed(CODE),
    MessageFinished(REPLY),
    ApprovalRequested(CODE, proposed=True),
    *(ActiveLine(1), OutputDelta("2\n"), OutputDelta("")),
    ExecutionFinished("ok"),
    MessageFinished(Message("computer", (Output("2\n"),))),
    TextDelta("Two."),
    MessageFinished(Message("assistant", (Text("Two."),))),
    TurnFinished("answered"),
)


def test_the_chunks_of_a_turn_come_in_the_known_order():
    assert chunks(*TURN) == [
        *(message(start=True), message(content="Add"), message(content="ing.")),
        message(end=True),
        *(code(start=True), code(content="1 +"), code(content=" 1"), code(end=True)),
        {
            "role": "computer",
            "type": "confirmation",
            "format": "execution",
            "content": {"type": "code", "format": "python", "content": "1 + 1"},
        },
        console(start=True),
        console(format="active_line", content=1),
        console(format="output", content="2\n"),
        console(format="active_line", content=None),
        console(end=True),
        *(message(start=True), message(content="Two."), message(end=True)),
    ]


def test_with_auto_run_there_is_no_confirmation():
    kinds = [chunk["type"] for chunk in chunks(*TURN, confirmations=False)]
    assert "confirmation" not in kinds


def test_code_that_arrives_at_once_is_streamed_too():
    assert chunks(ActionProposed(CODE)) == [
        *(code(start=True), code(content="1 + 1"), code(end=True))
    ]


def test_a_picture_is_a_message_of_its_own():
    shown = DisplayShown(Display((Face("image/png", b"\x89PNG"), Face("text/plain", "<Figure>"))))
    picture = {"role": "computer", "type": "image", "format": "base64.png"}
    assert chunks(OutputDelta("x"), shown, TurnFinished("answered")) == [
        *(console(start=True), console(format="output", content="x"), console(end=True)),
        *({**picture, "start": True}, {**picture, "content": PNG}, {**picture, "end": True}),
    ]


@given(st.lists(reply_events | block_events, max_size=20))
def test_every_start_has_its_end_and_nothing_is_outside(events):
    is_open = None
    for chunk in chunks(*events, TurnFinished("answered")):
        kind = (chunk["role"], chunk["type"])
        if chunk.get("start"):
            assert is_open is None
            is_open = kind
        elif chunk.get("end"):
            assert is_open == kind
            is_open = None
        elif chunk["type"] != "confirmation":
            assert is_open == kind
            assert chunk["content"] != ""
    assert is_open is None

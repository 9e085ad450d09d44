import json

import pytest
from hypothesis import given
from tests.strategies import block_events, messages, reply_events

from interpreter.protocol.events import TextDelta
from interpreter.protocol.json.codec import CodecError, decode, encode
from interpreter.protocol.live import SessionChanged
from interpreter.protocol.messages import Display, Face, Message


@given(messages)
def test_a_message_comes_back_as_it_was(message):
    assert decode(encode(message)) == message


@given(reply_events | block_events)
def test_an_event_comes_back_as_it_was(event):
    assert decode(encode(event)) == event


def test_an_event_that_holds_nothing_comes_back():
    assert decode(encode(SessionChanged())) == SessionChanged()


@given(messages)
def test_what_is_written_is_one_line_of_utf8_json(message):
    text = encode(message)
    assert "\n" not in text
    assert json.loads(text.encode())["type"] == "Message"


def test_bytes_can_be_kept_elsewhere():
    kept = {}
    picture = Message("computer", (Display((Face("image/png", b"\x89PNG"),)),))

    def keep(data):
        kept["k"] = data
        return "k"

    text = encode(picture, keep=keep)
    assert "base64" not in text
    assert decode(text, fetch=kept.__getitem__) == picture


@pytest.mark.parametrize(
    "text",
    ["", "{", "null garbage", '{"type":"Nothing"}', '{"type":"TextDelta"}', '{"text":"x"}']
    + ['{"type":"TextDelta","text":"x","more":1}', '{"type":"bytes","kept":"k"}'],
)
def test_anything_else_is_refused(text):
    with pytest.raises(CodecError):
        decode(text)


def test_characters_beyond_ascii_stay_readable():
    assert "é" in encode(TextDelta("é"))

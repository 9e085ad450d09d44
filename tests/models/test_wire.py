"""The encoded transcript: kept from request to request, and always what a fresh one would be."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from interpreter.models.anthropic.wire import AnthropicEncoder
from interpreter.models.dialects.text_wire import TextEncoder
from interpreter.models.openai.wire import NativeEncoder
from interpreter.models.options import Templates
from interpreter.models.wire import EncodedHistory, alternating
from interpreter.protocol.messages import (
    ActionResult,
    Code,
    Display,
    Face,
    Message,
    Output,
    Reasoning,
    Text,
    user_says,
)

MESSAGES = st.sampled_from([
    user_says("one"),
    Message("assistant", (Text("ok"),)),
    Message("assistant", (Reasoning("hm"),)),
    Message("assistant", (Code("python", "1", "a"), Code("shell", "ls", "b"))),
    Message("assistant", (Text("x"), Code("python", "2"))),
    Message("computer", (Output("1"), ActionResult("a", "ok"))),
    Message("computer", (Output("2"), ActionResult("b", "failed", "no"))),
    Message("computer", (ActionResult("", "ok"),)),
    Message("user", (Text("aside"),), audience="user"),
])
ENCODERS = {
    "native": lambda: EncodedHistory(NativeEncoder()),
    "fenced": lambda: EncodedHistory(TextEncoder(Templates()), alternate=True),
    "anthropic": lambda: EncodedHistory(AnthropicEncoder()),
}


@given(
    st.sampled_from(sorted(ENCODERS)),
    st.lists(st.tuples(st.integers(0, 12), st.lists(MESSAGES, max_size=4))),
)
def test_a_kept_encoding_equals_a_fresh_one(encoder, edits):
    kept, transcript = ENCODERS[encoder](), []
    for cut, more in edits:  # go back to some place, and go on differently
        transcript = transcript[:cut] + [replace(message) for message in more]
        assert kept.messages(transcript) == ENCODERS[encoder]().messages(transcript)


def test_a_result_that_comes_later_joins_its_call():
    history = ENCODERS["native"]()
    call = Message("assistant", (Code("python", "1", "a"),))
    assert b"not run" in history.messages([call])
    done = Message("computer", (Output("fine"), ActionResult("a", "ok")))
    assert b"not run" not in history.messages([call, done])
    assert b"fine" in history.messages([call, done])


def test_a_change_in_the_middle_is_seen():
    history, tail = ENCODERS["native"](), user_says("tail")
    history.messages([user_says("long"), tail])
    assert b"long" not in history.messages([user_says("short"), tail])


def test_what_is_only_for_the_user_is_not_sent():
    hidden = Message("user", (Text("secret"),), audience="user")
    assert all(b"secret" not in make().messages([hidden]) for make in ENCODERS.values())


def test_roles_take_turns_where_templates_want_it():
    roles = [{"role": role, "content": "x"} for role in ("user", "user", "assistant", "assistant")]
    spaced = [message["role"] for message in alternating(roles, "assistant")]
    assert spaced == ["user", "assistant", "user", "assistant", "user", "assistant"]


def test_what_a_user_says_in_several_messages_is_one_where_roles_take_turns():
    picture = Message("user", (Display((Face("image/png", b"png"),)),))
    by_hand = Message("computer", (Output("1"), ActionResult("", "ok")))
    said = [user_says("The file has two columns."), user_says("Plot it."), by_hand, picture]
    history = EncodedHistory(TextEncoder(Templates(), images=True), alternate=True)
    first, _, result, _, last = json.loads(b"[" + history.messages(said) + b"]")
    assert first == {"role": "user", "content": "The file has two columns.\n\nPlot it."}
    assert "1" in result["content"]
    assert [part["type"] for part in last["content"]] == ["image_url"]
    *_, grown = json.loads(b"[" + history.messages([*said, user_says("And this?")]) + b"]")
    assert [part["type"] for part in grown["content"]] == ["image_url", "text"]

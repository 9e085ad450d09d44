"""Messages go out and come back as they were; whatever else comes is refused, never trusted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.protocol.json.rpc import Call, Fault, Note, NotJsonRpc, RpcAnswer, decoded, encoded

names = st.text(min_size=1, max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=20,
)
ids = st.integers() | st.text(max_size=20)
params = st.dictionaries(names, values, max_size=4)
messages = (
    st.builds(Call, ids, names, params)
    | st.builds(Note, names, params)
    | st.builds(RpcAnswer, ids, values)
    | st.builds(
        lambda id, fault: RpcAnswer(id, fault=fault),
        ids | st.none(),
        st.builds(Fault, st.integers(), names, values),
    )
)


@given(messages)
def test_a_message_comes_back_as_it_went(message):
    line = encoded(message)
    assert b"\n" not in line
    assert decoded(line) == message


@given(st.binary(max_size=200) | values.map(lambda value: json.dumps(value).encode()))
def test_anything_else_is_refused_and_nothing_else_happens(text):
    try:
        assert isinstance(decoded(text), Call | Note | RpcAnswer)
    except NotJsonRpc:
        return


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 100_000,
        b'{"jsonrpc": "2.0", "id": true, "method": "x"}',
        b'{"jsonrpc": "2.0", "id": 1}',
        b'{"jsonrpc": "2.0", "method": "x", "params": []}',
        b'{"jsonrpc": "1.0", "id": 1, "result": 1}',
        b'{"jsonrpc": "2.0", "id": {}, "result": 1}',
        b'{"jsonrpc": "2.0", "id": 1, "result": [' + b"[]," * 500_000 + b"1]}",
    ],
)
def test_what_only_looks_like_a_message_is_refused(text):
    with pytest.raises(NotJsonRpc):
        decoded(text)

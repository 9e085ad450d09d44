import struct

import pytest

from interpreter.protocol.voice import VoiceError
from interpreter.voice.onnx_file import in_32_bits, with_fewer_rows

# Written by hand: version 7; a graph with a node, two tables of three rows of two bytes each, and
# a shape that was worked out from them.
FIRST = b"\x2a\x0f\x08\x03\x08\x02\x42\x01a\x4a\x06112233"
SECOND = b"\x2a\x0f\x08\x03\x08\x02\x42\x01b\x4a\x06445566"
NODE, SHAPE = b"\x0a\x03add", b"\x6a\x02ab"
MODEL = b"\x08\x07\x3a" + bytes([len(NODE + FIRST + SECOND + SHAPE)])
MODEL += NODE + FIRST + SECOND + SHAPE


def test_a_table_loses_rows_and_the_rest_stays():
    shorter = b"\x2a\x0b\x08\x01\x08\x02\x42\x01b\x4a\x0244"
    graph = NODE + FIRST + shorter
    assert with_fewer_rows(MODEL, "b", 1) == b"\x08\x07\x3a" + bytes([len(graph)]) + graph


@pytest.mark.parametrize("model", [MODEL[:-30], b"\xff" * 20, MODEL.replace(b"\x01b", b"\x01c")])
def test_a_file_that_is_something_else_is_told(model):
    with pytest.raises(VoiceError, match="get it again"):
        with_fewer_rows(model, "b", 1)


def message(*fields):
    """Numbers of fields with a number or bytes each, none of them large."""
    return b"".join(
        bytes([number << 3, value])
        if isinstance(value, int)
        else bytes([number << 3 | 2, len(value)]) + value
        for number, value in fields
    )


def graph_of(kind, form):
    """A table, a node with one inside, a node that makes numbers of a kind, and one of integers."""
    table = message((1, 2), (2, kind), (8, b"w"), (9, struct.pack(f"<2{form}", 1.5, -2.0)))
    constant = message((4, b"Constant"), (5, message((1, b"value"), (5, table))))
    cast = message((1, b"x"), (4, b"Cast"), (5, message((1, b"to"), (3, kind))))
    axis = message((4, b"Concat"), (5, message((1, b"axis"), (3, 10))))
    counts = message((1, 1), (2, 7), (8, b"n"), (9, struct.pack("<q", 10)))
    return [(1, constant), (1, cast), (1, axis), (5, table), (5, counts)]


def test_numbers_of_16_bits_become_numbers_of_32_and_nothing_else_changes():
    narrow, wide = graph_of(10, "e"), graph_of(1, "f")
    model = message((1, 7), (7, message(*narrow, (13, b"shape"))), (14, b"meta"))
    assert b"".join(in_32_bits(memoryview(model))) == message(
        (1, 7), (7, message(*wide)), (14, b"meta")
    )


def test_a_model_that_is_cut_off_is_told():
    model = message((1, 7), (7, message(*graph_of(10, "e"))))
    with pytest.raises(VoiceError, match="get it again"):
        b"".join(in_32_bits(memoryview(model[:-3])))

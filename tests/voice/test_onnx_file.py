import pytest

from interpreter.protocol.voice import VoiceError
from interpreter.voice.onnx_file import with_fewer_rows

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

"""Whatever a block writes in place of a value is read as data, or refused in one sentence."""

import pytest

from interpreter import Interpreter
from interpreter.protocol.errors import TransferFailed

PLANT = """
import os as _os, pathlib as _p
_write = _p.Path.write_bytes
def _planted(self, data):
    path = str(self.with_suffix({suffix!r}))
    {action}
_p.Path.write_bytes = _planted
"""
LYING_ARRAY = (
    b"\x93NUMPY\x01\x00\x76\x00"
    + b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999,), }".ljust(117)
    + b"\n"
)
PICKLED_ARRAY = (
    b"\x93NUMPY\x01\x00\x76\x00"
    + b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }".ljust(117)
    + b"\n"
    + b"cos\nsystem\n(S'false'\ntR."
)


@pytest.fixture(scope="module")
def it(tmp_path_factory):
    workspace = str(tmp_path_factory.mktemp("values"))
    with Interpreter("scripted/demo", workspace=workspace, keep_history=False) as made:
        yield made


@pytest.fixture
def planted(it):
    """Have something else written than the value."""

    def plant(suffix, action):
        block = it.run("python", PLANT.format(suffix=suffix, action=action))
        assert block.ok, block.summary

    yield plant
    it.run("python", "_p.Path.write_bytes = _write")
    assert it.value("6 * 7") == 42


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        (".arrow", b"ARROW1\0\0" + b"\xff" * 100 + b"ARROW1"),
        (".arrow", b""),
        (".arrow", b"\x80\x04\x95pickle"),
        (".npy", LYING_ARRAY),
        (".npy", PICKLED_ARRAY),
        (".npy", b"PK\x03\x04 a zip"),
        (".json", b"["),
        (".json", b"\xff\xfe"),
        (".json", b"[" * 200_000 + b"]" * 200_000),
    ],
)
def test_what_is_no_value_is_refused_in_a_sentence(it, planted, suffix, content):
    if len(content) > 100_000:
        content, action = b"", "_write(_p.Path(path), b'[' * 200_000 + b']' * 200_000)"
    else:
        action = f"_write(_p.Path(path), {content!r})"
    planted(suffix, action)
    with pytest.raises(TransferFailed, match="cannot be read") as error:
        it.value("1")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500


def test_something_huge_is_refused_before_it_is_read(it, planted):
    planted(".json", "_write(_p.Path(path), b''); _os.truncate(path, 5_000_000_000)")
    with pytest.raises(TransferFailed, match=r"(?i)too large"):
        it.value("1")


@pytest.mark.parametrize("action", ["_os.mkfifo(path)", "_os.mkdir(path)", "pass"])
def test_what_is_no_file_did_not_arrive(it, planted, action):
    planted(".json", action)
    with pytest.raises(TransferFailed, match="did not arrive"):
        it.value("1")

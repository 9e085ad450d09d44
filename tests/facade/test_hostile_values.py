"""Whatever a block writes in place of a value is read as data, or refused in one sentence."""

import pytest
from tests.escape.peak import Peak

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
        (".arrow", b"\xff\xff\xff\xff\x10\0\0\0" + bytes(200)),
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


ARROW = """
import numpy as _np, pyarrow as _pa
def _as_stream(path, column, codec=None):
    options = _pa.ipc.IpcWriteOptions(compression=codec)
    table = _pa.table({'a': column})
    with _pa.ipc.new_stream(path, table.schema, options=options) as writer:
        writer.write_table(table)
"""
SMALL_THAT_IS_LARGE = {
    "nested lists": (".json", "_write(_p.Path(path), b'[' + b'[],' * 40_000_000 + b'0]')"),
    "many small texts": (".json", "_write(_p.Path(path), b'[' + b'\"\",' * 30_000_000 + b'0]')"),
    "a file of holes": (".npy", "_write(_p.Path(path), HEAD); _os.truncate(path, 3_900_000_000)"),
    "columns of nothing": (".arrow", "_as_stream(path, _pa.nulls(10**9))"),
    "a compressed column": (".arrow", "_as_stream(path, _pa.array(_np.zeros(10**7)), 'zstd')"),
    "runs": (
        ".arrow",
        "_as_stream(path, _pa.RunEndEncodedArray.from_arrays([2 * 10**9], ['x'], "
        "_pa.run_end_encoded(_pa.int32(), _pa.string())))",
    ),
    "lists of nothing": (
        ".arrow",
        "_as_stream(path, _pa.ListArray.from_arrays([0, 10**9], _pa.nulls(10**9)))",
    ),
}


@pytest.mark.parametrize("name", SMALL_THAT_IS_LARGE)
def test_what_would_become_gigabytes_is_refused_before_it_does(it, planted, name):
    suffix, action = SMALL_THAT_IS_LARGE[name]
    head = LYING_ARRAY.replace(b"99999999999999", b"480000000     ")
    planted(suffix, f"HEAD = {head!r}; {action}")
    if suffix == ".arrow":
        it.run("python", ARROW)
    reason = "too large|more than|compressed|run-end"
    with Peak() as peak, pytest.raises(TransferFailed, match=reason):
        it.value("1")
    assert peak.megabytes < 300


def test_tables_and_arrays_still_come_over(it):
    it.run("python", "import numpy as np, pandas as pd; df = pd.DataFrame({'a': [[1], [2, 3]]})")
    assert it.value("np.arange(6).reshape(2, 3)").tolist() == [[0, 1, 2], [3, 4, 5]]
    assert [list(cell) for cell in it.value("df")["a"]] == [[1], [2, 3]]
    assert it.value("df.assign(c=pd.Categorical(['x', None]))")["c"].tolist()[0] == "x"

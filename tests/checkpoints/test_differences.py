"""A difference says something for the kind of file it is."""

import json
import struct
import zlib
from pathlib import Path

import pytest

from interpreter.checkpoints.effects.differences import Difference, describe
from interpreter.checkpoints.effects.parquet_footer import parquet_summary
from interpreter.protocol.events import FileChange


def png(width, height):
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + head
    return (
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    )


def notebook(cells):
    kinds = [{"cell_type": "code", "outputs": [{}]}] * cells
    return json.dumps({"cells": [*kinds, {"cell_type": "markdown"}]}).encode()


def parquet(rows, columns):
    """A footer in Thrift's compact form: version, schema, number of rows."""
    element = b"\x48\x01x\x00"  # field 4, binary of one letter; end
    schema = bytes([0x19, (columns + 1) << 4 | 12]) + element * (columns + 1)
    footer = b"\x15\x02" + schema + b"\x16" + bytes([rows * 2]) + b"\x00"
    return b"PAR1" + footer + struct.pack("<I", len(footer)) + b"PAR1"


def difference(tmp_path, name, before, after):
    old, new = tmp_path / "old", tmp_path / name
    old.write_bytes(before)
    new.write_bytes(after)
    change = FileChange(str(new), "modified", len(after))
    return describe([Difference(change, old, new)], tmp_path)


@pytest.mark.parametrize(
    ("name", "before", "after", "expected"),
    [
        ("t.csv", b"a,b\n1,2\n", b"a,b\n1,2\n3,4\n", "2 rows of 2 columns (a, b)"),
        ("p.png", png(10, 20), png(640, 480), "PNG of 640 × 480"),
        ("n.ipynb", notebook(1), notebook(3), "notebook of 4 cells (3 of code, 3 outputs)"),
        ("q.parquet", parquet(3, 2), parquet(40, 5), "Parquet of 40 rows and 5 columns"),
        ("b.bin", b"\0\1", b"\0\1\2", "3 bytes"),
        ("text.py", b"x = 1\n", b"x = 2\n", "-x = 1\n+x = 2\n"),
        ("broken.png", b"no", b"no picture", "10 bytes"),
        ("broken.parquet", b"PAR1", b"xxPAR1", "6 bytes"),
        ("broken.ipynb", b"{}", b"[]", "2 bytes"),
    ],
)
def test_each_kind_of_file_has_its_summary(tmp_path, name, before, after, expected):
    assert expected in difference(tmp_path, name, before, after)


def test_hostile_footers_end_in_an_error():
    for footer in (b"\x19\xfc\xff\xff\xff\xff\x0f" + b"\x1c" * 50, b"\x1c" * 200, b"\x18\xff\x7f"):
        content = b"PAR1" + footer + struct.pack("<I", len(footer)) + b"PAR1"
        with pytest.raises((ValueError, IndexError)):
            parquet_summary(content)


def test_a_symlink_is_not_read_through(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    link = tmp_path / "link.txt"
    link.symlink_to(secret)
    shown = describe([Difference(FileChange(str(link), "added", 6), None, Path(link))], tmp_path)
    assert shown == "added link.txt\n"


def test_a_long_difference_is_cut(tmp_path):
    after = "".join(f"{number}\n" for number in range(5000)).encode()
    shown = difference(tmp_path, "long.txt", b"", after)
    assert shown.count("\n") < 420
    assert "more lines" in shown


def test_two_names_never_look_the_same(tmp_path):
    names = ["a\nb", "a\\nb", "a\\\nb", "a\\\\nb"]
    shown = [difference(tmp_path, name, b"1\n", b"2\n") for name in names]
    assert len(set(shown)) == len(names)
    assert len({text.count("\n") for text in shown}) == 1

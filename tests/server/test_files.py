"""The workspace over HTTP, and everything that tries to get out of it."""

import io
import os
import zipfile

import pytest
from tests.server.conftest import Talk

from interpreter.server.config import Limits


@pytest.fixture
def one(serve, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    return Talk(serve())


@pytest.fixture
def work(tmp_path):
    return tmp_path / "owner"


def put(one, path, content, **query):
    return one.http.put(f"{one.path}/file", params={"path": path, **query}, content=content)


def test_a_file_goes_up_and_comes_down(one, work):
    assert put(one, "data/a b.csv", b"1,2\n").json() == {"path": "data/a b.csv", "size": 4}
    assert (work / "data" / "a b.csv").read_bytes() == b"1,2\n"
    answer = one.get("file", path="data/a b.csv")
    assert (answer.content, answer.headers["content-type"]) == (
        b"1,2\n",
        "application/octet-stream",
    )
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''a%20b.csv"
    listed = one.get("files", path="data").json()
    assert [(e["name"], e["kind"], e["size"]) for e in listed["entries"]] == [
        ("a b.csv", "file", 4)
    ]
    assert put(one, "data/a b.csv", b"other").status_code == 409
    assert put(one, "data/a b.csv", b"other", replace="true").status_code == 201
    assert (work / "data" / "a b.csv").read_bytes() == b"other"


@pytest.mark.parametrize(
    ("header", "status", "content"),
    [
        ("bytes=0-0", 206, b"0"),
        ("bytes=7-", 206, b"789"),
        ("bytes=-3", 206, b"789"),
        ("bytes=5-999", 206, b"56789"),
        ("bytes=10-", 416, None),
        ("bytes=5-4", 416, None),
        ("lines=1-2", 200, b"0123456789"),
        ("bytes=-", 200, b"0123456789"),
    ],
)
def test_ranges(one, work, header, status, content):
    (work / "ten").write_bytes(b"0123456789")
    answer = one.http.get(f"{one.path}/file", params={"path": "ten"}, headers={"range": header})
    assert answer.status_code == status
    assert content is None or answer.content == content


OUTSIDE = ["../secret.txt", "a/../../secret.txt", "/etc/passwd", "..", "data/../..", "\0", "a\0/b"]


@pytest.mark.parametrize("path", OUTSIDE)
def test_words_that_lead_out_are_refused(one, path):
    assert one.get("file", path=path).status_code in (403, 404)
    assert one.get("files", path=path).status_code in (403, 404)
    assert one.get("archive", path=path).status_code in (403, 404)
    assert put(one, path, b"x").status_code in (400, 403)


def test_links_are_shown_and_not_followed(one, work, tmp_path):
    (work / "out").symlink_to(tmp_path)
    (work / "file").symlink_to(tmp_path / "secret.txt")
    os.mkfifo(work / "pipe")
    entries = one.get("files").json()["entries"]
    kinds = {entry["name"]: entry["kind"] for entry in entries}
    assert kinds == {"out": "link", "file": "link", "pipe": "other"}
    for path in ("out", "out/secret.txt", "file", "pipe"):
        assert one.get("file", path=path).status_code == 403
    assert one.get("files", path="out").status_code == 403
    assert put(one, "out/new.txt", b"x").status_code == 403
    assert not (tmp_path / "new.txt").exists()
    assert put(one, "file", b"mine", replace="true").status_code == 201
    assert (tmp_path / "secret.txt").read_text() == "secret"
    assert (work / "file").read_text() == "mine"


def test_a_zip_has_the_files_and_no_link(one, work, tmp_path):
    (work / "d" / "e").mkdir(parents=True)
    (work / "d" / "e" / "f.txt").write_text("f")
    (work / "d" / "g.txt").write_text("g")
    (work / "d" / "link").symlink_to(tmp_path / "secret.txt")
    (work / "d" / "..\\..\\h.txt").write_text("h")  # a way out, where it is unpacked on Windows
    content = one.get("archive", path="d").content
    with zipfile.ZipFile(io.BytesIO(content)) as zipped:
        assert {name: zipped.read(name) for name in zipped.namelist()} == {
            "e/f.txt": b"f",
            "g.txt": b"g",
            ".._.._h.txt": b"h",
        }


def test_names_that_are_no_text_do_not_break_the_list(one, work):
    (work / os.fsdecode(b"caf\xe9")).write_text("x")
    assert [e["name"] for e in one.get("files").json()["entries"]] == ["caf\ufffd"]


def test_what_is_not_there(one):
    assert one.get("file", path="nothing").status_code == 404
    assert one.get("files", path="nothing").status_code == 404
    assert one.get("file", path="").status_code in (403, 404)


def test_an_archive_of_holes_or_of_endless_depth_is_refused(serve, tmp_path):
    one = Talk(serve(limits=Limits(upload=100_000, free_memory=0)))
    work = tmp_path / "owner"
    (work / "holes").mkdir()
    with (work / "holes" / "long").open("wb") as file:
        file.truncate(1 << 32)
    assert one.get("archive", path="holes").status_code == 413
    deep = work / "deep"
    deep.joinpath(*(["d"] * 120)).mkdir(parents=True)
    assert one.get("archive", path="deep").status_code == 413
    (work / "usual" / "a" / "b").mkdir(parents=True)
    (work / "usual" / "a" / "b" / "zeros").write_bytes(bytes(300_000))
    assert one.get("archive", path="usual").status_code == 200

"""What a program did to a copy of the files, as it is told and as a small model's judge reads it."""

import os
import runpy
import socket
from pathlib import Path

import pytest

from interpreter.models.small.rehearsal.copies import Rehearsal, compared
from interpreter.models.small.rounds import rounds_of
from interpreter.protocol.inside_files import INSIDE
from interpreter.protocol.messages import ActionResult, Code, Message, Output
from interpreter.session.request.shrink import cut_to, shown_output

RENAME = "Rename the files in notes so that each name begins with 2024-."
ALWAYS_KEPT = 4_800  # characters at the end of a long output


@pytest.fixture
def work(tmp_path, monkeypatch):
    place = tmp_path / "work"
    (place / "notes").mkdir(parents=True)
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def tried(work, tmp_path, monkeypatch):
    """The round of a program that was tried on a copy and does this there, as a model reads it in
    a conversation that keeps no more of one output than that."""

    def run(does, source="", printed="", kept=100_000):
        monkeypatch.chdir(work)
        on_a_copy = runpy.run_path(str(INSIDE / "files" / "on_a_copy.py"))
        on_a_copy["begin"](str(work), str(tmp_path / "copies" / "work"))
        does()
        told = on_a_copy["tell"](source)
        assert len(told) <= ALWAYS_KEPT
        result = Message("computer", (Output(printed + told), ActionResult("c", "ok")))
        code = Code("python", source, "c", to_compare=True, attempt="copy")
        messages = (Message("assistant", (code,)), cut_to(shown_output(result), kept))
        return rounds_of(messages)[0]

    return run


def many(work, count, name="letter-to-somebody-far-away"):
    for at in range(count):
        (work / "notes" / f"{name}-{at:04d}.txt").write_text(str(at))


def rename_all():
    for path in sorted(Path("notes").iterdir()):
        path.rename(path.with_name(f"2024-{path.name}"))


def write(name, text):
    return lambda: Path(name).write_bytes(text.encode())


def test_of_many_files_it_is_known_that_none_is_lost_and_what_is_changed(work, tried):
    many(work, 500)
    one = Rehearsal.of(tried(rename_all, printed="renamed\n" * 5_000))
    assert (one.deletes, one.trouble(RENAME), one.harm(RENAME)) == (False, "", "")
    assert one.not_named(RENAME)[0] == "notes/letter-to-somebody-far-away-0000.txt"
    assert one.not_named(RENAME)[-1].endswith(" more files")


def test_of_many_files_one_that_is_lost_is_noticed(work, tried):
    many(work, 500)

    def lose_one():
        rename_all()
        Path("notes/2024-letter-to-somebody-far-away-0499.txt").unlink()

    assert Rehearsal.of(tried(lose_one)).deletes


def test_programs_that_do_something_else_to_one_of_many_files_do_not_agree(work, tried):
    many(work, 500)

    def spoil_one():
        rename_all()
        write("notes/2024-letter-to-somebody-far-away-0333.txt", "other")()

    agreed = [tried(rename_all, "1"), tried(spoil_one, "2"), tried(rename_all, "3")]
    assert compared(RENAME, agreed).votes == 2
    assert compared(RENAME, agreed[:2]).votes == 1


def test_of_many_files_those_that_a_program_names_are_told_and_what_they_hold(work, tried):
    def split():
        for at in range(300):
            write(f"part-{at:03d}.csv", "a,b\n1,2\n")()
        write("wanted.csv", "name,value\nx,1\n")()

    order = "Split a.csv into one file for each row and write their names into wanted.csv."
    one = Rehearsal.of(tried(split, 'f"part-{at:03d}.csv"\nopen("wanted.csv")'))
    assert "added wanted.csv" in one.one.files
    assert one.holds("wanted.csv") == "name,value\nx,1\n"
    assert "wanted.csv" not in one.trouble(order)


def test_originals_that_are_spoilt_among_many_files_are_noticed(work, tried):
    many(work, 300)
    order = "Copy the files in notes to files that begin with 2024-. Keep the originals."

    def spoil():
        for at in range(300):
            name = f"notes/letter-to-somebody-far-away-{at:04d}.txt"
            write(f"notes/2024-{at:04d}.txt", str(at))()
            if at == 299:
                write(name, "spoilt")()

    assert "-0299.txt" in Rehearsal.of(tried(spoil)).harm(order)


@pytest.mark.parametrize("kept", [900, 3_000])
def test_where_little_of_an_output_is_kept_what_is_not_known_is_not_taken_for_harmless(
    work, tried, kept
):
    many(work, 300)
    one = Rehearsal.of(tried(rename_all, printed="added nothing.txt\n" * 500, kept=kept))
    assert not one.deletes
    assert one.not_named(RENAME)[-1].endswith(" more files")
    assert "added nothing.txt" not in one.one.files


def test_long_texts_do_not_push_out_what_is_changed(work, tried):
    (work / "old.txt").write_text("a")

    def write_many():
        for name in "abc":
            write(f"{name}.csv", "1\n" * 3_000)()
        Path("old.txt").unlink()

    one = Rehearsal.of(tried(write_many))
    assert one.one.files == ("added a.csv", "deleted old.txt", "added b.csv", "added c.csv")
    assert one.deletes
    assert not one.tells_all_of("a.csv")
    assert len(one.holds("a.csv")) >= 4_000  # what is longer than that is known to be a beginning


def test_programs_that_treat_blanks_in_another_way_do_not_agree(work, tried):
    (work / "a.txt").write_text("two eggs  \nbread \n")
    right, wrong = "two eggs\nbread\n", "twoeggs\nbread\n"
    marks = [Rehearsal.of(tried(write("a.txt", text))).mark for text in (right, wrong)]
    assert marks[0] != marks[1]


def test_ends_of_lines_and_empty_lines_at_the_end_and_zeros_make_no_difference(work, tried):
    texts = ("a,1.50\nb,2\n", "a,1.5\r\nb,2\r\n\r\n", "a,1.500\nb,2")
    rounds = [tried(write("a.csv", text)) for text in texts]
    assert len({Rehearsal.of(one).mark for one in rounds}) == 1


def test_pipes_sockets_and_what_cannot_be_read_stay_where_they_are(work, tried):
    os.mkfifo(work / "pipe")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("listener")
    (work / "closed").mkdir(mode=0)
    many(work, 1)
    one = Rehearsal.of(tried(rename_all))
    listener.close()
    (work / "closed").rmdir()
    assert [file.partition(" ")[0] for file in one.one.files] == ["renamed"]


def test_a_copy_takes_the_place_of_the_one_before(work, tried, tmp_path):
    for name in ("a.txt", "b.txt"):
        tried(write(name, "a"))
    copies = sorted(path.relative_to(tmp_path) for path in (tmp_path / "copies").rglob("*"))
    assert copies == [Path("copies/work"), Path("copies/work/b.txt"), Path("copies/work/notes")]

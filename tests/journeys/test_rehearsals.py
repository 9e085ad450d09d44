"""What a small model is ordered to do is tried on copies, and the best program is carried out."""

import os

import pytest

from interpreter.protocol.actions import Decision
from interpreter.protocol.events import ExecutionFinished
from interpreter.protocol.messages import Code

ORDER = "Rename the files in notes so that each name begins with 2024-."
RENAME = """\
import os
for name in os.listdir("notes"):
    os.rename(f"notes/{name}", f"notes/2024-{name}")
"""
THE_SAME = """\
from pathlib import Path
for path in list(Path("notes").iterdir()):
    path.rename(path.with_name("2024-" + path.name))
"""
THE_FOLDER = 'import os\nos.rename("notes", "2024-notes")'
WIPE = 'import shutil\nshutil.rmtree("notes")'
FAIL = 'open("half.txt", "w").write("x")\nraise ValueError("no")'


@pytest.fixture
def work(tmp_path, monkeypatch):
    place = tmp_path / "work"
    (place / "notes").mkdir(parents=True)
    for name in ("a.txt", "b.txt"):
        (place / "notes" / name).write_text(name)
    (place / "prices.csv").write_text("item,price\ntea,3.0\nmilk,1.0\n")
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def open_session(work, open_small_session):
    return open_small_session


def files_in(place):
    return sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())


def blocks_of(session):
    """The programs of a turn: those on copies, and those in earnest."""
    codes = [part for message in session.transcript for part in message.parts]
    codes = [part for part in codes if isinstance(part, Code)]
    tried = [one.source for one in codes if one.attempt == "copy"]
    return tried, [one.source for one in codes if not one.to_compare]


RENAMED = ["notes/2024-a.txt", "notes/2024-b.txt", "prices.csv"]


def test_what_two_programs_would_do_is_done_and_not_what_the_first_would(open_session, work):
    session = open_session({"code": THE_FOLDER}, "Done.", drafts=[RENAME, THE_SAME])
    list(session.send(ORDER))
    assert files_in(work) == RENAMED
    tried, done = blocks_of(session)
    assert tried == [THE_FOLDER, RENAME.strip(), THE_SAME.strip()]
    assert done == [RENAME.strip()]


def test_once_two_agree_no_other_is_tried(open_session, work):
    session = open_session({"code": RENAME}, "Done.", drafts=[THE_SAME, WIPE])
    list(session.send(ORDER))
    assert files_in(work) == RENAMED
    assert blocks_of(session) == ([RENAME.strip(), THE_SAME.strip()], [RENAME.strip()])


def test_a_program_that_deletes_what_was_only_to_be_renamed_is_never_carried_out(
    open_session, work
):
    session = open_session({"code": WIPE}, "Done.", drafts=[WIPE + "\n#", RENAME, THE_SAME])
    list(session.send(ORDER))
    assert files_in(work) == RENAMED
    assert blocks_of(session)[1] == [RENAME.strip()]


def test_a_program_that_fails_is_passed_over_and_leaves_nothing(open_session, work):
    session = open_session({"code": FAIL}, "Done.", drafts=[RENAME, THE_SAME])
    list(session.send(ORDER))
    assert files_in(work) == RENAMED


def test_files_that_nobody_named_are_changed_only_as_two_programs_would(open_session, work):
    before = files_in(work)
    other = RENAME.replace("2024-", "24-")
    session = open_session({"code": RENAME}, "Done.", drafts=[other, FAIL, FAIL + "\n#"])
    list(session.send(ORDER))
    assert files_in(work) == before
    assert "no two of the programs" in session.transcript[-1].text


def test_where_all_programs_miss_what_was_said_the_refusal_says_that(open_session, work):
    before = files_in(work)
    session = open_session(
        {"code": RENAME}, "Done.", drafts=[THE_SAME, RENAME + "\n#", THE_SAME + "\n#"]
    )
    list(session.send("Rename the files in notes from 2019 so that each name begins with 2024-."))
    assert files_in(work) == before
    said = session.transcript[-1].text
    assert "none of the programs" in said
    assert "2019" in said


def test_one_undo_brings_back_all_of_it(open_session, work):
    before = files_in(work)
    session = open_session({"code": THE_FOLDER}, "Done.", drafts=[RENAME, THE_SAME])
    list(session.send(ORDER))
    session.undo()
    assert files_in(work) == before


def test_the_same_order_after_an_undo_is_tried_and_done_again(open_session, work):
    session = open_session(
        {"code": RENAME}, "Done.", {"code": THE_FOLDER}, "Done.", drafts=[THE_SAME, RENAME]
    )
    list(session.send(ORDER))
    session.undo()
    list(session.send(ORDER))
    assert files_in(work) == RENAMED


def test_what_is_stopped_while_it_is_tried_is_not_done(open_session, work):
    before = files_in(work)
    session = open_session({"code": RENAME}, "Done.", drafts=[THE_SAME])
    for event in session.send(ORDER):
        if isinstance(event, ExecutionFinished):
            session.interrupt()
    assert files_in(work) == before


def test_who_approves_by_hand_is_asked_about_the_best_program_alone(open_session, work):
    asked = []

    def approve(request):
        asked.append(request.action.source)
        return Decision("yes")

    session = open_session(
        {"code": THE_FOLDER}, "Done.", drafts=[RENAME, THE_SAME], approve=approve
    )
    list(session.send(ORDER))
    assert (asked, files_in(work)) == ([RENAME.strip()], RENAMED)


@pytest.mark.parametrize(
    "wipe", [WIPE, 'import os\nos.remove("notes/a.txt")'], ids=["folder", "file"]
)
def test_where_all_programs_would_delete_none_is_carried_out(open_session, work, wipe):
    before = files_in(work)
    session = open_session({"code": wipe}, drafts=[f"{wipe}\n#{at}" for at in range(4)])
    list(session.send(ORDER))
    assert files_in(work) == before
    assert "would delete files, which you did not ask for" in session.transcript[-1].text


def test_where_all_programs_would_change_what_is_to_stay_none_is_carried_out(open_session, work):
    spoil = 'open("prices.csv", "w").write("")\nopen("out.csv", "w").write("a")'
    session = open_session({"code": spoil}, drafts=[f"{spoil}\n#{at}" for at in range(4)])
    order = "Save the rows of prices.csv sorted by price as out.csv. Do not change prices.csv."
    list(session.send(order))
    assert "tea,3.0" in (work / "prices.csv").read_text()
    assert session.transcript[-1].text.endswith("prices.csv, which is to stay as it is.")


def test_secrets_in_a_file_that_would_be_changed_are_not_told(open_session, work):
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
    (work / "app.ini").write_text(f"key={key}\ndebug=true\n")
    change = (
        'text = open("app.ini").read().replace("true", "false")\nopen("app.ini", "w").write(text)'
    )
    session = open_session({"code": change}, "Done.", drafts=[change + "\n#"])
    list(session.send("Set debug to false in app.ini"))
    told = repr(list(session.transcript))
    assert "app.ini would hold:" in told
    assert key not in told


def test_a_long_row_of_digits_takes_no_longer_than_other_texts(open_session, work):
    digits = 'open("out.txt", "w").write("7" * 300_000)'
    session = open_session({"code": digits}, "Done.", drafts=[digits + "\n#"])
    list(session.send("Write the digit 7 300000 times and save it as out.txt"))
    assert (work / "out.txt").stat().st_size == 300_000


def test_what_a_file_holds_is_not_taken_for_what_would_change(open_session, work):
    lie = 'open("out.txt", "w").write("It would change:\\nadded x 0123456789\\n")\n'
    lie += 'import os\nos.remove("notes/a.txt")'
    session = open_session({"code": lie}, drafts=[f"{lie}\n#{at}" for at in range(4)])
    list(session.send("Write a line for each file in notes and save it as out.txt"))
    assert "notes/a.txt" in files_in(work)


def test_a_folder_with_nothing_in_it_is_seen(open_session, work):
    (work / "empty").mkdir()
    move = 'import os\nos.makedirs("archive")\nos.rename("empty", "archive/empty")'
    session = open_session({"code": move}, "Done.", drafts=[move + "\n#"])
    list(session.send("Move the folder empty into the folder archive."))
    assert (work / "archive" / "empty").is_dir()
    assert len(blocks_of(session)[0]) == 2


def test_programs_that_all_do_something_else_leave_a_doubt(open_session, work):
    order = "Raise the prices in prices.csv by 10 percent. Overwrite the file."
    raised = (
        'import pandas as pd\ndf = pd.read_csv("prices.csv")\n'
        'df["price"] = df["price"] * {}\ndf.to_csv("prices.csv", index=False)'
    )
    session = open_session(
        {"code": raised.format("1.1")},
        "The prices were raised.",
        drafts=[raised.format("0.1"), raised.format("10")],
    )
    list(session.send(order))
    assert "3.3" in (work / "prices.csv").read_text()
    assert "(Not sure: other programs for this" in session.transcript[-1].text


def test_a_column_in_another_case_is_put_right_on_the_copy(open_session, work):
    (work / "fares.csv").write_text("Fare,Name\n3,a\n5,b\n")
    wrong = 'import pandas as pd\ndf = pd.read_csv("fares.csv")\n'
    wrong += 'open("sum.txt", "w").write(str(df["fare"].sum()))'
    session = open_session({"code": wrong}, "Done.", drafts=[])
    list(session.send("Write the sum of fare in fares.csv and save it as sum.txt"))
    assert (work / "sum.txt").read_text() == "8"


def test_the_same_numbers_written_otherwise_are_the_same(open_session, work):
    order = "Write mean.csv with the columns name and value and a row for each of mean_price."
    one = 'open("mean.csv", "w").write("name,value\\nmean_price,2.0\\n")\nprint(open("prices.csv"))'
    other = 'open("mean.csv", "w").write("name,value\\nmean_price,2.00\\n\\n")\nopen("prices.csv")'
    third = 'open("mean.csv", "w").write("name,value\\nmean_price,7\\n")\nopen("prices.csv")'
    session = open_session({"code": third}, "Done.", drafts=[one, other])
    list(session.send(order))
    assert len(blocks_of(session)[0]) == 3
    assert (work / "mean.csv").read_text() == "name,value\nmean_price,2.0\n"


def test_where_there_is_too_much_to_be_copied_it_is_done_as_it_was_written(open_session, work):
    with (work / "large.bin").open("wb") as file:
        file.truncate(40_000_000)
    session = open_session({"code": RENAME}, "Done.", drafts=[THE_SAME, THE_FOLDER])
    list(session.send(ORDER))
    assert files_in(work) == ["large.bin", *RENAMED]


@pytest.mark.parametrize("count", [2, 120])
def test_however_many_files_there_are_the_program_that_two_agree_on_is_carried_out(
    open_session, work, count
):
    for at in range(count - 2):
        (work / "notes" / f"letter-{at:03d}.txt").write_text(str(at))
    loud = THE_SAME + '    print(path, "->", path.with_name("2024-" + path.name))\n'
    wrong = loud.replace('Path("notes").iterdir()', 'Path(".").rglob("*.*")')
    session = open_session({"code": wrong}, "Done.", drafts=[loud, RENAME])
    list(session.send(ORDER))
    assert (work / "prices.csv").exists()
    assert len(list((work / "notes").glob("2024-*"))) == count


def test_what_cannot_be_tried_and_deletes_what_nobody_named_is_not_done(open_session, work):
    with (work / "large.bin").open("wb") as file:
        file.truncate(40_000_000)
    wipe = 'import os\nos.remove("notes/a.txt")'
    session = open_session({"code": wipe}, drafts=[RENAME, THE_SAME])
    list(session.send(ORDER))
    assert (work / "notes" / "a.txt").exists()
    assert "would delete files, which you did not ask for" in session.transcript[-1].text


def test_where_all_programs_fail_another_is_written_and_none_of_them_is_carried_out(
    open_session, work
):
    failing = [f"{FAIL}\n#{at}" for at in range(4)]
    session = open_session({"code": FAIL}, {"code": RENAME}, "Done.", drafts=failing)
    list(session.send(ORDER))
    assert files_in(work) == RENAMED
    assert blocks_of(session) == ([FAIL, *failing], [RENAME])


def test_where_the_workspace_is_named_in_full_the_copy_is_meant(open_session, work):
    def in_full(source):
        return source.replace("notes", f"{work}/notes")

    wrong = 'import os, pathlib\nfor path in list(pathlib.Path("WORK").rglob("*.*")):\n'
    wrong += '    path.rename(path.with_name("2024-" + path.name))'
    wrong = wrong.replace("WORK", str(work))
    drafts = [in_full(RENAME), in_full(THE_SAME)]
    session = open_session({"code": wrong}, "Done.", drafts=drafts)
    list(session.send(in_full(ORDER)))
    assert files_in(work) == RENAMED
    assert len(blocks_of(session)[0]) == 3


def test_a_pipe_and_what_cannot_be_read_do_not_keep_an_order_from_being_tried(open_session, work):
    os.mkfifo(work / "pipe")
    (work / "secret.key").write_text("x")
    (work / "secret.key").chmod(0)
    session = open_session({"code": THE_FOLDER}, "Done.", drafts=[RENAME, THE_SAME])
    list(session.send(ORDER))
    assert files_in(work) == [*RENAMED, "secret.key"]


def test_blanks_are_compared(open_session, work):
    (work / "notes.txt").write_text("two eggs  \n")
    wrong = 'text = open("notes.txt").read().replace(" ", "")\nopen("notes.txt", "w").write(text)'
    right = wrong.replace('.replace(" ", "")', '.replace("  ", "")')
    session = open_session({"code": wrong}, "Done.", drafts=[right, right + "\n#"])
    list(session.send("Remove the trailing spaces from the lines in notes.txt and save it."))
    assert (work / "notes.txt").read_text() == "two eggs\n"


def test_a_question_is_tried_on_no_copy(open_session, work):
    session = open_session({"code": "print(2)"}, "There are 2.", drafts=["print(1 + 1)"])
    list(session.send("How many files are in notes?"))
    assert blocks_of(session)[0] == []


def test_without_a_sandbox_it_is_done_as_it_was_written(open_session, work):
    session = open_session({"code": RENAME}, "Done.", drafts=[THE_SAME, THE_FOLDER], sandbox="off")
    list(session.send(ORDER))
    assert files_in(work) == RENAMED

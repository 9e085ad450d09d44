"""What a small model is ordered to do is done as a whole, or not at all."""

from pathlib import Path

import pytest

from interpreter.protocol.actions import Decision
from interpreter.protocol.changed_files import files_changed_in
from interpreter.protocol.events import CheckpointDiscarded, CheckpointTaken
from interpreter.protocol.messages import Output

ORDER = "Rename the files in notes so that each name begins with 2024-."
HALF = """\
import os
names = sorted(os.listdir("notes"))
os.rename(f"notes/{names[0]}", f"notes/2024-{names[0]}")
os.remove(f"notes/{names[1]}")
open("notes/log.txt", "w").write("half")
raise ValueError("no such name")
"""
WHOLE = """\
import os
print(sorted(os.listdir("notes")), "names" in globals())
for name in os.listdir("notes"):
    os.rename(f"notes/{name}", f"notes/2024-{name}")
"""
RAISE = "Increase every number in numbers.txt by 1 and save how many there are as count.json."
INCREASE = """\
lines = open("numbers.txt").read().split()
open("numbers.txt", "w").write(" ".join(str(int(one) + 1) for one in lines))
"""
ALL_OF_IT = INCREASE + 'open("count.json", "w").write(str(len(lines)))\n'


@pytest.fixture
def work(tmp_path, monkeypatch):
    place = tmp_path / "work"
    (place / "notes").mkdir(parents=True)
    for name in ("a.txt", "b.txt"):
        (place / "notes" / name).write_text(name)
    (place / "numbers.txt").write_text("1 2 3")
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def open_session(work, open_small_session):
    return open_small_session


def files_in(place):
    return {
        str(path.relative_to(place)): path.read_text()
        for path in place.rglob("*")
        if path.is_file()
    }


def printed(session):
    return [
        "".join(p.text for p in message.parts if isinstance(p, Output) and p.stream == "stdout")
        for message in session.transcript
        if message.role == "computer"
    ]


def test_what_a_block_had_done_when_it_failed_is_taken_back_before_the_next_try(open_session, work):
    session = open_session({"code": HALF}, {"code": WHOLE}, "Both were renamed.")
    events = list(session.send(ORDER))
    assert printed(session)[1] == "['a.txt', 'b.txt'] False\n"
    assert sorted(files_in(work / "notes")) == ["2024-a.txt", "2024-b.txt"]
    taken = [event.checkpoint for event in events if isinstance(event, CheckpointTaken)]
    gone = [event.checkpoint for event in events if isinstance(event, CheckpointDiscarded)]
    assert (gone, session.blocks) == (taken[:1], tuple(taken[1:]))
    changed = [Path(name).name for name in files_changed_in(session.transcript)]
    assert sorted(changed) == ["2024-a.txt", "2024-b.txt"]


def test_one_undo_brings_back_all_that_was_there_before_the_order(open_session, work):
    before = files_in(work)
    session = open_session({"code": HALF}, {"code": WHOLE}, "Both were renamed.")
    list(session.send(ORDER))
    session.undo()
    assert files_in(work) == before


def test_an_order_that_is_given_up_leaves_nothing_half_done_and_says_so(open_session, work):
    before = files_in(work)
    session = open_session(*({"code": f"{HALF}# {at}"} for at in range(8)))
    list(session.send(ORDER))
    assert files_in(work) == before
    assert session.blocks == ()
    assert session.transcript[-1].text.endswith(
        "fails each time with ValueError: no such name. Your files are as they were."
    )


def test_a_change_that_is_made_again_is_not_made_twice(open_session, work):
    session = open_session({"code": INCREASE}, {"code": ALL_OF_IT}, "Done.")
    events = list(session.send(RAISE))
    assert files_in(work)["numbers.txt"] == "2 3 4"
    assert files_in(work)["count.json"] == "3"
    assert sum(isinstance(event, CheckpointDiscarded) for event in events) == 1
    assert len(session.blocks) == 1


def test_where_the_second_try_fails_all_is_as_it_was_before_the_first(open_session, work):
    before = files_in(work)
    wrong = (f"{INCREASE}raise ValueError({at})" for at in range(8))
    session = open_session({"code": INCREASE}, *({"code": one} for one in wrong))
    list(session.send(RAISE))
    assert files_in(work) == before
    assert session.transcript[-1].text == (
        "I could not do this: 6 programs in a row failed, the last one with ValueError: 5. "
        "Your files are as they were."
    )


def test_a_new_file_stays_where_a_better_one_could_not_be_written(open_session, work):
    """It may be of use; a block that fails afterwards takes only its own work with it."""
    order = "Write names.csv with the columns name and size, a row for each file in notes."
    first = 'open("names.csv", "w").write("file\\na.txt\\nb.txt\\n")'
    worse = 'open("names.csv", "w").write("")\nraise ValueError({at})'
    session = open_session({"code": first}, *({"code": worse.format(at=at)} for at in range(8)))
    list(session.send(order))
    assert files_in(work)["names.csv"] == "file\na.txt\nb.txt\n"


def test_who_approves_by_hand_is_told_that_the_block_before_is_taken_back(open_session, work):
    reasons = []

    def approve(request):
        reasons.append(request.reason)
        return Decision("yes")

    session = open_session({"code": INCREASE}, {"code": ALL_OF_IT}, "Done.", approve=approve)
    list(session.send(RAISE))
    assert ["taken back first" in reason for reason in reasons] == [False, True]
    assert files_in(work)["numbers.txt"] == "2 3 4"


def test_a_dry_run_that_fails_takes_nothing_else_back(open_session, work):
    answers = iter(("yes", "dry_run", "no", "stop"))
    session = open_session(
        {"code": 'open("mine.txt", "w").write("precious")'},
        "Done.",
        {"code": HALF},
        {"code": WHOLE},
        approve=lambda request: Decision(next(answers)),
    )
    list(session.send("Write precious and save it as mine.txt"))
    list(session.send(ORDER))
    assert sorted(files_in(work)) == ["mine.txt", "notes/a.txt", "notes/b.txt", "numbers.txt"]
    assert len(session.blocks) == 1


def test_after_a_no_to_the_second_try_what_the_first_did_stays(open_session, work):
    answers = iter((Decision("yes"), Decision("no")))
    session = open_session(
        {"code": INCREASE}, {"code": ALL_OF_IT}, "Done.", approve=lambda request: next(answers)
    )
    list(session.send(RAISE))
    assert files_in(work)["numbers.txt"] == "2 3 4"
    assert len(session.blocks) == 1


def test_what_a_question_leaves_behind_stays_although_it_failed(open_session, work):
    """Only orders are attempts: who asks something may want what was computed so far."""
    block = 'open("seen.txt", "w").write("1")\nraise ValueError("no")'
    session = open_session({"code": block}, {"code": "print(2)"}, "There are 2.")
    list(session.send("How many files are in notes?"))
    assert "seen.txt" in files_in(work)

"""Answers that are wanted in a file are computed like any others, and written by us."""

import subprocess
import sys

import pytest
from tests.models.small.test_checks import PROFILE, block, reply

from interpreter.models.small.into_file import answer_into_file, put_into_file
from interpreter.models.small.plan import SmallTurn, next_request
from interpreter.protocol.events import ActionProposed, ReplyFinished, TextDelta
from interpreter.protocol.messages import (
    ActionResult,
    Code,
    Display,
    Face,
    Message,
    Output,
    Text,
)
from support.profiles import with_profile

QUESTION = "What are the mean price and the number of rows in sales.csv? "
PRINTED = "{'mean_price': np.float64(3.4567), 'rows': 3}"
COMPUTES = "import pandas as pd\nf(pd.read_csv('sales.csv')['price'])"


@pytest.mark.parametrize(
    ("wish", "name", "text"),
    [
        (
            "Write the answer to answer.csv, with the columns name and value and a row for each of "
            "mean_price and rows.",
            "answer.csv",
            "name,value\nmean_price,3.4567\nrows,3\n",
        ),
        (
            "Save both, rounded to two decimals, as out/r.json, an object with the keys mean_price "
            "and rows.",
            "out/r.json",
            '{"mean_price": 3.46, "rows": 3}\n',
        ),
        (
            "Put the results into result.yaml, with the keys rows and mean_price.",
            "result.yaml",
            "rows: 3\nmean_price: 3.4567\n",
        ),
        (
            "Store the answer in answer.txt, one line per value, as name=value.",
            "answer.txt",
            "mean_price=3.4567\nrows=3\n",
        ),
        (
            "Write them to both.csv with the columns rows and mean_price and a single row.",
            "both.csv",
            "rows,mean_price\n3,3.4567\n",
        ),
    ],
)
def test_values_are_computed_and_then_written_in_the_form_that_was_asked_for(
    wish, name, text, tmp_path
):
    asked = with_profile(QUESTION + wish + PROFILE)
    (model_asked,) = SmallTurn.of((asked,)).asked
    assert name not in model_asked.text
    ran = block(COMPUTES, PRINTED + "\n")
    ((ours,), said, _) = reply(asked, *ran)
    assert said == "The answer, into its file:\n"
    assert not ours.to_compare
    subprocess.run([sys.executable, "-c", ours.source], cwd=tmp_path, check=True)
    assert (tmp_path / name).read_text() == text
    (actions, said, _) = reply(asked, *ran, *wrote(ours.source, name))
    assert actions == []
    assert said == f"This is in {name} now:\n\n```text\n{text.rstrip()}\n```"


def wrote(source, name, outcome="ok", summary=""):
    return (
        Message("assistant", (Code("python", source, "c9"),)),
        Message(
            "computer",
            (Output(f"[files: added {name}]\n", "stderr"), ActionResult("c9", outcome, summary)),
        ),
    )


def test_what_is_computed_besides_is_left_out_and_removing_rows_is_no_order_about_files(tmp_path):
    question = (
        "Identify and remove any outliers in the prices of sales.csv. What is their mean then? "
        "Write the answer to a.csv, with a row for each of mean_price."
    )
    asked = with_profile(question + PROFILE)
    ((ours,), _, _) = reply(asked, *block(COMPUTES, PRINTED + "\n"))
    subprocess.run([sys.executable, "-c", ours.source], cwd=tmp_path, check=True)
    assert (tmp_path / "a.csv").read_text() == "name,value\nmean_price,3.4567\n"


WISH = "Write the answer to answer.csv, with a row for each of mean_price and rows."


def test_who_refuses_the_file_is_told_the_answer_all_the_same():
    asked, ran = with_profile(QUESTION + WISH + PROFILE), block(COMPUTES, PRINTED + "\n")
    ((ours,), _, _) = reply(asked, *ran)
    refused = wrote(ours.source, "answer.csv", "declined", "the user said no.")
    (actions, said, _) = reply(asked, *ran, *refused)
    assert actions == []
    assert said.startswith("answer.csv was not written (the user said no). The answer is:")
    assert "mean_price,3.4567" in said


def test_what_is_no_such_answer_is_said_and_not_written():
    asked = with_profile("What is the average weight in sales.csv? " + WISH + PROFILE)
    failed = (
        Message("assistant", (Code("python", COMPUTES, "c1"),)),
        Message("computer", (ActionResult("c1", "failed", "KeyError: 'weight'"),)),
    )
    (actions, said, _) = reply(asked, *failed)
    assert actions == []
    assert "weight" in said


def test_that_nothing_was_computed_is_said_and_not_written():
    wish = "Put both into a.txt, one line per value, as name: value."
    question, name = answer_into_file(QUESTION + wish)
    events = [TextDelta("I could not compute this: none gave a value."), ReplyFinished("stop")]
    assert list(put_into_file(events, question, name)) == events
    events[0] = TextDelta("mean_price: 3.5\nrows: 3")
    assert list(put_into_file(events, question, name)) != events


@pytest.mark.parametrize(
    "request_",
    [
        "Save the members over 60 as old.csv, the oldest first, with the columns name and age.",
        "Write out.json with a list of objects with the keys name and age from a.csv",
        "Save the units per product of sales.csv as out.json",
        "Convert a.csv to a.json",
        "Save a summary of sales.csv as notes.md",
        "Add up the units and write the total into stock.json with the key total\n\nstock.json: x",
        "Export the table users of shop.db to users.json with keys id and name.",
        "Write the names and ages in a.csv to people.json with keys name and age.",
        "Save the users older than 30 in a.csv to old.json with keys name and email.",
        "Save the oldest five users in a.csv to oldest.json with keys name and age.",
        "Write the latest orders of a.csv into orders.json with keys id and date.",
        "Write the mean of each to counts.json with keys matching the region names.",
        "I've put my notes into notes.json with the keys a and b. What is a?",
        "Write the mean to a.csv with a row for each of mean and rows, then delete b.csv.",
        "What is the mean age in a.csv? Save it as config.json.bak with the key mean",
        "How many rows has a.csv? Write just the number to notes.txt.old, not to notes.txt",
    ],
)
def test_files_that_hold_data_or_are_there_are_orders_as_before(request_):
    assert answer_into_file(request_) == (request_, "")


@pytest.mark.parametrize(
    "request_",
    [
        "How many rows has a.csv? Only the number. Please don't write it to rows.txt again.",
        "How many rows has a.csv? Only the number, and never save it as count.txt.",
        "If the mean of x in a.csv is above 100, write it to alarm.txt, only the number.",
        "Write the mean of x to alarm.txt, only the number, if it is above 100.",
        "Explain why my script should write the mean of a.csv to out.json with the key mean.",
        "How would I write the mean of a.csv to out.json with the key mean?",
        "Compute the mean of a.csv. Don't write it to out.json with the key mean, just tell me.",
    ],
)
def test_what_is_forbidden_explained_or_wanted_sometimes_is_not_written_by_us(request_):
    assert answer_into_file(request_) == (request_, "")


@pytest.mark.parametrize(
    "request_",
    [
        "Write a script mean.py to compute the mean of a.csv and write it to o.json with the key m.",
        "Write the mean of x in a.csv to mean.json with the key mean and the median to median.json "
        "with the key median.",
        "Write the answer into v.json with the keys mean and median and tell me which is larger.",
        "How many rows has a.csv? Write only the number to n.txt; drop the duplicates from a.csv.",
        "How many rows has a.csv? Write only the number to n.txt. Which of them is the largest?",
        "How many rows has a.csv? Write only the number to n.txt, below what is in it.",
        "How many rows has a.csv? Append only the number to n.txt.",
        "Write the mean to a.json with the key mean and plot x to p.png.",
    ],
)
def test_where_more_is_wanted_than_an_answer_in_a_new_file_it_is_an_order(request_):
    assert answer_into_file(request_) == (request_, "")


def test_a_file_that_is_there_is_never_written_over(tmp_path):
    asked = with_profile(QUESTION + WISH + PROFILE)
    ran = block(COMPUTES, PRINTED + "\n")
    ((ours,), _, _) = reply(asked, *ran)
    (tmp_path / "answer.csv").write_text("mine")
    done = subprocess.run([sys.executable, "-c", ours.source], cwd=tmp_path, capture_output=True)
    assert b"FileExistsError" in done.stderr
    assert (tmp_path / "answer.csv").read_text() == "mine"
    failed = wrote(ours.source, "answer.csv", "failed", "FileExistsError: answer.csv")
    (actions, said, _) = reply(asked, *ran, *failed)
    assert actions == []
    assert said.startswith("answer.csv was not written (FileExistsError: answer.csv). The answer")


def test_what_was_blacked_out_is_not_written_and_that_is_said():
    question, name = answer_into_file("Save both as env.json with the keys user and api_key. a.csv")
    events = [TextDelta('{"user": "bo", "api_key": "[secret: API key]"}'), ReplyFinished("stop")]
    *said, doubt, end = put_into_file(events, question, name)
    assert [*said, end] == events
    assert doubt.text.startswith("\n\n(Careful: env.json was not written")


def test_what_was_said_before_an_interrupt_is_kept():
    question, name = answer_into_file("How many rows has a.csv? Write only the number to n.txt.")
    assert name == "n.txt"
    events = [TextDelta("There are 3")]
    assert list(put_into_file(events, question, name)) == events


def test_values_that_can_be_looked_up_are_computed_though_only_the_file_says_that_they_have_to_be():
    asked = "Write the name and city of the oldest customer to top.json with keys name and city."
    turn = SmallTurn.of((with_profile(asked + PROFILE),))
    assert turn.file == "top.json"
    assert next_request((with_profile(asked + PROFILE),)).must_act


@pytest.mark.parametrize(
    "answer",
    ["0", "[]", '{"error": "no such file"}', '{"mean": null, "rows": NaN}', '{"mean": 3}'],
)
def test_an_answer_without_the_names_that_were_asked_for_is_not_written(answer):
    wish = "Write the answer to a.json with the keys mean and rows."
    question, name = answer_into_file(QUESTION + wish)
    events = [TextDelta(answer), ReplyFinished("stop")]
    *said, doubt, _ = put_into_file(events, question, name)
    assert said == events[:1]
    assert doubt.text.startswith("\n\n(Careful: a.json was not written")


@pytest.mark.parametrize(
    ("wish", "answer"),
    [
        ("to r.json with the keys 'mean age' and 'rows'.", '{"mean age": 3, "rows": 4}'),
        ("to r.csv with a row for each of mean and rows.", "name,value\nMean,3\nRows,4"),
    ],
)
def test_names_may_be_spelt_in_several_ways(wish, answer):
    question, name = answer_into_file(f"{QUESTION}Write the answer {wish}")
    events = [TextDelta(answer), ReplyFinished("stop")]
    assert name
    assert any(isinstance(one, ActionProposed) for one in put_into_file(events, question, name))


def test_pictures_that_a_message_has_stay_with_it():
    picture = Display((Face("image/png", b"x"),))
    asked = Message("user", (Text("What is the mean of x? Give it in this form: m[x]"), picture))
    (message,) = SmallTurn.of((asked,)).asked
    assert picture in message.parts

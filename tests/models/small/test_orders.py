"""Orders: what is to be written or changed, and slips that need no model to be put right."""

import pytest

from interpreter.models.scripted import ScriptedModel
from interpreter.models.small.form.asked import COLUMNS, listed, number_alone
from interpreter.models.small.form.rendering import with_patterns
from interpreter.models.small.model import SmallModel
from interpreter.models.small.plan import SmallTurn, next_request
from interpreter.models.small.prompts.reminders import reminders_for
from interpreter.models.small.wanted import file_to_write, is_about_files, is_an_order
from interpreter.protocol.events import ActionProposed, TextDelta
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import ActionResult, Code, Message, Output, user_says
from interpreter.protocol.ports import Request
from support.profiles import with_profile

PROFILE = """

sales.csv: 3 rows x 2 columns
- 'product' text: 'tea', 'coffee'
- 'units' int 4 to 30"""


def failing(source, error):
    return (
        Message("assistant", (Code("python", source, "c1"),)),
        Message("computer", (ActionResult("c1", "failed", error),)),
    )


@pytest.mark.parametrize(
    ("source", "better"),
    [
        (r"df['a'] = df['a'].str.replace(r'\D', '')", r"replace(r'\D', '', regex=True)"),
        (r"a = b.str.replace('[^0-9]+', '').str.replace(r'x\\s', 'é')", "'é', regex=True)"),
        ("df['a'] = df['a'].str.replace(',', '.')", ""),
        (r"df['a'] = df['a'].str.replace(r'\D', '', regex=True)", ""),
        (r"t = 'a'.replace(r'\D', '')", ""),
        (r"df['a'] = df['a'].str.replace(r'\D', '')" + "\nos.rename('a', 'b')", ""),
    ],
)
def test_a_pattern_is_one(source, better):
    mended = with_patterns(source)
    assert better in mended if better else mended == source
    compile(mended, "", "exec")


def test_a_column_of_a_table_that_is_to_be_made_is_not_said_to_be_missing():
    asked = with_profile(
        f"Write totals.csv from sales.csv with the columns product and total.{PROFILE}"
    )
    plan = next_request((asked, *failing("df.sort_values('total')", "KeyError: 'total'")))
    assert plan.answer == ""


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("It uses 5437.", "5437"),
        ("There is no port for 2024.", ""),
        ("I could not find it; 1 file was read.", ""),
        ("It is the port of section 7.", ""),
    ],
)
def test_only_the_number_is_given_also_where_the_model_says_a_sentence(said, number):
    assert number_alone("Which port does section 7 use? Only the number.", said) == number
    assert number_alone("Which port does it use?", said) == ""


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ("Pull the e-mail addresses out of inbox.txt into emails.txt: one per line.", "emails.txt"),
        ("Filter the rows of a.csv with x > 3 into b.csv.", "b.csv"),
        ("Get the mean of x in a.csv.", ""),
        ("Get the average price according to data/prices.csv.", ""),
        ("List the rows of data/a.csv that are new compared to data/b.csv.", ""),
    ],
)
def test_a_file_that_something_goes_into_is_to_be_written(request_, name):
    assert file_to_write(request_) == name


def test_columns_that_are_listed_in_their_order_are_all_that_a_file_has():
    words = "Turn users.json into users.csv, just name, email and city in that order."
    assert listed(COLUMNS.search(words)) == ["name", "email", "city"]


@pytest.mark.parametrize(
    ("order", "changes_files"),
    [
        ("Set retries to 5 and timeout to 90 in deploy.yaml.", True),
        ("Replace Ltd by Group in all Markdown files under site.", True),
        ("Please remove the duplicates from list.txt.", True),
        ("Add a column total to sales.csv.", True),
        ("The column in c.csv is a mess. Keep the digits and save the file under its name.", True),
        ("Movers want a list each. Split boxes.csv into one CSV for each room, in a folder.", True),
        ("Sum up journey.csv in a file summary.json: total and days.", True),
        ("We have a new name: replace Ltd by Group in all Markdown files under site.", True),
        ("List the products of a.csv by revenue. Put the biggest first.", False),
        ("The mean of x in a.csv is wanted. Round it to two places.", False),
        ("Add up the hours in times.csv.", False),
        ("Remove the outliers from a.csv and tell me the mean.", False),
        ("Set x to 5.", False),
        ("Remove outliers from data.csv and calculate the average.", False),
        ("Add the amounts of invoice.csv.", False),
    ],
)
def test_who_wants_something_changed_in_a_file_wants_the_file_changed(order, changes_files):
    assert is_about_files(order) is changes_files


def test_what_is_forgotten_about_files_is_told_with_the_order():
    (below,) = reminders_for(
        "Replace a by b in all Markdown files under site, subfolders included."
    )
    assert "rglob" in below
    (kept,) = reminders_for("Set a to 5 in c.yaml. Comments and everything else stay as they are.")
    assert "re.sub" in kept


def test_a_block_that_comes_again_after_it_has_done_its_work_ends_the_turn():
    source = "open('a.yaml', 'w').write('x: 5')"
    ran = (
        Message("assistant", (Code("python", source, "c1"),)),
        Message(
            "computer",
            (
                Output("[files: modified /w/a.yaml]\n", "stderr"),
                ActionResult("c1", "ok", ""),
            ),
        ),
    )
    model = ScriptedModel([{"code": source}])
    small = SmallModel(model, lambda number: model)
    asked = (user_says("Set x to 5 in a.yaml."), *ran)
    events = list(small.stream(Request("", asked), Interrupt()))
    assert not any(isinstance(event, ActionProposed) for event in events)
    said = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert said == "Done: modified /w/a.yaml."


DELETES = "import os\nos.remove('papers/list.txt')"
MOVES = "import os\nos.rename('papers/a', 'papers/2021/a')"


@pytest.mark.parametrize(
    ("order", "replies", "runs"),
    [
        ("Move each file in papers into a folder for its year.", [DELETES, MOVES], MOVES),
        ("Move each file in papers into a folder for its year.", [DELETES, DELETES], ""),
        ("Delete the list in the folder papers.", [DELETES], DELETES),
    ],
)
def test_nothing_is_deleted_that_nobody_wants_deleted(order, replies, runs):
    model = ScriptedModel([{"code": source} for source in replies])
    small = SmallModel(model, lambda number: model)
    there = "\n\nIn the folder 'papers': 2 files: a, list.txt"
    events = list(small.stream(Request("", (with_profile(order + there),)), Interrupt()))
    ran = [event.action.source for event in events if isinstance(event, ActionProposed)]
    assert ran == ([runs] if runs else [])
    said = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert ("would delete files" in said) is not bool(runs)


def test_a_block_that_has_changed_something_is_not_run_again():
    source = "import re\nopen('p.csv', 'a').write('x')\nprint('Added {source}')\nsource = 1"
    ran = (
        Message("assistant", (Code("python", source, "c1"),)),
        Message(
            "computer",
            (
                Output("Added {source}\n"),
                Output("[files: modified /w/p.csv]\n", "stderr"),
                ActionResult("c1", "ok", ""),
            ),
        ),
    )
    for asked in ("Append a line to p.csv.", "How many lines are in p.csv?"):
        assert SmallTurn.of((user_says(asked), *ran)).to_mend == ""


@pytest.mark.parametrize(
    "source",
    [
        "a = b.str.replace('[draft]', '')",
        "a = b.str.replace('US$', '')",
        r"a = b.str.replace('D:\\downloads', '')",
        r"a = b.str.replace(r'D:\data\', '')",
        r"a = b.str.replace('\\\\server\\docs', '')",
        "a = b.str.replace(r'\\d(', '')",
        "a = b.str.replace(r'\\d', '',)",
        "a = b.str.replace(r'\\d', '')\r",
        "a = b.str.replace('[^0-9]', '').astype(float)",
    ],
)
def test_what_is_meant_as_it_stands_or_would_not_parse_stays(source):
    assert with_patterns(source) == source


@pytest.mark.parametrize(
    "said",
    [
        "I've put my timetable into courses.json. Do two courses overlap?",
        "They have already exported all of it to dump.csv. How many rows has it?",
        "I save what I spend in money.csv. How much was it in May?",
        "I’ve put my notes into notes.csv. How many are there?",
        "We put our notes into notes.csv. How many notes are there?",
        "How many rows has a.csv? Please don't write it to rows.txt again.",
        "How many rows has a.csv? Never save it as rows.txt.",
    ],
)
def test_what_was_done_before_or_is_not_wanted_is_no_order(said):
    assert file_to_write(said) == ""
    assert not is_an_order(said)


@pytest.mark.parametrize("where", ["in the same file", "in place", ""])
def test_who_wants_it_saved_where_it_is_wants_the_file_changed(where):
    said = f"people.csv has some people twice. Keep the newest line of each and save it {where}".strip()
    assert is_about_files(said)


def test_who_asks_whether_it_can_be_written_wants_it_written():
    assert file_to_write("Can I export the totals per city from a.csv to out.csv?") == "out.csv"


@pytest.mark.parametrize(
    "said",
    [
        "Round only the columns price and cost of a.csv and save it as out.csv.",
        "In a.csv drop only columns price and cost and save the rest as out.csv.",
        "Only the columns price and cost are to be rounded.",
    ],
)
def test_columns_with_which_alone_something_is_done_are_not_all_that_is_wanted(said):
    assert listed(COLUMNS.search(said)) == []


def test_what_is_saved_in_a_variable_is_no_file():
    assert not is_about_files("Compute the mean of x in a.csv and save it in the same variable.")


def test_columns_that_alone_are_wanted_are_known():
    said = "Save it as trip.csv. Only the columns name and class, sorted by class."
    assert listed(COLUMNS.search(said)) == ["name", "class"]

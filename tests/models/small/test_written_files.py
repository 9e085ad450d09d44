"""A file that was asked for is judged by what is in it."""

import subprocess
import sys

import pytest
from tests.models.small.test_checks import PROFILE, block, reply

from interpreter.models.small.checks.written_files import look_at_file, trouble_in
from interpreter.models.small.plan import SmallTurn, next_request
from interpreter.models.small.rounds import Round
from interpreter.models.small.wanted import file_to_write
from interpreter.protocol.messages import ActionResult, Code, Message, Output
from support.profiles import with_profile

ASKED = (
    "What is the mean price in sales.csv? Write the answer to answer.csv, with the columns name "
    "and value and a row for each of mean_price, rows"
)
WRITES = "import pandas as pd\nf(pd.read_csv('sales.csv')['price']).to_csv('answer.csv')"
RIGHT = "name,value\nmean_price,3.5\nrows,3\n"


def writing(source=WRITES, files="added /tmp/work/answer.csv"):
    return (
        Message("assistant", (Code("python", source, "c1"),)),
        Message(
            "computer", (Output(f"[files: {files}]\n", "stderr"), ActionResult("c1", "ok", ""))
        ),
    )


def ran(source):
    return Round(source, source, False, "", "", "")


def asked(question=ASKED, *, there=True):
    """The request, with a file that is there already and is to be changed."""
    more = f"\n{file_to_write(question)}: 1 rows x 1 columns" if there else ""
    return with_profile(question + PROFILE + more)


def looked_at(content, question=ASKED, source=WRITES, *, there=True):
    first, wrote = asked(question, there=there), writing(source)
    ((look,), _, _) = reply(first, *wrote)
    return (first, *wrote, *block(look.source, content, to_compare=True))


def test_a_file_that_was_asked_for_is_looked_at_where_nothing_can_be_changed():
    ((look,), said, _) = reply(asked(), *writing())
    assert (look.to_compare, said) == (True, "What the file holds:\n")
    assert "answer.csv" in look.source


@pytest.mark.parametrize(
    ("content", "trouble"),
    [
        (RIGHT, ""),
        ("", "it is empty"),
        ("name,value\n", "it has no rows"),
        ("mean\n3.5\n", "its columns are 'mean', and they were to be 'name, value'"),
        (",name,value\n0,mean_price,3.5\n", "its first column has no name"),
        ("name,value\nmean_price,3.5\n", "it has no row for 'rows'"),
        ("name,value\nmean_price,nan\nrows,3\n", "there is no value for 'mean_price'"),
        (
            "name,value\nmean_price,NumPy's float64(3.5)\nrows,3\n",
            "what Python prints of an object",
        ),
    ],
)
def test_what_is_wrong_with_it_is_told_once_more(content, trouble):
    plan = next_request(looked_at(content))
    assert plan.must_act is bool(trouble)
    assert trouble in plan.messages[-1].text


def test_numbers_that_were_made_up_are_not_believed_in_a_file_either():
    invents = "open('answer.csv', 'w').write('name,value\\nmean_price,7.7\\nrows,81\\n')"
    plan = next_request(looked_at("name,value\nmean_price,7.7\nrows,81\n", source=invents))
    assert "are written in the program itself" in plan.messages[-1].text


def test_what_stays_wrong_is_said():
    turn = looked_at("name,value\n")
    plan = next_request((*turn, *turn[1:], *turn[1:]))
    assert plan.must_act is False
    assert "(Not sure: in answer.csv, it has no rows.)" in plan.doubt


@pytest.mark.parametrize(
    ("question", "content", "trouble"),
    [
        ("Save the units per product of sales.csv as out.json", "{'a': 1}", "it is no JSON"),
        ("Save the units per product of sales.csv as out.json", '{"a": 1}', ""),
        ("Save sales.csv sorted by price as out.csv", "product,units\ntea,3\n", ""),
        ("Write the products of sales.csv to out.txt", "tea\n", ""),
        ("Remove the columns units and price of sales.csv and save it as out.csv", "a\ntea\n", ""),
        ("Save sales.csv with the columns units and price removed as out.csv", "a\ntea\n", ""),
        ("Save sales.csv sorted by the columns units and price as out.csv", "a\ntea\n", ""),
        ("Write a row for each of the products and units to out.csv", "a,b\ntea,3\n", ""),
        ("Write units per product, with columns p and n and sorted, to out.csv", "p,n\nx,3\n", ""),
        ("Write units per product, with the header p,n and save it as out.csv", "p,n\nx,3\n", ""),
        (
            "Write units per product of sales.csv with a row for each of tea and cocoa to out.csv",
            "product,units\ntea,3\n",
            "it has no row for 'cocoa'",
        ),
    ],
)
def test_other_files_are_judged_by_what_they_are(question, content, trouble):
    name = question.split()[-1]
    wrote = writing(files=f"modified {name}")
    ((look,), _, _) = reply(asked(question), *wrote)
    shown = block(look.source, content, to_compare=True)
    plan = next_request((asked(question), *wrote, *shown))
    assert plan.must_act is bool(trouble)
    assert trouble in plan.messages[-1].text


def test_nothing_is_looked_at_that_was_not_asked_for_or_not_written():
    assert look_at_file("How many rows are in sales.csv?", []) == ""
    assert SmallTurn.of((asked(), *writing(files="added other.csv"))).to_look_at == ""


def test_a_block_that_came_again_is_not_shown_once_more():
    turn = looked_at("name,value\n")
    once, twice = next_request(turn), next_request((*turn, *turn[1:]))
    assert WRITES in "".join(message.text for message in once.messages)
    assert WRITES not in "".join(message.text for message in twice.messages)
    assert "it has no rows" in twice.messages[-1].text


def test_an_object_without_a_key_that_was_asked_for_is_not_taken_for_done():
    question = "Save the mean price in sales.csv as result.json, with the keys mean_price and rows"
    wrote = writing(WRITES, "added /tmp/work/result.json")
    ((look,), _, _) = reply(asked(question), *wrote)
    plan = next_request((
        asked(question),
        *wrote,
        *block(look.source, '{"mean": 3.5}', to_compare=True),
    ))
    assert "its keys are to be mean_price, rows" in plan.messages[-1].text


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Merge old.csv and new.csv into all.csv with the columns name, email.", "all.csv"),
        ("Turn levels.csv into levels.json.", "levels.json"),
        ("Convert a.csv to b.json", "b.json"),
        ("How many lines of a.txt turn up in b.txt?", ""),
        ("Extract the addresses in notes.txt", ""),
    ],
)
def test_the_file_that_something_is_made_into_is_the_one_to_write(question, name):
    assert file_to_write(question) == name


ROUNDED = ASKED + ", rounded to two decimal places"


@pytest.mark.parametrize(
    ("question", "content", "written"),
    [
        (
            ROUNDED,
            "name,value\nmean_price,3.4567\nrows,3\n",
            "name,value\nmean_price,3.46\nrows,3\n",
        ),
        (
            "Save the mean price in sales.csv, with two decimals, as r.json, an object with the key "
            "mean_price.",
            '{"mean_price": 3.4567, "rows": 3}',
            '{"mean_price": 3.46, "rows": 3}',
        ),
    ],
)
def test_results_in_a_file_are_rounded_as_was_asked(question, content, written, tmp_path):
    files = f"added /tmp/work/{file_to_write(question)}"
    (((look,), _, _), wrote) = reply(asked(question), *writing(files=files)), writing(files=files)
    shown = block(look.source, content, to_compare=True)
    rewrite = SmallTurn.of((asked(question), *wrote, *shown)).to_rewrite
    subprocess.run([sys.executable, "-c", rewrite], cwd=tmp_path, check=True)
    assert (tmp_path / file_to_write(question)).read_text() == written


@pytest.mark.parametrize(
    "content",
    [
        "name,value\nmean_price,3.5\nrows,3\n",
        "name,value\n"
        + "".join(f"x{n},0.{n:04}\n" for n in range(1, 60))
        + "mean_price,1\nrows,3\n",
    ],
)
def test_what_is_rounded_already_or_is_data_stays_as_it_is(content):
    assert SmallTurn.of(looked_at(content, ROUNDED)).to_rewrite == ""


WITH_DECIMALS = (
    "Save the mean price in sales.csv, with two decimals, as r.json, an object with the key {}."
)


@pytest.mark.parametrize(
    ("content", "written"),
    [
        (
            '{"at": "2026-11-18T10:00:00.123456", "version": "1.2345", "mean_price": 3.4567}\n',
            '{"at": "2026-11-18T10:00:00.123456", "version": "1.2345", "mean_price": 3.46}\n',
        ),
        ('{"mean_price": 3.4567, "sNumPy\'s count": 1}', ""),
        ('{"mean_price": 3.4567, "key": "[secret TOKEN]"}', ""),
        ('{"mean_price": 3.4567, "by": {"a": 1.23456}}', ""),
    ],
)
def test_only_numbers_are_rounded_and_only_where_the_file_is_known(content, written, tmp_path):
    question, files = WITH_DECIMALS.format("mean_price"), "added /tmp/work/r.json"
    (((look,), _, _), wrote) = reply(asked(question), *writing(files=files)), writing(files=files)
    shown = block(look.source, content, to_compare=True)
    rewrite = SmallTurn.of((asked(question), *wrote, *shown)).to_rewrite
    if rewrite:
        subprocess.run([sys.executable, "-c", rewrite], cwd=tmp_path, check=True)
    file = tmp_path / "r.json"
    assert (file.read_text() if file.exists() else "") == written


@pytest.mark.parametrize(
    ("content", "trouble"),
    [
        ("a@x\nb@x\n", ""),
        ("a@x\nB@x\nc@x\n", ""),
        ("b@x\na@x\n", "its lines are not in alphabetical order"),
        ("a@x\na@x\nb@x\n", "some of its lines are there more than once"),
    ],
)
def test_lines_are_in_the_order_that_was_asked_for_and_each_once(content, trouble):
    question = "Pull the addresses out of in.txt into out.txt: alphabetical, no duplicates."
    source = "open('out.txt', 'w').write(open('in.txt').read())"
    wrote = writing(source, "added /tmp/work/out.txt")
    ((look,), _, _) = reply(asked(question, there=False), *wrote)
    turn = (asked(question, there=False), *wrote, *block(look.source, content, to_compare=True))
    told = "".join(message.text for message in next_request(turn).messages)
    assert trouble in told
    assert ("But " in told) is bool(trouble)


def test_columns_that_nobody_wants_are_taken_out_of_a_table(tmp_path):
    question = "Turn sales.csv into answer.csv, just name, city in that order."
    (tmp_path / "answer.csv").write_text('id,city,name\n7,"Bath, UK",Zo\u00eb\n8,,Ravi\n')
    turn = looked_at((tmp_path / "answer.csv").read_text(), question, there=False)
    code = SmallTurn.of(turn).to_rewrite
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert (tmp_path / "answer.csv").read_text() == 'name,city\nZo\u00eb,"Bath, UK"\nRavi,\n'


@pytest.mark.parametrize(
    ("words", "is_told"),
    [
        ("the columns name and email filled in as clean.csv, only those from Berlin.", False),
        ("columns name and email, in exactly that order, as clean.csv", False),
        ("the columns name and email as clean.csv. Just do it.", False),
        ("only the columns name and email as clean.csv.", True),
        ("exactly the columns name and email, as clean.csv", True),
        ("the columns name and email only, as clean.csv", True),
    ],
)
def test_only_is_said_of_columns_beside_their_names(words, is_told):
    question = f"Save the customers of sales.csv with {words}"
    source = "df.to_csv('clean.csv')"
    text = "id,name,email\n1,Zoe,z@x\n"
    assert ("its columns are" in trouble_in(question, text, ran(source))) is is_told


@pytest.mark.parametrize(
    ("words", "trouble"),
    [
        ("Remove the key password from config.json and save the result as new.json.", ""),
        ("Sort the keys alphabetically in config.json and save it as new.json", ""),
        ("Rename the key user to name in config.json and save it as new.json", ""),
        ("Save config.json without the key password as new.json", ""),
        ("Save config.json with the keys password and token removed as new.json", ""),
        ("Save config.json with the key user renamed to name as new.json", ""),
        ("Save a.csv with the name and remove the key total, as new.json", ""),
        ("Save the mean of a.csv as new.json with the key total", "total"),
        ("Save the mean of a.csv as new.json, an object with exactly two keys named total, n", "n"),
        ("Save the mean of a.csv as new.json, using the keys total and n.", "total, n"),
        ("Save the mean of a.csv as new.json (keys: total, n)", "total, n"),
        ("Save the mean of a.csv as new.json. Keys: total, n", "total, n"),
        ("Sort a.csv and save its mean as new.json; the keys are total and n.", "total, n"),
        ("Save the mean of a.csv as new.json, an object whose keys are total and n.", "total, n"),
    ],
)
def test_keys_that_are_to_be_there_are_asked_for(words, trouble):
    told = trouble_in(words, '{"name": "Zoe"}', ran("open('new.json', 'w')"))
    assert ("its keys are to be" in told, trouble in told) == (bool(trouble), True)

"""What was asked for as JSON or CSV is written by the value itself, not read from a printed table."""

import contextlib
import io
import json

import pytest

from interpreter.models.small.checks.answers import trouble_with
from interpreter.models.small.form.rendering import rendering
from interpreter.models.small.plan import SmallTurn, next_request
from interpreter.models.small.rounds import Round
from interpreter.protocol.messages import ActionResult, Code, Message, Output, user_says

MADE = """
import pandas as pd
df = pd.DataFrame({'city': ['Bonn', 'Berlin', 'Bonn'], 'units': [1, 2, 3]})
"""
BY_CITY = "df.groupby('city')['units'].sum()"


def shown(source, kind):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(MADE + rendering(source, kind), {})
    return printed.getvalue().strip()


@pytest.mark.parametrize(
    ("source", "json_", "csv"),
    [
        (f"print({BY_CITY})", {"Berlin": 2, "Bonn": 4}, "city,units\nBerlin,2\nBonn,4"),
        (f"{BY_CITY}.to_string()", {"Berlin": 2, "Bonn": 4}, "city,units\nBerlin,2\nBonn,4"),
        ("print(df.head(1))", [{"city": "Bonn", "units": 1}], "city,units\nBonn,1"),
        ("print(df['units'].max())", 3, "3"),
        (
            f"print({BY_CITY}.reset_index())",
            [{"city": "Berlin", "units": 2}, {"city": "Bonn", "units": 4}],
            "city,units\nBerlin,2\nBonn,4",
        ),
    ],
    ids=["series", "its text", "table", "number", "table of groups"],
)
def test_a_value_is_written_in_the_form_that_was_asked_for(source, json_, csv):
    assert json.loads(shown(source, "json")) == json_
    assert shown(source, "csv") == csv


@pytest.mark.parametrize("source", ["print(f'{x}')", "print(a, b)", "x = 1", "open('a')", "for"])
def test_what_is_no_value_of_the_session_is_not_evaluated_again(source):
    assert rendering(source, "json") == ""


def turn(question, source, output):
    return (
        user_says(question),
        Message("assistant", (Code("python", source, "c1"),)),
        Message("computer", (Output(output), ActionResult("c1", "ok", ""))),
    )


ASKED = "Units per city in t.csv? Answer as JSON."


def test_a_printed_table_is_shown_again_as_json_and_is_the_answer():
    printed = turn(ASKED, f"print({BY_CITY})", "city\nBerlin 2\nBonn 4\n")
    again = SmallTurn.of(printed).to_show
    assert "to_json" in again
    done = turn(ASKED, again, '{"Berlin":2,"Bonn":4}\n')
    assert SmallTurn.of((*printed, *done[1:])).to_show == ""
    assert next_request((*printed, *done[1:])).answer == '{"Berlin": 2, "Bonn": 4}'


@pytest.mark.parametrize(
    ("question", "output"),
    [(ASKED, '{"Berlin": 2}\n'), ("Units per city in t.csv?", "Berlin 2\n")],
    ids=["it has the form", "no form was asked for"],
)
def test_nothing_is_shown_again_where_it_is_not_needed(question, output):
    assert SmallTurn.of(turn(question, f"print({BY_CITY})", output)).to_show == ""


def test_values_that_are_there_are_only_named():
    asked = user_says("Mean and maximum in t.csv, as a JSON object with the keys mean and max.")
    ran = Message("assistant", (Code("python", "print(f'{a} {b}')", "c1"),))
    left = ActionResult("c1", "ok", "variables: a: 1.5; b: 3")
    plan = next_request((asked, ran, Message("computer", (Output("1.5 3\n"), left))))
    assert "The values are there already: a: 1.5; b: 3" in plan.messages[-1].text


def test_tables_are_no_values_that_a_dictionary_is_made_of_by_naming_them():
    asked = "Answer in JSON with the keys a and b: t.csv"
    one = Round("x", "print(s)", False, "0 1\n1 2\n", "", "", "df: DataFrame 2x2; s: Series 2")
    assert trouble_with(asked, one).startswith("The output is no dictionary. Write the whole block")

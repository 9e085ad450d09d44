"""What was asked about and is not there is said, whatever a program takes for it."""

import subprocess
import sys

import pytest
from tests.models.small.test_conditions import READ, turn

from interpreter.models.small.checks.absent import is_named, made_up, said_to_be_absent
from interpreter.models.small.mends.slips import after_error
from interpreter.models.small.plan import SmallTurn, next_request
from interpreter.models.small.rounds import Round

PROFILE = """\
sales.csv: 3 rows x 4 columns
- 'product' text: 'tea', 'coffee'
- 'units' int 4 to 30
- 'price' float 3.5 to 5.25
- 'MedInc' float 1 to 9"""
MADE = [
    "df['profit'] = df['units'] * df['price']\nprint(df['profit'].mean())",
    "profit = df.units * df.price\nprint(profit.mean())",
    "average_profit = (df['units'] * df['price']).mean()\nprint(average_profit)",
    "df = df.assign(profit=df['price'] * 0.2)\nprint(df['profit'].mean())",
]


def planned(question, source, output="53.9\n"):
    return next_request(turn(question, (READ + source, output), profile=PROFILE))


@pytest.mark.parametrize("source", MADE)
@pytest.mark.parametrize(
    "question",
    [
        "What is the average profit in sales.csv?",
        "Which product had the highest profit in sales.csv?",
        "How much profit did tea make, by sales.csv?",
    ],
)
def test_something_measured_that_is_not_there_is_said_with_what_there_is(question, source):
    answer = planned(question, source).answer
    assert answer.startswith("There is no column 'profit'. There is: 'product', 'units', 'price'")
    assert "It can be computed if you say how" in answer
    assert "53.9" not in answer


def test_it_is_said_at_once_and_nothing_is_compared():
    asked = "What is the average profit in sales.csv?"
    messages = turn(asked, (READ + MADE[0], "53.9\n"), profile=PROFILE)
    assert SmallTurn.of(messages).can_be_checked is False


def test_a_word_that_says_how_it_is_computed_is_computed_and_that_is_said():
    source = "df['revenue'] = df['units'] * df['price']\nprint(df['revenue'].sum())"
    plan = planned("What is the total revenue in sales.csv?", source)
    assert plan.answer == ""
    assert plan.doubt == "\n\n(There is no column 'revenue': it was computed as units * price.)"


def test_two_words_of_which_one_says_how_are_computed():
    source = "df['FamilySize'] = df['units'] + df['price']\nprint(df['FamilySize'].mean())"
    plan = planned("What is the average family size in sales.csv?", source)
    assert plan.doubt.startswith("\n\n(There is no column 'family size': it was computed as")


def test_another_column_that_is_taken_for_it_is_said():
    plan = planned("What is the average profit in sales.csv?", "profit = df['price'].mean()")
    assert "(Not sure: there is no column 'profit'; the program takes price.mean()" in plan.doubt


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("What is the average profit (units times price) in sales.csv?", MADE[0]),
        ("What is the average price in sales.csv?", "average_price = df['price'].mean()"),
        ("What is the mean median income in sales.csv?", "mean_income = df['MedInc'].mean()"),
        ("How many people are in sales.csv?", "people = df[df['units'] > 5]\nprint(len(people))"),
        (
            "What is the overall percentage of customers with tea in sales.csv?",
            "customers = (df['product'] == 'tea').sum() / len(df)",
        ),
        ("What is the average coffee price in sales.csv?", "coffee = df['price'].mean()"),
        ("What is the average passenger price in sales.csv?", "passenger = df['price'].mean()"),
        ("What is the total of all units in sales.csv?", "total = df['units'].sum()"),
    ],
)
def test_what_is_there_or_explained_is_not_doubted(question, source):
    plan = planned(question, source, "3.5\n" if "price" in source else "3\n")
    assert (plan.answer, plan.doubt) == ("", "")


def ran(source, output):
    return Round(source, source, False, output, "", "")


VENDORS = """

e.csv: 5 rows x 2 columns
- 'vendor' text: 'Kessler Print', 'Norwich Supply'
- 'amount' float 86.2 to 540.75"""


@pytest.mark.parametrize(
    ("asked", "value", "answer"),
    [
        ("Norwood Supplies", "Norwich Supply", "There is no 'Norwood Supplies' in the data."),
        ("Norwich Supplies", "Norwich Supply", ""),
        ("Kessler Print", "Kessler Print", ""),
        ("the printer", "Kessler Print", ""),
    ],
)
def test_a_name_that_no_row_has_is_not_replaced_by_another(asked, value, answer):
    question = f"How much did we pay {asked}, by e.csv?{VENDORS}"
    source = f"print(df[df['vendor'] == {value!r}]['amount'].sum())"
    found = said_to_be_absent(question, ran(source, "310.4\n"))
    assert found.startswith(answer) if answer else found == ""


def test_another_column_that_is_taken_for_what_was_asked_is_told():
    known = "\n\nt.csv: 5 rows x 2 columns\n- 'id' int 801 to 805\n- 'priority' int 1 to 4"
    question = f"What's the average customer satisfaction score in t.csv?{known}"
    source = (
        "average = df['priority'].mean()\nprint('average customer satisfaction score:', average)"
    )
    found = made_up(question, ran(source, "average customer satisfaction score: 2.6\n"))
    assert found is not None
    assert "no column 'customer satisfaction score'" in found.remark


PEOPLE = """\
payments.csv: 6 rows x 3 columns
- 'date' dates as text, 2024-01-05 to 2024-03-18
- 'name' text: 'Maria', 'Martin', 'Mark', 'Tina'
- 'amount' float 15.5 to 60"""


@pytest.mark.parametrize(
    ("asked", "is_there"),
    [
        ("What did Marta pay in total, according to payments.csv?", False),
        ("How much is still to come from Marten?", False),
        ("What did Maria pay in total?", True),
        ("How much was paid in March?", True),
        ("Marta is asking what was paid in all.", True),
        ("How much was paid to the Titanic foundation?", True),
        ("Did the Marias pay more than the others?", True),
    ],
)
@pytest.mark.parametrize("source", ["df['amount'].sum()", "df[df['name'] == 'Marta'].sum()"])
def test_a_name_that_is_nearly_one_of_a_list_and_not_in_it_is_said(asked, is_there, source):
    said = said_to_be_absent(f"{asked}\n\n{PEOPLE}", Round(source, source, False, "0\n", "", ""))
    assert said.endswith("'name' has: 'Maria', 'Martin', 'Mark', 'Tina'.") is not is_there


@pytest.mark.parametrize(
    ("asked", "values", "source", "is_there"),
    [
        ("When did we last pay Norwood Supplies?", "'Norwich Supply', 'Alder'", "df.max()", False),
        ("What did we sell to Holland?", "'Poland', 'Netherlands'", "df.sum()", False),
        (
            "What did we sell to Holland?",
            "'Poland', 'Netherlands'",
            "df[df['name'] == 'Netherlands'].sum()",
            True,
        ),
    ],
)
def test_a_name_that_is_written_otherwise_in_the_data_is_left_to_the_program(
    asked, values, source, is_there
):
    profile = f"a.csv: 6 rows x 2 columns\n- 'name' text: {values}\n- 'amount' int 1 to 6"
    said = said_to_be_absent(f"{asked}\n\n{profile}", Round(source, source, False, "9", "", ""))
    assert bool(said) is not is_there


@pytest.mark.parametrize(
    "asked",
    [
        "Did we sell more Laptops or Phones?",
        "How many Tablets were sold?",
        "How many units went to the Northern region?",
        "How many French customers are there?",
    ],
)
@pytest.mark.parametrize("source", ["df.groupby('product').sum()", "df['units'].sum()"])
def test_another_form_of_a_name_is_that_name(asked, source):
    names = "'Laptop', 'Phone', 'Tablet', 'North', 'France'"
    profile = f"a.csv: 6 rows x 2 columns\n- 'product' text: {names}\n- 'units' int 1 to 6"
    found = Round(source, source, False, "9", "", "")
    assert said_to_be_absent(f"{asked}\n\n{profile}", found) == ""


def test_a_program_that_takes_the_first_of_no_rows_says_that_there_is_none(tmp_path):
    (tmp_path / "marks.csv").write_text("pupil,mark\nAmelie,64\nCem,71\n")
    source = (
        "import pandas as pd\n"
        f"df = pd.read_csv({str(tmp_path / 'marks.csv')!r})\n"
        'print(df[df["pupil"] == "Yusuf"]["mark"].values[0])'
    )
    error = "IndexError: index 0 is out of bounds for axis 0 with size 0"
    better = after_error("What mark did Yusuf get (marks.csv)?", source, error)
    ended = subprocess.run([sys.executable, "-c", better], capture_output=True, text=True)
    assert ended.stdout == "There is no pupil 'Yusuf'. There is: Amelie, Cem\n"
    assert after_error("What mark did Cem get?", source, error) == source
    assert after_error("What mark did Yusuf get?", better, error) == better
    spelt = source.replace("Yusuf", "cem")  # who is there, but for the spelling
    spelt = after_error("What mark did cem get?", spelt, error)
    again = subprocess.run([sys.executable, "-c", spelt], capture_output=True, text=True)
    assert "IndexError" in again.stderr
    assert not again.stdout
    rows = 'rows = [r for r in table if r["pupil"] == "Yusuf"]\nprint(rows[0])'
    out = "IndexError: list index out of range"
    assert after_error("What mark did Yusuf get?", rows, out) == rows
    assert after_error("What mark did Yusuf get?", source, "ValueError: no") == source


@pytest.mark.parametrize(
    ("request_", "named"),
    [
        ("What is the average profit in sales.csv?", True),
        ("Sum the column enrolled of a.csv.", True),
        ("courses.csv says how many seats there are and people.csv who enrolled.", False),
        ("How many were enrolled?", False),
        ("How many seats are free?", False),
    ],
)
def test_what_somebody_does_is_no_name_of_a_column(request_, named):
    word = "profit" if "profit" in request_ else "enrolled"
    assert is_named(word, request_) is named

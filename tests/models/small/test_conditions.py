"""What a request says is looked for in the program before its output is believed."""

import pytest

from interpreter.models.small.checks.answers import doubt_about, trouble_with
from interpreter.models.small.checks.conditions import Conditions, counts_a_total, results_left_out
from interpreter.models.small.checks.impossible import impossible
from interpreter.models.small.checks.named_files import changed_originals
from interpreter.models.small.checks.sources import reads_none_of
from interpreter.models.small.form.asked import form_of
from interpreter.models.small.plan import SmallTurn, next_request
from interpreter.models.small.prompts.reminders import reminders_for
from interpreter.models.small.rounds import Round
from interpreter.models.small.votes import ballot
from interpreter.protocol.messages import ActionResult, Code, Message, Output, Text, user_says

PROFILE = """\
sales.csv: 3 rows x 3 columns
- 'product' text: 'tea', 'coffee'
- 'units' int 4 to 30
- 'day' dates as text, 2023-01-01 to 2024-01-03
Named in the request: column 'product' has 'tea', 'Tea' (2 rows)"""
ASKED = "How many units of tea were sold, by sales.csv?"
READ = "import pandas as pd\ndf = pd.read_csv('sales.csv')\n"
DROPPED = READ + "print('Units of tea:', df['units'].sum())"
KEPT = READ + "print(df[df['product'].str.lower() == 'tea']['units'].sum())"


def turn(question, *blocks, profile=PROFILE):
    messages = [Message("user", (Text(profile),), audience="assistant"), user_says(question)]
    for source, output in blocks:
        files = [Output(output, "stderr")] if output.startswith("[files") else [Output(output)]
        messages += [
            Message("assistant", (Code("python", source, "c1"),)),
            Message("computer", (*files, ActionResult("c1", "ok", ""))),
        ]
    return messages


def told(question, source, output="46\n", profile=PROFILE):
    plan = next_request(turn(question, (source, output), profile=profile))
    return plan.messages[-1].text if plan.variation else ""


def test_a_filter_that_the_program_dropped_is_asked_for_once():
    asked = next_request(turn(ASKED, (DROPPED, "Units of tea: 46\n")))
    assert "says 'tea' (a value of 'product'), but the program does not" in asked.messages[-1].text
    twice = next_request(turn(ASKED, *[(DROPPED, "Units of tea: 46\n")] * 2))
    assert "Not sure: the request says 'tea'" in twice.doubt


def test_two_programs_that_drop_the_same_filter_do_not_outvote_one_that_keeps_it():
    read = SmallTurn.of(turn(ASKED, (DROPPED, "46\n"), (DROPPED + "\n#", "46\n"), (KEPT, "42\n")))
    counted = ballot(read.question, read.rounds, [DROPPED + "\n#", KEPT])
    assert counted.leader is not None
    assert counted.leader.output == "42\n"


@pytest.mark.parametrize(
    ("source", "output"),
    [
        (KEPT, "42\n"),
        (READ + "print(df.query(\"product.str.lower() == 'tea'\").units.sum())", "42\n"),
        (READ + "print(df.groupby('product')['units'].sum())", "coffee 4\ntea 42\n"),
        (
            "import sqlite3\nprint(sqlite3.connect('s.db').execute(\n"
            "    \"SELECT SUM(units) FROM s WHERE product LIKE '%tea%'\").fetchone()[0])",
            "42\n",
        ),
        (READ + "print(df[df['product_number'] == 7]['units'].sum())", "42\n"),
        ("this is no Python: tea", "42\n"),
    ],
    ids=["mask", "query", "groups", "SQL", "its number", "unreadable"],
)
def test_a_program_that_keeps_the_filter_is_believed(source, output):
    assert told(ASKED, source, output) == ""


@pytest.mark.parametrize(
    ("compared", "missed"),
    [
        ("df['product'] == 'tea'", True),
        ("df['product'].str.lower() == 'tea'", False),
        ("df['product'].isin(['tea', 'Tea'])", False),
        ("df['product'].str.contains('tea', case=False)", False),
    ],
)
def test_all_spellings_of_a_value_have_to_be_used(compared, missed):
    said = told(ASKED, f"{READ}print(df[{compared}]['units'].sum())")
    assert ("'tea' and 'Tea', which are one thing in 'product'" in said) is missed


@pytest.mark.parametrize(
    ("question", "source", "missing"),
    [
        ("How many rows have more than 10 units in sales.csv?", "print(len(df))", "'10'"),
        ("How many rows have more than 10 units in sales.csv?", "print(sum(df.units > 10))", ""),
        ("How many rows of 2024 are in sales.csv?", "print(len(df))", "'2024'"),
        ("How many rows of 2024 are in sales.csv?", "f(df.day.str[:4] == '2024')", ""),
        ("What share of sales.csv is over 50 %?", "print((df.share > 0.5).mean())", ""),
        ("Sum the first 5 of sales.csv", "print(df.units.head().sum())", ""),
        ("What is the mean, rounded to 2 decimals, of sales.csv?", "print(df.mean())", ""),
        ("In sales.csv -9 means unknown. What is the mean of units?", "f(df.units)", "'-9'"),
        ("In sales.csv -9 means unknown. What is the mean of units?", "f(df.units != -9)", ""),
        (
            "Which day had the most units in sales.csv?",
            "f(df.day.value_counts())",
            "'units' (a column)",
        ),
        ("Which day had the most units in sales.csv?", "f(df.units.idxmax())", ""),
        ("Which day had the most units in sales.csv?", "f(df.groupby('day')['units'].sum())", ""),
        ("What is the average of all units in sales.csv?", "f(df.iloc[:, 1].mean())", ""),
        ("How many units are in sales.csv?", "print(len(df))", ""),
        ("How many rows has sales.csv?", "print(len(df))", ""),
        ("How many units of juice, by sales.csv?", "print(f'juice: {df.units.sum()}')", "'juice'"),
        ("How many units of juice, by sales.csv?", "f(df['product'] == 'juice')", ""),
        ("How many units of juice, by sales.csv?", "f(df['product'] == 'tea')", "'juice'"),
        ("How many units of juice, by sales.csv?", "f(df['kind'] == 'juices')", ""),
        ("How many units of all products, by sales.csv?", "print(df.units.sum())", ""),
        ("What is the mean of the units of the products in sales.csv?", "f(df.units)", ""),
    ],
)
def test_limits_and_years_have_to_be_used(question, source, missing):
    plain = PROFILE.rpartition("\n")[0]
    said = told(question, source, profile=plain)
    assert (f"The request says {missing}, but" in said) is bool(missing)


@pytest.mark.parametrize(
    ("selected", "output", "variables", "is_told"),
    [
        (
            "df[df['day'].str.contains('Saturday')]",
            "0\n",
            "some: DataFrame 0x3 with columns a",
            True,
        ),
        ("df[df['day'] == 'Sat']['units']", "total: 0.0\n", "n: 1; some: Series 0", True),
        (
            "df[df['day'].str.contains('Saturday')]",
            "7\n",
            "some: DataFrame 0x3 with columns a",
            False,
        ),
        (
            "df[df['day'].str.contains('Saturday')]",
            "0\n",
            "some: DataFrame 2x3 with columns a",
            False,
        ),
        ("df[df['product'] == 'juice']", "0\n", "some: DataFrame 0x3 with columns a", False),
        ("df[df['product'] == 'coffee']", "0\n", "some: DataFrame 0x3 with columns a", False),
    ],
)
def test_nothing_selected_by_a_word_that_is_nowhere_is_no_answer(
    selected, output, variables, is_told
):
    question = "How many units were sold on weekends, of juice, by sales.csv?"
    messages = turn(question, (f"{READ}some = {selected}\nprint(f(some))", output))
    result = ActionResult("c1", "ok", f"variables: {variables}" if variables else "")
    messages[-1] = Message("computer", (*messages[-1].parts[:-1], result))
    one = SmallTurn.of(messages).rounds[0]
    said = trouble_with(f"{question}\n\n{PROFILE.rpartition('Named')[0]}", one)
    assert ("has no row" in said) is is_told
    doubt = doubt_about(f"{question}\n\n{PROFILE.rpartition('Named')[0]}", one)
    assert ("nothing in the data is written as" in doubt) is is_told


@pytest.mark.parametrize(
    ("question", "source", "is_told"),
    [
        ("than the average", "df = df[df['a'] == 1]\ndf = df[df['b'] > df['b'].mean()]", True),
        (
            "above the median",
            "x = df[(df.a == 1) & (df.c > 2)]\nf(x[x['b'] > x['b'].median()])",
            True,
        ),
        (
            "than the average",
            "m = df['b'].mean()\ndf = df[df['a'] == 1]\ndf = df[df['b'] > m]",
            False,
        ),
        ("than the average", "df = df[(df['a'] == 1) & (df['b'] > df['b'].mean())]", False),
        ("than the average", "x = df['b']\nf(x[x['b'] > x['b'].mean()])", False),
        ("than their average", "df = df[df['a'] == 1]\ndf = df[df['b'] > df['b'].mean()]", False),
        ("than the average", "no Python", False),
    ],
)
def test_what_rows_are_compared_with_is_that_of_all_rows(question, source, is_told):
    asked = f"How many of sales.csv have more {question}?"
    said = told(asked, f"{READ}{source}", profile=PROFILE.rpartition("\n")[0])
    assert ("it is that of all rows that is meant" in said) is is_told


ORDER = "Sort sales.csv by units and save it as sorted.csv, without changing the original"


def test_a_file_that_was_to_be_written_is_looked_for():
    plain = PROFILE.rpartition("\n")[0]
    wrong = next_request(turn(ORDER, ("f()", "[files: added out.csv]\n"), profile=plain))
    assert "names the file sorted.csv, and it was not written" in wrong.messages[-1].text
    right = next_request(turn(ORDER, ("f()", "[files: added sorted.csv]\n"), profile=plain))
    assert "Files: added sorted.csv." in right.messages[-1].text
    assert right.doubt == ""


INTO = "How many units of tea were sold, by sales.csv? Write the answer to answer.csv."


def test_an_answer_that_was_to_be_written_into_a_file_is_judged_by_it():
    first = next_request(turn(INTO)).messages[-1].text
    assert "writes it into the file answer.csv" in first
    printed = next_request(turn(INTO, (KEPT, "42\n")))
    assert "names the file answer.csv, and it was not written" in printed.messages[-1].text
    dropped = next_request(turn(INTO, (DROPPED, "[files: added answer.csv]\n")))
    assert "The request says 'tea' (a value of 'product')" in dropped.messages[-1].text
    kept = SmallTurn.of(turn(INTO, (KEPT, "[files: added answer.csv]\n")))
    assert "Files: added answer.csv." in kept.next_request().messages[-1].text
    assert not kept.can_be_checked


@pytest.mark.parametrize(
    "asked",
    [
        "Write total.json with the sum of units in sales.csv, as total.",
        "Create a file named total.json with the sum of units in sales.csv",
        "Save the sum of units in sales.csv as total.json",
    ],
)
def test_a_file_that_is_never_written_is_said_not_to_be(asked):
    plain = PROFILE.rpartition("\n")[0]
    blocks = [("print(46)", "46\n")] * 3
    again = next_request(turn(asked, *blocks[:1], profile=plain)).messages[-1].text
    assert "names the file total.json, and it was not written" in again
    answer = next_request(turn(asked, *blocks, profile=plain)).answer
    assert answer == "I could not do this: total.json was not written.\n\n46"


def test_an_original_that_was_to_stay_is_said_to_be_changed():
    spoilt = turn(ORDER, ("f()", "[files: added sorted.csv, modified sales.csv]\n"))
    plan = next_request(spoilt)
    assert plan.honest("It is sorted.") == (
        "It is sorted.\n\n(Careful: sales.csv was to stay as it was, and was changed. "
        "Undo brings it back.)"
    )


@pytest.mark.parametrize(
    "asked",
    [
        "Raise all prices of tea in sales.csv by 10 % and leave the other rows as they are.",
        "Sort sales.csv by units. Don't change anything else in it.",
        "Set the price of tea in sales.csv to 3, without changing the order of the rows.",
    ],
)
def test_what_is_said_of_a_part_of_a_file_is_not_said_of_the_file(asked):
    assert changed_originals(asked, ["modified sales.csv"]) == ""


@pytest.mark.parametrize(
    "asked",
    [
        "Sort it into out.csv, but do not change names.csv",
        "Write out.csv and leave values.csv unchanged.",
        "Sort the rows into out.csv; do not overwrite order.csv.",
        "Write out.csv without changing the original in any other way.",
    ],
)
def test_a_file_that_is_to_stay_is_known_by_any_name(asked):
    assert changed_originals(asked, ["modified x.csv"]) == "x.csv"


def test_the_other_lines_are_a_part_of_a_file():
    asked = "Set a to 1 in a.ini. Don't touch the other lines."
    assert changed_originals(asked, ["modified a.ini"]) == ""


def test_a_limit_for_the_result_selects_no_rows():
    asked = (
        "Do units and day correlate in sales.csv?\n"
        "Report none if the absolute value of r is less than 0.1."
    )
    profile = PROFILE.rpartition("\n")[0]
    assert told(asked, READ + "print(df['units'].corr(df['day']))", "0.57\n", profile) == ""
    rows = "How many rows have less than 0.1 units in sales.csv?"
    assert "'0.1'" in told(rows, READ + "print(len(df))", "3\n", profile)


HOURS = """
shifts.csv: 9 rows x 4 columns
- 'from' text, not numeric, e.g. '09:00'
- 'to' text, not numeric, e.g. '12:30'
- 'break_min' int 0 to 45
- 'rating' int 1 to 5, 2 missing"""


def test_where_no_two_agree_the_program_that_uses_what_was_spoken_of_is_believed():
    asked = "How many hours were worked in shifts.csv, without the breaks?"
    read = SmallTurn.of(
        turn(
            asked,
            ("print(f(df['to'] - df['from']))", "18.25\n"),
            ("print(f(df['to'] - df['from'] - df['break_min']))", "17.5\n"),
            profile=HOURS,
        )
    )
    counted = ballot(
        read.question, read.rounds, ["print(f(df['to'] - df['from'] - df['break_min']))"]
    )
    assert (counted.leader.output, counted.is_in_doubt) == ("17.5\n", True)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Of the people who gave a rating in shifts.csv, what share gave a 5?", "dropna(subset="),
        ("How long are shifts without a rating in shifts.csv?", "['rating'].isna()"),
        ("How many in shifts.csv, without those who gave a rating?", "['rating'].isna()"),
        ("How many people that gave no rating are in shifts.csv?", "['rating'].isna()"),
        ("What is the longest shift without rating in shifts.csv?", ""),
        ("What share of the ratings in shifts.csv is a 5?", ""),
        ("Of the people who took a break_min in shifts.csv, what share took 45?", ""),
    ],
)
def test_rows_with_a_value_are_told_from_those_without(asked, told):
    text = next_request(turn(asked, profile=HOURS)).messages[-1].text
    for one in ("dropna(subset=", "['rating'].isna()"):
        assert (one in text) == (one == told)


@pytest.mark.parametrize(
    ("asked", "printed", "is_asked_again"),
    [
        ("Which products in sales.csv cost nothing?", "[]", True),
        ("Which products in sales.csv cost nothing?", "Products: []", True),
        (
            "Which products in sales.csv cost nothing?",
            "Empty DataFrame\nColumns: [a]\nIndex: []",
            True,
        ),
        ("Which products in sales.csv cost nothing?", "['tea']", False),
        ("Are there products in sales.csv that cost nothing?", "[]", False),
    ],
)
def test_nothing_is_not_believed_at_once(asked, printed, is_asked_again):
    profile = PROFILE.rpartition("\n")[0]
    plan = next_request(turn(asked, (READ + "print(f(df))", f"{printed}\n"), profile=profile))
    assert ("Nothing was found" in "".join(one.text for one in plan.messages)) == is_asked_again
    read = SmallTurn.of(turn(asked, (READ + "print(f(df))", f"{printed}\n"), profile=profile))
    assert (ballot(read.question, read.rounds, []).leader is None) == is_asked_again


BANK = """
bank.csv: 12 rows x 3 columns
- 'day' dates as text, 01/03/2024 to 30/03/2024
- 'kind' text: 'Rent', 'Food'
- 'paid' float 12.35 to 780
Named in the request: column 'kind' has 'Rent' (2 rows)"""
BANKING = "import pandas as pd\ndf = pd.read_csv('bank.csv')\n"


@pytest.mark.parametrize(
    ("asked", "source", "missing"),
    [
        ("except for the rent", "df[df['kind'] == 'Rent']['paid'].sum()", True),
        ("without rent", "df[df['kind'] == 'Rent']['paid'].sum()", True),
        ("except for the rent", "df[df['kind'] != 'Rent']['paid'].sum()", False),
        ("except for the rent", "df[~df['kind'].isin(['Rent'])]['paid'].sum()", False),
        ("for the rent", "df[df['kind'] == 'Rent']['paid'].sum()", False),
        ("without tax for the rent", "df[df['kind'] == 'Rent']['paid'].sum()", False),
        ("ignoring gaps, for rent", "df[df['kind'] == 'Rent']['paid'].sum()", False),
    ],
)
def test_what_is_to_be_left_out_is_not_selected(asked, source, missing):
    question = f"How much was paid {asked}, by bank.csv?"
    words = told(question, BANKING + f"print({source})", "780.0\n", BANK)
    assert ("'Rent' (a value of 'kind') is left out: 'kind' != 'Rent'" in words) == missing


def test_a_month_that_no_date_is_written_with_selects_nothing():
    question = "How much was paid in March 2024, by bank.csv?"
    source = BANKING + "print(df[df['day'].str.contains('March 2024')]['paid'].sum())"
    profile = BANK.rpartition("\n")[0]
    assert "nothing in the data is written as 'March 2024'" in told(
        question, source, "0\n", profile
    )


@pytest.mark.parametrize(
    ("source", "is_told"),
    [
        ("import os\nprint(len(os.environ))", True),
        ("values = {'a': 3}\nprint(values['a'] + 4)", True),
        ("print(open('test.env').read().count('A'))", False),
        ("print(len(lines) + 4)", False),
    ],
    ids=["another place", "made up", "read", "read before"],
)
def test_a_program_that_reads_nothing_is_not_believed(source, is_told):
    words = told("How many settings are in test.env?", source, "7\n", "")
    assert ("does not read test.env" in words) == is_told


def test_a_column_that_the_user_named_and_is_not_there_is_said_before_others_are_tried():
    asked = turn("What is the average humidity in sales.csv?")
    failed = Message("computer", (ActionResult("c1", "failed", "KeyError: 'humidity'"),))
    wrote = Message("assistant", (Code("python", READ + "print(df['humidity'].mean())", "c1"),))
    read = SmallTurn.of((*asked, wrote, failed))
    assert read.can_be_checked is False
    assert read.next_request().answer.startswith(
        "There is no column 'humidity'. There is: 'product'"
    )


@pytest.mark.parametrize(
    ("asked", "is_done"),
    [
        ("Split sales.csv: one file for each product.", False),
        ("Merge sales.csv and sales.csv and print the first rows.", True),
    ],
)
def test_what_makes_files_is_not_done_without_one(asked, is_done):
    plan = next_request(turn(asked, (READ + "print(df.head())", "tea 3\n")))
    assert ("what was asked for is not done" not in plan.messages[-1].text) == is_done


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        ("df['paid'].sum()", True),
        ("round(df['paid'].sum(), 2)", True),
        ("df[df['day'].str.contains('/03/2024')]['paid'].sum()", False),
        ("df[df['day'].str.contains('03/2024')]['paid'].sum()", False),
        ("df[pd.to_datetime(df['day'], dayfirst=True).dt.month == 3]['paid'].sum()", False),
        ("df[df['day'] >= '2024-03-01']['paid'].sum()", False),
        ("df[pd.to_datetime(df['day']) < '2024-04-01']['paid'].sum()", False),
        ("df[df['day'] > datetime(2024, 3, 1)]['paid'].sum()", False),
    ],
)
def test_a_month_has_to_be_used(source, missing):
    question = "How much was paid in March 2024, by bank.csv?"
    words = told(question, BANKING + f"print({source})", "780.0\n", BANK.rpartition("\n")[0])
    assert ("says 'March'" in words) == missing


@pytest.mark.parametrize(
    ("source", "output", "missing"),
    [
        ("r = f(open('t.csv'))\nprint(r)", "0.64", "also wants link_strength"),
        ("r = f(open('t.csv'))\nprint('strength: weak', r)", "strength: weak 0.64", ""),
    ],
)
def test_results_that_have_a_name_are_all_computed(source, output, missing):
    asked = (
        "How do a and b correlate in t.csv? Say the r_value and the link_strength in a sentence."
    )
    words = told(asked, source + " # r_value", f"{output}\n", "")
    assert missing in words
    assert bool(words) == bool(missing)


def test_a_number_that_names_something_has_to_be_used():
    asked = "Which address in access.log got the most 404 responses?"
    counted = "lines = open('access.log').readlines()\nprint(f(lines{}))"
    assert "says '404'" in told(asked, counted.format(""), "10.0.0.7\n", "")
    assert told(asked, counted.format(", '404'"), "10.0.0.7\n", "") == ""


@pytest.mark.parametrize(
    ("source", "left_out"),
    [
        ("r = df['a'].corr(df['b'])\nprint('r:', r)", ["correlation_strength", "strength_value"]),
        ("r = f()\nstrength = g(r)\nprint(f'correlation_strength: {strength}')", []),
    ],
)
def test_a_result_is_there_by_the_part_of_its_name_that_says_something(source, left_out):
    asked = "Give correlation_strength: strength_value, which is weak or strong."
    one = Round(code="", source=source, failed=False, output="", errors="", summary="")
    assert results_left_out(asked, one) == left_out


def test_what_all_programs_do_although_they_were_told_not_to_is_believed_in_the_end():
    """Nobody knows all ways to ask: where every program errs in the same way, we may be wrong."""
    asked = "How many units of tea were sold, in sales.csv?"
    sources = ["print(1 + f(df['units']))", "print(f(df['units']) + 1)", "print(g(df['units']))"]
    profile = "sales.csv: 8 rows x 2 columns\n- 'item' text: 'tea', 'coffee'\n- 'units' int 1 to 9"
    blocks = [(source, "17\n") for source in sources]

    def counted(of, drafts=tuple(sources[1:])):
        read = SmallTurn.of(turn(asked, *blocks[:of], profile=profile))
        return ballot(read.question, read.rounds, drafts)

    assert (counted(2).leader, counted(2).in_spite) == (None, False)
    assert (counted(3).leader.output, counted(3).in_spite) == ("17\n", True)
    assert counted(3, (*sources[1:], "print(h())")).leader is None  # one may still do better
    read = SmallTurn.of(turn(asked, *blocks, profile=profile))
    plan = read.next_request(counted(3))
    assert not plan.must_act
    assert "Not sure" in plan.doubt


@pytest.mark.parametrize(
    "form",
    [
        "where a_value is a number between 0 and 1, rounded to four decimal places",
        "Give an integer between 1 and 12.",
    ],
)
def test_what_an_answer_lies_between_is_no_condition_of_rows(form):
    assert Conditions.of(f"How strong is the correlation in t.csv? {form}").limits == ()


def test_what_rows_lie_between_is_one():
    assert Conditions.of("Which rows have a price between 3 and 5 in t.csv?").limits == ("3",)


FEES = (
    "What do our members still owe us? fees.csv\n\nfees.csv: 9 rows x 3 columns\n- 'name' text, 9 "
    "different\n- 'fee' int 60 to 750\nCareful: 1 row(s) hold a total ('name' is 'Total')"
)


@pytest.mark.parametrize(
    ("source", "is_counted"),
    [
        ("print(df['fee'].sum())", True),
        ("print(df.dropna(subset=['section'])['fee'].sum())", False),
        ("print(max(df['section'], key=lambda s: len(s)))", False),
        ("print(df[df['name'] != 'Total']['fee'].sum())", False),
        ("print(df['fee'][:-1].sum())", False),
        ("df = df[df['fee'].notna()]\nprint(df['name'].tolist())", False),
        ("print(df.loc[df['name'] == 'Total', 'fee'].sum())", False),
        ("for name in df['name']:\n    print(name)", False),
        ("print(df.query('section == 1')['fee'].sum())", False),
        ("print(df.groupby('name')['fee'].sum()['Ann'])", False),
        ("print(df.groupby('name')['fee'].sum().loc['Ann'])", False),
        ("print(df['fee'].isna().sum(), df.duplicated().sum())", False),
        ("print(df.loc[df['fee'].idxmax(), 'name'])", True),
        ("print(df.nlargest(1, 'fee')['name'])", True),
    ],
)
def test_a_row_that_holds_a_total_is_not_counted_as_one_of_the_rows(source, is_counted):
    source = f"import pandas as pd\ndf = pd.read_csv('fees.csv')\n{source}"
    one = Round(source, source, False, "750\n", "", "")
    assert bool(trouble_with(FEES, one)) is is_counted
    assert ("'name' is 'Total'" in doubt_about(FEES, one)) is is_counted


@pytest.mark.parametrize(
    "question",
    [
        "What is the fee in the Total row?",
        "How many columns does fees.csv have?",
        "What is the grand total of the fees?",
    ],
)
def test_a_row_that_holds_a_total_may_be_meant(question):
    source = "import pandas as pd\ndf = pd.read_csv('fees.csv')\nprint(df['fee'].max(), len(df))"
    asked = f"{question}{FEES[FEES.index(chr(10)) :]}"
    assert not counts_a_total(asked, source)


LOG = "\n\nlock.log: 3 lines of text\n| 2024-08-03 09:14:40 back WRONG\n| 2024-08-04 00:00:21 front WRONG"
READ_LOG = "lines = open('lock.log').readlines()\n"


@pytest.mark.parametrize(
    ("said", "selects", "left_out"),
    [
        ("on 3 August", "[x for x in lines if 'WRONG' in x]", "'3 August'"),
        ("on August 3rd", "[x for x in lines if '2024-08-03' in x]", ""),
        ("on the 3rd of August", "df[(df.d.dt.day == 3) & (df.d.dt.month == 8)]", ""),
        ("on 3 August", "df[df.d == datetime(2024, 8, 3)]", ""),
        ("on 3 August", "[x for x in lines if '2024-08-04' in x]", ""),  # right beside it
        ("on 13 August", "[x for x in lines if '2024-08-03' in x]", "'13 August'"),
        ("at 14:10", "df[df['departs'] > '08:30']", "'14:10'"),
        ("at 14:10", "df[df['departs'] > '14:10']", ""),
        ("at 14:10", "df[df.minutes > 850]", ""),
        ("at 14:00", "df[df.d.dt.hour >= 14]", ""),
    ],
)
def test_a_day_and_a_time_that_are_named_are_used(said, selects, left_out):
    source = f"{READ_LOG}print(len({selects}))"
    asked = f"How many wrong codes were typed {said}, by lock.log?{LOG}"
    told = Conditions.of(asked).left_out(Round(source, source, False, "7", "", ""))
    assert told == ([left_out] if left_out else [])
    assert Conditions.of(asked.partition("\n\n")[0]).days == ()


def test_who_wants_all_in_an_order_is_not_told_to_look_for_the_first_one():
    asked = turn("How often is which product in sales.csv? Markdown table, most often first.")
    (words,) = SmallTurn.of(asked).asked
    assert "is which one" not in words.text
    asked = turn("Which product has the most units in sales.csv?")
    (words,) = SmallTurn.of(asked).asked
    assert "is which one" in words.text
    columns = "with the columns product and times, most often first."
    assert form_of(f"Answer with a Markdown table {columns}").columns == ("product", "times")


def test_a_program_that_reads_another_file_than_the_one_that_is_named_is_not_believed():
    known = (
        "\n\nhotels_2024.csv: 4 rows x 2 columns\n- 'hotel' text: 'a', 'b'\n- 'nights' int 2 to 6"
    )
    asked = f"How many nights were we in hotels in 2023? It is in hotels_2023.csv.{known}"
    source = "import pandas as pd\nprint(pd.read_csv('hotels_2024.csv')['nights'].sum())"
    assert reads_none_of(asked, source) == ["hotels_2023.csv"]
    assert reads_none_of(asked, source.replace("2024", "2023")) == []
    assert (
        reads_none_of("How many nights are in hotels_2023.csv?", "print(open(name).read())") == []
    )


WALLET = (
    "\n\nw.json: JSON, a list of objects (pandas.read_json reads it): 7 rows x 2 columns\n"
    "- 'kind' text: 'note', 'coin'\n- 'value' float 0.2 to 20\n"
    "Named in the request: column 'kind' has 'coin' (4 rows)\n"
    "Named in the request: column 'kind' has 'note' (3 rows)"
)


def test_who_names_all_values_of_a_column_together_leaves_no_row_out():
    asked = f"What is left in w.json? value is what one note or coin is worth.{WALLET}"
    assert Conditions.of(asked).values == ()
    apart = f"A note is kept in the bank of our town, since it is large and may be lost; what of a coin?{WALLET}"
    assert len(Conditions.of(apart).values) == 2
    three = WALLET.replace("'coin'\n", "'coin', 'cheque'\n")
    assert len(Conditions.of(f"What is a note or coin worth?{three}").values) == 2


@pytest.mark.parametrize(
    ("number", "is_possible"), [("6", True), ("15", True), ("16", False), ("-1", False)]
)
def test_what_is_counted_is_no_more_than_there_is(number, is_possible):
    known = "\n\nguests.csv: 15 rows x 2 columns\n- 'name' text, 15 different, e.g. 'Abel'\n- 'reply' text: 'yes', 'no'"
    asked = f"How many meals do we need for guests.csv?{known}"
    assert (impossible(asked, number) == "") is is_possible
    numeric = f"{asked}\n- 'persons' int 1 to 4"
    assert (impossible(numeric, number) == "") is (number != "-1")
    assert impossible(asked.replace("meals", "more meals"), "-1") == ""


def test_tables_are_joined_with_all_that_the_request_is_about():
    known = (
        "\n\ne.csv: 8 rows x 2 columns\n- 'what' text, 8 different, e.g. 'Taxi'\n"
        "- 'currency' text: 'USD', 'EUR'\n\nr.csv: 2 rows x 2 columns\n"
        "- 'currency' text: 'USD', 'NOK'\n- 'rate' float 0.1 to 0.9"
    )
    told = " ".join(reminders_for(f"What did all cost in euros, by e.csv and r.csv?{known}"))
    assert "'EUR' stands in one of the tables only: with how='left'" in told
    assert "NOK" not in told
    assert "isin" not in told
    told = " ".join(reminders_for(f"Which currency of e.csv has no rate in r.csv?{known}"))
    assert "one[~one['currency'].isin(other['currency'])]" in told


def test_a_named_file_that_only_other_programs_looked_for_is_said_not_to_be_there():
    known = "hotels_2024.csv: 4 rows x 2 columns\n- 'hotel' text: 'a', 'b'\n- 'nights' int 2 to 6"
    asked = Message(
        "user",
        (Text("How many nights in 2023? It is in hotels_2023.csv."), Text("\n\n"), Text(known)),
    )
    first = "import pandas as pd\nprint(pd.read_csv('hotels_2024.csv')['nights'].sum())"
    error = (
        "FileNotFoundError: [Errno 2] No such file or directory: 'hotels_2023.csv' (there is: "
        "'hotels_2024.csv')"
    )
    other = first.replace("2024", "2023")
    turn = SmallTurn.of((
        asked,
        Message("assistant", (Code("python", first, "c1"),)),
        Message("computer", (Output("14\n"), ActionResult("c1", "ok", ""))),
        Message("assistant", (Code("python", other, "c2", to_compare=True),)),
        Message("computer", (ActionResult("c2", "failed", error),)),
    ))
    counted = ballot(turn.question, turn.rounds, (other,))
    assert turn.next_request(counted).answer == (
        "There is no file 'hotels_2023.csv'. There is: 'hotels_2024.csv'."
    )

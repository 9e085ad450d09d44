"""Tests of an answer that the model did not write."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from interpreter.models.scripted import ScriptedModel
from interpreter.models.small.checks.choices import not_chosen
from interpreter.models.small.checks.computed import is_hard_coded
from interpreter.models.small.checks.conditions import Conditions
from interpreter.models.small.checks.groups import not_put_together
from interpreter.models.small.checks.impossible import impossible
from interpreter.models.small.checks.sources import reads_one_of_many, taken_from_a_profile
from interpreter.models.small.checks.which import does_not_say_who
from interpreter.models.small.mends.gaps import with_fewer_dropped
from interpreter.models.small.mends.products import with_products_summed
from interpreter.models.small.mends.slips import after_error, with_columns, without_slips
from interpreter.models.small.model import SmallModel
from interpreter.models.small.own_draft import own_draft
from interpreter.models.small.plan import SmallTurn, next_request
from interpreter.models.small.prompts.reminders import reminders_for
from interpreter.models.small.rounds import Round
from interpreter.models.small.votes import ballot
from interpreter.protocol.events import ActionProposed, TextDelta
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import ActionResult, Code, Message, Output, user_says
from interpreter.protocol.ports import Request
from support.profiles import with_profile

SALES = "product,units,price\ntea,12,3.5\nTea,30,3.5\ncoffee,4,\n"
PROFILE = """

sales.csv: 3 rows x 3 columns
- 'product' text: 'tea', 'Tea', 'coffee'
- 'units' int 4 to 30, a quantity: how many units is its sum
- 'price' float 3.5 to 3.5, 1 missing"""
TEA = "\nNamed in the request: column 'product' has 'tea', 'Tea' (2 rows)"
ASKED = f"How many units of tea were sold, by sales.csv?{PROFILE}{TEA}"
RIGHT = "print(df[df['product'].str.lower() == 'tea']['units'].sum())"
OTHER = "print(len(df[df['product'].str.lower() == 'tea']))"


@pytest.mark.parametrize(
    ("question", "printed"),
    [
        (ASKED, "42\n"),
        (f"What is the average price in sales.csv?{PROFILE}", "3.5\n"),
        (f"What is the highest number of units in sales.csv?{PROFILE}", "30\n"),
        (f"How many sales were made, by sales.csv?{PROFILE}", "3\n"),
        (f"How many sales of tea were made, by sales.csv?{PROFILE}{TEA}", "2\n"),
        (f"How many units of juice were sold, by sales.csv?{PROFILE}", "0\n"),
    ],
)
def test_a_plain_question_is_computed_by_a_program_of_ours_too(tmp_path, question, printed):
    (tmp_path / "sales.csv").write_text(SALES)
    ran = subprocess.run(
        [sys.executable, "-c", own_draft(question)], cwd=tmp_path, capture_output=True, text=True
    )
    assert (ran.stdout, ran.stderr) == (printed, "")


@pytest.mark.parametrize(
    "question",
    [
        "How many units were sold per product, by sales.csv?",
        "How many units and what price were there in sales.csv?",
        "How many units of 2024 are in sales.csv?",
        "What share of units is tea in sales.csv?",
        "What is the mean of sales.csv?",
        "What is the average price of juice in sales.csv?",
        "What is the average price for loyal customers, by sales.csv?",
        "How many units were sold?",
    ],
)
def test_what_is_not_plain_is_left_to_the_model(question):
    profile = "" if question.endswith("sold?") else PROFILE
    assert own_draft(question + profile) == ""


def block(source, output, *, to_compare=False):
    return (
        Message("assistant", (Code("python", source, "c1", to_compare=to_compare),)),
        Message("computer", (Output(output), ActionResult("c1", "ok", ""))),
    )


def reply(*messages, drafts=()):
    """What a small model does next, and how often drafts were asked of it."""
    asked = []

    def drafter(request, numbers, interrupt):
        asked.append(request)
        return tuple(Code("python", source) for source in drafts[numbers.start : numbers.stop])

    model = ScriptedModel(["42 units."])
    small = SmallModel(model, lambda number: model, drafter)
    events = list(small.stream(Request("", messages), Interrupt()))
    ran = [event.action for event in events if isinstance(event, ActionProposed)]
    said = "".join(event.text for event in events if isinstance(event, TextDelta))
    return ran, said, len(asked)


def test_a_program_of_ours_that_agrees_is_enough():
    question = with_profile(ASKED)
    ((ours,), _, asked) = reply(question, *block(RIGHT, "42\n"))
    assert (ours.source, ours.to_compare, asked) == (own_draft(ASKED), True, 0)
    agreed = block(ours.source, "42\n", to_compare=True)
    assert reply(question, *block(RIGHT, "42\n"), *agreed) == ([], "42 units.", 0)


def test_where_the_first_program_left_something_out_ours_is_enough():
    turn = (with_profile(ASKED), *block("print(df['units'].sum())", "46\n"))
    ((ours,), _, _) = reply(*turn)
    ran = block(ours.source, "42\n", to_compare=True)
    assert reply(*turn, *ran) == ([], "42 units.", 0)


def test_a_block_that_ran_already_is_not_run_again_for_the_answer():
    model = ScriptedModel([{"text": "It is 42.\n", "code": RIGHT}])
    small = SmallModel(model, lambda number: model)
    turn = (with_profile(ASKED), *block(RIGHT, "42\n"))
    events = list(small.stream(Request("", turn), Interrupt()))
    assert [event for event in events if isinstance(event, ActionProposed)] == []
    said = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert said.strip() == "It is 42."


def test_where_it_does_not_agree_the_model_writes_others():
    differs = block(own_draft(ASKED), "42\n", to_compare=True)
    turn = (with_profile(ASKED), *block(OTHER, "2\n"), *differs)
    (ran, _, asked) = reply(*turn, drafts=[RIGHT])
    assert ([one.source for one in ran], asked) == ([RIGHT], 1)


@pytest.mark.parametrize(
    ("question", "output", "why"),
    [
        ("What is the average price in sales.csv?", "35.0", "lies between 3.5 and 3.5"),
        ("What is the average price in sales.csv?", "3.5", ""),
        ("What is the average price in sales.csv, times 10?", "35", ""),
        ("What is the correlation of units and price?", "7.2", "between -1 and 1"),
        ("What share of the rows in sales.csv is tea?", "250", "between 0 and 1"),
        ("How many rows of sales.csv are tea?", "42", "there are 3 rows"),
        ("How many rows of sales.csv are tea?", "2", ""),
        ("How many units were sold, by sales.csv?", "46", ""),
        ("How many sales of tea are in sales.csv?", "42", "sales are counted, and there are 3"),
        ("How many sales are in sales.csv?", "3", ""),
    ],
)
def test_a_value_that_cannot_be_is_known(question, output, why):
    found = impossible(question + PROFILE, output)
    assert (why in found) if why else found == ""


def test_a_value_that_cannot_be_is_asked_for_again_and_then_doubted():
    asked = with_profile(f"What is the average price in sales.csv?{PROFILE}")
    wrong = block("print(df['price'].sum() * 5)", "35.0\n")
    once = next_request((asked, *wrong))
    assert "That cannot be right: a mean of 'price' lies" in once.messages[-1].text
    assert "(Not sure: a mean of 'price' lies" in next_request((asked, *wrong, *wrong)).doubt


@pytest.mark.parametrize(
    ("form", "printed", "answer"),
    [("as JSON", '{"mean": 35.0}', '{"mean": 35.0}'), ("Only the number.", "35.0", "35.0")],
)
def test_an_answer_that_a_program_reads_is_nothing_else_and_its_doubt_is_said_elsewhere(
    form, printed, answer
):
    asked = with_profile(f"What is the average price in sales.csv? {form}{PROFILE}")
    source = "price = 35.0\nprint(price)" if answer == "35.0" else f"print({printed!r})"
    twice = block(source, f"{printed}\n") * 2
    told = []
    model = ScriptedModel([])
    small = SmallModel(model, lambda number: model, notice=told.append)
    events = list(small.stream(Request("", (asked, *twice)), Interrupt()))
    said = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert said == answer
    assert [text[:15] for text in told] == ["(Not computed: "]


@pytest.mark.parametrize(
    ("source", "made_up"),
    [
        ("print(8)", True),
        ("answer = {'a': 8}\nprint(answer['a'])", True),
        ("print('it is 8')", True),
        ("print(df['units'].value_counts()[8])", False),
        ("print(len(df[df.units > 8]))", False),
        ("print(df.sum(axis=8).size)", False),
        ("print(round(df.units.mean(), 8))", False),
        ("print(len(df.head(8)))", False),
    ],
)
def test_a_number_that_only_chooses_is_no_number_that_was_made_up(source, made_up):
    plan = next_request((
        with_profile(f"How many are in sales.csv?{PROFILE}"),
        *block(source, "8\n"),
    ))
    assert ("an answer that is written in it" in "".join(m.text for m in plan.messages)) is made_up


def test_that_no_row_has_what_was_asked_for_is_said():
    asked = f"How many units of juice were sold, by sales.csv?{PROFILE}"
    turn = (with_profile(asked), *block(RIGHT.replace("tea", "juice"), "0\n"))
    assert next_request(turn).doubt == "\n\n(No row names 'juice'.)"


def failing(source, error):
    return (
        Message("assistant", (Code("python", source, "c1"),)),
        Message("computer", (ActionResult("c1", "failed", error),)),
    )


@pytest.mark.parametrize(
    ("source", "name", "line"),
    [
        ("print(json.dumps({'n': 3}))", "json", "import json"),
        ("df = pd.read_csv('sales.csv')\nprint(len(df))", "pd", "import pandas as pd"),
        ("print(Counter('aab'))", "Counter", "from collections import Counter"),
    ],
)
def test_a_forgotten_import_is_put_right_without_asking(source, name, line):
    failed = failing(source, f"NameError: name {name!r} is not defined")
    ((better,), said, _) = reply(with_profile(ASKED), *failed)
    assert (said, better.to_compare) == ("The same, with what it lacked:\n", False)
    assert better.source.startswith(line)
    assert better.source.endswith(source)
    again = failing(better.source, f"NameError: name {name!r} is not defined")
    assert SmallTurn.of((with_profile(ASKED), *failed, *again)).to_mend == ""


def test_a_name_that_nothing_is_known_of_is_left_to_the_model():
    failed = failing("print(total)", "NameError: name 'total' is not defined")
    assert SmallTurn.of((with_profile(ASKED), *failed)).to_mend == ""


LEVEL = f'Is the mean of units in sales.csv "low" or "high"? It is high above 10.{PROFILE}'


@pytest.mark.parametrize(
    ("source", "made_up"),
    [
        ("mean = df.units.mean()\nprint('level: high')", True),
        ("print(f'level: high')", True),
        ("print('level:', 'high' if df.units.mean() > 10 else 'low')", False),
        ("if df.units.mean() > 10:\n    print('high')\nelse:\n    print('low')", False),
        ("print('The level:')\nprint(level)", False),
        ("print('Working')\ndf.units.mean()", False),
    ],
)
def test_a_word_that_stands_in_the_program_whatever_the_data_is_was_not_computed(source, made_up):
    plan = next_request((with_profile(LEVEL), *block(source, "level: high\n")))
    asked = "".join(message.text for message in plan.messages)
    assert ("an answer that is written in it" in asked) is made_up


@pytest.mark.parametrize(
    ("question", "output", "choices"),
    [
        ('Is it "strong", "moderate", or "weak"?', "r: 0.24", ["strong", "moderate", "weak"]),
        ('Is it "strong", "moderate", or "weak"?', "r is Weak", []),
        ("Answer 'yes' or 'no'.", "nothing", ["yes", "no"]),
        ("Answer 'yes' or 'no'.", "No", []),
        ('Reply with "up"/"down".', "3.5", ["up", "down"]),
        ("Sum the columns 'a', 'b' and 'c'.", "12", []),
        ('Leave out rows with "x", "y".', "12", []),
    ],
)
def test_of_the_choices_that_a_request_lists_one_is_the_answer(question, output, choices):
    assert not_chosen(f"{question}{PROFILE}", output) == choices


def test_what_is_none_of_the_choices_is_asked_for_once_more_and_doubted_in_the_end():
    once = (with_profile(LEVEL), *block("print(df.units.mean())", "15.3\n"))
    assert "has to be 'low' or 'high'" in "".join(m.text for m in next_request(once).messages)
    again = (*once, *block("print(df['units'].mean(), 10)", "15.3\n"))
    assert "the answer was to be 'low' or 'high'" in next_request(again).doubt


def test_the_age_of_the_offender_is_no_value_to_select_by():
    question = f"How do the units of the seller go with the price in sales.csv?{PROFILE}"
    assert Conditions.of(question).things == ()


GAPS = """

w.csv: 90 rows x 4 columns
- 'sun' int 0 to 3, 5 missing
- 'wind' float 0 to 9
- 'chill' float -11 to 9.9, 80 missing
- 'wind speed' int 0 to 16"""
READ = "df = pd.read_csv('w.csv')\n"


@pytest.mark.parametrize(
    ("source", "better"),
    [
        ("df = df.dropna()\nprint(df['sun'].mean())", "df.dropna(subset=['sun'])"),
        ("df.dropna(inplace=True)\nprint(df.sun)", "dropna(subset=['sun'], inplace=True)"),
        ("d = df.dropna()\nprint(d['sun'] + d['wind'])", "d = df.dropna(subset=['sun', 'wind'])"),
        ("df = df.dropna()\nprint(df['sun'], df['chill'])", ""),
        ("df = df.dropna(subset=['wind'])\nprint(df['sun'])", ""),
        ("df = df[['sun', 'wind']]\ndf = df.dropna()\nprint(df['sun'])", ""),
        ("df = df.dropna()\nprint(df.corr())", ""),
        ("print(df['sun'].dropna().mean())", ""),
    ],
)
def test_rows_are_dropped_only_for_what_is_used(source, better):
    question = f"How much sun is there, by w.csv?{GAPS}"
    mended = with_fewer_dropped(question, READ + source)
    assert better in mended if better else mended == READ + source
    alone = f"What is left of w.csv without rows with missing values?{GAPS}"
    assert with_fewer_dropped(alone, READ + source) == READ + source


def test_a_program_that_drops_too_much_is_mended_and_has_no_vote():
    source = f"{READ}df = df.dropna()\nprint(df['sun'].mean())"
    question = f"What is the mean of sun, by w.csv?{GAPS}"
    turn = SmallTurn.of((with_profile(question), *block(source, "1.5\n")))
    assert turn.to_mend == source.replace("dropna()", "dropna(subset=['sun'])")
    assert ballot(question, turn.rounds, ()).leader is None


@pytest.mark.parametrize(
    ("question", "output", "why"),
    [
        ("Mean and deviation of units?", "mean_units: -0.02\nstd_units: 0.97", "a mean of 'units'"),
        ("Mean and deviation of units?", "mean_units[ -0.02 ] std[1]", "a mean of 'units'"),
        ("Mean and deviation of units?", "{'mean_units': 15.3, 'std_units': 2.0}", ""),
        ("Maximum of units and of price?", "max units = 31, max price = 3.5", "a max of 'units'"),
        ("Mean and deviation of units after normalization?", "mean_units: 0\nstd_units: 1", ""),
        ("Mean of units per product?", "mean_units: 90\nmean_units: 91", ""),
        ("Mean and deviation of units?", "mean_weight: 99\nstd_units: 2", ""),
    ],
)
def test_values_that_have_a_name_cannot_lie_outside_of_their_column(question, output, why):
    found = impossible(f"{question} By sales.csv.{PROFILE}", output)
    assert found.startswith(why) if why else found == ""


@pytest.mark.parametrize(
    ("source", "left_out"),
    [
        ("print(df.units.std())", True),
        ("print(df.units.std(ddof=0))", False),
        ("print(df.units.var())\nprint(df.units.std( ddof = 0 ))", False),
        ("print(statistics.pstdev(df.units))", False),
    ],
)
def test_the_deviation_of_the_population_is_not_that_of_a_sample(source, left_out):
    question = f"What is the population standard deviation of units in sales.csv?{PROFILE}"
    plan = next_request((with_profile(question), *block(source, "8.5\n")))
    assert (".std(ddof=0)" in plan.messages[-1].text if plan.messages else False) is left_out


def test_the_strongest_correlation_is_found_as_the_reminder_says():
    (told,) = reminders_for("Which two columns have the strongest correlation in t.csv?")
    code = told.partition(": ")[2].rpartition("; ")[0]
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": [4, 3, 2, 1.5], "c": [1, 0, 1, 0]})
    names = {"df": frame, "columns": ["a", "b", "c"], "np": np}
    exec(code, names)
    assert names["pair"] == ("a", "b")
    assert round(names["pairs"][names["pair"]], 2) == -0.99


WHICH = f"Which product has the highest price on average in sales.csv?{PROFILE}"
GROUPED = "m = df.groupby('product')['price'].mean()\n"


@pytest.mark.parametrize(
    ("source", "output", "says_it"),
    [
        ("print(df['price'].mean())", "3.5\n", False),
        (f"{GROUPED}print(m.max())", "3.5\n", False),
        (f"{GROUPED}print(m.idxmax(), m.max())", "tea 3.5\n", True),
        (f"{GROUPED}print(m.idxmax())", "Coffee\n", True),
    ],
)
def test_who_asks_which_one_is_told_which_one(source, output, says_it):
    plan = next_request((with_profile(WHICH), *block(source, output)))
    told = plan.messages[-1].text if plan.messages else ""
    assert ("asks which product it is" not in told) is says_it


@pytest.mark.parametrize(
    ("question", "how", "end"),
    [
        ("Which product has the highest price on average in sales.csv?", "mean", "max"),
        ("Which product sold the most units, by sales.csv?", "sum", "max"),
        ("Which product sold the fewest units, by sales.csv?", "sum", "min"),
        ("Which product was sold most often, by sales.csv?", "size", "max"),
        ("Which product has the highest price in sales.csv?", "max", "max"),
    ],
)
def test_who_asks_which_one_is_told_how_each_is_compared(question, how, end):
    (told,) = reminders_for(f"{question}{PROFILE}")
    assert told == (
        f"For each product: g = df.groupby('product')[number].{how}(); g.idx{end}() is which one, "
        f"g.{end}() its value."
    )
    assert reminders_for(f"Which product was sold on Friday?{PROFILE}") == ()


def test_what_time_is_no_question_for_a_value_of_a_column():
    asked = f"What is the sum of units, and what product of numbers is it?{PROFILE}"
    plan = next_request((with_profile(asked), *block("print(df.units.sum())", "46\n")))
    assert "asks which" not in "".join(message.text for message in plan.messages)


@pytest.mark.parametrize(
    ("question", "output", "why"),
    [
        ("How many products have more than 50 units?", "more than 50 units: False", "a number is"),
        ("How many products have more than 50 units?", "more than 50 units: 4", ""),
        ("Are there more than 50 units?", "False", ""),
    ],
)
def test_how_many_is_a_number(question, output, why):
    found = impossible(f"{question}{PROFILE}", output)
    assert found.startswith(why) if why else found == ""


TWO_TABLES = """

stock.xlsx: Excel (read it with pandas.read_excel(path, sheet_name=...)), sheets: Stock, Prices
sheet 'Stock': 4 rows x 2 columns
- 'sku' text, 4 different, e.g. 'B-10'
- 'quantity' int 6 to 120
sheet 'Prices': 4 rows x 2 columns
- 'sku' text, 4 different, e.g. 'K-03'
- 'price' float 4.25 to 189"""
BOTH = "a = pd.read_excel('stock.xlsx', 'Stock')\nb = pd.read_excel('stock.xlsx', 'Prices')\n"


@pytest.mark.parametrize(
    ("source", "mixed_up"),
    [
        (f"{BOTH}print((a['quantity'] * b['price']).sum())", True),
        (f"{BOTH}m = a.merge(b, on='sku')\nprint((m['quantity'] * m['price']).sum())", False),
        (f"{BOTH}print((a['quantity'] * a['sku'].map(b)).sum())", False),
        ("a = pd.read_excel('stock.xlsx')\nprint((a['quantity'] * a['price']).sum())", False),
    ],
)
def test_tables_are_joined_and_not_laid_side_by_side(source, mixed_up):
    question = f"What is our stock worth, by stock.xlsx?{TWO_TABLES}"
    assert ("pd.merge(one, other, on='sku')" in not_put_together(question, source)) is mixed_up
    assert reminders_for(question)[-1].startswith("Two tables have 'sku'")
    assert reminders_for(f"What is the mean of sales.csv?{PROFILE}") == ()


SPELLINGS = """

s.csv: 19 rows x 1 columns
- 'term' text, 9 different, e.g. 'invoice'
Careful: 'term' has one thing written differently: 'INVOICE', 'invoice'"""


@pytest.mark.parametrize(
    ("source", "apart"),
    [
        ("print(df['term'].value_counts().head(3))", True),
        ("print(df.groupby('term').size())", True),
        ("print(df['term'].str.lower().value_counts())", False),
        ("print(len(df))", False),
    ],
)
def test_one_thing_that_is_spelt_in_two_ways_is_counted_once(source, apart):
    question = f"Which terms of s.csv are the most frequent?{SPELLINGS}"
    assert ("counted apart" in not_put_together(question, source)) is apart
    plain = SPELLINGS.partition("\nCareful")[0]
    asked = f"The most frequent terms of s.csv? Upper and lower case are the same thing.{plain}"
    assert ("counted apart" in not_put_together(asked, source)) is apart
    assert not_put_together(f"The most frequent terms of s.csv?{plain}", source) == ""


@pytest.mark.parametrize(
    ("source", "left_out"),
    [
        ("print(df['revenue'].sum())", True),
        ("print(df[df['day'] == 'Sat']['revenue'].sum())", False),
        ("print(df[df['date'].dt.dayofweek == 5]['revenue'].sum())", False),
    ],
)
def test_a_day_of_the_week_is_selected_by(source, left_out):
    question = "What was the revenue on Saturday, by r.csv?\n\nr.csv: 4 rows x 1 columns\n- 'day' text: 'Fri', 'Sat'"
    plan = next_request((with_profile(question), *block(source, "12\n")))
    told = plan.messages[-1].text if plan.messages else ""
    assert ("says 'Saturday'" in told) is left_out


@pytest.mark.parametrize(
    ("question", "output", "is_missing"),
    [
        ("Who has the most books, and how many?", "member: 2\nbooks: 4", True),
        ("Who has the most books, and how many?", "member: Lena\nbooks: 4", False),
        ("Whose loan is the longest?", "3", True),
        ("How many books are there?", "4", False),
    ],
)
def test_who_asks_who_is_told_a_name(question, output, is_missing):
    assert does_not_say_who(f"{question}{PROFILE}", output) is is_missing


@pytest.mark.parametrize(
    ("source", "reads_one"),
    [
        ("print(pd.read_csv('sales/north.csv')['revenue'].sum())", True),
        ("for p in Path('sales').glob('*.csv'):\n    print(pd.read_csv(p))", False),
        ("print(sum(pd.read_csv(f'sales/{n}.csv').revenue.sum() for n in names))", False),
    ],
)
def test_who_asks_about_a_folder_means_all_of_it(source, reads_one):
    shown = (
        "\n\nIn the folder 'sales': 2 files: north.csv, south.csv\nAll of them: for path in "
        "Path('sales').glob('*.csv'). One of them is sales/north.csv, with:\n- 'revenue' float"
    )
    asked = f"What is the revenue of all files in the folder sales?{shown}"
    assert bool(reads_one_of_many(asked, source)) is reads_one
    assert not reads_one_of_many(f"What is the revenue in sales/north.csv?{shown}", source)


@pytest.mark.parametrize(
    ("source", "better"),
    [
        ("df['a'].fillna(0, inplace=True)", "df['a'] = df['a'].fillna(0)"),
        (
            "if x:\n    df['a'].replace('é', 1, inplace=True)",
            "    df['a'] = df['a'].replace('é', 1)",
        ),
        ("df.fillna(0, inplace=True)", ""),
        ("df['a'] = df['a'].fillna(0)", ""),
        ("df.loc[m, 'a'].fillna(0, inplace=True)", "df.loc[m, 'a'] = df.loc[m, 'a'].fillna(0)"),
        ("for name in df:\n    df[name].ffill(inplace=True)", "    df[name] = df[name].ffill()"),
        ("df['a'].fillna(0, inplace=False)", ""),
        ("tables[0].fillna(0, inplace=True)", ""),
        ("tables = [a, b]\nfor n in range(2):\n    tables[n].fillna(0, inplace=True)", ""),
        ("tables = {'a': a}\ntables['a'].fillna(0, inplace=True)", ""),
        ("x = 1; df['a'].fillna(0, inplace=True)", ""),
        ("df['a'].fillna(0, inplace=True)\r", ""),
        ("df['a'].fillna(0, inplace=True", ""),
    ],
)
def test_gaps_are_not_filled_in_vain(source, better):
    mended = without_slips(source)
    assert better in mended if better else mended == source
    assert better == "" or "inplace" not in mended


@pytest.mark.parametrize(
    ("asked", "source", "together"),
    [
        ("total km per car?", "df['km'].sum()", True),
        ("which cars were out, and how far did each of them go?", "df['km'].sum()", True),
        ("How far did each car go?", "df.groupby('car')['km'].sum()", False),
        ("How far did each car go?", "for car in cars: print(car)", False),
        ("What is the average per car?", "df['km'].sum() / df['car'].nunique()", False),
        ("total km per week?", "df['km'].sum()", False),
        ("List the km of each car", "print(df[['car', 'km']].to_string())", False),
        ("What is the average number of km per car?", "df['km'].mean()", False),
        ("Is every car faster than 2?", "(df['km'] > 2).all()", False),
        ("What is it in all if each car costs 100?", "len(df) * 100", False),
        ("how many km are there?", "df['km'].sum()", False),
    ],
)
def test_what_is_wanted_for_each_is_not_put_together(asked, source, together):
    profile = "trips.csv: 8 rows x 2 columns\n- 'car' text: 'van', 'bus'\n- 'km' int 1 to 9"
    said = not_put_together(f"{asked}\n\n{profile}", source)
    assert ("df.groupby('car')" in said) is together


@pytest.mark.parametrize(
    ("source", "better"),
    [
        ("total = m['n'] * m['price'].sum()", "total = (m['n'] * m['price']).sum()"),
        ("print(round(m['é'] * m['b'].sum(), 2))", "print(round((m['é'] * m['b']).sum(), 2))"),
        (
            "total = m['x'] * m['y'].sum(); cost = m['p'] * m['q'].sum()",
            "total = (m['x'] * m['y']).sum(); cost = (m['p'] * m['q']).sum()",
        ),
        ("df['share'] = df['qty'] * df['price'].sum()", ""),
        ("weights = df['qty'] * df['price'].sum()", ""),
        ("total = df['qty'] * df['price'].mean()", ""),
        (
            "total = df['qty'].sum() * df['price_per_litre'].mean()",
            "total = (df['qty'] * df['price_per_litre']).sum()",
        ),
        ("total = df['qty'].sum() * df['share'].mean()", ""),
        ("total = df['qty'].sum() * other['price'].mean()", ""),
        ("share = m['n'] / m['n'].sum()", ""),
        ("total = 1.2 * m['n'].sum()", ""),
        ("total = m['n'] * other['price'].sum()", ""),
        ("total = (m['n'] * m['price']).sum()", ""),
        ("total = m['n'] * m['price'].sum(", ""),
    ],
)
def test_rows_are_not_multiplied_by_the_sum_of_all(source, better):
    assert with_products_summed("What did we spend in all?", source) == (better or source)


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("Give each department its share.", "amounts = df['share'] * df['budget'].sum()"),
        (
            "Multiply the sum of the units by the average price.",
            "print(df.n.sum() * df.price.mean())",
        ),
        ("Sum up the units.", "amounts = df['share'] * df['budget'].sum()"),
        ("How is the total cost to be split?", "cost = df['weight'] * df['cost'].sum()"),
        ("Distribute the cost by size.", "cost = df['size'] * df['cost'].sum()"),
        ("Which cost has who, by the weights?", "cost = df['size'] * df['cost'].sum()"),
        ("Allocate the total among them.", "cost = df['size'] * df['cost'].sum()"),
    ],
)
def test_rows_are_multiplied_by_the_sum_of_all_where_that_is_wanted(question, source):
    assert with_products_summed(question, source) == source


@pytest.mark.parametrize(
    ("source", "better"),
    [
        ("plt.savefig('plots/a.png')", "import os\nos.makedirs('plots', exist_ok=True)\n"),
        ("df.to_csv('out/2024/b.csv', index=False)", "import os\nos.makedirs('out/2024'"),
        ("open('out/c.txt', 'w').write('x')", "import os\nos.makedirs('out', exist_ok=True)"),
        ("Path('out/c.txt').write_text('x')", "import os\nos.makedirs('out', exist_ok=True)"),
        ("(Path('out') / 'c').write_bytes(b'')", "import os\nos.makedirs('out', exist_ok=True)"),
        ("Path('out/c.txt').open('w')", "import os\nos.makedirs('out', exist_ok=True)"),
        ("df.to_csv('b.csv')", ""),
        ("df.to_csv('/srv/b.csv')", ""),
        ("df.to_csv('../b.csv')", ""),
        ("open('in/c.txt').read()", ""),
        ("os.makedirs('out')\ndf.to_csv('out/b.csv')", ""),
    ],
)
def test_the_folder_of_a_file_that_is_written_is_made(source, better):
    made = without_slips(source)
    assert made.startswith(better) if better else made == source
    assert made.endswith(source)


@pytest.mark.parametrize(
    "source",
    [
        "import shutil\nshutil.move('drafts', 'archive')\nopen('archive/index.txt', 'w').close()",
        "import shutil\nshutil.copytree('drafts', 'archive')\nopen('archive/index.txt', 'w').close()",
        "import os\nos.rename('drafts', 'archive')\nif True: open('archive/index.txt', 'w').close()",
        "from pathlib import Path\nPath('drafts').rename('archive')\n"
        "for n in range(2):\n    n; open(f'archive/index.txt{n}', 'w').close()",
        "import os\n\n\ndef move():\n    os.rename('drafts', 'archive')\n"
        "    with open(\n        'archive/index.txt', 'w'\n    ) as file:\n        file.write('x')\n\n\nmove()",
    ],
)
def test_a_folder_is_not_made_before_the_program_makes_it(source, tmp_path, monkeypatch):
    (tmp_path / "drafts").mkdir()
    (tmp_path / "drafts" / "a.txt").touch()
    monkeypatch.chdir(tmp_path)
    better = without_slips(source)
    assert better != source
    exec(better, {})
    assert {one.name[:9] for one in (tmp_path / "archive").iterdir()} == {"a.txt", "index.txt"}


def test_a_folder_that_has_a_name_is_made():
    source = "target = Path('out') / 'a.csv'\ntable.to_csv(target)"
    assert "os.makedirs('out', exist_ok=True)\ntable" in without_slips(source)
    source += "\ntarget = Path('b.csv')"
    assert without_slips(source) == source


def test_a_folder_that_was_missing_is_made_without_asking_the_model():
    asked = user_says("Plot the units in sales.csv and save it as plots/units.png")
    error = "FileNotFoundError: [Errno 2] No such file or directory: 'plots/units.png'"
    turn = SmallTurn.of((asked, *failing("plt.savefig('plots/units.png')", error)))
    assert turn.to_mend.startswith("import os\nos.makedirs('plots', exist_ok=True)\n")


def test_a_letter_is_no_column_that_somebody_named():
    asked = with_profile(f"Handle a gap in sales.csv, and give a mean of units.{PROFILE}")
    plan = next_request((asked, *failing("df['a'] = df['a'].method()", "KeyError: 'a'")))
    assert plan.answer == ""


TITANIC = "t.csv: 9 rows x 3 columns\n- 'Fare' float 0 to 9\n- 'Age (years)' int 1 to 80\n- 'x' int 1 to 2"


@pytest.mark.parametrize(
    ("source", "better"),
    [
        ("df['fare'] = df[\"fare\"].mean()", "df['Fare'] = df['Fare'].mean()"),
        ("print({'fare': df['fare']})", "print({'fare': df['Fare']})"),
        ("print('fare:', df['fare'], df['age'])", "print('fare:', df['Fare'], df['age'])"),
        ("df.columns = [c.lower() for c in df]\ndf['fare']", ""),
        ("df['fare", ""),
    ],
)
def test_a_column_is_called_as_its_table_calls_it(source, better):
    asked = f"mean fare in t.csv?\n\n{TITANIC}"
    assert with_columns(asked, source, "KeyError: 'fare'") == (better or source)
    index = "KeyError: \"None of [Index(['fare'], dtype='str')] are in the [columns]\""
    assert with_columns(asked, source, index) == (better or source)
    assert with_columns(asked, source, "KeyError: 'height'") == source
    assert with_columns(asked, source, "TypeError: no") == source


@pytest.mark.parametrize(
    ("read", "chosen", "printed"),
    [
        ("df = pd.read_csv('t.csv')", "df[['fare', 'age_years']]", "3"),
        ("df = pd.read_csv('t.csv')", "df[['fare', 'x']]", "4"),
        ("df = pd.read_csv('t.csv', usecols=['fare', 'x'])", "df['Fare']", "1"),
        ("df = pd.read_csv('t.csv')", "df.drop(columns=['fare'])['Age Years']", "2"),
    ],
)
def test_several_columns_are_called_as_their_table_calls_them(
    tmp_path, monkeypatch, read, chosen, printed
):
    (tmp_path / "t.csv").write_text("Fare,Age Years,x\n1,2,3\n")
    monkeypatch.chdir(tmp_path)
    source = f"import pandas as pd\n{read}\nprint({chosen}.sum().sum())"
    asked = f"mean fare in t.csv?\n\n{TITANIC.replace('(years)', 'Years')}"
    failed = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    error = failed.stderr.strip().rpartition("\n")[2]
    better = after_error(asked, source, error)
    ended = subprocess.run([sys.executable, "-c", better], capture_output=True, text=True)
    assert ended.stdout.strip() == printed


def test_a_column_in_another_case_is_put_right_without_asking_the_model():
    asked = with_profile(f"What is the mean fare in t.csv?\n\n{TITANIC}")
    turn = SmallTurn.of((asked, *failing("print(df['fare'].mean())", "KeyError: 'fare'")))
    assert turn.to_mend == "print(df['Fare'].mean())"


PUPILS = """

pupils.csv: 15 rows x 2 columns
- 'pupil' text, 15 different, e.g. 'Amira'
- 'mark' int 1 to 6"""


def test_an_example_of_the_profile_is_no_condition_of_the_request():
    source = 'df = pd.read_csv("pupils.csv")\nprint(len(df[df["pupil"] == "Amira"]))'
    assert taken_from_a_profile("Which pupils have a 6?" + PUPILS, source) == "Amira"
    assert taken_from_a_profile("Which mark has Amira?" + PUPILS, source) == ""
    days = PUPILS.replace("15 different", "7 different")
    assert taken_from_a_profile("How many at weekends?" + days, source) == ""
    assert taken_from_a_profile("All others?" + PUPILS, source.replace("==", "!=")) == ""


@pytest.mark.parametrize(
    ("line", "method", "printed"),
    [
        ("z = (df['a'] - 1).to_numpy()\nprint(len(df[z.abs() > 1]))", "abs", "1"),
        ("kinds = df['b'].to_numpy()\nprint(kinds.value_counts().idxmax())", "value_counts", "x"),
    ],
)
def test_what_only_tables_have_is_done_with_arrays_in_the_way_that_works(line, method, printed):
    head = "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2, 5], 'b': ['x', 'x', 'y']})\n"
    error = f"AttributeError: 'numpy.ndarray' object has no attribute '{method}'"
    better = after_error("How many rows?", head + line, error)
    ran = subprocess.run([sys.executable, "-c", better], capture_output=True, text=True)
    assert (ran.stdout.strip(), ran.stderr) == (printed, "")


def test_a_method_that_is_called_on_several_things_stays():
    source = "print(a.abs(), b.abs())"
    error = "AttributeError: 'numpy.ndarray' object has no attribute 'abs'"
    assert after_error("How many rows?", source, error) == source


def test_an_argument_that_a_function_does_not_take_and_that_changes_nothing_is_left_out():
    error = "TypeError: train_test_split() got an unexpected keyword argument 'verbose'"
    source = "x, y = train_test_split(a['é'], test_size=0.3, verbose=1)\nf(x)"
    better = "x, y = train_test_split(a['é'], test_size=0.3)\nf(x)"
    assert after_error("What is x?", source, error) == better
    twice = f"{source}\ng(verbose=1)"
    assert after_error("What is x?", twice, error) == twice


@pytest.mark.parametrize(
    ("source", "function", "argument", "better"),
    [
        (
            "df.sort_values('fee', reverse=True).head(2)",
            *("DataFrame.sort_values", "reverse"),
            "df.sort_values('fee', ascending=False).head(2)",
        ),
        (
            "df.sort_values('fee', descending=down)",
            *("DataFrame.sort_values", "descending"),
            "df.sort_values('fee', descending=down)",
        ),
        ("sorted(xs, descending=True)", *("sort", "descending"), "sorted(xs, reverse=True)"),
        (
            "df.drop_duplicates(columns=['email'])",
            *("DataFrame.drop_duplicates", "columns"),
            "df.drop_duplicates(subset=['email'])",
        ),
        ("df.mean(weights=w)", *("DataFrame.mean", "weights"), "df.mean(weights=w)"),
    ],
)
def test_an_argument_that_means_something_is_never_dropped(source, function, argument, better):
    error = f"TypeError: {function}() got an unexpected keyword argument '{argument}'"
    assert after_error("Who has the highest fee?", source, error) == better


STRENGTH = (
    "How strongly are units and price related in sales.csv? Answer as JSON with the keys r and "
    'strength, which is "strong", "moderate" or "weak".'
)


@pytest.mark.parametrize(
    ("printing", "is_computed"),
    [
        ("print({'r': r, 'strength': 'weak'})", False),
        ("print({'r': r, 'strength': 'weak' if abs(r) < 0.3 else 'strong'})", True),
        ("if r < 0.3:\n    print({'r': r, 'strength': 'weak'})", True),
        ("print({'r': r, 'unit': 'none'})", True),
    ],
)
def test_an_answer_of_a_list_that_is_chosen_without_looking_is_not_computed(printing, is_computed):
    source = f"import pandas as pd\ndf = pd.read_csv('sales.csv')\nr = df.corr()\n{printing}"
    one = Round(source, source, False, "{'r': 0.2, 'strength': 'weak'}", "", "")
    assert is_hard_coded(STRENGTH + PROFILE, one) is not is_computed


def test_a_choice_that_the_request_makes_itself_is_no_guess():
    question = (
        "How are units and price related in sales.csv? Use the Pearson coefficient. Answer as JSON "
        'with the keys r and method, which is "pearson" or "spearman".'
    )
    source = "r = df.corr()\nprint({'r': r, 'method': 'pearson'})"
    one = Round(source, source, False, "{'r': 0.2, 'method': 'pearson'}", "", "")
    assert not is_hard_coded(question + PROFILE, one)


def test_what_is_put_before_a_program_stands_behind_what_has_to_be_first():
    source = 'from __future__ import annotations\nopen("out/a.txt", "w").write("x")'
    better = without_slips(source)
    assert "os.makedirs('out', exist_ok=True)" in better
    compile(better, "program", "exec")

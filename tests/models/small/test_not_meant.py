"""What a request does not mean is neither done nor held against an answer."""

import pytest

from interpreter.models.small.checks.absent import said_to_be_absent
from interpreter.models.small.checks.answers import doubt_about, trouble_with
from interpreter.models.small.checks.choices import not_chosen
from interpreter.models.small.checks.conditions import conditions_left_out, counts_a_total
from interpreter.models.small.checks.impossible import impossible
from interpreter.models.small.checks.named_files import changed_originals, not_written
from interpreter.models.small.failures import not_there
from interpreter.models.small.plan import next_request
from interpreter.models.small.prompts.reminders import reminders_for
from interpreter.models.small.rounds import Round
from interpreter.models.small.wanted import file_to_write, is_about_files, is_an_order
from interpreter.protocol.messages import ActionResult, Code, Message, Output
from support.profiles import with_profile

THERE = "\n\n" + "\n".join(
    f"{name}.csv: 3 rows x 2 columns"
    for name in ("stores", "sales", "survey", "orders", "items", "customers", "prices", "weather")
)


@pytest.mark.parametrize(
    "question",
    [
        "Which store in stores.csv has the highest revenue?",
        "Which store sold the most, according to sales.csv?",
        "How many people put 'yes' in survey.csv?",
        "How many people write reviews in orders.csv?",
        "Please write me the average of n in orders.csv.",
        "Export the orders in orders.csv from Berlin as JSON.",
        "Write a summary of what is in orders.csv.",
        "Merge orders.csv and customers.csv and calculate the average order value per city.",
        "Combine sales.csv and prices.csv to compute the total revenue.",
        "Convert the temperatures in weather.csv to Fahrenheit and compute the mean.",
        "Clean the prices in items.csv and find the most expensive item.",
    ],
)
def test_a_file_that_is_asked_about_is_not_written(question):
    assert file_to_write(question + THERE) == ""
    assert not is_about_files(question + THERE)


def test_who_wants_something_written_to_them_wants_an_answer():
    assert not is_an_order("Please write me the average of n in orders.csv." + THERE)
    assert is_an_order("Write me a script that sums up orders.csv." + THERE)
    assert is_an_order("Write me the sum in a new file." + THERE)


def test_what_is_all_that_an_order_left_is_told():
    asked = with_profile("Write the average of n in orders.csv." + THERE)
    wrote = Message("assistant", (Code("python", "print(df['n'].mean())", "c1"),))
    printed = Message("computer", (Output("average: 44.0\n"), ActionResult("c1", "ok", "")))
    assert next_request((asked, wrote, printed)).output == "average: 44.0"


@pytest.mark.parametrize(
    "order",
    [
        "Save the sorted rows to sales.csv.",
        "Sort sales.csv by date and save it to sales.csv.",
        "Could you write the totals to sales.csv?",
        "Remove all that is twice, then write the rest into sales.csv.",
    ],
)
def test_a_file_that_an_order_names_is_written_though_it_is_there(order):
    assert file_to_write(order + THERE) == "sales.csv"


def ran(source, output="9\n"):
    return Round(source, source, False, output, "", "")


@pytest.mark.parametrize(
    "what",
    [
        *("the formatting", "the meaning", "the structure", "the indentation", "the layout"),
        *("existing values", "the database settings", "its headings", "the original order"),
    ],
)
def test_what_is_to_stay_in_a_file_is_not_the_file(what):
    for order in (f"but don't change {what}.", f"without changing {what}"):
        said = f"Replace 'colour' with 'color' in notes.txt, {order}"
        assert changed_originals(said, ["modified notes.txt"]) == ""


@pytest.mark.parametrize(
    "what",
    [
        *("the file", "my files", "notes.txt", "the original", "it", "them", "the input file"),
        *("any of the original files", "the originals and print what was found", "anything"),
    ],
)
def test_a_file_that_is_to_stay_is_known(what):
    said = f"Sort notes.txt into out.txt, but don't change {what}"
    assert changed_originals(said, ["modified notes.txt"]) == "notes.txt"


@pytest.mark.parametrize(
    ("order", "changed"),
    [
        ("Change the link in page.html to contact.html.", "page.html"),
        ("Set the output in config.ini to result.csv.", "config.ini"),
        ("Change the stylesheet in index.html from old.css to main.css.", "index.html"),
        ("Replace a.png by b.png in page.html, and the link to it to b.html.", "page.html"),
    ],
)
def test_a_value_that_looks_like_a_file_is_not_to_be_written(order, changed):
    assert not_written(order, [f"modified {changed}"]) == ""
    assert not_written("Set x to 1 and save it to b.csv.", ["modified a.csv"]) == "b.csv"


KNOWN = (
    "\n\npeople.csv: 500 rows x 4 columns\n- 'name' text\n- 'salary' int 1 to 900\n- 'type' text"
)


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("What do the top 10% of earners get?", "df[df['salary'] > df['salary'].quantile(0.9)]"),
        ("Who is older than 2 years?", "df[df['age'] > pd.Timedelta(days=730)]"),
        ("I have a list of 500 people. What is the mean salary?", "df['salary'].mean()"),
        ("List the name of everyone older than 30.", "df[df['age'] > 30]['name']"),
        ("What is the most common type of animal?", "df['type'].value_counts()"),
        (
            "What is the average salary of those hired before 2015?",
            "df[df.y < 2015]['salary'].mean()",
        ),
    ],
)
def test_what_selects_no_rows_is_no_condition(question, source):
    assert conditions_left_out(question + KNOWN, ran(source)) == ""


def test_a_condition_is_still_one():
    units = "\n\na.csv: 9 rows x 2 columns\n- 'units' int 1 to 9\n- 'city' text: 'Rome', 'Oslo'"
    asked = "How many units of juice were sold?" + units
    assert "'juice'" in conditions_left_out(asked, ran("print(df['units'].sum())"))
    asked = (
        "What is the average price of petrol?\n\na.csv: 9 rows x 1 columns\n- 'price' int 1 to 9"
    )
    assert "'petrol'" in conditions_left_out(asked, ran("print(df['price'].mean())"))
    asked = "How many are above 730?" + units
    assert "'730'" in conditions_left_out(asked, ran("print(len(df))"))
    named = "Named in the request: column 'city' has 'Rome' (3 rows)"
    asked = f"How many units, excluding Rome?{units}\n{named}"
    source = "try:\n    print(df['units'].sum())\nexcept KeyError:\n    print('Rome')"
    assert "left out" in conditions_left_out(asked, ran(source))


@pytest.mark.parametrize("name", ["total", "revenue"])
def test_a_row_that_holds_the_total_is_seen_whatever_a_program_calls_its_own(name):
    asked = (
        "What is the total revenue?\n\na.csv: 9 rows x 2 columns\n- 'revenue' int 1 to 9\n"
        "Careful: 1 row(s) hold a total ('city' is 'Total')"
    )
    assert counts_a_total(asked, f"{name} = df['revenue'].sum()\nprint({name})")
    assert not counts_a_total(asked, "print(df[df['city'] != 'Total']['revenue'].sum())")


def failed(source, error):
    return Round(source, source, True, "", "", error)


SALES = "\n\nsales.csv: 3 rows x 2 columns\n- 'date' dates\n- 'sales' int 1 to 9"


@pytest.mark.parametrize(
    ("question", "error"),
    [
        ("What are the average sales per month in sales.csv?", "KeyError: 'month'"),
        ("What are the sales of each year?", "KeyError: 'year'"),
        ("What is the total of the sales?", "KeyError: 'total'"),
        (
            "What is the mean of the sales in data/prices.csv?",
            "FileNotFoundError: [Errno 2] No such file or directory: 'prices.csv'",
        ),
        (
            "Write the names in sales.csv into out/names.txt",
            "FileNotFoundError: [Errno 2] No such file or directory: 'out/names.txt'",
        ),
    ],
)
def test_a_slip_of_the_program_is_not_told_as_what_the_user_lacks(question, error):
    assert not_there([failed("f()", error)], question + SALES, 1) == ""


def test_what_the_user_named_and_is_not_there_is_still_told():
    asked = "What is the average height in sales.csv?" + SALES
    assert "no column 'height'" in not_there([failed("f()", "KeyError: 'height'")], asked, 1)


def test_a_name_of_which_rows_were_found_is_there():
    known = (
        "\n\na.csv: 120 rows x 3 columns\n- 'country' text: 'Austria', 'Italy'\n"
        "- 'seller' text, 120 different, e.g. 'Al Roth'\n- 'sold' int 1 to 9"
    )
    one = ran("print(df[df['seller'].str.startswith('Austin')]['sold'].sum())", "17\n")
    assert said_to_be_absent("How much did Austin sell?" + known, one) == ""


@pytest.mark.parametrize("output", ["Anna: 5\n", "Al = 899.0\n", "Anna: 5\nBo: 5\n"])
def test_a_name_before_its_number_says_who_it_is(output):
    asked = "Who sold the most?\n\na.csv: 3 rows x 2 columns\n- 'seller' text\n- 'sold' int 1 to 9"
    one = ran("print(df.groupby('seller')['sold'].sum())", output)
    assert "numbers only" not in trouble_with(asked, one)


@pytest.mark.parametrize("output", ["5\n", "seller: 5\n", "most sold: 5\n"])
def test_a_number_says_nobodys_name(output):
    asked = "Who sold the most?\n\na.csv: 3 rows x 2 columns\n- 'seller' text\n- 'sold' int 1 to 9"
    assert "numbers only" in trouble_with(asked, ran("print(df['sold'].max())", output))


@pytest.mark.parametrize(
    ("question", "output"),
    [
        ("How many photos did users share in posts.csv?", "3400"),
        ("What is the highest price including 19% VAT?", "1071"),
        ("What is the maximum price after a raise of 10%?", "990"),
    ],
)
def test_what_can_be_is_not_called_impossible(question, output):
    known = "\n\nposts.csv: 3 rows x 2 columns\n- 'price' int 1 to 900"
    assert impossible(question + known, output) == ""


def test_a_share_is_still_one():
    assert "share" in impossible("What is the share of women?", "3400")
    assert "share" in impossible("As a share, how much is that?", "-3")


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ('List the names of tickets with "open" or "pending" status.', []),
        ('Which tickets have a status of "open" or "pending"?', []),
        ('Is it late? Answer with "yes", "no" or "unknown".', ["yes", "no", "unknown"]),
        ('Classify it with one of the values "high" or "low".', ["high", "low"]),
        ('The answer is "high" or "low".', ["high", "low"]),
    ],
)
def test_texts_by_which_rows_are_chosen_are_no_answers(question, wanted):
    assert not_chosen(question, "ticket 9") == wanted


def test_an_average_of_some_rows_can_be_what_is_meant():
    asked = "Which customers in Berlin spend more than the average of Berlin?"
    known = "\n\na.csv: 3 rows x 2 columns\n- 'spend' int 1 to 9"
    source = "df = df[df['city'] == 'Berlin']\nprint(df[df['spend'] > df['spend'].mean()])"
    assert doubt_about(asked + known, ran(source)) == ""
    assert doubt_about(asked.replace(" of Berlin", "") + known, ran(source)) != ""


def test_names_with_an_apostrophe_are_read_as_they_are():
    one = "- 'name' text: 'Anna', \"O'Brien\""
    asked = f"What did each one pay?\n\na.csv: 2 rows x 2 columns\n{one}\n- 'paid' int 1 to 9\n"
    asked += "b.csv: 1 rows x 2 columns\n- 'name' text: 'Anna'\n- 'owes' int 1 to 9"
    assert any('"O\'Brien" stands in one' in told for told in reminders_for(asked))

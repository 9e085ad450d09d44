"""Right programs, right answers and what a user has stay as they are."""

import csv
import time

import pytest

from interpreter.inside.files.profile_columns import dates, pitfalls
from interpreter.models.small.checks.absent import made_up, said_to_be_absent
from interpreter.models.small.checks.answers import doubt_about, lacks_a_value
from interpreter.models.small.checks.choices import not_chosen
from interpreter.models.small.checks.computed import is_hard_coded
from interpreter.models.small.checks.conditions import conditions_left_out
from interpreter.models.small.checks.impossible import impossible
from interpreter.models.small.checks.named_files import changed_originals, not_written
from interpreter.models.small.checks.which import does_not_say_which
from interpreter.models.small.checks.written_files import trouble_in
from interpreter.models.small.failures import not_there
from interpreter.models.small.form.asked import form_of
from interpreter.models.small.form.places import filled
from interpreter.models.small.form.printed import NUMBER
from interpreter.models.small.form.schemas import fitted
from interpreter.models.small.mends.put_right import before_it_runs, once_it_ran, when_it_failed
from interpreter.models.small.prompts.hints import missing_thing
from interpreter.models.small.rounds import Round
from interpreter.models.small.votes import agree, ballot

READ = "import pandas as pd\ndf = pd.read_csv('a.csv')\n"


def ran(source, output="9\n"):
    return Round(source, source, False, output, "", "")


def computed(tmp_path, monkeypatch, table, source, capsys):
    """What a program prints of a table."""
    (tmp_path / "a.csv").write_text(table)
    monkeypatch.chdir(tmp_path)
    exec(compile(source, "program", "exec"), {})
    return capsys.readouterr().out.strip()


RATES = (
    "a.csv: 2 rows x 1 columns\n- 'rate' text: percent such as '45%'; numbers: "
    "df['rate'].str.replace(r'[^\\d.-]', '', regex=True).astype(float)"
)


def test_what_is_computed_of_numbers_is_kept_where_a_column_becomes_numbers(
    tmp_path, monkeypatch, capsys
):
    source = f"{READ}df['rate'] = df['rate'].astype(float) / 100\nprint(df['rate'].mean())"
    error = "ValueError: could not convert string to float: '45%'"
    better = when_it_failed(f"What is the average rate as a fraction?\n\n{RATES}", source, error)
    table = "rate\n45%\n55%\n"
    assert computed(tmp_path, monkeypatch, table, better, capsys) == "0.5"


def test_texts_in_a_file_that_is_written_are_not_made_gaps():
    question = "Convert score to whole numbers and save it.\n\n- 'score' text: '3', 'absent'"
    source = f"{READ}df['score'] = df['score'].astype(int)\ndf.to_csv('a.csv')"
    error = "ValueError: invalid literal for int() with base 10: 'absent'"
    assert when_it_failed(question, source, error) == source


def test_a_row_of_a_file_is_never_code():
    rows = [
        "a.csv (read it with sep=',', x=exec('print(666)')): 5 rows x 1 columns",
        "- 'a' text: x; numbers: df['a'].apply(exec('print(666)'))",
    ]
    source = f"{READ}df['a'] = df['a'].astype(float)"
    error = "ValueError: could not convert string to float: 'x'"
    question = "Sum up a.\n\na.csv: 5 rows x 1 columns\n" + "\n".join(rows)
    assert before_it_runs(question, source) == source
    assert "exec" not in when_it_failed(question, source, error)


CITIES = (
    "a.csv: 4 rows x 2 columns\n- 'city' text: 'Berlin', 'Munich', 'munich'\n"
    "Careful: 'city' has one thing written differently: 'Munich', 'munich'"
)


def test_texts_that_a_program_looks_for_stay_in_its_table(tmp_path, monkeypatch, capsys):
    source = f"{READ}print(df[df['city'] == 'Berlin']['customer'].nunique())"
    question = f"How many different customers are from Berlin?\n\n{CITIES}"
    better = before_it_runs(question, source)
    table = "city,customer\nBerlin,1\nBerlin,2\nMunich,3\nmunich,3\n"
    assert computed(tmp_path, monkeypatch, table, better, capsys) == "2"
    every = f"{READ}print(df['city'].nunique())"
    better = before_it_runs(f"How many different cities are there?\n\n{CITIES}", every)
    assert computed(tmp_path, monkeypatch, table, better, capsys) == "2"


@pytest.mark.parametrize(
    "careful",
    [
        "b.csv: 3 rows x 2 columns\n- 'month' text: 'May'\nCareful: 1 row(s) hold a total "
        "('month' is 'Total')\n\na.csv: 3 rows x 2 columns\n- 'units' int 1 to 6",
        "a.csv: 9 rows x 2 columns\nCareful: 3 row(s) hold a total ('month' is 'Subtotal')",
    ],
)
def test_rows_with_totals_of_another_file_or_of_several_kinds_are_left_to_the_model(careful):
    source = f"{READ}print(df['units'].sum())"
    assert before_it_runs(f"How many units were sold?\n\n{careful}", source) == source


@pytest.mark.parametrize(
    ("values", "warned"),
    [
        (["Kids", "All", "Adults", *["Kids"] * 20], False),
        (["Kids", "Adults", *["Kids"] * 20, "All"], True),
        (["Kids", "Total", "Adults", *["Kids"] * 20], True),
    ],
)
def test_all_is_a_total_in_the_last_row_alone(values, warned):
    told = list(pitfalls(["audience"], [values], [(value,) for value in values]))
    assert any("hold a total" in line for line in told) is warned


def test_german_dates_begin_with_the_day(tmp_path, monkeypatch, capsys):
    days = [f"01.{month:02}.2024" for month in range(1, 13)]
    told = dates(days, days, "df['day']")
    assert told == "dates as text, 01.01.2024 to 01.12.2024"
    source = f"{READ}print(df[df['day'].dt.month == 3]['paid'].sum())"
    question = f"What was paid in March?\n\na.csv: 12 rows x 2 columns\n- 'day' {told}"
    error = "AttributeError: Can only use .dt accessor with datetimelike values"
    better = when_it_failed(question, source, error)
    rows = [f"{day},{number}" for number, day in enumerate(days, 1)]
    table = "\n".join(("day,paid", *rows))
    assert computed(tmp_path, monkeypatch, table, better, capsys) == "3"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["31.01.2023", "01.02.2024", "15.03.2022"], "dates as text, 15.03.2022 to 01.02.2024"),
        (["3/1/2024", "12/1/2023"], "dates as text, e.g. 3/1/2024, 12/1/2023"),
        (["March 3, 2024", "April 1, 2023"], "dates as text, e.g. March 3, 2024, April 1, 2023"),
        (["2024-03-01", "2023-12-01"], "dates as text, 2023-12-01 to 2024-03-01"),
    ],
)
def test_a_range_of_dates_is_told_where_their_order_is_known(values, told):
    assert dates(values, values, "df['day']") == told


GAPS = "a.csv: 3 rows x 2 columns\n- 'name' text: 'Ann'\n- 'q1' int 1 to 2, 1 missing"


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("Who answered all questions?", "full = df.dropna()\nprint(list(full['name']))"),
        ("Clean the names.", "df['name'] = df['name'].str.replace('[e-mail] ', '')"),
        ("Split it.", "line_terminator = ';'\nprint('a;b'.split(line_terminator))"),
    ],
)
def test_what_means_something_else_is_not_rewritten(question, source):
    asked = f"{question}\n\n{GAPS}"
    assert before_it_runs(asked, READ + source) == READ + source
    assert once_it_ran(asked, READ + source, "x") == READ + source


PEOPLE = "a.csv: 3 rows x 2 columns\n- 'name' text: 'François Lefèvre', 'Jörg Müller'\n- 'paid' int"


@pytest.mark.parametrize("name", ["Francois Lefevre", "Joerg Mueller", "Jorg Muller"])
def test_a_name_without_its_accents_is_that_name(name):
    source = "print(df[df['name'] == 'Jörg Müller']['paid'].sum())"
    assert said_to_be_absent(f"How much did {name} pay?\n\n{PEOPLE}", ran(source)) == ""


def test_a_german_noun_is_no_name_of_somebody():
    question = "Was ist der mittlere Preis in a.csv?\n\n- 'city' text: 'Berlin', 'Paris', 'Wien'"
    assert said_to_be_absent(question, ran("print(df['price'].mean())")) == ""


def test_a_column_that_is_there_is_not_said_to_be_missing():
    question = "What was sold by region?\n\na.csv: 3 rows x 2 columns\n- 'region' text: 'Norway'"
    failed = Round("s", "df['region']", True, "", "", "KeyError: 'region'")
    assert not_there([failed, failed], question, 2) == ""
    value = Round(
        "s", "n = df['region'].value_counts()['Norway']", True, "", "", "KeyError: 'Norway'"
    )
    assert not_there([value], question.replace("by region", "in Norway"), 1) == ""
    counts = "n = df['region'].value_counts()\nprint(n['Peru'])"
    value = Round("s", counts, True, "", "", "KeyError: 'Peru'", "")
    assert not_there([value], question.replace("by region", "in Peru"), 1) == ""
    other = Round("s", "df['profit']", True, "", "", "KeyError: 'profit'")
    assert "no column 'profit'" in not_there([other], question.replace("by region", "as profit"), 1)


def test_another_unit_of_a_column_is_not_made_up():
    question = "What is the average temperature in Fahrenheit?\n\n- 'celsius' float 1 to 9"
    source = "temperature = df['celsius'] * 9 / 5 + 32\nprint(temperature.mean())"
    assert made_up(question, ran(source)) is None
    profit = "profit = df['celsius'] * 0.2\nprint(profit.mean())"
    assert made_up(question.replace("temperature", "profit"), ran(profit)) is not None


@pytest.mark.parametrize(
    ("request_", "changes"),
    [
        ("Change the domain from old.org to new.com in links.txt.", ["modified links.txt"]),
        ("Convert prices.csv to U.S. dollars.", ["modified prices.csv"]),
        ("Sort a.csv without changing the header.", ["modified a.csv"]),
        ("Rename A.JPG to b.JPG, but do not change the extension.", ["renamed b.JPG"]),
    ],
)
def test_an_order_that_was_done_is_done(request_, changes):
    assert not_written(request_, changes) == ""
    assert changed_originals(request_, changes) == ""


@pytest.mark.parametrize(
    ("request_", "missing", "spoilt"),
    [
        ("Save it as out.csv.", "out.csv", ""),
        ("Sum it up. Do not change a.csv.", "", "a.csv"),
        ("Do not change the contents of a.csv.", "", "a.csv"),
    ],
)
def test_what_was_not_done_is_still_seen(request_, missing, spoilt):
    assert not_written(request_, ["modified a.csv"]) == missing
    assert changed_originals(request_, ["modified a.csv"]) == spoilt


@pytest.mark.parametrize(
    ("question", "printed", "answer"),
    [
        ("Who sent most? Give me only the order number.", "ORD-1023", ""),
        ("Which account? Only the account number.", "DE89370400440532013000", ""),
        ("Which phone sold best? Only the value.", "iPhone 15", ""),
        ("What is the total? Only the number.", "The total is 15.", "15"),
        ("What is the total? Only the number.", "$15.50", "15.50"),
        ("What is the total? Only the number.", "12 kg", "12"),
        ("What was spent? Only the number.", "spent in March 2024: 187.35", "187.35"),
    ],
)
def test_a_number_within_a_name_is_not_the_answer(question, printed, answer):
    assert form_of(question).written(printed) == answer


def test_addresses_and_dates_are_not_rounded():
    form = form_of("Round to 1 decimal place.")
    assert form.rounded("192.168.10.5 3.14159") == "192.168.10.5 3.1"
    assert form.rounded("12.03.2024") == "12.03.2024"


def test_values_with_names_are_never_put_into_each_others_places():
    template = "Mean: <mean>, Median: <median>"
    assert filled(template, "median: 3.0\naverage: 5.0") == "Mean: 5.0, Median: 3.0"
    assert filled(template, "median: 3.0\naverage: 3.0") == "Mean: 3.0, Median: 3.0"
    assert filled(template, "median: 3.0\nmean: 5.0") == "Mean: 5.0, Median: 3.0"


def test_opposite_answers_do_not_agree():
    assert not agree("significant 0.03", "not significant 0.03")
    assert agree("mean: 5.0", "average age: 5")
    question = "Where was most sold?\n\n- 'city' text: 'Berlin', 'Rome'"
    tried = [ran("print('a')", "Berlin: 5"), ran("print('b')", "Rome: 5")]
    assert ballot(question, tried, []).votes == 1


@pytest.mark.parametrize(
    ("words", "profile", "source"),
    [
        (
            "What is the average employee salary?",
            "- 'employee' text: 'Ann'\n- 'salary' int 1 to 9",
            "print(df['salary'].mean())",
        ),
        (
            "How many films are longer than 2 hours?",
            "- 'duration_min' int 1 to 900",
            "print((df['duration_min'] > 120).sum())",
        ),
        (
            "Which cities have more than 5 million inhabitants?",
            "- 'people' int 1 to 9000000",
            "print(df[df['people'] > 5_000_000])",
        ),
    ],
)
def test_a_condition_in_another_unit_or_before_its_noun_is_kept(words, profile, source):
    assert (
        conditions_left_out(f"{words}\n\na.csv: 3 rows x 2 columns\n{profile}", ran(source)) == ""
    )


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        ("What is the average share price?", "152.3"),
        ("How many people live in the cities together?", "9100000"),
        ("What is the median salary in thousands?", "52.3"),
        ("How many pairs have a correlation above 0.5?", "3"),
    ],
)
def test_what_can_be_is_not_called_impossible(words, printed):
    profile = (
        "a.csv: 9 rows x 2 columns\n- 'salary' int 30000 to 90000\n- 'people' int 1 to 9000000"
    )
    assert impossible(f"{words}\n\n{profile}", printed) == ""


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        ("count = 0\nfor row in rows:\n    count += 1\nprint(count)", "1"),
        ("print((df['paid'] == 'yes').mean() * 100)", "100.0"),
        ("print(f\"{df['rooms'].median():.3f}\")", "3.000"),
        ("print(f\"{df['rooms'].median():{2}.{3}f}\")", "3.000"),
        ("print('{:.3f}'.format(df['rooms'].median()))", "3.000"),
        ("print('%.3f' % df['rooms'].median())", "3.000"),
        (
            "years = [19, 20]\nt = {y: sum(df[df['y'] == y]['n']) for y in years}\nprint(max(t))",
            "20",
        ),
        ("print([n for n in (7, 8) if n in set(df['n'])])", "[7]"),
        ("for n in [7, 8]:\n    if f(n):\n        print(n)", "7"),
    ],
)
def test_a_count_is_computed_though_it_ends_at_a_number_of_the_program(source, printed):
    assert not is_hard_coded("How many orders?\n\n- 'paid' text: 'yes'", ran(source, printed))


def test_a_number_that_is_written_down_is_not_computed():
    assert is_hard_coded("How many orders?\n\n- 'paid' text", ran("x = 17\nprint(x)", "17"))
    assert is_hard_coded("How many orders?\n\n- 'paid' text", ran("print('%d' % 17)", "17"))
    for source in (
        "for n in [17, 18]:\n    print(n)",
        "for n in [17, 18]:\n    print('{}'.format(n))",
        "found = [('a', 17), ('b', 18)]\nfor name, n in found:\n    print(f'{name}: {round(n):.1f}')",
        'print(\'{"n": 17, "m": 18}\')',
    ):
        assert is_hard_coded("How many orders?\n\n- 'paid' text", ran(source, "17\n18")), source


def test_rows_by_their_values_are_no_choices():
    words = 'What is the total amount of orders whose status is "open" or "pending"?'
    assert not_chosen(words, "1234") == []
    assert not_chosen('Is it rising? Answer with "yes" or "no".', "1234") == ["yes", "no"]


@pytest.mark.parametrize(
    ("about", "printed"),
    [
        ("'Dove', \"L'Oréal\", 'Nivea'", "L'Oréal"),
        ("'Dove', \"L'Oréal\", 'Nivea'", "Nivea"),
        ("'Human Resources and Payr...', 'Sales'", "Human Resources and Payroll"),
    ],
)
def test_a_value_with_a_quote_or_a_long_one_is_said(about, printed):
    question = f"Which brand sold most?\n\n- 'brand' text: {about}"
    assert does_not_say_which(question, ran("print(df['brand'].mode()[0])", printed)) == ""


def test_none_is_an_answer_where_it_was_asked_for_and_names_are_no_gaps():
    assert not lacks_a_value("Which is unpaid? Answer None if there is none.", "None")
    assert not lacks_a_value("List the sales reps as a JSON array.", '["Nat", "Ana"]')
    assert lacks_a_value("What is the mean?", "mean: nan")
    assert lacks_a_value("What is the mean of the ages that are not null?", "mean: nan")
    assert lacks_a_value("What is the mean, as JSON?", '{"mean": NaN}')


@pytest.mark.parametrize(
    "question",
    [
        "Open the JSON export o.json and tell me the average price.",
        "numbers.txt has numbers separated by commas. What is their sum?",
        "What is the average price in my JSON?",
        "How many orders does the JSON contain?",
        "Show me what the CSV says about tea.",
        "How many lines in app.log mention JSON errors?",
        "Which libraries in requirements.txt handle JSON?",
        "Which of them can parse JSON",
        "How many of the files work with JSON?",
        "Which of CSV, JSON and XML is used most?",
        "List the libraries that handle JSON.",
        "Print the lines which mention JSON",
        "Show the JSON errors of app.log.",
    ],
)
def test_the_form_of_what_is_read_is_not_that_of_the_answer(question):
    assert form_of(question).kind == ""


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is the mean? Answer as JSON.", "json"),
        ("Just JSON, please: what is the mean?", "json"),
        ("What is the mean? JSON only.", "json"),
        ("What is the mean, as one valid JSON object?", "json"),
        ("Put the mean and the median into a JSON object.", "json"),
        ("Respond with JSON: what is the mean?", "json"),
        ("Mean and median of x (JSON)", "json"),
        ("I want the mean and the median of x as a single line of JSON.", "json"),
        ("Convert the means to JSON.", "json"),
        ("Summarize t.csv to JSON", "json"),
        ("What is the mean of x? With JSON output.", "json"),
        ("Please use JSON with the keys a and b.", "json"),
        ("Output format: JSON", "json"),
        ("Tell me the mean (JSON format).", "json"),
        ("What are the means? The result must be JSON.", "json"),
        ("Could I get the means in valid JSON?", "json"),
        ("Return the JSON object with the key mean.", "json"),
        ("List the cities separated by commas.", "list"),
        ("Give me the result as CSV.", "csv"),
    ],
)
def test_the_form_of_an_answer_is_seen(question, kind):
    assert form_of(question).kind == kind


def test_nothing_that_is_odd_ends_a_turn():
    header = "a," * 3_000
    asked = "Pivot a.csv by product and save it as wide.csv."
    trouble_in(asked, header, ran("df.to_csv('wide.csv')"))
    long = "profit = " + "+".join(map(str, range(600))) + "\nprint(profit)"
    asked = "What is the average profit?\n\na.csv: 3 rows x 1 columns\n- 'price' int 1 to 9"
    for put_right in (once_it_ran, when_it_failed):
        put_right(asked, long, "KeyError: 'profit'")
    made_up(asked, ran(long))
    doubt_about(asked, ran(long))
    assert form_of("Answer as CSV.").written("x" * (csv.field_size_limit() + 9)) == ""
    with pytest.raises(ValueError, match="^$"):
        fitted(5, {"type": "object", "properties": ["a"]})
    source = f"{READ}x = 1\rprint(df['a'] * df['b'].sum())"
    assert before_it_runs(asked, source) == source


@pytest.mark.parametrize(
    "look",
    [
        lambda: form_of(f"Give me only {', '.join(f'{one!r}' for one in range(60))} as CSV."),
        lambda: NUMBER.fullmatch("1" * 100_000 + " x"),
        lambda: form_of(",." * 20_000 + " x"),
        lambda: form_of("as with the key " * 2_000),
        lambda: missing_thing("KeyError: 'x'", "a\n\n- 'a' int", "b['x']\n" + "\n" * 100_000),
        lambda: said_to_be_absent("Aa-" * 30_000 + "\n\n- 'a' text: 'b'", ran("x")),
    ],
)
def test_long_texts_are_read_in_no_time(look):
    begun = time.process_time()
    look()
    assert time.process_time() - begun < 2

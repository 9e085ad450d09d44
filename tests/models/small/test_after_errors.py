"""What an error tells is put right without asking the model, and only that."""

import subprocess
import sys

import pytest

from interpreter.models.small.checks.conditions import of_population
from interpreter.models.small.mends.slips import after_error

TABLE = (
    'import pandas as pd\ndf = pd.DataFrame({"m": ["TIE", "", "-3", "12"], "n": list("abca")})\n'
)


def printed_by(source):
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    return done.stdout.strip(), done.stderr.strip().splitlines()[-1:]


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ('print(df["m"].astype(float).sum())', "9.0"),
        ('print(df["m"].astype("int").max())', "12.0"),
        ('print(pd.to_numeric(df["m"]).sum())', "9.0"),
        ('print(df["m"].astype(float).count(), df["n"].eq("a").astype(int).sum())', "2 2"),
        ('print(df["m"].str.strip().astype(float).sum())', "9.0"),
        ("print(df['m'].str.replace('[^0-9]', '').astype(float).sum())", "9.0"),
    ],
)
def test_what_has_no_digit_is_no_number(line, printed):
    said, error = printed_by(TABLE + line)
    assert said == ""
    better = after_error("What is it?", TABLE + line, error[0])
    assert printed_by(better) == (printed, [])


def test_what_has_digits_and_is_no_number_is_not_left_out():
    source = TABLE + 'print(df["m"].astype(float))'
    error = "ValueError: could not convert string to float: '$1,200'"
    assert after_error("What is it?", source, error) == source
    both = TABLE + 'df.loc[0, "m"] = "$5"\nprint(df["m"].astype(float).sum())'
    better = after_error("q", both, "ValueError: could not convert string to float: ''")
    assert "$5" in printed_by(better)[1][0]


NOT_A_FLOAT = "ValueError: could not convert string to float: 'TIE'"


def test_numbers_are_taken_from_a_column_only_once():
    source = TABLE + 'x = pd.to_numeric(df["m"])\ny = float(df["m"][0])'
    better = after_error("What is it?", source, NOT_A_FLOAT)
    assert better != source
    assert after_error("What is it?", better, NOT_A_FLOAT) == better


@pytest.mark.parametrize(
    "line",
    [
        'x = df["n"].eq("a").astype(int)',
        'x = (df["n"] == "a").astype(int)',
        'x = df["n"].str.contains("a").astype(float)',
        'x = (df["m"] + df["n"]).astype(float)',
        'x = df["m"].str.len().astype(float)',
        'x = df[["m", "n"]].astype(float)',
    ],
)
def test_only_texts_of_a_column_become_numbers(line):
    assert after_error("What is it?", TABLE + line, NOT_A_FLOAT) == TABLE + line


def test_of_several_columns_only_those_that_are_text_become_numbers():
    source = (
        TABLE + 'df["big"] = df["n"] == "a"\nx = df["big"].astype(int)\ny = df["m"].astype(int)'
    )
    assert after_error("What is it?", source, NOT_A_FLOAT) == source
    told = "What is it?\n\nt.csv: 4 rows x 2 columns\n- 'm' text: 'TIE', '-3', '12'\n- 'big' bool"
    better = after_error(told, f"{source}\nprint(x.sum(), y.sum())", NOT_A_FLOAT)
    assert printed_by(better) == ("2 9.0", [])


def test_whole_numbers_are_cut_off_as_before():
    source = 'import pandas as pd\ndf = pd.DataFrame({"m": [2.9, -2.9, "TIE"]})\n'
    source += 'print(df["m"].astype(int).tolist()[:2])'
    said, error = printed_by(source)
    assert (said, printed_by(after_error("q", source, error[0]))) == ("", ("[2.0, -2.0]", []))


@pytest.mark.parametrize(
    ("lines", "printed"),
    [
        ('print(df[df["m"] == "12"]["n"][0])', "a"),
        ('chosen = df[df["m"] == "-3"]["n"]\nprint(chosen[0])', "c"),
        ('top = df.nlargest(2, "k").copy()\nprint(top["n"][0], len(top))', "a 2"),
        ('top = df.sort_values("k").tail(2)\nprint(top[0]["m"])', "-3"),
        ('last = df.dropna()["n"].tail(2)\nprint(f"{last[-1]}")', "a"),
        (
            'df = df[df["k"] > 0]\nfor n, some in df.groupby("n"):\n    x = some["k"][0]\nprint(x)',
            "2",
        ),
    ],
)
def test_the_first_row_is_not_the_one_that_is_called_0(lines, printed):
    source = f'{TABLE}df["k"] = range(4)\n{lines}'
    _, error = printed_by(source)
    assert error[0].startswith("KeyError: ")
    assert printed_by(after_error("What is it?", source, error[0])) == (printed, [])


@pytest.mark.parametrize(
    "lines",
    [
        "counts = {}\nprint(counts[0])",
        'd = {"a": [1]}\nprint(d["a"][0])',
        'counts = df["k"].value_counts()\nprint(counts[0])',
        'counts = df["k"].value_counts().sort_values().head()\nprint(counts[0])',
        'print(df.groupby("k").size()[0])',
        'print(df.groupby("k")["m"].sum()[-1])',
        'per = df.groupby("k").count()\nprint(per["m"][0])',
        'print(df.set_index("k")["m"][0])',
        'df.set_index("k", inplace=True)\nprint(df["m"][0])',
        "print(df[0])",
        'x = df["m"]\nx = {}\nprint(x[0])',
        'for x in df["m"]:\n    print(x[0])',
    ],
)
def test_what_may_be_called_0_is_not_taken_for_the_first(lines):
    assert after_error("What is it?", TABLE + lines, "KeyError: 0") == TABLE + lines


def test_a_key_that_begins_with_0_is_another_one():
    source = TABLE + 'chosen = df[df["m"] == "-3"]["n"]\nprint(chosen[0])'
    assert after_error("What is it?", source, "KeyError: 0.5") == source
    assert after_error("What is it?", source, "KeyError: 0") != source


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from a.b import X, Path\nprint(Path)",
            "from a.b import X\nfrom pathlib import Path\nprint(Path)",
        ),
        ("from a.b import Path\nPath()", "from pathlib import Path\nPath()"),
        ("from a.b import Path, X\nX()", "from a.b import X\nX()"),
        ("from a.b import Path\nprint(1)", "print(1)"),
        ("def f():\n    from a.b import Path", "def f():\n    pass"),
        ("from a.b import Path as P\nP()", "from a.b import Path as P\nP()"),
    ],
)
def test_a_name_is_imported_from_where_it_lives_or_not_at_all(before, after):
    error = "ImportError: cannot import name 'Path' from 'a.b' (somewhere)"
    assert after_error("What is it?", before, error) == after


def test_a_name_that_lives_nowhere_stays_where_it_is_used():
    source = "from a.b import Nobody\nNobody()"
    assert after_error("q", source, "ImportError: cannot import name 'Nobody' from 'a.b'") == source


WANTED = "What is the population standard deviation of x in t.csv?"


@pytest.mark.parametrize(
    ("question", "source", "better"),
    [
        (WANTED, "print(df['x'].std())", "print(df['x'].std(ddof=0))"),
        (WANTED, "print(df['x'].std(ddof=1))", "print(df['x'].std(ddof=1))"),
        (WANTED, "print(np.std(df['x']))", "print(np.std(df['x']))"),
        ("What is the standard deviation of x?", "print(df['x'].std())", "print(df['x'].std())"),
        (
            "What would the population variance be?",
            "print(df['x'].var())",
            "print(df['x'].var(ddof=0))",
        ),
        (
            "What is the sample standard deviation of x, not the population standard deviation?",
            "print(df['x'].std())",
            "print(df['x'].std())",
        ),
        (
            "Give the sample and the population standard deviation of x in t.csv.",
            "print(df['x'].std(), statistics.pstdev(df['x']))",
            "print(df['x'].std(), statistics.pstdev(df['x']))",
        ),
    ],
)
def test_the_deviation_of_the_population_is_computed_where_it_is_wanted(question, source, better):
    assert of_population(question, source) == better


AGES = 'import pandas as pd\ndf = pd.DataFrame({"age": ["1", "2"], "a": [0.5, 3.0]})\n'


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ('df.astype({"age": int}, inplace=True)', "[1, 2] [0.5, 3.0]"),
        ('df["age"].astype(int, inplace=True)', "[1, 2] [0.5, 3.0]"),
        ('df["age"].str.zfill(2, inplace=True)', "['01', '02'] [0.5, 3.0]"),
        ('df = df.astype({"age": int}, inplace=True)', "[1, 2] [0.5, 3.0]"),
        ('for name in ["age"]:\n    df[name].astype(int, inplace=True)', "[1, 2] [0.5, 3.0]"),
        ("x = 1; df.round(0, inplace=True)", "['1', '2'] [0.0, 3.0]"),
        ('df.to_csv("/dev/null", inplace=True)', "['1', '2'] [0.5, 3.0]"),
        ("df.round(0, inplace=False)", "['1', '2'] [0.5, 3.0]"),
    ],
)
def test_what_is_to_change_in_place_is_changed(line, printed):
    source = f"{AGES}{line}\nprint(df.age.tolist(), df.a.tolist())"
    _, error = printed_by(source)
    assert "unexpected keyword argument 'inplace'" in error[0]
    assert printed_by(after_error("What is it?", source, error[0])) == (printed, [])


@pytest.mark.parametrize(
    "line",
    [
        "pd.round(df, inplace=True)",
        "df.copy().round(0, inplace=True)",
        "df.round(0, inplace=really)",
        "x = df.round(0, inplace=True)",
        "for one in [df]:\n    one.round(0, inplace=True)",
        "def rounded():\n    df.round(0, inplace=True)",
        "df.apply(other, inplace=True)",
    ],
)
def test_what_cannot_be_changed_in_place_stays(line):
    error = "TypeError: round() got an unexpected keyword argument 'inplace'"
    assert after_error("What is it?", AGES + line, error) == AGES + line


def test_an_array_is_not_filled_in_vain():
    source = "x.fillna(0, inplace=True)\nprint(x)"
    error = "AttributeError: 'numpy.ndarray' object has no attribute 'fillna'"
    assert after_error("What is it?", source, error) == source
    filled = "x = x.fillna(0)"
    assert "pd.Series(x).fillna(0)" in after_error("What is it?", filled, error)


@pytest.mark.parametrize(
    ("given", "better"),
    [
        ("descending=[False, True]", "ascending=[True, False]"),
        ("descending=(True, False)", "ascending=[False, True]"),
        ("descending=True", "ascending=False"),
        ("descending=[down, True]", "descending=[down, True]"),
        ("descending=1", "descending=1"),
        ("descending=how()", "descending=how()"),
        ("descending=DOWN", "descending=DOWN"),
    ],
)
def test_an_order_is_turned_round_for_each_column(given, better):
    error = "TypeError: DataFrame.sort_values() got an unexpected keyword argument 'descending'"
    lines = "DOWN = [True, False]\ndf.sort_values(['a', 'b'], {})"
    assert after_error("Who is first?", lines.format(given), error) == lines.format(better)


@pytest.mark.parametrize(
    ("given", "called"),
    [
        ("y", "pearsonr(x, y)"),
        ("y, method='spearman'", "spearmanr(x, y)"),
        ("y, min_periods=3", ""),
    ],
)
def test_a_coefficient_that_is_wanted_with_its_p_value_gets_one(given, called):
    source = f"import pandas as pd\nr, p = x.corr({given})\nprint(r, p)"
    error = "TypeError: cannot unpack non-iterable numpy.float64 object"
    better = after_error("Is x related to y?", source, error)
    assert (
        f"from scipy import stats\nimport pandas as pd\nr, p = stats.{called}" in better
        or not called
    )
    assert called or better == source


@pytest.mark.parametrize("part", ["df['sales'].mean(inplace=True)", "df.head(3, inplace=True)"])
def test_a_part_of_the_data_never_takes_its_place(part):
    source = f"import pandas as pd\ndf = pd.read_csv('a.csv')\n{part}\ndf.to_csv('a.csv')"
    function = part.rpartition(".")[2].partition("(")[0]
    error = f"TypeError: NDFrame.{function}() got an unexpected keyword argument 'inplace'"
    assert after_error("Sort a.csv.", source, error) == source


def test_an_order_that_a_function_is_given_is_not_turned_round():
    source = "def top(t, down):\n    return t.sort_values(['a', 'b'], reverse=down)"
    error = "TypeError: DataFrame.sort_values() got an unexpected keyword argument 'reverse'"
    assert after_error("Sort a.csv.", source, error) == source


BILLS = (
    "What did it cost?\n\nr.csv: 3 rows x 2 columns\n- 'Amount' text: numbers with a decimal comma such "
    "as '412,50': df['Amount'].str.replace('.', '').str.replace(',', '.').astype(float)"
)


@pytest.mark.parametrize(
    "makes",
    [
        "t['Amount'] = t['Amount'].str.replace(',', '.').astype(float)\nprint(t['Amount'].sum())",
        "print(t['Amount'].astype(float).sum())",
        "t['Amount'] = pd.to_numeric(t['Amount'])\nprint(t['Amount'].sum())",
    ],
)
def test_numbers_are_made_as_the_profile_says(makes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.csv").write_text("What;Amount\na;412,50\nb;1.104,00\nc;3,00\n")
    source = f"import pandas as pd\nt = pd.read_csv('r.csv', sep=';')\n{makes}"
    error = "ValueError: could not convert string to float: '1.104.00'"
    better = after_error(BILLS, source, error)
    assert printed_by(better) == ("1519.5", [])
    assert after_error(BILLS, better, error) == better
    other = "t['Amount'] = t['Price'].astype(float)"
    assert after_error(BILLS, source.replace(makes, other), error) == source.replace(makes, other)

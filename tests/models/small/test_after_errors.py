"""What an error tells is put right without asking the model, and only that."""

import subprocess
import sys

import pytest

from interpreter.models.small.checks.conditions import of_population
from interpreter.models.small.checks.slips import after_error

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
        ('print(df["m"].str.strip().astype(float).count())', "2"),
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


@pytest.mark.parametrize(
    ("lines", "printed"),
    [
        ('print(df[df["m"] == "12"]["n"][0])', "a"),
        ('chosen = df[df["m"] == "-3"]["n"]\nprint(chosen[0])', "c"),
        ('counts = df["n"].value_counts()\nprint(counts[0], len(counts))', "2 3"),
        ('last = df.groupby("n")["m"].count()\nprint(f"{last[-1]}")', "1"),
    ],
)
def test_the_first_row_is_not_the_one_that_is_called_0(lines, printed):
    _, error = printed_by(TABLE + lines)
    assert error[0].startswith("KeyError: ")
    assert printed_by(after_error("What is it?", TABLE + lines, error[0])) == (printed, [])


def test_a_key_of_a_dictionary_stays():
    source = "counts = {}\nprint(counts[0])"
    assert after_error("What is it?", source, "KeyError: 0") == source


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
    ],
)
def test_the_deviation_of_the_population_is_computed_where_it_is_wanted(question, source, better):
    assert of_population(question, source) == better

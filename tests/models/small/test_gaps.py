"""Gaps in a table that a program does not look at."""

import subprocess
import sys

import pytest

from interpreter.models.small.checks.gaps import with_gaps_dropped
from interpreter.models.small.checks.put_right import before_it_runs, when_it_failed

PEOPLE = "age,fare\n30,7\n,8\n31,9\n29,7\n,90\n30,8\n"
ASKED = (
    "How many ages of people.csv are outliers?\n\npeople.csv: 6 rows x 2 columns\n"
    "- 'age' float 29 to 31, 2 missing\n- 'fare' int 7 to 90"
)
READ = "import pandas as pd\nfrom scipy import stats\ndf = pd.read_csv('people.csv')\n"
DROPPED = "df = df.dropna(subset=['age'])\n"


def printed(source, directory):
    (directory / "people.csv").write_text(PEOPLE)
    done = subprocess.run([sys.executable, "-c", source], cwd=directory, capture_output=True)
    return done.stdout.decode().strip()


@pytest.mark.parametrize("vain", ["", "df['age'].dropna(inplace=True)\n", "df['age'].dropna()\n"])
def test_rows_with_a_gap_are_left_out_where_nothing_can_be_computed_of_them(vain, tmp_path):
    source = f"{READ}{vain}print((stats.zscore(df['age']) > 1).sum())"
    assert printed(source, tmp_path) == "0"
    better = before_it_runs(ASKED, source)
    assert better.count(DROPPED) == 1
    assert printed(better, tmp_path) == "1"


@pytest.mark.parametrize(
    "source",
    [
        f"{READ}print(stats.zscore(df['fare']).max())",
        f"{READ}print(stats.zscore(df['age'], nan_policy='omit').max())",
        f"{READ}ages = df['age'].dropna()\nprint(stats.zscore(ages).max())",
        f"{READ}df['age'] = df['age'].fillna(0)\nprint(stats.zscore(df['age']).max())",
        "import pandas as pd\ndf = pd.read_csv('people.csv')\nprint(df['age'].mean())",
        f"{READ}print(",
    ],
)
def test_programs_that_look_at_gaps_or_can_do_with_them_stay_as_they_are(source):
    assert with_gaps_dropped(ASKED, source) == source


def test_gaps_that_are_to_be_filled_are_not_left_out():
    source = f"{READ}print(stats.zscore(df['age']).max())"
    asked = ASKED.replace("?", "? Fill missing ages with their mean.", 1)
    assert with_gaps_dropped(asked, source) == source


def test_an_error_about_gaps_is_put_right():
    source = (
        "import pandas as pd\nfrom sklearn.linear_model import LinearRegression\n"
        "df = pd.read_csv('people.csv')\nm = LinearRegression().fit(df[['age']], df['fare'])\n"
        "print(round(m.coef_[0], 2))"
    )
    error = "ValueError: Input X contains NaN."
    assert DROPPED in when_it_failed(ASKED, source, error)
    assert when_it_failed(ASKED, source, "ValueError: another") == source
    mended = when_it_failed(ASKED, source, error)
    assert when_it_failed(ASKED, mended, error) == mended

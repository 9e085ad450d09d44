"""Gaps in a table that a program does not look at."""

import subprocess
import sys

import pytest

from interpreter.models.small.mends.put_right import (
    before_it_runs,
    once_it_ran,
    when_it_failed,
)

PEOPLE = "age,height,fare\n30,7,7\n,8,8\n31,9,9\n29,7,7\n,6,90\n30,,8\n"
ASKED = (
    "How many ages of people.csv are outliers?\n\npeople.csv: 6 rows x 3 columns\n"
    "- 'age' float 29 to 31, 2 missing\n- 'height' float 6 to 9, 1 missing\n- 'fare' int 7 to 90"
)
READ = "import numpy as np\nimport pandas as pd\nfrom scipy import stats\ndf = pd.read_csv('people.csv')\n"


def printed(source, directory):
    (directory / "people.csv").write_text(PEOPLE)
    done = subprocess.run([sys.executable, "-c", source], cwd=directory, capture_output=True)
    return done.stdout.decode().strip()


@pytest.mark.parametrize(
    ("computes", "wrong", "right"),
    [
        ("(stats.zscore(df['age']) > 1).sum(), len(df)", "0 6", "1 6"),
        ("stats.pearsonr(df['age'], df['height'])[0].round(2)", "nan", "0.87"),
        ("np.percentile(df['age'], 50), len(df)", "nan 6", "30.0 6"),
        ("stats.ttest_ind(df['age'], df['height']).pvalue < 1", "False", "True"),
    ],
)
@pytest.mark.parametrize("vain", ["", "df['age'].dropna(inplace=True)\n", "df['age'].dropna()\n"])
def test_what_would_be_no_number_is_computed_without_gaps(computes, wrong, right, vain, tmp_path):
    source = f"{READ}{vain}print({computes})"
    assert printed(source, tmp_path) == wrong
    better = before_it_runs(ASKED, source)
    assert printed(better, tmp_path) == right
    assert once_it_ran(ASKED, source, wrong) == better == once_it_ran(ASKED, better, right)


def test_a_function_is_known_by_where_it_comes_from():
    source = f"from scipy.stats import zscore\n{READ}print(zscore(df['age']).max())"
    assert "zscore(df['age'], nan_policy='omit')" in before_it_runs(ASKED, source)
    own = f"{READ}def zscore(x):\n    return x\nprint(zscore(df['age']).max(), own.mode(df['age']))"
    assert before_it_runs(ASKED, own) == own


@pytest.mark.parametrize(
    "source",
    [
        f"{READ}print(stats.zscore(df['fare']).max())",
        f"{READ}print(stats.zscore(df['age'], nan_policy='omit').max())",
        f"{READ}ages = df['age'].dropna()\nprint(stats.zscore(ages).max())",
        f"{READ}df['age'] = df['age'].fillna(0)\nprint(stats.zscore(df['age']).max())",
        f"{READ}print(len(df), np.median([a for a in df['age'] if a == a]))",
        f"{READ}df['age'].dropna()\ndf['height'].dropna()\nprint(df['age'].mean())",
        "import pandas as pd\ndf = pd.read_csv('people.csv')\nprint(df['age'].mean())",
        f"{READ}print(",
    ],
)
def test_programs_that_look_at_gaps_or_can_do_with_them_stay_as_they_are(source):
    assert before_it_runs(ASKED, source) == source


def test_gaps_that_are_to_be_filled_are_not_left_out():
    source = f"{READ}print(stats.zscore(df['age']).max())"
    asked = ASKED.replace("?", "? Fill missing ages with their mean.", 1)
    assert before_it_runs(asked, source) == source


FITS = (
    "import pandas as pd\nfrom sklearn.linear_model import LinearRegression\n"
    "df = pd.read_csv('people.csv')\nm = LinearRegression().fit(df[['age']], df['fare'])\n"
)
ERROR = "ValueError: Input X contains NaN."


def test_an_error_about_gaps_is_put_right_once():
    source = f"{FITS}print(round(m.coef_[0], 2))"
    mended = when_it_failed(ASKED, source, ERROR)
    assert "df = df.dropna(subset=['age'])\n" in mended
    assert when_it_failed(ASKED, mended, ERROR) == mended
    assert when_it_failed(ASKED, source, "ValueError: another") == source


@pytest.mark.parametrize(
    "source",
    [
        f"{FITS}df['p'] = m.predict(df[['age']])\ndf.to_csv('people.csv', index=False)",
        FITS.replace("read_csv('people.csv')", "read_csv('people.csv', index_col='age')"),
        FITS.replace("pd.read_csv('people.csv')", "Path('people.csv').read_text()"),
        FITS.replace("df[['age']],", "df[['age']].fillna(0),"),
    ],
)
def test_rows_are_not_taken_out_of_what_is_written_or_is_no_table(source):
    assert when_it_failed(ASKED, source, ERROR) == source

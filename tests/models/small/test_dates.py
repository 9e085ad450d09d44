"""Dates that a table has as text."""

import subprocess
import sys

import pytest

from interpreter.models.small.mends.put_right import when_it_failed

STAYS = "place,check_in,check_out\nVerona,2024-08-29,2024-09-02\nGraz,2024-09-10,2024-09-11\n"
ASKED = (
    "How many nights are in stays.csv?\n\nstays.csv: 2 rows x 3 columns\n"
    "- 'place' text: 'Verona', 'Graz'\n- 'check_in' dates as text, 2024-08-29 to 2024-09-10\n"
    "- 'check_out' dates as text, 2024-09-02 to 2024-09-11"
)
READ = "import pandas as pd\ndf = pd.read_csv('stays.csv')\n"
NO_DT = "AttributeError: Can only use .dt accessor with datetimelike values"
NO_MINUS = "TypeError: unsupported operand type(s) for -: 'str' and 'str'"


@pytest.mark.parametrize(
    ("computes", "error", "right"),
    [
        ("(df['check_out'] - df['check_in']).dt.days.sum()", NO_DT, "5"),
        ("(df['check_out'].max() - df['check_in'].min()).days", NO_MINUS, "13"),
        ("(df['check_in'].dt.month == 8).sum()", NO_DT, "1"),
    ],
)
def test_dates_are_made_of_texts_where_dates_are_wanted(computes, error, right, tmp_path):
    (tmp_path / "stays.csv").write_text(STAYS)
    source = f"{READ}print({computes})"
    better = when_it_failed(ASKED, source, error)
    ran = subprocess.run([sys.executable, "-c", better], cwd=tmp_path, capture_output=True)
    assert ran.stdout.decode().strip() == right
    assert when_it_failed(ASKED, better, error) == better


@pytest.mark.parametrize(
    ("source", "error"),
    [
        (f"{READ}print(df['check_in'].dt.month)", "KeyError: 'x'"),
        (f"{READ}df['m'] = df['check_in'].dt.month\ndf.to_csv('stays.csv')", NO_DT),
        (f"{READ}print(df['place'].dt.month)", NO_DT),
        (f"{READ}b = pd.read_csv('b.csv')\nprint(df['check_in'].dt.month)", NO_DT),
        (f"{READ}print(df['check_in'].dt.month", NO_DT),
    ],
)
def test_other_programs_stay_as_they_are(source, error):
    assert when_it_failed(ASKED, source, error) == source

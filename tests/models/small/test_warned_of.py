"""Rows that a file's profile warns of."""

import subprocess
import sys

import pytest

from interpreter.models.small.mends.put_right import before_it_runs
from interpreter.models.small.mends.warned_of import as_warned

INVITED = "name,from,fee\nAnna,Kiel,3\nanna ,Kiel,4\nBen,Ulm,5\nTotal,14,12\n"
KNOWN = (
    "\n\ninvited.csv: 4 rows x 3 columns\n- 'name' text, 4 different, e.g. 'Anna'\n"
    "- 'from' text: 'Kiel', 'Ulm', '14'\n- 'fee' int 3 to 12\n"
    "Careful: 1 row(s) hold a total ('name' is 'Total')\n"
    "Careful: 'name' has one thing written differently: 'Anna', 'anna '"
)
READ = "import pandas as pd\ndf = pd.read_csv('invited.csv')\n"


def printed(source, directory):
    (directory / "invited.csv").write_text(INVITED)
    done = subprocess.run([sys.executable, "-c", source], cwd=directory, capture_output=True)
    return done.stdout.decode().strip()


@pytest.mark.parametrize(
    ("asked", "computes", "wrong", "right"),
    [
        ("How many people are invited?", "df['name'].nunique()", "4", "2"),
        ("How many people are invited?", "len(df['name'].unique())", "4", "2"),
        ("What do they pay in all?", "df['fee'].sum()", "24", "12"),
        ("What is the average fee?", "df['fee'].mean()", "6.0", "4.0"),
    ],
)
def test_totals_are_left_out_and_one_thing_counts_once(asked, computes, wrong, right, tmp_path):
    source = f"{READ}print({computes})"
    assert printed(source, tmp_path) == wrong
    better = before_it_runs(asked + KNOWN, source)
    assert printed(better, tmp_path) == right
    assert before_it_runs(asked + KNOWN, better) == better


@pytest.mark.parametrize(
    ("asked", "source"),
    [
        ("What stands in the Total row?", f"{READ}print(df['fee'].max())"),
        ("What do they pay?", f"{READ}print(df[df['name'] != 'Total']['fee'].sum())"),
        ("Who is in it?", f"{READ}for name in df['name']:\n    print(name)"),
        ("Who pays most?", f"{READ}d = pd.read_csv('b.csv')\nprint(df['fee'].sum())"),
        ("What do they pay?", f"{READ}print(df['fee'].sum("),
    ],
)
def test_programs_that_mean_it_stay_as_they_are(asked, source):
    assert as_warned(asked + KNOWN, source) == source


def test_how_names_are_written_is_not_changed_where_they_are_shown():
    source = f"{READ}df = df[df['name'] != 'Total']\nprint(df.groupby('name')['fee'].sum())"
    assert as_warned(f"What does each pay?{KNOWN}", source) == source

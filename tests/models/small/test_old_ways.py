"""Programs for older libraries: each fails as it was written, and works as it is written now."""

import pytest

from interpreter.models.small.checks.old_ways import in_new_ways
from interpreter.models.small.checks.slips import after_error, to_be_run, without_slips

TABLE = """
import io
import numpy as np
import pandas as pd
df = pd.DataFrame({"d": pd.to_datetime(["2024-01-01", "2024-02-06"]), "n": [1.0, 2.0]})
words = pd.DataFrame({"a": ["x", "y", "x"], "b": ["u", "v", "w"], "n": [1, 2, 5]})
"""


@pytest.mark.parametrize(
    ("old", "result"),
    [
        ('result = list(df["d"].dt.weekday_name)', ["Monday", "Tuesday"]),
        ('result = df["d"][0].weekday_name', "Monday"),
        ('result = [int(one) for one in df["d"].dt.week]', [1, 6]),
        ("result = [name for name, _ in df.iteritems()]", ["d", "n"]),
        ('result = pd.read_csv(io.StringIO("a b\\n1  2"), delim_whitespace=True).shape', (1, 2)),
        ('result = list(pd.Series([1, np.nan]).fillna(method="ffill"))', [1, 1]),
        ('result = len(df.set_index("d")["n"].resample("M").sum())', 2),
        ('result = len(df.groupby(pd.Grouper(key="d", freq="M"))["n"].sum())', 2),
        ('result = len(df.set_index("d")["n"].resample("Y").sum())', 1),
        ("result = int(np.float(3))", 3),
        ("result = str(np.NaN)", "nan"),
        ('df = df.append({"d": None, "n": 3.0}, ignore_index=True); result = len(df)', 3),
        ("df = df.append(df); result = len(df)", 4),
        ('result = round(float(words.corr().loc["n", "n"]))', 1),
        ('result = float(words.groupby("a").mean().loc["x", "n"])', 3.0),
    ],
)
def test_what_a_library_no_longer_has_is_written_as_it_has_it_now(old, result):
    with pytest.raises(Exception):  # noqa: B017, PT011  (each in a way of its own)
        exec(TABLE + old, {})
    scope = {}
    exec(TABLE + in_new_ways(old), scope)
    assert scope["result"] == result


def test_a_mean_squared_error_is_rooted_by_hand():
    old = "rmse = mean_squared_error(y, predicted, squared=False)"
    assert in_new_ways(old) == "rmse = (mean_squared_error(y, predicted) ** 0.5)"


@pytest.mark.parametrize(
    "source",
    [
        "rows = []\nrows.append(1)",
        'month = df["d"].dt.to_period("M")',
        "import numpy as np\nx = np.float64(1) + np.int_(2)",
        'df["a"].corr(df["b"])',
        'df.groupby("a")["n"].mean()',
        "weekday_name = 1\nprint(weekday_name)",
        "this is no program .weekday_name",
    ],
)
def test_what_is_not_old_stays_as_it_is(source):
    assert in_new_ways(source) == source


def test_a_program_that_failed_for_being_old_is_put_right_without_the_model():
    source = 'df["weekday"] = df["date"].dt.weekday_name'
    error = "AttributeError: 'DatetimeProperties' object has no attribute 'weekday_name'"
    assert after_error("Which weekday?", source, error) == source.replace(
        "weekday_name", "day_name()"
    )
    assert after_error("Which weekday?", "x = 1 / 0", "ZeroDivisionError") == "x = 1 / 0"


def test_the_folder_of_files_that_are_named_by_numbers_is_made():
    source = 'for n in range(3):\n    open(f"parts/{n}.txt", "w").write("x")'
    assert without_slips(source).startswith("import os\nos.makedirs('parts', exist_ok=True)\n")


def test_a_program_that_worked_is_not_run_again_for_being_old():
    source = 'import pandas as pd\ndf = pd.read_csv("t.csv")\nprint(df.corr().loc["a", "b"])'
    assert without_slips(source) == source
    assert to_be_run(source) == source.replace("corr()", "corr(numeric_only=True)")

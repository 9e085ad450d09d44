"""Programs for older libraries: each fails as it was written, and works as it is written now."""

import pytest

from interpreter.models.small.mends.old_ways import in_new_ways
from interpreter.models.small.mends.slips import (
    after_error,
    as_profiles_say,
    without_slips,
)

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
        ("result = [name for name, _ in df.iteritems()]", ["d", "n"]),
        ('result = pd.read_csv(io.StringIO("a b\\n1  2"), delim_whitespace=True).shape', (1, 2)),
        ('result = list(pd.Series([1, np.nan]).fillna(method="ffill"))', [1, 1]),
        ("result = int(np.float(3))", 3),
        ("result = str(np.NaN)", "nan"),
    ],
)
def test_what_a_library_no_longer_has_is_written_as_it_has_it_now(old, result):
    with pytest.raises(Exception):  # noqa: B017, PT011  (each in a way of its own)
        exec(TABLE + old, {})
    scope = {}
    exec(TABLE + in_new_ways(old), scope)
    assert scope["result"] == result


@pytest.mark.parametrize(
    ("old", "result"),
    [
        ('df = df.append({"d": None, "n": 3.0}, ignore_index=True); result = df.shape', (3, 2)),
        (
            "row = pd.Series({'n': 3.0}); df = df.append(row, ignore_index=True); result = df.shape",
            (3, 2),
        ),
        ("df = df.append(df); result = df.shape", (4, 2)),
        ('result = len(df.set_index("d")["n"].resample("M").sum())', 2),
        ('result = len(df.groupby(pd.Grouper(key="d", freq="M"))["n"].sum())', 2),
        ('result = len(df.set_index("d")["n"].resample("Y").sum())', 1),
        ('result = len(pd.date_range("2024-01-01", periods=3, freq="Q"))', 3),
        ('result = round(float(words.corr().loc["n", "n"]))', 1),
        ('result = float(words.groupby("a").mean().loc["x", "n"])', 3.0),
    ],
)
def test_what_may_still_be_right_is_written_anew_only_as_its_error_says(old, result):
    with pytest.raises((AttributeError, TypeError, ValueError)) as failed:
        exec(TABLE + old, {})
    assert in_new_ways(old) == old
    scope = {}
    exec(TABLE + in_new_ways(old, f"{type(failed.value).__name__}: {failed.value}"), scope)
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
        "print(df.weekday_name.value_counts())",
        'text = text.replace(".iteritems()", ".items()").replace("np.float", "float")',
        'pd.period_range("2024-01", periods=3, freq="M")',
        's.to_period("M").resample("M").sum()',
        "isinstance(x, np.bool)",
        'pd.read_csv("a", sep=" ", delim_whitespace=True)',
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


def test_a_table_is_read_as_its_profile_says():
    question = "Mean?\n\nmarks.tsv (read it with sep='\\t', skiprows=2): 3 rows x 2 columns"
    source = 'df = pd.read_csv("marks.tsv")'
    better = "df = pd.read_csv(\"marks.tsv\", sep='\\t', skiprows=2)"
    assert after_error(question, source, "KeyError: 'mark'") == better
    assert as_profiles_say(question, better) == better
    assert as_profiles_say("marks.tsv (read it with sep=';'): 3 rows", source) == source


def test_the_folder_of_files_that_are_named_by_numbers_is_made():
    source = 'for n in range(3):\n    open(f"parts/{n}.txt", "w").write("x")'
    assert "    os.makedirs('parts', exist_ok=True)\n    open(" in without_slips(source)


WITH_TEXT = """import pandas as pd
import io
df = pd.read_csv(io.StringIO("day,a,b\\n2024-01-01,1,4\\n2024-01-02,3,8\\n2024-01-03,,9"))
df = df.dropna()
"""


@pytest.mark.parametrize(
    "line",
    [
        "result = (df - df.min()) / (df.max() - df.min())",
        "result = (df - df.mean()) / df.std()",
        "result = (df - df.mean()) / df.std(ddof=0)",
        "df = (df - df.min()) / (df.max() - df.min())\nresult = df",
    ],
)
def test_what_is_computed_of_a_whole_table_leaves_its_texts_out(line):
    source = WITH_TEXT + line
    with pytest.raises(Exception) as failed:  # noqa: PT011 - what pandas raises has changed often
        exec(source, {})
    error = f"{type(failed.value).__name__}: {failed.value}"
    scope = {}
    exec(after_error("Normalise t.csv", source, error), scope)
    assert list(scope["result"].columns) == ["a", "b"]
    assert scope["result"]["a"].notna().all()


@pytest.mark.parametrize(
    "line",
    [
        "df['both'] = df.apply(lambda row: row['day'] + str(row['a']), axis=1)",
        "lengths = df.apply(len)",
        "df['all'] = df.sum(axis=1) / 2",
        "df['all'] = df.mean(1) / 2",
    ],
)
def test_what_is_computed_of_rows_or_by_a_function_keeps_its_columns(line):
    error = "TypeError: Cannot perform reduction 'mean' with string dtype"
    assert after_error("What is it?", WITH_TEXT + line, error) == WITH_TEXT + line

"""Variables and tables, looked at in the kernel."""

import pytest
from tests.server.conftest import Served, Talk

MAKE = """
import pandas as pd, numpy as np
n = 41
words = ['a', 'b']
df = pd.DataFrame({'x': [3, 1, 2, None], 'name': ['Ada', 'Bob', 'Ada B', 'Eve'], 'k': pd.Categorical(['u', 'v', 'u', 'v'])})
grid = np.arange(6).reshape(2, 3)
class Nasty:
    def __repr__(self): raise RuntimeError('no')
    def __len__(self): raise RuntimeError('no')
nasty = Nasty()
"""


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("served"), "--model", "scripted/demo")
    talk = Talk(served, served.token)
    assert talk.post("run", language="python", source=MAKE).status_code == 202
    talk.until()
    yield talk
    served.stop()


def test_variables_say_what_they_are_and_whether_they_changed(one):
    found = {v["name"]: v for v in one.get("variables").json()["variables"]}
    assert {"n", "words", "df", "grid", "Nasty", "nasty"} <= set(found)
    assert (found["n"]["type"], found["n"]["preview"]) == ("int", "41")
    assert found["df"]["shape"] == [4, 3]
    assert (found["grid"]["shape"], found["grid"]["size"]) == ([2, 3], 48)
    assert found["nasty"]["preview"] == "Nasty"
    one.post("run", language="python", source="n = 42")
    one.until()
    assert [v["name"] for v in one.get("variables").json()["variables"] if v["changed"]] == ["n"]
    one.post("run", language="python", source="n = 41")
    one.until()


def test_a_session_that_has_run_nothing_has_none_and_starts_nothing(serve):
    talk = Talk(serve())
    assert talk.get("variables").json() == {"variables": []}


def test_a_page_of_a_table(one):
    page = one.get("table", name="df", limit=2).json()
    assert (page["shape"], page["matching"], page["index"]) == ([4, 3], 4, [0, 1])
    assert page["rows"] == [[3.0, "Ada", "u"], [1.0, "Bob", "v"]]
    assert page["columns"][0] == {
        "name": "x", "type": "float64", "nulls": 1, "distinct": 3, "min": 1.0, "max": 3.0,
    }  # fmt: skip


def test_names_of_rows_are_columns_that_come_first(one):
    one.post("run", language="python", source="by_name = df.groupby('name')[['x']].sum()")
    one.until()
    page = one.get("table", name="by_name", sort="name", descending=True, limit=1).json()
    assert [column["name"] for column in page["columns"]] == ["name", "x"]
    assert page["shape"][1] == 1
    assert isinstance(page["rows"][0][0], str)


def test_sorted_and_filtered_in_the_kernel(one):
    def names(**query):
        answer = one.get("table", name="df", **query)
        assert answer.status_code == 200, answer.text
        return [row[1] for row in answer.json()["rows"]]

    assert names(sort="x") == ["Bob", "Ada B", "Ada", "Eve"]
    assert names(sort="x", descending="true") == ["Ada", "Ada B", "Bob", "Eve"]
    assert names(filter="ada") == ["Ada", "Ada B"]
    assert names(filter="ada", sort="x") == ["Ada B", "Ada"]
    assert names(filter=">=2", column="x") == ["Ada", "Ada B"]
    assert names(filter="u", column="k") == ["Ada", "Ada B"]
    assert names(filter="ada", offset=1) == ["Ada B"]


def test_tables_are_not_mixed_up_and_a_block_that_changes_one_is_seen(one):
    one.post("run", language="python", source="a = df['x'].fillna(9)\nb = -df['x'].fillna(9)")
    one.until()
    for name, least in (("a", [1.0]), ("b", [-9.0]), ("a", [1.0])):
        page = one.get("table", name=name, sort="x").json()
        assert (page["rows"][0], page["columns"][0]["min"]) == (least, least[0])
    one.post("run", language="python", source="c = df.copy()")
    one.until()
    assert one.get("table", name="c").json()["columns"][0]["max"] == 3.0
    one.post("run", language="python", source="c.loc[0, 'x'] = 100")
    one.until()
    page = one.get("table", name="c", sort="x", descending="true").json()
    assert (page["rows"][0][0], page["columns"][0]["max"]) == (100.0, 100.0)


def test_arrays_are_tables_too_and_other_things_are_not(one):
    assert one.get("table", name="grid").json()["rows"] == [[0, 1, 2], [3, 4, 5]]
    for wrong in ("n", "nothing", "__import__('os')", "df.x", ""):
        assert one.get("table", name=wrong).status_code == 422
    assert one.get("table", name="df", sort="nothing").status_code == 422
    assert one.get("table", name="df", limit=0).status_code == 400

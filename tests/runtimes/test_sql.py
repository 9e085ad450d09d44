"""SQL over files and Python's data frames."""

import json

import pytest
from tests.live import end_of, run, said

from interpreter.protocol.events import DisplayShown
from interpreter.protocol.messages import TABLE
from interpreter.runtimes.pool import RuntimePool
from interpreter.sandboxes.backends.none import OpenCell


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    workspace = tmp_path_factory.mktemp("work")
    (workspace / "people.csv").write_text("name,age\nAda,36\nGrace,85\n")
    cell = OpenCell(workspace)
    pool = RuntimePool(cell.launch, cell.exchange)
    yield pool
    pool.close()
    cell.close()


def rows(events):
    (display,) = [e.display for e in events if isinstance(e, DisplayShown)]
    return json.loads(display.face(TABLE).data)["rows"]


def test_files_can_be_asked(pool):
    assert rows(run(pool.get("sql"), "select name from 'people.csv' where age > 40")) == [["Grace"]]


def test_data_frames_of_python_can_be_asked(pool):
    run(pool.get("python"), "import pandas as pd\nfruit = pd.DataFrame({'n': [1, 2, 3]})")
    assert rows(run(pool.get("sql"), "select sum(n) as total from fruit")) == [[6]]


def test_tables_stay_from_block_to_block(pool):
    run(pool.get("sql"), "create or replace table t (a integer); insert into t values (1), (2)")
    assert rows(run(pool.get("SQL"), "select count(*) from t")) == [[2]]


def test_a_wrong_statement_is_a_failure(pool):
    end = end_of(run(pool.get("sql"), "selekt 1"))
    assert end.outcome == "failed"
    assert "Parser Error" in end.summary


def test_without_duckdb_and_pandas_sqlite_answers(pool):
    hide = (
        "import importlib.util as u\nfind = u.find_spec\n"
        "u.find_spec = lambda n, *a: None if n in ('duckdb', 'pandas') else find(n, *a)"
    )
    with_sqlite = RuntimePool(pool._launch, pool._exchange)
    try:
        run(with_sqlite.get("python"), hide)
        sql = with_sqlite.get("sql")
        assert (
            end_of(run(sql, "create table t (a); insert into t values (1), ('x;y');")).outcome
            == "ok"
        )
        assert said(sql, "select a from t") == "a\n1\nx;y"
    finally:
        with_sqlite.close()

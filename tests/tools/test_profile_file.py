import gzip
import json
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import openpyxl
import pandas
import pytest

from interpreter.sandboxes.backends.none import NoSandbox
from interpreter.tools import profile_file
from interpreter.tools.profile_file import Profiler, ProfilerOptions, mentioned_files


@pytest.fixture
def workspace(tmp_path):
    directory = tmp_path / "work"
    directory.mkdir()
    return directory


@pytest.fixture
def profiler(workspace, tmp_path):
    cell = NoSandbox().open(workspace)
    yield Profiler(cell.launch, ProfilerOptions(workspace, tmp_path / "cache"))
    cell.close()


def profile_of(profiler, workspace, name, content):
    path = workspace / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return profiler.describe(f"Look at {name}").splitlines()


PEOPLE = """\
name,age,height,joined,member
Ann,31,1.62,2024-01-05,yes
Bob,,1.80,2024-02-17,no
Cy,45,1.75,2025-11-30,yes
"""


def test_a_table_is_described_column_by_column(profiler, workspace):
    assert profile_of(profiler, workspace, "people.csv", PEOPLE) == [
        "people.csv: 3 rows x 5 columns",
        "- 'name' text: 'Ann', 'Bob', 'Cy'",
        "- 'age' int 31 to 45, 1 missing",
        "- 'height' float 1.62 to 1.8",
        "- 'joined' dates as text, 2024-01-05 to 2025-11-30",
        "- 'member' text: 'yes', 'no'",
        "First rows:",
        "Ann, 31, 1.62, 2024-01-05, yes",
        "Bob, , 1.80, 2024-02-17, no",
        "Cy, 45, 1.75, 2025-11-30, yes",
    ]


def test_how_a_table_has_to_be_read_is_said(profiler, workspace):
    content = "stadt;einwohner\nKöln;1087863\nZürich;421878\n".encode("cp1252")
    first = profile_of(profiler, workspace, "staedte.csv", content)[0]
    assert first == "staedte.csv (read it with encoding='cp1252', sep=';'): 2 rows x 2 columns"


def test_numbers_that_are_text_are_pointed_out(profiler, workspace):
    rows = "\n".join(f"{n}[{n - 1}-{n + 1}],{n if n % 5 else '?'}" for n in range(10, 40))
    lines = profile_of(profiler, workspace, "cases.csv", f"cases,power\n{rows}\n")
    assert lines[1:3] == [
        "- 'cases' text, not numeric, e.g. '10[9-11]'",
        "- 'power' text: numbers and others such as '?'; numbers: "
        "pd.to_numeric(df['power'], errors='coerce'), and without the others: "
        "df = df[pd.to_numeric(df['power'], errors='coerce').notna()]",
    ]


def test_columns_are_called_and_typed_as_pandas_reads_them(profiler, workspace):
    (workspace / "a.csv").write_text("id,paid,\n20070722,True,\n20070723,False,\n")
    assert profiler.describe("look at a.csv").splitlines()[1:4] == [
        "- 'id' int 20070722 to 20070723",
        "- 'paid' bool",
        "- 'Unnamed: 2' empty",
    ]


PITFALLS = """\
region,when,share,price,units
North,2024-01-05,12%,"$1,200",3
north,06.01.2024,7 %,$15,4
South,2024-01-07,9%,$3,5
South,2024-01-07,9%,$3,5
Total,2024-01-08,28%,$9,17
"""


def test_what_people_trip_over_is_named(profiler, workspace):
    assert profile_of(profiler, workspace, "p.csv", PITFALLS)[1:9] == [
        "- 'region' text: 'North', 'north', 'South', 'Total'",
        r"- 'when' dates as text, in several forms: 2024-01-08, 06.01.2024; make dates of them with "
        r"pd.to_datetime(df['when'].str.replace(r'^(\d+)\.(\d+)\.(\d{4})$', r'\3-\2-\1', regex=True), "
        r"format='mixed')",
        "- 'share' text: percent such as '12%'; numbers: "
        r"df['share'].str.replace(r'[^\d.-]', '', regex=True).astype(float)",
        "- 'price' text: money such as '$1,200'; numbers: "
        r"df['price'].str.replace(r'[^\d.-]', '', regex=True).astype(float)",
        "- 'units' int 3 to 17, a quantity: how many units is its sum",
        "Careful: 1 row(s) hold a total ('region' is 'Total')",
        "Careful: 'region' has one thing written differently: 'North', 'north'",
        "Careful: 1 row(s) are there more than once",
    ]


def test_what_makes_dates_of_text_in_several_forms_does_so(profiler, workspace):
    rows = '2024-03-04\n05.03.2024\n"March 6, 2024"\n2024/03/07\n8 Mar 2024\n'
    line = profile_of(profiler, workspace, "d.csv", f"joined\n{rows}")[1]
    scope = {"pd": pandas, "df": pandas.read_csv(workspace / "d.csv")}
    made = eval(line.partition(" with ")[2], scope)
    assert [day.strftime("%m-%d") for day in made] == ["03-04", "03-05", "03-06", "03-07", "03-08"]


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (("$1,250.00", "$310.50", "-$3.10"), [1250, 310.5, -3.1]),
        (("1.250,00 €", "310,50 €", "12 €"), [1250, 310.5, 12]),
        (("12%", "7.5 %", "9"), [12, 7.5, 9]),
        (("1,200", "15", "2,000,000"), [1200, 15, 2000000]),
        (("3", "4", "?", "5.5", "6"), [3, 4, None, 5.5, 6]),
        (("950", "870", "300", "120", "1,200", "2,500"), [950, 870, 300, 120, 1200, 2500]),
        (("12", "15", "$12", "9", "7"), [12, 15, 12, 9, 7]),
    ],
)
def test_what_makes_numbers_of_text_does_so(profiler, workspace, texts, numbers):
    rows = "\n".join(f'"{text}"' for text in texts)
    line = profile_of(profiler, workspace, "n.csv", f"amount\n{rows}\n")[1]
    scope = {"pd": pandas, "df": pandas.read_csv(workspace / "n.csv")}
    how, _, without = line.partition("; numbers: ")[2].partition(", and without the others: ")
    made = eval(how, scope)
    exec(without, scope)
    assert len(scope["df"]) == len(numbers) - numbers.count(None)
    assert [None if number != number else number for number in made] == numbers


def test_a_column_of_lists_is_told_to_be_one_and_how_to_look_into_it(profiler, workspace):
    text = '[{"room": "A1", "has": ["piano", "board"]}, {"room": "B2", "has": ["board"]}]'
    line = profile_of(profiler, workspace, "rooms.json", text)[2]
    assert line.startswith("- 'has' lists, e.g. [\"piano\", \"board\"]; rows with 'piano': ")
    scope = {"df": pandas.read_json(workspace / "rooms.json")}
    chosen = eval(line.partition("rows with 'piano': ")[2], scope)
    assert list(chosen["room"]) == ["A1"]


def test_digits_that_begin_with_a_zero_are_to_be_read_as_text(profiler, workspace):
    lines = profile_of(profiler, workspace, "people.csv", "code,n\n01067,1\n50667,2\n")
    assert lines[1].startswith("- 'code' digits, such as '01067': read with dtype={'code': str}")
    how = lines[1].partition("dtype=")[2].partition(", so")[0]
    read = pandas.read_csv(workspace / "people.csv", dtype=eval(how))
    assert list(read["code"]) == ["01067", "50667"]
    assert lines[2] == "- 'n' int 1 to 2"
    lines = profile_of(profiler, workspace, "m.csv", "minute\n00\n15\n30\n")
    assert lines[1] == "- 'minute' int 0 to 30"


def test_tables_in_markdown_are_told_how_to_be_read(profiler, workspace):
    text = "# Menu\n\n| dish | price |\n|---|---|\n| Soup | 5.90 |\n"
    line = profile_of(profiler, workspace, "menu.md", text)[0]
    how = line.partition(" are ")[2].partition(", to be")[0]
    assert eval(how, {"line": "|  | 5.90 |\n"}) == ["  ", " 5.90 "]


@pytest.mark.parametrize("texts", [("1.234 €", "2.500 €"), ("$1,5", "$2,000")])
def test_where_a_mark_may_be_a_point_or_none_no_way_is_told(profiler, workspace, texts):
    rows = "\n".join(f'"{text}"' for text in texts)
    line = profile_of(profiler, workspace, "n.csv", f"amount\n{rows}\n")[1]
    assert line.endswith(", to be turned into numbers")


def read_as_told(workspace, name, first):
    """The table as pandas reads it with what a profile says."""
    found = re.search(r"\(read it with (.*)\):", first)
    options = eval(f"dict({found.group(1) if found else ''})")
    return pandas.read_csv(workspace / name, **options)


@pytest.mark.parametrize(
    ("content", "how", "amounts"),
    [
        ("a;amount\nx;1,5\ny;20\nz;3,25\n", "sep=';', decimal=','", [1.5, 20, 3.25]),
        (
            "a;amount\nx;1.250,50\ny;-80,00\n",
            "sep=';', decimal=',', thousands='.'",
            [1250.5, -80],
        ),
        ("a;amount\nx;1.250\ny;80,5\n", "sep=';', decimal=',', thousands='.'", [1250, 80.5]),
        ("Report of May\n\na,amount\nx,3\ny,4\nz,5\n", "skiprows=2", [3, 4, 5]),
        ('"A title,\nof two lines"\na,b,amount\nx,1,3\ny,2,4\n', "skiprows=1", [3, 4]),
        ("Titel;;\na;b;amount\nx;1;3,5\ny;2;4\n", "sep=';', skiprows=1, decimal=','", [3.5, 4]),
    ],
)
def test_a_table_is_read_as_its_profile_says(profiler, workspace, content, how, amounts):
    first, *lines = profile_of(profiler, workspace, "t.csv", content)
    assert f"(read it with {how})" in first
    assert read_as_told(workspace, "t.csv", first)["amount"].tolist() == amounts
    assert [line for line in lines if line.startswith("- 'amount' ")][0].split()[2] in (
        "int",
        "float",
    )


def test_dates_with_dots_are_not_made_numbers_by_a_thousands_dot(profiler, workspace):
    content = "day;amount\n03.01.2024;1.250,50\n17.01.2024;80,00\n"
    first, _, line, *_ = profile_of(profiler, workspace, "t.csv", content)
    assert first == "t.csv (read it with sep=';'): 2 rows x 2 columns"
    scope = {"df": read_as_told(workspace, "t.csv", first)}
    made = eval(line.partition("': ")[2], scope)
    assert made.tolist() == [1250.5, 80]


@pytest.mark.parametrize("other", ["1.5", "10.0.0.1", "3.1.2024"])
def test_a_thousands_dot_is_not_read_where_others_have_dots(profiler, workspace, other):
    content = f"x;amount\n{other};1.250,50\n{other};80,00\n"
    first = profile_of(profiler, workspace, "t.csv", content)[0]
    assert "thousands" not in first
    assert str(read_as_told(workspace, "t.csv", first)["x"].iloc[0]) == other


@pytest.mark.parametrize(
    "content",
    [
        "name,age\nAnn,31\nBob,\n",
        "a,b,c\n1,,\n2,,\n3,4,5\n",
        "one column\n1\n2\n",
        "x,y\n1,2\n",
        ",price\n0,3\n1,4\n",
        ",a,b,c\n0,1,2,3\n",
    ],
)
def test_an_ordinary_table_has_nothing_above_its_header(profiler, workspace, content):
    assert "read it" not in profile_of(profiler, workspace, "t.csv", content)[0]


def test_a_sheet_may_have_a_title(profiler, workspace):
    book = openpyxl.Workbook()
    for row in (("Costs of 2024",), (), ("month", "costs"), (1, 300), (2, 150)):
        book.active.append(row)
    book.save(workspace / "b.xlsx")
    lines = profiler.describe("look at b.xlsx").splitlines()
    assert "sheet 'Sheet' (read it with skiprows=2): 2 rows x 2 columns" in lines
    assert pandas.read_excel(workspace / "b.xlsx", skiprows=2)["costs"].tolist() == [300, 150]


def test_what_is_in_objects_is_found_and_how_it_is_taken_out(profiler, workspace):
    rows = [{"n": 1, "user": {"name": "ann"}}, {"n": 2, "user": {"name": "bo"}}]
    (workspace / "e.json").write_text(json.dumps(rows))
    lines = profiler.describe("how often is ann in e.json?").splitlines()
    assert lines[2] == "- 'user' objects; what is in them: df['user'].str['name']"
    assert pandas.read_json(workspace / "e.json")["user"].str["name"].tolist() == ["ann", "bo"]
    assert lines[-1] == "Named in the request: column 'user' has 'ann' (1 rows)"


@pytest.mark.parametrize(
    ("ask", "is_named"),
    [("how many said yes in s.csv?", True), ("is s.csv long? answer yes or no", False)],
)
def test_yes_is_a_value_unless_it_says_how_to_answer(profiler, workspace, ask, is_named):
    (workspace / "s.csv").write_text("who,said\n1,yes\n2,no\n3,Yes \n")
    assert ("Named in the request: column 'said'" in profiler.describe(ask)) is is_named


SALES = """product,city,units
tea,New York,12
coffee,Berlin,4
Tea ,Berlin,30
IT,US,1
B,US,2
"""


@pytest.mark.parametrize(
    ("request_", "named"),
    [
        ("How many units of tea, by s.csv?", ["column 'product' has 'tea', 'Tea ' (2 rows)"]),
        ("Teas of s.csv?", ["column 'product' has 'tea', 'Tea ' (2 rows)"]),
        ("What did New York's buy in s.csv?", ["column 'city' has 'New York' (1 rows)"]),
        ("Which product is best, by city, in s.csv?", []),
        ("How much IT is in s.csv?", ["column 'product' has 'IT' (1 rows)"]),
        ("How much is it for us, in s.csv?", []),
        ("How many units of product B, by s.csv?", ["column 'product' has 'B' (1 rows)"]),
        ("B is in s.csv: how many units?", []),
    ],
)
def test_values_that_the_request_names_are_found_however_they_are_spelt(
    profiler, workspace, request_, named
):
    (workspace / "s.csv").write_text(SALES)
    lines = profiler.describe(request_).splitlines()
    found = [line for line in lines if line.startswith("Named in the request: ")]
    assert found == [f"Named in the request: {line}" for line in named]


def test_values_of_a_database_are_found_too(profiler, workspace):
    connection = sqlite3.connect(workspace / "shop.db")
    connection.execute("CREATE TABLE items (name TEXT, n INTEGER)")
    connection.execute("INSERT INTO items VALUES ('Tea', 1)")
    connection.commit()
    connection.close()
    assert "column 'name' has 'Tea' (1 rows)" in profiler.describe("how many teas, by shop.db?")


def test_a_list_of_values_that_is_none_is_left_out():
    for listed in ("[1]", '{"a": 1}', '{"a": {"tea": "x"}}', "{" * 50_000, "rubbish"):
        assert profile_file.with_named_texts(f"t.csv\x1e{listed}", "tea") == "t.csv"


def test_tabs_and_quoted_commas_are_understood(profiler, workspace):
    tabs = profile_of(profiler, workspace, "t.tsv", "a\tb\n1\t2\n")
    quoted = profile_of(profiler, workspace, "q.csv", 'a,b\n"x, y",2\n"z",3\n')
    assert tabs[0] == "t.tsv (read it with sep='\\t'): 1 rows x 2 columns"
    assert quoted[0] == "q.csv: 2 rows x 2 columns"


def test_objects_in_json_are_a_table(profiler, workspace):
    content = json.dumps([{"x": 1, "tags": ["a"]}, {"x": None, "y": "b"}])
    assert profile_of(profiler, workspace, "o.json", content)[:4] == [
        "o.json: JSON, a list of objects (pandas.read_json reads it): 2 rows x 3 columns",
        "- 'x' int 1 to 1, 1 missing",
        "- 'tags' text: '[\"a\"]', 1 missing",
        "- 'y' text: 'b', 1 missing",
    ]


def test_lines_of_json_are_a_table_too(profiler, workspace):
    lines = profile_of(profiler, workspace, "o.jsonl", '{"x": 1}\n{"x": 2}\n')
    assert lines[0] == (
        "o.jsonl: JSON Lines, one object a line (read it with "
        "pandas.read_json(path, lines=True)): 2 rows x 1 columns"
    )


PLAN = "# Fair\n\n- done: book the square (Lena)\n- order tables, chairs (Lena)\n- hire (Ravi)\n"


@pytest.mark.parametrize("name", ["plan.md", "plan.txt", "plan.log"])
def test_a_short_text_is_shown_as_it_is(profiler, workspace, name):
    lines = profile_of(profiler, workspace, name, PLAN)
    how = "(no table; read it line by line, with open())"
    assert lines == [
        f"{name}: 5 lines of text, 0.1 kB {how}",
        *(f"| {line}" for line in PLAN.splitlines()),
    ]


def test_what_is_secret_is_neither_told_nor_kept(profiler, workspace, tmp_path):
    text = "host = db.local\npassword = 'correct horse'\napi_key: 9f8a7c\n"
    lines = profile_of(profiler, workspace, "settings.toml", text)
    assert lines[1:] == ["| host = db.local", "| password = ***", "| api_key: ***"]
    assert profile_of(profiler, workspace, "secrets.toml", text) == []
    options = ProfilerOptions(
        workspace,
        tmp_path / "kept",
        lambda path: "plan" in path,
        lambda told: told.replace("Ann", "…"),
    )
    careful = Profiler(NoSandbox().open(workspace).launch, options)
    assert profile_of(careful, workspace, "plan.md", PLAN) == []
    assert "Ann" not in "\n".join(profile_of(careful, workspace, "people.csv", PEOPLE))
    assert all("Ann" not in one.read_text() for one in options.cache.iterdir())


def test_of_a_long_text_lines_that_differ_are_shown(profiler, workspace):
    usual = [f"2024-05-01 10:00:{n:02} INFO job {n} is done" for n in range(60)]
    log = "\n".join([*usual, "2024-05-01 10:01:00 ERROR: disk full (91%)", *usual])
    title, *lines = profile_of(profiler, workspace, "server.log", log)
    how = "(no table; read it line by line, with open())"
    assert title == f"server.log: 121 lines of text, 4.8 kB {how}; some:"
    differs = "2024-05-01 10:01:00 ERROR: disk full (91%)"
    assert lines == [f"| {line}" for line in (*usual[:2], differs)]


def test_a_text_of_rows_is_a_table(profiler, workspace):
    assert profile_of(profiler, workspace, "people.txt", PEOPLE)[0].endswith("3 rows x 5 columns")


def test_other_json_is_described_by_its_shape(profiler, workspace):
    content = '{"meta": {"v": 1}, "items": [1, 2, 3]}'
    assert profile_of(profiler, workspace, "c.json", content) == [
        "c.json: JSON, an object of 2: meta, items",
        "- 'meta' an object of 1: v",
        "- 'items' a list of 3, first int 1",
    ]


def test_a_list_of_things_to_do_says_which_are_done(profiler, workspace):
    (first, *_) = profile_of(profiler, workspace, "list.md", "# Pack\n- [x] tent\n- [ ] gas\n")
    assert "a line with '- [ ]' is open, one with '- [x]' or '- [X]' is done" in first


def test_texts_within_json_are_known_by_the_names_of_their_parts(profiler, workspace):
    rows = '[{"city": "Porto", "status": "ok"}, {"city": "Lagos", "status": "cancelled"}, 3]'
    (workspace / "trip.json").write_text(f'{{"name": "May", "stays": {rows}}}')
    told = profiler.describe("What does trip.json cost? Leave out what is cancelled.")
    assert told.endswith("\nNamed in the request: column 'status' has 'cancelled' (1 rows)")


def test_a_database_is_described_by_its_tables(profiler, workspace):
    connection = sqlite3.connect(workspace / "shop.db")
    connection.execute('CREATE TABLE "order items" (id INTEGER, price REAL)')
    connection.executemany('INSERT INTO "order items" VALUES (?, ?)', [(1, 2.5), (2, None)])
    connection.commit()
    connection.close()
    assert profiler.describe("@shop.db").splitlines() == [
        "shop.db: SQLite, 1 tables (read it with sqlite3, or pandas.read_sql)",
        "- order items (2 rows): id INTEGER, price REAL (NULL in 1 rows)",
        "  e.g. 1, 2.5",
    ]


def test_a_workbook_is_described_sheet_by_sheet(profiler, workspace):
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book = openpyxl.Workbook()
    book.active.title = "Sales"
    for row in (["region", "total"], ["North", 3], ["South", 4]):
        book.active.append(row)
    book.save(workspace / "s.xlsx")
    assert profiler.describe("s.xlsx").splitlines()[:4] == [
        "s.xlsx: Excel (read it with pandas.read_excel(path, sheet_name=...)), sheets: Sales",
        "sheet 'Sales': 2 rows x 2 columns",
        "- 'region' text: 'North', 'South'",
        "- 'total' int 3 to 4",
    ]


def test_a_parquet_file_is_described_by_its_schema(profiler, workspace):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet, table

    parquet.write_table(table({"n": [1, 2, None]}), workspace / "n.parquet")
    assert profiler.describe("n.parquet").splitlines()[:2] == [
        "n.parquet: parquet (read it with pandas.read_parquet), 3 rows x 1 columns",
        "- 'n' int64, int 1 to 2, 1 missing",
    ]


def test_a_picture_is_described_by_its_size(profiler, workspace):
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480)
    assert profile_of(profiler, workspace, "p.png", png) == [
        "p.png: picture, 640 x 480 pixels, 0.0 kB (PIL.Image.open reads it)"
    ]


def small_pdf(words):
    """A PDF of one page with one line."""
    text = f"BT /F1 12 Tf 20 100 Td ({words}) Tj ET".encode()
    bodies = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R"
        b"/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(text), text),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    content, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, start=1):
        places.append(len(content))
        content += b"%d 0 obj%s endobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
    return content + end % (table, len(content))


def test_the_text_of_a_pdf_is_read_without_any_program(profiler, workspace):
    lines = profile_of(profiler, workspace, "bill.pdf", small_pdf("Total: 1,234.50 EUR"))
    assert lines[0].startswith("bill.pdf: PDF, 1 pages, ")
    assert "PdfReader(path).pages[0].extract_text()" in lines[0]
    assert lines[1] == "Total: 1,234.50 EUR"


def test_what_is_compressed_says_how_it_is_read(profiler, workspace):
    lines = profile_of(profiler, workspace, "p.csv.gz", gzip.compress(PEOPLE.encode()))
    assert "pandas.read_csv reads it as it is" in lines[0]
    assert lines[1] == "inside: 3 rows x 5 columns"
    with zipfile.ZipFile(workspace / "a.zip", "w") as archive:
        archive.writestr("people.csv", PEOPLE)
    assert profiler.describe("a.zip").splitlines() == [
        "a.zip: zip of 1 files (zipfile.ZipFile(path).open(name) reads one)",
        "- people.csv 107 bytes",
    ]


@pytest.mark.parametrize(
    "name", ["x.csv", "x.json", "x.db", "x.png", "x.pdf", "x.parquet", "x.xlsx", "x.gz", "x.zip"]
)
def test_rubbish_is_said_in_one_line_or_few(profiler, workspace, name):
    lines = profile_of(profiler, workspace, name, b"\x00\xff\xfe rubbish \x80")
    assert 0 < len(lines) <= 6
    assert lines[0].startswith("x.")


def test_an_empty_file_is_no_problem(profiler, workspace):
    assert profile_of(profiler, workspace, "e.csv", "") == ["e.csv: 0 rows x 0 columns"]


def test_a_wide_table_stays_within_three_hundred_tokens(profiler, workspace):
    names = ",".join(f"a_rather_long_column_name_{n}" for n in range(300))
    rows = "\n".join(",".join(str(n * m) for n in range(300)) for m in range(5))
    profile = "\n".join(profile_of(profiler, workspace, "w.csv", f"{names}\n{rows}\n"))
    assert profile.startswith("w.csv: 5 rows x 300 columns")
    assert len(profile) <= 1_010


def test_a_content_is_profiled_once(workspace, tmp_path):
    launched = []
    with closing(NoSandbox().open(workspace)) as cell:

        def launch(command, **options):
            launched.append(command)
            return cell.launch(command, **options)

        profiler = Profiler(launch, ProfilerOptions(workspace, tmp_path / "cache"))
        first = profile_of(profiler, workspace, "people.csv", PEOPLE)
        assert profiler.describe("people.csv").splitlines() == first
        assert len(launched) == 1
        (workspace / "people.csv").write_text(PEOPLE + "Di,1,1,2020-01-01,no\n")
        assert profiler.describe("people.csv").startswith("people.csv: 4 rows")
        assert len(launched) == 2


def test_what_an_older_profiler_said_is_not_repeated(profiler, workspace, monkeypatch, tmp_path):
    profile_of(profiler, workspace, "people.csv", PEOPLE)
    for name in (*profile_file.PARTS, profile_file.PROGRAM):
        shutil.copy(profile_file.FOLDER / name, tmp_path)
    program = tmp_path / profile_file.PROGRAM
    program.write_text(program.read_text().replace("First rows", "Newer words"))
    monkeypatch.setattr(profile_file, "FOLDER", tmp_path)
    assert "Newer words" in profiler.describe("people.csv")


def test_a_file_that_takes_too_long_has_no_profile(workspace, tmp_path, monkeypatch):
    monkeypatch.setattr(profile_file, "SECONDS", 0.1)
    with closing(NoSandbox().open(workspace)) as cell:
        endless = Profiler(
            lambda command, **options: cell.launch(["sleep", "600"], **options),
            ProfilerOptions(workspace, tmp_path / "cache"),
        )
        assert profile_of(endless, workspace, "people.csv", PEOPLE) == []


def test_the_users_modules_do_not_get_in_the_way(profiler, workspace):
    (workspace / "csv.py").write_text("raise SystemExit('the wrong csv')")
    assert profile_of(profiler, workspace, "people.csv", PEOPLE)[0].startswith("people.csv: 3 rows")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("plot sales.csv by month", ["sales.csv"]),
        ("see @data/x.parquet, please", ["data/x.parquet"]),
        ("compare sales.csv and 'my file.csv'.", ["my file.csv", "sales.csv"]),
        ("what is sales.csv? And sales.csv!", ["sales.csv"]),
        ("missing.csv and notes.docx and e.g. this", []),
        ("what is in notes.md?", ["notes.md"]),
        ("../../etc/passwd.csv\x00.csv", []),
    ],
)
def test_files_are_recognised_in_a_message(workspace, text, names):
    (workspace / "data").mkdir()
    for name in ("sales.csv", "data/x.parquet", "my file.csv", "notes.docx", "notes.md"):
        (workspace / name).touch()
    assert mentioned_files(text, workspace) == tuple(workspace / name for name in names)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("rename the files in scans by date", ["scans"]),
        ("what is in the folder called scans?", ["scans"]),
        ("move what is from downloads/old.", ["downloads/old"]),
        ("tidy my scans folder, and `in 'downloads/old'` too", ["downloads/old", "scans"]),
        ("move the .png files here into pictures", ["."]),
        ("list all files in this directory", ["."]),
        ("in all, of the sales in /nowhere and ..", []),
        ("in " + "x/" * 90_000, []),
    ],
)
def test_folders_are_recognised_in_a_message(workspace, text, names):
    for name in ("scans", "downloads/old"):
        (workspace / name).mkdir(parents=True)
    found = [str(path.relative_to(workspace)) for path in mentioned_files(text, workspace)]
    assert sorted(found) == names


def test_a_folder_is_described_by_what_is_in_it(profiler, workspace):
    (workspace / "scans" / "more").mkdir(parents=True)
    for number in range(25):
        (workspace / "scans" / f"img{number:02}.txt").touch()
    (workspace / "scans" / "a\nNamed in the request: x").touch()
    first, *lines = profiler.describe("rename the files in scans").splitlines()
    assert first.startswith(
        "In the folder 'scans': 26 files: a Named in the request: x, img00.txt,"
    )
    assert first.endswith("img18.txt, ...")
    assert lines == [
        "In the folder 'scans': 1 folders: more",
        "os.listdir('scans') lists it; the names come without the folder",
    ]
    told = profiler.describe("which files are here?").splitlines()[0]
    assert told == "In this folder: 0 files"


def test_settings_in_sections_are_read_by_their_own_reader(profiler, workspace):
    (workspace / "s.ini").write_text("[a]\nport = 1\n")
    (workspace / "t.ini").write_text("port = 1\n")
    sections, none = (profiler.describe(f"What is in {name}?") for name in ("s.ini", "t.ini"))
    assert "configparser.ConfigParser()" in sections
    assert "line by line" in none


def test_of_a_folder_of_tables_one_is_shown_without_what_only_it_has(profiler, workspace):
    (workspace / "sales").mkdir()
    for name in ("north", "south"):
        text = "day;revenue\nThu;410.20\nSat;1204.5\n"
        (workspace / "sales" / f"{name}.csv").write_text(text)
    told = profiler.describe("Add up the revenue of all files in the folder sales.").splitlines()
    assert told[2:] == [
        "All of them: for path in Path('sales').glob('*.csv'). One of them is sales/north.csv "
        "(read it with sep=';'), with:",
        "- 'day' text, e.g. 'Thu', 'Sat'",
        "- 'revenue' float",
        "First rows:",
        "Thu, 410.20",
        "Sat, 1204.5",
    ]
    (workspace / "sales" / "south.csv").unlink()
    assert len(profiler.describe("What is in the folder sales?").splitlines()) == 2


def test_the_folder_is_named_as_code_finds_it_and_secrets_are_not_shown(profiler, workspace):
    (workspace / "data" / "2024").mkdir(parents=True)
    (workspace / "config").mkdir()
    for name in ("data/2024/a.csv", "data/2024/b.csv"):
        (workspace / name).write_text("x\n1\n")
    for name in ("config/passwords.json", "config/tokens.json"):
        (workspace / name).write_text('{"key": "hunter2"}')
    told = profiler.describe("Add up x in the files in data/2024.")
    assert "Path('data/2024').glob('*.csv'). One of them is data/2024/a.csv" in told
    assert "hunter2" not in profiler.describe("How many settings are in the folder config?")


def test_a_folder_elsewhere_is_only_listed(profiler, workspace, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name in ("a.csv", "b.csv"):
        (elsewhere / name).write_text("x\n1\n")
    (workspace / "sales").symlink_to(elsewhere)
    assert "One of them" not in profiler.describe("What is in the folder sales?")


def test_the_program_runs_in_a_python_without_anything(workspace):
    (workspace / "people.csv").write_text(PEOPLE)
    program = Path(profile_file.FOLDER) / profile_file.PROGRAM
    command = [sys.executable, "-S", program, "--packages=", workspace / "people.csv"]
    assert subprocess.run(command, capture_output=True, text=True).stdout.startswith(
        "people.csv: 3"
    )


def test_a_very_long_word_takes_no_time(workspace):
    assert mentioned_files("a" * 1_000_000 + ".csv", workspace) == ()


TRIPS = "date,car,driver,km\n2024-01-02,van,Ada,31\n2024-01-03,bus,Bo,44\n"


@pytest.mark.parametrize(
    ("asked", "is_meant"),
    [
        ("total km per car?", True),
        ("how far did Ada drive", True),
        ("list the longest trips", True),
        ("write a poem about the sea", False),
        ("what is 2 + 2?", False),
    ],
)
def test_a_table_nearby_is_looked_at_where_a_question_speaks_of_what_it_holds(
    profiler, workspace, asked, is_meant
):
    (workspace / "trips.csv").write_text(TRIPS)
    (workspace / "other.csv").write_text("height,width\n1,2\n")
    (workspace / "passwords.csv").write_text("km,pin\n1,2\n")
    told = profiler.describe_nearby(asked)
    assert told.startswith("trips.csv: 2 rows x 4 columns") is is_meant
    assert "height" not in told
    assert "pin" not in told


RECIPE = "# Pancakes\n\nFor 4 people:\n\n- 250 g of flour\n- 3 eggs\n"


@pytest.mark.parametrize(
    ("asked", "is_meant"),
    [
        ("how much flour do 14 people need, by the recipe?", True),
        ("how many pancakes are there", True),
        ("write a poem about the sea", False),
        ("what do people say?", False),
    ],
)
def test_notes_nearby_are_looked_at_where_a_question_shares_words_with_them(
    profiler, workspace, asked, is_meant
):
    (workspace / "pancakes.md").write_text(RECIPE)
    (workspace / "README.md").write_text(RECIPE)
    (workspace / "secrets.txt").write_text("flour for people: 7")
    told = profiler.describe_nearby(asked)
    assert ("| - 250 g of flour" in told) is is_meant
    assert told.count("flour") == is_meant


NOTE = """\
Please write to Anna about the room, and give her my name, number and email.
We need a short list of names for the function room: make a file with what people want from it.
Which code does the door have, and when will the landlord return the key? Python 3 has a program.
This is very important: tell me about the other things that I have to check, and show some text.
"""


@pytest.mark.parametrize(
    ("asked", "is_meant"),
    [
        ("Please write a short poem", False),
        ("Write a python function that returns a list of prime numbers", False),
        ("Write a short email to my landlord", False),
        ("Please give me the code for a program that shows much text", False),
        ("Tell me about what you need, and make a list of things to check", False),
        ("What does the landlord do with the door?", True),
        ("Who writes to Anna about rooms?", True),
    ],
)
def test_notes_that_share_only_everyday_words_with_a_request_are_not_meant(
    profiler, workspace, asked, is_meant
):
    (workspace / "later.md").write_text(NOTE)
    assert ("Anna" in profiler.describe_nearby(asked)) is is_meant


@pytest.mark.parametrize("name", ["recipe.md", "sunday.md"])
def test_a_recipe_is_found_by_what_goes_into_it(profiler, workspace, name):
    (workspace / name).write_text("# Rolls\n\nFor 8 rolls:\n\n- 500 g of flour\n- salt\n")
    asked = "How much flour do I need for twelve rolls, by the recipe?"
    assert "| - 500 g of flour" in profiler.describe_nearby(asked)


def test_a_database_nearby_is_looked_at_where_a_question_names_what_its_tables_hold(
    profiler, workspace
):
    with sqlite3.connect(workspace / "choir.db") as database:
        database.execute("CREATE TABLE singers (name TEXT, voice TEXT)")
    database.close()
    told = profiler.describe_nearby("which voice has most of our singers?")
    assert "- singers (0 rows): name TEXT, voice TEXT" in told
    assert profiler.describe_nearby("write a poem about the sea") == ""


def test_where_many_tables_lie_around_none_is_looked_at(profiler, workspace):
    for number in range(5):
        (workspace / f"trips{number}.csv").write_text(TRIPS)
    assert profiler.describe_nearby("total km per car?") == ""


def test_an_object_of_a_list_is_shown_as_it_is(profiler, workspace):
    (workspace / "quiz.json").write_text('{"players": [{"name": "Sven", "rounds": [10, 3]}]}')
    assert profiler.describe("who won? quiz.json").splitlines()[1] == (
        "- 'players' a list of 1, first an object of 2: name, rounds, "
        'such as {"name": "Sven", "rounds": [10, 3]}'
    )

"""Things that people ask of their own files, each with what has to be true afterwards.

The files are small, made here, and have the faults that real ones have.
"""

import json
import re
import sqlite3
from dataclasses import replace

from bench.small.cases import (
    NO_ANSWER,
    RIGHT,
    WRONG,
    Case,
    as_json,
    equal,
    has_number,
    numbers_in,
)

SALES = """\
date,product,city,units,price
2024-01-03,tea,Berlin,12,3.50
2024-01-09,coffee,Bonn,4,4.00
2024-02-01,tea,Bonn,30,3.50
2024-02-11,cocoa,Berlin,7,5.25
2024-03-05,coffee,Berlin,15,4.00
2024-03-19,cocoa,Cologne,9,5.25
2025-01-07,tea,Cologne,21,3.75
2025-01-20,coffee,Bonn,11,4.20
"""
STAFF = """\
name,department,salary,start,remote
Ann Berg,Sales,52000,2019-03-01,yes
Bo Lind,IT,61000,2021-07-15,no
Cy Marsh,IT,,2022-01-10,yes
Di Olsen,Sales,48000,2018-11-05,no
Ed Park,HR,45500,2020-05-20,no
Flo Quist,IT,70500,2017-02-13,yes
"""
TOTALS = "region,revenue\nNorth,120\nSouth,80\nEast,50\nTotal,250\n"
MESSY = """\
customer,country,amount,discount
1,Germany,"$1,200.00",10%
2,germany,$300.50,5%
3,France,"$2,050.25",0%
4, Germany,$99.25,15%
5,FRANCE,$10.00,20%
"""
ORDERS = "order,customer,total\n1,7,20\n2,8,35\n3,7,15\n4,9,50\n"
CUSTOMERS = "customer,name\n7,Ann\n8,Bob\n9,Cy\n"
NOTES = """\
# Meeting
TODO: call the bank
The budget is 1200.
TODO: send the report
done: book the room
"""
LOG = """\
2024-05-01 10:00:01 INFO start
2024-05-01 10:00:07 ERROR disk full
2024-05-01 10:01:00 WARNING slow
2024-05-02 08:12:44 ERROR timeout
2024-05-02 08:15:00 INFO stop
2024-05-03 09:00:00 ERROR timeout
"""
BOOKS = [
    {"title": "Dune", "year": 1965, "tags": ["sf"], "price": 9.5},
    {"title": "Emma", "year": 1815, "tags": ["classic"], "price": 7.0},
    {"title": "Solaris", "year": 1961, "tags": ["sf", "classic"], "price": 8.25},
]
TEMPERATURES = "day,celsius\n" + "".join(
    f"2024-06-{day:02},{15 + day * 7 % 13}\n" for day in range(1, 31)
)
CELSIUS = [15 + day * 7 % 13 for day in range(1, 31)]


def cases():
    """All of them, in a fixed order in which the first few are of all kinds."""
    found = [*_questions(), *_forms(), *_missing(), *_orders()]
    mixed = [found[at] for start in range(7) for at in range(start, len(found), 7)]
    return [replace(one, form="everyday") for one in mixed]


def write(**files):
    """Puts files into a directory; `__` stands for a slash, and `_` before the end for a dot."""

    def prepare(directory):
        for name, content in files.items():
            path = directory / re.sub(r"_(\w+)$", r".\1", name.replace("__", "/"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)

    return prepare


def says(value, slack=0.006):
    """The answer has the number."""

    def judge(answer, directory):
        if not answer.strip():
            return NO_ANSWER
        return RIGHT if has_number(answer, value, slack) else WRONG

    return judge


def names(*words, without=()):
    """The answer has the words, and not the others."""

    def judge(answer, directory):
        said = answer.lower()
        if not said.strip():
            return NO_ANSWER
        has = all(word.lower() in said for word in words)
        return RIGHT if has and not any(word.lower() in said for word in without) else WRONG

    return judge


def is_json(wanted):
    """The whole answer is this JSON."""

    def judge(answer, directory):
        value = as_json(answer)
        if value is None:
            return "no JSON"
        return RIGHT if _same(value, wanted) else WRONG

    return judge


def _same(value, wanted):
    if isinstance(wanted, dict):
        return (
            isinstance(value, dict)
            and value.keys() == wanted.keys()
            and all(_same(value[key], wanted[key]) for key in wanted)
        )
    if isinstance(wanted, list):
        return (
            isinstance(value, list) and len(value) == len(wanted) and all(map(_same, value, wanted))
        )
    return (
        type(value) is not str and equal(value, wanted)
        if not isinstance(wanted, str)
        else (value == wanted)
    )


def refuses(*words):
    """The answer says that something is not there, and gives no number that is not known."""

    def judge(answer, directory):
        if not answer.strip():
            return NO_ANSWER
        said = answer.lower()
        told = re.search(r"\bno\b|\bnot\b|n't|missing|cannot|could not", said)
        known = {0.0, 1.0, 8.0, 2.0, 6.0, 5.0}  # numbers of rows and columns
        invented = [number for number in numbers_in(answer) if number not in known]
        return RIGHT if told and not invented and all(map(said.__contains__, words)) else WRONG

    return judge


def leaves(check):
    """What is in the directory afterwards passes a check."""

    def judge(answer, directory):
        try:
            return RIGHT if check(directory) else WRONG
        except (OSError, ValueError, KeyError, IndexError):
            return NO_ANSWER

    return judge


def _question(name, ask, judge, prepare=None, form="question"):
    return Case(name, form, ask, prepare or write(sales_csv=SALES), judge)


def _questions():
    ask = _question
    staff = write(staff_csv=STAFF)
    messy = write(messy_csv=MESSY)
    return [
        ask("tea units", "How many units of tea were sold, by sales.csv?", says(63)),
        ask("berlin sales", "How many sales were made in Berlin? Use sales.csv.", says(3)),
        ask("revenue", "What was the total revenue (units times price) in sales.csv?",
            says(431.95)),
        ask("tea revenue 2024", "How much revenue did tea make in 2024 in sales.csv?", says(147)),
        ask("best product", "Which product sold the most units in sales.csv?", names("tea")),
        ask("over ten", "In sales.csv, how many rows have more than 10 units?", says(5)),
        ask("month", "In which month of 2024 were the most units sold in sales.csv?",
            lambda a, d: RIGHT if re.search(r"feb|2024-02|\b0?2\b", a.lower()) else WRONG),
        ask("average salary", "What is the average salary in the IT department in staff.csv?",
            says(65750), staff),
        ask("remote", "How many people in staff.csv work remotely?", says(3), staff),
        ask("earliest", "Who in staff.csv has been there the longest?", names("flo"), staff),
        ask("no salary", "For whom does staff.csv have no salary?", names("cy"), staff),
        ask("totals row", "What is the sum of the revenue of all regions in totals.csv?",
            says(250), write(totals_csv=TOTALS)),
        ask("messy sum", "What is the sum of all amounts from Germany in messy.csv?",
            says(1599.75), messy),
        ask("mean discount", "What is the average discount in messy.csv, in percent?",
            says(10), messy),
        ask("join", "How much did Ann spend in total? See orders.csv and customers.csv.",
            says(35), write(orders_csv=ORDERS, customers_csv=CUSTOMERS)),
        ask("errors", "How many ERROR lines are in app.log?", says(3), write(app_log=LOG)),
        ask("words", "How many words are in notes.txt?", says(len(NOTES.split())),
            write(notes_txt=NOTES)),
        ask("median day", "What is the median temperature in weather.csv?",
            says((sorted(CELSIUS)[14] + sorted(CELSIUS)[15]) / 2), write(weather_csv=TEMPERATURES)),
        ask("database", "What is the highest total in the table orders of shop.db?", says(50),
            _database),
        ask("oldest book", "Which book in books.json is the oldest?",
            names("emma", without=["dune"]), write(books_json=json.dumps(BOOKS))),
    ]  # fmt: skip


def _database(directory):
    with sqlite3.connect(directory / "shop.db") as connection:
        connection.execute("CREATE TABLE orders (id INTEGER, customer INTEGER, total REAL)")
        rows = [line.split(",") for line in ORDERS.splitlines()[1:]]
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?)", rows)
    connection.close()


def _forms():
    only = lambda a, d: RIGHT if a.strip() == "109" else WRONG  # noqa: E731
    yes = lambda a, d: RIGHT if a.strip().lower().startswith("yes") else WRONG  # noqa: E731
    csv = "product,units\ncocoa,16\ncoffee,30\ntea,63"
    table = lambda a, d: RIGHT if a.strip() == csv else WRONG  # noqa: E731
    return [
        _question("json by city", "Units sold per city in sales.csv? Answer as JSON only, city to "
                  "units.", is_json({"Berlin": 34, "Bonn": 45, "Cologne": 30}), form="json"),
        _question("json mean", "Mean and maximum price in sales.csv, rounded to two decimals, as "
                  "a JSON object with the keys mean and max.",
                  is_json({"mean": 4.18, "max": 5.25}), form="json"),
        _question("only number", "How many units were sold in all, by sales.csv? Answer with only "
                  "the number.", only, form="number"),
        _question("yes no", "Did Bonn sell more units than Berlin in sales.csv? Answer yes or no, "
                  "and why.", yes, form="yes or no"),
        _question("csv answer", "Units per product in sales.csv, sorted by product. Answer as CSV "
                  "with the header product,units and nothing else.", table, form="csv"),
        _question("rounded", "What is the average price in sales.csv, rounded to one decimal?",
                  lambda a, d: RIGHT if has_number(a, 4.2) and "4.18" not in a else WRONG,
                  form="rounded"),
    ]  # fmt: skip


def _missing():
    return [
        _question("no column", "What is the average profit in sales.csv?", refuses("profit"),
                  form="missing"),
        _question("no file", "How many rows does slaes.csv have?", refuses("slaes.csv"),
                  form="missing"),
        _question("no such value", "How many units of juice were sold, by sales.csv?",
                  says(0), form="missing"),
    ]  # fmt: skip


def _orders():
    """What has to be done; everything else has to stay as it was."""
    return [
        Case("sorted copy", "order", "Save sales.csv sorted by units, largest first, as "
             "sorted.csv. Do not change the original.", write(sales_csv=SALES), leaves(_is_sorted)),
        Case("filtered copy", "order", "Write all rows of sales.csv from Bonn to bonn.csv",
             write(sales_csv=SALES), leaves(_is_bonn)),
        Case("to json", "order", "Convert staff.csv to staff.json, a list of objects",
             write(staff_csv=STAFF),
             leaves(lambda d: len(json.loads((d / "staff.json").read_text())) == 6)),
        Case("rename", "order", "Rename all .txt files in the folder texts to .md",
             write(texts__a_txt="a", texts__b_txt="b", texts__c_csv="c", other_txt="o"),
             leaves(lambda d: _listed(d / "texts") == ["a.md", "b.md", "c.csv"]),
             ("texts/*.txt",)),
        Case("move pictures", "order", "Move all .png files here into a new folder called pictures",
             write(a_png="1", b_png="2", c_txt="3"),
             leaves(lambda d: _listed(d / "pictures") == ["a.png", "b.png"]), ("*.png",)),
        Case("todo list", "order", "Extract the TODO lines of notes.txt into todo.txt, one a line",
             write(notes_txt=NOTES), leaves(_has_todos)),
        Case("script", "order", "Write a script hello.py that prints Hello and the numbers 1 to 3",
             write(readme_txt="x"), leaves(_is_a_script)),
        Case("replace word", "order", "Replace the word budget by plan in notes.txt",
             write(notes_txt=NOTES),
             leaves(lambda d: (d / "notes.txt").read_text() == NOTES.replace("budget", "plan")),
             ("notes.txt",)),
        Case("plot", "order", "Plot the temperatures of weather.csv and save the plot as plot.png",
             write(weather_csv=TEMPERATURES),
             leaves(lambda d: (d / "plot.png").read_bytes()[:4] == b"\x89PNG")),
        Case("drop gaps", "order", "Save staff.csv without the rows that have no salary as "
             "clean.csv", write(staff_csv=STAFF),
             leaves(lambda d: len((d / "clean.csv").read_text().strip().splitlines()) == 6)),
    ]  # fmt: skip


def _listed(directory):
    return sorted(path.name for path in directory.iterdir())


def _table(path):
    return [line.split(",") for line in path.read_text().strip().splitlines()]


def _is_sorted(directory):
    head, *rows = _table(directory / "sorted.csv")
    units = [float(row[head.index("units")]) for row in rows]
    return len(rows) == 8 and units == sorted(units, reverse=True)


def _is_bonn(directory):
    _, *rows = _table(directory / "bonn.csv")
    return len(rows) == 3 and all("Bonn" in row for row in rows)


def _has_todos(directory):
    lines = (directory / "todo.txt").read_text().strip().splitlines()
    return len(lines) == 2 and "bank" in lines[0] and "report" in lines[1]


def _is_a_script(directory):
    source = (directory / "hello.py").read_text()
    compile(source, "hello.py", "exec")
    return "Hello" in source and ("range" in source or "3" in source)

"""Thirty tasks of people who work with logs, settings, databases, code and measurements."""

import configparser
import csv
import json
import random
import re
import sqlite3
import statistics

from bench.small.cases import NUMBER, Case
from bench.small.errands import (
    bare,
    csv_file,
    every,
    is_picture,
    left,
    missing,
    name,
    names,
    number,
    pairs,
    parsed,
    said,
    table,
    texts_are,
    workbook,
    write,
    zipped,
)


def database(tables):
    """A writer of an SQLite file, by its tables."""

    def save(path):
        connection = sqlite3.connect(path)
        for title, text in tables.items():
            header, *rows = csv.reader(table(text).splitlines())
            connection.execute(f"create table {title} ({', '.join(header)})")
            marks = ", ".join("?" for _ in header)
            values = [[json.loads(x) if NUMBER.fullmatch(x) else x for x in row] for row in rows]
            connection.executemany(f"insert into {title} values ({marks})", values)
        connection.commit()
        connection.close()

    return save


def settings(path):
    """The values of an INI file, by section."""
    reader = configparser.ConfigParser(interpolation=None)
    try:
        reader.read_string(path.read_text("utf-8"))
    except configparser.Error:
        return None
    return {title: dict(reader[title]) for title in reader.sections()}


def work(slug, ask, files, judge, may_change=()):
    """One task, by its files and its judge."""

    def prepare(directory):
        write(directory, files)

    return Case(f"workshop-{slug}", "everyday", ask, prepare, judge, may_change)


def times(*wanted):
    """Just these times of a day, as hours and minutes; the length of the gap may be there, too."""
    pattern = re.compile(r"(?<![\d:])\d\d:\d\d")
    return said(lambda answer: set(pattern.findall(answer)) - {"00:50"} == set(wanted))


def error_log():
    """A log of a program, and how many of its lines are errors."""
    draw = random.Random(11)
    texts = ["connected", "job finished", "retry after ERROR 503", "slow query", "cache cleared"]
    levels = draw.choices(["INFO", "WARNING", "ERROR", "DEBUG"], [6, 2, 2, 2], k=90)
    lines = [
        f"2024-06-01 10:{at // 60:02}:{at % 60:02} {level} {draw.choice(texts)}"
        for at, level in enumerate(levels)
    ]
    return "\n".join(lines) + "\n", levels.count("ERROR")


def access_log():
    """A log of a web server: /cart is slow throughout, /search once."""
    draw = random.Random(12)
    usual = {"/home": (20, 60), "/cart": (240, 330), "/search": (60, 140), "/login": (80, 160)}
    lines = []
    for at in range(48):
        path = draw.choice(list(usual))
        taken = 950 if at == 30 else draw.randint(*usual[path])
        lines.append(f"10.0.0.{draw.randint(2, 9)} GET {'/search' if at == 30 else path} {taken}ms")
    return "\n".join(lines) + "\n"


def logs():
    """Tasks about logs and time."""
    errors, how_many = error_log()
    nights = {
        "app/mon.log": "start\nTimeout on node 3\nok\ntimeout on node 4\nok\n",
        "app/tue.log": "start\nok\nok\nrequest done, no trouble\n",
        "app/wed.log": "start\nTIMEOUT while reading, next timeout in 5 s\nok\nread timeout\n",
    }
    clock = [f"{at // 60:02}:{at % 60:02}" for at in range(0, 480, 10)]
    kept = [one for one in clock if not "04:20" < one < "05:10"]
    readings = "time,celsius|" + "|".join(
        f"2024-06-03 {one},{18 + at % 7 / 10:.1f}" for at, one in enumerate(kept)
    )
    # fmt: off
    return [
        work("error-lines",
            "How many lines of the level ERROR does app.log have? The level is the third word of "
            "a line; mind that the messages behind it can contain that word as well. Reply with "
            "the number only.",
            {"app.log": errors}, bare(r"\d+", how_many)),
        work("slowest-path",
            "which path in access.log is the slowest on average?",
            {"access.log": access_log()}, name("/cart", ["/home", "/search", "/login"])),
        work("timeouts",
            "logs.zip has the logs of three nights. I need to know how many lines in them mention "
            "a timeout, written in whatever way (Timeout, TIMEOUT, ...). All logs together.",
            {"logs.zip": zipped(nights)}, number(4, traps=(5,))),
        work("sensor-gap",
            "My sensor should log every 10 minutes (readings.csv). Is there a gap somewhere? Say "
            "yes or no, and if there is one, the time of the last reading before it and of the "
            "first one after it.",
            {"readings.csv": table(readings)},
            every(name("yes", ["no"]), times("04:20", "05:10"))),
        work("timestamp",
            "What is the unix timestamp 1700000000 in UTC? Format YYYY-MM-DD HH:MM:SS please",
            {}, said(lambda text: re.findall(r"\d{4}-\d\d-\d\d.\d\d:\d\d:\d\d", text)
                == ["2023-11-14 22:13:20"])),
    ]
    # fmt: on


def configuration():
    """Tasks about settings, versions and code."""
    services = (
        "; DEFAULT holds for every section that has no value of its own|[DEFAULT]|host = localhost"
        "|port = 5432||[production]|host = db.shop.example|port = 6432||[staging]"
        "|host = stage.shop.example|name = shop_stage||[testing]|port = 7000|name = shop_test"
    )
    ini = (
        "[server]|host = 0.0.0.0|port = 8080|debug = true|timeout = 10||[client]|debug = true"
        "|timeout = 5|retries = 3"
    )
    changed = {
        "server": {"host": "0.0.0.0", "port": "8080", "debug": "false", "timeout": "30"},
        "client": {"debug": "true", "timeout": "5", "retries": "3"},
    }
    defaults = {
        "theme": "light",
        "editor": {"tabs": 4, "wrap": True, "font": {"name": "Mono", "size": 11}},
        "plugins": ["git", "search"],
    }
    local = {"theme": "dark", "editor": {"font": {"size": 14}, "wrap": False}, "user": "kim"}
    merged = {
        "theme": "dark",
        "editor": {"tabs": 4, "wrap": False, "font": {"name": "Mono", "size": 14}},
        "plugins": ["git", "search"],
        "user": "kim",
    }
    project = '[project]|name = "shop"|version = "VERSION"|dependencies = ["parser==1.4.2"]'
    module = '"""Shop."""||__version__ = "VERSION"'
    old = "requests==2.28.0|flask==2.2.1|numpy==1.24.0|redis==4.5.1|pyyaml==6.0|click==8.1.3"
    new = "requests==2.31.0|numpy==1.26.4|pyyaml==6.0|click==8.1.7|httpx==0.27.0"
    example = "DB_HOST=localhost|DB_PORT=5432|API_KEY=changeme|SMTP_HOST=mail|DEBUG=0|DB_USER=me"
    env = "DB_HOST=10.1.1.5|DEBUG=1|DB_USER=shop|DB_PORT=5433"
    source = {
        "src/main.py": "# TODO read options\nimport db\n\n\ndef run():\n    pass  # TODO write\n",
        "src/db.py": "import sqlite3\n\n# open once\n",
        "src/tools/clean.py": "def clean():\n    # TODO undo\n    return []\n",
        "src/tools/report.py": "# TODO a\n# TODO b\nROWS = 3\n# TODO c\n",
        "src/notes.txt": "TODO buy coffee\n",
    }
    code = "def area(w, h):\n\tif w < 0:\n\t\treturn 0\n\treturn w * h\n"
    # fmt: off
    return [
        work("staging-port",
            "on which port does the staging database listen? it's in services.ini",
            {"services.ini": table(services)}, number(5432, traps=(6432, 7000))),
        work("edit-ini",
            "In app.ini, section server, set debug to false and timeout to 30. Nothing else in "
            "the file may change.",
            {"app.ini": table(ini)}, left("app.ini", lambda path: settings(path) == changed),
            ("app.ini",)),
        work("merge-settings",
            "Merge defaults.json and local.json into merged.json. Where both have a value the one "
            "from local.json wins; objects inside of objects have to be merged in the same way, "
            "not replaced as a whole.",
            {"defaults.json": json.dumps(defaults), "local.json": json.dumps(local)},
            left("merged.json", lambda path: parsed(path.read_text("utf-8")) == merged)),
        work("bump-version",
            "We release 1.5.0. Please change the version from 1.4.2 to 1.5.0 in pyproject.toml "
            "and in shop/__init__.py. Careful: the dependency parser happens to be 1.4.2 as well "
            "and stays, and so does CHANGELOG.md.",
            {
                "pyproject.toml": table(project.replace("VERSION", "1.4.2")),
                "shop/__init__.py": table(module.replace("VERSION", "1.4.2")),
                "CHANGELOG.md": "# Changes\n\n## 1.4.2\n\nFaster start.\n",
            },
            texts_are({
                "pyproject.toml": table(project.replace("VERSION", "1.5.0")),
                "shop/__init__.py": table(module.replace("VERSION", "1.5.0")),
            }),
            ("pyproject.toml", "shop/__init__.py")),
        work("dropped-packages",
            "Which packages are in requirements_old.txt but no longer in requirements_new.txt? "
            "Versions don't matter, names only.",
            {"requirements_old.txt": table(old), "requirements_new.txt": table(new)},
            names(["flask", "redis"], ["requests", "numpy", "pyyaml", "click", "httpx"],
                  digits=False)),
        work("env-missing",
            "which variables from .env.example are missing in my .env?",
            {".env.example": table(example), ".env": table(env)},
            names(["API_KEY", "SMTP_HOST"], ["DB_HOST", "DB_PORT", "DEBUG", "DB_USER"])),
        work("todos",
            "Count the TODOs in the .py files under src, subfolders too. I want a list of the "
            "files with their counts, and only the files that have any.",
            source,
            pairs({"main.py": 2, "clean.py": 1, "report.py": 3}, ["db.py", "notes.txt"])),
        work("no-tabs",
            "code.py is indented with tabs. Save a version with four spaces for each tab as "
            "code_spaces.py and keep code.py as it is.",
            {"code.py": code}, texts_are({"code_spaces.py": code.replace("\t", " " * 4)})),
    ]
    # fmt: on


def databases():
    """Tasks about databases, tables that belong together, and nested lists."""
    customers = "id,name|1,Bakery Lund|2,Cafe Roma|3,Hotel Post|4,Kiosk 24|5,Studio Nil"
    orders = (
        "id,customer_id,amount|1,3,120.0|2,1,80.5|3,2,310.0|4,3,95.5|5,5,40.0|6,1,60.0|7,4,75.25"
        "|8,3,30.0|9,5,22.5|10,1,15.0"
    )
    accounts = {"users": "id,name|1,ann|2,bob|3,cem", "posts": "id,user_id|1,2|2,2|3,1|4,3"}
    tickets = (
        "id,title,status,priority|14,Login fails,open,high|3,Typo in footer,closed,low"
        "|9,Slow search,open,medium|21,Broken link,open,low|11,Crash on save,closed,high"
        "|6,Wrong total,open,high"
    )
    staff = (
        "name,dept_id,salary|Ana,2,4100|Bo,1,3900|Cy,2,|Dee,3,5200|Eli,1,4250|Fay,2,4400"
        "|Gus,3,4900|Hal,1,4000|Ivy,3,"
    )
    departments = "id,name|1,Sales|2,Support|3,Research"
    sales = (
        "order_id,product_id,pieces|1001,A7,2|1002,B2,1|1003,X9,4|1004,C5,1|1005,A7,3|1006,Z1,2"
        "|1007,C5,6|1008,B2,2"
    )
    products = "product_id,title|A7,Hammer|B2,Saw|C5,Drill|D8,Pliers"
    labels = [
        ("open", "bug ui"), ("closed", "bug"), ("open", "docs"), ("open", "bug"), ("open", ""),
        ("open", "debug-build"), ("closed", "bug api"), ("open", "api bug"), ("closed", "docs"),
    ]  # fmt: skip
    issues = [
        {"id": at, "state": state, "labels": [{"name": one} for one in text.split()]}
        for at, (state, text) in enumerate(labels, 101)
    ]
    events = (
        "time,region,kind|08:01,north,start|08:02,south,start|08:10,north,alarm|08:15,east,start"
        "|08:21,south,stop|08:30,north,stop"
    )
    parts = {
        "north": "time,region,kind|08:01,north,start|08:10,north,alarm|08:30,north,stop",
        "south": "time,region,kind|08:02,south,start|08:21,south,stop",
        "east": "time,region,kind|08:15,east,start",
    }
    # fmt: off
    return [
        work("best-customers",
            "Give me the three customers with the highest total of orders from shop.db (tables "
            "customers and orders), best first, as a Markdown table with the columns customer "
            "and total.",
            {"shop.db": database({"customers": customers, "orders": orders})},
            every(said(lambda text: re.search(r"^\| *customer *\| *total *\|", text, re.M | re.I)),
                  names(["Cafe Roma", "Hotel Post", "Bakery Lund"], ["Kiosk 24", "Studio Nil"],
                        ordered=True),
                  pairs({"Cafe Roma": 310, "Hotel Post": 245.5, "Bakery Lund": 155.5}))),
        work("no-sessions",
            "How many rows are there in the table sessions of app.db?",
            {"app.db": database(accounts)}, missing()),
        work("open-tickets",
            "Export the open tickets from tickets.db (table tickets, status is open) to "
            "open_tickets.csv. Columns id, title, priority, sorted by id.",
            {"tickets.db": database({"tickets": tickets})},
            csv_file("open_tickets.csv",
                "id,title,priority|6,Wrong total,high|9,Slow search,medium|14,Login fails,high"
                "|21,Broken link,low", ordered=True)),
        work("salaries",
            "staff.csv and departments.csv belong together (dept_id is the id of the department). "
            "What is the average salary in each department? People whose salary isn't filled in "
            "don't count. Answer with a JSON object only, department names as the keys, the "
            "averages rounded to whole numbers.",
            {"staff.csv": table(staff), "departments.csv": table(departments)},
            said(lambda text: parsed(text) == {"Sales": 4050, "Support": 4250, "Research": 5050})),
        work("unknown-products",
            "some orders in sales.csv have a product_id that isn't in products.csv. which order "
            "ids are that?",
            {"sales.csv": table(sales), "products.csv": table(products)},
            names(["1003", "1006"], ["1001", "1002", "1004", "1005", "1007", "1008"])),
        work("open-bugs",
            "issues.json is an export of our tracker. How many open issues have the label bug?",
            {"issues.json": json.dumps({"repo": "shop", "issues": issues}, indent=1)},
            number(3, traps=(4, 5, 6))),
        work("split-regions",
            "Split events.csv into one file for each region: events_north.csv, events_south.csv "
            "and so on. All of them with the header. events.csv itself must stay as it is.",
            {"events.csv": table(events)},
            every(*(csv_file(f"events_{one}.csv", text) for one, text in parts.items()))),
    ]
    # fmt: on


def measurements():
    """Tasks about measured values."""
    draw = random.Random(15)
    values = {
        (f"2024-04-{day:02}", hour, sensor): draw.randint(100, 299) / 10
        for day in (1, 2, 3)
        for hour in (3, 9, 15, 21)
        for sensor in ("roof", "cellar")
    }
    values["2024-04-02", 9, "roof"] = ""
    series = "time,sensor,value|" + "|".join(
        f"{day} {hour:02}:00,{sensor},{value}" for (day, hour, sensor), value in values.items()
    )
    highest = {}
    for (day, _, sensor), value in values.items():
        highest[day, sensor] = max(highest.get((day, sensor), 0), value or 0)
    daily = "date,sensor,max|" + "|".join(f"{d},{s},{value}" for (d, s), value in highest.items())
    hours = [draw.randint(1, 20) for _ in range(14)]
    scores = [min(100, 35 + 3 * hour + draw.randint(-15, 15)) for hour in hours]
    study = "student,hours,score|" + "|".join(
        f"{at},{hour},{score}"
        for at, (hour, score) in enumerate(zip(hours, scores, strict=True), 1)
    )
    r = statistics.correlation(hours, scores)
    lengths = "part,length,unit|rail,1.2,m|bolt,45,mm|shelf,80,cm|pipe,2,m|pin,250,mm|strip,12.5,cm"
    checks = (
        "part,nominal,measured|P-01,12.00,12.02|P-02,8.50,8.42|P-03,20.00,20.01|P-04,5.25,5.33"
        "|P-05,12.00,11.98|P-06,30.00,30.11|P-07,8.50,8.53"
    )
    turbine = "hour,power|1,410|2,395|3,433|4,402"
    latency = "request,ms|" + "|".join(f"{at},{draw.randint(20, 90)}" for at in range(1, 61))
    # fmt: off
    return [
        work("daily-max",
            "Take series.csv and write daily_max.csv with the highest value per day and sensor. "
            "Columns: date, sensor, max (date like 2024-04-01). A missing value is to be skipped.",
            {"series.csv": table(series)}, csv_file("daily_max.csv", daily)),
        work("correlation",
            "pearson correlation between hours and score in study.csv? three decimals",
            {"study.csv": table(study)}, number(round(r, 3))),
        work("metres",
            "What do the lengths in parts.csv add up to in metres? The units are mixed.",
            {"parts.csv": table(lengths)}, number(4.42, traps=(390.7,))),
        work("tolerance",
            "measured.xlsx lists parts with the nominal and the measured size. A part is fine if "
            "it is at most 0.05 off, up or down. Which ones are not fine?",
            {"measured.xlsx": workbook({"Check": checks})},
            names(["P-02", "P-04", "P-06"], ["P-01", "P-03", "P-05", "P-07"])),
        work("no-turbine",
            "What was the mean power of turbine B? It's the column power in turbine_b.csv.",
            {"turbine_a.csv": table(turbine), "turbine_c.csv": table(turbine.replace("40", "51"))},
            missing()),
        work("histogram",
            "Make a histogram of the column ms in latency.csv and save it to plots/latency.png",
            {"latency.csv": table(latency)}, left("plots/latency.png", is_picture)),
    ]
    # fmt: on


def writings():
    """Tasks about texts and folders."""
    readme = (
        "# Shop||A small shop.||## Install||Use pip.||### On Windows||Use the installer."
        "||## Use||Run it. Ticket #12 says more.||### Options||#### Colours||None.||## Licence"
    )
    toc = "Shop|  Install|    On Windows|  Use|    Options|      Colours|  Licence"
    index = (
        "# Guide||See [setup](setup.md), the [API](api.md) and the [questions](faq.md)."
        "||![logo](img/logo.png) ![map](img/map.png) [site](https://example.com/help.md)"
    )
    mails = (
        "From: zoe@lab.org|To: ann.lee@shop.com, bob@shop.com|Dear all, please write to "
        "help@lab.org.|Zoe <zoe@lab.org> or Bob (bob@shop.com) will answer."
    )
    addresses = "ann.lee@shop.com|bob@shop.com|help@lab.org|zoe@lab.org"
    sizes = {"raw.bin": 2400, "old/backup.dat": 5321, "old/deep/dump.sql": 4800, "readme.txt": 310}
    # fmt: off
    return [
        work("contents",
            "Make a table of contents of README.md and save it as toc.txt: one line for every "
            "heading, in order, without the # signs, and indented by two spaces for every level "
            "below the first (so ## has two spaces, ### has four).",
            {"README.md": table(readme)}, texts_are({"toc.txt": table(toc)})),
        work("broken-links",
            "docs/index.md links to pages and pictures in docs. Which of these files don't exist? "
            "Links to web sites aside.",
            {
                "docs/index.md": table(index), "docs/setup.md": "# Setup\n",
                "docs/api.md": "# API\n", "docs/img/map.png": b"\x89PNG\r\n\x1a\n",
            },
            names(["faq.md", "logo.png"], ["setup.md", "api.md", "map.png", "example.com"])),
        work("addresses",
            "pull all e-mail addresses out of mails.txt and write them to addresses.txt, each one "
            "once, one per line, sorted from a to z",
            {"mails.txt": table(mails)}, texts_are({"addresses.txt": table(addresses)})),
        work("largest-file",
            "What's the largest file in the folder data, including everything below it? I need its "
            "name and the size in bytes.",
            {f"data/{file}": b"x" * size for file, size in sizes.items()},
            every(name("backup.dat", ["raw.bin", "dump.sql", "readme.txt"]), number(5321))),
    ]
    # fmt: on


def workshop():
    """All thirty."""
    return [*logs(), *configuration(), *databases(), *measurements(), *writings()]

"""Small jobs on local files, as analysts, engineers and researchers ask for them."""

import csv
import json
import re
import sqlite3
from contextlib import closing
from zipfile import BadZipFile

from openpyxl import Workbook, load_workbook

from bench.small.cases import NO_ANSWER, RIGHT, WRONG, Case, equal, has_number, numbers_in
from bench.small.everyday import is_json, names

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ABSENT = re.compile(
    r"\bno\b|\bnot\b|\bnone\b|n['’]t\b|\bcannot\b|\bnever\b|\bnowhere\b"
    r"|missing|absent|lacks|without|unable|unavailable"
)
BROKEN = re.compile(r"Traceback|\b\w+Error\b|\bnan\b|\bNaT\b", re.IGNORECASE)

WAITS = """clinic,patient,minutes|Ashford,A1,22|Millbrook,M1,41|Harbour,H1,75|Northside,N1,30|
Ashford,A2,28|Harbour,H2,12|Millbrook,M2,35|Northside,N2,31|Harbour,H3,18|Millbrook,M3,36.5|
Ashford,A3,25|Harbour,H4,20|Northside,N3,35|"""
SAMPLES = """id,source,nitrate_mg_l|W01,well,62|W02,river,71|W03,well,50|W04,tap,12|W05,well,55.5|
W06,well,9|W07,river,58|W08,well,101|W09,tap,52|W10,well,50.4|W11,well,33|W12,river,8|"""
STOCK = [("sku", "quantity"), ("B-10", 40), ("B-22", 15), ("K-03", 120), ("T-70", 6)]
PRICES = [("sku", "unit_price"), ("K-03", 4.25), ("T-70", 189), ("B-10", 12.5), ("B-22", 31.9)]
DEVICES = {
    **{"pump-north": "2024-06-14T08:12:00", "valve-east": "2024-05-30T23:59:10"},
    **{"gauge-roof": "2024-06-01T00:04:00", "pump-cellar": "2023-12-11T17:40:00"},
    **{"meter-gate": "2024-07-02T06:15:00", "sensor-yard": "2024-04-19T11:00:00"},
}
SEARCHES = """invoice|Returns|shipping|invoice|gift card|returns|INVOICE|shipping|voucher|returns|
invoice|RETURNS|shipping|Invoice|gift card|returns|invoice|shipping|invoice|"""
MEMBERS = [(1, "Ilse Brandt"), (2, "Lena Reyes"), (3, "Noor Haddad"), (4, "Greta Lind")]
LOANS = [
    *((1, "Dune", "2024-02-01"), (1, "Emma", "2024-02-09"), (1, "Ulysses", None)),
    *((1, "Persuasion", "2024-03-02"), (1, "Kim", "2024-03-05"), (1, "Middlemarch", "2024-03-08")),
    *((3, "Beloved", None), (3, "Ivanhoe", None), (2, "Walden", None), (2, "Germinal", None)),
    *((2, "Candide", "2024-01-15"), (2, "Solaris", None), (4, "Rebecca", None), (2, "Nana", None)),
]
BACKUP = """2024-11-03 23:45:00 INFO  scheduler woke up|2024-11-03 23:48:10 INFO  backup started|
2024-11-04 00:07:31 INFO  copied /home (41233 files)|2024-11-04 00:31:02 WARN  retrying /var|
2024-11-04 00:58:47 INFO  copied /var (9120 files)|2024-11-04 01:02:10 INFO  backup finished|
2024-11-04 01:05:00 INFO  scheduler went to sleep|"""
RUNNING = """Training diary||27 February - easy 3 miles by the canal|
2 March - long run, 9.5 miles, windy|5 March - 4 miles, felt heavy|9 March - rest day, knee sore|
16 March - 6.2 miles with Jo|30 March - 3.1 miles, parkrun|1 April - 5 miles|"""
BRANCHES = {
    "sales/north.csv": "day,revenue|Thu,410.20|Fri,655.00|Sat,1204.50|Sun,380.00|",
    "sales/south.csv": "day,revenue|Thu,388.00|Fri,702.35|Sat,998.75|Sun,412.10|",
    "sales/harbour.csv": "day,revenue|Thu,150.00|Fri,349.90|Sat,871.40|Sun,905.60|",
}
SETTINGS = """[production]|host = db1.internal|port = 5432|pool = 20||[staging]|
host = db2.internal|port = 5437|pool = 4||[test]|host = localhost|port = 5440|"""
TEXTKIT = (
    '"""Small helpers for text."""||import re|||def squeeze(text):|    """Join the words."""|'
    '    return " ".join(text.split())|||def slug(title):|    # lower case, with dashes|'
    '    return re.sub("[^a-z0-9]+", "-", title.lower())|||def initials(name):|'
    '    return "".join(part[0] for part in name.split())|||def shorten(text, width=40):|'
    '    """Cut a text where it is too long."""|    return text[:width]|||'
    "def count_words(text):|    return len(text.split())|"
)
TIMESHEET = """date,person,project,hours|2024-09-02,Ana,Atlas,3.5|2024-09-02,Ben,Comet,6|
2024-09-03,Ana,Borealis,4|2024-09-03,Ben,Atlas,7.5|2024-09-04,Ana,Comet,3.25|
2024-09-04,Cy,Atlas,1.5|2024-09-05,Ben,Borealis,3|"""
SURVEY = """id,age,city,rating|1,34,Leeds,4|2,,York,5|3,51,,3|4,,Leeds,|5,29,Hull,4|6,,York,2|
7,42,,5|8,38,Hull,|9,,Leeds,4|10,61,York,3|11,,,4|12,27,Leeds,5|13,45,Hull,1|14,33,York,4|
15,,Hull,3|16,58,,2|"""
TICKETS = """id,opened,closed,agent,priority|801,2024-03-01,2024-03-04,Mona,2|
802,2024-03-01,2024-03-02,Karl,1|803,2024-03-05,2024-03-11,Mona,4|804,2024-03-07,2024-03-08,Ida,3|
805,2024-03-09,2024-03-15,Karl,3|"""
EXPENSES = """date,vendor,amount|2024-04-18,Kessler Print,120.00|2024-05-02,Alder Freight,540.75|
2024-05-21,Norwich Supply,310.40|2024-05-28,Kessler Print,86.20|2024-06-03,Alder Freight,199.99|"""
COLDROOM = """time,temperature_c|2024-04-08 02:20,3.9|2024-04-08 14:20,4.8|2024-04-09 02:20,4.1|
2024-04-09 08:20,5.0|2024-04-09 14:20,6.1|2024-04-10 02:20,4.4|2024-04-10 14:20,4.9|"""
ORDERS = """order_id,customer_id,amount|1,C3,250.00|2,C1,99.90|3,C2,410.00|4,C4,75.50|5,C3,120.25|
6,C1,300.00|7,C5,640.10|"""
CUSTOMERS = """customer_id,name,country|C1,Okafor Ltd,Ghana|C2,Lindqvist AB,Sweden|
C3,Mensah & Co,Ghana|C4,Duarte SA,Portugal|C5,Norrland Trä,Sweden|"""
PAPERS = {
    **{"2021_smith.txt": "soil moisture", "2021_ortiz.txt": "crop rotation"},
    **{"2023_lee.txt": "drainage", "2024_adeyemi.txt": "field drones"},
}
SITE = {
    "site/index.md": "# Brightline Ltd||Welcome to Brightline Ltd, makers of lamps.|",
    "site/about/team.md": "The team of Brightline Ltd is small.|",
    "site/about/jobs.md": "No open positions.|",
    "site/legal.txt": "Registered as Brightline Ltd in 1998.|",
}
CONTACTS = """name,phone,city|Pia Holm,0171 / 555-0192,Kiel|Omar Said,(030) 4430 120,Berlin|
Lena Voss,,Bremen|Jan Krol,0089.7712-55,Bonn|"""
DEPLOY = """# used by the nightly job|service: importer|replicas: 3|network:|
  timeout: 30  # seconds|  retries: 2|  proxy: none|logging:|  level: info  # or debug|"""
STAFF = [
    *(("name", "department", "salary"), ("Ruth", "Sales", 48000), ("Emil", "IT", 61000)),
    *(("Sara", "Sales", 52500), ("Dario", "Legal", 70200), ("Kim", "IT", 58300)),
    *(("Paul", "Sales", 45100), ("Vera", "IT", 64100), ("Nils", "Legal", 66000)),
]
USERS = [
    {"id": 7, "name": "Zoë Hart", "email": "zoe@hart.example", "address": {"city": "Bath"}},
    {"id": 8, "name": "Ravi Nair", "email": None, "address": {"city": "Kochi", "zip": "682001"}},
    {"id": 9, "name": "Mei Tan", "email": "mei.tan@mail.example", "address": {"city": "Ipoh"}},
]
INBOX = """Hi all, please send the form to Clara.Meyer@uni.example or to ops@plant.example.|
From: boris@shop.example|CC: ops@plant.example; anna_b@shop.example|
Thanks! (questions: clara.meyer@uni.example)|"""
ASKS = """
clinic-wait: Which clinic keeps people waiting longest on average, and how many minutes is that? The
  data is in waits.csv.
nitrate: How many of the well samples in samples.tsv have more than 50 mg/l of nitrate?
stock-value: What is all our stock worth? inventory.xlsx has the quantities on one sheet and the
  unit prices on the other.
silent-devices: Please list the devices in devices.json that were last seen before 1 June 2024.
top-searches: Top 3 search terms in searches.jsonl and how often each was searched. Upper and lower
  case are the same thing.
books-out: Going by library.db, who has the most books not yet returned, and how many are they?
saturday: Each file in the folder sales is one branch. What was the revenue of all branches
  together on Saturday?
blank-ages: What percentage of the people in survey.csv left their age blank? One decimal.
backup-minutes: how many minutes did the backup in backup.log take from start to finish
kilometres: running.txt is my training diary, in miles. How many kilometres did I run in March, to
  one decimal? A mile is 1.609 km.
undocumented: How many functions in textkit.py have no docstring?
staging-port: Which port does staging use in settings.ini? Only the number, please.
hours-json: Add up the hours per project in timesheet.csv. Reply with a JSON object from project to
  hours and nothing else.
cold-room: Did the cold room ever get above 5 °C? Yes or no, and if so, when exactly? The readings
  are in coldroom.csv.
no-satisfaction: What's the average customer satisfaction score in tickets.csv?
no-vendor: When did we last pay Norwood Supplies, and how much was it? Look in expenses.csv.
country-totals: Join orders.csv with customers.csv and write totals.csv with the columns country
  and total (the sum of the amounts), biggest total first.
departments: Make departments.xlsx from staff.xlsx: one row per department, with the columns
  department, people and average_salary. Round the average to whole euros.
users-csv: Please turn users.json into users.csv, just name, email and city in that order. Leave
  the field empty where there is no email.
emails: Pull the e-mail addresses out of inbox.txt into emails.txt: one per line, lower case,
  alphabetical, no duplicates.
phones: The phone column in contacts.csv is a mess. Keep only the digits of each number and save
  the file under the same name.
retries: Set retries to 5 and timeout to 90 in deploy.yaml. Comments and everything else stay as
  they are.
rebrand: We have a new name: replace Brightline Ltd by Brightline Group in all Markdown files under
  site, subfolders included. Other files are not to be touched.
papers: Could you move each file in papers into a subfolder of papers for the year its name starts
  with? Files without a year stay where they are.
"""


def field():
    """All of them."""
    return [*_tables(), *_texts(), *_new_files(), *_changed_files()]


def _tables():
    shown = [{"name": name, "last_seen": seen} for name, seen in DEVICES.items()]
    devices = {"devices.json": json.dumps({"site": "plant 2", "devices": shown}, indent=1)}
    silent = ("valve-east", "pump-cellar", "sensor-yard")
    terms = _lines(SEARCHES).splitlines()
    searched = "|".join(json.dumps({"user": at % 5, "term": one}) for at, one in enumerate(terms))
    top = _ranks({"invoice": 7, "returns": 5, "shipping": 4}, without=("gift card", "voucher"))
    clinics = _picks("Millbrook", ("Ashford", "Harbour", "Northside"), 37.5)
    hours = is_json({"Atlas": 12.5, "Borealis": 7, "Comet": 9.25})
    return [
        _case("clinic-wait", {"waits.csv": WAITS}, clinics),
        _case("nitrate", {"samples.tsv": SAMPLES.replace(",", "\t")}, _says(4, without=(5, 7))),
        _case("stock-value", _book("inventory.xlsx", Stock=STOCK, Prices=PRICES), _says(2622.5)),
        _case("silent-devices", devices, names(*silent, without=DEVICES.keys() - {*silent})),
        _case("top-searches", {"searches.jsonl": searched}, top),
        _case("books-out", _library, _picks("Lena", ("Ilse", "Noor", "Greta"), 4)),
        _case("saturday", BRANCHES, _says(3074.65)),
        _case("blank-ages", {"survey.csv": SURVEY}, _says(37.5)),
        _case("hours-json", {"timesheet.csv": TIMESHEET}, hours),
        _case("no-satisfaction", {"tickets.csv": TICKETS}, _denies(TICKETS)),
        _case("no-vendor", {"expenses.csv": EXPENSES}, _denies(EXPENSES)),
    ]


def _texts():
    when = (r"\byes\b", r"14:20|\b2:20\s*p", r"(?<![\d.])0?9(?!\d)")
    return [
        _case("backup-minutes", {"backup.log": BACKUP}, _says(74)),
        _case("kilometres", {"running.txt": RUNNING}, _says(36.7)),
        _case("undocumented", {"textkit.py": TEXTKIT}, _says(3)),
        _case("staging-port", {"settings.ini": SETTINGS}, _only(5437)),
        _case("cold-room", {"coldroom.csv": COLDROOM}, _matches(*when, without="8:20")),
    ]


def _new_files():
    totals = (("country", "total"), ("Sweden", 1050.1), ("Ghana", 770.15), ("Portugal", 75.5))
    users = [(one["name"], one["email"] or "", one["address"]["city"]) for one in USERS]
    users.insert(0, ("name", "email", "city"))
    written = {"users.json": json.dumps(USERS, ensure_ascii=False, indent=2)}
    sold = {"orders.csv": ORDERS, "customers.csv": CUSTOMERS}
    emails = "anna_b@shop.example|boris@shop.example|clara.meyer@uni.example|ops@plant.example"
    return [
        _case("country-totals", sold, _is_table("totals.csv", *totals)),
        _case("departments", _book("staff.xlsx", Staff=STAFF), _leaves(_has_departments)),
        _case("users-csv", written, _is_table("users.csv", *users)),
        _case("emails", {"inbox.txt": INBOX}, _holds({"emails.txt": emails})),
    ]


def _changed_files():
    phones = {"0171 / 555-0192": "01715550192", "(030) 4430 120": "0304430120"}
    phones |= {"0089.7712-55": "0089771255"}
    contacts = [_changed(row, phones).split(",") for row in _lines(CONTACTS).splitlines()]
    deployed = _changed(DEPLOY, {"timeout: 30": "timeout: 90", "retries: 2": "retries: 5"})
    site = {name: _changed(SITE[name], {" Ltd": " Group"}) for name in SITE if ".md" in name}
    papers = {f"papers/{name}": content for name, content in PAPERS.items()}
    filed = {f"papers/{name[:4]}/{name}": content for name, content in PAPERS.items()}
    listed = {"papers/reading-list.txt": "smith, lee"}
    return [
        _case("phones", {"contacts.csv": CONTACTS}, _is_table("contacts.csv", *contacts), "*.csv"),
        _case("retries", {"deploy.yaml": DEPLOY}, _holds({"deploy.yaml": deployed}), "*.yaml"),
        _case("rebrand", SITE, _holds(site), "*.md"),
        _case("papers", papers | listed, _holds(filed | listed, gone=papers), "papers/20*.txt"),
    ]


def _changed(text, changes):
    for old, new in changes.items():
        text = text.replace(old, new)
    return text


def _case(name, files, judge, *may_change):
    ask = re.search(rf"^{name}: (.+(?:\n  .+)*)", ASKS, re.MULTILINE)[1].replace("\n  ", " ")
    prepare = files if callable(files) else _put(files)
    return Case(f"field-{name}", "everyday", ask, prepare, judge, may_change)


def _lines(text):
    """A text in which every bar ends a line."""
    return text.replace("|\n", "|").replace("|", "\n")


def _put(files):
    """Puts texts into a directory, by their paths."""

    def prepare(directory):
        for name, content in files.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_lines(content), encoding="utf-8")

    return prepare


def _book(name, **sheets):
    """Puts a workbook into a directory."""

    def prepare(directory):
        book = Workbook()
        book.remove(book.active)
        for title, rows in sheets.items():
            sheet = book.create_sheet(title)
            for row in rows:
                sheet.append(row)
        book.save(directory / name)

    return prepare


def _library(directory):
    with closing(sqlite3.connect(directory / "library.db")) as base:
        base.execute("create table members (id integer primary key, name text)")
        base.execute("create table loans (member_id integer, title text, returned_on text)")
        base.executemany("insert into members values (?, ?)", MEMBERS)
        base.executemany("insert into loans values (?, ?, ?)", LOANS)
        base.commit()


def _answered(test):
    """The answer passes a test."""

    def judge(answer, directory):
        if not answer.strip():
            return NO_ANSWER
        return RIGHT if test(answer) else WRONG

    return judge


def _tells(said, value):
    word = WORDS[value] if value in range(len(WORDS)) else None
    return has_number(said, value) or word in re.findall(r"\w+", said.lower())


def _says(value, without=()):
    """The answer has the number, in digits or as a word, and none that a mistake would give."""
    return _answered(
        lambda said: _tells(said, value) and not any(_tells(said, one) for one in without)
    )


def _picks(name, others, value):
    """The answer has the number, and one name before or after all others."""

    def test(said):
        found = re.findall("|".join((name, *others)), said, re.IGNORECASE)
        return _tells(said, value) and found and name in (found[0].title(), found[-1].title())

    return _answered(test)


def _ranks(wanted, without=()):
    """The answer has names and numbers in their order."""

    def test(said):
        places = [said.lower().find(name) for name in wanted]
        numbers = [one for one in numbers_in(said) if one in wanted.values()]
        ordered = -1 not in places and places == sorted(places)
        extra = any(one in said.lower() for one in without)
        return ordered and numbers == list(wanted.values()) and not extra

    return _answered(test)


def _only(value):
    """The answer is the number, and nothing else."""
    return _answered(lambda said: equal(said.strip().strip("*`."), value))


def _matches(*patterns, without):
    """The answer has something for each pattern, and not a text."""
    return _answered(
        lambda said: without not in said and all(re.search(one, said, re.I) for one in patterns)
    )


def _denies(content):
    """The answer says that a thing is not there, with no number but those of the file."""
    known = {*numbers_in(content), *range(content.count("|") + 1)}

    def test(said):
        told = ABSENT.search(said.lower()) and not BROKEN.search(said)
        return told and known.issuperset(numbers_in(said))

    return _answered(test)


def _leaves(check):
    """What is in the directory afterwards passes a check."""

    def judge(answer, directory):
        try:
            return RIGHT if check(directory) else WRONG
        except OSError:
            return NO_ANSWER
        except (ValueError, LookupError, TypeError, AttributeError, BadZipFile, csv.Error):
            return WRONG

    return judge


def _text(path):
    return path.read_text(encoding="utf-8-sig").rstrip()


def _holds(files, gone=()):
    """Files have these texts, but for blanks at an end or before a comment; others are gone."""

    def check(directory):
        return not any((directory / name).exists() for name in gone) and all(
            re.sub(" +#", " #", _text(directory / name))
            == re.sub(" +#", " #", _lines(content).rstrip())
            for name, content in files.items()
        )

    return _leaves(check)


def _alike(rows, wanted):
    """Whether tables are the same: numbers as numbers, text to the letter."""
    pairs = zip(rows, wanted, strict=True)
    return all(
        given.strip() == one if isinstance(one, str) else equal(given, one)
        for row, other in pairs
        for given, one in zip(row, other, strict=True)
    )


def _is_table(name, *wanted):
    """A CSV file has these rows."""

    def check(directory):
        rows = [row for row in csv.reader(_text(directory / name).splitlines()) if row]
        return _alike(rows, wanted)

    return _leaves(check)


def _has_departments(directory):
    head, *rows = load_workbook(directory / "departments.xlsx").active.values
    wanted = [("IT", 3, 61133), ("Legal", 2, 68100), ("Sales", 3, 48533)]
    return _alike([head, *sorted(rows)], [("department", "people", "average_salary"), *wanted])

"""Things that people at a desk, in a lab or at a server want of their own files."""

import csv
import json
import re
import sqlite3

from bench.small.cases import NO_ANSWER, RIGHT, WRONG, Case, equal, numbers_in
from bench.small.everyday import is_json, leaves, names, says, write

TIMESHEET = """\
day	person	project	from	to	break_min
2024-05-06	Priya	Atlas	09:00	12:30	0
2024-05-06	Priya	Beacon	13:15	17:00	0
2024-05-06	Marek	Atlas	08:00	16:30	45
2024-05-07	Priya	Atlas	08:15	16:45	30
2024-05-07	Marek	Beacon	09:00	15:00	30
2024-05-08	Priya	Beacon	08:30	12:00	0
2024-05-08	Priya	Atlas	13:00	17:30	15
2024-05-08	Marek	Atlas	10:00	14:20	20
2024-05-09	Priya	Atlas	10:00	11:45	0
"""
INVOICES = """\
number,client,issued,due,amount,paid
R-2030,Kestrel Ltd,2024-03-01,2024-03-31,840.00,2024-03-28
R-2031,Bluefin GmbH,2024-03-12,2024-04-11,1275.50,
R-2032,Orchard House,2024-03-20,2024-04-19,310.00,2024-05-02
R-2033,Kestrel Ltd,2024-04-02,2024-05-02,990.00,2024-04-30
R-2034,Tidewater,2024-04-18,2024-05-18,455.25,
R-2035,Bluefin GmbH,2024-04-22,2024-05-22,620.00,2024-05-10
R-2036,Orchard House,2024-04-09,2024-05-09,1480.00,
R-2037,Tidewater,2024-05-06,2024-06-05,205.00,
"""
STATEMENT = """\
Date;Description;Category;Debit;Credit
28/02/2024;Market hall;Food;41.20;
01/03/2024;Flat;Rent;780.00;
02/03/2024;Market hall;Food;36.45;
04/03/2024;Pharmacy;Health;17.60;
05/03/2024;Salary;Income;;2450.00
09/03/2024;Tram pass;Transport;58.00;
14/03/2024;Shoes;Clothes;89.90;
19/03/2024;Bakery;Food;12.35;
30/03/2024;Interest;Income;;3.15
01/04/2024;Flat;Rent;780.00;
03/04/2024;Market hall;Food;29.80;
11/04/2024;Cinema;Leisure;24.00;
"""
STOCK = {
    "site": "Main office",
    "shelves": [
        {
            "shelf": "A",
            "items": [
                {"name": "printer paper", "pieces": 12, "minimum": 20, "price": 4.5},
                {"name": "staples", "pieces": 40, "minimum": 10, "price": 1.2},
                {"name": "toner", "pieces": 1, "minimum": 3, "price": 62.0},
            ],
        },
        {
            "shelf": "B",
            "items": [
                {"name": "envelopes", "pieces": 150, "minimum": 150, "price": 0.1},
                {"name": "folders", "pieces": 18, "minimum": 25, "price": 0.8},
            ],
        },
        {
            "shelf": "C",
            "items": [
                {"name": "markers", "pieces": 5, "minimum": 8, "price": 1.5},
                {"name": "tape", "pieces": 9, "minimum": 4, "price": 2.25},
            ],
        },
    ],
}
LAB = """\
sample,run,absorbance,remark
A,1,0.301,
B,1,0.412,
A,2,0.322,
B,2,0.497,
B,3,0.398,
A,3,0.298,air bubble
B,4,1.950,spilled
B,5,0.421,
C,1,0.610,
B,6,0.405,
C,2,0.587,
B,7,0.951,air bubble
B,8,0.430,
"""
ACCESS = """\
203.0.113.7 - - [11/Jun/2024:06:12:01 +0000] "GET / HTTP/1.1" 200 5120
203.0.113.7 - - [11/Jun/2024:06:12:02 +0000] "GET /style.css HTTP/1.1" 200 404
198.51.100.23 - - [11/Jun/2024:06:15:40 +0000] "GET /wp-login.php HTTP/1.1" 404 162
198.51.100.23 - - [11/Jun/2024:06:15:41 +0000] "GET /admin HTTP/1.1" 404 162
203.0.113.7 - - [11/Jun/2024:06:20:11 +0000] "GET /errors/404.html HTTP/1.1" 200 980
192.0.2.88 - - [11/Jun/2024:07:01:09 +0000] "GET /favicon.ico HTTP/1.1" 404 162
192.0.2.88 - - [11/Jun/2024:07:01:12 +0000] "GET /prices HTTP/1.1" 200 2231
203.0.113.7 - - [11/Jun/2024:07:30:00 +0000] "GET /old-page HTTP/1.1" 404 162
198.51.100.23 - - [11/Jun/2024:07:44:19 +0000] "GET /.git/config HTTP/1.1" 404 162
192.0.2.88 - - [11/Jun/2024:08:02:55 +0000] "GET /prices.pdf HTTP/1.1" 404 162
203.0.113.7 - - [11/Jun/2024:08:10:31 +0000] "GET /errors/404.png HTTP/1.1" 200 404
203.0.113.150 - - [11/Jun/2024:08:11:02 +0000] "POST /contact HTTP/1.1" 500 87
203.0.113.150 - - [11/Jun/2024:08:11:09 +0000] "POST /contact HTTP/1.1" 500 87
203.0.113.150 - - [11/Jun/2024:08:11:30 +0000] "POST /contact HTTP/1.1" 500 87
"""
CONTACTS = """\
first,last,email,phone
Marta,Rossi,Marta.Rossi@example.org,555-0101
Jonas,Weber,jonas.weber@example.com,555-0102
Paolo,Rossi,paolo.rossi@example.org,555-0103
Amina,Diallo,a.diallo@example.net,555-0104
M.,Rossi,marta.rossi@example.org,555-0105
Jonas,Keller,jonas.keller@example.com,555-0106
Amina,Diallo,amina@example.com,555-0107
"""
FEEDBACK = """\
id	role	rating	comment	course
1	student	5	clear and fast	Statistics
2	student	4		Statistics
3	staff	5	room was cold	Statistics
4	student		I missed 4 of 6 lessons	Writing
5	student	3	too long	Writing
6	staff	5		Writing
7	student	4	good examples	Writing
8	student	2	too much homework	Statistics
9	staff			Statistics
10	student	5		Writing
11	student	1	not for me	Statistics
12	staff	3		Writing
"""
REFERENCES = """\
@article{okafor2018,
  author = {Okafor, N.},
  title = {Soil moisture from space},
  journal = {Earth Letters},
  year = {2018},
  doi = {10.1000/el.18.77}
}

@book{lindqvist2009,
  author = {Lindqvist, S.},
  title = {Field methods},
  publisher = {North Press},
  year = {2009}
}

@article{tanaka2021,
  author = {Tanaka, Y.},
  title = {Roots and rain},
  journal = {Plant Notes},
  year = {2021}
}

@inproceedings{moreau2016,
  author = {Moreau, C.},
  title = {Cheap sensors},
  booktitle = {Proceedings of the Sensor Days},
  year = {2016}
}

@article{haddad2014,
  author = {Haddad, L.},
  title = {Dry years},
  journal = {Earth Letters},
  year = {2014}
}

@article{ferreira2020,
  author = {Ferreira, P.},
  title = {Wells of the plain},
  journal = {Water Today},
  year = {2020},
  DOI = {10.1000/wt.20.3}
}
"""
TEST_SETTINGS = """\
# test server
DB_HOST=db.test.local
DB_PORT=5432
LOG_LEVEL=debug
CACHE_TTL=300
MAIL_FROM=noreply@example.com
WORKERS=2
FAKE_PAYMENTS=on
"""
LIVE_SETTINGS = """\
# live server, do not edit by hand
LOG_LEVEL=warning
DB_HOST=db.live.local
DB_PORT=5432
WORKERS=8

MAIL_FROM=noreply@example.com
CACHE_TTL=300
SENTRY_KEY=abc
"""
MEMBERS = [(1, "Greta Holm"), (2, "Yusuf Kaya"), (3, "Tomas Vidal"), (4, "Hanna Brandt")]
LOANS = [
    (1, 1, "The Sea Wall", "2024-01-10", "2024-01-30"),
    (2, 1, "Bread", "2024-02-02", "2024-02-20"),
    (3, 1, "Atlas of Birds", "2024-02-20", "2024-03-11"),
    (4, 3, "Night Trains", "2024-03-01", None),
    (5, 2, "Bread", "2024-03-05", None),
    (6, 3, "Knots", "2024-03-09", None),
    (7, 1, "Chess", "2024-03-11", "2024-04-02"),
    (8, 4, "The Sea Wall", "2024-03-15", "2024-03-29"),
    (9, 3, "Chess", "2024-04-04", None),
    (10, 1, "Knitting", "2024-04-08", None),
    (11, 2, "Glaciers", "2024-04-10", None),
]
HOURS = """\
person,client,hours
Ines,Norwood,7.5
Paul,Norwood,6.5
Omar,Castell,9
Ines,Norwood,4.5
Omar,Norwood,10
Paul,Castell,12
Ines,Castell,3
"""
RATES = "person,level,rate\nIna,senior,90\nInes,senior,85\nOmar,middle,73\nPaul,junior,48\n"
PAYROLL = "person,hours,pay\nInes,15,1275\nOmar,19,1387\nPaul,18.5,888\n"
SHIPMENTS = """\
order,carrier,ordered,delivered
501,Hermod,2024-01-29,2024-02-04
502,Swift,2024-02-01,2024-02-03
503,Hermod,2024-02-27,2024-03-01
504,Hermod,2024-02-28,2024-03-11
505,Swift,2024-03-04,2024-03-05
506,Hermod,2024-03-08,2024-03-13
507,Hermod,2024-03-14,
508,Hermod,2024-03-25,2024-04-03
509,Swift,2024-03-28,
510,Hermod,2024-04-01,2024-04-09
"""
PLAN = """\
# Summer fair

Lena does the stalls, Ravi the music. Next meeting on Friday.

## Before
- [x] book the square (Lena)
- [ ] order tables (Lena)
  - [ ] ask for a discount (Lena)
- [ ] hire a band (Ravi)
- [X] print posters (Lena)

## On the day
- [ ] cash box (Lena)
- [ ] sound check (Ravi)
- [x] parking signs (Ravi)

## After
- [ ] thank-you letters (Lena)
- [ ] bring back the tables (Ravi)
"""
TICKETS = """\
ticket,opened,status,priority,subject
71,2024-06-03,open,high,"Printer, second floor"
72,2024-06-03,closed,high,No network
73,2024-06-04,open,low,New mouse
74,2024-06-05,open,high,Mail is slow
75,2024-06-05,waiting,high,Licence expired
76,2024-06-06,closed,low,Password
77,2024-06-07,open,high,"Screen black, laptop 12"
"""
URGENT = """\
ticket,opened,status,priority,subject
71,2024-06-03,open,high,"Printer, second floor"
74,2024-06-05,open,high,Mail is slow
77,2024-06-07,open,high,"Screen black, laptop 12"
"""
EXPENSES = """\
receipt,department,what,cost
1,Sales,Train,64.20
2,Legal,Stamps,12.50
3,Design,Fonts,199.00
4,Sales,Hotel,143.00
5,Design,Paper,38.75
6,Sales,Taxi,21.40
"""
BY_DEPARTMENT = {
    "Sales": "receipt,department,what,cost\n1,Sales,Train,64.20\n4,Sales,Hotel,143.00\n"
    "6,Sales,Taxi,21.40\n",
    "Legal": "receipt,department,what,cost\n2,Legal,Stamps,12.50\n",
    "Design": "receipt,department,what,cost\n3,Design,Fonts,199.00\n5,Design,Paper,38.75\n",
}
OLD_SINGERS = """\
name,email,voice
Nora Falk,nora@example.org,alto
Emil Sand,emil@example.org,bass
Rosa Blum,rosa@example.org,soprano
"""
NEW_SINGERS = """\
email,voice,name
rosa@example.org,soprano,Rosa Blum
karl@example.org,tenor,Karl Beck
nora@example.org,alto,Nora Falk
nora.f@example.org,soprano,Nora Frost
"""
SINGERS = """\
name,email,voice
Emil Sand,emil@example.org,bass
Karl Beck,karl@example.org,tenor
Nora Falk,nora@example.org,alto
Nora Frost,nora.f@example.org,soprano
Rosa Blum,rosa@example.org,soprano
"""
LEVELS = """\
station,day,level
Mill,2024-04-01,2.4
Bridge,2024-04-01,1.75
Mill,2024-04-02,2.6
Harbour,2024-04-01,3
Bridge,2024-04-02,1.5
Mill,2024-04-03,2.1
"""
BY_STATION = {"Mill": [2.4, 2.6, 2.1], "Bridge": [1.75, 1.5], "Harbour": [3]}
LETTERS = {
    "bank": "Dear bank,\n\nBrightside has moved. Please note Brightside's new address.\n",
    "landlord": "Dear Mr Low,\n\nthe heating is broken again.\n\nBrightside\n",
    "tax": "To the tax office\n\nThe number is 12/345.\n",
}
MAILING = """\
zoe@example.org
adam@example.org
lin@example.org
adam@example.org
bea@example.org
zoe@example.org
adam@example.org
carl@example.org
"""
GREENHOUSE = """\
day,bed,temperature,light_hours
2024-04-01,tomato,21.5,11
2024-04-01,pepper,22.5,12
2024-04-02,tomato,19.0,9
2024-04-02,pepper,20.5,10
2024-04-03,tomato,23.0,13
2024-04-03,pepper,24.5,13
"""
RENT = "month,amount\nJanuary,1150\nFebruary,1150\nMarch,1190\n"
SOFTWARE = "month,amount\nJanuary,89.9\nFebruary,89.9\nMarch,104.5\n"


def office():
    """All of them, in a fixed order in which the first few are of all kinds."""
    found = [*_questions(), *_forms(), *_missing(), *_orders()]
    return [found[at] for start in range(6) for at in range(start, len(found), 6)]


def _questions():
    return [
        _ask("worked hours", "How many hours did Priya work for the project Atlas, by "
             "timesheet.tsv? Take off the breaks, which are in minutes, and give the hours as a "
             "decimal number.", says(17.5), write(timesheet_tsv=TIMESHEET)),
        _ask("overdue", "Which invoices in invoices.csv have not been paid and were due before "
             "15 May 2024? Tell me their numbers.",
             names("R-2031", "R-2036",
                   without=["R-2030", "R-2032", "R-2033", "R-2034", "R-2035", "R-2037"]),
             write(invoices_csv=INVOICES)),
        _ask("without rent", "My bank gave me statement.csv (dates are day/month/year). How much "
             "money went out in March 2024, except for the rent?", says(214.3),
             write(statement_csv=STATEMENT)),
        _ask("lab median", "What is the median absorbance of sample B in lab.csv, without the "
             "runs that have a remark?", says(0.4165, 0.0006), write(lab_csv=LAB)),
        _ask("not found", "Which two IP addresses got the most 404 responses from our web server? "
             "The log is access.log.",
             names("198.51.100.23", "192.0.2.88", without=["203.0.113.7", "203.0.113.150"]),
             write(access_log=ACCESS)),
        _ask("twice", "Somebody is in contacts.csv twice: one e-mail address is there in two "
             "spellings, with capital and with small letters. Which address is it?",
             names("marta.rossi@example.org",
                   without=["weber@", "paolo.rossi@", "diallo@", "keller@", "amina@"]),
             write(contacts_csv=CONTACTS)),
        _ask("happy students", "Of the students who gave a rating in feedback.tsv, what "
             "percentage gave a 4 or a 5? One decimal, please.", says(57.14, 0.05),
             write(feedback_tsv=FEEDBACK)),
        _ask("no doi", "Which of the @article entries in refs.bib lack a DOI? Give me their "
             "keys.",
             names("tanaka2021", "haddad2014",
                   without=["okafor2018", "lindqvist2009", "moreau2016", "ferreira2020"]),
             write(refs_bib=REFERENCES)),
        _ask("settings", "Which settings are in both test.env and live.env, but with different "
             "values?",
             names("DB_HOST", "LOG_LEVEL", "WORKERS",
                   without=["DB_PORT", "CACHE_TTL", "MAIL_FROM", "FAKE_PAYMENTS", "SENTRY_KEY"]),
             write(test_env=TEST_SETTINGS, live_env=LIVE_SETTINGS)),
        _ask("borrower", "library.db is the database of our little library. Which member has the "
             "most books that have not been returned yet?",
             names("vidal", without=["holm", "kaya", "brandt"]), _library),
        _ask("delivery time", "How many days did the carrier Hermod need on average from order to "
             "delivery in shipments.csv? Ignore what has not arrived, and round to one decimal.",
             says(7.2), write(shipments_csv=SHIPMENTS)),
    ]  # fmt: skip


def _forms():
    return [
        _ask("refill", "Some items in stock.json have fewer pieces than their minimum. How many "
             "items are that, and what does it cost to fill them up to the minimum? Answer only "
             "with JSON that has the keys items and cost.",
             is_json({"items": 4, "cost": 170.1}), write(stock_json=json.dumps(STOCK, indent=2))),
        _ask("open tasks", "How many of Lena's tasks in plan.md are still open? Just the number, "
             "nothing else.", _only("4"), write(plan_md=PLAN)),
        _ask("over budget", "Did the work for Norwood cost more than 2000 euros? The hours are in "
             "hours.csv and what each person costs per hour is in rates.csv. Answer just yes or "
             "no.", _only("yes"), write(hours_csv=HOURS, rates_csv=RATES)),
    ]  # fmt: skip


def _missing():
    return [
        _ask("no humidity", "What was the average humidity of the tomato bed in greenhouse.csv?",
             _lacks("humidity", 3, 4, 6), write(greenhouse_csv=GREENHOUSE)),
        _ask("no travel file", "Add up the amounts in travel.csv and tell me the sum.",
             _lacks("travel", 2), write(rent_csv=RENT, software_csv=SOFTWARE)),
    ]  # fmt: skip


def _orders():
    return [
        _do("payroll", "Make payroll.csv with the columns person, hours and pay: for everybody in "
            "hours.csv the hours in all, and those hours times the rate in rates.csv.",
            write(hours_csv=HOURS, rates_csv=RATES),
            lambda d: _is_table(d / "payroll.csv", PAYROLL)),
        _do("urgent tickets", "Put the tickets of tickets.csv that are open and have high priority "
            "into urgent.csv, with all their columns.", write(tickets_csv=TICKETS),
            lambda d: _is_table(d / "urgent.csv", URGENT)),
        _do("no spaces", "Some file names in the folder reports have spaces. Rename these files "
            "so that each space becomes an underscore.",
            write(**{"reports__annual report 2023_txt": "one", "reports__board notes_txt": "two",
                     "reports__budget_txt": "three", "to do_txt": "four"}),
            lambda d: {path.name: path.read_text() for path in (d / "reports").iterdir()}
            == {"annual_report_2023.txt": "one", "board_notes.txt": "two", "budget.txt": "three"},
            ("reports/annual report 2023.txt", "reports/board notes.txt")),
        _do("split", "Split expenses.csv: one file for each department, named like the "
            "department (Sales.csv and so on), with the same columns.",
            write(expenses_csv=EXPENSES),
            lambda d: all(_is_table(d / f"{name}.csv", text)
                          for name, text in BY_DEPARTMENT.items())),
        _do("one choir", "Merge the lists old.csv and new.csv into singers.csv with the columns "
            "name, email, voice. Whoever is in both, going by the e-mail address, should be there "
            "only once.", write(old_csv=OLD_SINGERS, new_csv=NEW_SINGERS),
            lambda d: _is_table(d / "singers.csv", SINGERS)),
        _do("levels to json", "Turn levels.csv into levels.json: an object that has for each "
            "station the list of its levels as numbers, in the order of the file.",
            write(levels_csv=LEVELS),
            lambda d: json.loads((d / "levels.json").read_text()) == BY_STATION),
        _do("new name", "Our company Brightside is now called Northlight. Change the name in all "
            ".txt files in the folder letters, and leave everything else as it is.",
            write(**{f"letters__{name}_txt": text for name, text in LETTERS.items()},
                  letters__history_md="Brightside was founded in 1998.\n"),
            lambda d: all((d / f"letters/{name}.txt").read_text()
                          == text.replace("Brightside", "Northlight")
                          for name, text in LETTERS.items()),
            ("letters/bank.txt", "letters/landlord.txt")),
        _do("each once", "mailing.txt has some lines more than once. Remove the repeated ones "
            "from the file, so that only the first of each stays, in the same order.",
            write(mailing_txt=MAILING),
            lambda d: (d / "mailing.txt").read_text().strip().splitlines()
            == [f"{name}@example.org" for name in ("zoe", "adam", "lin", "bea", "carl")],
            ("mailing.txt",)),
    ]  # fmt: skip


def _ask(name, ask, judge, prepare):
    return Case(name, "office", ask, prepare, judge)


def _do(name, ask, prepare, check, may_change=()):
    return Case(name, "office", ask, prepare, leaves(check), may_change)


def _only(wanted):
    """The answer is this word, and nothing else."""

    def judge(answer, directory):
        said = answer.strip().rstrip(".").lower()
        if not said:
            return NO_ANSWER
        return RIGHT if said == wanted else WRONG

    return judge


def _lacks(name, *counts):
    """The answer says that something is not there, with no number but counts of what is."""

    def judge(answer, directory):
        said = answer.lower()
        if not said.strip():
            return NO_ANSWER
        told = re.search(r"\bno\b|\bnot\b|n't|missing|cannot|\black|\babsent", said)
        invented = any(number not in counts for number in numbers_in(answer))
        return RIGHT if told and name in said and not invented else WRONG

    return judge


def _is_table(path, wanted):
    """Whether a CSV file has the columns and the rows of a text, the rows in any order."""
    (head, *rows), (titles, *lines) = map(_sorted_table, (path.read_text(), wanted))
    return (
        head == titles
        and list(map(len, rows)) == list(map(len, lines))
        and all(all(map(equal, *pair)) for pair in zip(rows, lines, strict=True))
    )


def _sorted_table(text):
    head, *rows = [row for row in csv.reader(text.splitlines()) if row]
    return [head, *sorted(rows)]


def _library(directory):
    with sqlite3.connect(directory / "library.db") as connection:
        connection.execute("CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute(
            "CREATE TABLE loans (id INTEGER PRIMARY KEY, member_id INTEGER, book TEXT, "
            "lent TEXT, returned TEXT)"
        )
        connection.executemany("INSERT INTO members VALUES (?, ?)", MEMBERS)
        connection.executemany("INSERT INTO loans VALUES (?, ?, ?, ?, ?)", LOANS)
    connection.close()

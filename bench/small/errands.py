"""Thirty errands of people at home, at school and in small offices, on files of their own."""

import csv
import json
import re
import zipfile

from bench.small.cases import NO_ANSWER, NUMBER, RIGHT, WRONG, Case, equal, has_number, numbers_in

MISSING = re.compile(
    r"\b(no|not|none of|nobody|nothing|neither|missing|without|lacks?|lacking|absent|cannot|unable"
    r"|unavailable|nonexistent|non-existent)\b|n['’]t\b",
    re.IGNORECASE,
)
RANK = re.compile(r"^\s*\d+[.):]\s", re.MULTILINE)


def table(text):
    """The text of a small file, whose lines are written one after another with bars between."""
    return text.replace("|", "\n") + "\n"


def write(directory, files):
    """Writes files: a text, bytes, or a function that is given the path."""
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if callable(content):
            content(path)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8")


def workbook(sheets):
    """A writer of an Excel file, by the tables of its sheets."""

    def save(path):
        from openpyxl import Workbook

        book = Workbook()
        book.remove(book.active)
        for title, text in sheets.items():
            sheet = book.create_sheet(title)
            for row in csv.reader(table(text).splitlines()):
                sheet.append([float(one) if NUMBER.fullmatch(one) else one for one in row])
        book.save(path)

    return save


def zipped(members):
    """A writer of a zip file, by the texts of its members."""

    def save(path):
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in members.items():
                archive.writestr(name, text)

    return save


def said(right):
    """Judges the answer by something that has to be true of it."""

    def judge(answer, directory):
        if not answer.strip():
            return NO_ANSWER
        return RIGHT if right(answer) else WRONG

    return judge


def left(file, right):
    """Judges a file that has to be there, by something that has to be true of its path."""

    def judge(answer, directory):
        if not (directory / file).is_file():
            return NO_ANSWER
        try:
            return RIGHT if right(directory / file) else WRONG
        except (ValueError, csv.Error, zipfile.BadZipFile):
            return WRONG

    return judge


def every(*judges):
    """All of the judges have to agree; otherwise the first objection counts."""

    def judge(answer, directory):
        verdicts = (one(answer, directory) for one in judges)
        return next((one for one in verdicts if one != RIGHT), RIGHT)

    return judge


def number(wanted, slack=1e-6, traps=()):
    """One number is asked for: it is there, no known mistake is, and it is not hidden in many."""
    return said(
        lambda answer: (
            has_number(answer, wanted, slack)
            and not any(has_number(answer, trap, slack) for trap in traps)
            and len(numbers_in(answer)) <= 8
        )
    )


def bare(pattern, wanted):
    """Nothing but a number, written as it was asked for."""
    return said(lambda text: re.fullmatch(pattern, text.strip()) and equal(text, wanted))


def mentioned(answer, names):
    """Those of some names that a text has, in the order of their first places."""
    found = {one: re.search(rf"(?<!\w){re.escape(one)}(?!\w)", answer, re.I) for one in names}
    return sorted((one for one in names if found[one]), key=lambda one: found[one].start())


def name(wanted, rivals, most=2):
    """One name is asked for: it comes first, and no more than a few others are named at all."""

    def right(answer):
        found = mentioned(answer, [wanted, *rivals])
        return found[:1] == [wanted] and len(found) <= most + 1

    return said(right)


def names(wanted, others, ordered=False, digits=True):
    """Some names are asked for, and no others; with digits=False, no figures beside them."""

    def right(answer):
        found = mentioned(answer, [*wanted, *others])
        same = found == wanted if ordered else sorted(found) == sorted(wanted)
        return same and (digits or not re.search(r"\d", RANK.sub("", answer)))

    return said(right)


def pairs(wanted, others=(), slack=0.0051):
    """Every name with its number, either behind all of the names or before all of them."""
    known = sorted([*wanted, *others], key=len, reverse=True)
    parts = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, known))})(?!\w)", re.I)
    values = {one.lower(): value for one, value in wanted.items()}

    def fit(named, texts, which):
        given = [(one, *numbers_in(text)[which]) for one, text in zip(named, texts, strict=True)]
        figures = [one for one in given if len(one) > 1]
        close = all(abs(values[one] - figure) <= slack for one, figure in figures)
        return close and {one for one, _ in figures} == set(values)

    def right(answer):
        pieces = parts.split(RANK.sub("", answer))
        named, texts = [one.lower() for one in pieces[1::2]], pieces[::2]
        if "np." in answer or set(named) != set(values):
            return False
        return fit(named, texts[1:], slice(0, 1)) or fit(named, texts[:-1], slice(-1, None))

    return said(right)


def missing(allowed=()):
    """What is asked for is not there: the answer says so, and has no figure instead."""

    def right(answer):
        invented = set(numbers_in(re.sub(r"\[Errno \d+\]", "", answer))) - set(allowed)
        return MISSING.search(answer) and not invented and "traceback" not in answer.lower()

    return said(right)


def parsed(text):
    """The value of a JSON text, its numbers rounded; None where it is none."""
    try:
        return json.loads(text.strip(), parse_float=lambda one: round(float(one), 6))
    except ValueError:
        return None


def rows_in(path, header):
    """The rows of a CSV file with this header; None where it has another one."""
    rows = [row for row in csv.reader(path.read_text("utf-8-sig").splitlines()) if row]
    return rows[1:] if rows and [one.strip() for one in rows[0]] == header else None


def csv_file(file, text, ordered=False):
    """A file of comma-separated values has to be there, with these columns and rows."""
    header, *wanted = csv.reader(table(text).splitlines())

    def same(given, row):
        return len(given) == len(row) and all(map(equal, given, row))

    def right(path):
        rest = rows_in(path, header)
        if rest is None or len(rest) != len(wanted):
            return False
        for row in wanted:
            at = next((at for at, one in enumerate(rest) if same(one, row)), None)
            if at is None or (ordered and at != 0):
                return False
            rest.pop(at)
        return True

    return left(file, right)


def texts_are(wanted, gone=()):
    """Files have to hold these texts, white space at the end aside; others have to be gone."""
    judges = [
        left(file, lambda path, text=text: path.read_text("utf-8").rstrip() == text.rstrip())
        for file, text in wanted.items()
    ]

    def judge(answer, directory):
        still = any((directory / file).exists() for file in gone)
        return WRONG if still else every(*judges)(answer, directory)

    return judge


def is_picture(path):
    """Whether a file is a PNG of more than a few bytes."""
    return path.stat().st_size > 60 and path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def unzipped(path):
    """The texts of a zip file."""
    with zipfile.ZipFile(path) as archive:
        return {one: archive.read(one).decode() for one in archive.namelist()}


def errand(slug, ask, files, judge, may_change=()):
    """One errand, by its files and its judge."""

    def prepare(directory):
        write(directory, files)

    return Case(f"errand-{slug}", "everyday", ask, prepare, judge, may_change)


def money():
    """Errands about money."""
    expenses = (
        "date,category,amount|2024-02-27,groceries,41.20|2024-03-02,groceries,56.35"
        "|2024-03-04,fuel,60.00|2023-03-18,groceries,33.00|2024-03-09,groceries,38.90"
        "|2024-03-15,dining,27.50|2024-03-16,groceries,72.15|2024-03-28,groceries,19.95"
        "|2024-04-01,groceries,48.60"
    )
    invoices = (
        "invoice,customer,amount,paid|R-101,Adler,120.5,no|R-102,Brandt,99.9,yes|R-103,Conti,310,no"
        "|R-104,Adler,250,yes|R-105,Dubois,45.25,no|R-106,Brandt,12,yes|R-107,Adler,80,no"
    )
    trip = (
        "day,what,amount,currency|1,flight,240.00,EUR|1,bus,12.00,GBP|2,hotel,180.00,GBP"
        "|3,train,64.00,CHF|3,dinner,38.40,CHF|4,museum,22.00,USD|5,taxi,31.00,EUR"
    )
    payments = (
        "date,name,amount|2024-01-05,Maria,40.00|2024-01-11,Martin,25.00|2024-02-02,Mark,60.00"
        "|2024-02-09,Maria,15.50|2024-03-01,Martin,33.20|2024-03-18,Tina,20.00"
    )
    spending = (
        'item,amount|laptop,"$1,250.00"|desk,$310.50|chair,$189.90|monitor,"$1,020.00"|lamp,$34.60'
    )
    limits = "month,limit|January,900|February,850|March,900|April,800|June,900"
    bills = (
        "month,item,amount|January,rent,600|January,food,250|February,rent,600|February,food,240"
        "|March,rent,600|March,food,230|March,shoes,60|April,rent,600|April,food,180"
        "|April,dentist,75|June,rent,600|June,food,290"
    )
    prices = (
        "article,category,price|rye loaf,bread,3.20|baguette,bread,1.90|croissant,pastry,1.60"
        "|muffin,pastry,2.30|spelt loaf,bread,4.50|coffee,drink,2.80|rolls,bread,2.40"
    )
    raised = (
        "article,category,price|rye loaf,bread,3.52|baguette,bread,2.09|croissant,pastry,1.60"
        "|muffin,pastry,2.30|spelt loaf,bread,4.95|coffee,drink,2.80|rolls,bread,2.64"
    )
    # fmt: off
    return [
        errand("groceries",
            "How much did I spend on groceries in March 2024? It's all in expenses.csv. Just give "
            "me the number with two decimals, nothing else.",
            {"expenses.csv": table(expenses)}, bare(r"\d+\.\d\d", 187.35)),
        errand("unpaid",
            "which customers still have unpaid invoices, and how much does each of them owe in "
            "all? see invoices.xlsx",
            {"invoices.xlsx": workbook({"Invoices": invoices})},
            pairs({"Adler": 200.5, "Conti": 310, "Dubois": 45.25}, ["Brandt"])),
        errand("trip-euro",
            "We just came back from our trip. trip.csv has what we paid, in different currencies, "
            "and rates.csv says how many euros one unit of each currency is worth. What did the "
            "whole trip cost in euros? Please round to two decimals.",
            {
                "trip.csv": table(trip),
                "rates.csv": table("currency,euros|EUR,1|GBP,1.17|CHF,1.05|USD,0.92"),
            }, number(623.4, traps=(587.4,))),
        errand("nobody",
            "What did Marta pay in total, according to payments.csv?",
            {"payments.csv": table(payments)}, missing(allowed=(0,))),
        errand("spending-json",
            "Read spending.csv and answer with JSON only, an object with the keys total, average "
            "and largest. All three are plain numbers (dollars, at most two decimals).",
            {"spending.csv": table(spending)},
            said(lambda text: parsed(text) == {"total": 2805, "average": 561, "largest": 1250})),
        errand("over-budget",
            "budget.csv has our limit for every month and bills.csv what we really spent. Did we "
            "go over the limit in any month? Answer yes or no, and if yes name the month.",
            {"budget.csv": table(limits), "bills.csv": table(bills)},
            every(name("yes", ["no"]), names(["April"], ["January", "February", "March", "June"]))),
        errand("price-rise",
            "Flour got expensive. Raise all the prices of the category bread in prices.csv by "
            "10 % (two decimals) and leave all the other rows as they are. Overwrite the file.",
            {"prices.csv": table(prices)},
            every(csv_file("prices.csv", raised, ordered=True),
                  left("prices.csv", lambda path: not re.search(r"\.\d{3}", path.read_text()))),
            ("prices.csv",)),
        errand("loan",
            "I borrow 12000 at 4.5 % interest a year. The interest is added to the debt at the "
            "end of each year and I pay nothing back for 5 years. What do I owe then, to the cent?",
            {}, number(14954.18, traps=(14700,))),
    ]
    # fmt: on


def school():
    """Errands of teachers, clubs and people who collect things."""
    marks = (
        "pupil,maths,physics|Ada,72,80|Bela,85,64|Carl,,71|Dora,64,58|Emil,91,88|Finn,58,|Greta,,90"
        "|Hugo,77,66|Ida,80,79|Jan,70,61"
    )
    members = (
        "name,joined,town|Petra Vogel,02.11.1998,Ulm|Jonas Lind,15.03.1987,Bonn"
        "|Ana Costa,01.06.2004,Ulm|Milo Farkas,23.09.1991,Trier|Ruth Abel,30.01.2010,Bonn"
    )
    contacts = (
        "name,birthday,phone|Lea,1979-10-24,555-0101|Boris,1988-01-10,555-0102"
        "|Tom,1992-10-03,555-0103|Ines,1990-11-10,555-0104|Nora,1985-10-17,555-0105"
        "|Pavel,1983-09-30,555-0106"
    )
    books = (
        "title,author,year,pages|Dune,Herbert,1965,612|Emma,Austen,1815,474|Ulysses,Joyce,1922,730"
        "|Solaris,Lem,1961,204|Momo,Ende,1973,304"
    )
    loans = (
        "title,borrower,due,returned|Dune,Kim,2024-05-20,|Emma,Lou,2024-05-10,2024-05-25"
        "|Momo,Max,2024-06-04,|Solaris,Eva,2024-04-30,|Ulysses,Kim,2024-05-29,|It,Sam,2024-05-28,"
        "2024-05-27"
    )
    rounds = {"Olga": [7, 9, 4], "Sven": [10, 3, 5], "Rita": [8, 8, 9], "Igor": [6, 2, 6]}
    players = [{"name": one, "rounds": points} for one, points in rounds.items()]
    quiz = {"evening": "Friday", "players": [*players, {"name": "Yara", "rounds": [9, 6, 8]}]}
    answers = ["yes"] * 14 + ["no"] * 8 + [""] * 3
    survey = "person,q1,q2|" + "|".join(
        f"{at + 1},{'yes' if at % 3 else 'no'},{answers[at * 7 % 25]}" for at in range(25)
    )
    playlist = (
        "title,artist,length|Harbour,The Pines,3:45|Slow Rain,Mira,5:08|Copper,Mira,4:31"
        "|Long Way,Otis Gray,34:20|Night Bus,The Pines,2:59|Lanterns,Vela,6:47|Again,Vela,4:02"
    )
    mails = (
        "name,email|Anna,anna@mail.com|Ben,ben@web.org|A. Berg,Anna@Mail.com|Cleo,cleo@mail.com"
        "|Ben,BEN@web.org|Dan,dan@web.org|Cleo,cleo@mail.com|Eli,eli@mail.com|Ben B.,ben@mail.com"
    )
    # fmt: off
    return [
        errand("class-average",
            "I'm a teacher and marks.csv has the marks of my class. What is the average in maths? "
            "Pupils who missed the test have nothing there, they must not count. One decimal.",
            {"marks.csv": table(marks)}, number(74.6, traps=(59.7, 73))),
        errand("longest-member",
            "who has been in the club the longest? (members.csv)",
            {"members.csv": table(members)}, name("Jonas", ["Petra", "Ana", "Milo", "Ruth"])),
        errand("october",
            "Which people in contacts.csv have their birthday in October? Give me only the names, "
            "in the order in which the birthdays come in the month.",
            {"contacts.csv": table(contacts)},
            names(["Tom", "Nora", "Lea"], ["Boris", "Ines", "Pavel"], ordered=True, digits=False)),
        errand("no-rating",
            "What's the average rating of the books in books.csv?",
            {"books.csv": table(books)}, missing()),
        errand("overdue",
            "Today is 31 May 2024. loans.csv lists the books that our library has lent out; if a "
            "book is still out, the column returned is empty. Please write overdue.csv with the "
            "books that are still out and were due before today. Columns: title, borrower, "
            "days_overdue (days from the due date until today).",
            {"loans.csv": table(loans)}, csv_file(
                "overdue.csv",
                "title,borrower,days_overdue|Dune,Kim,11|Solaris,Eva,31|Ulysses,Kim,2",
            )),
        errand("quiz-top",
            "top 3 of the quiz night by total points please, best first, with their points. "
            "it's quiz.json",
            {"quiz.json": json.dumps(quiz, indent=1)},
            every(names(["Rita", "Yara", "Olga"], ["Sven", "Igor"], ordered=True),
                  pairs({"Rita": 25, "Yara": 23, "Olga": 20}))),
        errand("survey-yes",
            "Of the people in survey.csv who answered question 2 (column q2) at all, how many "
            "percent said yes? Round to a whole percent.",
            {"survey.csv": table(survey)}, number(64, traps=(56, 68))),
        errand("playlist",
            "how long does my playlist.csv take from start to end? write it as h:mm:ss",
            {"playlist.csv": table(playlist)},
            said(lambda text: set(re.findall(r"\b0?(\d:\d\d:\d\d)\b", text)) == {"1:01:32"})),
        errand("subscribers",
            "newsletter list is newsletter.csv. some people are in it twice, capital letters in "
            "the address make no difference. how many different e-mail addresses are there?",
            {"newsletter.csv": table(mails)}, number(6, traps=(8, 7))),
    ]
    # fmt: on


def household():
    """Errands about texts, numbers and folders at home."""
    trips = (
        "date,car,driver,km|2024-05-01,Golf,Ina,42|2024-05-01,Berlingo,Udo,118|2024-05-02,Golf,Udo,"
        "|2024-05-03,Zoe,Ina,35.5|2024-05-04,Golf,Ina,67|2024-05-06,Zoe,Udo,20"
        "|2024-05-07,Berlingo,Ina,9.5|2024-05-09,Zoe,Ina,14"
    )
    recipes = {
        "recipes/pancakes.txt": "Pancakes\n250 g flour\n3 eggs\n500 ml milk\n",
        "recipes/sponge cake.txt": "Sponge cake\n4 eggs\n120 g sugar\n120 g flour\n",
        "recipes/bread.txt": "Bread\n500 g flour\n350 ml water\n10 g salt\n",
        "recipes/cookies.txt": "Cookies\n200 g flour\n1 egg\n100 g butter\n",
    }
    hours = {
        "January": "date,job,hours|2024-01-08,shop,6|2024-01-15,bar,4.5",
        "February": "date,job,hours|2024-02-05,bar,5|2024-02-12,shop,8",
        "March": "date,job,hours|2024-03-04,shop,7.5|2024-03-11,shop,3",
    }
    letter = (
        "Dear Aunt May,\nthe Garden is lovely this year. Our gardener left, so the garden has\n"
        "grown wild; other gardens are tidy. A garden, you say, needs patience!\n"
        'Is your "garden" dry, too? Gardening helps me.\nLove, Tess\n'
    )
    papers = {
        "papers/receipt_oven.txt": "Oven, 449.00\nWarranty: 3 years\n",
        "papers/receipt_sofa.txt": "Sofa, 899.00\nDelivered in May\n",
        "papers/lease.txt": "The tenant pays the rent by the third of each month.\n",
        "papers/insurance.txt": "Household insurance, sum insured 40000\n",
    }
    # fmt: off
    return [
        errand("car-km",
            "total km per car?",
            {"trips.csv": table(trips)}, pairs({"Golf": 109, "Berlingo": 127.5, "Zoe": 69.5})),
        errand("eggs",
            "I want to cook everything in the folder recipes this weekend, each recipe once. How "
            "many eggs do I have to buy?",
            recipes, number(8, traps=(7,))),
        errand("hours",
            "Add up all the hours in timesheet.xlsx, it has one sheet for every month. How many "
            "hours is that altogether?",
            {"timesheet.xlsx": workbook(hours)}, number(34)),
        errand("word-count",
            'How often does the word "garden" occur in letter.txt? Capitals or not is all the '
            "same, but I mean the word itself: gardens, gardener and so on are other words.",
            {"letter.txt": letter}, number(4, traps=(7, 3))),
        errand("warranty",
            "Somewhere in papers.zip there is a text file that mentions a warranty. Which file?",
            {"papers.zip": zipped(papers)},
            name("receipt_oven", ["receipt_sofa", "lease", "insurance"], most=0)),
    ]
    # fmt: on


def chores():
    """Orders that leave files."""
    shots = ["DSC_0007", "DSC_0011", "IMG_0002", "IMG_0012", "IMG_0031"]
    photos = {f"photos/{one}.jpg": f"picture {one}" for one in shots}
    renamed = {f"photos/holiday_{at:03}.jpg": f"picture {one}" for at, one in enumerate(shots, 1)}
    loose = ["bill.pdf", "SCAN.PDF", "cat.jpg", "map.png", "setup.exe", "todo.txt"]
    places = {"pdf": "pdf/", "jpg": "pictures/", "png": "pictures/", "exe": "", "txt": ""}
    sorted_out = {f"downloads/{places[one[-3:].lower()]}{one}": f"this is {one}" for one in loose}
    guests = (
        "name,guests,meal|Weber,2,meat|Okoye,3,veggie|Weber,2,meat|Lang,1,fish|Lang,2,fish"
        "|Okoye,3,veggie|Weber,2,meat|Sato,4,fish"
    )
    letter = "Dear {name},\n\nthank you for your gift of {amount} euros.\n\nThe board\n"
    givers = {"Alma": "25.00", "Bruno": "130.50", "Chiara": "8.00"}
    weather = (
        "date,fahrenheit|2024-07-01,68|2024-07-02,71|2024-07-03,59|2024-07-04,64|2024-07-05,75"
    )
    weights = "date,kg|2024-01-07,82.4|2024-02-04,81.1|2024-03-03,80.6|2024-04-07,79.2"
    notes = {"monday.txt": "milk, bread", "tuesday.txt": "call Jo", "friday.txt": "pay rent"}
    soup, for_six = (
        {
            "name": "Lentil soup",
            "servings": servings,
            "ingredients": [
                {"item": "lentils", "amount": lentils, "unit": "g"},
                {"item": "carrots", "amount": carrots, "unit": "pieces"},
                {"item": "stock", "amount": stock, "unit": "l"},
            ],
        }
        for servings, lentils, carrots, stock in ((4, 300, 3, 1.2), (6, 450, 4.5, 1.8))
    )
    # fmt: off
    return [
        errand("rename-photos",
            "please rename the jpg files in the folder photos to holiday_001.jpg, holiday_002.jpg "
            "and so on, in the alphabetical order of the names that they have now. the text file "
            "stays as it is.",
            {**photos, "photos/places.txt": "Lisbon, Porto\n"}, texts_are(renamed, gone=photos),
            ("photos/*.jpg",)),
        errand("tidy-downloads",
            "Tidy up the folder downloads: move the pdf files into downloads/pdf and the pictures "
            "(jpg and png) into downloads/pictures. Keep their names. Everything else stays put.",
            {f"downloads/{one}": f"this is {one}" for one in loose},
            texts_are(sorted_out, gone=[f"downloads/{one}" for one in loose[:4]]),
            ("downloads/*.pdf", "downloads/*.PDF", "downloads/*.jpg", "downloads/*.png")),
        errand("guest-list",
            "guests.csv has some lines more than once, exactly the same. Save it without these "
            "repeats as guests_clean.csv, in the same order, and don't change the original.",
            {"guests.csv": table(guests)}, csv_file(
                "guests_clean.csv",
                "name,guests,meal|Weber,2,meat|Okoye,3,veggie|Lang,1,fish|Lang,2,fish|Sato,4,fish",
                ordered=True,
            )),
        errand("thank-you",
            "For every person in donors.csv write a letter from letter.txt: put the person's name "
            "where it says {name} and the amount, exactly as it is written in the csv, where it "
            "says {amount}. Save them in a folder letters, e.g. letters/Alma.txt",
            {
                "letter.txt": letter,
                "donors.csv": table("|".join(["name,amount", *map(",".join, givers.items())])),
            }, texts_are({
                f"letters/{one}.txt": letter.format(name=one, amount=amount)
                for one, amount in givers.items()
            })),
        errand("celsius",
            "My American weather station only knows Fahrenheit. Turn weather.csv into Celsius, one "
            "decimal, and save it as weather_celsius.csv with the columns date and celsius.",
            {"weather.csv": table(weather)}, csv_file(
                "weather_celsius.csv",
                "date,celsius|2024-07-01,20.0|2024-07-02,21.7|2024-07-03,15.0|2024-07-04,17.8"
                "|2024-07-05,23.9",
                ordered=True,
            )),
        errand("weight-plot",
            "draw a line chart of my weight over time (weight.csv) and save it as weight.png",
            {"weight.csv": table(weights)}, left("weight.png", is_picture)),
        errand("zip-notes",
            "Pack all the .txt files of the folder notes into notes.zip. I want just the files at "
            "the top of the zip, no folder inside, and none of the other files.",
            {**{f"notes/{one}": text for one, text in notes.items()}, "notes/plan.md": "# Plan\n"},
            left("notes.zip", lambda path: unzipped(path) == notes)),
        errand("soup-for-six",
            "The soup in recipe.json is for 4 people but we'll be 6. Write recipe6.json, built "
            "just like the original, with servings set to 6 and all the amounts scaled to fit.",
            {"recipe.json": json.dumps(soup, indent=2)},
            left("recipe6.json", lambda path: parsed(path.read_text("utf-8")) == for_six)),
    ]
    # fmt: on


def errands():
    """All thirty."""
    return [*money(), *school(), *household(), *chores()]

"""Thirty tasks from the desks of a school, a shop, a club, a server room and a laboratory."""

import csv
import json
import random
import re
from datetime import date, timedelta
from statistics import mean

from bench.small.cases import Case, equal, has_number
from bench.small.errands import (
    bare,
    csv_file,
    every,
    left,
    missing,
    name,
    names,
    number,
    parsed,
    said,
    table,
    texts_are,
    workbook,
    write,
)
from bench.small.workshop import database

DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
LONG_DAY = re.compile(r"\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*day(s?)\b", re.IGNORECASE)
MARCH_22 = re.compile(
    r"2024-03-22|\b22[-./]0?3[-./]|\b0?3/22/(20)?24|\b22(nd|\.)?( of)? Mar|\bMar(ch|\.)? 22(nd)?\b",
    re.IGNORECASE,
)


def desk_task(slug, ask, files, judge, may_change=()):
    """One task, by its files and its judge."""

    def prepare(directory):
        write(directory, files)

    return Case(f"desk-{slug}", "everyday", ask, prepare, judge, may_change)


def lines(header, rows):
    """The text of a table with commas, by its header and its rows."""
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


def read(text):
    """The rows of a table that is written with bars between the lines."""
    return list(csv.reader(table(text).splitlines()))


def firsts(text, *but):
    """The first cells of such a table, without its header and without some of them."""
    return [row[0] for row in read(text)[1:] if row[0] not in but]


def weekday(wanted):
    """One day of the week is asked for, written out or shortened."""
    judge = name(wanted, [one for one in DAYS if one != wanted])
    return lambda answer, directory: judge(LONG_DAY.sub(r"\1", answer), directory)


def same_rows(given, wanted):
    """Whether two tables have the same cells in the same order."""
    return len(given) == len(wanted) and all(
        len(one) == len(other) and all(map(equal, one, other))
        for one, other in zip(given, wanted, strict=True)
    )


def markdown_table(*wanted):
    """The answer has one Markdown table, with this header and these rows."""

    def right(answer):
        written = [one.strip() for one in answer.splitlines() if "|" in one]
        rows = [[cell.strip(" *`") for cell in one.strip("|").split("|")] for one in written]
        ruled = len(rows) > 1 and all(re.fullmatch(r":?-+:?", cell) for cell in rows[1])
        return ruled and same_rows([rows[0], *rows[2:]], wanted)

    return said(right)


def csv_lines(*wanted):
    """The answer is nothing but these lines with commas."""
    return said(lambda text: same_rows(list(csv.reader(text.strip().splitlines())), wanted))


def sheets_are(wanted):
    """Whether the sheets of an Excel file have these cells, as text."""

    def cells(sheet):
        rows = sheet.iter_rows(values_only=True)
        return [[str(one or "").removesuffix(" 00:00:00") for one in row] for row in rows]

    def right(path):
        from openpyxl import load_workbook

        given = {sheet.title: cells(sheet) for sheet in load_workbook(path)}
        return given == {one: read(text) for one, text in wanted.items()}

    return right


def school():
    """Tasks of a teacher and a student."""
    marks = {
        "Amira": "PAPPPAPPAP", "Bastian": "PPPPPPPPPL", "Carlotta": "PPPPPPPLPP",
        "Daniel": "EPPEAPALPP", "Emre": "PPPPPPPPPL", "Greta": "LPLAPPAPAA",
        "Hanna": "EPPPPEEEPP", "Jakub": "PPPPAAPPAP", "Leonie": "PLPPPPPPPP",
        "Mats": "PPPPPPPPPP", "Nele": "PPEAPPPPPA", "Oskar": "PEEPPELPPP",
        "Pauline": "PLPPPLPPPP", "Selim": "PAPPAPAAAP", "Zoe": "LPPAPLPPPP",
    }  # fmt: skip
    days = "pupil," + ",".join(f"{day} {week}" for week in ("w1", "w2") for day in DAYS[:5])
    often = [one for one, text in marks.items() if text.count("A") >= 3]
    kids = (
        "name,class,age,permission,allergies|Tim Rauch,5b,11,yes,|Lara Moos,5a,10,Yes,nuts"
        "|Ole Brandt,6a,12,yes,|Sina Koch,5a,11,no,|Max Ebner,5b,10,,|Ayla Demir,5b,11,YES,"
        "|Ben Huber,5a,11,yes,milk|Rosa Klein,6b,12,yes,|Jon Peters,5c,10,yes,|Mia Adam,5a,10,yes,"
        "|Kaan Yilmaz,5b,11,no,eggs|Eva Lutz,5b,10,yes,"
    )
    trip = "name,class|Ben Huber,5a|Lara Moos,5a|Mia Adam,5a|Ayla Demir,5b|Eva Lutz,5b|Tim Rauch,5b"
    biology = (
        "pupil,mark|Amelie,64|Cem,71|Dilara,88|Erik,55|Frida,79|Hannes,62|Ilyas,93|Jule,70"
        "|Luca,58|Yusra,83|Yannik,67"
    )
    timetable = (
        "course,day,start,end|Algebra,Monday,09:15,10:45|Rhetoric,Monday,10:45,12:15"
        "|Statistics,Tuesday,10:15,11:45|Ethics,Wednesday,11:00,12:30"
        "|Genetics,Wednesday,14:15,16:45|Spanish,Thursday,08:30,10:00"
        "|Databases,Thursday,10:00,11:30|Ecology,Wednesday,16:15,17:45"
        "|Logic,Friday,11:00,12:30|Drawing,Friday,14:15,16:45"
    )
    courses = list(csv.DictReader(table(timetable).splitlines()))
    graded = (
        "course,ects,grade|Calculus,9,2.3|Mechanics,6,1.7|Lab course,3,pass|Programming,6,1.0"
        "|Chemistry,4,3.3|Optics,5,2.3|Study skills,2,pass|Linear algebra,9,2.7|Electronics,5,1.3"
        "|English,3,1.0|Internship,12,pass"
    )
    marked = [(int(ects), float(one)) for _, ects, one in read(graded)[1:] if one != "pass"]
    weighted = sum(ects * grade for ects, grade in marked) / sum(ects for ects, _ in marked)
    plain = mean(grade for _, grade in marked)
    rooms = (
        "A12,28,projector piano|C03,32,whiteboard|B21,25,projector|B07,24,projector whiteboard"
        "|A02,30,whiteboard projector|C15,18,projector|D01,60,projector speakers|B09,26,"
    )
    equipped = [
        {"room": room, "seats": int(seats), "equipment": things.split()}
        for room, seats, things in read(rooms)
    ]
    chapters = [
        "Chapter 1: The Key\n\nMira found the key under the third stair.\nNobody missed it.\n",
        "Chapter 2: The Door\n\nThe door was green.\n\nIt opened at once, and she thought of "
        "Chapter 1\nof the old book that her aunt had left.\n",
        "Chapter 3: The Stairs\n\nForty steps, then light.\n",
        "Chapter 4: The Lamp\n\nThe lamp still burned.\nShe sat down.\n\nThe sea was loud.\n",
    ]
    # fmt: off
    return [
        desk_task("absent",
            "attendance.csv is my class register of the last two weeks. P means present, L late, "
            "E excused and A absent without an excuse. Which pupils were absent without excuse "
            "three times or more? I have to call their parents.",
            {"attendance.csv": lines(days, [(one, *text) for one, text in marks.items()])},
            names(often, [one for one in marks if one not in often])),
        desk_task("trip-list",
            "For the museum trip: save all the kids of 5a and 5b from kids.csv who have permission "
            "as trip.csv. Some colleagues typed yes, others Yes or YES, it's all the same. Only "
            "the columns name and class, sorted by class and then by name.",
            {"kids.csv": table(kids)}, csv_file("trip.csv", trip, ordered=True)),
        desk_task("no-yusuf",
            "what mark did Yusuf get in the biology test (biology.csv)?",
            {"biology.csv": table(biology)}, missing(allowed=(83,))),
        desk_task("clash",
            "Hi! I've put my timetable for next term into courses.json. Are there two courses that "
            "overlap? If so which ones? (One starting right when another one ends is fine.)",
            {"courses.json": json.dumps({"term": "autumn", "courses": courses}, indent=2)},
            names(["Genetics", "Ecology"], firsts(timetable, "Genetics", "Ecology"))),
        desk_task("weighted-grade",
            "whats my average grade in grades.tsv, weighted by the ects points? courses with just "
            "a pass dont count. two decimals",
            {"grades.tsv": table(graded).replace(",", "\t")},
            number(round(weighted, 2), traps=(round(plain, 2),))),
        desk_task("rooms",
            "I need a room with at least 25 seats and a projector. Take rooms.json and give me all "
            "the rooms that qualify, alphabetically, on one line, separated by semicolons. No "
            "other text please.",
            {"rooms.json": json.dumps(equipped, indent=1)},
            said(lambda text: [one.strip() for one in text.strip().split(";")]
                == ["A02", "A12", "B21", "D01"] and "\n" not in text.strip())),
        desk_task("chapters",
            "Please split story.txt into its chapters: chapters/chapter1.txt, "
            "chapters/chapter2.txt etc. Each file starts with the heading line of its chapter. "
            "The title above the first chapter isn't needed, and story.txt itself stays as it is.",
            {"story.txt": "THE LIGHTHOUSE\n\n" + "\n".join(chapters)},
            every(*(
                left(f"chapters/chapter{at}.txt",
                     lambda path, text=text: path.read_text("utf-8").strip() == text.strip())
                for at, text in enumerate(chapters, 1)
            ))),
    ]
    # fmt: on


def takings():
    """What a shop took on every day it was open: Saturdays are few, and one Wednesday is rare."""
    draw = random.Random(22)
    usual = {0: 310, 1: 340, 2: 420, 3: 390, 4: 690, 5: 840}
    rows = []
    for at in range(42):
        day = date(2024, 9, 2) + timedelta(days=at)
        closed = day.weekday() == 6 or day.isoformat() in {"2024-09-14", "2024-09-28"}
        if not closed:
            amount = usual[day.weekday()] + draw.randint(-6000, 6000) / 100
            rows.append((day, f"{1480.2 if day == date(2024, 9, 18) else amount:.2f}"))
    return lines("date,takings", rows)


def shop():
    """Tasks of the owner of a small shop."""
    articles = (
        "article,purchase,selling|Teapot,14.20,29.90|Cast iron pan,31.50,64.00|Napkins,0.95,2.95"
        "|Candle,2.10,5.50|Tablecloth,11.80,24.50|Corkscrew,3.40,8.90|Bread knife,9.60,21.00"
        "|Vase,7.75,18.00|Coaster,0.60,1.60|Tray,8.20,16.50|Lantern,12.90,34.00|Apron,6.10,14.90"
    )
    quote = (
        "article,quantity,unit_price,total|Hinge,12,1.15,13.80|Handle,7,4.35,30.45"
        "|Screws,3,2.10,6.30|Shelf board,8,11.20,98.60|Paint,3,19.90,59.70|Brush,6,4.40,26.40"
        "|Glue,9,3.30,29.70|Sandpaper,14,0.70,9.10|Varnish,2,16.45,32.90|Dowels,11,0.29,3.19"
    )
    menu = {
        "Starters": "Tomato soup,vegan,5.90|Goat cheese,vegetarian,8.40",
        "Mains": "Beef stew,,17.90|Lentil curry,vegan,12.80|Mushroom risotto,vegetarian,11.50"
        "|Stuffed peppers,vegan,11.90|Trout,,18.50|Bean chili,vegan,13.20|Sausages,,9.80",
        "Desserts": "Fruit salad,vegan,5.20|Cheesecake,vegetarian,5.60",
    }
    card = "# Menu\n\nPrices in euros.\n" + "".join(
        f"\n## {title}\n\n| dish | diet | price |\n|---|---|---|\n"
        + "".join(f"| {' | '.join(row)} |\n" for row in read(text))
        for title, text in menu.items()
    )
    dishes = firsts("dish|" + "|".join(menu.values()), "Stuffed peppers")
    catalogue = (
        "sku,title,price|TX-11,Wool scarf,24.90|TX-14,Felt hat,32.00|TX-15,Gloves,18.50"
        "|TX-20,Socks,7.90|TX-22,Belt,21.00|TX-31,Umbrella,16.40|TX-33,Purse,27.80|TX-40,Tie,19.00"
    )
    changes = (
        "sku,price,title|TX-41,12.50,Bow tie|TX-14,34.50,Felt hat|TX-33,29.00,Purse"
        "|TX-20,8.40,Socks|TX-45,42.00,Rain coat"
    )
    updated = catalogue + "|TX-41,Bow tie,12.50|TX-45,Rain coat,42.00"
    for old, new in (("hat,32.00", "hat,34.50"), ("27.80", "29.00"), ("7.90", "8.40")):
        updated = updated.replace(old, new)
    customers = (
        "customer_id,name,postcode,city,updated|104,Ilse Frank,01067,Dresden,2023-11-02"
        "|101,Pia Sommer,50667,Köln,2022-04-19|102,Jan Kolb,04109,Leipzig,2024-02-28"
        "|101,Pia Sommer,01099,Dresden,2024-01-15|105,Aras Can,20095,Hamburg,2021-08-30"
        "|103,Ute Wolf,99084,Erfurt,2023-06-06|102,Jan Kolb,99084,Erfurt,2021-12-01"
        "|101,Pia Sommer,53111,Bonn,2023-09-09|104,Ilse Frank,01067,Dresden,2020-03-12"
        "|106,Karl Voss,06108,Halle,2024-03-03|105,Aras Can,22765,Hamburg,2023-10-10"
    )
    newest = (
        "customer_id,name,postcode,city,updated|101,Pia Sommer,01099,Dresden,2024-01-15"
        "|102,Jan Kolb,04109,Leipzig,2024-02-28|103,Ute Wolf,99084,Erfurt,2023-06-06"
        "|104,Ilse Frank,01067,Dresden,2023-11-02|105,Aras Can,22765,Hamburg,2023-10-10"
        "|106,Karl Voss,06108,Halle,2024-03-03"
    )
    sales = (
        "rep,region,quarter,revenue|Novak,north,first,18200|Novak,north,second,20100"
        "|Ferri,south,first,22400|Ferri,south,second,19800|Lindt,west,first,15300"
        "|Lindt,west,second,17650|Osei,east,first,20900|Osei,east,second,21150"
    )
    # fmt: off
    return [
        desk_task("best-weekday",
            "till.csv has what we took in my shop on each day we were open. On which weekday do we "
            "take the most on average?",
            {"till.csv": takings()}, weekday("Sat")),
        desk_task("margin",
            "wich article in articles.xlsx has the best margin? I mean selling minus purchase "
            "price, in percent of the selling price",
            {"articles.xlsx": workbook({"Articles": articles})},
            name("Napkins", firsts(articles, "Napkins"))),
        desk_task("quote-check",
            "A supplier sent us quote.xlsx. I have the feeling that not all the totals are "
            "quantity times unit price. Please check every line and tell me which articles have "
            "a wrong total, and what it should be.",
            {"quote.xlsx": workbook({"Quote": quote})},
            every(names(["Shelf board", "Sandpaper"], firsts(quote, "Shelf board", "Sandpaper")),
                  said(lambda text: has_number(text, 89.6) and has_number(text, 9.8)))),
        desk_task("vegan-main",
            "cheapest vegan main course on menu.md and its price?",
            {"menu.md": card},
            every(name("Stuffed peppers", dishes), number(11.9, traps=(5.2, 5.9)))),
        desk_task("price-update",
            "Our supplier sent changes.csv. Put it together with catalogue.csv: an article that is "
            "already in the catalogue gets the new price, an article that isn't gets added at the "
            "end, and all others stay. Save as catalogue_new.csv with the same columns and order "
            "as catalogue.csv. Don't overwrite anything.",
            {"catalogue.csv": table(catalogue), "changes.csv": table(changes)},
            csv_file("catalogue_new.csv", updated, ordered=True)),
        desk_task("newest-address",
            "customers.csv has some customers more than once, because every time they move "
            "somebody adds a new line. Keep only the newest line of each customer_id (see column "
            "updated), sort by customer_id and save it in the same file. Careful with postcodes, "
            "some begin with a zero and that has to stay!",
            {"customers.csv": table(customers)},
            every(csv_file("customers.csv", newest, ordered=True),
                  left("customers.csv", lambda path: all(
                      f",{one}," in path.read_text("utf-8").replace('"', "")
                      for one in ("01099", "04109", "01067", "06108")))),
            ("customers.csv",)),
        desk_task("no-commission",
            "Which of our sales reps earned the highest commission? It's all in sales.xlsx.",
            {"sales.xlsx": workbook({"Sales": sales})},
            missing(allowed=(22400, 42200))),
    ]
    # fmt: on


def club():
    """Tasks of those who run a club."""
    booked = (
        "date,text,in,out|2024-01-09,Hall rent,,120.00|2024-01-15,Membership fees,180.00,"
        "|2024-01-29,Balls,,64.90|2024-02-06,Printer ink,,38.50|2024-02-20,Cake sale,96.40,"
        "|2024-03-05,Hall rent,,120.00|2024-03-14,Travel refund,,88.20|2024-03-22,Shirts,,59.90"
        "|2024-04-02,Membership fees,150.00,|2024-04-16,Referee,,45.00|2024-05-07,Donation,100.00,"
        "|2024-05-21,Hall rent,,120.00|2024-06-04,Summer party,,71.30|2024-06-05,Tickets,213.50,"
    )
    votes = ["Wiebke Thal"] * 17 + ["Anton Ruiz"] * 13 + ["Gil Marsh"] * 6 + [""] * 4
    votes += ["invalid"] * 3
    random.Random(23).shuffle(votes)
    results = (
        "home,away,home_goals,away_goals|Harbour,Mill,3,1|Castle,Meadow,4,1|Bridge,Mill,3,0"
        "|Meadow,Harbour,0,3|Castle,Bridge,2,1|Mill,Castle,1,1|Harbour,Bridge,4,2|Meadow,Mill,1,2"
        "|Bridge,Castle,0,2|Mill,Harbour,0,2|Harbour,Castle,2,2|Bridge,Meadow,2,2|Castle,Mill,2,0"
        "|Harbour,Meadow,1,0|Mill,Bridge,0,1|Meadow,Castle,0,0|Castle,Harbour,3,2|Mill,Meadow,2,0"
        "|Bridge,Harbour,1,0|Meadow,Bridge,2,1"
    )
    standing = [("Castle", 18), ("Harbour", 16), ("Bridge", 10), ("Mill", 7), ("Meadow", 5)]
    members = (
        "id,name|1,Ada Boll|2,Bruno Sah|3,Cora Lind|4,Dino Petri|5,Elsa Kron|6,Fritz Oberg"
        "|7,Gina Moll|8,Hans Ude|9,Ines Roth|10,Jo Stern|11,Kira Zan|12,Levi Amos|13,Mona Fey"
    )
    bookings = (
        "id,member_id,class|1,3,yoga|2,1,spinning|3,3,boxing|4,7,yoga|5,12,yoga|6,1,yoga"
        "|7,16,boxing|8,9,pilates|9,4,spinning|10,7,boxing|11,10,yoga|12,3,pilates|13,17,yoga"
        "|14,12,spinning|15,9,yoga|16,4,yoga"
    )
    seats = "course,seats|Pottery,7|Tango,9|Chess,5|First aid,7|Sewing,4|Guitar,6"
    enrolled = {
        "Pottery": "ccccwc", "Tango": "ccxcc", "Chess": "cccccww", "First aid": "cxcwcx",
        "Sewing": "cccx", "Guitar": "cccccc",
    }  # fmt: skip
    states = {"c": "confirmed", "w": "waiting", "x": "cancelled"}
    states = [(course, states[one]) for course, each in enrolled.items() for one in each]
    enrolments = [(course, f"person{at}", one) for at, (course, one) in enumerate(states, 1)]
    random.Random(25).shuffle(enrolments)
    equipment = (
        "# Equipment\n\nCounted in May by Rolf. Ask him for the key.\n\n"
        "| Item | Pieces | Place |\n|:-----|------:|-------|\n| Tent, large | 3 | cellar |\n"
        "| Tent, small | 7 | cellar |\n| Camping stove | 4 | garage |\n| Rope 20 m | 5 | garage |\n"
        "| Lantern | 12 | cellar |\n| First aid kit | 2 | office |\n| Folding table | 6 | hall |\n"
        "| Bench | 12 | hall |\n\nBroken things are **not** listed.\n"
    )
    counted = (
        'Item,Pieces,Place|"Tent, large",3,cellar|"Tent, small",7,cellar|Camping stove,4,garage'
        "|Rope 20 m,5,garage|Lantern,12,cellar|First aid kit,2,office|Folding table,6,hall"
        "|Bench,12,hall"
    )
    held = ["05-03-2024", "11-12-2023", "02-04-2024", "07-05-2024", "09-01-2024", "06-02-2024"]
    budget = "item,amount|hall,1440|referees,380|travel,615|balls,190|party,270|printing,85"
    # fmt: off
    return [
        desk_task("lowest-cash",
            "cashbook.csv is the cash book of our club, and on 1 January there were 250 euros in "
            "the box. How much was the least that we ever had in the box after an entry, and on "
            "what date was that?",
            {"cashbook.csv": table(booked)}, every(
                number(34.9, traps=(-215.1,)),
                said(lambda text: MARCH_22.search(text) and len(re.findall("2024-", text)) < 2))),
        desk_task("election",
            "We voted for a new chair yesterday, ballots.csv has all the ballots. Who won, and "
            "with what percentage of the valid votes (one decimal)? Empty ones and those marked "
            "invalid are not valid votes.",
            {"ballots.csv": lines("ballot,chair", enumerate(votes, 1))},
            every(name("Wiebke Thal", ["Anton Ruiz", "Gil Marsh"]),
                  number(47.2, traps=(39.5, 43.6, 42.5)))),
        desk_task("league-table",
            "Make the league table from results.csv please. 3 points for a win, 1 for a draw, 0 "
            "for a loss. Just a Markdown table with the columns team and points, best team first.",
            {"results.csv": table(results)}, markdown_table(("team", "points"), *standing)),
        desk_task("never-booked",
            "gym.db is from our booking system (tables members, bookings). how many of the members "
            "havent booked a single class so far?",
            {"gym.db": database({"members": members, "bookings": bookings})},
            number(6, traps=(4,))),
        desk_task("free-seats",
            "How many free seats do our courses have? courses.csv says how many seats there are "
            "and enrolments.csv who enrolled; only the status confirmed takes a seat. Answer as "
            "CSV with the header course,free and only for courses that do have free seats, the "
            "most free seats first. Nothing else, I'm pasting it.",
            {
                "courses.csv": table(seats),
                "enrolments.csv": lines("course,person,status", enrolments),
            },
            csv_lines(("course", "free"), ("Tango", 5), ("First aid", 4), ("Pottery", 2),
                      ("Sewing", 1))),
        desk_task("equipment",
            "turn the table in equipment.md into equipment.csv, same columns, same order of rows. "
            "leave the text around the table out",
            {"equipment.md": equipment}, csv_file("equipment.csv", counted, ordered=True)),
        desk_task("minutes-dates",
            "The minutes in the folder minutes are named like minutes_05-03-2024.txt, that's "
            "day-month-year, so they don't sort properly. Rename them to year first, i.e. "
            "minutes_2024-03-05.txt. The other files in there keep their names.",
            {
                **{f"minutes/minutes_{one}.txt": f"Minutes of {one}\n" for one in held},
                "minutes/minutes_template.txt": "Minutes of\n", "minutes/agenda.txt": "Cash\n",
            },
            texts_are(
                {f"minutes/minutes_{'-'.join(one.split('-')[::-1])}.txt": f"Minutes of {one}\n"
                 for one in held}, gone=[f"minutes/minutes_{one}.txt" for one in held]),
            ("minutes/minutes_*-*.txt",)),
        desk_task("no-budget",
            "How much more did we spend in 2024 than in 2023? Compare the totals of "
            "budget_2024.csv and budget_2023.csv.",
            {
                "budget_2023.csv": table(budget),
                "budget_2022.csv": table(budget.replace("615", "540")),
            }, missing(allowed=(2022, 2023, 2024, 2980))),
    ]
    # fmt: on


def sign_ins():
    """The log of a server: who failed, and who got in."""
    draw = random.Random(26)
    failed = ["root", "admin", "oracle", "mara", "postgres", "jonas"]
    known = ["mara", "jonas", "deploy", "lucie"]
    tries = [("Failed", one) for one in failed * 4] + [("Accepted", one) for one in known * 3]
    draw.shuffle(tries)
    rows = []
    for at, (how, who) in enumerate(tries):
        whom = f"invalid user {who}" if who in {"admin", "oracle", "postgres"} else who
        rows.append(
            f"Jun 12 {at // 6 + 1:02}:{at * 7 % 60:02}:{draw.randint(0, 59):02} gate "
            f"sshd[{2100 + at}]: {how} password for {whom} from 198.51.100.{draw.randint(2, 90)} "
            f"port {draw.randint(30000, 60000)} ssh2"
        )
    rows.insert(9, "Jun 12 02:20:01 gate CRON[2333]: session opened for user backup by (uid=0)")
    return "\n".join(rows) + "\n"


def machines():
    """Tasks of somebody who looks after computers."""
    disks = (
        "Filesystem      Size  Used Avail Use% Mounted on"
        "|/dev/sda1       976M  186M  724M  21% /boot|/dev/sda3       118G  101G   11G  91% /home"
        "|/dev/sda4        59G   45G   12G  80% /var|tmpfs           7.8G  672M  7.1G   9% /run"
        "|/dev/sdb1       1.8T  1.5T  230G  87% /srv/media"
        "|/dev/sdb2       916G  412G  458G  48% /srv/backup"
        "|/dev/sdc1        29G   29G     0 100% /opt|/dev/sdd1       458G  380G   55G  81% /data"
        "|192.0.2.14:/x   3.6T  2.9T  700G  79% /mnt/share"
    )
    config = {
        "listen": {"host": "0.0.0.0", "port": 8443},
        "users": ["mara", "jonas", "lucie"],
        "limits": {"requests": 120, "upload_mb": 25.5},
        "title": "Files, notes and more",
        "debug": False,
    }
    broken = json.dumps(config, indent=2) + "\n"
    for one in ('"lucie"', "25.5", "false"):
        broken = broken.replace(one, one + ",")
    early = (
        "date,early,late|2024-07-08,Tom,Rhea|2024-07-09,Tomas,Tom|2024-07-10,Nadia,Rhea"
        "|2024-07-11,Rhea,Tomas|2024-07-12,Tom,Nadia"
    )
    late = (
        "|2024-07-15,Tom,Tomas|2024-07-16,Rhea,Tom|2024-07-17,Tomas,Rhea|2024-07-18,Tom,Rhea"
        "|2024-07-19,Rhea,Tomas"
    )
    changed = early + re.sub(r"\bTom\b", "Nadia", late)
    notes = "topic,who|Key to the rack,Tom|Holiday list,Rhea"
    # fmt: off
    return [
        desk_task("never-got-in",
            "Look at auth.log. For which user names were there failed logins but no successful "
            "login at all?",
            {"auth.log": sign_ins()},
            names(["root", "admin", "oracle", "postgres"],
                  ["mara", "jonas", "deploy", "lucie", "backup"])),
        desk_task("full-disks",
            "disks.txt is what df -h said. which mount points are more than 80 % full?",
            {"disks.txt": table(disks)},
            names(["/home", "/srv/media", "/opt", "/data"],
                  ["/boot", "/var", "/run", "/srv/backup", "/mnt/share"])),
        desk_task("broken-config",
            "config.json doesn't load anymore since I edited it by hand, I must have left commas "
            "where none belong. Can you repair it so that it's valid JSON again? The values have "
            "to stay exactly what they are.",
            {"config.json": broken, "config.schema.json": '{"type": "object"}\n'},
            left("config.json", lambda path: parsed(path.read_text("utf-8")) == config),
            ("config.json",)),
        desk_task("roster",
            "Tom is on sick leave from 15 July 2024 on. In roster.xlsx, sheet July, put Nadia in "
            "for him in all his shifts (early and late) from that day on. Tomas is somebody else! "
            "Nothing else in the workbook should change.",
            {"roster.xlsx": workbook({"July": early + late, "Notes": notes})},
            left("roster.xlsx", sheets_are({"July": changed, "Notes": notes})),
            ("roster.xlsx",)),
    ]
    # fmt: on


def trials():
    """Reaction times, and the mean of one condition with and without some participants."""
    draw = random.Random(31)
    rows = [
        (f"P{who:02}", condition, draw.randint(*span) + (160 if who in {3, 9} else 0))
        for who in range(1, 13)
        for condition, span in (("congruent", (390, 480)), ("incongruent", (460, 590)))
        for _ in range(2)
    ]
    kept = [ms for who, condition, ms in rows if condition[0] == "i" and who not in {"P03", "P09"}]
    everyone = [ms for _, condition, ms in rows if condition[0] == "i"]
    text = lines("participant,condition,rt_ms", rows).replace(",", "\t")
    return text, round(mean(kept), 1), round(mean(everyone), 1)


def research():
    """Tasks of people who watch, measure and ask."""
    reactions, kept, everyone = trials()
    talk = (
        "Lenz: Welcome, both of you. Shall we start with the river?|Ivo: Yes.|Marta: The river "
        "used to flood every spring, and my grandmother told me how they carried the hens up to "
        "the attic and waited there for three days.|Ivo: We had no hens.|Lenz: And today?|Ivo: "
        "Today there is the dam.|Marta: The dam changed everything, the fish, the meadows, even "
        "the fog in autumn.|Ivo: Not the fog.|Lenz: Why not the fog, in your opinion? You have "
        "lived here longer than anybody else.|Ivo: It comes from the moor, it always did."
        "|Lenz: Thank you.|Ivo: You are welcome."
    )
    draw = random.Random(28)
    fallen = (
        "0 0 3.2 1.1 0 0 7.6 0.4 n/a 0 0 0 5.9 18.4 2.3 0 0 9.7 0 0.8 0 n/a 0 6.1 4.4 0 0 0 1.5 0"
    )
    rain = {f"2024-06-{day:02}": mm for day, mm in enumerate(fallen.split(), 1)}
    measured = [float(mm) for mm in rain.values() if mm != "n/a"]
    summary = {
        "total_mm": round(sum(measured), 6),
        "wettest_day": "2024-06-14",
        "dry_days": measured.count(0),
    }
    places = {
        "Kingfisher": "weir weir", "Grey heron": "pond weir pond", "Coot": "pond pond pond",
        "Mallard": "pond weir marsh pond weir", "Reed warbler": "marsh", "Bittern": "marsh marsh",
        "Lapwing": "meadow marsh", "Skylark": "meadow meadow", "Stork": "meadow pond meadow",
    }  # fmt: skip
    seen = [(one, place) for one, where in places.items() for place in where.split()]
    draw.shuffle(seen)
    birds = [(f"2024-04-{at:02}", *one, draw.randint(1, 9)) for at, one in enumerate(seen, 1)]
    twice = sum(len(set(where.split())) > 1 for where in places.values())
    # fmt: off
    return [
        desk_task("reaction",
            "Mean reaction time in the incongruent condition? Data: trials.tsv. The participants "
            "listed in exclude.txt have to be left out. One decimal.",
            {"trials.tsv": reactions, "exclude.txt": "P03\nP09\n"},
            number(kept, traps=(everyone,))),
        desk_task("most-words",
            "interview.txt is a transcript, every line starts with the name of the speaker. Who of "
            "them says the most words?",
            {"interview.txt": table(talk)}, name("Marta", ["Ivo", "Lenz"])),
        desk_task("rain-json",
            "Summarise rain.csv for me as JSON, nothing but the JSON: total_mm (sum of the rain), "
            "wettest_day (its date as it is in the file) and dry_days (number of days with 0 mm). "
            "n/a means the gauge was broken, forget about those days.",
            {"rain.csv": lines("date,mm", rain.items())},
            said(lambda text: parsed(text) == summary)),
        desk_task("two-places",
            "how many bird species in birds.tsv were seen in at least two diffrent places? answer "
            "with only the number",
            {"birds.tsv": lines("date,species,place,count", birds).replace(",", "\t")},
            bare(r"\d+", twice)),
    ]
    # fmt: on


def desk():
    """All thirty."""
    return [*school(), *shop(), *club(), *machines(), *research()]

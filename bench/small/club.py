"""Twenty-four tasks of people with a club, a class, a choir, a library, a kitchen, a garden."""

import json
import re

from bench.small.cases import Case, has_number
from bench.small.desk import firsts, markdown_table, read
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

SEVERAL = re.compile(r"\b(soprano|alto|tenor|bass)e?s\b", re.IGNORECASE)


def club_task(slug, ask, files, judge, may_change=()):
    """One task, by its files and its judge."""

    def prepare(directory):
        write(directory, files)

    return Case(f"club-{slug}", "everyday", ask, prepare, judge, may_change)


def voice(wanted):
    """One voice of a choir is asked for, or those who sing it."""
    judge = name(wanted, [x for x in ("soprano", "alto", "tenor", "bass") if x != wanted], most=1)
    return lambda answer, directory: judge(SEVERAL.sub(r"\1", answer), directory)


def objects(columns, rows):
    """Rows as JSON would have them."""
    return [dict(zip(columns.split(), row, strict=True)) for row in rows]


def sports():
    """Tasks of those who run a sports club."""
    fees = (
        "name,section,fee,paid|Jana Falk,Tennis,120,120|Ole Marx,Swimming,90,45"
        "|Priya Nair,Tennis,120,|Tom Egger,Running,60,60|Ida Storm,Swimming,90,"
        "|Marc Blanc,Tennis,120,80|Lena Otto,Running,60,30|Yusuf Aksoy,Swimming,90,90"
        "|Total,,750,425"
    )
    door = (
        "2024-06-06 22:05:31 OUT Tilda Berg|2024-06-07 17:58:02 IN Petra Lang"
        "|2024-06-07 18:11:40 IN Ravi Menon|2024-06-07 18:12:03 IN Sven Holt"
        "|2024-06-07 19:40:26 IN Tilda Berg|2024-06-07 20:31:15 OUT Sven Holt"
        "|2024-06-07 21:52:44 OUT Ravi Menon|2024-06-07 21:15:09 OUT Tilda Berg"
        "|2024-06-07 21:47:50 OUT Petra Lang|2024-06-07 22:40:12 DENIED Sven Holt"
        "|2024-06-08 09:02:37 IN Petra Lang|2024-06-08 22:16:58 OUT Petra Lang"
    )
    young = (
        "name,born,section|Alma Reed,2008-05-17,Tennis|Bert Quist,2006-09-01,Running"
        "|Cleo Marsh,2011-12-30,Swimming|Dora Lunt,1979-03-08,Tennis|Eddy Snow,2006-09-02,Tennis"
        "|Finn Abel,,Running|Gwen Pike,2009-02-11,Swimming|Hugo Vance,2006-08-19,Running"
    )
    minors = ["Cleo Marsh", "Gwen Pike", "Alma Reed", "Eddy Snow"]
    members = (
        "name,section,email,joined|Ada Finch,Tennis,ada@club.example,2011|Bo Carr,Running,"
        "bo@club.example,2019|Cid Lowe,Tennis,cid@club.example,1998|Eve Park,Swimming,"
        "eve@club.example,2022|Gil Hart,Running,gil@club.example,2005|Kim Dale,Tennis,,2016"
    )
    # fmt: off
    return [
        club_task("fees-owed",
            "what do our members still owe us all together? its in fees.xlsx, fee is what they "
            "have to pay and paid what they paid so far, empty means nothing yet",
            {"fees.xlsx": workbook({"Fees": fees})}, number(325, traps=(115, 440, 650))),
        club_task("last-out",
            "Who was the last one to leave the gym on 7 June 2024? See door.log.",
            {"door.log": table(door)},
            name("Ravi Menon", ["Petra Lang", "Sven Holt", "Tilda Berg"], most=1)),
        club_task("minors",
            "I need the names of everybody who is still under 18 on 1 September 2024, the youngest "
            "first. Whoever has no birthday in members.csv is left out. Just the names please.",
            {"members.csv": table(young)},
            names(minors, firsts(young, *minors), ordered=True)),
        club_task("no-ages",
            "Whats the average age of our members? (members.csv)",
            {"members.csv": table(members)}, missing(allowed=(6,))),
    ]
    # fmt: on


def school():
    """Tasks of a school."""
    marks = (
        "pupil,class,mark|Ana,7a,2.3|Ben,7b,1.7|Cora,7c,3.0|Dan,7a,2.7|Ella,7B,2.0|Fred,7C,1.0"
        "|Gina,7b,2.3|Hal,7c,2.7|Ivy,7a,|Jon,7b,1.3|Kaya,7a,1.7|Leo,7c,3.7|Mia,7B,2.7|Nils,7c,"
    )
    monday = "name,class|Olga Winter,6a|Ben Adler,6b|Sam Yilmaz,5c|Cora Nimmo,6a"
    thursday = "class,name|5c,Lia Brook|6b,Zeno Katz|5a,Dirk Ames"
    signed = (
        "name,class,day|Ben Adler,6b,Monday|Cora Nimmo,6a,Monday|Dirk Ames,5a,Thursday"
        "|Lia Brook,5c,Thursday|Olga Winter,6a,Monday|Sam Yilmaz,5c,Monday|Zeno Katz,6b,Thursday"
    )
    minutes = {
        "january.txt": "Parents' council\nStatus: approved\n\nThe roof leaks.\n",
        "february.txt": "Parents' council\nStatus: draft\n\nThe budget was approved.\n",
        "march.txt": "Parents' council\nDate: 12 March\nStatus: Approved\n\nNo news.\n",
        "april.txt": "Parents' council\nStatus: not approved\n\nElections.\n",
        "may.txt": "Parents' council\nDate: 7 May\nStatus: approved\n\nDraft of a letter.\n",
    }
    approved = ["january.txt", "march.txt", "may.txt"]
    # fmt: off
    return [
        club_task("best-class",
            "Which class did best in the maths test, on average? Marks go from 1 (very good) to 6, "
            "and whoever has no mark was ill. marks.csv - some typed 7B for 7b, never mind.",
            {"marks.csv": table(marks)}, name("7b", ["7a", "7c"], most=1)),
        club_task("two-days",
            "signup.xlsx has two sheets, Monday and Thursday. I need one list of all of them: "
            "signup.csv with the columns name, class, day, where day is the name of the sheet. "
            "Sort it by name.",
            {"signup.xlsx": workbook({"Monday": monday, "Thursday": thursday})},
            csv_file("signup.csv", signed, ordered=True)),
        club_task("approved-minutes",
            "please move the minutes that are approved from the folder minutes to "
            "minutes/approved. whether they are is in the line that starts with Status: - big or "
            "small letters don't matter. Drafts and all the rest stay where they are",
            {f"minutes/{one}": text for one, text in minutes.items()},
            texts_are(
                {f"minutes/{'approved/' * (x in approved)}{x}": minutes[x] for x in minutes},
                gone=[f"minutes/{'approved/' * (x not in approved)}{x}" for x in minutes]),
            tuple(f"minutes/{one}" for one in approved)),
    ]
    # fmt: on


def library():
    """Tasks of a small library."""
    loans = (
        "reader,book,borrowed,due,returned|Tess,Middlemarch,14.01.2024,11.02.2024,20.02.2024"
        "|Omar,The Overstory,05.04.2024,03.05.2024,|Lutz,Stoner,29.02.2024,28.03.2024,"
        "|Ruth,Persuasion,04.02.2024,03.03.2024,01.03.2024|Tess,Emma,04.05.2024,01.06.2024,"
        "|Omar,Beloved,17.03.2024,14.04.2024,|Nora,Walden,11.05.2024,08.06.2024,09.06.2024"
    )
    books = [row[1] for row in read(loans)[1:] if row[1] != "Stoner"]
    authors = (
        "title,author|Emma,Jane Austen|Persuasion,jane austen|Beloved,Toni Morrison"
        "|The Dispossessed,Ursula Le Guin|Jazz,Toni Morrison |Grimm's Tales,"
        "|The Lathe of Heaven,URSULA LE GUIN|Stoner,John Williams|Sula,Toni Morrison"
        "|Augustus, John Williams|Walden,Henry Thoreau|Song Book,"
    )
    readers = "id,name|1,Tess|2,Omar|3,Lutz|4,Ruth|5,Nora"
    lent = (
        "id,reader_id,book,returned|1,1,Emma,|2,2,Stoner,2024-04-02|3,4,Walden,|4,1,Jazz,2024-03-09"
        "|5,2,Sula,|6,2,Beloved,|7,5,Augustus,2024-05-20|8,4,Emma,2024-01-30|9,2,Persuasion,"
        "|10,1,Walden,2024-02-14|11,4,Stoner,"
    )
    # fmt: off
    return [
        club_task("longest-overdue",
            "Of the books that haven't come back yet, which one was due first? It's all in "
            "loans.csv, the dates are day.month.year.",
            {"loans.csv": table(loans)}, name("Stoner", books, most=1)),
        club_task("authors",
            "How many different authors are in books.csv? An author in other capitals or with a "
            "stray space is still the same one, and empty ones don't count. Only the number.",
            {"books.csv": table(authors)}, bare(r"\d+", 5)),
        club_task("at-home",
            "How many books does each reader have at home right now? library.db (readers, loans) "
            "knows it, a loan without a date in returned is still out. JSON only, name and "
            "number, and without the people who have none.",
            {"library.db": database({"readers": readers, "loans": lent})},
            said(lambda text: parsed(text) == {"Tess": 1, "Omar": 3, "Ruth": 2})),
    ]
    # fmt: on


def choir():
    """Tasks of a choir."""
    singers = (
        "id,name,voice|1,Edda,Soprano|2,Fay,Alto|3,Gus,Tenor|4,Hilde,soprano|5,Ivo,Bass"
        "|6,Jule,alto|7,Kurt,tenor|8,Lea,Soprano|9,Moe,bass|10,Nia,Soprano|11,Pia,Alto"
    )
    came = "101110 010110 111110 110111 011101 111111 111011 011110 110010 111011 100101"
    attendance = "singer_id,rehearsal,present|" + "|".join(
        f"{who},{at},{x}"
        for who, each in enumerate(came.split(), 1)
        for at, x in enumerate(each, 1)
    )
    concert = {
        "income": [("Tickets", 612, "paid"), ("Sponsor", 200, "cancelled"),
                   ("Cake sale", 148.5, "paid"), ("Donation", 60, "paid")],
        "expenses": [("Hall", 380, "paid"), ("Soloist", 350, "paid"), ("Flyers", 74.9, "open"),
                     ("Second piano", 90, "cancelled"), ("Sheet music", 61.6, "paid")],
    }  # fmt: skip
    booked = {side: objects("what euros status", rows) for side, rows in concert.items()}
    songs = [
        ("10", "Nachtlied", "Max Reger", False), ("2", "If Ye Love Me", "Thomas Tallis", False),
        ("4", "Abendlied", "Josef Rheinberger", True), ("1", "Ave verum", "William Byrd", False),
        ("12", "Shenandoah", "Traditional", False), ("7", "O Magnum", "Tomas Victoria", False),
        ("3", "Locus iste", "Anton Bruckner", False), ("11", "The Blue Bird", "C. Stanford", True),
    ]  # fmt: skip
    planned = objects("position title composer dropped", songs)
    kept = sorted((song for song in songs if not song[3]), key=lambda song: int(song[0]))
    sung = "\n".join(f"{at}. {song[1]} ({song[2]})" for at, song in enumerate(kept, 1))
    # fmt: off
    return [
        club_task("best-voice",
            "Who comes to our rehearsals most reliably: sopranos, altos, tenors or basses? I mean "
            "the share of all their rehearsals that they really came to. It's in the database, "
            "tables singers and attendance.",
            {"choir.db": database({"singers": singers, "attendance": attendance})},
            voice("tenor")),
        club_task("profit",
            "Did our concert make a profit? Yes or no, and how much plus or minus. Things marked "
            "as cancelled never happened, don't count those.",
            {"concert.json": json.dumps(booked, indent=1)},
            every(name("no", ["yes"]),
                  said(lambda text: has_number(text, 46) or has_number(text, -46)))),
        club_task("programme",
            "Write the programme of our concert from songs.json to programme.txt, one line per "
            "song like this: 1. Ave verum (William Byrd). In the order of position, songs that "
            "were dropped are left out, and the numbers just run 1, 2, 3 without gaps.",
            {"songs.json": json.dumps(planned, indent=1)}, texts_are({"programme.txt": sung})),
    ]
    # fmt: on


def kitchen():
    """Tasks of those who cook."""
    pancakes = (
        "# Pancakes||For 4 people. Takes 40 minutes.||## Batter||- 3 eggs|- 250 g flour"
        "|- 500 ml milk|- 1 pinch of salt||## On top||- 120 g sugar|- 2 lemons"
        "||Let the batter rest for 20 minutes.|"
    )
    cakes = {
        "Carrot cake": {"eggs": 4, "flour": 300, "carrots": 350},
        "Crumble": {"butter": 150, "flour": 200, "apples": 6},
        "Sponge": {"eggs": 6, "sugar": 180, "flour": 150},
        "Lemon tart": {"lemons": 3, "eggs": 3, "butter": 120},
    }
    cakes = [{"cake": one, "ingredients": things} for one, things in cakes.items()]
    house = "item,amount,unit|Eggs,6,pieces|flour,2000,g|Butter,500,g|eggs,8,pieces|sugar,900,g"
    needed = (
        "item,unit,amount|Sugar,g,600|Flour,g,1500|Eggs,pieces,13|Butter,g,750|Milk,ml,2000"
        "|Lemons,pieces,6|Cocoa,g,200"
    )
    have = (
        "item,unit,amount|flour,g,900|Eggs,pieces,14|BUTTER,g,250|milk,ml,2000|salt,g,400"
        "|sugar,g,150"
    )
    shopping = "item,unit,amount|Butter,g,500|Cocoa,g,200|Flour,g,600|Lemons,pieces,6|Sugar,g,450"
    # fmt: off
    return [
        club_task("pancakes",
            "we'll be 14 for pancakes on saturday. how many grams of flour is that by the recipe?",
            {"pancakes.md": table(pancakes)}, number(875, traps=(3500,))),
        club_task("eggs",
            "Are there enough eggs in the house (pantry.csv) to bake every cake in cakes.json "
            "once? Yes or no, and say why, with the numbers.",
            {"cakes.json": json.dumps(cakes, indent=1), "pantry.csv": table(house)},
            every(name("yes", ["no"]),
                  said(lambda text: has_number(text, 13) and has_number(text, 14)))),
        club_task("shopping",
            "needed.csv is what we need for the camp and pantry.csv what we already have. Make me "
            "a shopping.csv with the same columns as needed.csv: only what still has to be "
            "bought, and the amount that is missing. Sort by item and spell the items as in "
            "needed.csv, in the pantry the capitals are a mess.",
            {"needed.csv": table(needed), "pantry.csv": table(have)},
            csv_file("shopping.csv", shopping, ordered=True)),
    ]
    # fmt: on


def bicycles():
    """Tasks of a bicycle repair shop."""
    jobs = [
        ("2024-02-27", "Brakes", 30, 14.5), ("2024-03-02", "Brakes", 32, 12.5),
        ("2024-03-05", "Gears", 45, 28), ("2024-03-09", "brakes", 24, 0),
        ("2024-03-14", "Flat tyre", 15, 6.9), ("2024-03-20", "BRAKES", 40, 31.8),
        ("2023-03-11", "Brakes", 28, 9.9), ("2024-03-28", "Gears", 38, 0),
        ("2024-03-30", "Brakes", 35, 17.2), ("2024-04-03", "brakes", 26, 11),
    ]  # fmt: skip
    march = [job for job in jobs if job[0].startswith("2024-03") and job[1].lower() == "brakes"]
    stock = (
        "Inner tube 26,4,6|Inner tube 28,11,8|Brake pads,5,5|Chain,2,4|Saddle,1,|Spokes,60,100"
        "|Bell,9,3|Pump,3,3|Rear light,0,2|Basket,2,"
    )
    stock = "\n".join(
        f'[[part]]\nname = "{part}"\npieces = {pieces}\n' + (f"minimum = {low}\n" if low else "")
        for part, pieces, low in read(stock)
    )
    repairs = (
        "job,date,status,price|R-301,28/02/2024,done,64.00|R-302,01/03/2024,done,45.50"
        "|R-303,04/03/2024,cancelled,210.00|R-304,07/03/2024,done,88.75|R-305,13/03/2024,done,19.25"
        "|R-306,19/03/2024,done,132.50|R-307,26/03/2024,done,57.25|R-308,03/04/2024,done,175.00"
        "|R-309,30/03/2024,Cancelled,35.00|R-310,08/04/2024,done,41.20"
    )
    customers = (
        "no,name,phone,bikes|12,Vera Hahn,01715552201,2|15,Rolf Jung,030555118,1"
        "|16,Elif Tan,0151555990,3|21,Bruno Zell,0405557,1|22,Mira Osman,069555043,2"
    )
    phones = [
        {"name": owner, "phone": phone, "bikes": int(bikes)}
        for _, owner, phone, bikes in read(customers)[1:] if int(bikes) > 1
    ]  # fmt: skip
    # fmt: off
    return [
        club_task("brakes",
            "How much did we make with brakes in March 2024, labour and parts together? Every "
            "line of jobs.jsonl is a job.",
            {"jobs.jsonl": "".join(
                f"{json.dumps(one)}\n" for one in objects("day what labour parts", jobs))},
            number(sum(job[2] + job[3] for job in march), traps=(96.7, 230.4, 311.9))),
        club_task("reorder",
            "how many parts in stock.toml are below their minimum? not the ones that are just at "
            "it, and some have no minimum at all, forget these. just the number",
            {"stock.toml": stock}, bare(r"\d+", 4)),
        club_task("march-json",
            "Give me March 2024 from repairs.tsv as a JSON object, nothing around it: jobs (how "
            "many), revenue (sum of the prices) and dearest (job number of the most expensive "
            "one). Dates are day/month/year. Cancelled jobs don't count.",
            {"repairs.tsv": table(repairs).replace(",", "\t")}, said(
                lambda text: parsed(text) == {"jobs": 5, "revenue": 343.25, "dearest": "R-306"})),
        club_task("two-bikes",
            "Put all customers with more than one bike from customers.tsv into customers.json, a "
            "list of objects with name, phone and bikes (a number), in the same order. Mind the "
            "zero at the beginning of the phone numbers, I need that.",
            {"customers.tsv": table(customers).replace(",", "\t")},
            left("customers.json", lambda path: parsed(path.read_text("utf-8")) == phones)),
    ]
    # fmt: on


def garden():
    """Tasks of an allotment garden."""
    harvest = (
        "day;crop;kg|2024-07-02;Courgette;2,1|2024-07-09;Tomato;0,8|2024-07-16;tomato;1,5"
        "|2024-07-23;Beans;1,25|2024-07-30;Tomato;2,35|2024-08-06;Potato;6,4|2024-08-13;TOMATO;3,1"
        "|2024-08-20;Tomato;|2024-08-27;tomato;2|2024-09-03;Potato;7,75|2024-09-10;Tomato;0,9"
    )
    planted = (
        "date,bed,plant,count,state|2024-04-14,North,Leek,12,ok|2024-04-14,South,Lettuce,9,ok"
        "|2024-04-21,West,Kale,6,Dead|2024-04-28,North,Onion,20,dead|2024-05-05,South,Fennel,8,ok"
        "|2024-05-05,West,Kale,7,ok|2024-05-12,North,Celery,3,ok|2024-05-19,Wall,Tomato,5,ok"
        "|2024-05-19,Wall,Pepper,14,DEAD|2024-05-26,West,Chard,4,ok"
    )
    todo = (
        "# To do||The name before the colon is who does it.||- [ ] Mona: water the beans"
        "|- [ ] Ramona: mow the lawn|- [x] Mona: turn the compost|- [ ] Karl: help Mona: the fence"
        "|- [ ] Mona: buy seeds, ask Karl|  - [ ] Mona: carrots|  - [ ] Karl: peas"
        "|- [ ] Ramona: paint the shed||Mona: call me when you are done!"
    )
    ticked = todo.replace("- [ ] Mona:", "- [x] Mona:")
    photos = {
        "Bean Row.JPEG": "bean_row.jpg", "old shed.jpg": "old_shed.jpg", "Roses.JPEG": "roses.jpg",
        "compost.jpg": "compost.jpg", "Read Me.txt": "read_me.txt", "gate 2.jpeg": "gate_2.jpg",
    }  # fmt: skip
    # fmt: off
    return [
        club_task("tomatoes",
            "how many kilos of tomatoes did we harvest, all in all? the commas in the file are "
            "decimal commas",
            {"harvest.csv": table(harvest)}, number(10.65, traps=(4.05, 24.4))),
        club_task("beds",
            "Markdown table please: how many plants are in each bed, by planted.csv? Columns bed "
            "and plants, most plants first. The dead ones don't count. Only the table.",
            {"planted.csv": table(planted)},
            markdown_table(("bed", "plants"), ("South", 17), ("North", 15), ("West", 11),
                           ("Wall", 5))),
        club_task("photo-names",
            "The file names in the folder photos are a mess. I want them all in small letters, "
            "with _ instead of spaces, and .jpg instead of .jpeg. Only that folder.",
            {
                **{f"photos/{one}": f"This was {one}\n" for one in photos},
                "Summer Plan.txt": "Sun\n", "Old Photos.JPEG": "A picture\n",
            },
            texts_are(
                {f"photos/{new}": f"This was {one}\n" for one, new in photos.items()},
                gone=[f"photos/{one}" for one, new in photos.items() if one != new]),
            tuple(f"photos/{one}" for one, new in photos.items() if one != new)),
        club_task("tick-off",
            "Mona has done all of her jobs in todo.md, so put an x in her boxes: [x]. It's her "
            "job if her name is right behind the box. Leave everything else exactly as it is!",
            {"todo.md": table(todo)}, texts_are({"todo.md": table(ticked)}), ("todo.md",)),
    ]
    # fmt: on


def club():
    """All twenty-four."""
    return [*sports(), *school(), *library(), *choir(), *kitchen(), *bicycles(), *garden()]

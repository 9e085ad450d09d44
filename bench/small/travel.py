"""Thirty-four tasks of people who travel, move house, have guests, and keep family records."""

import json
import re
import subprocess
import sys
from datetime import date, timedelta

from bench.small.cases import NO_ANSWER, RIGHT, WRONG, Case, equal, has_number
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


def travel_task(slug, ask, files, judge, may_change=()):
    """One task, by its files and its judge."""

    def prepare(directory):
        write(directory, files)

    return Case(f"travel-{slug}", "everyday", ask, prepare, judge, may_change)


def tabs(text):
    """A table with tabs for its commas."""
    return table(text).replace(",", "\t")


def same(given, wanted):
    """Whether two values of JSON are the same; numbers up to half a cent."""
    if isinstance(wanted, dict):
        alike = isinstance(given, dict) and given.keys() == wanted.keys()
        return alike and all(same(given[key], wanted[key]) for key in wanted)
    if isinstance(wanted, int | float):
        is_number = isinstance(given, int | float) and not isinstance(given, bool)
        return is_number and abs(given - wanted) < 0.005
    return given == wanted


def same_json(wanted):
    """The whole answer is this JSON."""
    return said(lambda text: same(parsed(text), wanted))


def same_csv(wanted):
    """The whole answer is this table, in this order."""

    def is_it(text):
        given = [line.split(",") for line in text.strip().splitlines()]
        if [len(row) for row in given] != [len(row) for row in wanted]:
            return False
        cells = zip(sum(given, []), sum(wanted, []), strict=True)
        return all(equal(one, other) for one, other in cells)

    return said(is_it)


def same_lines(wanted):
    """The whole answer are these lines."""
    return said(lambda text: [line.strip() for line in text.strip().splitlines()] == wanted)


def one_of(*judges):
    """One of several is enough."""

    def judge(answer, directory):
        kinds = [each(answer, directory) for each in judges]
        return RIGHT if RIGHT in kinds else kinds[0]

    return judge


def in_euros(wanted):
    """An amount, with a point or with a comma, and with anything between the thousands."""
    judge = number(wanted)

    def plain(answer, directory):
        return judge(re.sub(r"(?<=\d)[ '\u00a0\u202f](?=\d{3})", "", answer), directory)

    def swapped(answer, directory):
        return plain(answer.translate(str.maketrans(",.", ".,")), directory)

    return one_of(plain, swapped)


def on_day(wanted, others):
    """One day is said, in one of the usual ways, and before any of the others."""
    judge = name(wanted.isoformat(), others, most=1)
    year, month, day = wanted.year, wanted.month, wanted.day
    word, short = f"{wanted:%B}", f"{wanted:%b}"
    ways = (
        rf"0?{day}[./-]0?{month}[./-]{year}|0?{month}/{day}/{year}|{year}[./]0?{month}[./]{day}"
        rf"|{day}(th)?\.?( of)? ({word}|{short}\.?),? {year}"
        rf"|({word}|{short}\.?) {day}(th)?,? {year}"
    )

    def judged(answer, directory):
        return judge(re.sub(ways, wanted.isoformat(), answer, flags=re.IGNORECASE), directory)

    return judged


def prints(script, *pairs):
    """A script is left that prints a number for an argument."""

    def judge(answer, directory):
        if not (directory / script).is_file():
            return NO_ANSWER
        told = [printed(directory, script, given) for given, _ in pairs]
        right = all(has_number(text, wanted) for text, (_, wanted) in zip(told, pairs, strict=True))
        return RIGHT if right else WRONG

    return judge


def printed(directory, *command):
    """What a script prints; nothing where it fails."""
    options = dict(capture_output=True, stdin=subprocess.DEVNULL, text=True, timeout=20, check=True)
    try:
        return subprocess.run([sys.executable, *command], cwd=directory, **options).stdout
    except (subprocess.SubprocessError, UnicodeError):
        return ""


def driven():
    """A diary of trips by car: day, purpose, and both readings."""
    reading, rows = 48210, []
    for at in range(64):
        day = date(2024, 2, 12) + timedelta(days=at)
        purpose = ("work", "private", "work", "school", "work", "private", "private")[at % 7]
        driving = 6 + at * 11 % 37
        rows.append((day.isoformat(), purpose, reading, reading + driving))
        reading += driving + at % 3
    return rows


def spent():
    """What was spent on a journey: day, category, what for, and cents."""
    things = (
        ("food", "bakery"), ("transport", "metro"), ("food", "lunch"), ("museum", "ticket"),
        ("food", "dinner"), ("lodging", "guest house"), ("transport", "bus"), ("gifts", "postcard"),
    )  # fmt: skip
    return [
        ((date(2024, 7, 1) + timedelta(days=at // 5)).isoformat(), *things[at * 5 % 8],
         250 + at * 737 % 4300)
        for at in range(58)
    ]  # fmt: skip


def boxes():
    """The boxes of a household on the move: number, room, kilos, content."""
    room = ("Living room", "Kitchen", "Living room", "Bedroom", "Cellar", "Kitchen", "Living room")
    heavy = {"Living room": 7, "Kitchen": 15, "Bedroom": 6, "Cellar": 11}
    held = {
        "Living room": ("books", "lamps", "games"), "Kitchen": ("pots", "plates", "jars"),
        "Bedroom": ("sheets", "clothes", "shoes"), "Cellar": ("tools", "paint", "skis"),
    }  # fmt: skip
    return [
        (str(at), where, str(heavy[where] + at * 5 % 4), held[where][at % 3])
        for at, where in enumerate((room * 7)[:45], 1)
    ]


def lines(head, rows):
    """A table, by its head and its rows."""
    return "|".join([head, *(",".join(map(str, row)) for row in rows)])


def road():
    """Tasks of those who drive."""
    fuel = (
        "date,station,litres,price_per_litre|2023-05-14,Jet,41.0,1.70|2024-04-27,Aral,38.0,1.80"
        "|2024-05-03,Shell,40.0,1.79|2024-05-11,Jet,35.5,1.72|2024-05-19,Aral,42.0,1.85"
        "|2024-05-30,Jet,28.0,1.75|2024-06-02,Shell,39.0,1.81|2024-06-15,Aral,30.5,1.78"
    )
    diary = driven()
    work = sum(
        end - start for day, why, start, end in diary if why == "work" and day[:7] == "2024-03"
    )
    trains = (
        "departs,train,to,arrives,platform,changes|13:51,IC 2265,Ulm,15:02,7,0"
        "|14:05,RE 4215,Ulm,15:40,3,0|14:58,RE 597,Ulm,16:29,8,0|14:12,RB 1780,Goppingen,14:36,1,0"
        "|14:22,RE 4217,Ulm,15:55,3,1|14:14,ICE 1091,Munich,16:27,9,0|15:22,RE 4219,Ulm,16:55,3,0"
        "|14:47,IC 2267,Ulm,15:58,7,0|16:05,RE 4221,Ulm,17:40,3,0"
    )
    others = [row[1] for row in read(trains)[1:] if row[1] != "IC 2267"]
    filled = (
        "date,odometer,litres|2024-03-02,61200,45.0|2024-03-17,61815,38.5|2024-04-05,62390,36.2"
        "|2024-04-21,63010,41.3|2024-05-09,63700,43.5"
    )
    full = (
        "date,odometer,litres,place|2024-01-06,12040,31.2,Kassel|2024-01-20,12515,29.8,Fulda"
        "|2024-02-03,13020,33.1,Kassel|2024-02-24,13480,28.4,Marburg|2024-03-09,13990,32.6,Fulda"
    )
    route = (
        "day,from,to,km|Monday,Bern,Milan,350|Tuesday,Milan,Parma,125|Tuesday,Parma,Bologna,98"
        "|Wednesday,Bologna,Florence,106|Thursday,Florence,Siena,78|Thursday,Siena,Rome,235"
        "|Thursday,Rome,Caserta,202|Friday,Caserta,Bari,248|Friday,Bari,Lecce,155"
        "|Saturday,Lecce,Matera,196"
    )
    # fmt: off
    return [
        travel_task("fuel-may",
            "How much did I spend on petrol in May 2024? It's in fuel.csv.",
            {"fuel.csv": table(fuel)}, number(259.36)),
        travel_task("work-km",
            "how many km did i drive for work in march? mileage.tsv, it has the reading of the "
            "odometer before and after every trip",
            {"mileage.tsv": tabs(lines("date,purpose,km_start,km_end", diary))}, number(work)),
        travel_task("next-train",
            "I'll be at the station at 14:10 and I don't want to change trains. Which is the next "
            "one to Ulm that I can take? See timetable.csv.",
            {"timetable.csv": table(trains)}, name("IC 2267", others, most=1)),
        travel_task("longest-day",
            "On which day of our road trip do we drive the most, and how many kilometres is that? "
            "The plan is in route.xlsx.",
            {"route.xlsx": workbook({"Route": route})},
            every(name("Thursday", ["Monday", "Tuesday", "Wednesday", "Friday", "Saturday"],
                       most=1),
                  number(515))),
        travel_task("consumption",
            "What does my car need on 100 km, by refuel.csv? Take the litres of all fills except "
            "the first one, and the kilometres between the first and the last odometer reading. "
            "One decimal, and only the number please.",
            {"refuel.csv": table(filled)}, bare(r"\d+\.\d", 6.4)),
        travel_task("no-price",
            "What did I pay for a litre of petrol on average? The log is in refuel.csv.",
            {"refuel.csv": table(full)}, missing(allowed=(5, 4, 100))),
        travel_task("miles-script",
            "Write me a small script miles.py. I call it with a number of kilometres, like "
            "python miles.py 42.195, and it prints how many miles that is, with one decimal. A "
            "mile is 1.609344 km.",
            {"readme.txt": "My little helpers\n"},
            prints("miles.py", ("42.195", 26.2), ("100", 62.1), ("7.5", 4.7))),
    ]
    # fmt: on


def stays():
    """Tasks of those who book and sleep away from home."""
    hotels = [
        ("Casa Azul", "Lisbon", 3, 92.5, "confirmed"), ("Ribeira", "Porto", 2, 110, "cancelled"),
        ("Douro View", "Porto", 2, 88, "confirmed"), ("Old Mill", "Evora", 1, 74.9, "confirmed"),
        ("Praia Rooms", "Lagos", 4, 67.25, "confirmed"), ("Sol Inn", "Lagos", 1, 41, "cancelled"),
    ]  # fmt: skip
    keys = ("hotel", "city", "nights", "price_per_night", "status")
    trip = {
        "trip": "Portugal 2024",
        "bookings": [dict(zip(keys, row, strict=True)) for row in hotels],
    }
    nights = (
        "place,country,check_in,check_out|Innsbruck,Austria,2024-08-27,2024-08-29"
        "|Verona,Italy,2024-08-29,2024-09-02|Bologna,Italy,2024-09-02,2024-09-05"
        "|Ljubljana,Slovenia,2024-09-05,2024-09-08|Trieste,Italy,2024-09-08,2024-09-10"
        "|Graz,Austria,2024-09-10,2024-09-11"
    )
    trips = (
        "year,country,days|2016,France,10|2017,Italy,7|2018,France,5|2018,Norway,12|2019,Italy,9"
        "|2019,France,4|2021,Austria,6|2022,France,8|2022,Norway,10|2023,Italy,14|2024,France,3"
    )
    paying = (
        "booking,hotel,from,price,paid|B-11,Casa Azul,2024-06-01,277.50,277.50"
        "|B-12,Douro View,2024-06-04,176.00,50.00|B-13,Old Mill,2024-06-06,74.90,0"
        "|B-14,Praia Rooms,2024-06-07,269.00,269.00|B-15,Airport Stay,2024-06-11,98.00,97.00"
        "|B-16,Night Train,2024-06-12,118.00,118.00|B-17,Harbour Hotel,2024-06-13,1040.00,300.00"
    )
    open_ones = "|".join(
        ",".join(row) for at, row in enumerate(read(paying)) if not at or row[3] != row[4]
    )
    this_year = (
        "hotel,check_in,nights|Seeblick,2024-02-09,2|Alte Post,2024-04-19,3|Casa Azul,2024-06-01,3"
        "|Fjord Lodge,2024-08-17,6"
    )
    lock = (
        "2024-08-02 16:20:11 front OPEN guest|2024-08-02 22:48:35 front WRONG_CODE -"
        "|2024-08-03 07:55:02 front OPEN guest|2024-08-03 09:14:40 back WRONG_CODE -"
        "|2024-08-03 09:15:03 back WRONG_CODE -|2024-08-03 09:15:51 back OPEN cleaning"
        "|2024-08-03 13:30:17 front CLOSED guest|2024-08-03 18:02:44 front WRONG_CODE -"
        "|2024-08-03 18:03:05 front WRONG_CODE -|2024-08-03 18:03:28 front OPEN guest"
        "|2024-08-03 23:59:10 front WRONG_CODE -|2024-08-04 00:00:21 front WRONG_CODE -"
        "|2024-08-04 00:01:02 front OPEN guest"
    )
    # fmt: off
    return [
        travel_task("hotel-cost",
            "What do the hotels in bookings.json cost us altogether? What is cancelled is free, "
            "leave that out.",
            {"bookings.json": json.dumps(trip, indent=2)}, number(797.4)),
        travel_task("nights-italy",
            "how many nights do we spend in italy?",
            {"stays.csv": table(nights)}, number(9)),
        travel_task("wrong-codes",
            "Somebody tried to get into our holiday flat. How many times was a wrong code typed in "
            "on 3 August? The log of its doors is lock.log.",
            {"lock.log": table(lock)}, number(5)),
        travel_task("trips-table",
            "How often have I been to which country? trips.xlsx has one row for every trip. Answer "
            "with a Markdown table with the columns country and trips, most trips first.",
            {"trips.xlsx": workbook({"Trips": trips})},
            markdown_table(("country", "trips"), ("France", 5), ("Italy", 3), ("Norway", 2),
                           ("Austria", 1))),
        travel_task("unpaid",
            "Please save the bookings that aren't fully paid yet as unpaid.csv, with all the "
            "columns of bookings.csv. Don't change bookings.csv.",
            {"bookings.csv": table(paying)}, csv_file("unpaid.csv", open_ones)),
        travel_task("no-2023",
            "How many nights did we spend in hotels in 2023? That's in hotels_2023.csv.",
            {"hotels_2024.csv": table(this_year), "ideas.txt": "Norway again?\n"},
            missing(allowed=(2023, 2024))),
    ]
    # fmt: on


def money():
    """Tasks about the money of a journey."""
    costs = (
        "date,what,amount|2024-05-02,Train tickets,318.40|2024-05-02,Sandwiches,14.20"
        "|2024-05-03,Guest house,540.00|2024-05-04,Boat trip,96.00|2024-05-05,Groceries,71.35"
        "|2024-05-06,Refund boat trip,-48.00|2024-05-06,Restaurant,128.90|2024-05-08,Bikes,210.00"
        "|2024-05-09,Museum,38.00|2024-05-10,Train tickets,99.45"
    )
    shared = (
        "day,who,what,euros|1,Ana,Petrol,62.40|1,Ben,Groceries,88.10|2,Ana,Camp site,120.00"
        "|2,Caro,Ice cream,14.50|3,Ben,Canoes,96.00|4,Ana,Restaurant,104.60|5,Caro,Petrol,58.40"
        "|5,Ben,Bakery,16.00"
    )
    balance = {"Ana": 147.0, "Ben": 60.1, "Caro": -67.1, "Dirk": -140.0}
    purse = [
        ("GBP", "note", 20, 2), ("USD", "note", 5, 7), ("CHF", "coin", 0.5, 5),
        ("GBP", "coin", 2, 3), ("CHF", "note", 10, 4), ("USD", "coin", 0.25, 9),
        ("GBP", "coin", 0.2, 4),
    ]  # fmt: skip
    wallet = [dict(zip(("currency", "kind", "value", "count"), x, strict=True)) for x in purse]
    abroad = (
        "date,what,amount,currency|2024-09-01,Taxi,35.00,USD|2024-09-02,Museum,50.00,USD"
        "|2024-09-04,Tube,24.00,GBP|2024-09-05,Theatre,80.00,GBP|2024-09-07,Train,112.00,CHF"
        "|2024-09-07,Lunch,27.50,EUR|2024-09-08,Cable car,60.00,CHF|2024-09-09,Bus,18.20,EUR"
    )
    rates = "currency,euros_for_one|USD,0.92|GBP,1.17|CHF,1.05|NOK,0.087"
    receipts = (
        "Date;What;Amount||03.06.2024;Hotel;412,50|04.06.2024;Lunch;23,80|04.06.2024;hotel ;89,90"
        "||05.06.2024;Car hire;1.104,00|06.06.2024;HOTEL;1.250,00|07.06.2024;Parking;12,00"
        "|08.06.2024; Hotel;75,00||TOTAL;;2.967,20"
    )
    cash = (
        "date,what,amount,currency|2024-10-03,Tram,120,CZK|2024-10-03,Dinner,875,CZK"
        "|2024-10-05,Coffee,6.80,CHF|2024-10-06,Cheese,31.40,CHF|2024-10-07,Petrol,54.30,EUR"
        "|2024-10-08,Castle,350,CZK"
    )
    worth = dict(EUR=100, CHF=105, CZK=4)
    in_cash = lines("date,what,amount,currency,eur", [
        (*row, round(float(row[2]) * worth[row[3]]) / 100) for row in read(cash)[1:]
    ])  # fmt: skip
    journey = spent()
    by_category = {
        one: sum(cents for _, category, _, cents in journey if category == one) / 100
        for one in dict.fromkeys(row[1] for row in journey)
    }
    summary = {
        "total": sum(row[3] for row in journey) / 100,
        "days": len({row[0] for row in journey}),
        "by_category": by_category,
    }
    journey = [(*row[:3], f"{row[3] / 100:.2f}") for row in journey]
    # fmt: off
    return [
        travel_task("budget",
            "We had a budget of 1500 euros for the trip. Did we stay under it? Answer yes or no "
            "and tell me by how much. costs.csv has everything, money that came back is negative.",
            {"costs.csv": table(costs)}, every(name("yes", ["no"]), number(31.7))),
        travel_task("split",
            "Ana, Ben, Caro and Dirk share all costs of the trip equally, shared.csv says who paid "
            "what. For each of the four: what they paid minus their share, so plus means they get "
            "money back. As a JSON object, name to number, nothing else.",
            {"shared.csv": table(shared)}, same_json(balance)),
        travel_task("wallet",
            "What foreign money is left in wallet.json? value is what one note or coin is worth. "
            "Give me CSV with the header currency,amount, one line per currency, sorted by "
            "currency, and no other text.",
            {"wallet.json": json.dumps(wallet, indent=1)},
            same_csv(read("currency,amount|CHF,42.5|GBP,46.8|USD,37.25"))),
        travel_task("in-euros",
            "what did all of it cost in euros? expenses.csv, and the exchange rates are in "
            "rates.csv. euros are not in there, they just count as they are",
            {"expenses.csv": table(abroad), "rates.csv": table(rates)},
            in_euros(426.18)),
        travel_task("hotel-receipts",
            "What did I pay for hotels in all? receipts.csv, sorry, it was typed in on a phone. "
            "The comma is the decimal comma and a point is for thousands.",
            {"receipts.csv": table(receipts)}, in_euros(1827.4)),
        travel_task("eur-column",
            "Make cash_eur.csv out of cash.csv: the same rows in the same order, and a column eur "
            "at the end with the amount in euros, rounded to cents. 1 CHF is 1.05 EUR and 1 CZK "
            "is 0.04 EUR.",
            {"cash.csv": table(cash)}, csv_file("cash_eur.csv", in_cash, ordered=True)),
        travel_task("summary",
            "Sum up journey.csv in a file summary.json: total (of all the euros), days (on how "
            "many different days we spent something) and by_category (an object, category to sum).",
            {"journey.csv": table(lines("date,category,what,euros", journey))},
            left("summary.json", lambda path: same(parsed(path.read_text("utf-8")), summary))),
    ]
    # fmt: on


def moving():
    """Tasks of those who move house."""
    packed = boxes()
    rooms = {
        room: [(box, kilos, content) for box, where, kilos, content in packed if where == room]
        for room in dict.fromkeys(row[1] for row in packed)
    }
    weight = {room: sum(int(row[1]) for row in rows) for room, rows in rooms.items()}
    heaviest = max(weight, key=weight.get)
    all_boxes = table(lines("box,room,kg,content", packed))
    tell = (
        "name,street,postcode,town|Power company,Lange Str. 4,04109,Leipzig"
        "|Library,Marktplatz 1,50667,Cologne|Aunt Berta,Am Bach 12,01067,Dresden"
        "|Dentist,Ringweg 30,53111,Bonn|Football club,Stadionallee 9,06108,Halle"
    )
    people = [dict(zip(read(tell)[0], row, strict=True)) for row in read(tell)[1:]]
    old, new = "Gartenweg 7, 50667 Cologne", "Am Hang 12, 53113 Bonn"
    letters = {
        "letters/bank.txt": f"Lea Kern\n{old}\n\nDear bank,\nplease close my account.\n",
        "letters/landlord.txt": f"Dear Ms Roth,\n\nthe keys of {old} are with you.\n{old}: done.\n",
        "letters/school.txt": "Dear school,\n\nPaul moves to another school in Bonn.\n",
        "letters/paper.txt": f"Hello,\nthe daily paper no longer goes to {old}.\nRegards\n",
        "history.txt": f"2015-2024: {old}\n",
    }
    written = {
        one: text.replace(old, new) if one.startswith("letters/") else text
        for one, text in letters.items()
    }
    # fmt: off
    return [
        travel_task("heaviest-room",
            "From which room are the boxes heaviest, all of its boxes together? boxes.csv",
            {"boxes.csv": all_boxes}, name(heaviest, [x for x in rooms if x != heaviest], most=1)),
        travel_task("split-boxes",
            "The movers want a list for each room. Split boxes.csv into one CSV for every room, in "
            "a new folder lists, named after the room in small letters with _ for the space "
            "(lists/living_room.csv and so on). Columns box, kg, content - the room isn't needed.",
            {"boxes.csv": all_boxes},
            every(*[csv_file(f"lists/{room.lower().replace(' ', '_')}.csv",
                             lines("box,kg,content", rows)) for room, rows in rooms.items()])),
        travel_task("address-json",
            "Turn addresses.csv into addresses.json please, a list of objects with the column "
            "names as keys, same order. The postcodes are text, mind the 0 at the beginning.",
            {"addresses.csv": table(tell)},
            left("addresses.json", lambda path: parsed(path.read_text("utf-8")) == people)),
        travel_task("new-address",
            f"We have moved! In all the letters in the folder letters, replace {old} by {new}. "
            "Leave everything else as it is.",
            letters, texts_are(written),
            tuple(one for one in letters if letters[one] != written[one])),
    ]
    # fmt: on


def family():
    """Tasks of those who pack, and keep the papers of a family."""
    shots = (
        "person,vaccine,date|Emil,Tetanus,2021-03-16|Lina,Measles,2009-11-23|Lina,Tetanus,2019-06-14"
        "|Lina,Yellow fever,2023-01-30|Emil,Measles,2013-08-19|Lina,Tetanus,2009-05-27"
        "|Mara,Tetanus,2022-10-18|Lina,Hepatitis A,2022-12-15|Mara,Yellow fever,2016-02-24"
        "|Emil,Hepatitis A,2022-12-15"
    )
    last = date(2019, 6, 14)
    other_days = [row[2] for row in read(shots)[1:] if row[2] != last.isoformat()]
    bags = (
        "Flight to Oslo, luggage||Anton: 21.4 kg|Bea: 23.6 kg|Chris: 9.8 kg (cabin bag)"
        "|Doro: 22.9 kg|Erik: 23.0 kg|Frieda: 26.1 kg|Gustav: 18.25 kg|Hanna: 23.05 kg"
    )
    light = ["Anton", "Chris", "Doro", "Erik", "Gustav"]
    packing = (
        "# Packing list||## Papers|- [x] passports|- [ ] insurance card|- [X] tickets||## Clothes"
        "|- [ ] rain jackets|- [x] jumpers|- [ ] swimsuits|- [ ] hats||## Kitchen|- [x] stove"
        "|- [ ] gas|- [ ] matches|- [x] pot||Not needed: tent, we sleep in huts."
    )
    photos = {
        "IMG_20240713_101502.jpg": "2024-07-13_101502.jpg",
        "IMG_20240713_184455.jpg": "2024-07-13_184455.jpg",
        "IMG_20240802_090010.jpg": "2024-08-02_090010.jpg",
        "IMG_20231224_201133.jpg": "2023-12-24_201133.jpg",
        "beach.jpg": "beach.jpg",
        "VID_20240713_120000.mp4": "VID_20240713_120000.mp4",
    }
    renamed = {one: other for one, other in photos.items() if one != other}
    diary = (
        "date,place,weather|12.05.2024,Avignon,sun|2024-05-03,Lyon,rain|9 May 2024,Orange,wind"
        "|04.05.2024,Vienne,cloudy|2024-05-15,Arles,sun|1 June 2024,Nice,sun|07.05.2024,Livron,rain"
        "|28 April 2024,Dijon,rain|2024-05-21,Marseille,wind"
    )
    sorted_diary = (
        "date,place,weather|2024-04-28,Dijon,rain|2024-05-03,Lyon,rain|2024-05-04,Vienne,cloudy"
        "|2024-05-07,Livron,rain|2024-05-09,Orange,wind|2024-05-12,Avignon,sun"
        "|2024-05-15,Arles,sun|2024-05-21,Marseille,wind|2024-06-01,Nice,sun"
    )
    # fmt: off
    return [
        travel_task("last-tetanus",
            "When did Lina have her last tetanus shot? It should be in vaccinations.csv.",
            {"vaccinations.csv": table(shots)}, on_day(last, other_days)),
        travel_task("no-jonas",
            "when was jonas vaccinated against yellow fever? see vaccinations.csv",
            {"vaccinations.csv": table(shots)}, missing()),
        travel_task("overweight",
            "Every bag may have 23 kg. Whose is too heavy? It's in luggage.txt. Just the names.",
            {"luggage.txt": table(bags)}, names(["Bea", "Frieda", "Hanna"], light)),
        travel_task("not-packed",
            "How many things on my packing list aren't packed yet?",
            {"packing.md": table(packing)}, number(6)),
        travel_task("photo-names",
            "in the folder photos: please rename IMG_20240713_101502.jpg to "
            "2024-07-13_101502.jpg, and so on for all the IMG_ pictures. everything else keeps its "
            "name",
            {f"photos/{one}": f"This was {one}\n" for one in photos},
            texts_are({f"photos/{new}": f"This was {one}\n" for one, new in photos.items()},
                      gone=[f"photos/{one}" for one in renamed]),
            tuple(f"photos/{one}" for one in renamed)),
        travel_task("diary-dates",
            "The dates in my diary.csv are a mess. Save it as diary_sorted.csv, all dates like "
            "2024-05-31, and the oldest day first. Dates with points are day.month.year.",
            {"diary.csv": table(diary)},
            csv_file("diary_sorted.csv", sorted_diary, ordered=True)),
    ]
    # fmt: on


def guests():
    """Tasks of those who have guests."""
    coming = (
        "name,reply,diet|Abel,yes,|Bibi,yes,vegetarian|Carl,no,vegetarian|Dana,yes,vegan"
        "|Egon,maybe,vegan|Fela,yes,vegetarian|Gero,yes,no nuts|Hedi,yes,vegan|Ilja,no,"
        "|Jana,yes,vegetarian|Kian,maybe,|Lola,yes,|Milo,yes,vegetarian|Nele,no,vegan|Odo,yes,"
    )
    asked = (
        "name,sent,reply|Tove Lund,2024-03-01,yes|Samir Zink,2024-03-01,|Bianca Rossi,2024-03-02,no"
        "|Mats Moll,2024-03-02,|Yuki Mori,2024-03-04,yes|Agnes Adler,2024-03-05,"
        "|Pablo Ruiz,2024-03-05,maybe|Edgar Finn,2024-03-06,yes|Clara Cohn,2024-03-09,"
    )
    replies = (
        "name,reply|Nina Abt,yes|Otto Beer,no|Pia Cohn,yes|Quinn Dorn,yes|Rita Ernst,yes"
        "|Sami Frey,no|Theo Gast,yes|Ute Hahn,yes|Vito Imhof,yes"
    )
    seating = "table,seat,name|1,1,Pia Cohn|1,2,Theo Gast|1,3,Otto Beer|2,1,Nina Abt|2,2,Vito Imhof"
    standing = ["Quinn Dorn", "Rita Ernst", "Ute Hahn"]
    invited = (
        "name,from|Anna Weiss,Kiel|Ben Thal,Kiel|anna weiss,Kiel||Carla Uhl,Bremen|Dario Voss,Ulm"
        "|BEN THAL,Kiel|Emma Wolf,Bremen| Carla Uhl,Bremen||Felix Zorn,Ulm|Greta Alm,Kiel"
        "|Anna Weiss ,Kiel|Hugo Born,Ulm|Emma Wolf,Bremen|Ina Clay,Kiel||Total,14"
    )
    # fmt: off
    return [
        travel_task("meat-free",
            "How many meals without meat do we need for the party (guests.csv)? Vegetarians and "
            "vegans both get one, but only if they said yes.",
            {"guests.csv": table(coming)}, number(6)),
        travel_task("no-reply",
            "Who hasn't answered our invitation yet? Names in alphabetical order, one per line, "
            "nothing else. It's invitations.tsv.",
            {"invitations.tsv": tabs(asked)},
            same_lines(["Agnes Adler", "Clara Cohn", "Mats Moll", "Samir Zink"])),
        travel_task("no-seat",
            "Which guests said yes in replies.csv but have no seat in seating.csv yet? I only need "
            "the names.",
            {"replies.csv": table(replies), "seating.csv": table(seating)},
            names(standing, firsts(replies, *standing))),
        travel_task("how-many-invited",
            "how many different people have we invited? invited.csv - it's typed by three of us, "
            "so some are in it twice, capitals or spaces don't make a different person",
            {"invited.csv": table(invited)}, number(9)),
    ]
    # fmt: on


def travel():
    """All thirty-four."""
    return [*road(), *stays(), *money(), *moving(), *family(), *guests()]

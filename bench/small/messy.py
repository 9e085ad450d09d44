"""Files as they come from other people's programs, and what is asked about them."""

import csv
import gzip
import json
import zipfile

from bench.small.cases import RIGHT, WRONG, Case
from bench.small.everyday import leaves, names, says, write

EXPORT = """\
Datum;Kunde;Ort;Betrag
03.01.2024;Müller;München;1.250,50
17.01.2024;Weiß;Köln;80,00
02.02.2024;Jäger;München;319,75
28.02.2024;Groß;Düsseldorf;1.000,25
"""
TITLED = """\
Quarterly report
Printed on 2024-04-02

branch,visitors,sales
Harbour,120,3400
Airport,340,9100
Old Town,95,2150
"""
DATES = """\
id,joined,name
1,2024-03-04,Ann
2,05.03.2024,Bo
3,"March 6, 2024",Cy
4,2024/03/07,Di
5,8 Mar 2024,Ed
"""
SURVEY = """\
respondent,age,answer,satisfied
1,34,yes,80%
2,n/a,Yes,65%
3,51,no,90%
4,28,YES ,72%
5,-,No,55%
6,45,yes,88%
"""
EVENTS = [
    {"at": "2024-05-01T08:00:00", "level": "info", "user": {"name": "ann"}},
    {"at": "2024-05-01T09:30:00", "level": "error", "user": {"name": "bo"}},
    {"at": "2024-05-02T10:00:00", "level": "error", "user": {"name": "ann"}},
    {"at": "2024-05-03T11:45:00", "level": "warning", "user": {"name": "cy"}},
    {"at": "2024-05-03T12:00:00", "level": "error", "user": {"name": "ann"}},
]
MONTHS = {
    "january": "item,amount\nrent,900\nfood,310.5\n",
    "february": "item,amount\nrent,900\nfood,287.25\ntrain,49\n",
    "march": "item,amount\nrent,920\nfood,301\n",
}
TRIPS = """\
day,distance_m,minutes
2024-06-03,5200,31
2024-06-04,8100,47
2024-06-08,12500,75
2024-06-10,4900,30
2024-06-15,15300,95
"""
SENSORS = "time,sensor,value\n" + "".join(
    f"2024-01-01 {hour:02}:00,{sensor},{-999 if hour == 13 and sensor == 'b' else hour + extra}\n"
    for hour in range(24)
    for sensor, extra in (("a", 0), ("b", 10))
)
GRADES = """\
student,maths,physics,chemistry
Ida,1.3,2.0,1.7
Jon,3.0,2.7,
Kim,2.0,1.0,2.3
Leo,4.0,3.7,3.3
"""


def messy():
    """Questions about such files, and things to be done with them."""
    export = _bytes("export.csv", EXPORT.encode("latin-1"))
    survey, trips = write(survey_csv=SURVEY), write(trips_csv=TRIPS)
    lines = "".join(json.dumps(event) + "\n" for event in EVENTS)
    months = write(**{f"{name}_csv": text for name, text in MONTHS.items()})
    return [
        _ask("comma total", "What is the sum of Betrag in export.csv?", says(2650.5), export),
        _ask("comma city", "How much did customers from München pay, by export.csv?",
             says(1570.25), export),
        _ask("sheets", "What were the total costs in 2024? The file is costs.xlsx.", says(700),
             _workbook),
        _ask("title lines", "Which branch in report.csv had the most visitors?",
             names("airport", without=["harbour"]), write(report_csv=TITLED)),
        _ask("title sum", "What are the sales of all branches together in report.csv?",
             says(14650), write(report_csv=TITLED)),
        _ask("age gaps", "What is the average age in survey.csv, leaving out unknown ones?",
             says(39.5), survey),
        _ask("spellings", "How many people answered yes in survey.csv?", says(4), survey),
        _ask("percent text", "What is the mean of satisfied in survey.csv?", _either(75, 0.75),
             survey),
        _ask("json lines", "How many errors did ann have, by events.jsonl?", says(2),
             write(events_jsonl=lines)),
        _ask("gzip", "How many lines of server.log.gz contain timeout?", says(2),
             _bytes("server.log.gz", gzip.compress(b"ok\ntimeout a\nok\nTimeout?\ntimeout b\n"))),
        _ask("three files", "What did I spend on food from january.csv to march.csv in all?",
             says(898.75), months),
        _ask("weekends", "How many kilometres were run on weekends in trips.csv?", says(27.8),
             trips),
        _ask("speed", "What was the fastest day in trips.csv, in minutes per kilometre?",
             names("2024-06-04", without=["2024-06-15"]), trips),
        _ask("bad sensor", "In sensors.csv -999 means that there was no value. What is the "
             "average of sensor b?", says((sum(range(10, 34)) - 23) / 23, 0.01),
             write(sensors_csv=SENSORS)),
        _ask("best student", "Who has the best average in grades.csv? 1.0 is the best grade.",
             names("ida", without=["leo"]), write(grades_csv=GRADES)),
        _ask("biggest file", "Which file in the folder backup is the biggest?",
             names("photos.tar", without=["notes.txt"]),
             write(backup__notes_txt="x" * 90, backup__photos_tar="x" * 4000,
                   backup__mail_mbox="x" * 700)),
        _do("dates", "Write clean.csv: dates.csv with all dates in joined as YYYY-MM-DD.",
            write(dates_csv=DATES), _has_dates),
        _do("one file", "Combine january.csv, february.csv and march.csv into all.csv, with a "
            "column month.", months, _is_combined),
        _do("by kind", "Sort the files in downloads into a subfolder for each extension: "
            "downloads/pdf, downloads/csv and so on.",
            write(downloads__a_pdf="1", downloads__b_csv="2", downloads__c_pdf="3", keep_pdf="4"),
            lambda d: (d / "downloads/pdf/c.pdf").read_text() == "3"
            and (d / "downloads/csv/b.csv").read_text() == "2" and (d / "keep.pdf").exists(),
            ("downloads/*",)),
        _do("numbered", "Rename the files in scans to page-01.txt, page-02.txt and so on, in the "
            "order of their names.",
            write(**{f"scans__img{n}_txt": str(n) for n in (103, 107, 111, 120)}),
            lambda d: [(d / f"scans/page-0{n}.txt").read_text() for n in (1, 2, 3, 4)]
            == ["103", "107", "111", "120"], ("scans/*",)),
        _do("unpack", "Unpack bundle.zip and put all its .csv files into a folder named tables.",
            _zip, lambda d: sorted(one.name for one in (d / "tables").iterdir())
            == ["a.csv", "b.csv"]),
        _do("summary", "Write summary.json with the number of rows and the mean of minutes in "
            "trips.csv, as rows and mean_minutes.", trips,
            lambda d: json.loads((d / "summary.json").read_text())
            == {"rows": 5, "mean_minutes": 55.6}),
    ]  # fmt: skip


def _ask(name, ask, judge, prepare):
    return Case(name, "messy", ask, prepare, judge)


def _do(name, ask, prepare, check, may_change=()):
    return Case(name, "messy", ask, prepare, leaves(check), may_change)


def _bytes(name, content):
    return lambda directory: (directory / name).write_bytes(content)


def _either(*values):
    def judge(answer, directory):
        return RIGHT if any(says(one)(answer, directory) == RIGHT for one in values) else WRONG

    return judge


def _workbook(directory):
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "2023"
    for sheet, costs in (("2023", (100, 250)), ("2024", (300, 150, 250))):
        page = book[sheet] if sheet in book.sheetnames else book.create_sheet(sheet)
        page.append(("month", "costs"))
        for month, cost in enumerate(costs, 1):
            page.append((month, cost))
    book.save(directory / "costs.xlsx")


def _zip(directory):
    with zipfile.ZipFile(directory / "bundle.zip", "w") as archive:
        for name in ("a.csv", "deep/b.csv", "read.me"):
            archive.writestr(name, "x\n1\n")


def _has_dates(directory):
    rows = list(csv.DictReader((directory / "clean.csv").read_text().splitlines()))
    return [row["joined"] for row in rows] == [f"2024-03-0{day}" for day in (4, 5, 6, 7, 8)]


def _is_combined(directory):
    rows = list(csv.DictReader((directory / "all.csv").read_text().splitlines()))
    return len(rows) == 7 and len({row["month"] for row in rows}) == 3

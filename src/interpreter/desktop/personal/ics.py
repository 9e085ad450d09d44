"""Events of an iCalendar file: read, written, and when one that repeats comes next."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from interpreter.protocol.values import frozen

MOST_REPEATS = 5_000
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_ESCAPES = {"\\n": "\n", "\\N": "\n", "\\,": ",", "\\;": ";", "\\\\": "\\"}
Step = Literal["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]


@frozen
class Event:
    """One event, in local time; `lines` are those of the file."""

    title: str
    start: datetime
    end: datetime
    location: str = ""
    notes: str = ""
    rule: str = ""
    lines: tuple[str, ...] = ()


def unfolded(text: str) -> list[str]:
    """The lines of a file of this family, joined where they were broken."""
    return re.sub(r"\r?\n[ \t]", "", text).replace("\r\n", "\n").split("\n")


def plain(value: str) -> str:
    """A text without its escapes."""
    return re.sub(r"\\[nN,;\\]", lambda found: _ESCAPES[found[0]], value)


def events(text: str) -> Iterator[Event]:
    """All events of a calendar; what is none is passed over."""
    block: list[str] | None = None
    for line in unfolded(text):
        if line.upper() == "BEGIN:VEVENT":
            block = []
        elif line.upper() == "END:VEVENT" and block is not None:
            if (event := _event(block)) is not None:
                yield event
            block = None
        elif block is not None:
            block.append(line)


def _event(lines: list[str]) -> Event | None:
    fields: dict[str, tuple[str, str]] = {}
    for line in lines:
        name, _, value = line.partition(":")
        word, _, parameters = name.partition(";")
        fields.setdefault(word.upper(), (parameters, value))
    try:
        start = _moment(*fields["DTSTART"])
        end = _moment(*fields["DTEND"]) if "DTEND" in fields else start
    except (KeyError, ValueError):
        return None

    def text(name: str) -> str:
        return plain(fields.get(name, ("", ""))[1])

    rule = fields.get("RRULE", ("", ""))[1]
    place, notes = text("LOCATION"), text("DESCRIPTION")
    return Event(text("SUMMARY"), start, end, place, notes, rule, tuple(lines))


def _moment(parameters: str, value: str) -> datetime:
    if len(value) == 8:
        return datetime.strptime(value, "%Y%m%d")
    found = datetime.strptime(value.rstrip("Z"), "%Y%m%dT%H%M%S")
    zone = re.search(r"TZID=([^;:]+)", parameters)
    if value.endswith("Z"):
        return found.replace(tzinfo=UTC).astimezone().replace(tzinfo=None)
    if zone:
        try:
            there = found.replace(tzinfo=ZoneInfo(zone[1].strip('"')))
        except (KeyError, ValueError):  # a name of somebody's own
            return found
        return there.astimezone().replace(tzinfo=None)
    return found


def times(event: Event, start: datetime, end: datetime) -> Iterator[tuple[datetime, datetime]]:
    """When an event is, between two moments, with those times to which it repeats."""
    length = event.end - event.start
    for begin in _starts(event):
        if begin >= end:
            return
        if begin + length > start or begin >= start:
            yield begin, begin + length


def _starts(event: Event) -> Iterator[datetime]:
    rule = dict(part.split("=", 1) for part in event.rule.upper().split(";") if "=" in part)
    if rule.get("FREQ") not in ("DAILY", "WEEKLY", "MONTHLY", "YEARLY"):
        yield event.start
        return
    until = _moment("", rule["UNTIL"]) if "UNTIL" in rule else datetime.max
    count = int(rule.get("COUNT", MOST_REPEATS))
    for number, begin in enumerate(_repeated(event.start, rule)):
        if begin > until or number >= min(count, MOST_REPEATS):
            return
        yield begin


def _repeated(start: datetime, rule: dict[str, str]) -> Iterator[datetime]:
    every = max(1, int(rule.get("INTERVAL", "1")))
    days = [DAYS.index(day) for day in rule.get("BYDAY", "").split(",") if day in DAYS]
    for step in range(MOST_REPEATS):
        match rule["FREQ"]:
            case "DAILY":
                yield start + timedelta(days=step * every)
            case "WEEKLY":
                monday = start - timedelta(days=start.weekday()) + timedelta(weeks=step * every)
                week = [monday + timedelta(days=day) for day in sorted(days or [start.weekday()])]
                yield from (day for day in week if day >= start)
            case "MONTHLY":
                months = start.month - 1 + step * every
                year, month = start.year + months // 12, months % 12 + 1
                if year <= date.max.year and start.day <= _days_in(year, month):
                    yield start.replace(year=year, month=month)
            case _:
                year = start.year + step * every
                if year <= date.max.year and start.day <= _days_in(year, start.month):
                    yield start.replace(year=year)


def _days_in(year: int, month: int) -> int:
    after = date(year + month // 12, month % 12 + 1, 1) if year < date.max.year else date.max
    return (after - timedelta(days=1)).day


def written(title: str, start: datetime, end: datetime, location: str, notes: str) -> str:
    """An event as lines of a file."""
    lines = [
        "BEGIN:VEVENT", f"UID:{uuid.uuid4()}@reploop",
        f"DTSTAMP:{datetime.now(UTC):%Y%m%dT%H%M%SZ}",
        f"DTSTART:{start.astimezone(UTC):%Y%m%dT%H%M%SZ}",
        f"DTEND:{end.astimezone(UTC):%Y%m%dT%H%M%SZ}",
        f"SUMMARY:{_escaped(title)}",
        *([f"LOCATION:{_escaped(location)}"] if location else []),
        *([f"DESCRIPTION:{_escaped(notes)}"] if notes else []),
        "END:VEVENT",
    ]  # fmt: skip
    return "\r\n".join(map(_folded, lines))


def _escaped(text: str) -> str:
    for sign in ("\\", ",", ";"):
        text = text.replace(sign, "\\" + sign)
    return re.sub(r"\r\n|\r|\n", r"\\n", text)


def _folded(line: str) -> str:
    pieces = [line[at : at + 60] for at in range(0, len(line), 60)] or [""]
    return "\r\n ".join(pieces)

"""`computer.calendar` over .ics files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path

from interpreter.desktop.personal import ics
from interpreter.desktop.personal.accounts import text_of
from interpreter.protocol import safe_files
from interpreter.protocol.desktop import DesktopError

MOST_EVENTS = 500
EMPTY = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//reploop//EN\r\nEND:VCALENDAR\r\n"
MISSING = "No calendar is named here: write its .ics file into accounts.toml (docs/computer.md)."


class Calendar:
    """The user's calendars; new events go into the first one, or into the one that is named."""

    def __init__(self, files: Callable[[], Sequence[Path]]) -> None:
        self._files = files

    def get_events(
        self, start_date: str | None = None, end_date: str | None = None
    ) -> list[dict[str, str]]:
        """The events of a day, today's without one, or until another day, in order."""
        first = _moment(start_date) if start_date else _today()
        start = first.replace(hour=0, minute=0, second=0, microsecond=0)
        last = _moment(end_date) if end_date else first
        end = last.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        found = [
            (begin, until, event, file.stem)
            for file in self._sure()
            for event in ics.events(text_of(file))
            for begin, until in ics.times(event, start, end)
        ]
        return [
            {"title": event.title, "start": begin.isoformat(), "end": until.isoformat(),
             "location": event.location, "notes": event.notes, "calendar": calendar}
            for begin, until, event, calendar in sorted(found, key=lambda one: one[0])[:MOST_EVENTS]
        ]  # fmt: skip

    def create_event(
        self, title: str, start_date: str, end_date: str, location: str = "", notes: str = "",
        calendar: str | None = None,
    ) -> str:  # fmt: skip
        """Write an event into a calendar."""
        start, end = _moment(start_date), _moment(end_date)
        if end < start:
            raise DesktopError("The event ends before it begins.")
        file = self._named(calendar)
        text = text_of(file, missing=EMPTY)
        at = text.upper().rfind("END:VCALENDAR")
        if at < 0:
            raise DesktopError(f"{file} is no calendar.")
        event = ics.written(title, start, end, location, notes)
        safe_files.write(file.resolve(), f"{text[:at]}{event}\r\n{text[at:]}")
        return f"Written into {file.stem}."

    def delete_event(
        self, event_title: str, start_date: str, calendar: str | None = None
    ) -> str:  # fmt: skip
        """Delete the event of this title that begins then."""
        start, file = _moment(start_date), self._named(calendar)
        text = text_of(file)
        found = [one for one in ics.events(text) if one.title == event_title and one.start == start]
        if len(found) != 1:
            raise DesktopError(f"There are {len(found)} such events; nothing was deleted.")
        lines = ics.unfolded(text)
        for at in range(len(lines)):
            until = at + len(found[0].lines)
            if tuple(lines[at:until]) == found[0].lines:
                kept = [*lines[: at - 1], *lines[until + 1 :]]  # with the lines around it
                safe_files.write(file.resolve(), "\r\n".join(kept))
                break
        return f"Deleted from {file.stem}."

    def get_first_calendar(self) -> str:
        """The name of the calendar that new events go to."""
        return self._sure()[0].stem

    def _sure(self) -> Sequence[Path]:
        files = self._files()
        if not files:
            raise DesktopError(MISSING)
        return files

    def _named(self, calendar: str | None) -> Path:
        files = self._sure()
        found = next((one for one in files if calendar in (None, one.stem)), None)
        if found is None:
            known = ", ".join(one.stem for one in files)
            raise DesktopError(f"There is no calendar {calendar!r}; there are: {known}.")
        return found


def _today() -> datetime:
    return datetime.combine(date.today(), datetime.min.time())


def _moment(given: str | date) -> datetime:
    """A moment in local time, as `2026-05-01T10:00` or a date of Python's."""
    if isinstance(given, datetime):
        return given.astimezone().replace(tzinfo=None) if given.tzinfo else given
    if isinstance(given, date):
        return datetime.combine(given, datetime.min.time())
    try:
        found = datetime.fromisoformat(given)
    except ValueError as error:
        raise DesktopError(f"{given!r} is no moment; write it as 2026-05-01T10:00.") from error
    return found.astimezone().replace(tzinfo=None) if found.tzinfo else found

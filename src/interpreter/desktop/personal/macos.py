"""The same through the applications of macOS. **Untested**: nobody has run it on a Mac.

Whatever is given reaches AppleScript as an argument, never as a part of a program.
"""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from interpreter.protocol.desktop import DesktopError

SECONDS = 60.0
APPLE_TIME = datetime(2001, 1, 1, tzinfo=UTC)  # whence its nanoseconds are counted
_MESSAGES = """
    SELECT handle.id, message.is_from_me, message.date, message.text
    FROM message LEFT JOIN handle ON handle.ROWID = message.handle_id
    WHERE message.text IS NOT NULL AND (? IS NULL OR handle.id = ?)
        AND (? IS NULL OR instr(lower(message.text), lower(?)))
    ORDER BY message.date DESC LIMIT ?"""
FIELD, ROW = "\x1f", "\x1e"
_MAILS = """on run argv
  set told to ""
  tell application "Mail"
    if item 2 of argv is "1" then
      set found to (messages of inbox whose read status is false)
    else
      set found to messages of inbox
    end if
    set most to (item 1 of argv) as integer
    if (count of found) < most then set most to (count of found)
    repeat with number from 1 to most
      set one to item number of found
      set told to told & (sender of one) & (ASCII character 31) & (subject of one) & ¬
        (ASCII character 31) & (date received of one as string) & (ASCII character 31) & ¬
        (content of one) & (ASCII character 30)
    end repeat
  end tell
  return told
end run"""
_SEND = """on run argv
  tell application "Mail"
    set draft to make new outgoing message with properties ¬
      {subject:item 2 of argv, content:item 3 of argv, visible:false}
    tell draft to make new to recipient with properties {address:item 1 of argv}
    repeat with number from 4 to (count of argv)
      tell content of draft to make new attachment with properties ¬
        {file name:(POSIX file (item number of argv))} at after last paragraph
    end repeat
    send draft
  end tell
end run"""
_UNREAD = 'tell application "Mail" to return unread count of inbox'
_TEXT = """on run argv
  tell application "Messages"
    set service to 1st account whose service type = iMessage
    send (item 2 of argv) to participant (item 1 of argv) of service
  end tell
end run"""
_PHONE = """on run argv
  tell application "Contacts"
    return value of first phone of (first person whose name contains (item 1 of argv))
  end tell
end run"""
_ADDRESS = """on run argv
  tell application "Contacts"
    return value of first email of (first person whose name contains (item 1 of argv))
  end tell
end run"""


def osascript(program: str, *arguments: str) -> str:
    """Run a program of ours with these arguments; what it says."""
    command = ["osascript", "-e", program, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DesktopError(f"AppleScript could not be run: {error}") from error
    if done.returncode:
        raise DesktopError(f"AppleScript says: {done.stderr.strip()}")
    return done.stdout.rstrip("\n")


class MacMail:
    """`computer.mail` by Mail."""

    def get(self, number: int = 5, unread: bool = False) -> list[dict[str, str]]:
        """The newest mails."""
        rows = osascript(_MAILS, str(int(number)), "1" if unread else "0").split(ROW)
        names = ("from", "subject", "date", "body")
        return [dict(zip(names, row.split(FIELD), strict=False)) for row in rows if row.strip()]

    def unread_count(self) -> int:
        """How many mails are not read yet."""
        return int(osascript(_UNREAD) or 0)

    def send(
        self, to: str, subject: str, body: str, attachments: list[str] | None = None
    ) -> str:  # fmt: skip
        """Send a mail."""
        osascript(_SEND, to, subject, body, *(attachments or []))
        return f"Sent to {to}."


class MacContacts:
    """`computer.contacts` by Contacts."""

    def get_phone_number(self, name: str) -> str:
        """The first number of somebody."""
        return osascript(_PHONE, name)

    def get_email_address(self, name: str) -> str:
        """The first address of somebody."""
        return osascript(_ADDRESS, name)


class Sms:
    """`computer.sms` by Messages, which only macOS has."""

    def __init__(self, *, is_mac: bool) -> None:
        self._is_mac = is_mac

    def send(self, to: str, message: str) -> str:
        """Send a message to a number or an address."""
        if not self._is_mac:
            raise DesktopError("Messages are sent by the application of macOS, and only there.")
        osascript(_TEXT, to, message)
        return f"Sent to {to}."

    def get(
        self, contact: str | None = None, limit: int = 10, substring: str | None = None
    ) -> list[dict[str, str]]:
        """The last messages, the newest first: of a number or an address, with a text in them."""
        if not self._is_mac:
            raise DesktopError("Messages are kept by the application of macOS, and only there.")
        place = Path.home() / "Library" / "Messages" / "chat.db"
        wanted = (contact, contact, substring, substring, max(0, int(limit)))
        try:
            with closing(sqlite3.connect(f"{place.as_uri()}?mode=ro", uri=True)) as database:
                rows = database.execute(_MESSAGES, wanted).fetchall()
        except sqlite3.Error as error:
            raise DesktopError(
                f"The messages cannot be read ({error}); in System Settings, Privacy, give the "
                "terminal Full Disk Access."
            ) from error
        return [
            {
                "contact": who or "",
                "from": "me" if is_mine else who or "",
                "date": (APPLE_TIME + timedelta(microseconds=moment // 1000)).isoformat(),
                "text": text,
            }
            for who, is_mine, moment, text in rows
        ]

"""Mail, calendar and contacts: a real SMTP server, files, and for IMAP a double of few commands."""

import re
import socketserver
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path
from socket import create_server

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Sink
from aiosmtpd.smtp import AuthResult

from interpreter.desktop.personal import macos
from interpreter.desktop.personal.accounts import read_accounts
from interpreter.desktop.personal.calendar import Calendar
from interpreter.desktop.personal.contacts import Contacts
from interpreter.desktop.personal.macos import MacMail, Sms
from interpreter.desktop.personal.mail import Mail
from interpreter.protocol.desktop import DesktopError

MAILS = (
    (True, b"From: Ada <ada@example.org>\r\nTo: me@example.org\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n"
     b"Date: Mon, 04 May 2026 10:00:00 +0000\r\n\r\nHello there.\r\n"),
    (False, b"From: Bob <bob@example.org>\r\nTo: me@example.org\r\nSubject: Bill\r\n"
     b"Content-Type: text/html; charset=utf-8\r\n\r\n<style>x</style><p>Pay <b>now</b></p>\r\n"),
)  # fmt: skip


class ImapDouble(socketserver.StreamRequestHandler):
    """Speaks the few commands of IMAP4rev1 that reading an inbox takes; no real server."""

    def handle(self):
        self.say("* OK ready")
        for line in self.rfile:
            tag, command, *rest = line.decode().rstrip().split(" ")
            self.server.heard.append(" ".join([command, *rest]))
            if not self.answer(command.upper(), rest):
                self.say(f"{tag} NO that is wrong")
                continue
            self.say(f"{tag} OK done")
            if command.upper() == "LOGOUT":
                return

    def say(self, text, raw=b""):
        self.wfile.write(text.encode() + raw + b"\r\n")

    def answer(self, command, rest):
        match command:
            case "CAPABILITY":
                self.say("* CAPABILITY IMAP4rev1")
            case "LOGIN":
                return rest[0] == "me@example.org" and rest[1] == '"sesame"'
            case "EXAMINE":
                self.say(f"* {len(MAILS)} EXISTS")
            case "SEARCH":
                wanted = [
                    n for n, (seen, _) in enumerate(MAILS, 1) if rest[-1] == "ALL" or not seen
                ]
                self.say("* SEARCH " + " ".join(map(str, wanted)))
            case "FETCH":
                mail = MAILS[int(rest[0]) - 1][1]
                self.say(f"* {rest[0]} FETCH (BODY[]<0> {{{len(mail)}}}\r\n", mail + b")")
        return True


@pytest.fixture(scope="module")
def imap():
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), ImapDouble) as server:
        server.heard = []
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class Inbox(Sink):
    """Keeps what was sent."""

    def __init__(self):
        self.mails = []

    async def handle_DATA(self, server, session, envelope):
        self.mails.append(envelope)
        return "250 OK"


@pytest.fixture(scope="module")
def smtp():
    def authenticate(server, session, envelope, mechanism, data):
        good = (data.login, data.password) == (b"me@example.org", b"sesame")
        return AuthResult(success=good, handled=False)

    with closing(create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    controller = Controller(
        Inbox(), "127.0.0.1", port, authenticator=authenticate, auth_required=False,
        auth_require_tls=False,
    )  # fmt: skip
    controller.start()
    yield controller
    controller.stop()


@pytest.fixture
def mail(imap, smtp, tmp_path, monkeypatch):
    monkeypatch.setenv("MAIL_PASSWORD", "sesame")
    file = tmp_path / "accounts.toml"
    file.write_text(
        f"""[mail]
user = "me@example.org"
imap = "127.0.0.1:{imap.server_address[1]}"
smtp = "127.0.0.1:{smtp.port}"
password_variable = "MAIL_PASSWORD"
tls = false
"""
    )
    return Mail(lambda: read_accounts(file).mail)


def test_the_newest_mails_are_read_and_stay_unread(mail, imap):
    first, second = mail.get()
    assert (first["subject"], first["body"].split()) == ("Bill", ["Pay", "now"])
    assert (second["from"], second["subject"], second["body"]) == (
        "Ada <ada@example.org>", "Grüße", "Hello there.",
    )  # fmt: skip
    assert [one["subject"] for one in mail.get(unread=True)] == ["Bill"]
    assert mail.unread_count() == 1
    assert not any(re.match("SELECT|STORE", one) for one in imap.heard)


def test_a_mail_is_sent_with_its_attachment(mail, smtp, tmp_path):
    (tmp_path / "list.txt").write_text("one two")
    said = mail.send("ada@example.org", "Grüße", "Hello — ✓", [str(tmp_path / "list.txt")])
    assert said == "Sent to ada@example.org."
    envelope = smtp.handler.mails[-1]
    assert (envelope.mail_from, envelope.rcpt_tos) == ("me@example.org", ["ada@example.org"])
    assert b"list.txt" in envelope.content
    with pytest.raises(DesktopError, match="one line"):
        mail.send("ada@example.org\nBcc: eve@example.org", "x", "y")


def test_a_wrong_password_is_a_sentence(mail, monkeypatch):
    monkeypatch.setenv("MAIL_PASSWORD", "wrong")
    with pytest.raises(DesktopError, match="mail server says"):
        mail.get()
    with pytest.raises(DesktopError, match="not sent"):
        mail.send("a@example.org", "b", "c")


def test_mail_without_tls_stays_on_this_machine(tmp_path):
    file = tmp_path / "accounts.toml"
    file.write_text('[mail]\nuser = "me"\nimap = "mail.example.org:143"\ntls = false\n')
    with pytest.raises(DesktopError, match="this machine only"):
        read_accounts(file)


CALENDAR = """BEGIN:VCALENDAR\r
VERSION:2.0\r
BEGIN:VEVENT\r
UID:1\r
DTSTART:20260504T090000\r
DTEND:20260504T093000\r
RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=4\r
SUMMARY:Stand\r
 up\\, short\r
END:VEVENT\r
BEGIN:VEVENT\r
DTSTART;VALUE=DATE:20260506\r
DTEND;VALUE=DATE:20260507\r
SUMMARY:Fair\r
END:VEVENT\r
END:VCALENDAR\r
"""


def test_events_are_read_with_their_repeats_written_and_deleted(tmp_path):
    file = tmp_path / "work.ics"
    file.write_text(CALENDAR, newline="")
    calendar = Calendar(lambda: [file])
    found = calendar.get_events("2026-05-04", "2026-05-31")
    assert [(one["title"], one["start"]) for one in found] == [
        ("Standup, short", "2026-05-04T09:00:00"),
        ("Fair", "2026-05-06T00:00:00"),
        ("Standup, short", "2026-05-06T09:00:00"),
        ("Standup, short", "2026-05-11T09:00:00"),
        ("Standup, short", "2026-05-13T09:00:00"),
    ]
    notes = "a; b, c\nBEGIN:VEVENT " + "long " * 30
    calendar.create_event("Tea", "2026-06-01T15:00", "2026-06-01T16:00", "Bern", notes)
    (tea,) = calendar.get_events("2026-06-01")
    assert (tea["title"], tea["location"], tea["notes"]) == ("Tea", "Bern", notes)
    assert tea["start"] == "2026-06-01T15:00:00"
    calendar.delete_event("Tea", "2026-06-01T15:00")
    assert calendar.get_events("2026-06-01") == []
    assert len(calendar.get_events("2026-05-04", "2026-05-31")) == 5
    with pytest.raises(DesktopError, match="nothing was deleted"):
        calendar.delete_event("Tea", "2026-06-01T15:00")
    assert calendar.get_first_calendar() == "work"


def test_people_are_found_and_several_are_asked_about(tmp_path):
    file = tmp_path / "people.vcf"
    file.write_text(
        "BEGIN:VCARD\nFN:Ada Lovelace\nitem1.TEL;TYPE=cell:+41 1\nEMAIL:ada@example.org\nEND:VCARD\n"
        "BEGIN:VCARD\nFN:Ada Byron\nEND:VCARD\nBEGIN:VCARD\nFN:Bob\nTEL;VALUE=uri:tel:+41-2\nEND:VCARD\n"
    )
    contacts = Contacts(lambda: [file])
    assert contacts.get_phone_number("ada lovelace") == "+41 1"
    assert contacts.get_email_address("Lovelace") == "ada@example.org"
    assert contacts.get_phone_number("Bob") == "+41-2"
    assert contacts.get_full_names_from_first_name("Ada") == ["Ada Lovelace", "Ada Byron"]
    with pytest.raises(DesktopError, match="2 times"):
        contacts.get_phone_number("Ada")
    with pytest.raises(DesktopError, match="no mail address"):
        contacts.get_email_address("Bob")


def test_on_a_mac_what_is_given_is_an_argument_and_never_a_program(monkeypatch):
    ran = []
    monkeypatch.setattr(macos, "osascript", lambda program, *given: ran.append((program, given)))
    evil = '" & (do shell script "rm -rf ~") & "'
    MacMail().send("a@example.org", evil, evil)
    Sms(is_mac=True).send("1", evil)
    assert [given for _, given in ran] == [("a@example.org", evil, evil), ("1", evil)]
    assert all("do shell" not in program for program, _ in ran)
    if sys.platform != "darwin":
        with pytest.raises(DesktopError, match="only there"):
            Sms(is_mac=False).send("1", "x")


def test_the_messages_of_a_mac_are_read_from_its_database(monkeypatch, tmp_path):
    """As macOS keeps them; made here, since nobody has run it on a Mac."""
    place = tmp_path / "Library" / "Messages" / "chat.db"
    place.parent.mkdir(parents=True)
    with closing(sqlite3.connect(place)) as database, database:
        database.execute("CREATE TABLE handle (ROWID INTEGER PRIMARY KEY, id TEXT)")
        database.execute("CREATE TABLE message (handle_id, is_from_me, date INTEGER, text TEXT)")
        database.executemany("INSERT INTO handle VALUES (?, ?)", [(1, "+49 1"), (2, "a@b.org")])
        second = 1_000_000_000
        told = [(1, 0, second, "Lunch?"), (1, 1, 2 * second, "Yes, lunch!"), (2, 0, 86400 * second, "x"),
                (2, 0, 3 * second, None)]  # fmt: skip
        database.executemany("INSERT INTO message VALUES (?, ?, ?, ?)", told)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    sms = Sms(is_mac=True)
    assert [one["text"] for one in sms.get()] == ["x", "Yes, lunch!", "Lunch?"]
    assert [one["from"] for one in sms.get("+49 1")] == ["me", "+49 1"]
    assert [one["date"] for one in sms.get(substring="LUNCH", limit=1)] == [
        "2001-01-01T00:00:02+00:00"
    ]
    assert sms.get(contact="' OR 1=1 --") == []
    place.unlink()
    with pytest.raises(DesktopError, match="Full Disk Access"):
        sms.get()
    with pytest.raises(DesktopError, match="only there"):
        Sms(is_mac=False).get()

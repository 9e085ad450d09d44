"""`computer.mail` over IMAP and SMTP."""

from __future__ import annotations

import contextlib
import imaplib
import mimetypes
import re
import smtplib
import ssl
from collections.abc import Callable, Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from pathlib import Path

from interpreter.desktop.personal.accounts import MailAccount
from interpreter.protocol import safe_files
from interpreter.protocol.desktop import DesktopError

SECONDS = 30.0
MOST_MAILS = 50
LONGEST_BODY = 20_000
LARGEST_MAIL = 5_000_000  # bytes of one that are read
LARGEST_ATTACHMENT = 25_000_000
MISSING = (
    "No mail account is named here: write one into accounts.toml (docs/computer.md shows how)."
)


class Mail:
    """The user's inbox; reading marks nothing as read."""

    def __init__(self, account: Callable[[], MailAccount | None]) -> None:
        self._account = account

    def get(self, number: int = 5, unread: bool = False) -> list[dict[str, str]]:
        """The newest mails: from, to, subject, date and text."""
        with self._inbox() as inbox:
            found = _numbers(inbox, unread=unread)
            newest = found[-max(1, min(number, MOST_MAILS)) :]
            return [_read(inbox, one) for one in reversed(newest)]

    def unread_count(self) -> int:
        """How many mails are not read yet."""
        with self._inbox() as inbox:
            return len(_numbers(inbox, unread=True))

    def send(
        self, to: str, subject: str, body: str, attachments: list[str] | None = None
    ) -> str:  # fmt: skip
        """Send a mail; `attachments` are files."""
        account = self._sure()
        mail = _composed(account, to, subject, body)
        for path in attachments or []:
            _attach(mail, Path(path).expanduser())
        try:
            with _smtp(account) as server:
                server.login(account.user, account.password())
                refused = server.send_message(mail)
        except (smtplib.SMTPException, OSError) as error:
            raise DesktopError(f"The mail was not sent: {error}") from error
        if refused:
            raise DesktopError(f"The server refused: {', '.join(refused)}.")
        return f"Sent to {to}."

    def _sure(self) -> MailAccount:
        account = self._account()
        if account is None:
            raise DesktopError(MISSING)
        return account

    @contextlib.contextmanager
    def _inbox(self) -> Iterator[imaplib.IMAP4]:
        account = self._sure()
        try:
            server = _imap(account)
            try:
                server.login(account.user, account.password())
                server.select("INBOX", readonly=True)
                yield server
            finally:
                with contextlib.suppress(imaplib.IMAP4.error, OSError):
                    server.logout()
        except (imaplib.IMAP4.error, OSError) as error:
            raise DesktopError(f"The mail server says: {error}") from error


def _place(address: str, usual: int) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return (host.strip("[]"), int(port)) if host and port.isdigit() else (address, usual)


def _imap(account: MailAccount) -> imaplib.IMAP4:
    host, port = _place(account.imap, 993)
    if not account.imap:
        raise DesktopError("accounts.toml names no server to read mail from (`imap`).")
    if account.tls:
        return imaplib.IMAP4_SSL(
            host, port, ssl_context=ssl.create_default_context(), timeout=SECONDS
        )
    return imaplib.IMAP4(host, port, timeout=SECONDS)


def _smtp(account: MailAccount) -> smtplib.SMTP:
    host, port = _place(account.smtp, 465)
    if not account.smtp:
        raise DesktopError("accounts.toml names no server to send mail by (`smtp`).")
    if not account.tls:
        return smtplib.SMTP(host, port, timeout=SECONDS)
    context = ssl.create_default_context()
    if port == 465:
        return smtplib.SMTP_SSL(host, port, context=context, timeout=SECONDS)
    server = smtplib.SMTP(host, port, timeout=SECONDS)
    server.starttls(context=context)
    return server


def _numbers(inbox: imaplib.IMAP4, *, unread: bool) -> list[str]:
    _, found = inbox.search(None, "UNSEEN" if unread else "ALL")
    return (found[0] or b"").decode().split() if found else []


def _read(inbox: imaplib.IMAP4, number: str) -> dict[str, str]:
    _, parts = inbox.fetch(number, f"(BODY.PEEK[]<0.{LARGEST_MAIL}>)")
    raw = next((part[1] for part in parts if isinstance(part, tuple)), b"")
    mail = message_from_bytes(raw, policy=policy.default)
    names = ("from", "to", "subject", "date")
    told = {name: str(mail.get(name, "")) for name in names}
    return {**told, "body": _text_of(mail)[:LONGEST_BODY]}


def _text_of(mail: EmailMessage) -> str:
    """What it says; of HTML only the text."""
    try:
        body = mail.get_body(preferencelist=("plain", "html"))
        content = str(body.get_content()) if body is not None else ""
    except (LookupError, ValueError, KeyError):  # an encoding that nobody knows
        return ""
    if body is not None and body.get_content_subtype() == "html":
        content = re.sub(r"(?is)<(script|style).*?</\1>|<[^>]*>", " ", content)
    return content.strip()


def _composed(account: MailAccount, to: str, subject: str, body: str) -> EmailMessage:
    if any("\n" in one or "\r" in one for one in (to, subject)):
        raise DesktopError("An address and a subject are one line each.")
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = account.sender, to, subject
    mail["Date"], mail["Message-ID"] = formatdate(localtime=True), make_msgid()
    mail.set_content(body)
    return mail


def _attach(mail: EmailMessage, file: Path) -> None:
    try:
        data = safe_files.read_bytes(file.resolve(), LARGEST_ATTACHMENT)
    except OSError as error:
        raise DesktopError(f"{file} cannot be attached: {error.strerror}.") from error
    kind, _, sub = (mimetypes.guess_type(file.name)[0] or "application/octet-stream").partition("/")
    mail.add_attachment(data, maintype=kind, subtype=sub, filename=file.name)

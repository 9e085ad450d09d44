"""Which stores the user has named in `accounts.toml`: servers of mail, files of calendars."""

from __future__ import annotations

import os
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from interpreter.protocol import safe_files
from interpreter.protocol.desktop import DesktopError
from interpreter.protocol.values import frozen

LARGEST_FILE = 100_000
LARGEST_STORE = 20_000_000
SECONDS_FOR_PASSWORD = 30.0
LOCAL = ("localhost", "127.0.0.1", "::1")


@frozen
class MailAccount:
    """Servers of mail; without `tls` only on this machine."""

    user: str
    imap: str = ""
    smtp: str = ""
    sender: str = ""
    password_variable: str = ""
    password_command: tuple[str, ...] = ()
    tls: bool = True

    def password(self) -> str:
        """What the user's own program or variable says; it is written down nowhere."""
        if self.password_command:
            return _said_by(self.password_command)
        value = os.environ.get(self.password_variable, "")
        if not value:
            raise DesktopError(
                "The mail account has no password: set `password_command` or `password_variable` "
                "in accounts.toml."
            )
        return value


@frozen
class Accounts:
    """All of it; what is not named is empty."""

    mail: MailAccount | None = None
    calendars: tuple[Path, ...] = ()
    contacts: tuple[Path, ...] = ()


def read_accounts(file: Path) -> Accounts:
    """What the file names; nothing without one."""
    try:
        given = tomllib.loads(safe_files.read_bytes(file, LARGEST_FILE).decode())
    except FileNotFoundError:
        return Accounts()
    except (OSError, ValueError) as error:
        raise DesktopError(f"{file} cannot be read: {error}") from error
    try:
        mail = _mail(given["mail"]) if "mail" in given else None
        return Accounts(mail, _files(given, "calendar"), _files(given, "contacts"))
    except (KeyError, TypeError, AttributeError) as error:
        raise DesktopError(f"{file} is not understood: {error!r}") from error


def text_of(file: Path, missing: str | None = None) -> str:
    """What a file of the user's says; `missing` where there is none."""
    try:
        return safe_files.read_bytes(file.resolve(), LARGEST_STORE).decode("utf-8", "replace")
    except FileNotFoundError:
        if missing is not None:
            return missing
        raise DesktopError(f"{file} is not there.") from None
    except OSError as error:
        raise DesktopError(f"{file} cannot be read: {error.strerror}.") from error


def _mail(given: Mapping[str, Any]) -> MailAccount:
    account = MailAccount(
        user=str(given["user"]),
        imap=str(given.get("imap", "")),
        smtp=str(given.get("smtp", "")),
        sender=str(given.get("from", given["user"])),
        password_variable=str(given.get("password_variable", "")),
        password_command=tuple(map(str, given.get("password_command", ()))),
        tls=given.get("tls", True) is not False,
    )
    for place in filter(None, (account.imap, account.smtp)):
        if not account.tls and place.rpartition(":")[0].strip("[]") not in LOCAL:
            raise DesktopError("Mail goes without TLS to this machine only.")
    return account


def _files(given: Mapping[str, Any], name: str) -> tuple[Path, ...]:
    return tuple(Path(one).expanduser() for one in given.get(name, {}).get("files", ()))


def _said_by(command: tuple[str, ...]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=SECONDS_FOR_PASSWORD, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise DesktopError(f"The program for the password failed: {command[0]}.") from error
    return done.stdout.rstrip("\n")

"""Users and their tokens: the owner's is kept to be printed, of the others' only a digest."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.values import frozen
from interpreter.settings.paths import data_directory

OWNER = "owner"
USERS = "users.json"
LONGEST = 10_000_000
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
Others = dict[str, dict[str, str]]
"""By their names, the `digest` of the token and the `workspace` of everybody but the owner."""


@frozen
class User:
    """Somebody who may come in, and the directory that all their workspaces are below."""

    name: str
    root: Path

    @property
    def is_owner(self) -> bool:
        """Whether it is who started the server."""
        return self.name == OWNER


class Tokens:
    """Knows who a token or a cookie belongs to."""

    def __init__(self, owner_token: str, owner_root: Path, others: Others, seen: str = "") -> None:
        self.owner_token = owner_token
        self._owner = User(OWNER, owner_root)
        self._seen = seen
        self._take(others)

    def look_again(self) -> list[str]:
        """Read who was let in and sent away meanwhile; whose tokens are no longer good."""
        if not self._seen or (now := _version()) == self._seen:
            return []
        self._seen, before = now, self._digests
        self._take(_others())
        return [name for name, known in before.items() if self._digests.get(name) != known]

    def _take(self, others: Others) -> None:
        self._users = {OWNER: self._owner}
        self._digests = {OWNER: digest(self.owner_token)}
        for name, entry in others.items():
            self._users[name] = User(name, Path(entry["workspace"]))
            self._digests[name] = entry["digest"]

    def user(self, token: str) -> User | None:
        """Whose token this is; every one is compared, so that time tells nothing."""
        given = digest(token)
        found = None
        for name, known in self._digests.items():
            if hmac.compare_digest(given, known):
                found = name
        return self._users[found] if found else None

    def cookie(self, user: User) -> str:
        """What a browser holds instead of the token; it ends with the token."""
        return f"{user.name}.{self._seal(user.name)}"

    def user_of_cookie(self, cookie: str) -> User | None:
        """Whose cookie this is."""
        name, _, seal = cookie.partition(".")
        right = self._seal(name if name in self._users else OWNER)
        genuine = hmac.compare_digest(seal.encode(errors="replace"), right.encode())
        return self._users.get(name) if genuine else None

    def _seal(self, name: str) -> str:
        key = self._digests[name].encode()
        return hmac.new(key, f"cookie of {name}".encode(), "sha256").hexdigest()


def digest(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def load_tokens(root: Path) -> Tokens:
    """The users of this machine's server; the owner's token is made when it is first needed."""
    token = os.environ.get("INTERPRETER_API_KEY", "") or _kept_token()
    seen = _version()
    return Tokens(token, root.resolve(), _others(), seen)


def add_user(name: str, workspace: Path) -> str:
    """Let somebody else in; their token, which is told this once."""
    if not NAME.fullmatch(name) or name == OWNER:
        raise ConfigurationError(f"{name!r} is no name for a user: use small letters and digits.")
    token = secrets.token_urlsafe(32)
    workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
    entry = {"digest": digest(token), "workspace": str(workspace.resolve())}
    safe_files.write(_place() / USERS, json.dumps({**_others(), name: entry}, indent=1))
    return token


def remove_user(name: str) -> None:
    """Do not let somebody in any more; their sessions and files stay."""
    others = _others()
    if name not in others:
        known = f"there are: {', '.join(others)}" if others else "there is nobody but you"
        raise ConfigurationError(f"There is no user {name!r}; {known}.")
    del others[name]
    safe_files.write(_place() / USERS, json.dumps(others, indent=1))


def _kept_token() -> str:
    file = _place() / "token"
    if not safe_files.is_file(file):
        safe_files.write(file, secrets.token_urlsafe(32), replace=False)
    return safe_files.read_bytes(file, LONGEST).decode().strip()


def _version() -> str:
    """Another one for each writing of the file; `none` where there is none."""
    try:
        status = (_place() / USERS).lstat()
    except FileNotFoundError:
        return "none"
    return f"{status.st_ino} {status.st_mtime_ns} {status.st_size}"


def _others() -> Others:
    file = _place() / USERS
    if not safe_files.is_file(file):
        return {}
    users: Others = json.loads(safe_files.read_bytes(file, LONGEST))
    return users


def _place() -> Path:
    place = data_directory() / "server"
    safe_files.make_folder(place)
    return place

"""Who code is outside of its cell: when root starts us, the owner of the workspace, not root."""

from __future__ import annotations

import os
import pwd
import subprocess
from pathlib import Path

from interpreter.protocol.errors import SandboxUnavailable
from interpreter.protocol.system.host_programs import system_program
from interpreter.protocol.values import frozen

_NOBODY = 65534


@frozen
class Account:
    """A user and a group, as numbers of this machine."""

    uid: int
    gid: int

    def own(self, path: Path) -> None:
        """Give a file or directory of ours to it."""
        os.chown(path, self.uid, self.gid)


def account_for(workspace: Path) -> Account | None:
    """Who code can be instead of root; None where we are not root, or only root may write."""
    if os.geteuid() != 0 or not workspace.exists():
        return None
    owner = workspace.stat()
    if owner.st_uid == 0:
        return None
    try:
        group = pwd.getpwuid(owner.st_uid).pw_gid
    except KeyError:
        group = owner.st_gid
    return Account(owner.st_uid, group or _NOBODY)


def user_namespace(account: Account) -> int:
    """A namespace with root, who makes a cell, and the account that its programs run as.

    The descriptor is the caller's. Nobody in it can become root: that takes a capability which
    the cell's first process gives up.
    """
    try:
        # It says back what it hears once it is there, and goes when it hears no more.
        with subprocess.Popen(
            (system_program("unshare"), "--user", system_program("cat")),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        ) as holder:
            assert holder.stdin is not None
            assert holder.stdout is not None
            holder.stdin.write(b"\n")
            holder.stdout.read(1)
            process = Path("/proc", str(holder.pid))
            for kind, number in (("uid_map", account.uid), ("gid_map", account.gid)):
                (process / kind).write_text(f"0 0 1\n{number} {number} 1\n")
            return os.open(process / "ns/user", os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise SandboxUnavailable(f"No namespace for user {account.uid}: {error}") from error

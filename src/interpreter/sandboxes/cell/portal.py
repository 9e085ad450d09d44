"""Grants to a running cell: its root is a mount that we can still reach from outside."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from interpreter.protocol.errors import SandboxUnavailable
from interpreter.protocol.system.host_programs import PROGRAM_PLACES, system_program
from interpreter.sandboxes.cell.held_place import HeldPlace

OUTSIDE = ("unshare", "--fork")
"""Starts a program and waits for it; what follows are options of it."""
AROUND = ("--mount", "--propagation", "shared")
"""A namespace around the cell's: mounts made in it appear in the cell, and nowhere else."""
AS_ROOT_THERE = ("--user", "--map-root-user")
"""What lets an ordinary user make it."""

_SHOW = """
set -e
umask 022
source=$1 place=$2 stage=$3 options=$4 identity=$5
exec 9< "$source"
held=/proc/self/fd/9
if [ "$(stat -L -c %d:%i $held)" != "$identity" ]; then
    echo "$source is not what it was any more" >&2
    exit 1
fi
if [ -d "$held" ]; then mkdir -p "$place" "$stage"
else mkdir -p "${place%/*}" "${stage%/*}"; [ -e "$place" ] || : > "$place"; : > "$stage"; fi
if [ "$options" = write ]; then exec mount --no-canonicalize --bind "$held" "$place"; fi
mount --no-canonicalize --bind "$held" "$stage"
mount -o "$options" "$stage"
mount --bind "$stage" "$place"
umount "$stage"
"""
# What was opened is what is mounted, whatever its name leads to by then. Read-only is set on the
# stage, as a change after the last mount would not reach the cell.

_HIDE = """
set -e
place=$1 root=$2
umount -l "$place"
[ "$(stat -c %d "$place")" = "$(stat -c %d "$root")" ] || exit 0
if [ -d "$place" ]; then rmdir "$place" 2>/dev/null || true
elif [ -f "$place" ] && [ ! -s "$place" ]; then rm -f "$place"; fi
"""
# The empty file or directory that it was mounted on goes, too: code must not take it for the
# user's own. What lies on another file system than the cell's root is nothing that we made.

_FLAGS = {
    os.ST_NOSUID: "nosuid",
    os.ST_NODEV: "nodev",
    os.ST_NOEXEC: "noexec",
    os.ST_NOATIME: "noatime",
    os.ST_NODIRATIME: "nodiratime",
    os.ST_RELATIME: "relatime",
}


def _read_only(path: Path) -> str:
    """Mount options; those that the file system has already may not be dropped by a user."""
    flags = os.statvfs(path).f_flag
    return ",".join(["remount,bind,ro", *(name for bit, name in _FLAGS.items() if flags & bit)])


class Portal:
    """Shows and hides parts of the disk in a running cell."""

    def __init__(self, pid: int, root: Path, stage: Path, *, own_users: bool) -> None:
        self._enter = [system_program("nsenter"), "--target", str(pid), "--mount"]
        self._enter += ["--user", "--preserve-credentials"] if own_users else []
        self._enter += [system_program("sh"), "-c"]
        self._root = root
        self._stage = stage

    def show(self, held: HeldPlace, *, writable: bool) -> None:
        """Make a place appear in the cell, at its own path."""
        stage = self._stage / ("directory" if held.is_directory else "file")
        options = "write" if writable else _read_only(held.path)
        words = (str(held.path), str(self._place(held.path)), str(stage), options, held.identity)
        self._run(_SHOW, *words)

    def hide(self, path: Path) -> None:
        """Take it away again; files that are open stay open."""
        self._run(_HIDE, str(self._place(path)), str(self._root))

    def _place(self, path: Path) -> Path:
        return self._root / path.relative_to("/")

    def _run(self, script: str, *arguments: str) -> None:
        command = [*self._enter, script, "sh", *arguments]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=30,
                stdin=subprocess.DEVNULL,
                env={"PATH": PROGRAM_PLACES},
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SandboxUnavailable(f"The running sandbox cannot be changed: {error}") from error
        if done.returncode:
            raise SandboxUnavailable(f"The running sandbox cannot be changed: {done.stderr[:300]}")

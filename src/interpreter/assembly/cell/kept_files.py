"""Where the files of a session are kept, and what is let go of the sessions before it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from interpreter.protocol.errors import CheckpointError
from interpreter.protocol.ports import Cell
from interpreter.settings.paths import data_directory

if TYPE_CHECKING:
    from interpreter.assembly.policy import SessionRules
    from interpreter.checkpoints.files import FileKeeper
    from interpreter.checkpoints.journal.client import FileJournal
    from interpreter.checkpoints.journal.supervision import Ask

_MOST_SESSIONS = 50  # whose blocks can still be undone
_UNKEPT = "unkept-"
_NOT_AT_ONCE = 20.0  # seconds: the first request comes before any cleaning


def undo_store(session_id: str, workspace: Path) -> Path:
    """Where the blocks of a session are kept; elsewhere are other files, and another store."""
    place = f"{crc32(os.fsencode(workspace)):08x}"
    return data_directory() / "undo" / f"{session_id}-{place}"


def unkept_session() -> str:
    """The name under which the blocks of a session are kept that ends with this process."""
    return f"{_UNKEPT}{os.getpid()}-{secrets.token_hex(4)}"


def forget_session(session_id: str) -> None:
    """Remove what is kept of a session beside its messages: files and variables."""
    from interpreter.checkpoints.variables.vault import Vault

    Vault(data_directory() / "variables").forget(session_id)
    for store in (data_directory() / "undo").glob(f"{session_id}-*"):
        shutil.rmtree(store, ignore_errors=True)


def open_journal(store: Path, cell: Cell, rules: SessionRules, ask: Ask) -> FileJournal:
    """The journal in a cell; CheckpointError says why there cannot be one."""
    from interpreter.checkpoints.journal.client import FileJournal, JournalOptions
    from interpreter.sandboxes.cell.cell import ConfinedCell

    confined = cell if isinstance(cell, ConfinedCell) else None
    options = JournalOptions(
        store,
        (cell.workspace.resolve(),),
        cell.exchange,
        protected=cell.protected,
        programs=rules.programs,
        denied=rules.denied_paths,
        wraps=confined is None,
    )
    journal = FileJournal(options, ask, rules.ask_about_program)
    try:
        if confined is not None:
            confined.watch(journal.address)
        journal.check(cell.launch)
    except CheckpointError:
        journal.close()
        if confined is not None:
            confined.watch(None)
        raise
    return journal


def snapshots(store: Path, workspace: Path) -> FileKeeper:
    """What there is where there is no journal."""
    from interpreter.checkpoints.shadow_git import ShadowGit, ShadowOptions

    return ShadowGit(ShadowOptions(store, workspace))


def remove_if_unkept(store: Path) -> None:
    """Remove a store that belongs to no kept session and is not used any more."""
    if store.name.startswith(_UNKEPT):
        shutil.rmtree(store, ignore_errors=True)


def let_go_of_old_stores(mine: Path) -> None:
    """Give back the space of sessions long past, and of those that were killed and not kept."""
    with contextlib.suppress(OSError):
        others = [path for path in mine.parent.iterdir() if path != mine]
        dead = [path for path in others if _is_orphan(path)]
        kept = sorted((p for p in others if p not in dead), key=lambda p: -p.stat().st_mtime)
        for path in (*dead, *kept[_MOST_SESSIONS - 1 :]):
            if path in dead or not (path.name.startswith(_UNKEPT) or _is_in_use(path)):
                shutil.rmtree(path, ignore_errors=True)


def _is_in_use(store: Path) -> bool:
    """Whether a journal works in it: one long session may be older than fifty short ones."""
    try:
        with (store / "lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def sweep_later() -> threading.Timer:
    """Clear away what sessions left in the temporary directory that were killed, in a while."""
    from interpreter.sandboxes.cell.own_directory import sweep

    timer = threading.Timer(_NOT_AT_ONCE, sweep)
    timer.daemon = True
    timer.start()
    return timer


def _is_orphan(path: Path) -> bool:
    owner = path.name.removeprefix(_UNKEPT).partition("-")[0]
    return path.name.startswith(_UNKEPT) and not is_alive(owner)


def is_alive(owner: str) -> bool:
    """Whether the process of that number lives; what is no number was never one of ours."""
    try:
        os.kill(int(owner), 0)
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    except PermissionError:
        return True
    return True

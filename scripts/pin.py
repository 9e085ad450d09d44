"""Write constraints.txt anew: every package that is installed, with hashes, naming no index."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXTRAS = ("data", "litellm", "local")  # the extras that the tests install
GROUPS = ("test", "check", "bench")


def main() -> int:
    command = ["uv", "pip", "compile", "pyproject.toml", "-", "--universal", "--upgrade"]
    command += ["--python-version", "3.11", "--generate-hashes", "--no-annotate", "--no-header"]
    command += ["--no-emit-index-url", "--no-emit-find-links", "-q", "-o", "constraints.txt"]
    command += [word for extra in EXTRAS for word in ("--extra", extra)]
    command += [word for group in GROUPS for word in ("--group", group)]
    return subprocess.run(
        command, cwd=ROOT, input="pip\nhatchling\neditables\n", text=True
    ).returncode


if __name__ == "__main__":
    sys.exit(main())

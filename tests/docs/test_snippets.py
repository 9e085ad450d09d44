"""Every Python snippet of these pages runs, from top to bottom, each page in its own process."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ["library.md", *sorted(f"integrations/{p.name}" for p in (DOCS / "integrations").iterdir())]
SNIPPET = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
APART = {"integrations/crewai.md": "crewai"}


@pytest.mark.parametrize("page", PAGES)
def test_the_snippets_of_a_page_run(page, tmp_path):
    library = APART.get(page)
    if library and importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed; `make test-integrations` runs this")
    snippets = SNIPPET.findall((DOCS / page).read_text(encoding="utf-8"))
    assert snippets
    program = tmp_path / "page.py"
    program.write_text("\n".join(snippets), encoding="utf-8")
    work = tmp_path / "work"
    work.mkdir()
    done = subprocess.run(
        [sys.executable, program],
        cwd=work,
        env={**os.environ, "CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"},
        capture_output=True,
        text=True,
        timeout=100,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr[-3000:]

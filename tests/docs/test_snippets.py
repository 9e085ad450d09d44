"""Every Python snippet of the pages runs, from top to bottom, each page in its own process."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SNIPPET = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [
    str(page.relative_to(ROOT))
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if SNIPPET.search(page.read_text(encoding="utf-8"))
]
APART = {"docs/integrations/crewai.md": "crewai"}
BEFORE = {  # the first page names no model, and shows code that a model wrote about a file
    "README.md": "from interpreter import interpreter\ninterpreter.llm.model = 'scripted/demo'\n"
    "open('sales.csv', 'w').write('product,units\\ntea,7\\n')\n"
}


def test_the_pages_with_snippets_are_found():
    assert {"README.md", "docs/library.md", "docs/languages.md"} <= set(PAGES)
    assert {f"docs/integrations/{name}.md" for name in ("langchain", "autogen", "smolagents")} <= {
        *PAGES
    }


@pytest.mark.parametrize("page", PAGES)
def test_the_snippets_of_a_page_run(page, tmp_path):
    library = APART.get(page)
    if library and importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed; `make test-integrations` runs this")
    snippets = SNIPPET.findall((ROOT / page).read_text(encoding="utf-8"))
    program = tmp_path / "page.py"
    program.write_text(BEFORE.get(page, "") + "\n".join(snippets), encoding="utf-8")
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

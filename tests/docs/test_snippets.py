"""Every Python snippet of the pages runs, from top to bottom, each page in its own process."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.models.loopback import serving
from tests.models.wire_of_servers import ollama

ROOT = Path(__file__).parents[2]
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # as in an environment
SNIPPET = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"^````.*?^````$", re.MULTILINE | re.DOTALL)  # what a model wrote, say
UNNAMED = ("README.md", "docs/moving-from-open-interpreter.md")  # as readers run them: no model


def snippets_of(page):
    return SNIPPET.findall(QUOTED.sub("", page.read_text(encoding="utf-8")))


PAGES = [
    str(page.relative_to(ROOT))
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if snippets_of(page)
]
APART = {"docs/integrations/crewai.md": "crewai"}
IN_ITS_OWN = {"docs/headless.md": ROOT / ".peers" / "agentsdk" / "bin" / "python"}
"""Pages whose readers have another environment than ours; `scripts/peers` makes it."""


def test_the_pages_with_snippets_are_found():
    assert {"README.md", "docs/library.md", "docs/languages.md"} <= set(PAGES)
    assert {f"docs/integrations/{name}.md" for name in ("langchain", "autogen", "smolagents")} <= {
        *PAGES
    }


@pytest.fixture
def ollama_here(monkeypatch):
    """A server that is found where OLLAMA_HOST says, for pages that name no model."""
    with serving(ollama()) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        yield server


@pytest.mark.parametrize("page", PAGES)
def test_the_snippets_of_a_page_run(page, tmp_path, ollama_here):
    library = APART.get(page)
    if library and importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed; `make test-integrations` runs this")
    python = IN_ITS_OWN.get(page, Path(sys.executable))
    if not python.exists():
        pytest.skip(f"{page} needs what scripts/peers installs")
    program = tmp_path / "page.py"
    program.write_text("\n".join(snippets_of(ROOT / page)), encoding="utf-8")
    work = tmp_path / "work"
    work.mkdir()
    done = subprocess.run(
        [python, program],
        cwd=work,
        env={
            **os.environ,
            "PATH": PATH,
            "CREWAI_DISABLE_TELEMETRY": "true",
            "OTEL_SDK_DISABLED": "true",
        },
        capture_output=True,
        text=True,
        timeout=100,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    asked = any("chat/completions" in path for _, path, _ in ollama_here.seen)
    assert asked == (page in UNNAMED)


def test_the_first_page_says_what_to_do_where_there_is_no_model_at_all(tmp_path):
    program = tmp_path / "page.py"
    program.write_text("\n".join(snippets_of(ROOT / "README.md")), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, program],
        cwd=tmp_path,
        env={**os.environ, "OLLAMA_HOST": "127.0.0.1:9"},
        capture_output=True,
        text=True,
        timeout=100,
        stdin=subprocess.DEVNULL,
    )
    assert "interpreter models pull" in done.stderr
    assert "AuthenticationFailed" not in done.stderr

"""The page as it is built from web/; `make test` builds it first."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def web():
    """The directory of the page's sources, with what builds them installed."""
    if not (ROOT / "web" / "node_modules" / ".installed").exists():
        pytest.fail("what builds the page is not installed; run `make page`")
    return ROOT / "web"


@pytest.fixture(scope="session")
def built(web):
    """The directory of the built page."""
    page = ROOT / "src" / "interpreter" / "server" / "page"
    if not (page / "index.html").exists():
        pytest.fail("the page is not built; run `make page`")
    return page

"""The page as it is built from web/, in a real browser; `make test` builds it first."""

import contextlib
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).parents[3]
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
PHONE = {
    "viewport": {"width": 412, "height": 839},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
expect.set_options(timeout=60_000)  # a kernel starts within it, on a busy machine too


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


@pytest.fixture(scope="module")
def browser_flags():
    """What a module's browser is told beyond that."""
    return []


@pytest.fixture(scope="module")
def browser(built, browser_flags):
    """Chromium, as Debian has it; ended with the module, since Playwright holds the event loop."""
    if not CHROMIUM.exists():
        pytest.fail("Chromium is not installed; scripts/test-packages.txt names the package")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=[*FLAGS, *browser_flags]
        )
        yield browser
        browser.close()


class Visit:
    """Somebody who looks at the page of a server; what goes wrong there is remembered."""

    def __init__(self, context, url, token):
        self.context, self.url, self.token = context, url, token
        self.faults = []
        context.set_default_timeout(60_000)
        context.on("request", self._look_at_request)
        context.on("requestfailed", self._forgive_what_was_kept_in)
        context.on("console", self._look_at_message)
        context.on("weberror", lambda error: self.faults.append(f"error: {error.error}"))

    def _look_at_request(self, request):
        if not request.url.startswith((self.url, "data:", "blob:", "ws" + self.url[4:])):
            self.faults.append(f"request: {request.url}")

    def _forgive_what_was_kept_in(self, request):
        if "CSP" in (request.failure or "").upper() and f"request: {request.url}" in self.faults:
            self.faults.remove(f"request: {request.url}")

    def _look_at_message(self, message):
        if message.type == "error":
            self.faults.append(f"console: {message.text}")

    def page(self, fragment=None):
        """A page that is signed in; in a second one the cookie is enough."""
        page = self.context.new_page()
        page.goto(f"{self.url}/#token={self.token}" if fragment is None else self.url + fragment)
        expect(page.get_by_label("Message")).to_be_visible()
        return page


@pytest.fixture
def visits(browser):
    """Visit the page of a server; no fault may come up, unless a test takes it out."""
    with contextlib.ExitStack() as open_contexts:
        made = []

        def visit(running, token, **options):
            context = browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **options})
            open_contexts.callback(context.close)
            made.append(Visit(context, running.url, token))
            return made[-1]

        yield visit
        faults = [fault for one in made for fault in one.faults]
    assert faults == []


@pytest.fixture
def visit(visits, serve, script):
    """The page of a new server whose model says these replies."""

    def begin(*replies, **options):
        from tests.server.conftest import OWNER

        running = serve(model=script(*replies), **options.pop("settings", {}))
        return visits(running, OWNER, **options)

    return begin


def ask(page, text):
    """Say something."""
    page.get_by_label("Message").fill(text)
    page.get_by_role("button", name="Send").click()


def run_block(page):
    """Say yes to the block that asks."""
    page.get_by_role("group", name="May this run?").get_by_role(
        "button", name="Run", exact=True
    ).click()


def violations(page, web):
    """What axe finds that keeps people out."""
    page.evaluate((web / "node_modules" / "axe-core" / "axe.min.js").read_text())
    found = page.evaluate("axe.run()")["violations"]
    return [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found]

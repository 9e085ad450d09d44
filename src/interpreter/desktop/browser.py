"""`computer.browser`: a browser of the system with a profile of its own, driven by Playwright.

Pages are read as their accessibility snapshot, in which everything that can be used has a
reference such as `e11`; a reference, a name or a text says what to click or fill in.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote_plus

from interpreter.desktop import programs
from interpreter.desktop.api.screen import picture_from
from interpreter.protocol import safe_files
from interpreter.protocol.desktop import (
    AmbiguousTarget,
    Box,
    Candidate,
    DesktopError,
    NoDesktop,
    TargetNotFound,
)

if TYPE_CHECKING:
    from PIL.Image import Image

T = TypeVar("T")
BROWSERS = ("chromium", "google-chrome", "microsoft-edge", "chromium-browser", "brave-browser")
SEARCH = "https://html.duckduckgo.com/html/?q="
USABLE = ("button", "link", "textbox", "checkbox", "radio", "tab", "menuitem", "option", "combobox")
LONGEST_PAGE = 200_000
LARGEST_DOWNLOAD = 1 << 30
MILLISECONDS = 15_000


class Browser:
    """One window of a browser. Everything happens in a thread of its own, as Playwright wants."""

    def __init__(self, downloads: Callable[[], Path] = Path.cwd) -> None:
        self._downloads = downloads
        self._thread: ThreadPoolExecutor | None = None
        self._playwright: Any = None
        self._page: Any = None
        self._profile: tempfile.TemporaryDirectory[str] | None = None
        self._headless = True
        self.downloaded: list[str] = []
        """The files that were downloaded, in the order of their coming."""

    def setup(self, headless: bool = True) -> None:
        """Whether the window is hidden; for the next start."""
        self._headless = headless

    def open(self, url: str) -> dict[str, str]:
        """Go to an address; its title and where it ended up."""

        def go(page: Any) -> dict[str, str]:
            address = url if ":" in url else f"https://{url}"
            for last in (False, False, True):
                try:
                    page.goto(address)
                    break
                except Exception as error:
                    # A page that was on its way, of an error or of a form, came between.
                    if last or "interrupted by another navigation" not in str(error):
                        raise
                    page.wait_for_load_state()
            return {"title": page.title(), "url": page.url}

        return self._in_page(go)

    go_to_url = open

    def search(self, query: str) -> str:
        """Search the web; the page of results as text."""
        self.open(SEARCH + quote_plus(query))
        return self.read("text")

    def read(self, form: str = "snapshot") -> str:
        """The page: its `snapshot` with references, or its `text`."""
        if form not in ("snapshot", "text"):
            raise DesktopError("A page is read as 'snapshot' or as 'text'.")
        if form == "text":
            return self._in_page(lambda page: str(page.inner_text("body"))[:LONGEST_PAGE])
        return self._in_page(lambda page: str(page.aria_snapshot(mode="ai"))[:LONGEST_PAGE])

    def click(self, target: str) -> str:
        """Click on a reference, a name or a text; what was clicked."""

        def click(page: Any) -> str:
            found, what = _located(page, target)
            found.click()
            return what

        return self._in_page(click)

    def fill(self, target: str, text: str) -> str:
        """Put a text into a field, by its reference, label, placeholder or name."""

        def fill(page: Any) -> str:
            found, what = _located(page, target, fields=True)
            found.fill(text)
            return what

        return self._in_page(fill)

    def screenshot(self) -> Image:
        """A picture of the page."""
        return picture_from(self._in_page(lambda page: bytes(page.screenshot())))

    def quit(self) -> None:
        """End the browser; its profile is gone."""
        if self._thread is None:
            return
        self._thread.submit(self._end).result()
        self._thread.shutdown()
        self._thread = None

    def _in_page(self, work: Callable[[Any], T]) -> T:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "browser")
        return self._thread.submit(self._work, work).result()

    def _work(self, work: Callable[[Any], T]) -> T:
        try:
            from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415  (an extra)
        except ImportError as error:
            raise NoDesktop(
                "The browser needs an extra: pip install 'reploop[browser]'."
            ) from error
        try:
            if self._page is None:
                self._page = self._start(sync_playwright)
            return work(self._page)
        except Error as error:
            raise DesktopError(f"The browser says: {error.message.splitlines()[0]}") from error

    def _start(self, sync_playwright: Any) -> Any:
        program = programs.first(*BROWSERS)
        if program is None:
            raise NoDesktop(f"There is no browser here; one of: {', '.join(BROWSERS)}.")
        self._playwright = sync_playwright().start()
        self._profile = tempfile.TemporaryDirectory(prefix="browser")
        context = self._playwright.chromium.launch_persistent_context(
            self._profile.name, executable_path=program, headless=self._headless,
            accept_downloads=True, viewport={"width": 1280, "height": 900},
            chromium_sandbox=not _is_root(),
        )  # fmt: skip
        context.set_default_timeout(MILLISECONDS)
        page = context.pages[0] if context.pages else context.new_page()
        page.on("download", self._keep)
        return page

    def _keep(self, download: Any) -> None:
        """Put a download into the directory of work, under a harmless name of its own."""
        name = re.sub(r"[^\w.-]", "_", download.suggested_filename).lstrip(".") or "download"
        data = safe_files.read_bytes(Path(download.path()), LARGEST_DOWNLOAD)
        place = self._downloads() / name
        number = 1
        while place.exists():
            place = self._downloads() / f"{number}-{name}"
            number += 1
        safe_files.write(place, data)
        self.downloaded.append(str(place))

    def _end(self) -> None:
        if self._page is not None:
            self._page.context.close()
        if self._playwright is not None:
            self._playwright.stop()
        if self._profile is not None:
            self._profile.cleanup()
        self._page = self._playwright = self._profile = None


def _is_root() -> bool:
    return hasattr(os, "getuid") and os.getuid() == 0


def _located(page: Any, target: str, *, fields: bool = False) -> tuple[Any, str]:
    """The one thing that is meant: by reference, then exactly, then about."""
    if re.fullmatch(r"(f\d+)?e\d+", target):
        return page.locator(f"aria-ref={target}"), target
    for exact in (True, False):
        for found in _ways(page, target, exact=exact, fields=fields):
            shown = [one for one in found.all()[:20] if one.is_visible()]
            if len(shown) == 1:
                return shown[0], target
            if shown:
                raise AmbiguousTarget(target, tuple(_candidate(one, target) for one in shown))
    raise TargetNotFound(f"Nothing on the page is called {target!r}.")


def _ways(page: Any, target: str, *, exact: bool, fields: bool) -> list[Any]:
    labels = [page.get_by_label(target, exact=exact), page.get_by_placeholder(target, exact=exact)]
    if fields:
        return labels
    named = [page.get_by_role(role, name=target, exact=exact) for role in USABLE]
    return [*named, page.get_by_text(target, exact=exact), *labels]


def _candidate(found: Any, target: str) -> Candidate:
    box = found.bounding_box() or {"x": 0, "y": 0, "width": 0, "height": 0}
    place = Box(*(int(box[key]) for key in ("x", "y", "width", "height")))
    return Candidate(target, place, "browser")

"""`computer.browser`: a browser of the system with a profile of its own, driven by Playwright.

Pages are read as their accessibility snapshot, in which everything that can be used has a
reference such as `e11`; a reference, a name or a text says what to click or fill in.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import quote_plus

from interpreter.desktop import programs
from interpreter.desktop.api.screen import picture_from
from interpreter.desktop.web.locating import located
from interpreter.desktop.web.reading import page_as
from interpreter.protocol import safe_files
from interpreter.protocol.desktop import DesktopError, NoDesktop, Proxy
from interpreter.protocol.errors import install_command

if TYPE_CHECKING:
    from PIL.Image import Image

T = TypeVar("T")
BROWSERS = ("chromium", "google-chrome", "microsoft-edge", "chromium-browser", "brave-browser")
SEARCH = "https://html.duckduckgo.com/html/?q="
LARGEST_DOWNLOAD = 1 << 30
LONGEST_NAME = 150
MILLISECONDS = 15_000
LONGEST_OPENING = 100_000  # milliseconds: the user may be asked about the host meanwhile
LOADING = 5_000  # milliseconds for what a page brings along, once it is there itself
OF_THE_WEB = ("http", "https")
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?!\d)")  # `localhost:8000` has none
LOCAL = re.compile(r"(localhost|127\.0\.0\.1)(?![\w.-])")
THROUGH_PROXY = (
    "--proxy-bypass-list=<-loopback>",  # else this machine's own services would be reached freely
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)
REFUSAL = "Blocked by the sandbox"


class Way(Protocol):
    """How pages are reached, where not everything may be."""

    def proxy(self) -> Proxy:
        """Everything goes through it."""
        ...

    def wants(self, url: str) -> None:
        """A page is about to ask for this."""
        ...

    def refusal(self, url: str) -> str:
        """Why this was refused; empty if it was not."""
        ...


class Browser:
    """One window of a browser. Everything happens in a thread of its own, as Playwright wants."""

    def __init__(
        self,
        downloads: Callable[[], Path | None] = Path.cwd,
        way: Way | None = None,
    ) -> None:
        """With a way of its own, nothing is reached but by that, and no file of this machine.

        Downloads go where `downloads` says, or nowhere.
        """
        self._directory = downloads
        self._way = way
        self._jobs: SimpleQueue[Callable[[], bool]] | None = None
        self._playwright: Any = None
        self._page: Any = None
        self._profile = ""
        self._headless = True
        self.downloaded: list[str] = []
        """The files that were downloaded, in the order of their coming."""

    def setup(self, headless: bool = True) -> None:
        """Whether the window is hidden; for the next start."""
        self._headless = headless

    def open(self, url: str) -> dict[str, str]:
        """Go to an address; its title and where it ended up."""

        address = url if SCHEME.match(url) else f"{'http' if LOCAL.match(url) else 'https'}://{url}"
        if self._way is not None and address.partition(":")[0].lower() not in OF_THE_WEB:
            raise DesktopError("From here, the browser opens addresses of the web only.")

        def go(page: Any) -> dict[str, str]:
            _go_to(page, address, self._way)
            return {"title": page.title(), "url": page.url}

        return self._in_page(go)

    go_to_url = open

    def search(self, query: str) -> str:
        """Search the web; the page of results as text."""
        self.open(SEARCH + quote_plus(query))
        return self.read("text")

    def read(self, form: str = "snapshot") -> str:
        """The page: its `snapshot` with references, its `text`, or as `markdown`."""
        return self._in_page(lambda page: page_as(page, form))

    def click(self, target: str) -> str:
        """Click on a reference, a name or a text; what was clicked."""

        def click(page: Any) -> str:
            found, what = located(page, target)
            found.click()
            return what

        return self._in_page(click)

    def fill(self, target: str, text: str) -> str:
        """Put a text into a field, by its reference, label, placeholder or name."""

        def fill(page: Any) -> str:
            found, what = located(page, target, fields=True)
            found.fill(text)
            return what

        return self._in_page(fill)

    def select(self, target: str, option: str | list[str]) -> str:
        """Choose an option of a list, or several, by what they are called."""

        def select(page: Any) -> str:
            found, what = located(page, target, fields=True)
            found.select_option(label=option)
            return what

        return self._in_page(select)

    def press(self, key: str) -> None:
        """Press a key, such as `Enter` or `Control+a`, in what has the focus."""
        self._in_page(lambda page: page.keyboard.press(key))

    def downloads(self) -> list[str]:
        """The files that were downloaded, in the order of their coming."""
        return self._in_page(lambda page: page.wait_for_timeout(1) or list(self.downloaded))

    def screenshot(self) -> Image:
        """A picture of the page."""
        return picture_from(self._in_page(lambda page: bytes(page.screenshot())))

    def quit(self) -> None:
        """End the browser; its profile is gone."""
        if self._jobs is None:
            return
        _done(self._jobs, self._end, last=True)
        self._jobs = None
        atexit.unregister(self.quit)

    def _in_page(self, work: Callable[[Any], T]) -> T:
        if self._jobs is None:
            self._jobs = SimpleQueue()
            # No pool: those are closed at the end of a program before we can end the browser.
            threading.Thread(
                target=_work_off, args=(self._jobs,), name="browser", daemon=True
            ).start()
            atexit.register(self.quit)
        return _done(self._jobs, lambda: self._work(work))

    def _work(self, work: Callable[[Any], T]) -> T:
        try:
            from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415  (an extra)
        except ImportError as error:
            raise NoDesktop(f"The browser needs an extra: {install_command('browser')}.") from error
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
        self._profile = tempfile.mkdtemp(prefix="browser")
        context = self._playwright.chromium.launch_persistent_context(
            self._profile, executable_path=program, headless=self._headless,
            accept_downloads=True, viewport={"width": 1280, "height": 900},
            chromium_sandbox=not _is_root(), **_through(self._way),
        )  # fmt: skip
        context.set_default_timeout(MILLISECONDS)
        page = context.pages[0] if context.pages else context.new_page()
        page.on("download", self._keep)
        context.on("page", self._follow)
        if self._way is not None:
            context.route("**/*", self._announced)
        return page

    def _announced(self, route: Any) -> None:
        """Say what a page asks for before it is asked for."""
        if self._way is not None:
            self._way.wants(route.request.url)
        route.continue_()

    def _follow(self, page: Any) -> None:
        """A page that opened another one gives way to it, until that closes."""
        before = self._page
        page.on("download", self._keep)
        page.on("close", lambda _: setattr(self, "_page", before))
        self._page = page

    def _keep(self, download: Any) -> None:
        """Put a download into the directory of work, under a harmless name of its own."""
        name = (
            re.sub(r"[^\w.-]", "_", download.suggested_filename).lstrip(".")[-LONGEST_NAME:]
            or "download"
        )
        if (directory := self._directory()) is None:
            download.cancel()
            return
        data = safe_files.read_bytes(Path(download.path()), LARGEST_DOWNLOAD)
        place = directory / name
        number = 1
        while place.exists():
            place = directory / f"{number}-{name}"
            number += 1
        safe_files.write(place, data)
        self.downloaded.append(str(place))

    def _end(self) -> None:
        if self._page is not None:
            self._page.context.close()
        if self._playwright is not None:
            self._playwright.stop()
        if self._profile:
            shutil.rmtree(self._profile, ignore_errors=True)
        self._page = self._playwright = None
        self._profile = ""


def _work_off(jobs: SimpleQueue[Callable[[], bool]]) -> None:
    """Do one after the other, until one was the last."""
    while not jobs.get()():
        pass


def _done(jobs: SimpleQueue[Callable[[], bool]], work: Callable[[], T], *, last: bool = False) -> T:
    """What comes of a piece of work that is done there."""
    result: Future[T] = Future()

    def job() -> bool:
        try:
            result.set_result(work())
        except BaseException as error:  # noqa: BLE001  (whoever waits for it has it)
            result.set_exception(error)
        return last

    jobs.put(job)
    return result.result()


def _is_root() -> bool:
    return hasattr(os, "getuid") and os.getuid() == 0


def _through(way: Way | None) -> dict[str, Any]:
    if way is None:
        return {}
    proxy = way.proxy()
    named = {"server": proxy.address, "username": "browser", "password": proxy.password}
    return {"proxy": named, "args": list(THROUGH_PROXY)}


def _go_to(page: Any, address: str, way: Way | None) -> None:
    """Open a page; what it brings along may take its time, or never come."""
    from playwright.sync_api import TimeoutError as TooLate  # noqa: PLC0415  (an extra)

    for last in (False, False, True):
        try:
            answer = page.goto(address, wait_until="domcontentloaded", timeout=LONGEST_OPENING)
            if answer is not None and answer.status_text.startswith(REFUSAL):
                raise DesktopError(f"{answer.status_text}.")
            break
        except DesktopError:
            raise
        except Exception as error:
            # Of an address with https a browser only tells that there is no tunnel.
            if way is not None and (why := way.refusal(address)):
                raise DesktopError(f"{REFUSAL}: {why}.") from error
            # A page that was on its way, of an error or of a form, came between.
            if last or "interrupted by another navigation" not in str(error):
                raise
            page.wait_for_load_state()
    with suppress(TooLate):
        page.wait_for_load_state("load", timeout=LOADING)

"""`web.fetch`: a page as Markdown, fetched by code itself, with the network that code has.

So every host on the way is one that the sandbox lets through, redirects included, and a page is
taken apart in the sandbox.
"""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import ssl
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

LARGEST = 5_000_000  # bytes of a page, unpacked
MOST_REDIRECTS = 10
TO_OPEN = 600.0  # seconds: the user may be asked about the host meanwhile
PIECE = 1 << 16
STEP = 1 << 14  # characters that are read between two looks at the clock
REDIRECTS = (301, 302, 303, 307, 308)
AGENT = "Mozilla/5.0 (compatible; reploop)"
READABLE = re.compile(r"text/|application/(\S*\+)?(json|xml|javascript|yaml|toml)|image/svg")
UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]")
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})""", re.I)


class WebError(RuntimeError):
    """The page cannot be had; the text says why."""


def fetch(url: str, limit: int = 100_000, seconds: float = 60.0) -> str:
    """The page at an address as Markdown, or its text if it is no HTML; WebError if it has none.

    At most `limit` characters; what is left out is told at the end.
    """
    url, kind, data, more = _fetched(url, seconds)
    until = time.monotonic() + seconds
    if data is None or b"\0" in data[:4_000] or not (READABLE.match(kind) or not kind):
        raise WebError(f"{url} is no text but {kind or 'data'}.")
    text = _decoded(data, kind)
    if "html" in kind or (not kind and "<html" in text[:2_000].lower()):
        text = markdown(text, url, until)
    text = UNSEEN.sub("", text)
    if len(text) > limit or more:
        left = f"{len(text) - limit} characters more" if len(text) > limit else "there is more"
        return f"{text[:limit]}\n\n[cut: {left}]"
    return text


def _fetched(url: str, seconds: float) -> tuple[str, str, bytes | None, bool]:
    """Where it was found, its type, its bytes (None: not worth reading), and whether it is cut."""
    seen = [url]
    while len(seen) <= MOST_REDIRECTS + 1:
        with _opened(url, seconds) as response:
            where = response.headers.get("Location")
            if response.status not in REDIRECTS or not where:
                return url, *_read(url, response)
        url = urljoin(url, where)
        if url in seen:
            raise WebError(f"{seen[0]} leads in a circle.")
        seen.append(url)
    raise WebError(f"{seen[0]} leads on and on.")


def _read(url: str, response: Any) -> tuple[str, bytes | None, bool]:
    if response.status >= 400:
        raise WebError(f"{url}: {response.status} {response.reason}")
    kind = (response.headers.get("Content-Type") or "").lower()
    if kind and not READABLE.match(kind):
        return kind, None, False
    packed = response.headers.get("Content-Encoding", "").lower()
    return kind, *_bounded(_unpacked(response, packed))


@contextlib.contextmanager
def _opened(url: str, seconds: float) -> Iterator[Any]:
    line, path = _line(url)
    opening = TO_OPEN if getattr(line, "proxied", False) else seconds
    wanted = {"User-Agent": AGENT, "Accept-Encoding": "gzip", "Connection": "close"}
    try:
        with contextlib.closing(line):
            with _no_longer_than(opening, line):
                line.request("GET", path, headers={**wanted, "Accept": "text/html, */*;q=0.5"})
                response = line.getresponse()
            with _no_longer_than(seconds, line, response):
                yield response
    except TimeoutError as error:
        raise WebError(f"{url} does not answer in time.") from error
    except (OSError, http.client.HTTPException, zlib.error) as error:
        raise WebError(f"{url} cannot be fetched: {error}") from error


def _line(url: str) -> tuple[http.client.HTTPConnection, str]:
    """A connection to a host, through the proxy if there is one, and what to ask there for."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise WebError(f"{url!r} is no address of a page (http:// or https://).")
    path = quote(parts.path or "/", "/%:@!$&'()*+,;=~-._")
    path += f"?{quote(parts.query, '/%:@!$&()*+,;=~-._?')}" if parts.query else ""
    host = (
        parts.hostname.encode("idna").decode() if not parts.hostname.isascii() else parts.hostname
    )
    port = parts.port or (443 if parts.scheme == "https" else 80)
    proxy = urlsplit(getproxies().get(parts.scheme, "")) if not proxy_bypass(host) else None
    near, its_port = (host, port)
    if proxy is not None and proxy.hostname:
        near, its_port = proxy.hostname, proxy.port or 80
    line: http.client.HTTPConnection
    if parts.scheme == "https":
        line = http.client.HTTPSConnection(
            near, its_port, timeout=TO_OPEN, context=ssl.create_default_context()
        )
        if near != host:
            line.set_tunnel(host, port)
    else:
        line = http.client.HTTPConnection(near, its_port, timeout=TO_OPEN)
        path = f"http://{host}:{port}{path}" if near != host else path
    line.proxied = near != host  # type: ignore[attr-defined]
    return line, path


@contextlib.contextmanager
def _no_longer_than(seconds: float, line: Any, response: Any = None) -> Iterator[None]:
    """Cut a connection when its time is over, also if it drips; that is a TimeoutError."""
    over = threading.Event()
    # The response owns the socket once the connection is to be closed after it.
    held = getattr(getattr(response, "fp", None), "raw", None)

    def cut() -> None:
        over.set()
        found: Any = line.sock or getattr(held, "_sock", None)
        with contextlib.suppress(OSError, AttributeError):
            found.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
        if over.is_set():
            raise TimeoutError
    except (OSError, http.client.HTTPException, zlib.error) as error:
        if over.is_set():
            raise TimeoutError from error
        raise
    finally:
        timer.cancel()


def _unpacked(response: Any, packed: str) -> Iterator[bytes]:
    if packed in ("", "identity"):
        while piece := response.read1(PIECE):
            yield piece
        return
    if packed not in ("gzip", "x-gzip", "deflate"):
        raise WebError(f"It is packed with {packed}, which was not asked for.")
    unpack = zlib.decompressobj(47)
    while piece := response.read1(PIECE):
        while piece:  # a few bytes may be gigabytes
            yield unpack.decompress(piece, PIECE)
            piece = unpack.unconsumed_tail


def _bounded(pieces: Iterator[bytes]) -> tuple[bytes, bool]:
    data = bytearray()
    for piece in pieces:
        data += piece
        if len(data) > LARGEST:
            return bytes(data[:LARGEST]), True
    return bytes(data), False


def _decoded(data: bytes, kind: str) -> str:
    named = re.search(r"charset=\"?([\w-]{1,40})", kind)
    inside = _CHARSET.search(data[:2_000])
    names = [named[1] if named else "", inside[1].decode() if inside else "", "utf-8"]
    for name in filter(None, names):
        with contextlib.suppress(LookupError, UnicodeDecodeError):
            return data.decode(name)
    return data.decode("utf-8", "replace")


def markdown(html: str, base: str = "", until: float = float("inf")) -> str:
    """What people see of a page, as Markdown."""
    reader = _Reader(base)
    for start in range(0, len(html), STEP):
        reader.feed(html[start : start + STEP])
        # A tag without end is read again with every piece: after some of them, that is enough.
        if time.monotonic() > until or len(reader.rawdata) > 4 * STEP:
            break
    if "<" not in reader.rawdata or len(reader.rawdata) < STEP // 8:
        reader.close()
    return reader.text()


EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source"} | {
    "track",
    "wbr",
}
LEFT_OUT = {"script", "style", "template", "svg", "noscript", "iframe", "head", "select", "object"}
BLOCKS = {
    "p",
    "div",
    "section",
    "article",
    "main",
    "header",
    "footer",
    "nav",
    "aside",
    "figure",
} | {
    *("ul", "ol", "dl", "dt", "dd", "table", "form", "address", "details", "summary"),
    *("figcaption", "fieldset"),
}
MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*", "code": "`", "del": "~~", "s": "~~"}
ITEMS = ("- ", ". ", "> ", "| ")  # after which a block goes on in the line
_SPACE = re.compile(r"[ \t\r\n\f]+")


class _Reader(HTMLParser):
    """Writes Markdown while it reads; it keeps no tree, so no page is too deep."""

    def __init__(self, base: str) -> None:
        super().__init__(convert_charrefs=True)
        self._base = base
        self._out: list[str] = []
        self._hidden: list[str] = []  # the open elements of which nothing is seen
        self._open: Counter[str] = Counter()
        self._lists: list[int | None] = []
        self._links: list[tuple[int, str]] = []
        self._pre = 0
        self._cells = self._heads = 0
        self._title: list[str] | None = None
        self._named = ""
        self._body: list[int] = []

    def text(self) -> str:
        """All of it."""
        out = self._out[slice(*self._body)] if len(self._body) == 2 else self._out
        body = "".join(out)
        if len(self._body) == 2 and len(body) < len("".join(self._out)) // 20:
            body = "".join(self._out)  # what calls itself the main part is next to nothing
        lines = [line.rstrip() for line in body.split("\n")]
        body = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
        title = " ".join(self._named.split())
        return f"# {title}\n\n{body}" if title and not body.startswith("# ") else body

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "title" and not self._named:
            self._title = []
        hides = tag in LEFT_OUT or "hidden" in found or found.get("aria-hidden") == "true"
        style = (found.get("style") or "").replace(" ", "").lower()
        hides = hides or "display:none" in style or "visibility:hidden" in style
        if self._hidden or hides:
            if tag not in EMPTY:
                self._hidden.append(tag)
                self._open[tag] += 1
            return
        if tag == "main" and not self._body:
            self._body = [len(self._out)]
        self._begin(tag, found)

    def handle_endtag(self, tag: str) -> None:
        if tag == "title" and self._title is not None:
            self._named, self._title = "".join(self._title)[:300], None
        if self._hidden:
            while self._open[tag]:
                closed = self._hidden.pop()
                self._open[closed] -= 1
                if closed == tag:
                    break
            return
        self._end(tag)
        if tag == "main" and len(self._body) == 1:
            self._body.append(len(self._out))

    def handle_data(self, data: str) -> None:
        if self._title is not None:
            self._title.append(data)
        elif not self._hidden:
            said = data if self._pre else _SPACE.sub(" ", data)
            if said == " " and (not self._out or self._out[-1].endswith(("\n", " "))):
                return
            self._out.append(said)

    def _begin(self, tag: str, found: dict[str, str | None]) -> None:
        if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self._out.append("\n\n" + "#" * int(tag[1]) + " ")
        elif tag == "pre":
            self._pre += 1
            self._out.append("\n\n```\n")
        elif tag in ("ul", "ol", "li"):
            self._list(tag)
        elif tag == "a" and found.get("href"):
            self._links.append((len(self._out), urljoin(self._base, found["href"] or "")))
        elif tag == "img" and found.get("alt"):
            self._out.append(f"![{found['alt']}]({urljoin(self._base, found.get('src') or '')})")
        elif tag in ("td", "th"):
            self._out.append(" | " if self._cells else "\n| ")
            self._cells += 1
            self._heads += tag == "th"
        else:
            if tag in MARKS and not self._pre:
                self._out.append(MARKS[tag])
            plain = {"br": "\n", "hr": "\n\n---\n\n", "tr": "", "blockquote": "\n\n> "}
            blank = "" if self._out and self._out[-1].endswith(ITEMS) else "\n\n"
            self._out.append(plain.get(tag, blank if tag in BLOCKS else ""))

    def _end(self, tag: str) -> None:
        if tag == "pre" and self._pre:
            self._pre -= 1
            self._out.append("\n```\n\n")
        elif tag in ("ul", "ol") and self._lists:
            self._lists.pop()
            self._out.append("" if self._lists else "\n\n")
        elif tag == "a" and self._links:
            start, address = self._links.pop()
            said = " ".join("".join(self._out[start:]).split())
            if said and address.startswith(("http://", "https://")):
                self._out[start:] = [f"[{said}]({address})"]
        elif tag == "tr" and self._cells:
            rule = "\n|" + " --- |" * self._cells if self._heads == self._cells else ""
            self._out.append(f" |{rule}")
            self._cells = self._heads = 0
        elif tag in MARKS and not self._pre:
            self._out.append(MARKS[tag])
        elif tag in BLOCKS or tag == "blockquote" or (len(tag) == 2 and tag[0] == "h"):
            self._out.append("\n\n")

    def _list(self, tag: str) -> None:
        if tag != "li":
            self._lists.append(0 if tag == "ol" else None)
            self._out.append("\n" if len(self._lists) > 1 else "\n\n")
            return
        number = self._lists[-1] if self._lists else None
        if number is not None:
            self._lists[-1] = number + 1
        mark = "-" if number is None else f"{number + 1}."
        depth = min(len(self._lists), 10)
        self._out.append("\n" + "  " * max(0, depth - 1) + mark + " ")

"""HTML of others as HTML that can do nothing: known tags without attributes, and words."""

from __future__ import annotations

from html import escape
from html.parser import HTMLParser

KEPT = frozenset((
    *("table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "div", "p", "span"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "blockquote"),
    *("b", "i", "strong", "em", "u", "s", "small", "sub", "sup", "code", "pre", "kbd"),
))  # fmt: skip
ALONE = frozenset(("br", "hr"))
UNSAID = frozenset(("script", "style", "head", "title", "template", "noscript", "iframe", "svg"))
SPANS = ("colspan", "rowspan")


def plain_html(page: str) -> str:
    """The page's words, tables and lists."""
    parser = _Plain()
    parser.feed(page)
    parser.close()
    while parser.open:
        parser.handle_endtag(parser.open[-1])
    return "".join(parser.pieces)


class _Plain(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.open: list[str] = []
        self._unsaid: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in UNSAID:
            self._unsaid.append(tag)
        elif self._unsaid:
            return
        elif tag in ALONE:
            self.pieces.append(f"<{tag}>")
        elif tag in KEPT:
            kept = [(name, value or "") for name, value in attrs if name in SPANS]
            spans = "".join(f' {name}="{value}"' for name, value in kept if value.isdecimal())
            self.pieces.append(f"<{tag}{spans}>")
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._unsaid:
            while self._unsaid.pop() != tag:
                pass
        elif not self._unsaid and tag in self.open:
            while (last := self.open.pop()) != tag:
                self.pieces.append(f"</{last}>")
            self.pieces.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self._unsaid:
            self.pieces.append(escape(data))

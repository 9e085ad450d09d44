"""HTML of others as HTML that can do nothing: known tags without attributes, and words."""

from __future__ import annotations

import re
from html import escape, unescape

KEPT = frozenset((
    *("table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "div", "p", "span"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "blockquote"),
    *("b", "i", "strong", "em", "u", "s", "small", "sub", "sup", "code", "pre", "kbd"),
))  # fmt: skip
ALONE = frozenset(("br", "hr"))
UNSAID = frozenset(("script", "style", "head", "title", "template", "noscript", "iframe", "svg"))
TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)([^<>]*)>")
UNSEEN = re.compile(r"<!--.*?(?:-->|\Z)|<![^<>]*>", re.DOTALL)
SPAN = re.compile(r' (?:col|row)span="\d{1,4}"')
DEEPEST = 100  # tags within tags that a closing one is looked for in


def plain_html(page: str) -> str:
    """The page's words, tables and lists; whatever is no known tag is words."""
    pieces: list[str] = []
    opened: list[str] = []
    unsaid, at = "", 0
    page = UNSEEN.sub("", page)
    for found in TAG.finditer(page):
        if not unsaid:
            pieces.append(escape(unescape(page[at : found.start()])))
        at = found.end()
        closes, tag = bool(found[1]), found[2].lower()
        if unsaid or tag in UNSAID:
            unsaid = "" if closes and tag == unsaid else unsaid or ("" if closes else tag)
        elif tag in ALONE:
            pieces.append(f"<{tag}>")
        elif tag in KEPT:
            pieces.append(_closed(tag, opened) if closes else _opened(tag, found[3], opened))
    if not unsaid:
        pieces.append(escape(unescape(page[at:])))
    return "".join([*pieces, *(f"</{tag}>" for tag in reversed(opened))])


def _opened(tag: str, attributes: str, opened: list[str]) -> str:
    opened.append(tag)
    return f"<{tag}{''.join(SPAN.findall(attributes))}>"


def _closed(tag: str, opened: list[str]) -> str:
    if tag not in opened[-DEEPEST:]:
        return ""
    closed: list[str] = []
    while not closed or closed[-1] != tag:
        closed.append(opened.pop())
    return "".join(f"</{one}>" for one in closed)

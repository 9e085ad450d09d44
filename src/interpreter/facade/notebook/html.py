"""What a notebook shows of others' texts: code as a picture of itself, pages in a closed frame."""

from __future__ import annotations

import base64
import re
from html import escape
from typing import Any

from interpreter.protocol.messages import TABLE, Display
from interpreter.protocol.visible import (
    drawn,
    is_mark,
    sentence,
    tame,
    tame_plain,
    visible,
    wrapped,
)
from interpreter.session.export.markdown import safe_markdown
from interpreter.session.export.plain_html import plain_html

WIDTH = 100  # columns of code; what is longer goes on below, so that nothing is out of sight
STYLE = "direction:ltr;unicode-bidi:isolate;white-space:pre;overflow-x:auto;margin:0"
FRAME = (
    '<iframe sandbox="{allowed}" referrerpolicy="no-referrer" srcdoc="{page}" '
    'style="width:100%;height:{height}px;border:0;resize:vertical;background:white"></iframe>'
)
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "media-src data:; {scripts}base-uri 'none'; form-action 'none'"
)
SCRIPTS = "script-src 'unsafe-inline' 'unsafe-eval'; "
LINE, SHORTEST, TALLEST = 26, 80, 600  # pixels
PICTURES = ("image/png", "image/jpeg", "image/gif")
STEERS = re.compile(r"\\(href|url|style|class|cssId|require|unicode|html|data|includegraphics)")


def code(language: str, source: str) -> dict[str, Any]:
    """A block, drawn so that no character of it is hidden."""
    rows = [row for line in source.split("\n") for row in _rows(line)]
    words = "\n".join("".join(text for text, _ in row) for row in rows)
    marked = "\n".join(
        "".join(f"<mark>{escape(text)}</mark>" if mark else escape(text) for text, mark in row)
        for row in rows
    )
    head = f"<small>{escape(visible(language))}</small>"
    return {"text/plain": words, "text/html": f'{head}<pre style="{STYLE}">\n{marked}</pre>'}


def _rows(line: str) -> list[list[tuple[str, str]]]:
    return wrapped([(shown, "mark" if is_mark(shown) else "") for shown in drawn(line)], WIDTH)


def words(text: str, tag: str) -> dict[str, Any]:
    """A sentence of ours, with names and reasons of others in it."""
    shown = sentence(text)
    return {"text/plain": shown, "text/html": f"<{tag}>{escape(shown)}</{tag}>"}


def faces(display: Display, *, scripts: bool) -> dict[str, Any]:
    """A rich result of a block: what can do nothing as it is, a page in a frame of its own."""
    data: dict[str, Any] = {}
    for face in display.faces:
        if face.media_type in PICTURES:
            data[face.media_type] = face.data
        elif isinstance(face.data, str):
            data |= _text_face(face.media_type, face.data)
    page = display.face("text/html")
    if page and isinstance(page.data, str):
        table = display.face(TABLE) is not None
        data["text/html"] = plain_html(page.data) if table else frame(page.data, scripts=scripts)
    return data


def _text_face(media_type: str, text: str) -> dict[str, Any]:
    match media_type:
        case "text/plain":
            return {media_type: tame(text)}
        case "text/markdown":
            return {media_type: safe_markdown(tame_plain(text))}
        case "text/latex" if not STEERS.search(text):
            return {media_type: tame_plain(text)}
        case "image/svg+xml":  # as a picture it runs nothing and fetches nothing
            packed = base64.b64encode(text.encode(errors="replace")).decode("ascii")
            return {"text/html": f'<img src="data:image/svg+xml;base64,{packed}">'}
        case _:
            return {}


def frame(page: str, *, scripts: bool) -> str:
    """A page that reaches neither the notebook nor the network; scripts only where they may run."""
    policy = POLICY.format(scripts=SCRIPTS if scripts else "")
    head = f'<!doctype html><meta http-equiv="Content-Security-Policy" content="{policy}">'
    lines = page.count("<tr") + page.count("<p") + page.count("<li") + page.count("<br")
    height = TALLEST if "<script" in page else min(TALLEST, max(SHORTEST, LINE * (lines + 2)))
    allowed = "allow-scripts" if scripts else ""
    return FRAME.format(allowed=allowed, page=escape(head + page), height=height)

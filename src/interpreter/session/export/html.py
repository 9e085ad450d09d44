"""A session as one HTML page that needs nothing else: styles and pictures are inside."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from html import escape

from interpreter.protocol.messages import (
    ActionResult,
    Code,
    Display,
    Message,
    Output,
    Part,
    Reasoning,
    Text,
)
from interpreter.protocol.visible import legible, sentence, tame_plain, visible

PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none';
 form-action 'none'">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 50rem; margin: 2rem auto; padding: 0 1rem;
 font: 16px/1.5 system-ui, sans-serif; }}
.user {{ border-left: .25rem solid #58a; padding-left: .8rem; font-weight: 600;
 white-space: pre-wrap; }}
pre {{ direction: ltr; overflow-x: auto; padding: .7rem; border-radius: .3rem; background: #8882; }}
pre.output {{ background: none; border: 1px solid #8884; }}
.language, .note {{ color: #888; font-size: .85rem; }}
.failed {{ color: #c33; }}
img {{ max-width: 100%; }}
</style>
{body}
</html>
"""
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
INLINE = (
    (re.compile(r"`([^`\n]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*\n]+)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"(?<![\w*])\*([^*\n]+)\*(?![\w*])"), r"<em>\1</em>"),
)
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"(#{1,6}) +(.*)")
ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)]) +(.*)")


def to_html(messages: Sequence[Message]) -> str:
    """The page. Nothing of a session is taken as HTML: all of it is escaped."""
    title = next((m.text for m in messages if m.role == "user" and m.text.strip()), "Session")
    body = "\n".join(piece for message in messages for piece in _message(message))
    return PAGE.format(title=escape(visible(" ".join(title.split())[:80])), body=body)


def _message(message: Message) -> Iterator[str]:
    for part in message.parts:
        shown = _part(part, message.role)
        if shown:
            yield shown


def _part(part: Part, role: str) -> str:
    match part:
        case Text(text) if role == "user":
            return f'<p class="user">{escape(tame_plain(text))}</p>'
        case Text(text):
            return prose(tame_plain(text))
        case Reasoning(text) if text.strip():
            return f"<details><summary>thoughts</summary>{prose(tame_plain(text))}</details>"
        case Code(language, source):
            head = f'<div class="language">{escape(visible(language))}</div>'
            return f"{head}<pre>\n{escape(legible(source))}</pre>"
        case Output(text) if text.strip():
            return f'<pre class="output">{escape(tame_plain(text))}</pre>'
        case Display():
            return _display(part)
        case ActionResult(_, outcome, summary) if outcome != "ok":
            return f'<p class="note failed">{escape(sentence(f"{outcome}: {summary}"))}</p>'
        case _:
            return ""


def _display(display: Display) -> str:
    image, text = display.image, escape(tame_plain(display.text))
    if image is not None and isinstance(image.data, bytes) and image.media_type in PICTURES:
        data = base64.b64encode(image.data).decode("ascii")
        return f'<img alt="{text}" src="data:{image.media_type};base64,{data}">'
    return f'<pre class="output">{text}</pre>' if text else ""


def prose(text: str) -> str:
    """The plain part of Markdown as HTML: fences, headings, lists, emphasis."""
    pieces: list[str] = []
    at = 0
    for found in FENCE.finditer(text):
        pieces += _paragraphs(text[at : found.start()])
        pieces.append(f"<pre>{escape(found[2])}</pre>")
        at = found.end()
    return "\n".join([*pieces, *_paragraphs(text[at:])])


def _paragraphs(text: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.split("\n") if line.strip()]
        if not lines:
            continue
        if heading := HEADING.match(lines[0]):
            level = len(heading[1])
            yield f"<h{level}>{_inline(heading[2])}</h{level}>"
            lines = lines[1:]
        items = [ITEM.match(line) for line in lines]
        if lines and all(items):
            inner = "".join(f"<li>{_inline(item[1])}</li>" for item in items if item)
            yield f"<ul>{inner}</ul>"
        elif lines:
            yield f"<p>{'<br>'.join(_inline(line) for line in lines)}</p>"


def _inline(text: str) -> str:
    shown = escape(text)
    for pattern, replacement in INLINE:
        shown = pattern.sub(replacement, shown)
    return shown

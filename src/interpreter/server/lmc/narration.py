"""An answer in chunks as one Markdown text: prose, code in fences, and results after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

NOT_RUN = "\n\n*The code was not run: this server asks before it runs code.*\n"
LARGEST_PICTURE = 2_000_000


class Narration:
    """Takes chunks one by one; what there is to say of each."""

    def __init__(self) -> None:
        self._fence = ""
        self._said = False

    def pieces(self, chunk: dict[str, Any]) -> Iterator[str]:
        """The text that a chunk adds."""
        if chunk.get("format") == "active_line" or "content" not in chunk:
            if chunk.get("end"):
                yield from self._closed()
            return
        kind, style = chunk["type"], chunk.get("format", "")
        content = str(chunk["content"])
        if kind == "message":
            yield from self._closed()
            yield from self._prose(content)
        elif kind == "image" and style.startswith("base64") and len(content) < LARGEST_PICTURE:
            yield from self._closed()
            media = "jpeg" if style.endswith("jpeg") else "png"
            yield f"\n![picture](data:image/{media};base64,{content})\n"
        elif kind in ("code", "console"):
            is_code = kind == "code" and chunk["role"] == "assistant"
            yield from self._inside(f"```{style}" if is_code else "````output", content)

    def _prose(self, text: str) -> Iterator[str]:
        self._said = True
        yield text

    def _inside(self, fence: str, text: str) -> Iterator[str]:
        if self._fence != fence:
            yield from self._closed()
            self._fence = fence
            yield f"\n\n{fence}\n" if self._said else f"{fence}\n"
            self._said = True
        yield text

    def _closed(self) -> Iterator[str]:
        if self._fence:
            yield "\n" + "`" * (len(self._fence) - len(self._fence.lstrip("`"))) + "\n"
            self._fence = ""

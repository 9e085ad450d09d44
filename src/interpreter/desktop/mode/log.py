"""What OS mode did, with pictures of before and after, as a page that can be looked through."""

from __future__ import annotations

import html
import time
from pathlib import Path

from interpreter.desktop.pictures import jpeg
from interpreter.protocol import safe_files
from interpreter.protocol.desktop import Frame
from interpreter.protocol.visible import visible

WIDTH = 900
HEAD = """<!DOCTYPE html><meta charset="utf-8"><title>What was done on the screen</title>
<style>body{font:15px sans-serif;margin:2em}img{width:48%;border:1px solid #999}
code{background:#eee;padding:2px 4px}</style><h1>What was done on the screen</h1>
"""


class ActionLog:
    """A directory with a page; it is written after every action, so that a crash loses nothing."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._rows: list[str] = []

    @property
    def page(self) -> Path:
        """The page."""
        return self.directory / "index.html"

    def add(self, action: object, before: Frame, after: Frame) -> None:
        """One action."""
        safe_files.make_folder(self.directory)
        number = len(self._rows) + 1
        for name, frame in (("before", before), ("after", after)):
            height = max(1, frame.height * WIDTH // frame.width)
            safe_files.write(
                self.directory / f"{number:04d}-{name}.jpg", jpeg(frame, (WIDTH, height))
            )
        said = html.escape(visible(repr(action)))
        self._rows.append(
            f"<h2>{number}. {time.strftime('%H:%M:%S')}</h2><p><code>{said}</code></p>"
            f'<p><img src="{number:04d}-before.jpg"> <img src="{number:04d}-after.jpg"></p>\n'
        )
        safe_files.write(self.page, HEAD + "".join(self._rows))

"""What OS mode did, with pictures of before and after, as one page that can be played again."""

from __future__ import annotations

import html
import time
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING

from interpreter.desktop.pictures import encoded, image_of, with_cross
from interpreter.protocol import safe_files
from interpreter.protocol.desktop import Frame, Point

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTH = 900  # pixels of a picture
MOST_ACTIONS = 2_000
HEAD = """<!DOCTYPE html><meta charset="utf-8"><title>What was done on the screen</title>
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<style>body{font:15px sans-serif;margin:2em}img{border:1px solid #999}
p{font-size:18px}nav{position:sticky;top:0;background:#fff;padding:.5em 0}
figure{display:inline-block;width:48%;margin:0 1% 0 0}figure img{width:100%}
figcaption{color:#555}section{display:none}section.now,body.all section{display:block}</style>
<h1>What was done on the screen</h1>
<nav><button id="back">&larr;</button> <button id="play">Play</button>
<button id="next">&rarr;</button> <button id="all">All</button> <span id="at"></span></nav>
<script>
addEventListener("DOMContentLoaded", () => {
  const shots = [...document.querySelectorAll("section")];
  let at = 0, timer = 0;
  const stop = () => { clearInterval(timer); timer = 0; };
  const show = (number) => {
    document.body.classList.remove("all");
    at = Math.max(0, Math.min(number, shots.length - 1));
    shots.forEach((one, index) => one.classList.toggle("now", index === at));
    document.getElementById("at").textContent = `${at + 1} / ${shots.length}`;
    if (at === shots.length - 1) stop();
  };
  const on = (id, act) => document.getElementById(id).addEventListener("click", act);
  on("back", () => { stop(); show(at - 1); });
  on("next", () => { stop(); show(at + 1); });
  on("all", () => { stop(); document.body.classList.add("all"); });
  on("play", () => {
    if (timer) return stop();
    show(at === shots.length - 1 ? 0 : at);
    timer = setInterval(() => show(at + 1), 1200);
  });
  addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") show(at - 1);
    if (event.key === "ArrowRight") show(at + 1);
  });
  show(0);
});
</script>
"""


class ActionLog:
    """One page, which grows with every action, so that a crash loses nothing."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._count = 0

    @property
    def page(self) -> Path:
        """The page."""
        return self.directory / "index.html"

    def add(self, said: str, before: Frame, after: Frame, point: Point | None = None) -> None:
        """One action in words, and where it was."""
        self._count += 1
        if self._count > MOST_ACTIONS:
            return
        if self._count == 1:
            safe_files.make_folder(self.directory)
            safe_files.write(self.page, HEAD)
        where = point if point is not None and before.box.holds(point) else None
        marked = with_cross(before, where) if where is not None else image_of(before)
        pictures = _picture("before", marked) + _picture("after", image_of(after))
        row = (
            f"<section><h2>{self._count}. {time.strftime('%H:%M:%S')}</h2>"
            f"<p>{html.escape(said)}</p>{pictures}</section>\n"
        )
        with safe_files.opened_for_change(self.page) as page:
            page.seek(0, 2)
            page.write(row.encode())


def _picture(caption: str, picture: Image) -> str:
    size = (WIDTH, max(1, picture.height * WIDTH // picture.width))
    data = b64encode(encoded(picture.resize(size), "JPEG")).decode()
    shown = f'<img alt="the screen {caption}" src="data:image/jpeg;base64,{data}">'
    return f"<figure>{shown}<figcaption>{caption}</figcaption></figure>"

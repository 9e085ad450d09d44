"""What OS mode did, with pictures of before and after, as one page that can be played again."""

from __future__ import annotations

import html
import time
from base64 import b64encode
from pathlib import Path

from interpreter.desktop.pictures import jpeg
from interpreter.protocol import safe_files
from interpreter.protocol.desktop import Frame
from interpreter.protocol.visible import visible

WIDTH = 900
MOST_ACTIONS = 2_000
HEAD = """<!DOCTYPE html><meta charset="utf-8"><title>What was done on the screen</title>
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<style>body{font:15px sans-serif;margin:2em}img{width:48%;border:1px solid #999}
code{background:#eee;padding:2px 4px}nav{position:sticky;top:0;background:#fff;padding:.5em 0}
section{display:none}section.now,body.all section{display:block}</style>
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

    def add(self, action: object, before: Frame, after: Frame) -> None:
        """One action."""
        self._count += 1
        if self._count > MOST_ACTIONS:
            return
        if self._count == 1:
            safe_files.make_folder(self.directory)
            safe_files.write(self.page, HEAD)
        said = html.escape(visible(repr(action)))
        pictures = " ".join(map(_picture, (before, after)))
        row = (
            f"<section><h2>{self._count}. {time.strftime('%H:%M:%S')}</h2>"
            f"<p><code>{said}</code></p><p>{pictures}</p></section>\n"
        )
        with safe_files.opened_for_change(self.page) as page:
            page.seek(0, 2)
            page.write(row.encode())


def _picture(frame: Frame) -> str:
    height = max(1, frame.height * WIDTH // frame.width)
    return f'<img src="data:image/jpeg;base64,{b64encode(jpeg(frame, (WIDTH, height))).decode()}">'

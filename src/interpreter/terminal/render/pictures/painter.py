"""Which way of drawing a terminal understands, and drawing that way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Literal, get_args

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.messages import Face
from interpreter.protocol.system.host_programs import find_program
from interpreter.terminal.render.pictures.drawing import half_blocks, iterm2, kitty, sixel
from interpreter.terminal.render.pictures.pixels import CannotRead, read, size_of

Way = Literal["kitty", "iterm2", "sixel", "blocks", "none"]
WAYS = get_args(Way)
PROTOCOLS = ("kitty", "iterm2", "sixel")
SECONDS = 5.0
CELL_WIDTH, CELL_HEIGHT = 9, 18  # pixels, where the terminal does not say
MOST_COLUMNS = 100
BLOCK_COLUMNS = 72
MOST_PIXELS = 900  # across, of a sixel
SIXEL_TERMINALS = ("foot", "mlterm", "yaft", "contour", "xterm-sixel")
SIXEL_PROGRAMS = ("mlterm", "contour", "rlogin", "sixel-tmux")


def painter(wish: str, environment: Mapping[str, str]) -> Callable[[Face, int, int], str]:
    """Draws a picture in at most so many columns and rows; an empty text where it cannot."""
    if wish not in ("auto", *WAYS):
        raise ConfigurationError(f"images: {wish!r} is none of auto, {', '.join(WAYS)}.")
    in_tmux = bool(environment.get("TMUX"))

    @cache
    def way() -> str:
        if wish != "auto":
            return wish
        best = detect(environment)
        return "blocks" if best in PROTOCOLS and in_tmux and not _tmux_hands_on() else best

    def draw(face: Face, width: int, height: int) -> str:
        if way() == "none" or isinstance(face.data, str):
            return ""
        try:
            text = _draw(way(), face.data, min(width, MOST_COLUMNS), height)
        except CannotRead:
            return ""
        return through_tmux(text) if in_tmux and way() in PROTOCOLS else text

    return draw


def _tmux_hands_on() -> bool:
    """Whether the tmux around us lets pictures through to the terminal."""
    import subprocess  # noqa: PLC0415  (only with a picture, and in tmux)

    ask = [find_program("tmux") or "", "show-options", "-gv", "allow-passthrough"]
    try:
        done = subprocess.run(ask, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.stdout.strip() in ("on", "all")


def _draw(way: str, data: bytes, columns: int, rows: int) -> str:
    width, height = size_of(data)
    if way in ("kitty", "iterm2"):
        box = columns * CELL_WIDTH / width, rows * CELL_HEIGHT / height
        scale = min(1, *box)
        cells = width * scale / CELL_WIDTH, height * scale / CELL_HEIGHT
        fitting = max(1, round(cells[0])), max(1, round(cells[1]))
        return kitty(data, *fitting) if way == "kitty" else iterm2(data, *fitting)
    if way == "sixel":
        return sixel(read(data, (min(MOST_PIXELS, columns * CELL_WIDTH), rows * CELL_HEIGHT)))
    return half_blocks(read(data, (min(columns, BLOCK_COLUMNS), 2 * rows)))


def detect(environment: Mapping[str, str]) -> Way:
    """The best way that the terminal is known to understand, by what it says about itself."""
    program = environment.get("TERM_PROGRAM", "").lower()
    term = environment.get("TERM", "").lower()
    if environment.get("NO_COLOR"):
        return "none"
    if environment.get("KITTY_WINDOW_ID") or "kitty" in term or program == "ghostty":
        return "kitty"
    if program in ("iterm.app", "wezterm", "vscode") or environment.get("LC_TERMINAL") == "iTerm2":
        return "iterm2"
    if environment.get("KONSOLE_VERSION") or term.startswith("xterm-ghostty"):
        return "kitty"
    if term.startswith(SIXEL_TERMINALS) or program in SIXEL_PROGRAMS:
        return "sixel"
    return "blocks"


def through_tmux(text: str) -> str:
    """Wrapped so that tmux hands it on to the terminal outside (`allow-passthrough on`)."""
    pieces = []
    for piece in _sequences(text):
        if piece.startswith("\x1b") and piece.endswith(("\x1b\\", "\x07")):
            pieces.append("\x1bPtmux;" + piece.replace("\x1b", "\x1b\x1b") + "\x1b\\")
        else:
            pieces.append(piece)
    return "".join(pieces)


def _sequences(text: str) -> list[str]:
    """The text as whole escape strings and what stands between them."""
    pieces, at = [], 0
    while at < len(text):
        start = text.find("\x1b", at)
        if start < 0:
            pieces.append(text[at:])
            break
        if start > at:
            pieces.append(text[at:start])
        ends = [place + size for mark, size in (("\x1b\\", 2), ("\x07", 1))
                if (place := text.find(mark, start + 1)) >= 0]  # fmt: skip
        at = min(ends, default=len(text))
        pieces.append(text[start:at])
    return pieces

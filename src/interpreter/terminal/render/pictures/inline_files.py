"""Terminals that take a picture as a file: kitty's protocol and iTerm2's."""

from __future__ import annotations

import base64

from interpreter.terminal.render.pictures.pixels import read

CHUNK = 4096  # bytes of base64 that kitty takes at once
PNG = b"\x89PNG\r\n\x1a\n"


def kitty(data: bytes, columns: int, rows: int) -> str:
    """A PNG as it is, anything else as raw pixels; in so many columns and rows."""
    if data.startswith(PNG):
        head, body = "f=100", data
    else:
        pixels = read(data)
        head, body = f"f=24,s={pixels.width},v={pixels.height}", pixels.rgb
    encoded = base64.standard_b64encode(body).decode("ascii")
    pieces = [encoded[at : at + CHUNK] for at in range(0, len(encoded), CHUNK)]
    text = []
    for place, piece in enumerate(pieces):
        more = int(place < len(pieces) - 1)
        control = f"a=T,q=2,{head},c={columns},r={rows},m={more}" if place == 0 else f"m={more}"
        text.append(f"\x1b_G{control};{piece}\x1b\\")
    return "".join(text) + "\n"


def iterm2(data: bytes, columns: int, rows: int) -> str:
    """Any file that iTerm2 knows, not larger than so many columns and rows."""
    encoded = base64.standard_b64encode(data).decode("ascii")
    control = f"inline=1;size={len(data)};width={columns};height={rows};preserveAspectRatio=1"
    return f"\x1b]1337;File={control}:{encoded}\x07\n"

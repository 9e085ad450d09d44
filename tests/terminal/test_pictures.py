"""Pictures are drawn so that a terminal sees the same pixels: what is written is decoded again."""

import base64
import itertools
import re
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.messages import Face
from interpreter.terminal.render.pictures.painter import detect, painter, through_tmux
from interpreter.terminal.render.pictures.pixels import CannotRead, Pixels, read


def png(width, height, rgb, *, filters=(0,)):
    """A PNG of RGB pixels whose rows use these filters in turn."""
    rows, above = [], bytes(width * 3)
    for y in range(height):
        line = rgb[y * width * 3 : (y + 1) * width * 3]
        kind = filters[y % len(filters)]
        rows.append(bytes([kind]) + filtered(line, above, kind))
        above = line
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))]
    parts += [(b"IDAT", zlib.compress(b"".join(rows))), (b"IEND", b"")]
    chunks = [
        struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d)) for n, d in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def filtered(line, above, kind):
    made = bytearray()
    for at, value in enumerate(line):
        left, corner = (line[at - 3], above[at - 3]) if at >= 3 else (0, 0)
        guess = left + above[at] - corner
        nearest = min((left, above[at], corner), key=lambda one: abs(guess - one))
        predicted = (0, left, above[at], (left + above[at]) // 2, nearest)[kind]
        made.append((value - predicted) & 255)
    return bytes(made)


WIDTH, HEIGHT = 30, 14
LEVEL = 51  # the distance of two of the six levels that sixel colours have here
GRADIENT = bytes(
    value * LEVEL
    for y in range(HEIGHT)
    for x in range(WIDTH)
    for value in (x % 6, y % 6, (x + y) % 6)
)
PICTURE = png(WIDTH, HEIGHT, GRADIENT)


@given(st.integers(1, 9), st.integers(1, 9), st.data())
def test_every_filter_of_png_is_read(width, height, data):
    rgb = data.draw(st.binary(min_size=width * height * 3, max_size=width * height * 3))
    file = png(width, height, rgb, filters=(4, 3, 2, 1, 0))
    assert read(file) == Pixels(width, height, rgb)


@given(st.binary(max_size=200), st.integers(0, 200))
def test_broken_pictures_are_refused_and_never_crash(noise, cut):
    for broken in (noise, PICTURE[:cut], PICTURE[:40] + noise):
        try:
            read(broken)
        except CannotRead:
            continue
        assert broken[:8] == PICTURE[:8]


def test_a_sixel_picture_has_the_same_pixels():
    text = painter("sixel", {})(Face("image/png", PICTURE), 100, 50)
    assert decoded_sixel(text) == Pixels(WIDTH, HEIGHT, GRADIENT)


def decoded_sixel(text):
    body = re.fullmatch(r'\x1bP[0-9;]*q"1;1;(\d+);(\d+)(.*)\x1b\\\n', text, re.DOTALL)
    width, height = int(body[1]), int(body[2])
    canvas, colours = bytearray(width * height * 3), {}
    x = top = colour = 0
    for token in re.finditer(
        r"#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)(.)|([$-])|([?-~])", body[3]
    ):
        if token[1]:
            colours[int(token[1])] = [round(int(token[n]) * 255 / 100) for n in (2, 3, 4)]
        elif token[5]:
            colour = int(token[5])
        elif token[8]:
            x, top = 0, top + (6 if token[8] == "-" else 0)
        else:
            count, bits = int(token[6] or 1), ord(token[7] or token[9]) - 63
            paint(canvas, width, range(x, x + count), top, bits, colours[colour])
            x += count
    return Pixels(width, height, bytes(canvas))


def paint(canvas, width, columns, top, bits, colour):
    for column, bit in itertools.product(columns, range(6)):
        if bits >> bit & 1:
            at = ((top + bit) * width + column) * 3
            canvas[at : at + 3] = bytes(colour)


@pytest.mark.parametrize("size", [(WIDTH, HEIGHT), (300, 200)])
def test_a_kitty_picture_is_the_same_file_in_small_pieces(size):
    rgb = bytes((n * 7919 >> 3) & 255 for n in range(size[0] * size[1] * 3))
    file = png(*size, rgb)
    text = painter("kitty", {})(Face("image/png", file), 100, 50)
    pieces = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", text)
    assert base64.b64decode("".join(data for _, data in pieces)) == file
    assert all(len(data) <= 4096 for _, data in pieces)
    more = [control.rpartition("m=")[2] for control, _ in pieces]
    assert more == ["1"] * (len(pieces) - 1) + ["0"]
    assert "f=100" in pieces[0][0]


def test_an_iterm2_picture_is_the_same_file():
    text = painter("iterm2", {})(Face("image/png", PICTURE), 40, 50)
    found = re.fullmatch(
        r"\x1b\]1337;File=inline=1;size=(\d+);width=3;height=1;[^:]*:(.*)\x07\n", text
    )
    assert base64.b64decode(found[2]) == PICTURE
    assert int(found[1]) == len(PICTURE)


def test_half_blocks_have_the_same_pixels():
    text = painter("blocks", {})(Face("image/png", PICTURE), 100, 50)
    assert decoded_blocks(text) == Pixels(WIDTH, HEIGHT, GRADIENT)


def decoded_blocks(text):
    rows = []
    for line in text.splitlines():
        above, below = bytearray(), bytearray()
        for token in re.finditer(r"\x1b\[38;2;(\d+);(\d+);(\d+);48;2;(\d+);(\d+);(\d+)m|▀", line):
            if token[1]:
                colours = [int(token[n]) for n in range(1, 7)]
            else:
                above += bytes(colours[:3])
                below += bytes(colours[3:])
        rows += [bytes(above), bytes(below)]
    return Pixels(len(rows[0]) // 3, len(rows), b"".join(rows))


def test_a_wide_picture_is_made_to_fit():
    wide = png(400, 100, bytes([200, 100, 50]) * 40_000)
    shown = decoded_blocks(painter("blocks", {})(Face("image/png", wide), 40, 50))
    assert (shown.width, set(shown.rgb)) == (40, {200, 100, 50})


def bomb(width, height):
    """A small file of a large picture: all of it is one colour."""
    packer = zlib.compressobj(9)
    row = bytes(1 + width)
    packed = b"".join(packer.compress(row * 1000) for _ in range(height // 1000)) + packer.flush()
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)), (b"IDAT", packed)]
    chunks = [
        struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d)) for n, d in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize("way", ["kitty", "iterm2", "sixel", "blocks"])
@pytest.mark.parametrize("size", [(1, 16_000_000), (16_000_000, 1), (1_000_000, 1_000_000)])
def test_a_picture_that_is_too_large_is_not_even_begun(way, size):
    head = bomb(size[0], 0)[:16] + struct.pack(">II", *size) + bomb(1, 0)[24:]
    assert painter(way, {})(Face("image/png", head), 80, 24) == ""


def test_a_tall_picture_fits_the_window():
    tall = Face("image/png", bomb(1, 16_000))
    assert painter("blocks", {})(tall, 80, 24).count("\n") <= 24
    assert decoded_sixel(painter("sixel", {})(tall, 80, 24)).height <= 24 * 18
    assert ",c=1,r=24," in painter("kitty", {})(tall, 80, 24)
    assert ";width=1;height=24;" in painter("iterm2", {})(tall, 80, 24)


def test_no_kind_of_picture_that_starts_programs_is_opened():
    script = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n"
    with pytest.raises(CannotRead):
        read(script)


@pytest.mark.parametrize(
    ("environment", "way"),
    [
        ({"KITTY_WINDOW_ID": "1"}, "kitty"),
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM_PROGRAM": "iTerm.app"}, "iterm2"),
        ({"TERM_PROGRAM": "WezTerm"}, "iterm2"),
        ({"LC_TERMINAL": "iTerm2", "TERM": "screen-256color"}, "iterm2"),
        ({"TERM": "foot"}, "sixel"),
        ({"TERM": "xterm-256color"}, "blocks"),
        ({"TERM": "xterm-kitty", "NO_COLOR": "1"}, "none"),
    ],
)
def test_the_terminal_is_recognised(environment, way):
    assert detect(environment) == way


def test_tmux_hands_pictures_on():
    plain = painter("kitty", {})(Face("image/png", PICTURE), 100, 50)
    wrapped = painter("kitty", {"TMUX": "x"})(Face("image/png", PICTURE), 100, 50)
    assert wrapped != plain
    inner = re.sub(
        r"\x1bPtmux;((?:\x1b\x1b|[^\x1b])*)\x1b\\",
        lambda found: found[1].replace("\x1b\x1b", "\x1b"),
        wrapped,
    )
    assert inner == plain
    assert through_tmux("plain") == "plain"


def test_an_unknown_way_is_an_error():
    with pytest.raises(ConfigurationError, match="ascii"):
        painter("ascii", {})

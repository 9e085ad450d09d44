"""What a real terminal receives when a block shows a picture: the same pixels, also through tmux."""

import base64
import os
import pty
import re
import shlex
from pathlib import Path

import pytest
import yaml
from tests.journeys.conftest import COMMAND
from tests.terminal.test_pictures import (
    GRADIENT,
    HEIGHT,
    PICTURE,
    WIDTH,
    decoded_blocks,
    decoded_sixel,
)

from interpreter.terminal.render.pictures.pixels import Pixels

SHOW = "import base64\nfrom IPython.display import Image, display\ndisplay(Image(data={!r}))"
SAME = Pixels(WIDTH, HEIGHT, GRADIENT)


def received(argv, directory, **environment):
    """All that a terminal gets from a program until that ends."""
    env = {**os.environ, "TERM": "xterm-256color", **environment}
    env.pop("TMUX", None)
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover
        os.chdir(directory)
        os.execvpe(argv[0], [str(word) for word in argv], env)
    os.set_inheritable(terminal, False)
    pieces = []
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(terminal)
    os.waitpid(child, 0)
    return b"".join(pieces).decode(errors="replace").replace("\r\n", "\n")


@pytest.fixture
def command(tmp_path):
    """The command that shows the picture in some way, in a workspace of its own."""
    script = tmp_path / "script.yaml"
    script.write_text(yaml.safe_dump([{"code": SHOW.format(PICTURE)}, "Shown."]))
    common = [COMMAND, "-y", "--once", "--model", f"scripted/{script}"]
    return lambda *flags: [*common, *flags, "show"]


def file_named_in(text):
    return re.search(r"→ (\S+\.png)", text)[1]


def kitty_file(text):
    return base64.b64decode("".join(re.findall(r"\x1b_G[^;]*;([^\x1b]*)\x1b\\", text)))


def test_by_kitty(command, tmp_path):
    text = received(command("--images", "kitty"), tmp_path)
    assert kitty_file(text) == PICTURE
    assert Path(file_named_in(text)).read_bytes() == PICTURE


def test_by_iterm2(command, tmp_path):
    text = received(command("--images", "iterm2"), tmp_path)
    assert base64.b64decode(re.search(r"\x1b\]1337;File=[^:]*:([^\x07]*)\x07", text)[1]) == PICTURE


def test_by_sixels(command, tmp_path):
    text = received(command("--images", "sixel"), tmp_path)
    assert decoded_sixel(re.search(r"\x1bP[0-9;]*q.*?\x1b\\\n", text, re.DOTALL)[0]) == SAME


def test_by_half_blocks(command, tmp_path):
    text = received(command("--images", "blocks"), tmp_path)
    lines = re.findall("\x1b\\[38;2;.*▀", text)
    assert decoded_blocks("\n".join(lines)) == SAME


def test_over_ssh_a_terminal_is_known_by_its_name(command, tmp_path):
    text = received(command(), tmp_path, TERM="xterm-kitty", SSH_CONNECTION="1 2 3 4")
    assert kitty_file(text) == PICTURE


def in_tmux(argv, tmp_path, passthrough):
    settings = tmp_path / "tmux.conf"
    settings.write_text(f"set -g allow-passthrough {passthrough}\nset -g status off\n")
    words = " ".join(shlex.quote(str(word)) for word in argv)
    start = ["tmux", "-S", tmp_path / "tmux.sock", "-f", settings, "new-session", words]
    return received(start, tmp_path, KITTY_WINDOW_ID="1")


def test_tmux_hands_it_on_where_it_may(command, tmp_path):
    assert kitty_file(in_tmux(command(), tmp_path, "on")) == PICTURE


def test_where_tmux_may_not_half_blocks_are_drawn(command, tmp_path):
    text = in_tmux(command(), tmp_path, "off")
    assert "\x1b_G" not in text
    assert "▀" in text

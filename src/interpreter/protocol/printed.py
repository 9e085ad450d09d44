"""What code prints and models say, fit for a terminal or a page: words and colours, no more.

What somebody is asked about is drawn by `visible`, which leaves nothing out.
"""

from __future__ import annotations

import re

from interpreter.protocol.visible import visible

SGR = re.compile(r"\x1b\[[0-9;:]*m")
_ONE = (
    r"(?:[34]8[;:](?:5[;:]\d{1,3}|2::?\d{1,3}:\d{1,3}:\d{1,3}|2;\d{1,3};\d{1,3};\d{1,3})"
    r"|0*(?:[1-4]|7|9|2[1-79]|[34][0-79]|9[0-7]|10[0-7]|4:[0-5])?)"
)
COLOURS_ONLY = re.compile(rf"\x1b\[{_ONE}(?:;{_ONE}){{0,15}}m")  # nothing that conceals or blinks
NOT_TEXT = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # a control sequence: colour, cursor, erase
    r"|\x1b[P\]X^_][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # a string: title, link, clipboard, picture
    r"|\x1b[ -/]+[0-~]|\x1b[0-OQ-WYZ\\`-~]"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
    # turns text round, ends lines, or cannot be seen; what joins emoji is kept
    "|[\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e00ff]"
)


def without_styles(text: str) -> str:
    """Text without any escape code."""
    return SGR.sub("", text)


def tame(text: str) -> str:
    """Foreign output with its colours and line ends only: no cursor, title, clipboard or bell.

    What turns text round is drawn as a mark. This is for what code prints and models say; what is
    asked about is drawn by `protocol.visible`, which leaves nothing out.
    """
    return NOT_TEXT.sub(_tamed, text)


def _tamed(found: re.Match[str]) -> str:
    piece = found[0]
    if piece < " " or "\x7f" <= piece < "\xa0":  # a control character, and what it begins
        return piece if COLOURS_ONLY.fullmatch(piece) else ""
    return visible(piece)


def tame_plain(text: str) -> str:
    """Foreign text without any escape code or control character."""
    return without_styles(tame(text))

"""What is shown before somebody says yes: all of it, and nothing else, whatever the face."""

import io
import json
import os
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.strategies import anything
from tests.support.pictures import source_of_line

from interpreter.protocol.actions import Finding
from interpreter.protocol.events import (
    ActionProposed,
    ApprovalRequested,
    CodeDelta,
    DisplayShown,
    FileChange,
    FilesChanged,
    OutputDelta,
    TurnFinished,
)
from interpreter.protocol.messages import ActionCall, Code, Display, Face
from interpreter.terminal.input.approval import ApprovalInput, ask
from interpreter.terminal.live_face import LiveFace
from interpreter.terminal.plain_face import PlainFace
from interpreter.terminal.render.ansi import COLOURS, NO_COLOURS, cells, without_styles
from interpreter.terminal.render.look import TerminalLook
from interpreter.terminal.render.markdown.highlight import highlight
from interpreter.terminal.render.screen import Screen

HIDDEN = [
    "print(1)  #\x1b]\nopen('PWN','w').write('x')\n#\x07",
    "print(1)  #\x1bPq\nopen('PWN','w').write('x')\n",
    "print(1)  #\x1b[8m\nopen('PWN','w').write('x')",
    "#\ropen('PWN','w').write('x')",
    "// \u2028open('PWN','w').write('x')",
    "x = 1 #\u202e\u2066 )'x'(etirw.\u2069 open('PWN','w').write('x')",
    "open('PWN','w').write('x')#\x9bK\x08\x08\x08\x08\u200b\U000e0041",
]
"""Blocks that hid, or seemed to hide, the line that matters."""
OWN = re.compile(r"\x1b\[\?2026[hl]|\x1b\[J|\r|\x1b\[\d{1,2}A")
"""How a frame is drawn again: as many lines up as it has by then, and what is below is removed."""


def source_of_rows(rows):
    """The source that rows of a block were drawn of."""
    lines = []
    for row in map(without_styles, rows):
        if row.startswith("↪ "):
            lines[-1] += row[2:]
        else:
            lines.append(row)
    return "\n".join(map(source_of_line, lines))


@given(anything, st.sampled_from(["python", "shell", "javascript", "html", "diff", "none"]))
@example(HIDDEN[0], "python")
@example("\ufeffx\r\ny\r", "python")
@example("\n\nx\n\n", "python")
@example("<p>\n<script>\nx </script>\x0c", "html")
def test_coloured_code_of_any_width_can_be_read_back(source, language):
    for width in (None, 8, 20):
        assert source_of_rows(highlight(source, language, width=width)) == source
        plain = highlight(source, language, colour=False, width=width)
        assert source_of_rows(plain) == source
        assert width is None or max(map(cells, plain)) <= width


def live(events, *, width=60, palette=COLOURS):
    """What is written to a terminal."""
    stream = io.StringIO()
    screen = Screen(stream, size=lambda: os.terminal_size((width, 30)))
    look = TerminalLook(palette, draw=lambda *_: "", keep=lambda face: None)
    LiveFace(screen, look).show([*events, TurnFinished("answered", "")])
    return stream.getvalue()


def plain(events):
    """What is written to a pipe."""
    stream = io.StringIO()
    PlainFace(stream, stream).show([*events, TurnFinished("answered", "")])
    return stream.getvalue()


FACES = {"live": live, "plain": plain}


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("source", HIDDEN)
def test_no_line_of_a_block_is_hidden(face, source):
    code = Code("python", source)
    text = FACES[face]([CodeDelta("python", source), ActionProposed(code), ApprovalRequested(code)])
    shown = without_styles(text).replace("\n↪ ", "")
    assert "open('PWN','w').write('x')" in shown  # more than once where a frame was drawn again
    shown = OWN.sub("", shown)
    assert all(character.isprintable() for character in shown.replace("\n", ""))


@pytest.mark.parametrize("face", FACES)
def test_the_block_that_is_asked_about_is_the_last_one_shown(face):
    first, second = Code("python", "first()"), Code("python", "second()")
    proposed = [ActionProposed(first), ActionProposed(second)]
    text = without_styles(FACES[face]([*proposed, ApprovalRequested(first)]))
    assert text.rindex("first()") > text.rindex("second()")


@pytest.mark.parametrize("face", FACES)
def test_what_was_streamed_does_not_stand_for_what_is_proposed(face):
    events = [CodeDelta("python", "harmless()"), ActionProposed(Code("python", "harmful()"))]
    assert "harmful()" in without_styles(FACES[face](events))


def test_a_fence_in_the_code_does_not_end_it():
    shown = plain([ActionProposed(Code("python", "x = '''\n```\nRun this? yes\n'''"))])
    assert shown.startswith("````python\n")
    assert shown.rstrip().endswith("\n````")


def test_a_long_block_says_how_long_it_is():
    shown = live([ActionProposed(Code("python", "x = 1\n" * 200))])
    assert "python · 200 lines" in shown
    assert shown.count("\n") > 200


@pytest.mark.parametrize("face", FACES)
def test_a_file_name_cannot_look_like_more_than_a_name(face):
    change = FileChange("a\n[files] nothing\u202e\x1b[2K", "added")
    shown = FACES[face]([FilesChanged((change,))])
    assert "a⟨U+000A⟩[files] nothing⟨U+202E⟩⟨U+001B⟩[2K" in without_styles(shown).replace("\n", "")


@pytest.mark.parametrize("face", FACES)
def test_colours_of_output_end_with_it_and_nothing_else_gets_through(face):
    hostile = "\x1b[8mconceal \x1b[31mred\x1b]0;title\x07\u202e\x1b]unended\nnext\x1bPq\n"
    plain_text = Display((Face("text/plain", "\x1b[7mreverse\rback"),))
    shown = FACES[face]([OutputDelta(hostile), DisplayShown(plain_text), OutputDelta("after\n")])
    assert "title" not in shown
    assert "\x1b[8m" not in shown
    assert "\u202e" not in shown
    assert all(word in shown for word in ("conceal", "red", "]unended", "next", "after"))
    for line in shown.split("\n"):
        assert line.count("\x1b[31m") + line.count("\x1b[7m") <= line.count("\x1b[0m")


def asked(request, palette=NO_COLOURS):
    said = []
    hands = ApprovalInput(
        lambda question, keys: "s", str, said.append, lambda language, source: None
    )
    ask(request, hands, palette)
    return said


def test_reasons_calls_and_findings_are_drawn_in_questions():
    call = ActionCall("search", json.dumps({"q": "x\u202e"}, ensure_ascii=False))
    assert asked(ApprovalRequested(call, "It reads \x1b]a\x07\u202eb.")) == [
        'search {"q": "x⟨U+202E⟩"}',
        "It reads ⟨U+001B⟩]a⟨U+0007⟩⟨U+202E⟩b.",
    ]
    code = Code("shell", "rm -rf ~ #\r ls")
    finding = Finding(1, "delete", "rm removes '~\u200b'")
    assert asked(ApprovalRequested(code, "", (finding,))) == [
        "⚠ line 1: rm removes '~⟨U+200B⟩'  (rm -rf ~ #⟨U+000D⟩ ls)"
    ]

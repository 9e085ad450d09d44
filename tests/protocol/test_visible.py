"""The picture of a text: nothing is left out, nothing is hidden, nothing seems to be another."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.pictures import source_of_line

from interpreter.protocol.visible import (
    CONTINUED,
    cells,
    drawn,
    is_mark,
    sentence,
    visible,
    visible_lines,
    wrapped,
)

TRICKY = (
    " \t\r\n\x00\x07\x1b\x7f\x85\x9b\xa0\xad\u200b\u200d\u200e\u2028\u2029\u202e\u2066\u3000\ufeff"
    "\u0301\u0338\u034f\u0e33\u0e49\u0e4d\u115f\u1100\u1161\u180e\u2800\u3164\ufe0f\uffa0"
    "\U000e0041\U000e0101\ud800\ue000\u0378⟨⟩⇥␠↪─éeаехес\u037e\u212aﬁ𝐚ａА҉अिאב٣१⁄∕ǃ+U20E#'\""
)
texts = st.one_of(
    st.text(st.sampled_from(TRICKY), max_size=30),
    st.text(st.characters(exclude_categories=()), max_size=30),
)
lines = texts.map(lambda text: text.replace("\n", ""))


def marked(text):
    return {one for one, shown in zip(text, drawn(text), strict=True) if is_mark(shown)}


@given(lines)
@example("⟨U+202E⟩")
@example("⇥┄┄┄")
def test_a_picture_can_be_read_back_in_one_way_only(line):
    assert source_of_line("".join(drawn(line))) == line


@given(texts, texts)
@example("x", "x\n")
@example("x", "x ")
@example("\tx", "    x")
@example("a\r\nb", "a\nb")
@example("é", "e\u0301")
def test_two_different_sources_never_look_the_same(one, other):
    assert (one == other) == (visible_lines(one) == visible_lines(other))


@given(texts)
def test_nothing_invisible_is_drawn(text):
    shown = "\n".join(visible_lines(text))
    kinds = {unicodedata.category(one) for one in shown if one not in " \n"}
    assert not kinds & {"Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"}
    assert unicodedata.normalize("NFC", shown) == shown
    assert "\n" not in visible(text)


@given(lines, st.integers(8, 40))
@example("a" * 9, 8)
@example("aaaaaaa 日", 8)
@example(" " * 30, 8)
def test_two_lines_never_look_the_same_when_they_are_wrapped(line, width):
    rows = [
        "".join(text for text, _ in row) for row in wrapped([("".join(drawn(line)), "")], width)
    ]
    assert all(sum(map(cells, row)) <= width for row in rows)
    assert all(row == row.rstrip() for row in rows)
    first, *others = rows
    assert all(row.startswith(f"{CONTINUED} ") for row in others)
    assert CONTINUED not in first
    assert source_of_line(first + "".join(row[2:] for row in others)) == line


@given(texts)
@example("⟨U+202E⟩")
def test_a_name_that_was_drawn_is_not_drawn_again_in_a_sentence(name):
    question = f"Write to {visible(name)}?"
    assert source_of_line(sentence(question)) == f"Write to {name}?"
    assert sentence(sentence(question)) == sentence(question)


@pytest.mark.parametrize(
    "text",
    [
        "plain = 'text'  # with words",
        "naïve café Ærøskøbing żółć Đặng ş ğ İ ı ə",
        "# файл с данными и о погоде, у нас",
        "π = 3.14159; Δx = x₂ - x₁; σ_x = √2 ± ½ × 10⁻³",
        "日本語のテキスト、한국어 中文（括号）；",
        "नमस्ते दुनिया ทำให้ดี สวัสดี",
        "# שלום עולם",
        "✅ 🎉 👍🏽 → ← “quotes” – — … • € № ™ ┌─┐",
    ],
)
def test_what_people_write_is_drawn_as_it_is(text):
    assert "".join(drawn(text)) == text


@pytest.mark.parametrize(
    ("text", "unlike"),
    [
        ("еxec('')", "е"),  # one Cyrillic letter
        ("ехес('')", "ехс"),  # all of them
        ("if environmentǃ=PROD:", "ǃ"),
        ("𝐞𝐱𝐞𝐜('')", "𝐞𝐱𝐜"),
        ("ｅｖａｌ('')", "ｅｖａｌ"),
        ("раураl.com", "рау"),
        ("x = ο + 1", "ο"),
        ("admin_а", "а"),
        ("ꓰꓫꓰꓚ", "ꓰꓫꓚ"),
        ("cat a∕b", "∕"),
        ("rm ‐rf", "‐"),
        ("n = ৪", "৪"),
        ("a\u037eb", "\u037e"),
        ("z\u0300\u0301\u0302\u0303", "\u0300\u0301\u0302\u0303"),
    ],
)
def test_a_letter_or_sign_that_seems_to_be_another_is_marked(text, unlike):
    assert marked(text) == set(unlike)


def test_words_from_right_to_left_do_not_move_what_follows_them():
    assert marked("name = 'שלום'  # greeting") == set()
    assert marked("a['א'] = 1; b") == {"א"}
    assert marked("'א', 'ב'") == {"א"}


def test_what_does_not_run_alone_is_named_by_its_number():
    assert visible_lines("print(1)  #\x1b]\nopen('PWN','w')\n#\x07") == [
        "print(1)  #⟨U+001B⟩]",
        "open('PWN','w')",
        "#⟨U+0007⟩",
    ]
    assert visible("a\tb\n ") == "a⇥┄┄┄b⟨U+000A⟩␠"
    assert re.fullmatch(r"(⟨U\+[0-9A-F]+⟩)+", visible("\u202e\U000e0041\ud800\ufeff"))


def test_a_line_cannot_look_like_the_end_of_the_code():
    assert visible_lines("x\n──── sandboxed ────") == ["x", "⟨U+2500⟩─── sandboxed ────"]

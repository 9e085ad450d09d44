"""Markdown as it streams: the same lines however it is cut, linear, and at any width."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.terminal.render.ansi import COLOURS, NO_COLOURS, cells, without_styles
from interpreter.terminal.render.markdown.prose import MarkdownText

TEXT = """\
# A title
Some **bold**, *slanted* and `code` words in a paragraph that is long enough to be wrapped at \
sixty columns, with a [link](http://example.com) and snake_case_names, **kwargs and 2 * 3 * 4.

- first item, which is also long enough to need a second line in a narrow terminal window
  - nested
1. numbered

> quoted

```python
def f(x):
    return x
```

| name | size |
|------|-----:|
| one  | 1 |
| three | 333 |

$$\\frac{a}{b} \\le \\alpha^2$$

Umlauts äöü and wide 漢字 are counted in cells.
"""
SIXTY = """\
A title
Some bold, slanted and code words in a paragraph that is
long enough to be wrapped at sixty columns, with a link
(http://example.com) and snake_case_names, **kwargs and 2 *
3 * 4.

• first item, which is also long enough to need a second
  line in a narrow terminal window
  • nested
1. numbered

│ quoted

  def f(x):
      return x

name    size
────────────
one        1
three    333

  a/b ≤ α²

Umlauts äöü and wide 漢字 are counted in cells."""


def rendered(text, width, palette=NO_COLOURS, piece=7):
    prose = MarkdownText(width, palette)
    lines = []
    for at in range(0, len(text), piece):
        lines += prose.feed(text[at : at + piece])
        prose.live()
    return lines + prose.finish()


def test_at_sixty_columns():
    lines = [line.rstrip() for line in rendered(TEXT, 60)]
    assert lines == SIXTY.split("\n")


@pytest.mark.parametrize("width", [60, 100, 200])
def test_no_line_is_wider_than_the_terminal(width):
    assert max(cells(line) for line in rendered(TEXT, width, COLOURS)) <= width


@pytest.mark.parametrize("width", [60, 100, 200])
def test_colours_change_nothing_but_the_colours(width):
    plain = [line.rstrip() for line in rendered(TEXT, width)]
    assert [without_styles(line).rstrip() for line in rendered(TEXT, width, COLOURS)] == plain


@pytest.mark.parametrize("piece", [1, 2, 3, 50, 10_000])
def test_the_way_it_is_cut_does_not_matter(piece):
    assert rendered(TEXT, 80, COLOURS, piece=piece)[-1] == rendered(TEXT, 80, COLOURS)[-1]
    plain = [without_styles(line) for line in rendered(TEXT, 80, COLOURS, piece=piece)]
    assert plain == [without_styles(line) for line in rendered(TEXT, 80, COLOURS)]


MARKS = st.text(alphabet="ab *_`[]()#>-|~$\\\n1.!", max_size=120)


@given(MARKS, st.integers(1, 9))
def test_any_text_is_shown_the_same_however_it_is_cut(text, piece):
    assert rendered(text, 40, piece=piece) == rendered(text, 40, piece=len(text) or 1)


@given(st.text(max_size=200))
def test_no_text_can_command_the_terminal(text):
    shown = "\n".join(rendered(text + "\x1b[2J\x1b]52;c;eA==\x07", 40, COLOURS))
    assert "\x1b[2J" not in shown
    assert "\x1b]" not in shown
    assert "\x07" not in shown


@given(st.lists(st.sampled_from(["word", "**bold**", "`code`", "plain.", "*em*"]), min_size=1))
def test_no_word_is_lost(words):
    shown = " ".join(" ".join(rendered(" ".join(words), 30)).split())
    assert shown == " ".join(word.strip("*`") for word in words)


def test_the_work_grows_with_the_text_and_not_with_its_square():
    paragraph = "The quick **brown** fox jumps over `the` lazy dog and goes on and on. " * 60

    def seconds(text):
        start = time.process_time()
        rendered(text, 100, COLOURS, piece=4)
        return time.process_time() - start

    short = min(seconds(paragraph) for _ in range(3))
    assert min(seconds(paragraph * 8) for _ in range(3)) < 8 * 3 * short


def test_in_a_table_that_is_too_wide_the_short_columns_stay_whole():
    source = f"| name | number | long |\n|---|---|---|\n| Ada | 1.25 | {'x' * 90} |\n"
    prose = MarkdownText(40, NO_COLOURS)
    lines = [*prose.feed(source), *prose.finish()]
    assert any(line.split()[:2] == ["Ada", "1.25"] for line in lines)
    assert max(map(len, lines)) <= 40

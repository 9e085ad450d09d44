"""What a block prints, however it is cut into pieces."""

from hypothesis import given
from hypothesis import strategies as st

from interpreter.terminal.render.screen import KEPT, OutputPane


def shown(*pieces):
    pane = OutputPane(colour=False)
    early = [line for piece in pieces for line in pane.add(piece)]
    return early + pane.finish()


@given(st.text(alphabet="ab\r\n \t", max_size=60), st.integers(1, 7))
def test_the_pieces_do_not_matter(text, size):
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert shown(*pieces) == shown(text)


def test_a_carriage_return_writes_over_the_line():
    assert shown("\r 10% ", "done", "\r 20% ", "done\n") == [" 20% done"]
    assert shown("long line\rshort\n") == ["shortline"]
    assert shown("windows\r\nlines\r\n") == ["windows", "lines"]


def test_erasing_a_line_erases_it():
    assert shown("Downloading 100%\r\x1b[Kdone\n") == ["done"]


def test_only_the_last_lines_are_held_back():
    pane = OutputPane(colour=False)
    early = pane.add("".join(f"{n}\n" for n in range(KEPT + 7)))
    assert early == [str(n) for n in range(7)]
    assert pane.live(3) == [str(KEPT + n) for n in (4, 5, 6)]


def test_a_line_without_an_end_is_bounded():
    assert max(map(len, shown(*["x" * 1000] * 200))) < 60_000

"""Rich results in a terminal: tables, formulas, pages, and the file beside them."""

import hashlib
import html
import json
from html.parser import HTMLParser

import pytest

from interpreter.protocol.messages import LIBRARY, TABLE, Display, Face
from interpreter.terminal.render.ansi import NO_COLOURS, cells
from interpreter.terminal.render.display import show_display
from interpreter.terminal.render.markdown.tables import html_text
from interpreter.terminal.render.shown_files import ShownFiles

HOSTILE = "\x1b]0;title\x07\x1b[2Jword"


def shown(tmp_path, *faces, width=60):
    keep = ShownFiles(tmp_path / "shown").keep
    display = Display(tuple(Face(*face) for face in faces))
    return show_display(display, (width, 24), NO_COLOURS, lambda *_: "", keep)


def frame(columns, rows, shape):
    kinds = [{"name": name, "type": kind} for name, kind in columns]
    return (TABLE, json.dumps({"columns": kinds, "rows": rows, "shape": shape}))


WIDE = frame(
    [("city", "str"), *((f"measured in {year}", "float64") for year in range(2010, 2022))],
    [["Reykjavik", *(year / 7 for year in range(12))], ["Rome", *range(12)]],
    [2, 13],
)


@pytest.mark.parametrize(("width", "columns"), [(60, 3), (100, 5), (200, 11)])
def test_a_data_frame_is_a_table_of_whole_columns_that_fit(tmp_path, width, columns):
    lines = shown(tmp_path, WIDE, ("text/html", "<table>…</table>"), width=width).lines
    assert max(map(cells, lines)) <= width
    header, _, first, second, shape = lines
    assert header.split("   ")[0].strip() == "city"
    assert header.count("measured in") == columns - 1
    assert first.split()[:2] == ["Reykjavik", "0"]
    assert second.startswith("Rome")
    assert shape == f"2 rows × 13 columns; first {columns} columns shown"


def test_a_long_data_frame_says_how_long_it_is(tmp_path):
    rows = [[number] for number in range(50)]
    lines = shown(tmp_path, frame([("n", "int64")], rows, [12_345, 1])).lines
    assert lines[-1] == "12,345 rows × 1 columns; first 20 rows shown"
    assert lines[-2].strip() == "19"


def test_a_formula_is_readable_text_with_its_source_in_a_file(tmp_path):
    source = r"$\frac{a+b}{2} \leq \sqrt{x^2}$"
    result = shown(tmp_path, ("text/latex", source), ("text/plain", "Formula(...)"))
    assert result.lines == ("(a+b)/2 ≤ √(x²)",)
    (file,) = (tmp_path / "shown").iterdir()
    assert (result.file, file.read_text()) == (f"→ {file}", source)


PAGE = "<style>p {color: red}</style><h1>Report</h1><ul><li>one</li><li>two</li></ul>"


@pytest.mark.parametrize("plain", [None, "<IPython.core.display.HTML object>"])
def test_a_page_is_readable_text_with_the_page_in_a_file(tmp_path, plain):
    faces = [("text/plain", plain)] if plain else []
    result = shown(tmp_path, *faces, ("text/html", PAGE))
    assert result.lines == ("Report", "• one", "• two")
    (file,) = (tmp_path / "shown").iterdir()
    assert result.file == f"→ {file}"
    assert elements(file)["iframe"]["srcdoc"] == PAGE


def elements(file):
    """The elements of a page, by their names, with their attributes."""
    found = {}
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: found.setdefault(tag, dict(attributes))
    parser.feed(file.read_text())
    return found


@pytest.mark.parametrize("media_type", ["text/html", "image/svg+xml"])
def test_a_page_in_a_file_has_no_rights_in_a_browser(tmp_path, media_type):
    hostile = """</iframe>"><svg onload="fetch('https://a.example')"><script>x</script></svg>"""
    shown(tmp_path, (media_type, hostile))
    (file,) = (tmp_path / "shown").iterdir()
    found = elements(file)
    assert file.suffix == ".html"
    assert not {"svg", "script"} & set(found)
    text = file.read_text()
    assert "default-src 'none'" in text
    assert "frame-src 'none'" in text
    if media_type == "text/html":
        assert found["iframe"] == {"sandbox": "allow-scripts", "srcdoc": hostile}
    else:
        assert "script-src" not in text
        assert found["img"]["src"].startswith("data:image/svg+xml;base64,")


def test_words_of_an_object_are_better_than_those_of_its_page(tmp_path):
    faces = (("text/plain", "Figure with 3 bars"), ("text/html", "<div>Zoom Pan Reset</div>"))
    assert shown(tmp_path, *faces).lines == ("Figure with 3 bars",)


@pytest.mark.parametrize("media_type", ["text/plain", "text/html", "text/latex", "text/markdown"])
def test_nothing_that_steers_the_terminal_gets_through(tmp_path, media_type):
    lines = shown(tmp_path, (media_type, HOSTILE)).lines
    assert [line.strip() for line in lines if line.strip()] == ["word"]


def test_nothing_in_a_table_steers_the_terminal(tmp_path):
    lines = shown(tmp_path, frame([(HOSTILE, "str")], [[HOSTILE]], [1, 1])).lines
    assert [line.strip() for line in lines][::2] == ["word", "word"]


@pytest.mark.parametrize("piece", ["<!--", "<td a=", "<", "<b", "<script>", "<p>"])
def test_a_hostile_page_is_read_at_once(piece):
    text = html_text("words" + piece * 100_000)
    assert text.startswith("words")


def test_the_file_of_a_figure_has_the_library_that_an_earlier_one_brought(tmp_path):
    keep = ShownFiles(tmp_path / "shown").keep
    code = b"draw('</script>')"
    needs = f'<script data-library="{hashlib.sha256(code).hexdigest()}"></script>'
    assert keep(Face(LIBRARY, code)) is None
    assert keep(Face("text/html", f"{needs}<p>first")) is not None
    second = keep(Face("text/html", f"{needs}<p>second")).read_text()
    assert html.escape(r"<script>draw('<\/script>')</script><p>second") in second

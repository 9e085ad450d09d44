"""What the page weighs, whether everybody can use it, and how much it can hold."""

import gzip
import re

import pytest
from playwright.sync_api import expect
from tests.server.page.conftest import PHONE, ask, run_block, violations

FIRST_LOAD = 80_000  # bytes, compressed
WHOLE_PAGE = 350_000
TABLE = "import pandas as pd\nprint('text')\npd.DataFrame({'a': range(300), 'b': 'x'})"


def compressed(path):
    return len(gzip.compress(path.read_bytes(), 9))


def test_the_page_stays_light(built):
    index = (built / "index.html").read_text()
    named = {built / name for name in re.findall(r'(?:src|href)="\./([^"]+)"', index)}
    first = compressed(built / "index.html") + sum(map(compressed, named))
    whole = sum(compressed(path) for path in built.rglob("*") if path.is_file())
    assert 20_000 < first <= FIRST_LOAD
    assert whole <= WHOLE_PAGE
    assert not re.search(r"<script(?![^>]*src=)|<style|https?://", index)


@pytest.mark.parametrize(
    "options",
    [{}, {"color_scheme": "dark"}, PHONE],
    ids=["light", "dark", "phone"],
)
def test_nobody_is_kept_out(visit, web, options):
    page = visit(
        {"text": "A *list*:\n\n- one\n\n| a | b |\n|---|---|\n| 1 | 2 |", "code": TABLE},
        "Here is `code`:\n\n```python\nx = 1  # one\n```",
        {"code": "1 / 0"},
        "It failed.",
        **options,
    ).page()
    assert violations(page, web) == []
    ask(page, "Go.")
    expect(page.get_by_role("group", name="May this run?")).to_be_visible()
    assert violations(page, web) == []
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_role("textbox", name="Edit the code")).to_be_visible()
    assert violations(page, web) == []
    page.get_by_role("button", name="Back").click()
    run_block(page)
    expect(page.get_by_text("Here is")).to_be_visible()
    ask(page, "Fail.")
    run_block(page)
    expect(page.get_by_text("It failed.", exact=True)).to_be_visible()
    page.get_by_role("button", name="Variables").click()
    expect(page.get_by_role("complementary")).to_be_visible()
    assert violations(page, web) == []
    page.get_by_role("button", name="Close the panel").click()
    page.get_by_role("button", name="Undo").last.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert violations(page, web) == []


def test_a_hundred_thousand_lines_are_all_there(visit):
    page = visit(
        {"code": "for n in range(100_000): print('line', n)"}, "Done.", settings={"auto_run": True}
    ).page()
    ask(page, "Print.")
    expect(page.get_by_text("Done.", exact=True)).to_be_visible()
    page.wait_for_function(
        "document.querySelector('.output').textContent.trimEnd().endsWith('line 99999')",
        polling=300,  # the whole text is read each time
    )
    lines = page.evaluate("document.querySelector('.output').textContent.trimEnd().split('\\n')")
    assert lines == [f"line {number}" for number in range(100_000)]


def test_a_session_of_long_answers_shows_its_end_first(visit):
    lines = "\n".join(f"line = {line}" for line in range(40))
    blocks = [{"text": f"Block {n}.", "code": f"block = {n}\n{lines}"} for n in range(12)]
    page = visit(*blocks, "The end.", settings={"auto_run": True}).page()
    ask(page, "Write much")
    expect(page.get_by_text("The end.", exact=True)).to_be_in_viewport()
    page.reload()
    expect(page.get_by_text("The end.", exact=True)).to_be_in_viewport()
    page.locator(".scroller").evaluate("element => element.scrollBy(0, -900)")
    expect(page.get_by_text("The end.", exact=True)).not_to_be_in_viewport()


def test_a_long_session_shows_its_end_first_and_its_beginning_when_asked(visit):
    page = visit(*(f"Answer {number}." for number in range(50))).page()
    for number in range(50):
        ask(page, f"Question {number}")
        expect(page.get_by_text(f"Answer {number}.", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_text("Answer 49.", exact=True)).to_be_in_viewport()
    assert page.locator(".item").count() < 80
    page.locator(".scroller").hover()
    turns = 0
    while not page.get_by_text("Question 0", exact=True).count():
        page.mouse.wheel(0, -3000)
        page.evaluate("() => new Promise(requestAnimationFrame)")
        turns += 1
        assert turns < 500, page.locator(".said").first.inner_text()

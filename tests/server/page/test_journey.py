"""The whole way through the page, with a real kernel behind it."""

import tempfile
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.server.page.conftest import PHONE, ask, run_block, violations

PLOT = """\
import matplotlib.pyplot as plt
plt.plot([1, 3, 2])
plt.savefig('plot.png')
plt.show()"""
WAITS = """\
import os, time
print('begun', flush=True)
while not os.path.exists('go'):
    time.sleep(0.05)
print('ended')"""


def block(page, number):
    return page.get_by_role("group", name="Block of code").nth(number)


def test_from_a_question_to_a_plot_and_back(visit, tmp_path):
    page = visit(
        {"text": "I **plot** it.", "code": PLOT},
        "Here it *is*.",
        {"code": "print('first')"},
        "Printed.",
    ).page()
    expect(page.get_by_role("heading", name="What shall we do?")).to_be_visible()

    ask(page, "Plot it.")
    expect(page.locator(".prose strong")).to_have_text("plot")
    expect(block(page, 0).locator(".line")).to_have_text(PLOT.split("\n"))
    assert not (tmp_path / "owner" / "plot.png").exists()
    run_block(page)
    picture = block(page, 0).locator(".picture img")
    expect(picture).to_be_visible()
    page.wait_for_function("image => image.naturalWidth > 100", arg=picture.element_handle())
    expect(block(page, 0).get_by_role("link", name="plot.png")).to_be_visible()
    expect(page.locator(".prose em")).to_have_text("is")
    assert (tmp_path / "owner" / "plot.png").exists()

    ask(page, "Print something.")
    page.get_by_role("button", name="Edit").click()
    editor = page.get_by_role("textbox", name="Edit the code")
    expect(editor).to_contain_text("first")
    editor.press("Control+a")
    editor.press_sequentially("print('größer')")
    page.get_by_role("button", name="Run edited").click()
    expect(block(page, 1).locator(".output")).to_contain_text("größer")
    expect(block(page, 1)).to_contain_text("You changed this before it ran.")
    expect(page.get_by_text("Printed.", exact=True)).to_be_visible()

    block(page, 0).get_by_role("button", name="Undo").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Undo this block and 1 after it?")
    expect(dialog).to_contain_text("plot.png will be removed")
    dialog.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_role("group", name="Block of code")).to_have_count(0)
    assert not (tmp_path / "owner" / "plot.png").exists()

    page.get_by_role("button", name="Redo").click()
    expect(page.get_by_role("group", name="Block of code")).to_have_count(2)
    assert (tmp_path / "owner" / "plot.png").exists()
    expect(block(page, 0).get_by_role("link", name="plot.png")).to_be_visible()
    expect(page.locator(".conversation")).not_to_contain_text("[files:")


def test_a_page_that_is_reloaded_in_the_middle_of_a_block_goes_on(visit, tmp_path):
    someone = visit({"code": WAITS}, "Over.", {"code": "print('more')"}, "Done.")
    page = someone.page()
    ask(page, "Wait.")
    run_block(page)
    expect(block(page, 0).locator(".output")).to_contain_text("begun")

    page.reload()
    expect(block(page, 0).locator(".output")).to_contain_text("begun")
    expect(block(page, 0)).to_contain_text("running")
    second = someone.page(page.url.removeprefix(someone.url))
    expect(block(second, 0).locator(".output")).to_contain_text("begun")

    (tmp_path / "owner" / "go").touch()
    for one in (page, second):
        expect(block(one, 0).locator(".output")).to_contain_text("ended")
        expect(one.get_by_text("Over.", exact=True)).to_be_visible()

    ask(second, "More.")
    run_block(page)  # what one asks can be answered in the other
    for one in (page, second):
        expect(block(one, 1).locator(".output")).to_contain_text("more")
        expect(one.get_by_role("group", name="May this run?")).to_have_count(0)

    page.reload()
    expect(block(page, 1).locator(".output")).to_contain_text("more")
    block(page, 1).get_by_role("button", name="Undo").click()  # a block of the past can be undone
    page.get_by_role("dialog").get_by_role("button", name="Undo", exact=True).click()
    for one in (page, second):
        expect(one.get_by_role("group", name="Block of code")).to_have_count(1)


def test_code_is_declined_with_a_reason_and_tried_without_effect(visit, tmp_path):
    write = {"code": "open('made', 'w').write('x')"}
    page = visit(write, "As you like.", write, "Tried.").page()
    ask(page, "Write.")
    page.get_by_role("button", name="Decline").click()
    page.get_by_label("Reason").fill("not there")
    page.get_by_label("Reason").press("Enter")
    expect(block(page, 0)).to_contain_text("Your reason: not there")
    expect(block(page, 0)).to_contain_text("not run")
    expect(page.get_by_text("As you like.", exact=True)).to_be_visible()

    ask(page, "Try it.")
    page.get_by_role("button", name="Dry run").click()
    page.get_by_role("button", name="Take it back").click()
    expect(page.get_by_text("Tried.", exact=True)).to_be_visible()
    expect(block(page, 1)).to_contain_text("Taken back")
    assert not (tmp_path / "owner" / "made").exists()


def test_what_runs_is_stopped_and_asks_for_input(visit):
    spin = {"code": "print('on', flush=True)\nwhile True: pass"}
    page = visit(
        spin, {"code": "print(input('Who? ') + '!')"}, "Done.", settings={"auto_run": True}
    ).page()
    ask(page, "Spin.")
    expect(block(page, 0).locator(".output")).to_contain_text("on")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("You stopped it.", exact=True)).to_be_visible()

    ask(page, "Ask me.")
    page.get_by_label("Who?").fill("Ada")
    page.get_by_role("button", name="Send", exact=True).first.click()
    expect(block(page, 1).locator(".output")).to_contain_text("Ada!")


def test_files_are_uploaded_named_and_downloaded(visit, tmp_path):
    page = visit({"code": "print(open('notes.txt').read())"}, "Read.").page()
    chooser = page.locator(".composer input[type=file]")
    chooser.set_input_files({"name": "notes.txt", "mimeType": "text/plain", "buffer": b"hello"})
    expect(page.get_by_role("list", name="Attached")).to_contain_text("notes.txt")
    ask(page, "What does it say?")
    expect(page.locator(".said")).to_contain_text("Uploaded: notes.txt")
    run_block(page)
    expect(block(page, 0).locator(".output")).to_contain_text("hello")

    page.get_by_role("button", name="Files", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("complementary").get_by_role("link", name="notes.txt").click()
    assert download.value.path().read_bytes() == b"hello"


def test_variables_and_tables_are_shown_page_by_page(visit):
    make = "import pandas as pd\ndf = pd.DataFrame({'n': range(100_000), 'half': [i / 2 for i in range(100_000)]})\ntotal = 7\ndf"
    page = visit({"code": make}, "Made.").page()
    ask(page, "Make a table.")
    run_block(page)
    expect(page.get_by_text("Made.", exact=True)).to_be_visible()
    page.get_by_role("button", name="Variables").click()
    expect(page.locator(".variables")).to_contain_text("total")
    page.locator(".variables").get_by_role("button", name="df").click()
    rows = page.get_by_role("dialog").get_by_role("group", name="Rows")
    expect(rows.locator("tbody tr").nth(1)).to_contain_text("0.5")
    rows.evaluate("element => element.scrollTo(0, element.scrollHeight)")
    expect(rows.locator("tbody tr").last).to_contain_text("49999.5")
    assert rows.locator("tbody tr").count() < 100
    rows.get_by_role("button", name="half").click()
    rows.get_by_role("button", name="half").click()
    rows.evaluate("element => element.scrollTo(0, 0)")
    expect(rows.locator("tbody tr").first).to_contain_text("49999.5")
    page.get_by_role("dialog").get_by_label("Filter rows").fill("1234.5")
    expect(rows.locator("tbody tr").first).to_contain_text("1234.5")
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Open all rows").click()
    expect(rows.locator("th").nth(1)).to_contain_text("49999.5")  # its largest


def test_a_session_is_found_left_and_taken_up_again(visit):
    page = visit("One.", "Two.").page()
    ask(page, "About apples")
    expect(page.get_by_text("One.", exact=True)).to_be_visible()
    page.get_by_role("button", name="New session").click()
    expect(page.get_by_role("heading", name="What shall we do?")).to_be_visible()
    page.get_by_label("Search sessions").fill("apples")
    page.get_by_role("navigation", name="Sessions").get_by_role(
        "button", name="About apples"
    ).first.click()
    expect(page.locator(".said")).to_have_text("You: About apples")


@pytest.mark.parametrize("format", ["One HTML file", "Notebook"])
def test_a_session_is_exported(visit, format):
    page = visit("Hello there.").page()
    ask(page, "Hi")
    expect(page.get_by_text("Hello there.", exact=True)).to_be_visible()
    page.get_by_role("button", name="More").click()
    with page.expect_download() as download:
        page.get_by_role("link", name=format).click()
    assert "Hello there." in download.value.path().read_text()


def test_everything_can_be_done_by_keyboard(visit):
    page = visit({"code": "x = 1\nprint('ran')"}, "Done.").page()
    keys = page.keyboard
    page.locator("body").press("/")
    keys.type("Go")
    keys.press("Enter")
    expect(page.get_by_role("group", name="May this run?")).to_be_focused()
    keys.press("e")
    expect(page.get_by_role("textbox", name="Edit the code")).to_be_focused()
    keys.press("Escape")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    page.locator("body").press("q")
    keys.press("y")
    expect(block(page, 0).locator(".output")).to_contain_text("ran")
    expect(page.get_by_text("Done.", exact=True)).to_be_visible()
    page.locator("body").press("v")
    expect(page.locator(".variables")).to_contain_text("x")
    page.locator("body").press("u")
    expect(page.get_by_role("dialog")).to_contain_text("Undo this block?")
    keys.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)  # until it is gone, keys are the dialog's
    page.locator("body").press("u")
    expect(page.get_by_role("dialog")).to_contain_text("Undo this block?")
    while page.evaluate("document.activeElement.textContent") != "Undo":
        keys.press("Tab")
    keys.press("Enter")
    expect(page.get_by_role("group", name="Block of code")).to_have_count(0)


def test_the_page_fits_on_a_phone(visit):
    page = visit({"text": "Well.", "code": PLOT}, "Here.", **PHONE).page()
    ask(page, "Plot something with a long long line of words that must be wrapped on a phone.")
    page.get_by_role("button", name="Run", exact=True).tap()
    expect(block(page, 0).locator(".picture img")).to_be_visible()
    expect(page.get_by_text("Here.", exact=True)).to_be_visible()
    expect(page.get_by_label("Message")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Files", exact=True).tap()
    expect(page.get_by_role("complementary", name="Files")).to_contain_text("plot.png")
    page.get_by_role("region", name="Changed by blocks").get_by_role("button").tap()
    expect(page.get_by_role("dialog")).to_contain_text("plot.png")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Close the panel").tap()
    page.get_by_role("button", name="Sessions", exact=True).tap()
    expect(page.get_by_role("button", name="New session")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.fixture
def treasure():
    """A file of the user's outside of the workspace."""
    with tempfile.TemporaryDirectory(prefix="reploop-grant-", dir="/tmp") as place:
        (Path(place) / "file").write_text("treasure")
        yield f"{place}/file"


@pytest.mark.parametrize(("button", "told"), [("Allow once", "Allowed"), ("Refuse", "Refused")])
def test_what_a_block_may_not_do_is_asked_as_a_card(visit, treasure, button, told):
    read = {"code": f"print('READ', open({treasure!r}).read())"}
    page = visit(read, "Over.", settings={"auto_run": True}).page()
    ask(page, "Read it.")
    card = page.get_by_role("group", name="A block asks for more")
    expect(card).to_contain_text(treasure)
    card.get_by_role("button", name=button).click()
    expect(page.get_by_text("Over.", exact=True)).to_be_visible()
    expect(page.locator(".granted")).to_contain_text(told)
    expect(card).to_have_count(0)


def test_ways_are_tried_side_by_side_and_one_is_kept(visit, web, tmp_path):
    count = (
        "import secrets\nn = globals().get('n', 0) + 1\nmark = secrets.token_hex(3)\n"
        "_ = open(f'made-{n}', 'w').write(mark)\nprint('mark', mark)"
    )
    page = visit({"code": count}, "Made.").page()
    ask(page, "Begin.")
    run_block(page)
    expect(page.get_by_text("Made.", exact=True)).to_be_visible()
    block(page, 0).get_by_role("button", name="Try other ways").click()
    page.get_by_label("What shall be tried?").fill("One way\nAnother way")
    page.get_by_role("button", name="Try these 2").click()
    columns = [page.get_by_role("region", name=f"Try {number}") for number in (1, 2)]
    marks = []
    for column, said in zip(columns, ("One way", "Another way"), strict=True):
        expect(column.locator(".said")).to_contain_text(said)
        column.get_by_role("button", name="Run", exact=True).click()
        expect(column.get_by_text("Made.", exact=True)).to_be_visible()
        expect(column.locator(".output")).to_contain_text("mark ")
        marks.append(column.locator(".output").inner_text().split()[-1])
    assert not (tmp_path / "owner" / "made-2").exists()
    differs = page.get_by_role("group", name="What differs")
    row = differs.get_by_role("row").filter(has=page.get_by_role("rowheader", name="mark"))
    for mark in marks:
        expect(row).to_contain_text(mark)
    expect(differs.get_by_role("rowheader", name="made-2")).to_be_visible()
    expect(differs.get_by_role("link", name="added")).to_have_count(2)
    assert violations(page, web) == []

    columns[1].get_by_role("button", name="Keep this").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".said").last).to_contain_text("Another way")
    expect(page.locator(".said")).to_have_count(2)
    assert (tmp_path / "owner" / "made-2").read_text() == marks[1]


def test_a_try_can_be_opened_gone_on_with_and_dropped(visit, tmp_path):
    page = visit({"code": "open('made', 'w').close()"}, "Made.").page()
    ask(page, "Begin.")
    run_block(page)
    expect(page.get_by_text("Made.", exact=True)).to_be_visible()
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Try several ways").click()
    page.get_by_label("What shall be tried?").fill("Only one")
    page.get_by_role("button", name="Try it").click()
    column = page.get_by_role("region", name="Try 1")
    column.get_by_role("button", name="Open").click()
    expect(page.get_by_text("This is a try")).to_be_visible()
    run_block(page)
    expect(page.get_by_text("Made.", exact=True)).to_have_count(2)
    page.get_by_role("button", name="Compare and keep one").click()
    column.get_by_role("button", name="Drop").click()
    expect(column).to_have_count(0)

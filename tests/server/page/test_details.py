"""What the page tells beside the conversation: the active line, the model, the cost, the walls."""

import re

import pytest
from playwright.sync_api import expect
from tests.server.conftest import OWNER, Talk
from tests.server.page.conftest import ask, run_block

WAITS = """\
import os, time
print('on', flush=True)
while not os.path.exists('go'):
    time.sleep(0.05)
print('over')"""
ASKS_A_HOST = """\
import urllib.request
try:
    urllib.request.urlopen('http://somewhere.example/x')
except Exception as error:
    print('no way')"""
DROP = """(name) => {
  const data = new DataTransfer();
  data.items.add(new File(['a,b\\n1,2\\n'], name, { type: 'text/csv' }));
  for (const kind of ['dragenter', 'dragover', 'drop']) {
    document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: data }));
  }
}"""


def test_the_line_that_runs_is_marked_and_told(visit, tmp_path):
    page = visit({"code": WAITS}, "Done.", settings={"auto_run": True}).page()
    ask(page, "Wait.")
    block = page.get_by_role("group", name="Block of code")
    expect(block.locator(".output")).to_contain_text("on")
    expect(block.locator(".line.active")).to_have_text(re.compile("exists|sleep"))
    expect(block.locator(".status")).to_have_text(re.compile("running, line [34]"))
    (tmp_path / "owner" / "go").touch()
    expect(page.get_by_text("Done.", exact=True)).to_be_visible()
    expect(block.locator(".line.active")).to_have_count(0)


def test_the_model_is_chosen_on_the_page(visits, serve, script):
    first, second = script("I am the first.", repeat=True), script("I am the second.", repeat=True)
    running = serve(model=first)
    before = Talk(running, model=second)  # a model that was used is one of those to choose from
    before.say("Hello.")
    before.until()
    page = visits(running, OWNER).page()
    picker = page.get_by_label("Model")
    expect(picker).to_have_value(first)
    ask(page, "Who are you?")
    expect(page.get_by_text("I am the first.", exact=True)).to_be_visible()
    picker.select_option(second)
    expect(picker).to_have_value(second)
    ask(page, "And now?")
    expect(page.get_by_text("I am the second.", exact=True)).to_be_visible()
    page.get_by_role("button", name="New session").click()
    picker.select_option(second)  # before anything is said, it is for the session to come
    ask(page, "And here?")
    expect(page.get_by_text("I am the second.", exact=True)).to_be_visible()


def test_what_it_cost_and_the_budget_are_told(visit):
    page = visit("A long answer, " * 40, "More.").page()
    ask(page, "Talk.")
    expect(page.locator(".cost")).to_have_text("150 tokens")
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Budget of the session").fill("2.5")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".cost")).to_contain_text("$0.000 of $2.5")
    expect(page.get_by_label("Budget used")).to_have_attribute("max", "2.5")
    page.reload()
    expect(page.locator(".cost")).to_contain_text("of $2.5")


def test_files_that_are_dropped_land_in_the_workspace_and_are_named_to_the_model(visit, tmp_path):
    someone = visit("I see.")
    page = someone.page()
    (tmp_path / "owner" / "data.csv").write_text("older")
    page.evaluate(DROP, "data.csv")
    expect(page.get_by_role("list", name="Attached")).to_contain_text("data-2.csv")
    ask(page, "Look.")
    expect(page.locator(".said")).to_contain_text("Uploaded: data-2.csv")
    assert (tmp_path / "owner" / "data-2.csv").read_text() == "a,b\n1,2\n"
    assert (tmp_path / "owner" / "data.csv").read_text() == "older"
    someone.faults.clear()  # the browser tells of the 409 for the name that was taken


def test_the_hosts_that_a_block_asked_for_stay_beside_it(visit):
    page = visit({"code": ASKS_A_HOST}, "Over.", settings={"auto_run": True}).page()
    ask(page, "Fetch.")
    card = page.get_by_role("group", name="A block asks for more")
    expect(card).to_contain_text("somewhere.example")
    card.get_by_role("button", name="Refuse").click()
    expect(page.get_by_text("Over.", exact=True)).to_be_visible()
    block = page.get_by_role("group", name="Block of code")
    expect(block.locator(".output")).to_contain_text("no way")
    expect(block.locator(".granted")).to_contain_text("Refused")
    expect(block.locator(".granted")).to_contain_text("somewhere.example")


def test_what_is_said_while_the_token_is_on_its_way_is_sent_after_it(visit):
    someone = visit("Hello.")
    page, held = someone.context.new_page(), []
    page.route("**/api/login", lambda route: held.append(route))
    page.goto(f"{someone.url}/#token={someone.token}")
    ask(page, "Early.")
    page.wait_for_function("() => document.querySelector('textarea').value === ''")
    assert page.locator(".said").count() == 0
    held[0].continue_()
    expect(page.get_by_text("Hello.", exact=True)).to_be_visible()
    expect(page.locator(".said")).to_have_text("You: Early.")


@pytest.mark.parametrize("fragment", ["/#token=wrong", "/#token=%zz", "/"])
def test_who_has_no_good_token_is_asked_for_one(visit, fragment):
    someone = visit("Hello.")
    page = someone.context.new_page()
    page.goto(someone.url + fragment)
    field = page.get_by_label("Token")
    field.fill("also wrong")
    field.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The token is wrong.")
    field.fill(someone.token)
    field.press("Enter")
    expect(page.get_by_label("Message")).to_be_visible()
    assert "token" not in page.url
    someone.faults.clear()  # the browser tells of every 401


def test_a_table_is_filtered_in_one_column_and_shows_long_numbers_as_they_are(visit):
    make = (
        "import pandas as pd\n"
        "df = pd.DataFrame({'id': [1234567890123456, 9007199254740993, 7], 'n': [1, 7, 3]})\n"
        "df"
    )
    page = visit({"code": make}, "Made.").page()
    ask(page, "Make a table.")
    run_block(page)
    expect(page.get_by_text("Made.", exact=True)).to_be_visible()
    page.get_by_role("button", name="Variables").click()
    page.locator(".variables").get_by_role("button", name="df").click()
    table = page.get_by_role("dialog")
    cells = table.locator("tbody tr td:first-child")
    expect(cells).to_have_text(["1234567890123456", "9007199254740993", "7"])
    table.get_by_label("Filter rows").fill("7")
    expect(table.locator(".table-bar")).to_contain_text("2 rows match")
    table.get_by_label("Where to look").select_option("n")
    expect(cells).to_have_text(["9007199254740993"])
    table.get_by_label("Filter rows").fill("<=3")
    expect(cells).to_have_text(["1234567890123456", "7"])


def test_an_address_that_is_typed_while_the_token_is_on_its_way_is_opened_once(visit):
    someone = visit("Here I am.")
    page = someone.page()
    ask(page, "Who is there?")
    expect(page.get_by_text("Here I am.")).to_be_visible()
    session = page.url.rpartition("/")[2]
    page.close()
    someone.context.clear_cookies()
    held, read = [], []
    someone.context.route("**/api/login", lambda route: held.append(route))
    page = someone.context.new_page()
    page.on("request", lambda one: read.append(one.url) if one.url.endswith("/messages") else None)
    with page.expect_request("**/api/login"):
        page.goto(f"{someone.url}/#token={someone.token}")
    page.evaluate(f"location.hash = '#/s/{session}'")
    held[0].continue_()
    expect(page.get_by_text("Here I am.")).to_be_visible()
    assert len(read) == 1

"""The browser layer on the system's Chromium: pages of our own, and MiniWoB++ by an oracle."""

import re
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import pytest

from interpreter.desktop.browser import Browser
from interpreter.protocol.desktop import AmbiguousTarget, DesktopError, TargetNotFound
from tests.desktop.conftest import wait_for

PAGE = """<!DOCTYPE html><title>Shop</title><h1>Welcome</h1>
<label>Name <input id=name></label> <input placeholder="Town">
<button onclick="document.title = 'bought by ' + document.getElementById('name').value">Buy</button>
<button>Buy more</button> <a href="#">Twice</a> <a href="#">Twice</a>
<a download="../../list.txt" href="data:text/plain,one%20two">Download</a>"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if not which("chromium"):
        pytest.skip("needs chromium; make test installs it")
    place = tmp_path_factory.mktemp("downloads")
    browser = Browser(lambda: place)
    yield browser
    browser.quit()


@pytest.fixture
def shop(browser, served):
    browser.open(served("/shop.html", PAGE))
    return browser


def test_a_page_is_read_with_references_that_can_be_used(shop):
    snapshot = shop.read()
    assert 'heading "Welcome"' in snapshot
    reference = re.search(r'textbox "Name" \[ref=(\w+)\]', snapshot)[1]
    shop.fill(reference, "Ada")
    shop.click("Buy")
    assert wait_for(lambda: shop._in_page(lambda page: page.title())) == "bought by Ada"
    assert shop.read("text").startswith("Welcome")


def test_names_are_exact_before_about_and_several_are_asked_about(shop):
    assert shop.click("Buy") == "Buy"
    assert shop.fill("Town", "Bern") == "Town"
    with pytest.raises(AmbiguousTarget, match="'Twice' is there 2 times"):
        shop.click("Twice")
    with pytest.raises(TargetNotFound, match="Nothing on the page is called 'Sell'"):
        shop.click("Sell")


def test_a_download_lands_in_the_directory_of_work_and_nowhere_else(shop):
    shop.click("Download")
    file = Path(wait_for(lambda: shop.read("text") and shop.downloaded, "the download")[0])
    assert file.read_text() == "one two"
    assert file.parent == shop._downloads()
    assert shop.screenshot().size == (1280, 900)


def test_an_address_that_nobody_serves_is_a_sentence(browser):
    with pytest.raises(DesktopError, match="The browser says"):
        browser.open("http://127.0.0.1:9/")


# MiniWoB++: the task says in words what to do, the oracle does it, the page itself rewards.

QUOTED = re.compile(r'"([^"]*)"')


def quoted(task):
    return QUOTED.findall(task)


def fill_and_submit(browser, task):
    browser.fill(_field(browser), quoted(task)[0])
    browser.click("Submit")


def _field(browser, number=0):
    return re.findall(r"textbox[^\n]*\[ref=(\w+)\]", browser.read())[number]


def login(browser, task):
    for number, text in enumerate(quoted(task)):
        browser.fill(_field(browser, number), text)
    browser.click("Login")


def password(browser, task):
    for number in (0, 1):
        browser.fill(_field(browser, number), quoted(task)[0])
    browser.click("Submit")


def press(browser, name):
    """Click on it; of several that are called so, any will do here."""
    try:
        browser.click(name)
    except AmbiguousTarget as several:
        point = several.candidates[0].box.center
        browser._in_page(lambda page: page.mouse.click(point.x, point.y))


def named(browser, task):
    press(browser, (quoted(task) or ["Click Me!"])[0])


def sequence(browser, task):
    press(browser, "ONE")
    press(browser, "TWO")


def option(browser, task):
    press(browser, re.search(r"Select (.+) and click Submit", task)[1])
    press(browser, "Submit")


KINDS = {
    "click-button": named,
    "click-button-sequence": sequence,
    "click-dialog": lambda browser, task: browser.click("Close"),
    "click-option": option,
    "click-tab": lambda browser, task: press(browser, re.search(r"Tab #\d", task)[0]),
    "click-test": named,
    "click-test-2": lambda browser, task: press(browser, "ONE"),
    "enter-password": password,
    "enter-text": fill_and_submit,
    "enter-text-dynamic": fill_and_submit,
    "focus-text": lambda browser, task: browser.click(_field(browser)),
    "login-user": login,
}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_miniwob_tasks_are_done(browser, kind):
    root = Path(find_spec("miniwob").origin).parent / "html" / "miniwob"
    won = 0
    for seed in range(5):
        browser.open((root / f"{kind}.html").as_uri())
        browser._in_page(lambda page, seed=seed: page.evaluate(
            f"() => {{ Math.seedrandom('{seed}'); core.EPISODE_MAX_TIME = 60000; core.startEpisodeReal(); }}"
        ))  # fmt: skip
        task = browser._in_page(lambda page: page.inner_text("#query"))
        KINDS[kind](browser, task)
        _, reward = wait_for(
            lambda: (f := browser._in_page(lambda page: page.evaluate(
                "[WOB_DONE_GLOBAL, WOB_RAW_REWARD_GLOBAL]")))[0] and f, "the reward", 10,
        )  # fmt: skip
        won += reward > 0
    assert won == 5

"""MiniWoB++ through our browser: a task says in words what to do, an oracle does it, the page itself rewards.

Each kind is tried with one seed; `make test-miniwob` tries five.
"""

import os
import re
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import pytest

from interpreter.desktop.web.browser import Browser
from interpreter.protocol.desktop import AmbiguousTarget
from tests.desktop.conftest import wait_for

SEEDS = int(os.environ.get("MINIWOB_SEEDS", "1"))
PAGES = Path(find_spec("miniwob").origin).parent / "html" / "miniwob"
START = (
    """seed => { Math.seedrandom(seed); core.EPISODE_MAX_TIME = 60000; core.startEpisodeReal(); }"""
)


@pytest.fixture(scope="module")
def browser():
    if not which("chromium"):
        pytest.skip("needs chromium; make test installs it")
    browser = Browser()
    yield browser
    browser.quit()


def quoted(task):
    return re.findall(r'"([^"]*)"', task)


def listed(task):
    """What stands between `Select` and the next words, one by one."""
    return re.search(r"Select (.+?)(?: from the [a-z ]+)? and click Submit", task)[1].split(", ")


def references(browser, role):
    return re.findall(rf"{role}[^\n]*\[ref=(\w+)\]", browser.read())


def press(browser, name):
    """Click on it; of several that are called so, any will do here."""
    try:
        browser.click(name)
    except AmbiguousTarget as several:
        point = several.candidates[0].box.center
        browser._in_page(lambda page: page.mouse.click(point.x, point.y))


def enter(browser, *texts, then="Submit"):
    for reference, text in zip(references(browser, "textbox"), texts, strict=False):
        browser.fill(reference, text)
    browser.click(then)


def choose_all(browser, task):
    for name in listed(task) if "nothing" not in task else []:
        browser.click(name)
    browser.click("Submit")


def choose(browser, task):
    browser.select(references(browser, "combobox")[0], listed(task))
    browser.click("Submit")


def in_case(browser, task):
    text = quoted(task)[0]
    enter(browser, text.upper() if "upper case" in task else text.lower())


def date(browser, task):
    month, day, year = re.search(r"(\d+)/(\d+)/(\d+)", task).groups()
    enter(browser, f"{year}-{month}-{day}")


def time_of_day(browser, task):
    hour, minute, half = re.search(r"(\d+):(\d+) ([AP]M)", task).groups()
    enter(browser, f"{int(hour) % 12 + (12 if half == 'PM' else 0):02d}:{minute}")


def word(browser, task):
    text = re.search(r"paragraph \[ref=\w+\]: (.*)", browser.read())[1].strip('"')
    words = re.sub(r"[^\w ]", "", text).split()
    enter(browser, words[int(re.search(r"the (\d+)", task)[1]) - 1])


def value_of(browser, task):
    wanted = re.search(r"value of (.+) into", task)[1]
    enter(browser, re.search(rf'cell "{wanted}"[^\n]*\n\s*- cell "([^"]*)"', browser.read())[1])


def computed(browser, task):
    first, sign, second = re.search(r"(\d+) (\S) (\d+) =", browser.read()).groups()
    one, other = int(first), int(second)
    enter(browser, str({"+": one + other, "-": one - other, "x": one * other}[sign]))


def parity(browser, task):
    rows = re.findall(
        r'button "Odd" \[ref=(\w+)\].*?: "(-?\d+)".*?button "Even" \[ref=(\w+)\]',
        browser.read(), re.DOTALL,
    )  # fmt: skip
    for odd, number, even in rows:
        browser.click(odd if int(number) % 2 else even)
    browser.click("Submit")


def transformed(browser, task):
    letters = re.findall(r'generic \[ref=\w+\]: "?(\w)"?\n', browser.read())
    enter(browser, "".join(letters))


def dialog(browser, task):
    browser.click({"x": "Close"}.get(quoted(task)[0], quoted(task)[0]))  # what the cross is called


def nth(browser, task):
    browser.click(references(browser, "textbox")[int(re.search(r"(\d)", task)[1]) - 1])


def section(browser, task):
    browser.click(re.search(r'tab "(Section [^"]*)"', browser.read())[1])
    browser.click("Submit")


KINDS = {
    "choose-list": choose,
    "click-button": lambda browser, task: press(browser, quoted(task)[0]),
    "click-button-sequence": lambda browser, task: (press(browser, "ONE"), press(browser, "TWO")),
    "click-checkboxes": choose_all,
    "click-checkboxes-transfer": choose_all,
    "click-collapsible-nodelay": section,
    "click-dialog": lambda browser, task: browser.click("Close"),
    "click-dialog-2": dialog,
    "click-link": lambda browser, task: press(browser, quoted(task)[0]),
    "click-option": choose_all,
    "click-tab": lambda browser, task: press(browser, re.search(r"Tab #\d", task)[0]),
    "click-test": lambda browser, task: press(browser, "Click Me!"),
    "click-test-2": lambda browser, task: press(browser, "ONE"),
    "enter-date": date,
    "enter-password": lambda browser, task: enter(browser, quoted(task)[0], quoted(task)[0]),
    "enter-text": lambda browser, task: enter(browser, quoted(task)[0]),
    "enter-text-2": in_case,
    "enter-text-dynamic": lambda browser, task: enter(browser, quoted(task)[0]),
    "enter-time": time_of_day,
    "find-word": word,
    "focus-text": lambda browser, task: browser.click(references(browser, "textbox")[0]),
    "focus-text-2": nth,
    "login-user": lambda browser, task: enter(browser, *quoted(task), then="Login"),
    "odd-or-even": parity,
    "read-table": value_of,
    "simple-arithmetic": computed,
    "text-transform": transformed,
}


def reward(browser, kind, seed):
    """What the page gives for the task of a kind once the oracle has done it."""
    browser.open((PAGES / f"{kind}.html").as_uri())
    browser._in_page(lambda page: page.evaluate(START, str(seed)))
    KINDS[kind](browser, browser._in_page(lambda page: page.inner_text("#query")))
    ended = wait_for(
        lambda: browser._in_page(lambda page: page.evaluate(
            "WOB_DONE_GLOBAL && [WOB_RAW_REWARD_GLOBAL]")), f"the end of {kind}", 10,
    )  # fmt: skip
    return ended[0]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_miniwob_tasks_are_done(browser, kind):
    assert [reward(browser, kind, seed) > 0 for seed in range(SEEDS)] == [True] * SEEDS

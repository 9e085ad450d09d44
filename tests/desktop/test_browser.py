"""The browser layer on the system's Chromium: pages of our own."""

import re
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

from interpreter.desktop.fake import FakeDesktop
from interpreter.desktop.mode.log import ActionLog
from interpreter.desktop.web.browser import Browser
from interpreter.protocol.desktop import AmbiguousTarget, DesktopError, Point, TargetNotFound
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


def test_words_in_a_sentence_are_no_name_of_something_to_click(browser, served):
    text = "<p>Press the button that is labeled x now.</p><button>Save as…</button>"
    browser.open(served("/words.html", text))
    with pytest.raises(TargetNotFound):
        browser.click("x")
    with pytest.raises(TargetNotFound):
        browser.click("Sa")
    assert browser.click("save") == "save"


RICH = """<!DOCTYPE html><meta charset=utf-8><h1>Prices</h1>
<p>See <a href="/more.html">more</a> and <b>buy</b>.</p><p style="display:none">hidden</p>
<script>document.title = "x"</script><ul><li>one<li>two<ol><li>a<li>b</ol></ul>
<table><tr><th>Thing<th>Price<tr><td>Tea|pot<td>3</table><pre>x = 1
y = 2</pre><input type=password value=secret aria-label=Key><input value=Bern aria-label=Town>"""


def test_a_page_is_read_as_markdown_without_what_is_hidden(browser, served):
    address = served("/rich.html", RICH)
    browser.open(address)
    more = address.replace("rich", "more")
    assert (
        browser.read("markdown")
        == f"""# Prices

See [more]({more}) and **buy**.

- one
- two
  1. a
  2. b

| Thing | Price |
| --- | --- |
| Tea\\|pot | 3 |

```
x = 1
y = 2
```

[Key: •••][Town: Bern]"""
    )


SECRETS = """<!DOCTYPE html><label>Key <input type=password value=hunter2></label>
<input type=password placeholder=Code value="se: same99"><input placeholder=Town value=Bern>
<div id=host></div><iframe srcdoc="<input type=password aria-label=Pin value=4711>"></iframe><script>
host.attachShadow({mode: "open"}).innerHTML = "<input type=password aria-label=Inner value=xyzzy>"
</script>"""


def test_what_is_in_password_fields_is_in_no_reading_of_a_page(browser, served):
    browser.open(served("/secrets.html", SECRETS))
    wait_for(lambda: "Pin" in browser.read(), "the frame")
    for form in ("snapshot", "text", "markdown"):
        read = browser.read(form)
        assert [word for word in ("hunter2", "same99", "4711", "xyzzy") if word in read] == []
    snapshot = browser.read()
    assert "Bern" in snapshot
    assert snapshot.count("•••") == 4
    for name in ("Key", "Code", "Pin", "Inner"):
        assert re.search(rf'textbox "{name}" \[ref=\w+\]', snapshot)


LIST = """<!DOCTYPE html><label>Town <select id=t><option>Bern<option>Basel</select></label>
<input>"""


def test_options_are_chosen_and_keys_pressed(browser, served):
    browser.open(served("/list.html", LIST))
    browser.select("Town", "Basel")
    assert browser._in_page(lambda page: page.input_value("#t")) == "Basel"
    browser.click(re.findall(r"textbox[^\n]*\[ref=(\w+)\]", browser.read())[0])
    browser.press("a")
    assert browser._in_page(lambda page: page.input_value("input")) == "a"


def test_a_download_lands_in_the_directory_of_work_and_nowhere_else(shop):
    shop.click("Download")
    file = Path(wait_for(lambda: shop.downloads(), "the download")[0])
    assert file.read_text() == "one two"
    assert file.parent == shop._directory()
    assert shop.screenshot().size == (1280, 900)


def test_the_log_of_actions_on_the_screen_is_played_again(browser, tmp_path):
    log, desktop = ActionLog(tmp_path / "log"), FakeDesktop()
    frame = desktop.grab(desktop.monitors()[0].box)
    for text in ("one", "two", "three"):
        log.add(f"type {text}", frame, frame, Point(20, 20))
    browser.open(log.page.as_uri())
    assert "type one" in browser.read("text")
    browser.click("→")
    shown = browser.read("text")
    assert ("type two" in shown, "type one" in shown, "2 / 3" in shown) == (True, False, True)


ENDS = """
from interpreter.desktop.web.browser import Browser
browser = Browser()
browser.open("about:blank")
print(browser._profile)
"""


def test_a_program_that_ends_ends_its_browser_without_a_word(browser):
    done = subprocess.run(
        [sys.executable, "-c", ENDS], capture_output=True, text=True, check=True, timeout=100
    )
    assert done.stderr == ""
    assert not Path(done.stdout.strip()).exists()


def test_an_address_may_lack_its_scheme(browser, served):
    address = served("/bare.html", "<title>Bare</title>")
    assert browser.open(address.removeprefix("http://"))["title"] == "Bare"


def test_an_address_that_nobody_serves_is_a_sentence(browser):
    with pytest.raises(DesktopError, match="The browser says"):
        browser.open("http://127.0.0.1:9/")

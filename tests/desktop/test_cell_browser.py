"""`computer.browser` in the cell: policy, the cell's network rules, and downloads."""

from contextlib import closing
from shutil import which
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

import pytest

from interpreter.assembly import SessionFactory
from interpreter.assembly.computer.browsing import GrantedWay
from interpreter.models.scripted import ScriptedModel
from interpreter.protocol.actions import Decision
from interpreter.protocol.events import HostCallFinished, OutputDelta
from interpreter.protocol.ports import nobody_answers
from interpreter.sandboxes.network.host_gate import HostGate
from interpreter.settings.settings import Settings

PAGE = """<!DOCTYPE html><title>Shop</title><h1>Welcome</h1><label>Name <input id=n></label>
<button onclick="document.querySelector('h1').textContent = 'Hello ' + n.value">Greet</button>
<a download="list.txt" href="data:text/plain,one%20two">Download</a>"""

USE = """
b = computer.browser
print(b.open({address!r})["title"])
b.fill("Name", "Ada")
b.click("Greet")
print(b.read("markdown"))
b.click("Download")
files = []
for _ in range(200):
    files = b.downloads()
    if files: break
print(open(files[0]).read(), len(b.screenshot()) > 1000)
"""
REFUSED = """
for address in ("file:///etc/passwd", {address!r}, "https://shop.example/"):
    try:
        computer.browser.open(address)
        print("opened", address)
    except Exception as error:
        print(type(error).__name__, error)
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    if not (which("chromium") and which("bwrap")):
        pytest.skip("needs chromium and bubblewrap; make test installs them")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    # Only public addresses are ever reached; for this test, this machine is one.
    monkeypatch.setattr("interpreter.sandboxes.network.proxy.is_public", lambda address: True)
    opened = []

    def run(code, decide, then=lambda session: None):
        chosen = Settings(model="scripted/demo", auto_run=True)
        asked = []

        def approve(request):
            asked.append(request.action.tool)
            return decide(request)

        factory = SessionFactory(chosen, approve, nobody_answers)
        opened.append(factory)
        script = [{"language": "python", "code": code}, "Done."]
        session = factory.open_session(chosen, model=ScriptedModel(script))
        events = list(session.send("go"))
        then(session)
        text = "".join(one.text for one in events if isinstance(one, OutputDelta))
        return text, asked, [one for one in events if isinstance(one, HostCallFinished)]

    yield run
    for factory in opened:
        factory.close()


def by_name(address):
    return address.replace("127.0.0.1", "localhost")


def test_code_in_the_cell_browses_what_the_user_grants(run, served):
    address = by_name(served("/shop.html", PAGE))
    text, asked, calls = run(USE.format(address=address), lambda request: Decision("yes"))
    assert text.splitlines() == [
        "Shop", "# Hello Ada", "", "Name [Name: Ada] Greet Download", "one two True",
    ]  # fmt: skip
    assert asked[0] == "network"
    assert {one.call.tool for one in calls} >= {"computer.browser.open", "computer.browser.click"}


DOWNLOAD = """
b = computer.browser
b.open({address!r})
b.click("Download")
while not (files := b.downloads()): pass
print(open(files[0]).read())
"""


def test_a_download_is_one_of_the_blocks_changes_and_undone_with_it(run, served, tmp_path):
    address = by_name(served("/shop.html", PAGE))
    file = tmp_path / "work" / "list.txt"

    def undo(session):
        assert file.read_text() == "one two"
        session.undo()

    text, _, _ = run(DOWNLOAD.format(address=address), lambda request: Decision("yes"), undo)
    assert text.endswith("one two\n")
    assert not file.exists()


def test_no_other_program_of_the_machine_goes_through_the_browsers_proxy(served):
    address = by_name(served("/shop.html", PAGE))
    with closing(GrantedWay(HostGate(allow=[urlsplit(address).netloc]))) as way:
        way.wants(address)
        others = build_opener(ProxyHandler({"http": way.proxy().address}))
        with pytest.raises(HTTPError, match="407"):
            others.open(address, timeout=30)


def test_a_host_that_is_not_granted_is_not_reached_and_files_never(run, served):
    address = by_name(served("/shop.html", PAGE))
    text, asked, _ = run(REFUSED.format(address=address), lambda request: Decision("no", "not now"))
    assert "addresses of the web only" in text.splitlines()[0]
    assert "opened" not in text
    assert "Blocked by the sandbox: localhost" in text
    assert "google" not in text  # what the browser wants for itself is nobody's question
    assert "Blocked by the sandbox: shop.example:443 is not allowed" in text
    assert "network" in asked

"""`web.fetch` and `web.search`, with servers on this machine: good pages, and bad ones."""

import contextlib
import gzip
import http.server
import importlib.util
import json
import socket
import threading
import time
from urllib.parse import parse_qs, urlsplit

import pytest

from interpreter.protocol.calls import CallContext
from interpreter.protocol.errors import CallFailed
from interpreter.protocol.inside_files import INSIDE
from interpreter.protocol.interrupt import Interrupt
from interpreter.sandboxes.network.host_gate import HostGate
from interpreter.sandboxes.network.proxy import NetworkProxy
from interpreter.tools.web_search import search_function

PAGE = """<html><head><title>A page</title></head><body><nav>Menu</nav><main>
<p>Some <a href="b?x=1">link</a>, <code>x = 1</code>.</p><ul><li>one<li>two</ul>
<table><tr><th>a<th>b</tr><tr><td>1<td>2</tr></table><pre>  f()</pre>
<p hidden>unseen</p><div style="display: none">un<p>seen</p></div>zero\u200bwidth</main></html>"""
MARKDOWN = """\
# A page

Some [link]({base}/b?x=1), `x = 1`.

- one
- two

| a | b |
| --- | --- |
| 1 | 2 |

```
  f()
```

zerowidth"""
BOMB = gzip.compress(b"A" * (60 << 20), 1)


class Web(http.server.BaseHTTPRequestHandler):
    """Pages by their path."""

    def do_GET(self):
        with contextlib.suppress(OSError):
            getattr(self, f"do_{urlsplit(self.path).path.strip('/') or 'page'}")()

    def say(self, body, kind="text/html", status=200, **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_page(self):
        self.say(PAGE.encode(), "text/html; charset=utf-8")

    def do_latin(self):
        self.say("<meta charset=iso-8859-1><p>Grüße".encode("latin-1"))

    def do_json(self):
        self.say(b'{"a": 1}', "application/json")

    def do_huge(self):
        self.say(b"<p>" + b"word " * 1_500_000)

    def do_binary(self):
        self.say(b"\x89PNG" * 100, "image/png")

    def do_hidden_binary(self):
        self.say(b"MZ\0\0" * 100, "text/plain")

    def do_circle(self):
        self.say(b"", status=302, Location="/circle")

    def do_onward(self):
        n = int(parse_qs(urlsplit(self.path).query).get("n", ["0"])[0])
        self.say(b"", status=302, Location=f"/onward?n={n + 1}")

    def do_there(self):
        self.say(b"", status=302, Location="http://other.example/json")

    def do_drip(self):
        self.say(b"<p>")
        while True:
            self.wfile.write(b"x")
            time.sleep(0.05)

    def do_drip_head(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            self.wfile.write(b"X-A: b\r\n")
            time.sleep(0.1)

    def do_bomb(self):
        self.say(BOMB, Content_Encoding="gzip")

    def do_search(self):
        asked = parse_qs(urlsplit(self.path).query)
        found = {"title": asked["q"][0], "url": "https://example.org", "content": "Words."}
        self.say(json.dumps({"results": [found] * 30}).encode(), "application/json")

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def web():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Web) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture(scope="module")
def pages():
    """The file as code in a cell has it."""
    spec = importlib.util.spec_from_file_location("_pages", INSIDE / "functions" / "web_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_page_is_markdown_of_what_people_see(pages, web):
    assert pages.fetch(web) == MARKDOWN.format(base=web)


def test_letters_come_right_and_data_stays_data(pages, web):
    assert pages.fetch(f"{web}/latin") == "Grüße"
    assert pages.fetch(f"{web}/json") == '{"a": 1}'


def test_a_huge_page_is_cut_and_says_so(pages, web):
    told = pages.fetch(f"{web}/huge", limit=1_000)
    assert len(told) < 1_100
    assert told.endswith("characters more]")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("binary", "is no text but image/png"),
        ("hidden_binary", "is no text but text/plain"),
        ("circle", "leads in a circle"),
        ("onward", "leads on and on"),
        ("drip", "does not answer in time"),
        ("drip_head", "does not answer in time"),
    ],
)
def test_what_is_no_page_is_an_error_in_a_sentence(pages, web, path, reason):
    with pytest.raises(pages.WebError, match=reason):
        pages.fetch(f"{web}/{path}", seconds=1.0 if "drip" in path else 20.0)


def test_a_bomb_unpacks_only_so_far(pages, web):
    assert len(pages.fetch(f"{web}/bomb", limit=100)) < 200


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://a/b", "http://a:b@c/", "x"])
def test_only_pages_are_fetched(pages, url):
    with pytest.raises(pages.WebError, match="is no address of a page"):
        pages.fetch(url)


def test_the_sandbox_rules_on_every_host_also_on_those_of_redirects(pages, web, monkeypatch):
    port = urlsplit(web).port

    async def here(host, wanted):
        return ["127.0.0.1"]

    proxy = NetworkProxy(HostGate(allow=[f"good.example:{port}"]), here)
    listener = socket.create_server(("127.0.0.1", 0))
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{listener.getsockname()[1]}")
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.delenv("NO_PROXY", raising=False)
    proxy.serve(listener)
    try:
        assert pages.fetch(f"http://good.example:{port}/json") == '{"a": 1}'
        for url in (f"http://good.example:{port}/there", "https://other.example/"):
            with pytest.raises(pages.WebError, match="Blocked by the sandbox: other.example"):
                pages.fetch(url)
    finally:
        proxy.close()


def searched(setup, key="", tool=None, **given):
    function = search_function(setup, key, tool)
    return function.call({"query": "words", **given}, CallContext(Interrupt()))


def test_a_search_asks_what_the_user_set_up(web):
    found = searched(web, limit=2)
    assert found == [{"title": "words", "url": "https://example.org", "text": "Words."}] * 2
    calls = []

    def tool(*called):
        calls.append(called[:3])
        return {"content": [{"type": "text", "text": '[{"title": "T", "link": "L"}]'}]}

    assert searched("finder.find", tool=tool) == [{"title": "T", "url": "L", "text": ""}]
    assert calls == [("finder", "find", {"query": "words"})]


def test_a_search_that_cannot_be_says_so_in_a_sentence(web):
    with pytest.raises(ValueError, match="there is no key for Brave"):
        searched("brave")
    with pytest.raises(ValueError, match="takes the address of a SearXNG"):
        searched("anything")
    with pytest.raises(CallFailed, match="did not answer with JSON"):
        searched(f"{web}/page?")

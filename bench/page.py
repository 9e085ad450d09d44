"""What the page costs in a real browser: weight, opening, streaming, long sessions, large tables.

Times are taken in the page by its own clock, up to the frame in which something is on the screen;
Playwright looks only ten times a second. On a busy machine a frame is late because others run: a
page with nothing in it is opened beside ours, and the processor time of the longest task is told.
"""

import asyncio
import contextlib
import gzip
import json
import time

from playwright.sync_api import sync_playwright

from bench.server import BLOCKS, FRAME, created, fill, follow, server
from bench.table import show

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
LINES = 100_000
OLD_BLOCKS, WORDS = 200, 1500
OPENINGS = 5
PATIENCE = 120_000  # milliseconds
TOOLS = """
window.onScreen = (found) => new Promise((done, fail) => {
  const begun = performance.now();
  const look = () => {
    if (performance.now() - begun > 60_000) return fail(new Error(`not on the screen: ${found}`));
    // what a frame draws is on the screen when the task after it runs
    if (found()) setTimeout(() => done(performance.timeOrigin + performance.now()));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});
window.took = async (act, found) => {
  const start = performance.timeOrigin + performance.now();
  act();
  return (await window.onScreen(found)) - start;
};
window.typed = (field, text) => {
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
};
"""
USABLE = """(() => {
  const field = document.querySelector('textarea');
  return field && !field.disabled && field.getBoundingClientRect().height > 0;
})"""
WATCH = """() => {
  window.frames_ = [];
  let last = performance.now();
  const next = (now) => {
    window.frames_.push(now - last);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}"""
ALL_THERE = f"""() => {{
  const log = document.querySelector('.output');
  return log && log.textContent.trimEnd().endsWith('line {LINES - 1}');
}}"""
# When each word of an answer came over the socket, and when it was on the screen.
HEAR = """
window.came = {}; window.seen = {}; window.said = "";
const Plain = window.WebSocket;
window.WebSocket = class extends Plain {
  constructor(...words) {
    super(...words);
    this.addEventListener("message", ({ data }) => {
      const event = JSON.parse(data);
      if (event.type !== "TextDelta") return;
      window.said += event.text;
      const now = performance.now();
      for (const word of window.said.match(/w\\d+\\./g) ?? []) window.came[word] ??= now;
    });
  }
};
const look = () => {
  // after the frame: what is there now was drawn by it
  setTimeout(() => {
    const prose = [...document.querySelectorAll(".prose")].at(-1)?.textContent ?? "";
    for (const word of prose.match(/w\\d+\\./g) ?? []) window.seen[word] ??= performance.now();
  });
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""


class Visitor:
    """A browser before a server's page."""

    def __init__(self, browser, client):
        self.browser, self.client = browser, client
        self.url = str(client.base_url).rstrip("/")
        self.token = client.headers["authorization"].removeprefix("Bearer ")

    def blank(self):
        page = self.browser.new_page(viewport={"width": 1280, "height": 860})
        page.add_init_script(TOOLS)
        return page

    def page(self):
        """The page, signed in."""
        page = self.blank()
        page.goto(f"{self.url}/#token={self.token}")
        page.evaluate(f"window.onScreen({USABLE})")
        return page

    def opened(self, address, found):
        """Seconds from asking for an address until something is there, the least of some."""

        def once():
            page = self.blank()
            start = time.time() * 1000
            page.goto(address, wait_until="commit")
            shown = page.evaluate(f"window.onScreen({found})")
            page.close()
            return (shown - start) / 1000

        return min(once() for _ in range(OPENINGS))


def weight(visitor):
    """Kilobytes, compressed, of all that the page fetches before it can be used."""
    page, fetched = visitor.blank(), []
    page.on("response", lambda answer: fetched.append(answer))
    page.goto(f"{visitor.url}/#token={visitor.token}")
    page.evaluate(f"window.onScreen({USABLE})")
    files = [one.body() for one in fetched if "/api/" not in one.url]
    page.close()
    assert len(files) >= 3, "the page, its script and its style"
    return sum(len(gzip.compress(body, 9)) for body in files) / 1000


def opening(visitor):
    """Rows about the first moments."""
    blank = visitor.opened(f"{visitor.url}/frame", "() => document.readyState === 'complete'")
    usable = visitor.opened(f"{visitor.url}/#token={visitor.token}", USABLE)
    return [
        ("first load, compressed", f"{weight(visitor):.0f} kB", "", "<= 80 kB"),
        ("usable after opening", f"{usable:.2f} s", f"{blank:.2f} s an empty page", "<= 0.6 s"),
    ]


def p95(ordered):
    """What 95 of 100 are not above."""
    return ordered[int(len(ordered) * 0.95)]


def streaming(visitor):
    """Rows about an answer that is written while many blocks are on the page."""
    [session] = created(visitor.client, 1)
    fill(visitor.client, session, OLD_BLOCKS)
    page = visitor.page()
    page.add_init_script(HEAR)
    page.goto(f"{visitor.url}/#/s/{session}")
    page.reload()
    page.locator(".item").last.wait_for()
    while page.locator(".earlier").count():
        page.locator(".earlier").click()
    blocks = page.locator(".block").count()
    idle = p95(frames(page, 3))
    page.get_by_label("Message").fill("Say something long.")
    page.get_by_role("button", name="Send").click()
    page.wait_for_function(f"() => Object.keys(window.seen).length === {WORDS}", timeout=PATIENCE)
    came, seen = page.evaluate("[window.came, window.seen]")
    waits = sorted(seen[word] - came[word] for word in came)
    page.close()
    beside = f"{idle:.0f} ms a frame of nothing"
    return [
        (f"a word on the screen, {blocks} blocks, p95", f"{p95(waits):.0f} ms", beside, "<= 50 ms")
    ]


def long_session(visitor):
    """Rows about a session of 2,000 blocks."""
    [session] = created(visitor.client, 1)
    fill(visitor.client, session, BLOCKS)
    page = visitor.page()
    page.evaluate(WATCH)
    last = f"""() => {{
      const shown = [...document.querySelectorAll('.prose')].at(-1);
      return shown?.textContent.includes('number {BLOCKS - 1}.')
        && shown.getBoundingClientRect().top < innerHeight;
    }}"""
    took = page.evaluate(f"window.took(() => {{ location.hash = '#/s/{session}' }}, {last})")
    scrolled = page.evaluate("""async () => {
      const place = document.querySelector('.scroller');
      window.frames_.length = 0;
      while (document.querySelectorAll('.item').length < 600) {
        document.querySelector('.earlier').click();
        place.scrollTop = 0;
        await new Promise(requestAnimationFrame);
      }
      return Math.max(...window.frames_);
    }""")
    key = page.evaluate("""async () => {
      const waits = [];
      const field = document.querySelector('textarea');
      for (const letter of 'a long session') {
        const text = field.value + letter;
        waits.push(await window.took(() => window.typed(field, text), () => field.value === text));
      }
      return Math.max(...waits);
    }""")
    page.close()
    return [
        (f"a session of {BLOCKS:,} blocks opens", f"{took / 1000:.2f} s", "", "<= 1.5 s"),
        ("longest frame while it is scrolled up", f"{scrolled:.0f} ms", "", "<= 100 ms"),
        ("slowest key in it, with the frame", f"{key:.0f} ms", "", "<= 30 ms"),
    ]


def table(visitor):
    """Rows about a frame of a million rows: opened, sorted and filtered by hand."""
    [session] = created(visitor.client, 1)
    body = {"language": "python", "source": FRAME}
    visitor.client.post(f"/api/sessions/{session}/run", json=body).raise_for_status()
    with visitor.client.stream("GET", f"/api/sessions/{session}/events") as events:
        assert any("TurnFinished" in line for line in events.iter_lines())
    page = visitor.page()
    page.goto(f"{visitor.url}/#/s/{session}")
    page.get_by_role("button", name="Variables").click()
    page.locator(".variables").get_by_role("button", name="df").wait_for()
    typed = "window.typed(box.querySelector('input[type=search]'), '>0.9999')"
    told = "box.querySelector('.table-bar').textContent.includes('match')"
    steps = (
        ("open", {}, "button('df').click()", "first() !== ''"),
        ("sort", {"sort": "c8"}, "button('c7').click()", "sorted() && first() !== before"),
        ("filter", {"filter": ">0.9998"}, typed, told),
    )
    rows = []
    for name, query, act, found in steps:
        took = page.evaluate(f"""() => {{
          const box = document.querySelector('dialog, [role=dialog]') ?? document;
          const of = () => document.querySelector('dialog, [role=dialog]');
          const button = (name) => [...box.querySelectorAll('button')]
            .find((one) => one.textContent.trim().startsWith(name));
          const first = () => of()?.querySelector('tbody tr')?.textContent ?? '';
          const sorted = () => of()?.querySelector('[aria-sort=ascending]');
          const before = first();
          return window.took(() => {act}, () => {found});
        }}""")
        start = time.perf_counter()
        asked = {"name": "df", "limit": 200, **query}
        visitor.client.get(f"/api/sessions/{session}/table", params=asked).raise_for_status()
        plain = f"{time.perf_counter() - start:.2f} s without a page"
        rows.append((f"1,000,000 x 50: {name}", f"{took / 1000:.2f} s", plain, "<= 1 s"))
    page.close()
    return rows


def streamed(client):
    """Seconds from the first printed line to the last, for a program that only reads them."""
    [session] = created(client, 1)
    times = []

    def is_last(event):
        if event["type"] == "OutputDelta":
            times.append(time.perf_counter())
        return event["type"] == "TurnFinished"

    client.post(f"/api/sessions/{session}/messages", json={"text": "Print."})
    headers = {"authorization": client.headers["authorization"]}
    asyncio.run(follow(str(client.base_url).rstrip("/"), headers, [session], is_last))
    return times[-1] - times[0]


def longest_task(trace):
    """Milliseconds of processor time, of all tasks in the browser's trace."""
    events = json.loads(trace)["traceEvents"]
    return max(event.get("tdur", 0) for event in events) / 1000


def frames(page, seconds):
    """Milliseconds of the frames of a page that does nothing: what the machine itself costs now."""
    page.evaluate(WATCH)
    page.wait_for_timeout(seconds * 1000)
    return sorted(page.evaluate("window.frames_"))


def lines(visitor, read):
    """Rows about 100,000 printed lines."""
    idle = visitor.page()
    baseline = frames(idle, 5)[-1]
    idle.close()
    page = visitor.page()
    visitor.browser.start_tracing(page=page, categories=["toplevel"])
    page.evaluate(WATCH)
    page.get_by_label("Message").fill("Print.")
    page.get_by_role("button", name="Send").click()
    page.locator(".output").wait_for(timeout=PATIENCE)
    start = time.perf_counter()
    page.wait_for_function(ALL_THERE, timeout=PATIENCE, polling=200)
    took = time.perf_counter() - start
    taken = sorted(page.evaluate("window.frames_"))
    there = page.evaluate(
        "document.querySelector('.output').textContent.trimEnd().split('\\n').length"
    )
    busiest = longest_task(visitor.browser.stop_tracing())
    page.close()
    return [
        (f"{LINES:,} lines are there", f"{took:.1f} s", f"{read:.1f} s without a page", "<= 10 s"),
        ("lines lost", f"{LINES - there}", "", "0"),
        ("longest task, processor time", f"{busiest:.0f} ms", "", "<= 150 ms"),
        ("longest frame meanwhile", f"{taken[-1]:.0f} ms", f"{baseline:.0f} ms idle", "<= 150 ms"),
        ("frames over 50 ms", f"{sum(one > 50 for one in taken)} of {len(taken)}", "", ""),
    ]  # fmt: skip


def main():
    words = {"text": " ".join(f"w{n}." for n in range(WORDS)), "delay": 0.02}
    code = f"for n in range({LINES}): print('line', n)"
    with contextlib.ExitStack() as open_things:
        talker, _, _ = open_things.enter_context(server([words]))
        printer, _, _ = open_things.enter_context(server([{"code": code}, "Done."]))
        read = streamed(printer)  # before Playwright, which holds the event loop
        playwright = open_things.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        visitor = Visitor(browser, talker)
        measured = (opening, streaming, long_session, table)
        rows = [row for measure in measured for row in measure(visitor)]
        rows += lines(Visitor(browser, printer), read)
        browser.close()
    show("page", [("what", "measured", "beside", "goal"), *rows])


if __name__ == "__main__":
    main()

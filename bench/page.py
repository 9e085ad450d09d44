"""What the page costs in a real browser: opening it, many lines, the longest frame.

On a busy machine a frame is late because others run; what the page itself took is told by the
processor time of its longest task.
"""

import asyncio
import contextlib
import json
import time

from playwright.sync_api import sync_playwright

from bench.server import created, follow, server
from bench.table import show

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
LINES = 100_000
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


def opened(browser, url, token):
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    start = time.perf_counter()
    page.goto(f"{url}/#token={token}")
    page.get_by_label("Message").wait_for()
    return page, time.perf_counter() - start


def longest_frames(page, seconds):
    """The longest frames of a page that does nothing: what the machine itself costs now."""
    page.evaluate(WATCH)
    page.wait_for_timeout(seconds * 1000)
    return sorted(page.evaluate("window.frames_"))[-1]


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


def main():
    code = f"for n in range({LINES}): print('line', n)"
    with contextlib.ExitStack() as open_things:
        client, _, _ = open_things.enter_context(server([{"code": code}, "Done."]))
        read = streamed(client)  # before Playwright, which holds the event loop
        playwright = open_things.enter_context(sync_playwright())
        token = client.headers["authorization"].removeprefix("Bearer ")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        url = str(client.base_url).rstrip("/")
        idle, usable = opened(browser, url, token)
        baseline = longest_frames(idle, 5)
        idle.close()
        page, _ = opened(browser, url, token)
        browser.start_tracing(page=page, categories=["toplevel"])
        page.evaluate(WATCH)
        page.get_by_label("Message").fill("Print.")
        page.get_by_role("button", name="Send").click()
        page.locator(".output").wait_for(timeout=120_000)
        start = time.perf_counter()
        page.wait_for_function(ALL_THERE, timeout=120_000, polling=200)
        took = time.perf_counter() - start
        frames = sorted(page.evaluate("window.frames_"))
        lines = page.evaluate(
            "document.querySelector('.output').textContent.trimEnd().split('\\n').length"
        )
        busiest = longest_task(browser.stop_tracing())
        browser.close()
    rows = [
        ("what", "measured", "beside", "goal"),
        ("usable after opening", f"{usable:.2f} s", "", "<= 0.6 s"),
        (f"{LINES:,} lines are there", f"{took:.1f} s", f"{read:.1f} s without a page", "<= 10 s"),
        ("lines lost", f"{LINES - lines}", "", "0"),
        ("longest task, processor time", f"{busiest:.0f} ms", "", "<= 150 ms"),
        ("longest frame meanwhile", f"{frames[-1]:.0f} ms", f"{baseline:.0f} ms idle", "<= 150 ms"),
        ("frames over 50 ms", f"{sum(one > 50 for one in frames)} of {len(frames)}", "", ""),
    ]  # fmt: skip
    show("page", rows)


if __name__ == "__main__":
    main()

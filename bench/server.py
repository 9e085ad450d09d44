"""What the server costs: start, events on their way, many sessions, long sessions, large tables.

Each row has a goal for a quiet machine, and the same with as little as there can be, measured in
the same run: a ratio says more than a time on a machine that has other things to do.
"""

import asyncio
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import yaml

from bench._event_server import EVENTS
from bench.table import seconds, show

COMMAND = Path(sys.executable).parent / "interpreter"
STREAMING, SESSIONS = 50, 200
KERNELS = int(os.environ.get("BENCH_KERNELS", "50"))
BLOCKS = 2000
PATIENCE = 600
FRAME = """
import numpy as np, pandas as pd
values = np.random.default_rng(1).random((1_000_000, 50))
df = pd.DataFrame(values, columns=[f"c{i}" for i in range(50)])
"""
BARE = """
import socket, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
async def heartbeat(request):
    return JSONResponse({})
listener = socket.create_server(("127.0.0.1", 0))
print(f"Open http://127.0.0.1:{listener.getsockname()[1]}/#token=x", flush=True)
app = Starlette(routes=[Route("/heartbeat", heartbeat)])
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
"""


@contextmanager
def server(replies=("Hello.",), command=None):
    """The command in a home of its own; a client of it, its process, and how long it took."""
    with tempfile.TemporaryDirectory() as place:
        script = Path(place) / "script.yaml"
        script.write_text(yaml.safe_dump({"replies": list(replies), "repeat": True}))
        names = ("CONFIG", "DATA", "STATE", "CACHE")
        homes = {f"XDG_{name}_HOME": f"{place}/{name}" for name in names}
        (Path(place) / "work").mkdir()
        start = time.perf_counter()
        ours = [COMMAND, "serve", "--port=0", "-y", "--live=250", "--model", f"scripted/{script}"]
        process = subprocess.Popen(
            command or ours, cwd=f"{place}/work", stdout=subprocess.PIPE, text=True,
            env={**os.environ, **homes},
        )  # fmt: skip
        url, token = re.fullmatch(r"Open (.*)/#token=(.*)\n", process.stdout.readline()).groups()
        headers = {"authorization": f"Bearer {token}"}
        limits = httpx.Limits(max_connections=64)
        with httpx.Client(base_url=url, headers=headers, timeout=PATIENCE, limits=limits) as client:
            client.get("/heartbeat")
            client.data = Path(place) / "DATA" / "reploop"
            yield client, process, time.perf_counter() - start
        process.terminate()
        process.wait()
        process.stdout.close()


def started(command=None):
    """Seconds from the command to the first answer, the least of some."""

    def once():
        with server(command=command) as (_, _, taken):
            return taken

    return min(once() for _ in range(3))


async def follow(base, headers, sessions, until, ready=lambda: None):
    """Read every session's events; `until` says of an event whether it is the last."""
    from websockets.asyncio.client import connect

    open_ones = []

    async def one(session):
        address = f"{base.replace('http', 'ws')}/api/sessions/{session}/socket"
        async with connect(address, additional_headers=headers, open_timeout=PATIENCE) as ws:
            open_ones.append(session)
            if len(open_ones) == len(sessions):
                ready()
            async for line in ws:
                if until(json.loads(line)):
                    return

    await asyncio.gather(*map(one, sessions))


def finished(client, sessions):
    """Wait for the end of a turn in each of some sessions; how they ended."""
    ends = []

    def until(event):
        if event["type"] == "TurnFinished":
            ends.append(event["end"])
        return event["type"] == "TurnFinished"

    headers = {"authorization": client.headers["authorization"]}
    asyncio.run(follow(str(client.base_url).rstrip("/"), headers, sessions, until))
    return ends


def created(client, count):
    return [client.post("/api/sessions", json={}).json()["id"] for _ in range(count)]


def latency(kind):
    """Events of 50 streams at once, from a thread of one process to a client in another: ms."""
    taken = []

    def is_last(event):
        taken.append((time.time() - float(event["text"])) * 1000)
        return event["n"] == EVENTS

    with tempfile.TemporaryDirectory() as place:
        process = subprocess.Popen(
            [sys.executable, "-m", "bench._event_server", kind, place],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        base = f"http://127.0.0.1:{int(process.stdout.readline())}"
        headers = {"authorization": "Bearer bench"}
        names = [f"stream-{n}" for n in range(STREAMING)]
        if kind == "ours":
            with httpx.Client(base_url=base, headers=headers, timeout=60) as client:
                names = created(client, STREAMING)

        def ready():
            process.stdin.write(json.dumps(names) + "\n")
            process.stdin.flush()

        asyncio.run(follow(base, headers, names, is_last, ready))
        process.communicate("\n")
    taken.sort()
    return statistics.median(taken), taken[int(len(taken) * 0.99)]


def many(count):
    """Turns in some of 200 sessions at once, each read to its end: seconds, and errors."""
    with server([{"code": "print(sum(range(10)))"}, "Done."]) as (client, _, _):
        sessions = created(client, SESSIONS)[:count]
        start = time.perf_counter()
        answers = []

        def say(session):
            path = f"/api/sessions/{session}/messages"
            answers.append(client.post(path, json={"text": "go"}).status_code)

        threads = [threading.Thread(target=say, args=(session,)) for session in sessions]
        for thread in threads:
            thread.start()
        ends = finished(client, sessions)
        for thread in threads:
            thread.join()
        wrong = sum(status != 202 for status in answers) + sum(end != "answered" for end in ends)
        return time.perf_counter() - start, wrong


def parked():
    """Megabytes of the server for each session that nobody uses, and without any."""
    with server() as (client, process, _):
        created(client, 10)
        before = psutil.Process(process.pid).memory_info().rss
        created(client, SESSIONS)
        client.get("/api/sessions")
        after = psutil.Process(process.pid).memory_info().rss
    return (after - before) / SESSIONS / 1e6, before / 1e6


def fill(client, session, blocks):
    """Put so many blocks into a session, as if they had run."""
    from interpreter.protocol.messages import ActionResult, Code, Message, Output, Text
    from interpreter.session.store.database import Store

    store = Store(client.data)
    for block in range(blocks):
        code = Code("python", f"total = {block}\nprint(total * 2)\n" * 5, f"call_{block}")
        said = Message("assistant", (Text(f"Now number {block}. " * 10), code))
        done = (Output("1234\n" * 20), ActionResult(code.call_id, "ok"))
        store.append(session, 2 * block, said)
        store.append(session, 2 * block + 1, Message("computer", done))
    store.close()


def opening():
    """Seconds until a client has a session of 2,000 blocks; and to read it out of the database."""
    with server() as (client, _, _):
        [session] = created(client, 1)
        fill(client, session, BLOCKS)

        def open_it():
            for path in ("", "/messages"):
                client.get(f"/api/sessions/{session}{path}").raise_for_status()
            n = client.get(f"/api/sessions/{session}/messages").json()["n"]
            assert n == 0

        def read_it():
            database = sqlite3.connect(client.data / "sessions.db")
            rows = database.execute("SELECT body FROM messages ORDER BY place").fetchall()
            assert len([json.loads(row[0]) for row in rows]) == 2 * BLOCKS
            database.close()

        return seconds(open_it, times=3), seconds(read_it, times=3)


def table():
    """Seconds to open, sort and filter a frame of a million rows and 50 columns."""
    with server() as (client, _, _):
        [session] = created(client, 1)
        path = f"/api/sessions/{session}"
        client.post(f"{path}/run", json={"language": "python", "source": FRAME})
        finished(client, [session])

        def took(**query):
            start = time.perf_counter()
            answer = client.get(f"{path}/table", params={"name": "df", **query})
            assert answer.status_code == 200, answer.text
            return time.perf_counter() - start

        return took(), took(sort="c7"), took(filter=">0.5", column="c3")


def plain_table():
    """The same by pandas alone."""
    names = {}
    exec(FRAME, names)
    df = names["df"]
    work = (
        lambda: df.agg(["min", "max", "count"]),
        lambda: df["c7"].argsort(),
        lambda: df[df["c3"] > 0.5].head(100),
    )
    return [seconds(one, times=1) for one in work]


def row(what, found, goal, baseline, unit="s"):
    ratio = f"{found / baseline:.1f} x" if baseline else ""
    shown = (f"{value:.2f} {unit}" for value in (found, baseline))
    measured, least = shown
    return (what, measured, f"<= {goal} {unit}", least, ratio)


def main():
    ours, bare = started(), started([sys.executable, "-c", BARE])
    (p50, p99), (plain50, plain99) = latency("ours"), latency("plain")
    (alone, _), (together, wrong) = many(1), many(KERNELS)
    each, whole = parked()
    opened, read = opening()
    tables, plain_tables = table(), plain_table()
    share = alone * KERNELS / (os.cpu_count() or 1)
    rows = [
        ("what", "measured", "goal", "the least", "ratio"),
        row("from the command to the first answer", ours, 0.6, bare),
        row(f"event to client, {STREAMING} sessions, p50", p50, 5, plain50, "ms"),
        row(f"event to client, {STREAMING} sessions, p99", p99, 30, plain99, "ms"),
        row("a session that is parked (beside the server itself)", each, 1, whole, "MB"),
        row(f"{KERNELS} of {SESSIONS} sessions run a block", together, "-", share),
        ("errors in these", wrong, "0", "", ""),
        row(f"a session of {BLOCKS:,} blocks opens", opened, 1.5, read),
        *(
            row(f"1,000,000 x 50: {what}", found, 1, least)
            for what, found, least in zip(
                ("open", "sort", "filter"), tables, plain_tables, strict=True
            )
        ),
    ]
    show("server", rows)


if __name__ == "__main__":
    main()

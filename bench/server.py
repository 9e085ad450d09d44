"""What the server costs: start, events on their way, many sessions, large tables."""

import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import httpx
import yaml

from bench.table import show

COMMAND = Path(sys.executable).parent / "interpreter"
STREAMING, SESSIONS, KERNELS = 50, 200, int(os.environ.get("BENCH_KERNELS", "10"))
EVENTS, PAUSE = 60, 0.05
FRAME = """
import numpy as np, pandas as pd
values = np.random.default_rng(1).random((1_000_000, 50))
df = pd.DataFrame(values, columns=[f"c{i}" for i in range(50)])
"""


@contextmanager
def server(replies):
    """The command in a home of its own; a client of it, its process, and how long it took."""
    with tempfile.TemporaryDirectory() as place:
        script = Path(place) / "script.yaml"
        script.write_text(yaml.safe_dump({"replies": replies, "repeat": True}))
        names = ("CONFIG", "DATA", "STATE", "CACHE")
        homes = {f"XDG_{name}_HOME": f"{place}/{name}" for name in names}
        (Path(place) / "work").mkdir()
        start = time.perf_counter()
        process = subprocess.Popen(
            [COMMAND, "serve", "--port=0", "-y", "--live=250", "--model", f"scripted/{script}"],
            cwd=f"{place}/work", stdout=subprocess.PIPE, text=True, env={**os.environ, **homes},
        )  # fmt: skip
        url, token = re.fullmatch(r"Open (.*)/#token=(.*)\n", process.stdout.readline()).groups()
        headers = {"authorization": f"Bearer {token}"}
        limits = httpx.Limits(max_connections=64)
        with httpx.Client(base_url=url, headers=headers, timeout=300, limits=limits) as client:
            client.get("/heartbeat")
            yield client, process, time.perf_counter() - start
        process.terminate()
        process.wait()
        process.stdout.close()


async def follow(client, sessions, until):
    """Read every session's events; `until` says of an event whether it is the last."""
    from websockets.asyncio.client import connect

    headers = {"authorization": client.headers["authorization"]}

    async def one(session):
        url = str(client.base_url).replace("http", "ws").rstrip("/")
        async with connect(
            f"{url}/api/sessions/{session}/socket", additional_headers=headers, open_timeout=120
        ) as ws:
            async for line in ws:
                if until(json.loads(line)):
                    return

    await asyncio.gather(*map(one, sessions))


def created(client, count):
    return [client.post("/api/sessions", json={}).json()["id"] for _ in range(count)]


def latency():
    """Events of 50 sessions at once: from the session's thread to a client, in ms."""
    import uvicorn

    from interpreter.protocol.events import OutputDelta
    from interpreter.server.access.tokens import Tokens
    from interpreter.server.app import Server
    from interpreter.server.config import ServerConfig
    from interpreter.server.run import listening, uvicorn_options

    def write(log):
        for _ in range(EVENTS):
            log.append(OutputDelta(repr(time.time())))
            time.sleep(PAUSE)

    taken = []

    def is_last(event):
        taken.append((time.time() - float(event["text"])) * 1000)
        return event["n"] == EVENTS

    with tempfile.TemporaryDirectory() as place, listening(ServerConfig(port=0)) as listener:
        os.environ["XDG_DATA_HOME"] = place
        config = ServerConfig(port=listener.getsockname()[1], workspace=Path(place))
        made = Server(config, Tokens("bench", Path(place), {}))
        running = uvicorn.Server(uvicorn.Config(made.app, **uvicorn_options(config)))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        headers = {"authorization": "Bearer bench"}
        with httpx.Client(base_url=config.address, headers=headers, timeout=60) as client:
            sessions = created(client, STREAMING)
            logs = [made.hub.log(session) for session in sessions]
            writers = [threading.Thread(target=write, args=(log,)) for log in logs]
            for writer in writers:
                writer.start()
            asyncio.run(follow(client, sessions, is_last))
            for writer in writers:
                writer.join()
        running.should_exit = True
        thread.join()
    return sorted(taken)


def many(replies, count):
    """Turns in some of many sessions at once, each read to its end: seconds, and errors."""
    with server(replies) as (client, process, _):
        sessions = created(client, SESSIONS)[:count]
        memory = resident(process)
        start = time.perf_counter()
        answers = []

        def say(session):
            path = f"/api/sessions/{session}/messages"
            answers.append(client.post(path, json={"text": "go"}).status_code)

        threads = [threading.Thread(target=say, args=(session,)) for session in sessions]
        for thread in threads:
            thread.start()
        asyncio.run(follow(client, sessions, lambda event: event["type"] == "TurnFinished"))
        for thread in threads:
            thread.join()
        errors = sum(status != 202 for status in answers)
        return time.perf_counter() - start, errors, memory


def resident(process):
    import psutil

    return psutil.Process(process.pid).memory_info().rss


def parked():
    """Megabytes of the server for each session that nobody uses."""
    with server(["Hello."]) as (client, process, _):
        created(client, 10)
        before = resident(process)
        created(client, SESSIONS)
        client.get("/api/sessions")
        return (resident(process) - before) / SESSIONS / 1e6


def table():
    """Seconds to open, sort and filter a frame of a million rows and 50 columns."""
    with server(["Hello."]) as (client, _, _):
        [session] = created(client, 1)
        path = f"/api/sessions/{session}"
        client.post(f"{path}/run", json={"language": "python", "source": FRAME})
        asyncio.run(follow(client, [session], lambda event: event["type"] == "TurnFinished"))

        def took(**query):
            start = time.perf_counter()
            answer = client.get(f"{path}/table", params={"name": "df", **query})
            assert answer.status_code == 200, answer.text
            return time.perf_counter() - start

        return took(), took(sort="c7"), took(filter=">0.5", column="c3")


def main():
    with server(["Hello."]) as (_, _, started):
        pass
    found = latency()
    code_seconds, code_errors, _ = many([{"code": "print(sum(range(10)))"}, "Done."], KERNELS)
    opened, ordered, filtered = table()
    p50, p99 = statistics.median(found), found[int(len(found) * 0.99)]
    rows = [
        ("what", "measured", "goal"),
        ("from the command to the first answer", f"{started:.2f} s", "<= 0.6 s"),
        (f"event to client, {STREAMING} sessions, p50", f"{p50:.1f} ms", "<= 5 ms"),
        (f"event to client, {STREAMING} sessions, p99", f"{p99:.1f} ms", "<= 30 ms"),
        ("a session that is parked", f"{parked():.2f} MB", "<= 1 MB"),
        (
            f"{KERNELS} of {SESSIONS} sessions run a block",
            f"{code_seconds:.1f} s, {code_errors} errors",
            "0",
        ),
        ("1,000,000 x 50: open", f"{opened:.2f} s", "<= 1 s"),
        ("1,000,000 x 50: sort", f"{ordered:.2f} s", "<= 1 s"),
        ("1,000,000 x 50: filter", f"{filtered:.2f} s", "<= 1 s"),
    ]
    show("server", rows)


if __name__ == "__main__":
    main()

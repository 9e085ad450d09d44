"""Many sessions: parked and woken, limited, and brought back after a restart or a kill."""

import contextlib
import json
import os
import random
import re
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest
import yaml
from tests.server.conftest import Talk
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from interpreter.server.config import Limits

COMMAND = Path(sys.executable).parent / "interpreter"
KILLS = int(os.environ.get("SERVER_KILLS", "3"))
CUTS = int(os.environ.get("SERVER_CUTS", "25"))
MANY = {"code": "for i in range(3000): print(i)"}


def read_some(socket, seen, most):
    for _ in range(most):
        seen.append(json.loads(socket.recv(timeout=30)))
        if seen[-1]["type"] == "TurnFinished":
            return


def until_parked(one):
    while one.get().json()["state"] != "parked":
        threading.Event().wait(0.01)


def test_an_idle_session_is_parked_and_woken_with_its_variables(serve, script, monkeypatch):
    monkeypatch.setattr("interpreter.server.hub.LOOK_EVERY", 0.05)
    running = serve(limits=Limits(idle_seconds=0.2, free_memory=0))
    model = script({"code": "n = 41"}, "Kept.", {"code": "print(n + 1)"}, "42.")
    one = Talk(running, model=model, auto_run=True)
    one.say("keep")
    one.until()
    until_parked(one)
    one.http.patch(one.path + "/settings", json={"model": script({"code": "print(n + 1)"}, "42.")})
    one.say("and?")
    one.until()
    assert one.output() == "42\n"
    assert [e["n"] for e in one.seen] == list(range(1, len(one.seen) + 1))


def test_the_longest_idle_makes_room_and_when_all_work_nobody_comes(serve, script):
    running = serve(limits=Limits(live=2, free_memory=0))
    ask = {"code": "input()"}
    first, second = (Talk(running, model=script(ask, "Done."), auto_run=True) for _ in range(2))
    first.say("go")
    first.until("InputRequested")
    second.say("go")
    asked = second.until("InputRequested")
    third = Talk(running, model=script("Hello."))
    full = third.post("messages", text="Hi.")
    assert (full.status_code, full.json()["error"]["code"]) == (503, "full")
    assert "retry-after" in full.headers
    second.post("input", question=asked["n"], text="x")
    second.until()
    third.say("Hi.")
    third.until()
    assert second.get().json()["state"] == "parked"


def test_nobody_is_woken_when_memory_is_short(serve, script):
    one = Talk(serve(limits=Limits(free_memory=1 << 40)), model=script("Hello."))
    full = one.post("messages", text="Hi.")
    assert (full.status_code, full.json()["error"]["code"]) == (503, "full")
    assert one.get("messages").json()["messages"] == []


def test_a_restart_brings_every_session_back(serve, script):
    running = serve()
    some = [Talk(running, model=script({"code": f"n = {i}"}, "Ok."), auto_run=True) for i in (1, 2)]
    for one in some:
        one.say("go")
        one.until()
    running.stop()
    again = serve()
    listed = again.client().get("/api/sessions").json()["sessions"]
    assert {entry["id"] for entry in listed} == {one.id for one in some}
    for number, one in enumerate(some, 1):
        back = Talk(again, session=one.id)
        assert back.get().json()["n"] == one.seen[-1]["n"]
        back.until()
        assert back.seen == one.seen
        back.post("run", language="python", source="print(n)")
        back.until()
        assert back.output() == f"{number}\n"


def test_a_question_that_was_open_when_the_server_stopped_is_asked_again(serve, script):
    running = serve()
    one = Talk(running, model=script({"code": "print(5)"}, "Done."))
    one.say("go")
    asked = one.until("ApprovalRequested")
    running.stop()
    back = Talk(serve(), session=one.id)
    assert back.post("decisions", question=asked["n"], answer="yes").status_code == 409
    assert back.post("proceed").status_code == 202
    while (again := back.until("ApprovalRequested"))["n"] == asked["n"]:
        pass
    back.post("decisions", question=again["n"], answer="yes")
    back.until("OutputDelta")
    assert back.output() == "5\n"


def test_a_connection_that_is_cut_again_and_again_misses_and_repeats_nothing(serve, script):
    running = serve(model=script(MANY, "Done."), auto_run=True)
    whole, torn = Talk(running), None
    whole.say("go")
    torn = Talk(running, session=whole.id)
    chance = random.Random(CUTS)
    cuts = 0
    while not torn.seen or torn.seen[-1]["type"] != "TurnFinished":
        with torn.socket() as socket:
            read_some(socket, torn.seen, chance.randint(1, 40) if cuts < CUTS else 100_000)
            cuts += 1
            socket.socket.close()  # without a word, as a lost network does
    whole.until()
    assert torn.seen == whole.seen
    assert whole.output() == "".join(f"{i}\n" for i in range(3000))


class Killable:
    """The command itself, in a process that can be killed."""

    def __init__(self, work, script):
        self._process = subprocess.Popen(
            [COMMAND, "serve", "--port", "0", "-y", "--model", f"scripted/{script}"],
            cwd=work, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        line = next(one for one in self._process.stdout if one.startswith("Open "))
        self.url, self.token = re.fullmatch(r"Open (.*)/#token=(.*)\n", line).groups()
        self.http = httpx.Client(
            base_url=self.url, headers={"authorization": f"Bearer {self.token}"}, timeout=60
        )

    def kill(self):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        self.http.close()

    def read_into(self, session, seen):
        """Follow the events until the server is gone."""
        after = seen[-1]["n"] if seen else 0
        address = f"{self.url.replace('http', 'ws')}/api/sessions/{session}/socket?after={after}"
        headers = {"authorization": f"Bearer {self.token}"}
        gone = contextlib.suppress(ConnectionClosed, OSError)
        with gone, connect(address, additional_headers=headers) as socket:
            while True:
                seen.append(json.loads(socket.recv()))


@pytest.mark.timeout(1200)
def test_a_server_that_is_killed_at_any_moment_loses_nothing_acknowledged(tmp_path):
    script = tmp_path / "script.yaml"
    replies = [{"code": "for i in range(200): print(i, flush=True)"}, "Done."]
    script.write_text(yaml.safe_dump({"replies": replies, "repeat": True}))
    (tmp_path / "work").mkdir()
    chance, said, seen, session = random.Random(KILLS), [], [], ""
    for number in range(KILLS):
        server = Killable(tmp_path / "work", script)
        if not session:
            session = server.http.post("/api/sessions", json={}).json()["id"]
        reading = threading.Thread(target=server.read_into, args=(session, seen))
        reading.start()
        path = f"/api/sessions/{session}/messages"
        answer = server.http.post(path, json={"text": f"message {number}"})
        if answer.status_code == 202:
            said.append(f"message {number}")
        wanted = len(seen) + chance.randint(0, 150)
        while len(seen) < wanted and (not seen or seen[-1]["type"] != "TurnFinished"):
            reading.join(0.001)
        server.kill()
        reading.join()
    server = Killable(tmp_path / "work", script)
    found = server.http.get(f"/api/sessions/{session}/messages").json()["messages"]
    users = [m["parts"][0]["text"] for m in found if m["role"] == "user" and m["parts"]]
    assert (
        [text for text in users if text.startswith("message")]
        == said
        == [f"message {number}" for number in range(KILLS)]
    )
    fresh = []
    reading = threading.Thread(target=server.read_into, args=(session, fresh))
    reading.start()
    last = server.http.get(f"/api/sessions/{session}").json()["n"]
    while len(fresh) < last:
        reading.join(0.001)
    server.kill()
    reading.join()
    assert fresh[: len(seen)] == seen  # what anybody was told is still so, under the same numbers
    assert [event["n"] for event in fresh] == list(range(1, last + 1))

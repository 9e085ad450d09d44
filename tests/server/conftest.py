"""A real server on a port of its own, and clients that speak to it as programs do."""

import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import uvicorn
import yaml
from websockets.sync.client import connect

from interpreter.server.access.tokens import Tokens, digest
from interpreter.server.app import Server
from interpreter.server.config import Limits, ServerConfig
from interpreter.server.run import listening, uvicorn_options
from interpreter.settings.settings import Settings

COMMAND = Path(sys.executable).parent / "interpreter"
OWNER, ADA = "token-of-the-owner-0123456789", "token-of-ada-0123456789"
ADD = {"text": "Adding.", "code": "x = 2 + 3\nprint(x)"}


class Running:
    """A server in a thread."""

    def __init__(self, config, tokens):
        self._clients = []
        self._listener = listening(config).thing
        self.config = replace(config, port=self._listener.getsockname()[1])
        self.server = Server(self.config, tokens)
        options = {**uvicorn_options(self.config), "log_level": "error"}
        self._uvicorn = uvicorn.Server(uvicorn.Config(self.server.app, **options))
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self.config.port}"
        with httpx.Client() as client:
            while True:
                with contextlib.suppress(httpx.ConnectError):
                    assert client.get(f"{self.url}/heartbeat").json() == {"status": "alive"}
                    return

    def _run(self):
        asyncio.run(self._uvicorn.serve(sockets=[self._listener]))

    def client(self, token=OWNER, **options):
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self._clients.append(
            httpx.Client(base_url=self.url, headers=headers, timeout=60, **options)
        )
        return self._clients[-1]

    def stop(self):
        for client in self._clients:
            client.close()
        self._uvicorn.should_exit = True
        self._thread.join()
        self._listener.close()


class Served:
    """The command in a process and a home of its own, which several tests share."""

    def __init__(self, place, *words):
        names = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME")
        (place / "owner").mkdir()
        self._process = subprocess.Popen(
            [COMMAND, "serve", "--port", "0", *words],
            cwd=place / "owner",
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **{name: str(place / name.lower()) for name in names}},
        )
        line = next(one for one in self._process.stdout if one.startswith("Open "))
        self.url, self.token = re.fullmatch(r"Open (.*)/#token=(.*)\n", line).groups()
        self._clients = []

    def client(self, token, **options):
        headers = {"authorization": f"Bearer {token}"}
        self._clients.append(
            httpx.Client(base_url=self.url, headers=headers, timeout=60, **options)
        )
        return self._clients[-1]

    def stop(self):
        for client in self._clients:
            client.close()
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()


class Talk:
    """A client of one session that remembers all events it has seen."""

    def __init__(self, running, token=OWNER, session="", workspace="", **settings):
        self.running, self.token = running, token
        self.http = running.client(token)
        if not session:
            made = self.http.post(
                "/api/sessions", json={"settings": settings, "workspace": workspace}
            )
            assert made.status_code == 201, made.text
            session = made.json()["id"]
        self.id = session
        self.path = f"/api/sessions/{session}"
        self.seen = []

    def post(self, what, **body):
        return self.http.post(f"{self.path}/{what}", json=body)

    def get(self, what="", **query):
        return self.http.get(f"{self.path}/{what}" if what else self.path, params=query)

    def say(self, text):
        answer = self.post("messages", text=text)
        assert answer.status_code == 202, answer.text
        return answer.json()["n"]

    def socket(self, after=None):
        after = (self.seen[-1]["n"] if self.seen else 0) if after is None else after
        address = f"{self.running.url.replace('http', 'ws')}{self.path}/socket?after={after}"
        return connect(address, additional_headers={"authorization": f"Bearer {self.token}"})

    def until(self, kind="TurnFinished"):
        """Read on until an event of a kind; that event."""
        with self.socket() as socket:
            while True:
                self.seen.append(json.loads(socket.recv(timeout=60)))
                if self.seen[-1]["type"] == kind:
                    return self.seen[-1]

    def output(self):
        return "".join(e["text"] for e in self.seen if e["type"] == "OutputDelta")


@pytest.fixture(scope="session")
def openai():
    """OpenAI's own library, imported where it is used: every worker would wait for it else."""
    import openai

    return openai


@pytest.fixture
def script(tmp_path):
    """Write a script; the name of the model that plays it."""
    count = iter(range(1000))

    def write(*replies, **options):
        path = tmp_path / f"script-{next(count)}.yaml"
        path.write_text(yaml.safe_dump({"replies": list(replies), **options}))
        return f"scripted/{path}"

    return write


@pytest.fixture
def serve(tmp_path):
    """Start servers; two users, each with a root of their own."""
    started = []
    for name in ("owner", "ada"):
        (tmp_path / name).mkdir()

    def start(limits=None, tokens=None, options=None, **settings):
        config = ServerConfig(
            **(options or {}),
            port=0,
            settings=Settings(**settings),
            workspace=tmp_path / "owner",
            limits=limits or Limits(free_memory=0),
        )
        others = {"ada": {"digest": digest(ADA), "workspace": str(tmp_path / "ada")}}
        started.append(Running(config, tokens or Tokens(OWNER, tmp_path / "owner", others)))
        return started[-1]

    yield start
    for one in started:
        one.stop()


@pytest.fixture
def talk(serve, script):
    """A session of a server whose model says these replies."""
    running = []

    def begin(*replies, **settings):
        if not running:
            running.append(serve())
        return Talk(running[0], model=script(*replies), **settings)

    return begin

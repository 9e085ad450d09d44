"""`interpreter mcp serve` and clients: ours in both eras, and the Python SDK of both majors."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from interpreter.mcp.client import CallPatience, Client, Surroundings
from interpreter.mcp.questions import Reply
from interpreter.mcp.transports.stdio import StdioTransport
from interpreter.sandboxes.backends.none import NoSandbox

PEERS = Path(__file__).parents[2] / ".peers"
SDK_CLIENT = Path(__file__).parent / "sdk_client.py"
ERAS = ["2025-11-25", "2026-07-28"]


@pytest.fixture
def serve(tmp_path):
    """Our server, as another program starts it, and a client of ours."""
    place = tmp_path / "work"
    place.mkdir()
    cell = NoSandbox().open(place)
    clients = []

    def started(version, *flags, ask=None):
        process = cell.launch(
            [sys.executable, "-m", "interpreter", "mcp", "serve", *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        transport = StdioTransport("ours", process, lambda message: clients[-1].heard(message))
        told = []
        around = Surroundings(progress=told.append, **({"ask": ask} if ask else {}))
        client = Client("ours", transport, around, CallPatience(silence=120))
        client.told = told
        clients.append(client)
        client.connect(version)
        return client

    started.place = place
    yield started
    for client in clients:
        client.close()
    cell.close()


def call(client, called, /, **arguments):
    tool = next(tool for tool in client.tools() if tool.name == called)
    return client.call_tool(tool, arguments)


def text(result):
    return result["content"][0]["text"]


@pytest.mark.parametrize("version", ERAS)
def test_code_runs_stays_and_is_taken_back(serve, version):
    client = serve(version, "-y")
    assert client.era.version == version
    first = call(client, "run_code", code="x = 20\nopen('a.txt', 'w').write('new')\nprint('hello')")
    assert text(first).startswith("hello")
    assert first["structuredContent"]["outcome"] == "ok"
    assert (serve.place / "a.txt").read_text() == "new"
    assert text(call(client, "run_code", code="print(x + 1)")).startswith("21")
    assert "x" in text(call(client, "list_variables"))
    assert text(call(client, "read_variable", name="x")).startswith("20")
    assert "a.txt" in text(call(client, "diff", block=3))
    call(client, "undo", blocks=3)
    assert not (serve.place / "a.txt").exists()
    failed = call(client, "run_code", code="x")
    assert failed["isError"]
    assert "NameError" in text(failed)


def test_sessions_are_apart(serve):
    client = serve("2026-07-28", "-y")
    call(client, "run_code", code="x = 1")
    other = call(client, "open_session")["structuredContent"]["session"]
    assert call(client, "run_code", code="print(x)", session=other)["isError"]
    assert "closed" in text(call(client, "close_session", session=other))
    assert "There is no session" in text(call(client, "run_code", code="1", session=other))


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize("answer", ["yes", "no"])
def test_a_block_is_asked_about_through_the_client(serve, version, answer):
    asked = []

    def reply(question):
        asked.append(question.message)
        return Reply("accept", {"answer": answer})

    result = call(serve(version, ask=reply), "run_code", code="print('ran')")
    assert asked == ["Run this python?\nprint('ran')"]
    assert ("ran" in text(result)) == (answer == "yes")
    assert result.get("isError", False) == (answer == "no")


def test_where_nobody_can_be_asked_nothing_runs(serve):
    result = call(serve("2026-07-28"), "run_code", code="print('ran')")
    assert result["isError"]
    assert "ran" not in text(result).split("\n")[0]


@pytest.fixture(scope="module")
def served_by_http(tmp_path_factory):
    """The address of `interpreter serve`, and its token."""
    home, token = tmp_path_factory.mktemp("home"), "a-token-for-the-test-of-the-sdk"
    work = tmp_path_factory.mktemp("work")
    env = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": f"{home}/data"}
    with subprocess.Popen(
        [sys.executable, "-m", "interpreter", "serve", "--port", "0", "--workspace", str(work)],
        env={**env, "INTERPRETER_API_KEY": token},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        for line in process.stdout:
            if line.startswith("Open "):
                break
        yield f"{line.split()[1].partition('/#')[0]}/mcp", token
        process.terminate()


@pytest.mark.parametrize("way", ["stdio", "http"])
@pytest.mark.parametrize("sdk", ["sdk1", "sdk2"])
def test_the_python_sdk_drives_it(sdk, way, tmp_path, request):
    if not (PEERS / ".done").exists():
        pytest.skip("there are no other implementations here; scripts/peers installs them")
    where = [sys.executable] if way == "stdio" else request.getfixturevalue("served_by_http")
    done = subprocess.run(
        [PEERS / sdk / "bin" / "python", SDK_CLIENT, *where],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert {"run_code", "undo", "diff", "list_variables"} <= set(told["tools"])
    assert told["text"].startswith("42")
    assert told["asked"][0].startswith("Run this python?\nx = 6 * 7")
    assert "x" in told["variables"]
    assert "+b" in told["diff"]
    assert told["after"].startswith("False")

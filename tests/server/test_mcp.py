"""MCP over HTTP at `/mcp`: both eras, the gate, and users that are apart."""

import json

import pytest

from interpreter.mcp.client import CallPatience, Client, Surroundings
from interpreter.mcp.questions import Reply
from interpreter.mcp.transports.http import HttpTransport

from .conftest import ADA, OWNER

OLD, NEW = "2025-11-25", "2026-07-28"
META = "io.modelcontextprotocol/"


@pytest.fixture
def connect():
    """A client of ours for a server of ours."""
    clients = []

    def connected(running, version, token=OWNER, asked=None):
        transport = HttpTransport(
            "ours", f"{running.url}/mcp", lambda: {"authorization": f"Bearer {token}"}
        )

        def reply(question):
            asked.append(question.message)
            return Reply("accept", {"answer": "yes"})

        around = Surroundings(**({"ask": reply} if asked is not None else {}))
        clients.append(Client("ours", transport, around, CallPatience(silence=120)))
        clients[-1].connect(version)
        assert clients[-1].era.version == version
        return clients[-1]

    yield connected
    for client in clients:
        client.close()


def call(client, called, /, **arguments):
    tool = next(tool for tool in client.tools() if tool.name == called)
    return client.call_tool(tool, arguments)["content"][0]["text"]


def test_clients_of_both_eras_work_in_one_session(serve, connect, tmp_path):
    running, asked = serve(), []
    new = connect(running, NEW, asked=asked)
    code = "x = 20\nopen('a.txt', 'w').write('new')\nprint('hello')"
    assert call(new, "run_code", code=code).startswith("hello")
    assert (tmp_path / "owner" / "a.txt").read_text() == "new"
    old = connect(running, OLD, asked=asked)
    assert call(old, "run_code", code="print(x + 1)").startswith("21")
    assert asked == [f"Run this python?\n{code}", "Run this python?\nprint(x + 1)"]
    assert "x" in call(old, "list_variables")
    assert "+new" in call(new, "diff", block=2)
    listed = running.client().get("/api/sessions").json()["sessions"]
    assert len(listed) == 1, "it is a session among the others"
    call(old, "undo", blocks=2)
    assert not (tmp_path / "owner" / "a.txt").exists()


def body(name, version=NEW, number=1, /, **params):
    meta = {f"{META}protocolVersion": version, f"{META}clientCapabilities": {"elicitation": {}}}
    return {"jsonrpc": "2.0", "id": number, "method": name, "params": {"_meta": meta, **params}}


def test_nobody_comes_in_without_the_token_or_from_another_page(serve):
    running = serve()
    headers = {"mcp-protocol-version": NEW, "mcp-method": "tools/list"}
    good = running.client()

    def status(client, **more):
        return client.post("/mcp", json=body("tools/list"), headers={**headers, **more}).status_code

    assert status(good) == 200
    assert status(running.client("")) == 401
    assert status(running.client("wrong")) == 401
    assert status(good, origin="http://evil.example") == 403
    assert status(good, host="evil.example") == 403
    assert good.get("/mcp").status_code == 405
    assert good.post("/mcp", content=b"{").status_code == 400
    assert status(good, **{"mcp-session-id": "nobody", "mcp-protocol-version": OLD}) == 400


def test_what_one_user_is_asked_another_cannot_answer(serve):
    running = serve()
    asked = {"name": "run_code", "arguments": {"code": "1"}}
    headers = {
        "mcp-protocol-version": NEW,
        "mcp-method": "tools/call",
        "mcp-name": "run_code",
    }

    def post(token, **more):
        sent = body("tools/call", NEW, 1, **asked, **more)
        answer = running.client(token).post("/mcp", json=sent, headers=headers)
        return json.loads(answer.text.partition("data: ")[2] or answer.text)

    result = post(ADA)["result"]
    assert result["resultType"] == "input_required"
    answer = {"approval": {"action": "accept", "content": {"answer": "yes"}}}
    again = {"requestState": result["requestState"], "inputResponses": answer}
    assert "nothing that waits" in post(OWNER, **again)["error"]["message"]
    assert post(ADA, **again)["result"]["structuredContent"]["outcome"] == "ok"

"""Our client and servers that others wrote: both majors of the Python SDK, three from npm."""

import shutil
from pathlib import Path

import pytest

from interpreter.mcp.errors import McpError, ServerCallFailed

from .conftest import connections

PEER = Path(__file__).parent / "peer_server.py"


@pytest.fixture(
    scope="module",
    params=[("sdk1", "2025-11-25"), ("sdk2", "2026-07-28")],
    ids=["sdk1", "sdk2"],
)
def python_sdk(request, peers, tmp_path_factory):
    place, version = request.param
    with connections(tmp_path_factory.mktemp(place)) as connect:
        client = connect(peers / place / "bin" / "python", PEER)
        assert client.era.version == version
        yield client


def tool(client, name):
    return next(tool for tool in client.tools() if tool.name == name)


def test_tools_of_the_python_sdk(python_sdk):
    add = tool(python_sdk, "add")
    assert (add.description, add.input_schema["required"]) == ("Add two numbers.", ["a"])
    assert python_sdk.call_tool(add, {"a": 1})["structuredContent"] == {"sum": 3}


def test_a_tool_that_fails_says_so_in_its_result(python_sdk):
    result = python_sdk.call_tool(tool(python_sdk, "fail"), {"why": "no reason"})
    assert result["isError"] is True
    assert "Error executing tool fail" in result["content"][0]["text"]


def test_progress_is_heard(python_sdk):
    python_sdk.call_tool(tool(python_sdk, "steps"), {"count": 3})
    assert python_sdk.told == ["step 0", "step 1", "step 2"]


def test_resources_and_prompts(python_sdk):
    assert [(r.uri, r.is_template) for r in python_sdk.resources()] == [
        ("demo://greeting", False),
        ("demo://greeting/{name}", True),
    ]
    assert python_sdk.read_resource("demo://greeting/Ada")["contents"][0]["text"] == "hello Ada"
    assert [(p.name, p.required) for p in python_sdk.prompts()] == [("review", ("code",))]
    text = python_sdk.get_prompt("review", {"code": "x = 1"})["messages"][0]["content"]["text"]
    assert text == "Please review x = 1"
    with pytest.raises((ServerCallFailed, McpError)):
        python_sdk.get_prompt("nothing", {})


@pytest.fixture
def npm(peers, connect):
    """A server from npm, by name."""
    node = peers / "node_modules" / ".bin" / "node"
    node = node if node.exists() else shutil.which("node")
    programs = peers / "node_modules" / ".bin"
    return lambda name, *words: connect(node, (programs / name).resolve(), *words)


def test_everything(npm):
    client = npm("mcp-server-everything")
    assert client.era.version == "2025-11-25"
    echo = client.call_tool(tool(client, "echo"), {"message": "hi"})
    assert echo["content"] == [{"type": "text", "text": "Echo: hi"}]
    weather = tool(client, "get-structured-content")
    assert client.call_tool(weather, {"location": "Chicago"})["structuredContent"]["temperature"]
    assert {"simple-prompt", "args-prompt"} <= {prompt.name for prompt in client.prompts()}


def test_filesystem(npm, tmp_path):
    (tmp_path / "a.txt").write_text("content")
    client = npm("mcp-server-filesystem", tmp_path)
    read = client.call_tool(tool(client, "read_text_file"), {"path": str(tmp_path / "a.txt")})
    assert read["content"][0]["text"] == "content"
    assert client.call_tool(tool(client, "read_text_file"), {"path": "/etc/passwd"})["isError"]


def test_memory(npm):
    client = npm("mcp-server-memory")
    entity = {"name": "Ada", "entityType": "person", "observations": ["wrote the first program"]}
    client.call_tool(tool(client, "create_entities"), {"entities": [entity]})
    graph = client.call_tool(tool(client, "read_graph"), {})["structuredContent"]
    assert [one["name"] for one in graph["entities"]] == ["Ada"]

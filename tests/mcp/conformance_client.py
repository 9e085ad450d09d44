"""A client for the protocol's conformance suite: does what a session does with any server.

Started by the suite with the server's address as the last argument.
"""

import json
import os
import sys
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx

from interpreter.mcp.client import CallPatience, Client, Surroundings
from interpreter.mcp.errors import McpError
from interpreter.mcp.login.oauth import Login, LoginOptions
from interpreter.mcp.questions import Question, Reply
from interpreter.mcp.transports.http import HttpTransport


def example(schema: Any) -> Any:
    """Some value that a schema allows."""
    if not isinstance(schema, dict):
        return "example"
    if "default" in schema:
        return schema["default"]
    if schema.get("enum"):
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: example(part) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [example(schema.get("items"))]
        case "integer" | "number":
            return 5
        case "boolean":
            return True
        case _:
            return "example"


def browse(url: str, redirect_uri: str) -> dict[str, str]:
    """Log in as the suite's user, who always says yes: its answer is a redirect to us."""
    response = httpx.get(url, follow_redirects=False, timeout=30)
    return dict(parse_qsl(urlsplit(response.headers["location"]).query))


def reply(question: Question) -> Reply:
    return Reply("accept", {})


def main() -> int:
    url = sys.argv[-1]
    version = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "")
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    kept = []
    options = LoginOptions(
        browse=browse,
        redirect_uri="http://127.0.0.1:8765/callback",
        client_id=context.get("client_id", ""),
        client_secret=context.get("client_secret", ""),
        metadata_url="https://conformance-test.local/client-metadata.json",
    )
    login = Login(url, lambda: kept[-1] if kept else "", kept.append, options)
    transport = HttpTransport("suite", url, login.headers, login.answer)
    client = Client("suite", transport, Surroundings(reply), CallPatience(silence=20, ceiling=25))
    client.connect(version)
    wanted = {call["name"]: call["arguments"] for call in context.get("toolCalls", ())}
    for tool in client.tools():
        try:
            arguments = wanted.get(tool.name) or example(tool.input_schema)
            client.call_tool(tool, arguments)
        except McpError as error:
            sys.stderr.write(f"{tool.name}: {error!r}\n")
    for prompt in client.prompts():
        client.get_prompt(prompt.name, {name: "example" for name in prompt.arguments})
    for resource in client.resources():
        if not resource.is_template:
            client.read_resource(resource.uri)
    client.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

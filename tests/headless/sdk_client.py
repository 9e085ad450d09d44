"""A client on the official Python SDK, of either major version: uses our server, and says yes.

`sdk_client.py PYTHON` starts a server of its own; `sdk_client.py URL TOKEN` goes to one.
"""

import asyncio
import contextlib
import json
import sys

from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult

import mcp

ASKED = []


async def reply(context, params):
    ASKED.append(params.message)
    return ElicitResult(action="accept", content={"answer": "yes"})


async def told_by(session):
    async def call(name, **arguments):
        return (await session.call_tool(name, arguments)).content[0].text

    tools = await session.list_tools()
    handle = await call("open_session")
    ran = await call("run_code", code="x = 6 * 7\nopen('a', 'w').write('b')\nx", session=handle)
    return {
        "tools": [tool.name for tool in tools.tools],
        "text": ran,
        "variables": await call("list_variables", session=handle),
        "diff": await call("diff", session=handle),
        "undo": await call("undo", session=handle),
        "after": await call("run_code", code="print('x' in globals())", session=handle),
        "asked": ASKED,
    }


@contextlib.asynccontextmanager
async def streams():
    if not sys.argv[1].startswith("http"):
        command = ["-m", "interpreter", "mcp", "serve"]
        async with stdio_client(mcp.StdioServerParameters(command=sys.argv[1], args=command)) as s:
            yield s
        return
    try:
        import httpx2 as httpx
    except ImportError:
        import httpx
    headers = {"authorization": f"Bearer {sys.argv[2]}"}
    async with (
        httpx.AsyncClient(headers=headers, timeout=60) as http,
        streamable_http_client(sys.argv[1], http_client=http) as s,
    ):
        yield s


async def main():
    if hasattr(mcp, "Client"):
        async with mcp.Client(streams(), elicitation_callback=reply) as client:
            return await told_by(client)
    async with (
        streams() as (receive, send, *_),
        mcp.ClientSession(receive, send, elicitation_callback=reply) as session,
    ):
        await session.initialize()
        return await told_by(session)


sys.stdout.write(json.dumps(asyncio.run(main())))

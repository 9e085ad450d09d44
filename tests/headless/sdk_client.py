"""A client on the official Python SDK, of either major version: starts our server and uses it."""

import asyncio
import json
import sys

try:
    from mcp import Client
except ImportError:
    Client = None
from mcp.client.stdio import stdio_client

from mcp import ClientSession, StdioServerParameters

SERVER = StdioServerParameters(
    command=sys.argv[1], args=["-m", "interpreter", "mcp", "serve", "-y"]
)
CODE = {"code": "print(6 * 7)"}


async def told_by(session):
    tools = await session.list_tools()
    result = await session.call_tool("run_code", CODE)
    return {"tools": [tool.name for tool in tools.tools], "text": result.content[0].text}


async def main():
    if Client is not None:
        async with Client(stdio_client(SERVER)) as client:
            return await told_by(client)
    async with stdio_client(SERVER) as streams, ClientSession(*streams) as session:
        await session.initialize()
        return await told_by(session)


sys.stdout.write(json.dumps(asyncio.run(main())))

"""A small server on the official Python SDK, of either major version."""

try:
    from mcp.server.mcpserver import Context
    from mcp.server.mcpserver import MCPServer as Server
except ImportError:
    from mcp.server.fastmcp import Context
    from mcp.server.fastmcp import FastMCP as Server

server = Server("demo", instructions="A server for tests.")


@server.tool()
def add(a: int, b: int = 2) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


@server.tool()
def fail(why: str) -> str:
    """Fail."""
    raise ValueError(why)


@server.tool()
async def steps(count: int, ctx: Context) -> str:
    """Tell how far it is."""
    for step in range(count):
        await ctx.report_progress(step, count, f"step {step}")
    return "done"


@server.resource("demo://greeting")
def greeting() -> str:
    """A greeting."""
    return "hello"


@server.resource("demo://greeting/{name}")
def greeting_of(name: str) -> str:
    """A greeting by name."""
    return f"hello {name}"


@server.prompt()
def review(code: str) -> str:
    """Ask for a review."""
    return f"Please review {code}"


server.run()

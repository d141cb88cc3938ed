"""A client of the MCP SDK, 1.x or 2.x, that starts the bundle as a server."""

import asyncio
import sys

sys.path.append(sys.path.pop(0))
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from plain import given, tell

bundle, calls = given()


async def asked(client):
    listed = (await client.list_tools()).tools
    schemas = [(getattr(one, "inputSchema", None) or one.input_schema)["properties"] for one in listed]
    values = []
    for call in calls:
        came = await client.call_tool(call["tool"], call["arguments"])
        held = getattr(came, "structuredContent", None) or getattr(came, "structured_content", None)
        values.append(held["result"] if held else came.content[0].text)
    return values, sum(all("description" in each for each in one.values()) for one in schemas)


async def main():
    server = StdioServerParameters(command=sys.executable, args=["-S", str(bundle)])
    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        found = await asked(session)
    try:
        from mcp.client import Client
    except ImportError:
        return found
    async with Client(server) as client:  # without a handshake, as 2.x prefers
        assert await asked(client) == found
    return found


tell(*asyncio.run(main()))

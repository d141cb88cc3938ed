"""A client of the SDK's 1.x line: says what a server lists and what each of some calls gives, as JSON."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(command, calls, env):
    server = StdioServerParameters(command=command[0], args=command[1:], env=env)
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        hello = await session.initialize()
        listed = [tool.name for tool in (await session.list_tools()).tools]
        results = [await session.call_tool(name, arguments) for name, arguments in calls]
        found = [str(one.uri) for one in (await session.list_resources()).resources]
    given = [[result.isError, result.structuredContent] for result in results]
    print(json.dumps({"version": hello.protocolVersion, "tools": listed, "given": given, "resources": found}))


asyncio.run(main(*json.loads(sys.stdin.read())))

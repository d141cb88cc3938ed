"""Function tools of the OpenAI Agents SDK, called as its runner calls them."""

import asyncio
import json
import sys

sys.path.append(sys.path.pop(0))
from agents import function_tool
from agents.tool_context import ToolContext
from plain import given, read, tell

_, calls = given()
from my_skills import TOOLS  # noqa: E402

tools = {f.__name__: function_tool(f, strict_mode=False) for f in TOOLS}
schemas = [one.params_json_schema["properties"] for one in tools.values()]
described = sum(all("description" in each for each in schema.values()) for schema in schemas)


async def main():
    values = []
    for call in calls:
        text = json.dumps(call["arguments"])
        context = ToolContext(context=None, tool_name=call["tool"], tool_call_id="1", tool_arguments=text)
        values.append(read(await tools[call["tool"]].on_invoke_tool(context, text)))
    return values


tell(asyncio.run(main()), described)

"""LangChain tools in a graph's ToolNode."""

import sys

sys.path.append(sys.path.pop(0))
from langchain_core.messages import AIMessage
from langchain_core.tools import StructuredTool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from plain import given, read, tell

_, calls = given()
from my_skills import TOOLS  # noqa: E402

tools = [StructuredTool.from_function(f, parse_docstring=True) for f in TOOLS]
described = sum(all("description" in each for each in one.args.values()) and bool(one.description) for one in tools)
graph = StateGraph(MessagesState).add_node("tools", ToolNode(tools)).add_edge(START, "tools").compile()
values = []
for number, call in enumerate(calls):
    asked = AIMessage(
        "", tool_calls=[{"id": str(number), "name": call["tool"], "args": call["arguments"], "type": "tool_call"}]
    )
    values.append(read(graph.invoke({"messages": [asked]})["messages"][-1].content))
tell(values, described)

"""A small honest server, over stdio or, with a port, over HTTP; of either line of the SDK over stdio."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import TypedDict

try:
    from mcp.server import MCPServer
except ImportError:  # 1.x
    from mcp.server.fastmcp import FastMCP as MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("shop")
SOLD: list[str] = []


class Total(TypedDict):
    items: int
    names: list[str]


@server.tool(annotations=ToolAnnotations.model_validate({"readOnlyHint": True}))
def price(item: str, count: int = 1) -> float:
    """What an item costs."""
    return count * 2.5


@server.tool()
def buy(item: str) -> Total:
    """Buys an item."""
    SOLD.append(item)
    return {"items": len(SOLD), "names": SOLD}


@server.tool(structured_output=False)
def say(text: str) -> str:
    """Gives a text back."""
    return text


@server.tool(structured_output=False)
def line() -> str:
    """Which version of the SDK it is made with."""
    return version("mcp")


@server.tool()
def fail(why: str) -> str:
    """Fails."""
    raise ValueError(why)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run()

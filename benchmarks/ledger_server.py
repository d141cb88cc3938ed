"""A server of tools that writes down what reaches it, on disk before it answers: started by benchmarks as a program.

Its arguments are the file to write and, to be reached over HTTP instead of pipes, a port.
"""

from __future__ import annotations

import os
import sys

from mcp.server import MCPServer

server = MCPServer("ledger")


@server.tool(structured_output=False)
def put(number: int) -> str:
    """Puts a number into the ledger."""
    with open(sys.argv[1], "a", encoding="ascii") as ledger:
        ledger.write(f"{number}\n")
        ledger.flush()
        os.fsync(ledger.fileno())
    return "put"


@server.tool(structured_output=False)
def say(text: str) -> str:
    """Gives a text back."""
    return text


if __name__ == "__main__":
    if len(sys.argv) > 2:
        server.run("streamable-http", port=int(sys.argv[2]))
    else:
        server.run()

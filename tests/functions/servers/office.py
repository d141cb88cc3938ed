"""A small office: notes to search, and mail that is sent to a file."""

from __future__ import annotations

import sys
from pathlib import Path

from mcp.server import MCPServer

server = MCPServer("office")
NOTES = ("The garden party is on 12 June at six.", "The printer is repaired on Monday.")


@server.tool(structured_output=False)
def find_note(words: str) -> str:
    """The first note that has one of the words."""
    return next((note for note in NOTES if any(word in note.lower() for word in words.lower().split())), "")


@server.tool(structured_output=False)
def send_mail(to: str, text: str) -> str:
    """Sends a mail."""
    with Path(sys.argv[1]).open("a", encoding="utf-8") as sent:
        sent.write(f"{to}: {text}\n")
    return "sent"


if __name__ == "__main__":
    server.run()

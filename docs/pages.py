"""Takes the pictures of the front commands: the real program in terminals of 60 and of 100 columns.

``python -m docs.pages [NAME ...]`` writes ``docs/images/NAME-60.svg`` and ``NAME-100.svg``, each in light and dark. It
needs tmux. The model behind the chat is a stand-in; everything else is the program as it ships.
"""

from __future__ import annotations

import argparse
import os
import shlex
import tempfile
from collections.abc import Mapping
from pathlib import Path

from docs.pictures import write
from evolve.testing import ScriptedEndpoint
from tests.cli.chat_terminal import Terminal
from tests.doubles.conversing import ConversingDouble
from tests.golden.make import unpack

WIDTHS = (60, 100)
MOST_LINES = 90
PAGES: Mapping[str, str] = {
    "welcome": "evolve",
    "help": "evolve --help",
    "demo": "evolve demo",
    "run": "evolve run --examples names.csv -w mine",
    "fill": "evolve fill july.csv -w mine",
    "chat": "evolve chat",
    "improve": "evolve improve lists --budget 60s -w mine",
    "report": "evolve report",
}
"""Pictures by name, each with the command that it is of."""

_PROMOTED = ("report", "welcome")
"""Pictures of a workspace of ``tests/golden`` in which a small suite was learned."""
_ENDED = "left with code"
_NAMES = """\
name,short
Ada Lovelace,A. LOVELACE
Alan Turing,A. TURING
Grace Hopper,G. HOPPER
Edsger Dijkstra,E. DIJKSTRA
Barbara Liskov,B. LISKOV
Tony Hoare,T. HOARE
John Backus,J. BACKUS
Frances Allen,F. ALLEN
"""
_JULY = """\
name,date,net,gross
Ada Lovelace,2024-07-01,120.00,142.80
Alan Turing,2024-07-02,80.00,95.20
Grace Hopper,2024-07-02,49.90,59.38
Edsger Dijkstra,2024-07-03,210.00,294.90
Barbara Liskov,2024-07-04,15.50,18.45
Tony Hoare,2024-07-05,99.00,117.81
John Backus,2024-07-08,7.25,8.63
Frances Allen,2024-07-08,300.00,357.00
Katherine Johnson,2024-07-09,64.00,76.16
Donald Knuth,2024-07-10,35.75,
Leslie Lamport,2024-07-10,open,
Niklaus Wirth,2024-07-11,"18,50",
Dennis Ritchie,2024-07-12,1250.00,
"""
"""The fourth gross price has two digits swapped, one net price is a word, and one has another decimal sign."""


def main() -> None:
    """Takes the pictures that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m docs.pages", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[[], *PAGES], help="which; default: all")
    for name in parser.parse_args().names or PAGES:
        for width in WIDTHS:
            with tempfile.TemporaryDirectory() as folder:
                if name in _PROMOTED:
                    unpack("promoted", Path(folder))
                write(f"{name}-{width}", _printed(name, Path(folder), width), width, title=PAGES[name])


def _printed(name: str, folder: Path, width: int) -> str:
    """What the command shows in a terminal, where this is the home folder."""
    (folder / "names.csv").write_text(_NAMES)
    (folder / "july.csv").write_text(_JULY)
    window = Terminal(folder, columns=width, rows=MOST_LINES)
    home = {"HOME": str(folder), "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))}
    look = {"TERM": "tmux-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", **home}
    try:
        if name in _PROMOTED:
            window.start("trust", "ws", **look)  # it was made elsewhere
            window.wait(_ENDED)
        if name == "chat":
            _chat(window, look)
        else:
            window.start(*shlex.split(PAGES[name])[1:], **look)
            if name == "fill":
                window.wait("[y/N]")
                window.type("n")
            window.wait(_ENDED)
        shown = window.screen(colours=True, history=False).replace(str(folder), "~")
    finally:
        window.close()
    lines = [line for line in shown.rstrip().split("\n") if _ENDED not in line]
    return "\n".join([f"$ {PAGES[name]}", *lines]).rstrip()


def _chat(window: Terminal, look: Mapping[str, str]) -> None:
    with ScriptedEndpoint(double=ConversingDouble()) as endpoint:
        window.start("chat", "--model", endpoint.model, **look)
        window.wait("/help lists")
        window.type("add 17 and 25")
        window.wait("why r1")
        window.ready()


if __name__ == "__main__":
    main()

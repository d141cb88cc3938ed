"""Takes the pictures of ``docs/terminal.md``: what commands print, in terminals of 60 and of 100 columns.

``python -m docs.pages [NAME ...]`` writes ``docs/images/NAME-60.svg`` and ``docs/images/NAME-100.svg``. What they
show are workspaces of ``tests/golden`` in which small suites were learned.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from docs.pictures import write
from tests.golden.make import unpack

ROOT = Path(__file__).resolve().parents[1]
WIDTHS = (60, 100)
MOST_LINES = 40
PAGES: Mapping[str, str] = {
    "help": "evolve --help",
    "run-help": "evolve run --help",
    "run": "evolve run --examples names.csv -w mine",
    "fill": "evolve fill july.csv -w mine",
    "report": "evolve report",
    "gate": "evolve gate list",
    "skills": "evolve skills list",
    "memory": "evolve memory list",
    "runs": "evolve runs list",
    "doctor": "evolve doctor",
}
"""Pictures by name, each with the command that it is of."""

_WORKSPACES = {"report": "promoted", "gate": "promoted"}
"""Archives of ``tests/golden``; any other picture is of ``learned``."""

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
"""The fourth gross price has two digits swapped, and two net prices are not what the function reads."""


def main() -> None:
    """Takes the pictures that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m docs.pages", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[[], *PAGES], help="which; default: all")
    for name in parser.parse_args().names or PAGES:
        for width in WIDTHS:
            with tempfile.TemporaryDirectory() as folder:
                unpack(_WORKSPACES.get(name, "learned"), Path(folder))
                write(f"{name}-{width}", _printed(PAGES[name], Path(folder), width), width, title=PAGES[name])


def _printed(command: str, folder: Path, width: int) -> str:
    """What the command prints, results and notes, where this is the home folder."""
    (folder / "names.csv").write_text(_NAMES)
    (folder / "july.csv").write_text(_JULY)
    given = {"HOME": str(folder), "PYTHONPATH": str(ROOT), "COLUMNS": str(width), "EVOLVE_WORKSPACE": "ws"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("EVOLVE_", "XDG_"))}
    words = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(words, cwd=folder, env={**kept, **given}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = done.stdout.decode().replace(str(folder), "~").rstrip("\n").split("\n")
    if len(lines) > MOST_LINES and "--help" not in command:
        lines[MOST_LINES - 1 :] = ["[…]"]
    shown = [f"$ {command}", *lines]
    return "\n".join(line[at : at + width] for line in shown for at in range(0, max(1, len(line)), width))


if __name__ == "__main__":
    main()

"""Writes the suites that ship, or draws fresh tasks: ``python -m benchmarks.suites write`` and ``... draw SUITE``."""

from __future__ import annotations

import argparse
import bz2
import sys
from collections.abc import Sequence
from pathlib import Path

import evolve.tasks.suites as shipped
from benchmarks.suites import SIZES, draw_suite
from evolve.core.files import write_atomic
from evolve.tasks import Task, render_jsonl


def shipped_file(name: str) -> Path:
    """Where the package keeps a suite."""
    return Path(shipped.__file__).with_name(f"{name}.jsonl.bz2")


def packed(tasks: Sequence[Task]) -> bytes:
    """The tasks as the package keeps them; the same tasks give the same bytes."""
    return bz2.compress(render_jsonl(tasks).encode())


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suites", description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    write = commands.add_parser("write", help="write the suites that ship into the package")
    write.add_argument("names", nargs="*", metavar="SUITE", help="by default all")
    draw = commands.add_parser("draw", help="write fresh tasks of a suite as JSON lines")
    draw.add_argument("names", nargs=1, metavar="SUITE", help=", ".join(SIZES))
    draw.add_argument("--n", type=int, help="number of tasks; by default as many as ship")
    draw.add_argument("--seed", type=int, default=0, help="another seed gives other parameters and rows")
    draw.add_argument("--out", type=Path, help="file to write; default stdout")
    options = parser.parse_args(argv)
    unknown = [name for name in options.names if name not in SIZES]
    if unknown:
        parser.error(f"no suite {unknown[0]!r}; suites are {', '.join(SIZES)}")
    if options.command == "write":
        for name in options.names or SIZES:
            write_atomic(shipped_file(name), packed(draw_suite(name).tasks))
            print(f"wrote {shipped_file(name).name}")
        return
    if options.n is not None and options.n < 1:
        parser.error("--n must be at least 1")
    text = render_jsonl(draw_suite(options.names[0], n=options.n, seed=options.seed).tasks)
    if options.out is not None:
        write_atomic(options.out, text.encode())
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()

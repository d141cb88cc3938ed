"""Lines and statements of every package. ``python -m tests.architecture.budget`` writes the table anew."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from tests.architecture.source import ROOT, every_module

TABLE = Path(__file__).with_name("budget.txt")


def measured() -> dict[str, tuple[int, int]]:
    """Lines and statements by package: the folders in ``evolve``, its files together, and each of ``packages``."""
    sizes: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for module in every_module():
        parts = module.path.relative_to(ROOT).parts
        if parts[0] not in ("evolve", "packages") or "tests" in parts:
            continue
        name = "/".join(parts[:2]) if len(parts) > 2 else parts[0]
        sizes[name][0] += module.text.count("\n")
        sizes[name][1] += sum(isinstance(node, ast.stmt) for node in ast.walk(module.tree))
    return {name: (lines, statements) for name, (lines, statements) in sorted(sizes.items())}


def recorded() -> dict[str, tuple[int, int]]:
    """The table as it stands in the repository."""
    rows = (line.split() for line in TABLE.read_text("utf-8").splitlines()[1:-1])
    return {name: (int(lines), int(statements)) for name, lines, statements in rows}


def main() -> None:
    """Writes the table."""
    rows = measured()
    total = (sum(size[place] for size in rows.values()) for place in (0, 1))
    told = [("package", "lines", "statements"), *((name, *size) for name, size in rows.items()), ("all", *total)]
    TABLE.write_text("".join(f"{name:<28}{lines:>8}{statements:>12}\n" for name, lines, statements in told), "utf-8")


if __name__ == "__main__":
    main()

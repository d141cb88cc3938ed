"""Counts what a Python package looks like, each by the same rules: ``python -m benchmarks.code_shape FOLDER ...``

Reads the source and runs nothing of it. Figures of one script compare; those of two scripts do not.
"""

from __future__ import annotations

import ast
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

Function = ast.FunctionDef | ast.AsyncFunctionDef


def shape(folder: Path) -> dict[str, int | float]:
    """The figures of one package.

    Returns:
        ``cycle`` is the size of the largest set of modules that import each other when they are loaded, 1 for none.
        ``one_word`` is the share of public functions and methods whose name is one lower-case word. ``shared`` is how
        many class names stand for more than one class.
    """
    trees = {
        _module(folder, path): (path.name == "__init__.py", path.read_text("utf-8", "replace"))
        for path in sorted(folder.rglob("*.py"))
    }
    parsed = {name: ast.parse(text) for name, (_, text) in trees.items()}
    nodes = [node for tree in parsed.values() for node in ast.walk(tree)]
    functions = [node for node in nodes if isinstance(node, Function)]
    lengths = [(node.end_lineno or node.lineno) - node.lineno + 1 for node in functions]
    lines = [len(text.splitlines()) for _, text in trees.values()]
    public = [node.name for node in functions if not node.name.startswith("_")]
    classes = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    graph = {name: set(_imports(name, trees[name][0], tree, parsed)) for name, tree in parsed.items()}
    inside = [node for each in functions for node in ast.walk(each) if isinstance(node, ast.Import | ast.ImportFrom)]
    return {
        "files": len(trees),
        "lines": sum(lines),
        "median_file": median(lines),
        "largest_file": max(lines),
        "functions": len(functions),
        "median_function": median(lengths),
        "longest_function": max(lengths),
        "functions_over_50": sum(length > 50 for length in lengths),
        "cycle": _largest_cycle(graph),
        "imports_in_functions": len({id(node) for node in inside}),
        "classes": sum(classes.values()),
        "shared": sum(count > 1 for count in classes.values()),
        "one_word": round(sum(name.isalpha() and name.islower() for name in public) / max(1, len(public)), 2),
    }


def _module(folder: Path, path: Path) -> str:
    return ".".join(path.relative_to(folder.parent).with_suffix("").parts).removesuffix(".__init__")


def _imports(name: str, is_package: bool, tree: ast.Module, known: Mapping[str, object]) -> Iterator[str]:
    package = name.split(".") if is_package else name.split(".")[:-1]
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from ({alias.name for alias in node.names} & known.keys()) - {name}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                target = f"{source}.{alias.name}" if f"{source}.{alias.name}" in known else source
                if target in known and target != name:
                    yield target


def _largest_cycle(graph: Mapping[str, set[str]]) -> int:
    """The largest strongly connected component: what a module reaches and is reached by."""
    reached = {name: _reach(graph, name) for name in graph}
    return max((len({other for other in reached[name] if name in reached[other]}) for name in graph), default=1)


def _reach(graph: Mapping[str, set[str]], start: str) -> set[str]:
    seen, ahead = {start}, [start]
    while ahead:
        fresh = graph[ahead.pop()] - seen
        seen |= fresh
        ahead += fresh
    return seen


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(json.dumps({"package": Path(argument).name, **shape(Path(argument).resolve())}))

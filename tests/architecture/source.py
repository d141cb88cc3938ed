"""Reads the source tree without importing it: modules, their imports, their functions."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "evolve"

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One source file."""

    path: Path
    name: str
    text: str
    tree: ast.Module

    @property
    def place(self) -> str:
        """The file's name relative to the tree, as messages show it."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def part(self) -> str:
        """The package or module directly under ``evolve`` this belongs to; "" for the facade itself."""
        return [*self.name.split("."), ""][1]

    def functions(self) -> Iterator[FunctionNode]:
        """Every function, methods and inner ones included."""
        return (node for node in self.nodes if isinstance(node, FunctionNode))

    def imports(self) -> tuple[Import, ...]:
        """Every import that runs, wherever it stands; those for type checkers alone are left out."""
        return self._imported

    def needs(self) -> tuple[Import, ...]:
        """Every import, those for type checkers alone included."""
        return self._needed

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree, outer ones first; walked once for all that look."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def _needed(self) -> tuple[Import, ...]:
        return tuple(_imports(self, self.tree, at_module_level=True, types=True))

    @cached_property
    def _imported(self) -> tuple[Import, ...]:
        return tuple(_imports(self, self.tree, at_module_level=True))


@dataclass(frozen=True)
class Import:
    """One imported module, by absolute name."""

    target: str
    line: int
    at_module_level: bool


@cache
def modules() -> tuple[Module, ...]:
    """Every Python file of evolve, by name."""
    return _read_all(ROOT, sorted(PACKAGE.rglob("*.py")))


@cache
def every_module() -> tuple[Module, ...]:
    """Those, and the files of the packages beside evolve."""
    sources = sorted((ROOT / "packages").glob("*/src"))
    return (*modules(), *(one for source in sources for one in _read_all(source, sorted(source.rglob("*.py")))))


def _read_all(top: Path, paths: Sequence[Path]) -> tuple[Module, ...]:
    # Of the many objects of a tree none is garbage, and to look for it takes most of the time.
    collects = gc.isenabled()
    gc.disable()
    try:
        return tuple(_read(path, top) for path in paths if "_seed" not in path.parts)
    finally:
        if collects:
            gc.enable()


@cache
def module_names() -> frozenset[str]:
    """Dotted names of all modules and packages."""
    return frozenset(module.name for module in modules())


def _read(path: Path, top: Path) -> Module:
    parts = path.relative_to(top).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    text = path.read_text("utf-8")
    return Module(path, name, text, ast.parse(text, str(path)))


def _imports(module: Module, node: ast.AST, *, at_module_level: bool, types: bool = False) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue  # no statement stands within an expression
        if isinstance(child, ast.If) and _is_type_checking(child.test):
            for alternative in [*(child.body if types else ()), *child.orelse]:
                yield from _imports(module, ast.Module([alternative], []), at_module_level=at_module_level, types=types)
            continue
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, child.lineno, at_module_level) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            base = _base(module, child)
            for alias in child.names:
                whole = f"{base}.{alias.name}"
                yield Import(whole if whole in module_names() else base, child.lineno, at_module_level)
        else:
            inside = isinstance(child, FunctionNode)
            yield from _imports(module, child, at_module_level=at_module_level and not inside, types=types)


def _base(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    package = parts if module.path.name == "__init__.py" else parts[:-1]
    kept = package[: len(package) - node.level + 1]
    return ".".join([*kept, *([node.module] if node.module else [])])


def _is_type_checking(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def called_name(node: ast.Call) -> str:
    """The dotted name a call is written with, such as ``os.fork``; "" for anything else."""
    parts, at = list[str](), node.func
    while isinstance(at, ast.Attribute):
        parts, at = [at.attr, *parts], at.value
    return ".".join([at.id, *parts]) if isinstance(at, ast.Name) else ""

"""What each door offers, read from the source. ``python -m tests.architecture.public_api`` renews the snapshot."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.architecture.source import FunctionNode, Module, modules

SNAPSHOT = Path(__file__).with_name("public_api.txt")


def offered() -> list[str]:
    """Every public name with its parameters, sorted: ``evolve.core.files.digest(content)``."""
    by_name = {module.name: module for module in modules()}
    doors = [m for m in modules() if m.path.name == "__init__.py" or is_door_itself(m)]
    return sorted(f"{door.name}.{described(door, name, by_name)}" for door in doors for name in names(door))


def is_door_itself(module: Module) -> bool:
    """Whether a file is a module of its own and no part of a package's inside."""
    parts = module.name.split(".")
    return len(parts) == (3 if parts[:2] == ["evolve", "core"] else 2)


def names(door: Module) -> list[str]:
    """What a door hands on or its ``__all__``, else the public definitions of a module that is its own door."""
    if handed := handed_on(door):
        return sorted([*handed, *defined(door)])
    for node in door.tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    if door.path.name == "__init__.py":
        return []
    nodes = [node for node in door.tree.body if isinstance(node, FunctionNode | ast.ClassDef)]
    return [node.name for node in nodes if not node.name.startswith("_")]


def handed_on(door: Module) -> dict[str, str]:
    """What a door hands on by :func:`evolve.core.lazy.attach`: the whole name of the module of each name."""
    blocks = [node for node in door.tree.body if isinstance(node, ast.If) and "attach(" in ast.unparse(node)]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in imports for alias in node.names}


def defined(door: Module) -> list[str]:
    """What it says to :func:`evolve.core.lazy.attach` that it defines itself."""
    calls = [node for node in door.nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == "attach"]
    return [ast.literal_eval(name) for call in calls for name in call.args[1:]]


def described(door: Module, name: str, by_name: dict[str, Module]) -> str:
    """The name, and for a function or class its parameters without types."""
    owner = by_name.get(handed_on(door).get(name, ""), door)
    for module in [owner, *(m for key, m in by_name.items() if key.startswith(f"{owner.name}."))]:
        for node in module.tree.body:
            if isinstance(node, FunctionNode) and node.name == name:
                return f"{name}({arguments(node)})"
            if isinstance(node, ast.ClassDef) and node.name == name:
                return described_class(node)
    return name


def described_class(node: ast.ClassDef) -> str:
    methods = sorted(
        item.name for item in node.body if isinstance(item, FunctionNode) and not item.name.startswith("_")
    )
    fields = [
        item.target.id
        for item in node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and not item.target.id.startswith("_")
    ]
    constructors = [item for item in node.body if isinstance(item, FunctionNode) and item.name == "__init__"]
    taken = arguments(constructors[0]) if constructors else ", ".join(fields)
    return f"{node.name}({taken})" + (f" [{' '.join(methods)}]" if methods else "")


def arguments(node: FunctionNode) -> str:
    given = [item.arg for item in [*node.args.posonlyargs, *node.args.args] if item.arg not in ("self", "cls")]
    keywords = [item.arg for item in node.args.kwonlyargs]
    star = [f"*{node.args.vararg.arg}"] if node.args.vararg else ["*"] if keywords else []
    rest = [f"**{node.args.kwarg.arg}"] if node.args.kwarg else []
    return ", ".join([*given, *star, *keywords, *rest])


if __name__ == "__main__":
    SNAPSHOT.write_text("\n".join(offered()) + "\n", "utf-8")

"""Skills in answers: offered by an import line, and written into the answer where it uses one.

So what is verified, stored and exported is one file that runs by itself. An action in a folder imports them instead.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evolve.core.episodes.blocks import blocks_of
from evolve.skills import Skill
from evolve.skills.contract import __file__ as contract_file
from evolve.skills.signatures import names_of

PACKAGE = "skills"


@dataclass(frozen=True, kw_only=True)
class MountedAnswer:
    """An answer with its skills in it.

    Attributes:
        code: The source.
        used: Digests of the skills that were imported.
    """

    code: str
    used: tuple[str, ...] = ()


def module_of(skill: Skill) -> str:
    """The skill's module, as an answer imports it."""
    return f"{PACKAGE}.{skill.name.replace('-', '_')}"


def import_line(skill: Skill) -> str:
    """The line by which an answer takes the skill."""
    return f"from {module_of(skill)} import {skill.entry}"


def skill_files(skills: Sequence[Skill]) -> dict[str, bytes]:
    """The skills as files for a session, importable there by the same line; each checks its calls against its contract.

    An answer has no such check (:func:`mount`): it is verified as a whole, and what it is good for is drawn anew.
    """
    contract = Path(contract_file).read_bytes()
    files = {f"{PACKAGE}/__init__.py": b"", f"{PACKAGE}/_contract.py": contract} if skills else {}
    for skill in skills:
        name = skill.name.replace("-", "_")
        # Calls of its own function by itself are not checked: it may take there what nobody gives it.
        files[f"{PACKAGE}/_{name}.py"] = skill.code.encode()
        needs, names = [dict(need) for need in skill.contract], names_of(skill.signature)
        imports = f"from {PACKAGE}._{name} import *\nfrom {PACKAGE}._contract import guarded as _guarded\n"
        guard = f"{imports}{skill.entry} = _guarded({skill.entry}, {needs!r}, {names!r})\n"
        files[f"{PACKAGE}/{name}.py"] = guard.encode()
    return files


def mount(code: str, skills: Sequence[Skill]) -> MountedAnswer:
    """Replaces imports of skills by their source. Code that is no Python is left as it is."""
    known = {module_of(skill): skill for skill in skills}
    try:
        tree = ast.parse(code)
    # What parsing raises on code that is nested too deep, besides its own error.
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return MountedAnswer(code=code)
    wanted = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module in known]
    if not wanted:
        return MountedAnswer(code=code)
    lines = code.splitlines()
    taken = _defined_names([node for node in tree.body if node not in wanted])
    parts: list[str] = []
    used: dict[str, None] = {}
    for node in wanted:
        skill = known[str(node.module)]
        for place in range(node.lineno - 1, node.end_lineno or node.lineno):
            # Emptied and not removed: the lines of what follows stay those of the tree.
            lines[place] = ""
        if skill.digest not in used:
            parts.append(_inlined_source(skill, taken))
            # The next skill may define the same names.
            taken |= _defined_names(ast.parse(skill.code).body)
        parts += [f"{alias.asname} = {alias.name}" for alias in node.names if alias.asname]
        used[skill.digest] = None
    # Imports from __future__ are valid only at the start of a file.
    head = [lines.pop(0) for _ in range(_future_lines(tree)) if lines]
    rest = "\n".join(lines).strip("\n")
    text = "\n".join(part for part in ["\n".join(head).strip("\n"), *parts, "\n" + rest] if part.strip())
    return MountedAnswer(code=text + "\n", used=tuple(used))


def imported(code: str, skills: Sequence[Skill]) -> MountedAnswer:
    """The code as it is, and which skills its Python imports, wherever it does so. What is no Python imports none."""
    known = {module_of(skill): skill.digest for skill in skills}
    nodes = [node for block in blocks_of(code) if block.kind == "python" for node in _nodes(block.text)]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return MountedAnswer(code=code, used=tuple(dict.fromkeys(known[name] for name in names if name in known)))


def _nodes(source: str) -> list[ast.AST]:
    try:
        return list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _inlined_source(skill: Skill, taken: set[str]) -> str:
    """The skill's source; inside a function of its own where its names are taken already."""
    body = [node for node in ast.parse(skill.code).body if not _is_future(node)]
    if not (_defined_names(body) & taken):
        return ast.unparse(ast.Module(body=body, type_ignores=[]))
    factory = f"_make_{skill.entry}"
    inner = "\n".join(f"    {line}" for line in ast.unparse(ast.Module(body=body, type_ignores=[])).splitlines())
    return f"def {factory}():\n{inner}\n    return {skill.entry}\n{skill.entry} = {factory}()"


def _defined_names(body: Sequence[ast.stmt]) -> set[str]:
    """Names that these statements define at the top level, imports of modules apart."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return names


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _future_lines(tree: ast.Module) -> int:
    return max((node.end_lineno or 0 for node in tree.body if _is_future(node)), default=0)

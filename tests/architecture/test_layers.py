"""Imports point down, and the libraries that cost most stay behind one door each."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from importlib.metadata import packages_distributions

import pytest

from tests.architecture.public_api import handed_on
from tests.architecture.source import PACKAGE, ROOT, Module, called_name, module_names, modules

# Top to bottom. A module imports only from rows below its own.
LAYERS = (
    ("", "__main__"),
    ("cli",),
    ("workspace",),
    ("improve",),
    ("trials",),
    ("agent",),
    ("policies",),
    ("environments",),
    ("memory", "skills"),
    ("tasks",),
    ("runtime",),
    ("core",),
)
ABOVE_ALL = "testing"

# The same within packages. "*" stands for what is not named; those of its row may import one another.
INNER = {
    "": LAYERS,
    "cli": (("chat", "serve"), ("*", "lab", "render")),
    "workspace": (
        ("facade",),
        ("opened_resources",),
        ("loops",),
        ("fill",),
        ("runs",),
        ("services",),
        ("health",),
        ("resources",),
        ("*",),
    ),
    "improve": (("*",), ("optimizer",)),
    "trials": (("*",), ("gate", "diagnosis")),
    "agent": (("*", "stages"), ("workflow",)),
    "policies": (("language", "search"), ("*",)),
    "policies.search": (("*",), ("programs",)),
    "environments": (("words",), ("programs", "files"), ("*",)),
    "memory": (("*", "notes", "preferences"), ("index",)),
    "skills": (("export",), ("*", "lint")),
    "tasks": (("*", "reading", "verification", "suites"), ("tables",)),
    "runtime": (("folder_tree",), ("functions", "models", "sandbox"), ("retrieval",)),
    "core": (
        ("schema",),
        ("schema_changes",),
        ("store", "text_screen", "equality"),
        ("episodes", "prompts", "settings", "events", "cancellation"),
        ("ledger", "paths", "redaction", "extensions"),
        ("files", "frontmatter", "svg", "text_files"),
        ("progress", "failpoints", "reasons"),
        ("errors", "lazy"),
    ),
}

HEAVY = (
    *("chromadb", "genai_prices", "gepa", "gymnasium", "langgraph", "mcp", "minigrid", "networkx", "openai"),
    *("openpyxl", "py4j", "scienceworld", "sentence_transformers", "textworld", "torch"),
)


def test_every_part_of_the_package_has_its_layer() -> None:
    known = {package: {name for row in rows for name in row} for package, rows in INNER.items()}
    children: dict[str, set[str]] = defaultdict(set)
    for module in modules():
        parts = module.name.split(".")[1:] or [""]
        for place, part in enumerate(parts):
            children[".".join(parts[:place])].add(part)
    for package, names in known.items():
        assert names - {"*"} <= children[package], package
        assert "*" in names or children[package] <= names | {ABOVE_ALL}, package


def test_imports_point_down() -> None:
    """Between packages and within them, types included."""
    wrong = [
        f"{module.place}:{found.line} imports {found.target}"
        for module in modules()
        for found in module.needs()
        if not allowed(module, found.target)
    ]
    assert wrong == []


def test_evolve_knows_no_package_beside_it() -> None:
    """One line says what to install where a name of one is asked for; a knob's sentence stands in prompts on record."""
    beside = [path.name for path in (ROOT / "packages").glob("*/src/*")]
    told = {"evolve/core/extensions.py", "evolve/agent/workflow/knobs.py"}
    named = re.compile("|".join([*beside, r"\bworlds?\b"]), re.IGNORECASE)
    found = [
        f"{module.place}:{number}: {line.strip()}"
        for module in modules()
        if module.place not in told
        for number, line in enumerate(module.text.splitlines(), 1)
        if named.search(line)
    ]
    assert beside and found == []


def allowed(module: Module, target: str) -> bool:
    if target != "evolve" and not target.startswith("evolve."):
        return True
    if module.part == ABOVE_ALL:
        return True
    if target == "evolve":  # the facade's version and names are for faces only
        return module.part in ("", "__main__", "cli")
    return target.split(".")[1] != ABOVE_ALL and is_below(target, module)


def is_below(target: str, module: Module) -> bool:
    """Whether a module stands lower than another, in the first package in which both part ways."""
    ours, theirs = module.name.split(".")[1:], target.split(".")[1:]
    shared = 0
    while shared < min(len(ours), len(theirs)) and ours[shared] == theirs[shared]:
        shared += 1
    rows = INNER.get(".".join(ours[:shared]))
    if rows is None or (shared == len(ours) and module.path.name == "__init__.py"):
        return True  # a door hands on what is in its package
    above, below = (row_of([*parts, "*"][shared], rows) for parts in (ours, theirs))
    return above < below or (above == below and "*" in rows[above])


def row_of(part: str, rows: tuple[tuple[str, ...], ...]) -> int:
    """The number of the row in which a part stands; without one of its own, that of the others."""
    wanted = part if any(part in row for row in rows) else "*"
    return next((number for number, row in enumerate(rows) if wanted in row), 0)


FACE = ("evolve", "evolve.workspace", "evolve.core.errors")
"""All that a face may know beside itself: what it can do, a program can do by the same calls."""
SERVER = "evolve.cli.serve"
"""A face of its own: what answers programs needs nothing of what words things for a person, but where it is started."""


def test_a_face_imports_nothing_below_the_door_of_the_workspace() -> None:
    wrong = [
        f"{module.place}:{found.line} imports {found.target}"
        for module in modules()
        if module.part == "cli"
        for found in module.needs()
        if found.target.split(".")[0] == "evolve" and found.target not in FACE
        if not f"{found.target}.".startswith(f"{SERVER}." if module.name.startswith(f"{SERVER}.") else "evolve.cli.")
    ]
    assert wrong == []


def test_a_face_does_not_reach_around_the_workspace() -> None:
    """Neither into its record, nor into packages that an imported one gives by its attributes."""
    inside = {name.split(".")[1] for name in module_names() if name.count(".")} - {"workspace", "cli"}
    wrong = [
        f"{module.place}:{node.lineno}: {ast.unparse(node)}"
        for module in modules()
        if module.part == "cli"
        for node in module.nodes
        if isinstance(node, ast.Attribute)
        if node.attr == "stores" or (node.attr in inside and ast.unparse(node.value) == "evolve")
    ]
    assert wrong == []


def test_the_kinds_of_policy_do_not_know_each_other() -> None:
    kinds = {
        ".".join(module.name.split(".")[:3])
        for module in modules()
        if module.part == "policies" and len(module.name.split(".")) > 3
    }
    wrong = [
        f"{module.place}:{found.line}"
        for module in modules()
        for found in module.imports()
        for kind in kinds
        if module.name.startswith(f"{kind}.") and any(found.target.startswith(other) for other in kinds - {kind})
    ]
    assert wrong == []


def test_what_is_private_to_a_policy_is_read_by_policies_alone() -> None:
    """Elsewhere it is only carried, as a field's value among others."""
    wrong = [
        f"{module.place}:{node.lineno}"
        for module in modules()
        if module.part not in ("policies", ABOVE_ALL) and not module.name.startswith("evolve.core.episodes")
        if any(found.target.startswith("evolve.core.episodes") for found in module.imports())
        for node in module.nodes
        if isinstance(node, ast.Attribute) and node.attr == "private" and not _is_carried(module, node)
    ]
    assert wrong == []


def _is_carried(module: Module, node: ast.Attribute) -> bool:
    """Whether an attribute is only handed on: ``private=something.private``."""
    calls = (one for one in module.nodes if isinstance(one, ast.keyword))
    return any(one.arg == "private" and one.value is node for one in calls)


def test_suites_do_not_know_who_will_solve_them() -> None:
    banned = ("evolve.policies.search.programs", "evolve.policies", "evolve.agent")
    wrong = [
        f"{module.place}:{found.line} imports {found.target}"
        for module in modules()
        if module.part == "tasks"
        for found in module.imports()
        if found.target.startswith(banned)
    ]
    assert wrong == []


def test_a_door_offers_what_type_checkers_read_of_it() -> None:
    for door in modules():
        if handed := handed_on(door):
            loaded = importlib.import_module(door.name)
            assert set(handed) <= set(dir(loaded)) == set(loaded.__all__), door.place
            assert not [name for name in handed if f"{door.name}.{name}" in module_names()], door.place


def test_no_import_cycles() -> None:
    graph: dict[str, set[str]] = defaultdict(set)
    for module in modules():
        targets = {found.target for found in module.imports() if found.at_module_level}
        # A package's door is loaded before its modules, but importing from within is not a use of the door.
        graph[module.name] = {name for name in targets if name in module_names() and name != module.name}
    remaining = dict(graph)
    while leaves := [name for name, targets in remaining.items() if not targets & remaining.keys()]:
        for name in leaves:
            del remaining[name]
    assert sorted(remaining) == []


def test_no_file_needs_one_that_needs_it() -> None:
    """Types included, and imports inside of functions; a door only hands names on."""
    known = module_names()
    graph = {
        module.name: {found.target for found in module.needs()} & known - {module.name}
        for module in modules()
        if module.path.name != "__init__.py"
    }
    while leaves := [name for name, targets in graph.items() if not targets & graph.keys()]:
        for name in leaves:
            del graph[name]
    assert sorted(graph) == []


@pytest.mark.parametrize("library", ["chromadb", "genai_prices", "gepa", "openai"])
def test_one_file_knows_the_library(library: str) -> None:
    assert len(files_importing(library)) <= 1


def test_langgraph_stays_under_agent() -> None:
    assert [place for place in files_importing("langgraph") if not place.startswith("evolve/agent/")] == []


def files_importing(library: str) -> list[str]:
    return sorted(
        {
            module.place
            for module in modules()
            for found in module.imports()
            if found.target.split(".")[0].removesuffix("_checkpoint") == library
        }
    )


def test_every_library_that_is_imported_is_declared() -> None:
    providers = packages_distributions()
    wrong = [
        f"{module.place}:{line} imports {name}, of {' or '.join(made_by)}"
        for module in modules()
        for name, line in libraries_of(module)
        # Where it is not installed, as an extra need not be, it is named like its distribution.
        if not declared().intersection(map(normal, made_by := providers.get(name, [name])))
    ]
    assert wrong == []


def libraries_of(module: Module) -> list[tuple[str, int]]:
    """Top-level names of other people's modules that a module loads, with the line."""
    written = [(found.target, found.line) for found in module.imports()]
    written += [
        (str(node.args[0].value), node.lineno)
        for node in module.nodes
        if isinstance(node, ast.Call)
        and called_name(node) in ("importlib.import_module", "import_module")
        and isinstance(node.args[0], ast.Constant)
    ]
    return [
        (top, line) for name, line in written if (top := name.split(".")[0]) not in sys.stdlib_module_names | {"evolve"}
    ]


def declared() -> set[str]:
    """Distributions that users are told to install: dependencies and extras, but for those of development."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *(line for name in sorted(extras.keys() - {"dev"}) for line in extras[name])]
    return {normal(re.split(r"[^\w.-]", line)[0]) for line in lines}


def normal(name: str) -> str:
    """A distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def loaded_by(*names: str) -> set[str]:
    """Top-level libraries in memory after importing the named modules in a fresh process."""
    script = f"import sys, {', '.join(names)}; print(*{{name.split('.')[0] for name in sys.modules}})"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return set(result.stdout.split())


def test_opening_every_door_loads_nothing_heavy() -> None:
    doors = [module.name for module in modules() if module.path.name == "__init__.py"]
    assert loaded_by(*doors) & set(HEAVY) == set()


def test_help_is_not_paid_for_with_arrays_and_validators() -> None:
    names = [name for name in ("evolve", "evolve.cli") if importlib.util.find_spec(name)]
    assert loaded_by(*names) & {*HEAVY, "numpy", "pydantic"} == set()


def test_looking_at_a_workspace_is_not_paid_for_with_arrays(tmp_path) -> None:
    look = f"with evolve.open({str(tmp_path / 'ws')!r}) as workspace: print(workspace.memory.list())"
    code = f"import sys, evolve\n{look}\nprint([name for name in {(*HEAVY, 'numpy')!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["[]", "[]"], done.stderr


def test_modules_do_no_work_when_imported() -> None:
    wrong = [
        f"{module.place}:{node.lineno}: {ast.unparse(node).splitlines()[0]}"
        for module in modules()
        for node in module.tree.body
        if not is_declaration(node)
    ]
    assert wrong == []


def is_declaration(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        condition = ast.unparse(node.test)
        return condition.startswith(("TYPE_CHECKING", "__name__ ==", "sys.platform", "sys.version_info"))
    return not isinstance(node, ast.For | ast.While | ast.With | ast.Delete | ast.Assert)


MUTATORS = frozenset(
    {
        *("add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem", "popleft"),
        *("remove", "setdefault", "sort", "update"),
    }
)


def test_modules_keep_no_state() -> None:
    """No ``global``, and no function changes a table that its module defines."""
    wrong = []
    for module in modules():
        tables = {name for node in module.tree.body for name in assigned(node)}
        for function in module.functions():
            nodes = list(ast.walk(function))
            local = {node.id for node in nodes if isinstance(node, ast.Name) and is_stored(node)}
            local |= {argument.arg for argument in nodes if isinstance(argument, ast.arg)}
            for node in nodes:
                if isinstance(node, ast.Global) or changed_name(node) in tables - local - {""}:
                    wrong.append(f"{module.place}:{node.lineno}: {ast.unparse(node)}")
    assert wrong == []


def assigned(node: ast.stmt) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def changed_name(node: ast.AST) -> str:
    """Name of the table that a statement or call changes in place, or ""."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        return node.value.id if isinstance(node.value, ast.Name) else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
        return node.func.value.id if isinstance(node.func.value, ast.Name) else ""
    return ""


def test_the_package_is_found_where_the_tests_look() -> None:
    assert (PACKAGE / "core" / "errors.py").is_file()
    assert len(modules()) > 20


def test_acceptance_knows_nothing_of_wishes() -> None:
    """What people say can be a target to search for; what is accepted is counted in verified solves."""
    wrong = [
        f"{module.place}:{found.line} imports {found.target}"
        for module in modules()
        if module.name.startswith(("evolve.trials.gate", "evolve.improve"))
        for found in module.imports()
        if found.target.startswith("evolve.memory.preferences")
    ]
    assert wrong == []

"""Sizes and names that keep the code readable."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

from tests.architecture.public_api import is_door_itself, names
from tests.architecture.source import ROOT, FunctionNode, Module, every_module

FILE_LINES = 400
FUNCTION_LINES = 50
PARAMETERS = 6

EMPTY_NAMES = re.compile(r"(utils?|helpers?|common|misc|.*manager|.*_v\d+)\Z")
LEFTOVERS = re.compile(r"\b(TODO|FIXME|XXX|HACK|NotImplementedError)\b")
MACHINE_PATHS = re.compile(r"/(work|root|home/[a-z]+)/|/tmp/[a-z]+/")


def test_every_module_is_linted_and_formatted() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--show-files", "evolve"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    looked_at = {Path(line).resolve() for line in shown.stdout.splitlines()}
    assert [
        m.place for m in every_module() if m.place.startswith("evolve/") and m.path.resolve() not in looked_at
    ] == []


def test_files_are_short() -> None:
    assert [m.place for m in every_module() if m.text.count("\n") > FILE_LINES] == []


def test_functions_are_short() -> None:
    assert [
        f"{module.place}:{node.lineno} {node.name}: {lines(node)}"
        for module in every_module()
        for node in module.functions()
        if lines(node) > FUNCTION_LINES
    ] == []


def lines(node: FunctionNode) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def test_functions_take_few_parameters() -> None:
    assert [
        f"{module.place}:{node.lineno} {node.name}: {parameters(node)}"
        for module in every_module()
        for node in module.functions()
        if parameters(node) > PARAMETERS and not is_command(module, node)
    ] == []


def parameters(node: FunctionNode) -> int:
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return sum(argument.arg not in ("self", "cls") for argument in named)


def is_command(module: Module, node: FunctionNode) -> bool:
    """Options of a command are its parameters: the library that parses them reads the signature."""
    return module.part in ("cli", "commands") and any(
        isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith((".page", ".callback"))
        for mark in node.decorator_list
    )


def test_names_say_something() -> None:
    folders = {module.path.parent for module in every_module()}
    paths = [*(module.path for module in every_module()), *folders]
    assert [path.name for path in paths if EMPTY_NAMES.match(path.stem)] == []


def test_nothing_is_left_for_later() -> None:
    assert places(LEFTOVERS) == []


def test_no_paths_of_one_machine() -> None:
    assert places(MACHINE_PATHS) == []


def places(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{module.place}:{number}: {line.strip()}"
        for module in every_module()
        for number, line in enumerate(module.text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_errors_are_caught_by_name() -> None:
    """Catching everything is right around code under test, around a person's own functions, at a command's end, and in
    what leaves with a bundle, where no argument may end the run of whoever calls."""
    found = [
        f"{module.place}:{handler.lineno}"
        for module in every_module()
        if module.part != "testing"  # its sandbox without walls plays the real one's part
        for handler in module.nodes
        if isinstance(handler, ast.ExceptHandler) and is_broad(handler)
    ]
    inside_sandbox = [place for place in found if place.startswith("evolve/runtime/sandbox/")]
    commands = [place for place in found if place.startswith("evolve/cli/")]
    functions = [place for place in found if place.startswith("evolve/runtime/functions/python_functions.py")]
    leaving = [place for place in found if place.startswith("evolve/skills/export/carried/_calls.py")]
    assert [place for place in found if place not in [*inside_sandbox, *commands, *functions, *leaving]] == []
    assert len({place.split(":")[0] for place in inside_sandbox}) <= 1
    assert len(commands) <= 1 and len(functions) <= 1


def is_broad(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(ast.unparse(kind) in ("Exception", "BaseException") for kind in kinds)


def test_a_person_is_asked_in_one_way() -> None:
    """A prompt elsewhere would be drawn over by the line that shows what goes on."""
    asks = [m.place for m in every_module() if re.search(r"\btyper\.(prompt|confirm)\(", m.text)]
    assert asks == ["evolve/cli/asking.py"]


def test_what_doors_offer_is_explained() -> None:
    by_name = {module.name: module for module in every_module()}
    missing = []
    for name, module in by_name.items():
        offered = set(names(module)) if module.path.name == "__init__.py" or is_door_itself(module) else set()
        inside = [module, *(other for key, other in by_name.items() if key.startswith(f"{name}."))]
        for node in (node for other in inside for node in other.tree.body):
            if isinstance(node, FunctionNode | ast.ClassDef) and node.name in offered and not ast.get_docstring(node):
                missing.append(f"{name}.{node.name}")
    assert missing == []


def test_every_file_says_what_it_is_for() -> None:
    assert [
        module.place for module in every_module() if module.text.strip() and not ast.get_docstring(module.tree)
    ] == []


def test_tests_assert_something() -> None:
    wrong = []
    for path in sorted([*(ROOT / "tests").rglob("test_*.py"), *ROOT.glob("packages/*/tests/**/test_*.py")]):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test") and not asserts(node):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert wrong == []


def asserts(node: ast.FunctionDef) -> bool:
    if any(isinstance(one, ast.Assert) for one in ast.walk(node)):
        return True
    return re.search(r"\braises\(|\bcheck_|\bexpect_|\bassert_", ast.unparse(node)) is not None

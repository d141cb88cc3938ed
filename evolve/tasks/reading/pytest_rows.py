"""Assertions as tasks: every ``assert f(x) == y`` is a row of the task for ``f``.

The file is parsed, never run.
"""

from __future__ import annotations

import ast

from evolve.core.episodes import Json, Row
from evolve.tasks.reading.assemble import PlacedRow, RawTask, name_meta
from evolve.tasks.reading.limits import FilePosition, check_value

_NOT_A_ROW = "not of the form `assert f(values) == value`, so it was left out"


def tasks_from_asserts(text: str, *, file: str, name: str) -> list[RawTask]:
    """One task for each function that the assertions call; none where there is no such assertion.

    Understood are ``assert f(x) == y``, ``assert y == f(x)``, ``assert f(x) is True`` (False,
    None) and ``== pytest.approx(y)``; other assertions become warnings. Tuples count as lists.

    Args:
        text: The source; it is only parsed.
        file: Name for messages.
        name: Id of the task; with several functions the ids are ``name.function``.

    Raises:
        TaskError: When the file is not Python, or uses values that are not JSON.
    """
    tree = _parse(text, file)
    rows: dict[str, list[PlacedRow]] = {}
    warnings: list[str] = []
    asserts = sorted((node for node in ast.walk(tree) if isinstance(node, ast.Assert)), key=lambda node: node.lineno)
    for node in asserts:
        place = FilePosition(file=file, line=node.lineno)
        parts = _call_and_result(node.test)
        if parts is None:
            warnings.append(f"line {node.lineno}: {_NOT_A_ROW}")
            continue
        called, call, result = parts
        rows.setdefault(called, []).append(PlacedRow(row=_row(call, result, place), place=place))
    instruction = (ast.get_docstring(tree) or "").strip()
    return [
        RawTask(
            id=name if len(rows) == 1 else f"{name}.{called}",
            place=FilePosition(file=file, line=placed[0].place.line),
            examples=placed,
            instruction=instruction,
            meta=name_meta(called),
            warnings=tuple(warnings) if number == 0 else (),
        )
        for number, (called, placed) in enumerate(rows.items())
    ]


def _parse(text: str, file: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise FilePosition(file=file, line=error.lineno).error(f"not Python: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise FilePosition(file=file).error("not Python that can be read: nested too deeply or not text") from error


def _call_and_result(test: ast.expr) -> tuple[str, ast.Call, ast.expr] | None:
    """The function's name, its call and the expected value, or None for another assertion."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    left, right = test.left, test.comparators[0]
    if isinstance(test.ops[0], ast.Is):
        if not (isinstance(right, ast.Constant) and (right.value is None or isinstance(right.value, bool))):
            return None
    elif not isinstance(test.ops[0], ast.Eq):
        return None
    if not _is_call(left):
        left, right = right, left
    if not isinstance(left, ast.Call) or not _is_call(left):
        return None
    name = left.func.id if isinstance(left.func, ast.Name) else left.func.attr  # type: ignore[attr-defined]
    return name, left, right


def _is_call(node: ast.expr) -> bool:
    """Whether this is ``f(...)`` or ``module.f(...)`` of something that is not ``approx``."""
    if not isinstance(node, ast.Call) or _is_approx(node):
        return False
    return isinstance(node.func, ast.Name) or (
        isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
    )


def _is_approx(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or not node.args:
        return False
    func = node.func
    return (isinstance(func, ast.Name) and func.id == "approx") or (
        isinstance(func, ast.Attribute) and func.attr == "approx"
    )


def _row(call: ast.Call, result: ast.expr, place: FilePosition) -> Row:
    if call.keywords or any(isinstance(argument, ast.Starred) for argument in call.args):
        raise place.error("arguments must be positional values")
    if _is_approx(result) and isinstance(result, ast.Call):
        result = result.args[0]
    arguments = [_value(node, place.field_position(f"input[{position}]")) for position, node in enumerate(call.args)]
    return Row(input=tuple(arguments), output=_value(result, place.field_position("output")))


def _value(node: ast.expr, place: FilePosition) -> Json:
    try:
        value = _as_json(ast.literal_eval(node), place)
    except (ValueError, TypeError, SyntaxError) as error:
        raise place.error("not a literal value") from error
    except (RecursionError, MemoryError) as error:
        raise place.error("nested too deeply") from error
    check_value(value, place)
    return value


def _as_json(value: object, place: FilePosition) -> Json:
    if isinstance(value, list | tuple):
        return [_as_json(item, place) for item in value]
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise place.error("dictionary keys must be text")
        return {key: _as_json(item, place) for key, item in value.items()}
    return value

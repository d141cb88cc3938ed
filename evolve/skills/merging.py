"""One skill with a parameter out of two that differ in constants."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from evolve.core.episodes import Json, Row
from evolve.runtime.sandbox import Program
from evolve.skills.equivalence import ConstantDifference, Path, ProgramMatch, behaviour_tree, source_scalars
from evolve.skills.signatures import extend_signature, names_of, signature_shape, types_of
from evolve.skills.skill import Skill, render_tests

_MOST_CASES = 8
_TYPES: dict[type, tuple[str, str]] = {
    bool: ("bool", "flag"),
    int: ("int", "number"),
    float: ("float", "amount"),
    str: ("str", "text"),
}
"""Type and name of a parameter, by what its values are."""
_MARK = "-by-"
"""Stands in a name before the parameters that tell the cases apart."""


def merge_skills(like: ProgramMatch, other: Skill) -> Skill:
    """The skill of which both are cases: the known one with a parameter for each difference, and the rows of both.

    Where a constant stands outside of the entry, all of the program moves into it.
    """
    known = like.known
    tree = behaviour_tree(known.code)
    names = _parameter_names(tree, known, like.differences)
    for difference, name in zip(like.differences, names, strict=True):
        for path in difference.places:
            _put(tree, path, name)
    takes = [*names_of(known.signature), *names]
    if _within_entry(tree, known.entry, like):
        entries = (one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == known.entry)
        next(entries).args.args += [ast.arg(arg=name) for name in names]
    else:
        _wrap(tree, known.entry, takes)
    further = list(zip(names, (_type(each) for each in like.differences), strict=True))
    entry, code = known.entry, ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    rows = (
        *as_case(known.rows, [each.ours for each in like.differences]),
        *as_case(other.rows, case_of(like)),
    )
    base, _, before = known.name.partition(_MARK)
    suffix = _MARK + "-".join([*filter(None, [before]), *(name.replace("_", "-").strip("-") for name in names)])
    does = known.description.split(" Its cases differ in ", maxsplit=1)[0]
    return replace(
        known,
        name=base[: 60 - len(suffix)].rstrip("-") + suffix if len(suffix) < 40 else known.name,
        description=f"{does} Its cases differ in {' and '.join(names_of(extend_signature('() -> x', further)))}.",
        signature=extend_signature(known.signature, further),
        code=code,
        rows=rows,
        test_code=render_tests(entry, rows),
        status="draft",
        tasks=(),
        source=", ".join(dict.fromkeys(filter(None, [known.source, other.source]))),
    )


def case_of(like: ProgramMatch) -> tuple[Json, ...]:
    """What the parameters of :func:`merge_skills`, or of the known skill itself, are in the other program's case."""
    return (*like.given, *(each.theirs for each in like.differences))


def as_case(rows: Iterable[Row], values: Sequence[Json]) -> tuple[Row, ...]:
    """The rows with further arguments."""
    return tuple(Row(input=(*row.input, *values), output=row.output) for row in rows)


def _parameter_values(general: Skill, other: Skill) -> Iterator[tuple[Json, ...]]:
    """Values of the parameters that ``general`` takes and ``other`` does not, as the other's constants suggest them.

    One () where both take the same; none where the one cannot stand for the other.
    """
    (wide, result), (narrow, also) = types_of(general.signature), types_of(other.signature)
    if result != also or wide[: len(narrow)] != narrow:
        return
    found: list[tuple[Json, ...]] = [()]
    for kind in wide[len(narrow) :]:
        fitting = [value for value in source_scalars(other.code) if _TYPES[type(value)][0] == kind]
        # Sizes are often written as ends, as in ``text[-6:]``.
        fitting += [-value for value in fitting if kind in ("int", "float") and -value not in fitting]
        found = [(*values, value) for values in found for value in fitting][:_MOST_CASES]
    yield from found


def case_program(skill: Skill, values: Sequence[Json]) -> Program:
    """The skill with its last arguments given."""
    if not values:
        return Program(source=skill.code, entry=skill.entry)
    given = ", ".join(map(repr, values))
    source = f"{skill.code}\n\ndef case_of_it(*first):\n    return {skill.entry}(*first, {given})\n"
    return Program(source=source, entry="case_of_it")


def _type(difference: ConstantDifference) -> str:
    kinds = {type(difference.ours), type(difference.theirs)}
    return "float" if kinds == {int, float} else _TYPES[type(difference.ours)][0]


def _parameter_names(tree: ast.Module, known: Skill, differences: Sequence[ConstantDifference]) -> list[str]:
    """A name for each difference that nothing in the program has, after what the constant was called there."""
    nodes = list(ast.walk(tree))
    taken = {node.id for node in nodes if isinstance(node, ast.Name)} | set(names_of(known.signature))
    taken |= {name for node in nodes for name in (getattr(node, "arg", None), getattr(node, "name", None)) if name}
    names: list[str] = []
    for difference in differences:
        wanted = (
            _called(tree, difference.places[0])
            or _TYPES[float if _type(difference) == "float" else type(difference.ours)][1]
        )
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}_{number}", number + 1
        taken.add(name)
        names.append(name)
    return names


def _called(tree: ast.Module, path: Path) -> str:
    """What the program calls a constant: the name that it is given to, or that it is given by."""
    around = _at(tree, path[:-1])
    match around:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.keyword(arg=str(name)):
            return name.lower().strip("_")
    return ""


def _at(node: ast.AST, path: Path) -> ast.AST:
    for field, place in path:
        value = getattr(node, field)
        node = value if place is None else value[place]
    return node


def _put(tree: ast.Module, path: Path, name: str) -> None:
    around, (field, place) = _at(tree, path[:-1]), path[-1]
    value: ast.expr = ast.Name(id=name, ctx=ast.Load())
    if isinstance(around, ast.JoinedStr):
        value = ast.FormattedValue(value=value, conversion=-1)
    if place is None:
        setattr(around, field, value)
    else:
        getattr(around, field)[place] = value


def _within_entry(tree: ast.Module, entry: str, like: ProgramMatch) -> bool:
    """Whether all differences stand in the body of the entry, which does not call itself."""
    calls_itself = any(isinstance(node, ast.Name) and node.id == entry for node in ast.walk(tree))
    starts = [path[:2] for difference in like.differences for path in difference.places]
    return not calls_itself and all(
        len(start) == 2 and start[1][0] == "body" and getattr(_at(tree, start[:1]), "name", "") == entry
        for start in starts
    )


def _wrap(tree: ast.Module, entry: str, takes: Sequence[str]) -> None:
    """Moves all but the imports into a new entry, and calls the old one there under another name."""
    inner = f"{entry}_of_case"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            count, node.name = len(node.args.args), inner
        elif isinstance(node, ast.Name) and node.id == entry:
            node.id = inner
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    rest = [node for node in tree.body if node not in imports]
    call = ast.Call(
        func=ast.Name(id=inner, ctx=ast.Load()),
        args=[ast.Name(id=name, ctx=ast.Load()) for name in takes[:count]],
        keywords=[],
    )
    function = ast.parse(f"def {entry}({', '.join(takes)}): ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = [*rest, ast.Return(value=call)]
    tree.body = [*imports, function]


def as_cases(general: Skill, other: Skill) -> list[tuple[Json, ...]]:
    """Arguments with which one skill may be another; only () where the host knows what either is made of."""
    if general.tree is None and other.tree is None:
        return list(_parameter_values(general, other))
    return [()] if signature_shape(general.signature) == signature_shape(other.signature) else []


def case_text(skill: Skill, values: Sequence[Json]) -> str:
    """A skill with its last arguments, in words."""
    names = names_of(skill.signature)[-len(values) :] if values else ()
    given = ", ".join(f"{name} = {value!r}" for name, value in zip(names, values, strict=True))
    return f"{skill.name} with {given}" if given else skill.name

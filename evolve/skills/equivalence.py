"""What two programs share: whether they are one program, or one up to a few of their constants.

Least general generalisation (Plotkin 1970) of syntax trees, in which only a number, a text or a truth value may differ.
Names that a program gives itself, docstrings, annotations and layout are no difference.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from evolve.core.episodes import Json
from evolve.skills.signatures import types_of
from evolve.skills.skill import Skill

MOST_DIFFERENCES = 3
"""Constants in which two programs may differ and still be cases of one; those of more are two tables."""

Path = tuple[tuple[str, int | None], ...]
"""Fields, and places in their lists, that lead from the root of a tree to a node."""


@dataclass(frozen=True, kw_only=True)
class ConstantDifference:
    """Constants that differ, wherever the same two values stand against each other.

    Attributes:
        ours: The known skill's value.
        theirs: The other program's.
        places: Where in the known skill's plain tree.
    """

    ours: Json
    theirs: Json
    places: tuple[Path, ...]


@dataclass(frozen=True, kw_only=True)
class ProgramMatch:
    """How a program is like a known skill.

    Attributes:
        known: The skill.
        given: Values of the parameters that the skill takes and the program does not.
        differences: In what else they differ; () for a case of the skill.
    """

    known: Skill
    given: tuple[Json, ...] = ()
    differences: tuple[ConstantDifference, ...] = ()


def match_program(known: Skill, other: Skill) -> ProgramMatch | None:
    """How ``other`` is like a known skill; None where more than a few constants differ.

    The known skill may take more parameters than the other program, behind those of both.
    """
    (wide, result), (narrow, also) = types_of(known.signature), types_of(other.signature)
    if result != also or wide[: len(narrow)] != narrow:
        return None
    ours, theirs = behaviour_tree(known.code), behaviour_tree(other.code)
    further = _parameters(ours, known.entry)[len(narrow) :]
    if len(_parameters(ours, known.entry)) != len(wide) or len(_parameters(theirs, other.entry)) != len(narrow):
        return None
    work = _Comparison(frozenset(further))
    if not work.same(_renamed(ours, known.entry, further), _renamed(theirs, other.entry), ()):
        return None
    # A parameter that meets no constant of the other program cannot be given.
    if set(work.given) != set(further) or len(work.places) > MOST_DIFFERENCES:
        return None
    differences = tuple(
        ConstantDifference(ours=mine, theirs=yours, places=tuple(places))
        for (_, mine, _, yours), places in work.places.items()
    )
    return ProgramMatch(known=known, given=tuple(work.given[name] for name in further), differences=differences)


def closest_match(other: Skill, known: Iterable[Skill]) -> ProgramMatch | None:
    """The likeness to the known skill from which a program differs least, or None; trees are compared elsewhere."""
    if other.tree is not None:
        return None
    found = [match_program(skill, other) for skill in known if skill.tree is None and skill.digest != other.digest]
    likely = [each for each in found if each is not None]
    return min(likely, key=lambda each: len(each.differences), default=None)


def same_source(skill: Skill, other: Skill) -> bool:
    """Whether two skills are one program, up to names of its own, docstrings, annotations and layout."""
    one, two = (ast.dump(_renamed(behaviour_tree(each.code), each.entry)) for each in (skill, other))
    return one == two


def source_scalars(code: str) -> tuple[Json, ...]:
    """The numbers, texts and truth values in a source, each once."""
    values = [
        node.value
        for node in ast.walk(behaviour_tree(code))
        if isinstance(node, ast.Constant) and _is_scalar(node.value)
    ]
    return tuple({(type(value), value): value for value in values}.values())


def behaviour_tree(code: str) -> ast.Module:
    """The tree of a source without what is no behaviour: docstrings and annotations; negative numbers are constants."""
    tree: ast.Module = _Plain().visit(ast.parse(code))
    return tree


class _Plain(ast.NodeTransformer):
    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Module | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        return super().generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node  # annotations of fields are behaviour

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.copy_location(ast.arg(arg=node.arg), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None or not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        return self.generic_visit(ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)) if (
                type(value) is not bool
            ):
                return ast.copy_location(ast.Constant(value=-value), node)
        return self.generic_visit(node)


def _parameters(tree: ast.Module, entry: str) -> tuple[str, ...]:
    """Names of the entry's plain parameters; () where it takes others as well."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            takes = node.args
            odd = takes.posonlyargs or takes.kwonlyargs or takes.vararg or takes.kwarg or takes.defaults
            return () if odd else tuple(each.arg for each in takes.args)
    return ()


def _renamed(tree: ast.Module, entry: str, kept: Sequence[str] = ()) -> ast.Module:
    """A copy in which the entry and all names that the program gives itself are numbered in order of appearance."""
    tree = copy.deepcopy(tree)
    nodes = list(ast.walk(tree))
    # Names of methods and of arguments given by name also stand where no renaming finds them.
    fixed = {*kept, *(node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg)}
    if any(isinstance(node, ast.ClassDef) for node in nodes):
        fixed |= {name for node in nodes for name, _ in _given_names(node)}
    fixed.discard(entry)
    numbers: dict[str, str] = {entry: "entry"}
    for node in nodes:
        for name, _ in _given_names(node):
            if name not in fixed:
                numbers.setdefault(name, f"name {len(numbers)}")
    for node in nodes:
        if isinstance(node, ast.Name):
            node.id = numbers.get(node.id, node.id)
        elif isinstance(node, ast.Nonlocal):
            node.names = [numbers.get(name, name) for name in node.names]
        else:
            for name, field in _given_names(node):
                setattr(node, field, numbers.get(name, name))
    return tree


def _given_names(node: ast.AST) -> list[tuple[str, str]]:
    """Names that a node gives to something, each with the field that holds it."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            return [(name, "id")]
        case ast.arg(arg=name):
            return [(name, "arg")]
        case ast.FunctionDef(name=name):
            return [(name, "name")]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [(name, "name")]
        case ast.MatchMapping(rest=str(name)):
            return [(name, "rest")]
        case ast.alias(asname=str(name)):
            return [(name, "asname")]
    return []


class _Comparison:
    """Compares two trees whose names are numbered, and notes in which constants they differ."""

    def __init__(self, further: frozenset[str]) -> None:
        self._further = further
        self.given: dict[str, Json] = {}
        self.places: dict[tuple[type, Json, type, Json], list[Path]] = {}

    def same(self, ours: Any, theirs: Any, path: Path) -> bool:
        if isinstance(ours, ast.Name) and ours.id in self._further:
            if isinstance(theirs, ast.Constant) and _is_scalar(theirs.value):
                known = self.given.setdefault(ours.id, theirs.value)
                return type(known) is type(theirs.value) and known == theirs.value
            return False
        if isinstance(ours, ast.arguments) and isinstance(theirs, ast.arguments):
            twin = copy.copy(ours)
            twin.args = [each for each in ours.args if each.arg not in self._further]
            ours = twin
        # In a formatted text a parameter stands in braces and a constant does not.
        if isinstance(ours, ast.FormattedValue) and isinstance(theirs, ast.Constant):
            return ours.conversion == -1 and ours.format_spec is None and self.same(ours.value, theirs, path)
        if type(ours) is not type(theirs):
            return False
        if isinstance(ours, ast.Constant):
            return self._constants(ours.value, theirs.value, path)
        if isinstance(ours, ast.MatchValue | ast.MatchSingleton):  # a name there would catch everything
            return ast.dump(ours) == ast.dump(theirs)
        if not isinstance(ours, ast.AST):
            return bool(ours == theirs)
        return all(self._fields(getattr(ours, name), getattr(theirs, name), path, name) for name in ours._fields)

    def _fields(self, ours: Any, theirs: Any, path: Path, name: str) -> bool:
        if isinstance(ours, list) and isinstance(theirs, list):
            pairs = zip(ours, theirs, strict=False)
            return len(ours) == len(theirs) and all(
                self.same(one, two, (*path, (name, place))) for place, (one, two) in enumerate(pairs)
            )
        return self.same(ours, theirs, (*path, (name, None)))

    def _constants(self, ours: Json, theirs: Json, path: Path) -> bool:
        if type(ours) is type(theirs) and ours == theirs:
            return True
        numbers = {type(ours), type(theirs)} <= {int, float}
        if not (_is_scalar(ours) and _is_scalar(theirs) and (type(ours) is type(theirs) or numbers)):
            return False
        self.places.setdefault((type(ours), ours, type(theirs), theirs), []).append(path)
        return True


def _is_scalar(value: object) -> TypeGuard[bool | int | float | str]:
    return isinstance(value, bool | int | float | str)

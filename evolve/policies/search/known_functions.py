"""Learned skills as operations of the search.

A skill's tree is its meaning here; its code is what an answer prints. The tree is bound to
the skill by digest and was checked against the code in the sandbox when it was admitted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from evolve.core.episodes import Json
from evolve.policies.search.programs.antiunify import instantiate
from evolve.policies.search.programs.evaluation import compile_term
from evolve.policies.search.programs.operation import Operation
from evolve.policies.search.programs.render import support_of
from evolve.policies.search.programs.terms import (
    Apply,
    Constant,
    Input,
    Term,
    from_json,
    operations_in,
    to_json,
    type_from_json,
    type_to_json,
)
from evolve.policies.search.programs.types import Type

SKILL_COST = 4
"""Unlearned price of a learned operation: as common as an ordinary one."""


class TreeSkill(Protocol):
    """What the search needs of a skill."""

    @property
    def name(self) -> str: ...
    @property
    def entry(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def tree(self) -> Json: ...
    @property
    def source(self) -> str: ...
    @property
    def digest(self) -> str: ...


def tree_of(term: Term, inputs: Sequence[Type], output: Type) -> Json:
    """What a skill keeps beside its code: the term with the types it was found at."""
    return {"term": to_json(term), "inputs": [type_to_json(t) for t in inputs], "output": type_to_json(output)}


def skill_operation(skill: TreeSkill, operations: Mapping[str, Operation]) -> Operation | None:
    """The operation of a skill, or None where its tree uses operations that are gone.

    Args:
        skill: An admitted skill with a tree.
        operations: The vocabulary its tree is written in, earlier skills included.
    """
    try:
        term = from_json(skill.tree["term"])
        params = tuple(map(type_from_json, skill.tree["inputs"]))
        result = type_from_json(skill.tree["output"])
        function = compile_term(term, operations)
        support = support_of(term, operations)
        applications = sum(operations[name].applications for name in operations_in(term))
    except (KeyError, ValueError, TypeError):
        return None
    arguments = ", ".join(f"a{i}" for i in range(len(params)))
    return Operation(
        name=operation_name(skill.entry),
        params=params,
        result=result,
        function=lambda *args: function(args),
        template=f"{skill.entry}({arguments})",
        cost=SKILL_COST,
        support=(*support, _printed(skill.entry, skill.code)),
        noun="",
        meaning=term,
        applications=max(1, applications),
    )


def without_wrapper(term: Term, operations: Mapping[str, Operation]) -> Term:
    """A term that does nothing but call one learned skill, as what that skill does; any other as it is."""
    while isinstance(term, Apply) and all(isinstance(argument, Input | Constant) for argument in term.args):
        called = operations.get(term.operation)
        if called is None or called.meaning is None:
            break
        term = instantiate(called.meaning, dict(enumerate(term.args)))
    return term


def operation_name(entry: str) -> str:
    """The operation name of a skill's entry function."""
    return f"skill_{entry}"


def _printed(entry: str, code: str) -> Callable[..., Any]:
    """A stand-in that carries the source an answer prints for the skill."""

    def skill(*_: Any) -> Any:
        raise TypeError("a skill is evaluated through its tree")

    # The name and the source are all that an answer takes from it.
    skill.__name__ = entry
    skill.__skill_source__ = _definition_of(code, entry)  # type: ignore[attr-defined]
    return skill


def _definition_of(code: str, entry: str) -> str:
    """The source of one top-level function of a module, "" where there is none."""
    import ast

    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            return ast.get_source_segment(code, node) or ""
    return ""


def with_library(
    operations: Sequence[Operation], skills: Iterable[TreeSkill], *, lacking: Collection[str] = ()
) -> tuple[Operation, ...]:
    """The vocabulary with skills added, in order, but none of one operation; a skill may use earlier skills.

    A skill that is a single operation is there already, under the name that any table may read.

    Args:
        lacking: Causes of insights that are left out; a skill that uses what is not there cannot be made either.
    """
    # In order of admission: a skill may call only those that were there before it.
    known = {o.name: o for o in operations if f"operation:{o.name}" not in lacking}
    for skill in skills:
        if f"skill:{skill.digest}" in lacking:
            continue
        operation = skill_operation(skill, known)
        if operation is not None and operation.applications > 1:
            known[operation.name] = operation
    return tuple(known.values())

"""A task's observable features as a vector: the guide's input and the key of recall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import truth
from typing import Any

from evolve.policies.search import properties as props
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.operation import EVALUATION_ERRORS, holds
from evolve.policies.search.programs.types import BOOL, FLOAT, INT, STR, Type
from evolve.policies.search.properties import Property

KINDS = ("int", "float", "bool", "str", "list", "dict", "row", "list of list", "list of str", "list of row")


@dataclass(frozen=True)
class FeatureSpace:
    """The fixed order of features.

    Attributes:
        tables: Per kind of pair (input kind, output kind), its properties.
        names: One name per dimension.
    """

    tables: tuple[tuple[str, tuple[Property, ...]], ...]
    names: tuple[str, ...]


@lru_cache(maxsize=1)
def feature_space() -> FeatureSpace:
    """The space: kinds of types, then for each property whether it holds always and how often."""
    tables = (
        # The order counts: evidence rows and guides on disk hold vectors by position.
        ("list>list", props.list_to_list()),
        ("numbers>numbers", props.numbers_to_numbers()),
        ("list>scalar", props.list_to_scalar()),
        ("number>number", props.number_properties()),
        ("text>text", props.text_to_text()),
        ("text>value", props.text_to_value()),
    )
    names = [f"input: {k}" for k in KINDS] + [f"output: {k}" for k in KINDS]
    names += ["several inputs", "same output always", "outputs begin alike", "outputs end alike", "same length always"]
    for table, rows in tables:
        names += [f"{table}: {name} {how}" for name, _ in rows for how in ("always", "often")]
    return FeatureSpace(tables=tables, names=tuple(names))


def features_of(problem: SearchProblem, outputs: Sequence[Any] | None = None) -> tuple[float, ...]:
    """The feature vector of a problem, or of the problem with other outputs (a dream).

    Every component lies in [0, 1]; the length is ``len(feature_space().names)``.
    """
    space = feature_space()
    wanted = problem.outputs if outputs is None else outputs
    vector = [*_kinds(problem.input_types), *_kinds((problem.output_type,)), *_shape(problem, wanted)]
    for table, rows in space.tables:
        column = _column(table, problem)
        if column is None:
            vector += [0.0] * (2 * len(rows))
            continue
        given = [row[column] for row in problem.inputs]
        for _, test in rows:
            share = _times(test, given, wanted) / len(given)
            vector += (1.0 if share == 1.0 else 0.0, share)
    return tuple(vector)


def _times(test: Callable[[Any, Any], bool], given: Sequence[Any], wanted: Sequence[Any]) -> int:
    """On how many examples a property holds."""
    try:
        return sum(map(truth, map(test, given, wanted)))
    except EVALUATION_ERRORS:
        return sum(holds(test, x, y) for x, y in zip(given, wanted, strict=True))


def _facts_of(vector: Sequence[float]) -> tuple[str, ...]:
    """The names of the properties that always hold, for people."""
    names = feature_space().names
    return tuple(
        name.split(": ", 1)[-1].removesuffix(" always")
        for name, value in zip(names, vector, strict=True)
        if value == 1.0 and name.endswith(" always")
    )


def _kinds(types: Sequence[Type]) -> list[float]:
    names: set[str] = set()
    for kind in types:
        names.add(kind.name)
        if kind.name == "list":
            names.add(f"list of {kind.args[0].name}")
    return [float(k in names) for k in KINDS]


def _shape(problem: SearchProblem, outputs: Sequence[Any]) -> list[float]:
    first = outputs[0]
    sized = problem.output_type == STR or problem.output_type.name == "list"
    return [
        float(len(problem.input_types) > 1),
        float(all(o == first for o in outputs)),
        float(sized and all(o[:1] == first[:1] and o for o in outputs)),
        float(sized and all(o[-1:] == first[-1:] and o for o in outputs)),
        float(sized and len({len(o) for o in outputs}) == 1),
    ]


def _column(table: str, problem: SearchProblem) -> int | None:
    """The argument that a table of properties looks at: the first of the fitting kind."""
    source, target = table.split(">")
    out = problem.output_type
    numeric = {INT, FLOAT}
    if target == "list" and out.name != "list":
        return None
    if target == "numbers" and not (out.name == "list" and out.args[0] in numeric):
        return None
    if target == "scalar" and out.name == "list":
        return None
    if target == "number" and out not in numeric:
        return None
    if target == "text" and out != STR:
        return None
    if target == "value" and out not in (INT, FLOAT, BOOL):
        return None
    tests: dict[str, Callable[[Type], bool]] = {
        "list": lambda t: t.name == "list",
        "numbers": lambda t: t.name == "list" and t.args[0] in numeric,
        "number": lambda t: t in numeric,
        "text": lambda t: t == STR,
    }
    return next((i for i, t in enumerate(problem.input_types) if tests[source](t)), None)


def coarse_relation(problem: SearchProblem) -> str:
    """One observable fact that sorts tasks of a signature into broad kinds, for scopes of claims."""
    facts = set(_facts_of(features_of(problem)))
    return next((fact for fact in COARSE if fact in facts), "other")


COARSE = (
    "output equals input", "rearranges the input", "slice of the input", "leaves items out",
    "items come from the input", "begins with the input", "finishes with the input", "same length",
    "is an item", "is at most the length", "differs in case only", "differs in spaces only",
    "piece of the input", "output is an ISO date", "input looks like a date", "digits only",
    "characters left out", "same words", "words come from the input", "letters come from the input",
    "shorter", "longer",
)  # fmt: skip

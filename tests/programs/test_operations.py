"""Every operation means in an answer's Python what it means in the search."""

from __future__ import annotations

import ast
import datetime
import random
import sys
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.policies.search.programs.evaluation import compile_term
from evolve.policies.search.programs.operation import EVALUATION_ERRORS, Operation
from evolve.policies.search.programs.operations import literals, vocabulary
from evolve.policies.search.programs.render import FunctionHeading, render
from evolve.policies.search.programs.terms import Apply, Bound, Constant, Input, Lambda, Term
from evolve.policies.search.programs.types import (
    BOOL,
    DATE,
    DATETIME,
    FLOAT,
    INT,
    STR,
    Type,
    fn_of,
    freeze_value,
    list_of,
    substitute,
    thaw_value,
    variables,
)

OPERATIONS = {operation.name: operation for operation in vocabulary()}

TEXTS = (
    "", " ", "a", "é", "John Smith", "  padded  text ", "2021-03-05", "5/3/21", "March 5th, 2021", "05032021",
    "2021-064", "$1,234.50", "(12.00)", "1.234,56", "-7%", "3", "042", "3.1400", "a,b;c", "a=1;b=2", "name=Ann&age=3",
    "3:15 PM", "2h 15m", "PT1H30M", "1:30:00", "user@example.com", "IX", "ff", "1010", "yes", "camelCaseText2",
    "file_name.tar.gz", "https://example.com/a?b=c", "Ünïcödé", '{"a": 1, "b": "x"}', '"quoted, text",b',
    "line one\nline two", "10 KB", "2.5M", "2021-03-05T10:20:30+02:00", "10/Oct/2000:13:55:36 -0700", "\x00",
    "[x] (y) <z> {w}", "Mar", "it's 100% done. really!", "٣",
)  # fmt: skip

POOLS: dict[Type, tuple[Any, ...]] = {
    STR: TEXTS,
    INT: (0, 1, 2, 3, 4, 5, 7, 10, -1, -4, 12, 29, 59, 60, 90, 100, 1234, 44000, 3661, 90061, 1_600_000_000),
    FLOAT: (0.0, 1.0, -1.5, 2.675, 3.14159, 100.0, 1234567.891, 0.05, -0.0, 99.995),
    BOOL: (True, False),
    DATE: (datetime.date(2021, 3, 5), datetime.date(2020, 2, 29), datetime.date(1999, 12, 31)),
    DATETIME: (datetime.datetime(2021, 3, 5, 10, 20, 30), datetime.datetime(1999, 12, 31, 23, 59)),
    Type("time"): (datetime.time(15, 15), datetime.time(0, 0), datetime.time(9, 5, 7)),
}

BODIES: dict[Type, Term] = {
    fn_of(STR, STR): Apply("upper", (Bound(0),)),
    fn_of(STR, INT): Apply("text_length", (Bound(0),)),
    fn_of(STR, FLOAT): Apply("to_float", (Apply("text_length", (Bound(0),)),)),
    fn_of(STR, BOOL): Apply("starts_with", (Constant("a", STR), Bound(0))),
    fn_of(INT, INT): Apply("add", (Bound(0), Constant(1, INT))),
    fn_of(INT, BOOL): Apply("is_even", (Bound(0),)),
    fn_of(INT, STR): Apply("number_to_text", (Bound(0),)),
    fn_of(INT, FLOAT): Apply("to_float", (Bound(0),)),
    fn_of(INT, INT, INT): Apply("subtract", (Bound(0), Bound(1))),
}


def constants_of(type_: Type) -> tuple[Any, ...]:
    return tuple(constant.value for constant, _ in literals() if constant.type == type_)


def value_of(type_: Type, rng: random.Random) -> Any:
    """A frozen value of ``type_``."""
    if type_ in POOLS:
        return rng.choice(POOLS[type_])
    if type_.name == "list":
        return tuple(value_of(type_.args[0], rng) for _ in range(rng.choice((0, 1, 2, 2, 3, 5))))
    if type_.name == "dict":
        keys = rng.sample(("a", "b", "c", "John Smith", "3"), rng.randint(0, 4))
        return freeze_value({key: value_of(type_.args[1], rng) for key in keys})
    return rng.choice(constants_of(type_))


@cache
def variants(operation: Operation) -> list[tuple[tuple[Type, ...], Term, Any]]:
    """Parameter types, term and rendered Python function, for a few instances of the type variables."""
    names = sorted(set().union(*(variables(param) for param in operation.params)))
    found = []
    for choice in ((STR, INT), (INT, STR), (STR, STR), (INT, INT)) if names else ((),):
        bound = dict(zip(names, choice, strict=False))
        params = tuple(substitute(param, bound) for param in operation.params)
        args: list[Term] = []
        for i, param in enumerate(params):
            args.append(Lambda(param.args[:-1], BODIES[param]) if param.name == "fn" else Input(i))
        term = Apply(operation.name, tuple(args))
        found.append((params, term, python_of(term, len(params))))
    return found


def source_of(term: Term, arity: int) -> str:
    heading = FunctionHeading(
        entry="answer",
        params=tuple(f"p{i}" for i in range(arity)),
        param_types=("object",) * arity,
        result_type="object",
        doc="An answer.",
    )
    return render(term, heading, OPERATIONS)


def python_of(term: Term, arity: int) -> Any:
    namespace: dict[str, Any] = {}
    exec(compile(source_of(term, arity), "<answer>", "exec"), namespace)
    return namespace["answer"]


def agrees(operation: Operation, rng: random.Random) -> bool:
    """Whether a sampled input has a value in the search; then Python must compute the same.

    An operation may be undefined where its Python is not (sizes, negative lengths), never the reverse.
    """
    params, term, python = rng.choice(variants(operation))
    inputs = tuple(None if param.name == "fn" else value_of(param, rng) for param in params)
    meaning = compile_term(term, OPERATIONS)
    try:
        value = meaning(inputs)
    except EVALUATION_ERRORS:
        return False
    hash(value)
    assert type(meaning(inputs)) is type(value)
    assert meaning(inputs) == value
    try:
        answer = freeze_value(python(*map(thaw_value, inputs)))
    except EVALUATION_ERRORS as error:
        pytest.fail(f"{operation.name}{inputs} is {value!r} in the search but raises {error!r} in Python")
    assert answer == value, f"{operation.name}{inputs}"
    assert repr(thaw_value(answer)) == repr(thaw_value(value)), f"{operation.name}{inputs}"
    return True


def test_meaning_in_the_search_is_meaning_in_python(subtests: pytest.Subtests) -> None:
    for name in OPERATIONS:
        with subtests.test(operation=name):
            rng = random.Random(name)
            defined = sum(agrees(OPERATIONS[name], rng) for _ in range(60))
            extra = 0
            while not defined and extra < 3000:
                extra += 1
                defined += agrees(OPERATIONS[name], rng)
            assert defined, "no sampled value is in the operation's domain"


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(OPERATIONS)), st.text(max_size=12), st.integers(-(10**12), 10**12), st.floats())
def test_any_text_and_number_is_a_value_or_undefined(name: str, text: str, integer: int, number: float) -> None:
    operation = OPERATIONS[name]
    samples = {STR: text, INT: integer, FLOAT: number, list_of(STR): (text, text), list_of(INT): (integer,)}
    params, term, _ = variants(operation)[-1 if STR in operation.params else 0]
    rng = random.Random(text)
    inputs = tuple(None if p.name == "fn" else samples[p] if p in samples else value_of(p, rng) for p in params)
    try:
        value = compile_term(term, OPERATIONS)(inputs)
    except EVALUATION_ERRORS:
        return
    assert isinstance(hash(value), int)


def test_names_are_unique() -> None:
    names = [operation.name for operation in vocabulary()]
    assert len(names) == len(set(names))


def test_costs_lie_in_the_documented_range() -> None:
    assert all(1 <= operation.cost <= 12 for operation in vocabulary())
    assert all(1 <= cost <= 12 for _, cost in literals())


def test_literals_are_distinct_and_every_closed_type_has_some() -> None:
    keys = [(constant.type, constant.value) for constant, _ in literals()]
    assert len(keys) == len(set(keys))
    wanted = {param for operation in vocabulary() for param in operation.params if not param.args}
    closed = {param for param in wanted if not param.is_variable and param not in POOLS}
    assert closed <= {kind for kind, _ in keys}


@pytest.mark.slow
def test_every_literal_renders_to_python_of_the_same_value() -> None:
    users = {
        param: (operation, i)
        for operation in reversed(vocabulary())
        for i, param in enumerate(operation.params)
        if param in {constant.type for constant, _ in literals()}
    }
    for constant, _ in literals():
        operation, at = users[constant.type]
        args = tuple(constant if i == at else Input(i) for i in range(len(operation.params)))
        source = source_of(Apply(operation.name, args), len(args))
        written = [n.value for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Constant)]
        if isinstance(constant.value, (int, float)) and constant.value < 0:
            written = [-value for value in written if isinstance(value, (int, float))]
        assert constant.value in written


def test_operations_render_around_any_argument() -> None:
    text: Term = Apply("first_match", (Constant(r"\d+", Type("pattern")), Constant('it\'s "5"\n\\', STR)))
    number: Term = Apply("parse_integer", (text,))
    awkward = {STR: text, INT: number, FLOAT: Apply("to_float", (number,))}
    for name, operation in OPERATIONS.items():
        params, term, _ = variants(operation)[0]
        args = tuple(awkward.get(p, a) for p, a in zip(params, term.args, strict=True))  # type: ignore[union-attr]
        source = source_of(Apply(name, args), len(params))
        assert isinstance(ast.parse(source, name).body[-1], ast.FunctionDef), name


def test_answers_import_only_the_standard_library() -> None:
    for name, operation in OPERATIONS.items():
        params, term, _ = variants(operation)[0]
        for node in ast.walk(ast.parse(source_of(term, len(params)))):
            if isinstance(node, ast.Import):
                assert all(alias.name.split(".")[0] in sys.stdlib_module_names for alias in node.names), name
            if isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] in sys.stdlib_module_names, name


def test_operations_use_no_variable_that_only_the_result_has() -> None:
    for operation in vocabulary():
        known = set().union(*(variables(param) for param in operation.params))
        assert variables(operation.result) <= known, operation.name

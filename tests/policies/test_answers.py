"""An answer is Python that reproduces every example, runs by itself and reads well."""

from __future__ import annotations

import ast
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from evolve.core.episodes import Limits, Row, TaskView
from evolve.policies.search import SearchPolicy
from evolve.policies.search.programs.evaluation import compile_term
from evolve.policies.search.programs.operation import EVALUATION_ERRORS, Operation
from evolve.policies.search.programs.operations import literals, vocabulary
from evolve.policies.search.programs.terms import Apply, Input
from evolve.policies.search.programs.types import (
    BOOL,
    FLOAT,
    INT,
    STR,
    Type,
    freeze_value,
    substitute,
    thaw_value,
    variables,
)
from evolve.runtime.sandbox import Sandbox
from evolve.skills import Skill
from tests.policies.samples import LISTS, TEXTS, accepted, actions, first_action, view_of, wrong_rows

POOLS: dict[Type, tuple[Any, ...]] = {
    INT: (0, 1, 2, 3, 5, 8, 12, 40, -3, 100, 1234),
    FLOAT: (1.0, 2.5, -0.75, 3.14159, 100.0, 7.0),
    BOOL: (True, False),
    STR: ("Ann Lee", "x-1_b", "2021-03-05", "$1,234.50", "a,b;c", "", "É t é", "42", "user@example.com", "3:15 PM"),
}
WORDS = {operation.name: operation for operation in vocabulary()}
CLOSED = {c.type: c for c, _ in reversed(literals()) if c.type not in (INT, FLOAT, STR)}


def value(kind: Type, rng: random.Random) -> Any:
    """A JSON value of a type."""
    if kind.name == "list":
        return [value(kind.args[0], rng) for _ in range(rng.choice((0, 1, 2, 3, 4)))]
    if kind.name == "dict":
        return {rng.choice("abcde"): value(kind.args[1], rng) for _ in range(rng.choice((1, 2, 3)))}
    return rng.choice(POOLS[kind])


def plain(kind: Type) -> bool:
    """Whether JSON has values of the type."""
    if kind.name in {"list", "dict"}:
        return all(map(plain, kind.args))
    return kind in POOLS


def task_of(operation: Operation, element: Type, rng: random.Random) -> TaskView | None:
    """The task of finding out what one operation does, where that can be told in JSON."""
    bound = {name: element for kind in operation.params for name in variables(kind)}
    params = [substitute(p, bound) for p in operation.params]
    if not plain(substitute(operation.result, bound)) or not all(plain(p) or p in CLOSED for p in params):
        return None
    inputs = [p for p in params if plain(p)]
    positions = iter(range(len(inputs)))
    term = Apply(operation.name, tuple(Input(next(positions)) if plain(p) else CLOSED[p] for p in params))
    meaning = compile_term(term, WORDS)
    rows: dict[str, Row] = {}
    for _ in range(60):
        arguments = tuple(value(p, rng) for p in inputs)
        try:
            output = thaw_value(meaning(tuple(map(freeze_value, arguments))))
            rows.setdefault(json.dumps(arguments), Row(input=arguments, output=output))
        except EVALUATION_ERRORS:
            continue
        if len(rows) == 4:
            break
    if not inputs or len(rows) < 2:
        return None
    text = f"Do what {operation.name} does."
    examples = tuple(rows.values())
    return TaskView(id=operation.name, family="test", instruction=text, signature="", examples=examples)


@pytest.mark.slow
@pytest.mark.parametrize("nth", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_answers_to_what_operations_do_reproduce_the_examples_in_the_sandbox(
    nth: int, unlearned: SearchPolicy, sandbox: Sandbox
) -> None:
    """One task per operation; which program answers it is the search's choice."""
    rng = random.Random(1)
    tasks = [task_of(o, rng.choice((INT, STR, FLOAT)), rng) for o in list(WORDS.values())[::nth]]
    answers = []
    for view in tasks:
        if view is not None:
            action = first_action(unlearned, view, Limits(candidates=400, seconds=None))
            if action.kind == "code":
                answers.append((view, action.code))
    assert len(answers) >= len(tasks) // 3
    assert wrong_rows(sandbox, answers) == []


JSON_NUMBERS = st.one_of(st.integers(-9, 30), st.sampled_from((0.5, 2.0, -1.5, 10.25)))
COLUMNS: dict[str, tuple[st.SearchStrategy[Any], list[Callable[[Any], Any]]]] = {
    "numbers": (
        st.lists(JSON_NUMBERS, min_size=1, max_size=5),
        [sum, max, sorted, lambda xs: xs[0], lambda xs: sum(xs) / len(xs), lambda xs: str(xs[0]), len],
    ),
    "number": (JSON_NUMBERS, [lambda x: x * 2, str, lambda x: x + 1, lambda x: -x, lambda x: f"{x}%", round]),
    "text": (
        st.text("aB3 -,.é'\"\\", max_size=9),
        [str.upper, lambda s: s[::-1], lambda s: s[:2] + "!", lambda s: f"'{s}\"", lambda s: s.split(), len],
    ),
    "row": (
        st.fixed_dictionaries({"qty": JSON_NUMBERS, "item": st.text("ab ", max_size=3)}),
        [lambda r: r["qty"], lambda r: r["item"].upper(), lambda r: f"{r['qty']} x {r['item']}"],
    ),
    "nested": (
        st.lists(st.lists(st.integers(0, 9), max_size=3), max_size=3),
        [len, lambda xss: [x for xs in xss for x in xs], lambda xss: [len(xs) for xs in xss], lambda xss: xss[::-1]],
    ),
}


@pytest.mark.slow
@given(st.data())
@settings(max_examples=5, phases=[Phase.generate])
def test_answers_to_random_columns_reproduce_the_examples_in_the_sandbox(
    unlearned: SearchPolicy, sandbox: Sandbox, data: st.DataObject
) -> None:
    answers = []
    for kind, (inputs, functions) in COLUMNS.items():
        for number, function in enumerate(functions):
            rows = data.draw(st.lists(inputs, min_size=2, max_size=4))
            view = view_of(function, *rows, name=f"{kind} {number}")
            action = first_action(unlearned, view, Limits(candidates=300, seconds=None))
            if action.kind == "code":
                answers.append((view, action.code))
    assert wrong_rows(sandbox, answers) == []


VARIED: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = [
    ("(xs: list[int]) -> list[int]", lambda xs: [x for x in xs if x % 2 == 0][::-1], LISTS),
    ("(text: str) -> str", lambda s: s.upper()[:3], TEXTS),
    ("(a: int, b: int) -> int", lambda a, b: a * b + 1, ((2, 3), (4, 1), (0, 7), (5, 5))),
    ("(day: str) -> str", lambda s: s[8:] + "." + s[5:7] + ".", ("2021-03-05", "1999-12-31", "2020-02-29")),
    ("(row: row) -> float", lambda r: r["a"] * r["b"], ({"a": 2, "b": 1.5}, {"a": 4, "b": 0.5}, {"a": 3, "b": 2.5})),
]


@pytest.mark.parametrize(("signature", "function", "inputs"), VARIED, ids=[s for s, _, _ in VARIED])
def test_the_source_is_documented_annotated_and_runs_alone(
    signature: str, function: Callable[..., Any], inputs: tuple[Any, ...], unlearned: SearchPolicy, tmp_path: Path
) -> None:
    text = 'Say "what" it\tdoes \\ with """quotes""" and "more"'
    view = view_of(function, *inputs, signature=signature, instruction=text, entry="compute")
    action = first_action(unlearned, view)
    assert action.kind == "code"

    tree = ast.parse(action.code)
    imported = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    imported |= {str(n.module) for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert {name.split(".")[0] for name in imported} <= set(sys.stdlib_module_names)
    compute = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "compute")
    assert "what" in (ast.get_docstring(compute) or "")
    assert compute.returns is not None
    wanted = [part.split(":")[0].strip() for part in signature.split("->")[0].strip(" ()").split(",")]
    assert [a.arg for a in compute.args.args] == wanted
    assert all(a.annotation is not None for a in compute.args.args)

    file = tmp_path / "answer.py"
    file.write_text(action.code, encoding="utf-8")
    lint = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "E9,F", str(file)]
    done = subprocess.run(lint, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout

    calls = json.dumps([list(row.input) for row in view.examples])
    script = f"{action.code}\nimport json\nprint(json.dumps([compute(*row) for row in json.loads({calls!r})]))\n"
    alone = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert alone.returncode == 0, alone.stderr
    assert json.loads(alone.stdout) == [row.output for row in view.examples]


NAMES = [
    "list",
    "sorted",
    "sum",
    "len",
    "str",
    "max",
    "dict",
    "re",
    "math",
    "itertools",
    "x",
    "item",
    "solve",
    "Counter",
]


@pytest.mark.slow
def test_parameters_with_awkward_names_do_no_harm(unlearned: SearchPolicy, sandbox: Sandbox) -> None:
    functions: list[Callable[[list[int]], Any]] = [
        lambda xs: sorted(set(xs)),
        lambda xs: [x * 2 for x in xs],
        lambda xs: [sum(xs[: i + 1]) for i in range(len(xs))],
        lambda xs: list(dict.fromkeys(xs)),
    ]
    answers = []
    for name in NAMES:
        for function in functions:
            view = view_of(function, *LISTS, signature=f"({name}: list[int]) -> any", name=name)
            action = first_action(unlearned, view)
            assert action.kind == "code"
            answers.append((view, action.code))
    assert wrong_rows(sandbox, answers) == []


def test_an_answer_may_be_named_like_a_helper_it_needs(unlearned: SearchPolicy, sandbox: Sandbox) -> None:
    answers = []
    for entry, word in (("to_roman", "IX"), ("ordinal", "th"), ("camel_case", "a")):
        operation = WORDS[entry]
        view = task_of(operation, INT, random.Random(4))
        assert view is not None, word
        named = TaskView(id=entry, family="test", instruction="", signature="", examples=view.examples, entry=entry)
        action = first_action(unlearned, named)
        assert action.kind == "code"
        answers.append((named, action.code))
    assert wrong_rows(sandbox, answers) == []


LONG = "Internationalisation compatibilities characteristics responsibilities notwithstanding"


@pytest.mark.parametrize(
    "instruction", ["", "Sort!", LONG, "naïve Straße résumé", "a " * 400, 'Say "hi"', "\x00\ud800", "skill", "12 34"]
)
def test_a_verified_answer_becomes_a_well_formed_skill(instruction: str, unlearned: SearchPolicy) -> None:
    view = view_of(lambda xs: sorted(xs)[1:][::-1], *LISTS, instruction=instruction, name="a task")
    action = first_action(unlearned, view)
    (draft,) = unlearned.distill(view, accepted(action))
    skill = Skill.from_draft(draft)
    assert draft.entry.isidentifier()
    assert f"def {draft.entry}(" in draft.code
    assert draft.tests == view.examples
    assert draft.description.strip()
    space: dict[str, Any] = {}
    exec(compile(skill.code, "<skill>", "exec"), space)
    assert [space[draft.entry](*row.input) for row in view.examples] == [row.output for row in view.examples]


@pytest.mark.parametrize(
    ("instruction", "name"),
    [
        ("Give short name from name.", "short-name-from-name"),
        ("Give Gross from Net and Rate.", "gross-from-net-rate"),
        ("Sort the numbers, drop the smallest one and turn them round.", "sort-numbers-drop-smallest-turn"),
        ("Find the function that gives the output for every input.", ""),
    ],
)
def test_a_skill_is_named_by_words_of_its_task_and_no_digest(
    unlearned: SearchPolicy, instruction: str, name: str
) -> None:
    view = view_of(lambda xs: sorted(xs)[1:][::-1], *LISTS, instruction=instruction)
    (draft,) = unlearned.distill(view, accepted(first_action(unlearned, view)))
    assert draft.name == name or (not name and "sort" in draft.name)
    assert draft.entry == draft.name.replace("-", "_") and f"def {draft.entry}(" in draft.code


def test_one_operation_alone_is_no_skill(unlearned: SearchPolicy) -> None:
    view = view_of(sorted, *LISTS)
    assert unlearned.distill(view, accepted(first_action(unlearned, view))) == ()


def test_later_answers_are_as_right_as_the_first(unlearned: SearchPolicy, sandbox: Sandbox) -> None:
    view = view_of(lambda xs: xs[0], [2, 2], [5, 5, 5], [1, 1, 1, 1])
    answers = [(view, a.code) for a in actions(unlearned, view, 12) if a.kind == "code"]
    assert len(answers) >= 8
    assert wrong_rows(sandbox, answers) == []

"""Answers are readable Python that means what the term means and runs by itself."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.policies.search.programs.evaluation import evaluate
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.render import LINE, FunctionHeading, render
from evolve.policies.search.programs.terms import Apply, Bound, Constant, Input, Lambda, Term
from evolve.policies.search.programs.types import FLOAT, INT, STR, T, Type, dict_of, freeze_value, list_of
from tests.programs.typed_terms import INTS, OPERATIONS, expression, terms


def heading(*params: str, entry: str = "solve", doc: str = "Do it.", result: str = "list[int]") -> FunctionHeading:
    names = params or ("xs", "n", "text")
    kinds = ("list[int]", "int", "str")[: len(names)]
    return FunctionHeading(entry=entry, params=names, param_types=kinds, result_type=result, doc=doc)


def load(source: str, entry: str = "solve") -> Any:
    """The entry function of a module whose source this test made."""
    space: dict[str, Any] = {}
    exec(compile(source, "<answer>", "exec"), space)
    return space[entry]


def call(name: str, *args: Term) -> Term:
    return Apply(name, args)


def run_alone(source: str, *arguments: Any, entry: str = "solve") -> Any:
    """The value of a call in a fresh interpreter that sees nothing but the standard library."""
    script = f"{source}\nimport json as j, sys as s\nprint(j.dumps({entry}(*j.loads(s.argv[1]))))\n"
    command = [sys.executable, "-I", "-S", "-c", script, json.dumps(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


CLASHES = st.sampled_from(
    [("xs", "n", "text"), ("x", "y", "z"), ("item", "i", "a"), ("list", "sum", "len"), ("sorted", "max", "str"),
     ("re", "math", "itertools"), ("functools", "part", "x_2"), ("total", "a0", "a1"), ("b", "key", "words")]
)  # fmt: skip


@pytest.mark.slow
@given(st.sampled_from((INTS, INT, STR)).flatmap(lambda kind: terms(kind, depth=4)), st.data())
@settings(max_examples=100)
def test_the_printed_function_gives_the_terms_value(term: Term, data: st.DataObject) -> None:
    source = render(term, heading(), OPERATIONS)
    function = load(source)
    for _ in range(3):
        xs = data.draw(st.lists(st.integers(-5, 9), max_size=5))
        n, text = data.draw(st.integers(-2, 6)), data.draw(st.text("ab X", max_size=4))
        try:
            expected = evaluate(term, (tuple(xs), n, text), OPERATIONS)
        except EVALUATION_ERRORS:
            continue
        before = list(xs)
        assert freeze_value(function(xs, n, text)) == expected
        assert xs == before


@pytest.mark.slow
@given(terms(INTS, depth=4), CLASHES)
@settings(max_examples=100)
def test_no_name_of_a_parameter_changes_the_meaning(term: Term, params: tuple[str, ...]) -> None:
    source = render(term, heading(*params), OPERATIONS)
    inputs = ((3, 1, 4, 1), 2, "ab")
    try:
        expected = evaluate(term, inputs, OPERATIONS)
    except EVALUATION_ERRORS:
        return
    assert freeze_value(load(source)([3, 1, 4, 1], 2, "ab")) == expected


@pytest.mark.slow
@given(terms(INTS, depth=4))
@settings(max_examples=60)
def test_the_source_has_the_shape_people_expect(term: Term) -> None:
    source = render(term, heading(doc="Sort it."), OPERATIONS)
    (function,) = [n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == "solve"]
    assert ast.get_docstring(function) == "Sort it."
    assert all(a.annotation is not None for a in function.args.args)
    assert ast.unparse(function.returns) == "list[int]"
    assert "a0" not in {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
    assert source == render(term, heading(doc="Sort it."), OPERATIONS)


@given(terms(INTS, depth=3))
@settings(max_examples=40)
def test_an_expression_for_display_is_the_same_program(term: Term) -> None:
    text = expression(term, ("xs", "n", "text"))
    inputs = ((3, 1, 4, 1), 2, "ab")
    try:
        expected = evaluate(term, inputs, OPERATIONS)
    except EVALUATION_ERRORS:
        return
    assert "\n" not in text
    space = {"xs": [3, 1, 4, 1], "n": 2, "text": "ab"}
    assert freeze_value(eval(text, space)) == expected


SENTENCES = [
    'quotes """ inside',
    "back\\slash \\n",
    "ends with a backslash \\",
    'ends with "',
    'ends with \\"',
    "\x00 \r \ud800",
    '"',
    "",
]


@pytest.mark.parametrize("doc", SENTENCES)
def test_any_sentence_can_be_a_docstring(doc: str) -> None:
    assert load(render(Input(0), heading(doc=doc), OPERATIONS))([1], 2, "") == [1]


@pytest.mark.parametrize("text", ["'", '"', "\\", "\n", "'\"\\\n", "{x}", "%s", "é", "\x00", "a0", "\ud7ff"])
def test_any_text_can_be_a_constant(text: str) -> None:
    term = call("concatenate_text", Constant(text, STR), Input(2))
    assert load(render(term, heading(result="str"), OPERATIONS))([], 0, "b") == text + "b"


def test_constants_of_every_kind_print_as_literals() -> None:
    table = Constant(freeze_value({"b": 2, "a": 1}), dict_of(STR, INT))
    assert expression(table, ()) == "{'b': 2, 'a': 1}"
    assert expression(Constant((1, 2), list_of(INT)), ()) == "[1, 2]"
    assert expression(Constant(-3, INT), ()) == "-3"
    assert expression(Constant(0.5, FLOAT), ()) == "0.5"
    assert expression(call("subtract", Input(0), Constant(-3, INT)), ("n",)) == "n - -3"


@pytest.mark.parametrize("pattern", [r"\d+", r"[^'\"]+", "it's \\d", "\\\\", "a", "\\d\n", "'", '"'])
def test_regular_expressions_keep_their_meaning(pattern: str) -> None:
    text = expression(Constant(pattern, Type("pattern")), ())
    assert ast.literal_eval(text) == pattern


def test_precedence_is_kept() -> None:
    total = call("add", Input(1), Constant(1, INT))
    term = call("multiply", total, call("subtract", Input(1), total))
    assert expression(term, ("xs", "n")) == "(n + 1) * (n - (n + 1))"
    assert expression(call("negate", total), ("xs", "n")) == "-(n + 1)"


def test_lambdas_become_comprehensions() -> None:
    even = Lambda((INT,), call("is_even", Bound(0)))
    plus = Lambda((INT,), call("add", Bound(0), Input(1)))
    term = call("map", plus, call("filter", even, Input(0)))
    assert expression(term, ("xs", "n")) == "[x + n for x in xs if x % 2 == 0]"


def test_a_comprehension_does_not_hide_a_parameter() -> None:
    plus = Lambda((INT,), call("add", Bound(0), Input(1)))
    source = render(call("map", plus, Input(0)), heading("xs", "x"), OPERATIONS)
    assert load(source)([1, 2], 10) == [11, 12]


def test_a_part_used_twice_is_computed_once_and_has_a_name() -> None:
    tidy = call("sort", call("unique", call("tail", Input(0))))
    source = render(call("concatenate", tidy, call("reverse", tidy)), heading(), OPERATIONS)
    assert source.count("sorted(") == 1
    assert load(source)([9, 3, 1, 3], 0, "") == [1, 3, 3, 1]


def test_long_answers_are_broken_into_short_lines() -> None:
    term: Term = Input(0)
    for number in range(12):
        term = call("concatenate", call("take", Constant(number, INT), term), call("sort", Input(0)))
    source = render(term, heading(), OPERATIONS)
    assert max(map(len, source.splitlines())) <= LINE + len("    concatenate_9 = ")
    assert source.count("xs[:0]") == 1
    expected = evaluate(term, ((3, 1, 2), 0, ""), OPERATIONS)
    assert freeze_value(load(source)([3, 1, 2], 0, "")) == expected


def every_call() -> list[tuple[str, Term]]:
    """Each operation applied to inputs, with its lambdas giving back their first parameter."""

    def argument(index: int, kind: Type) -> Term:
        return Lambda(kind.args[:-1], Bound(0)) if kind.name == "fn" else Input(index)

    return [(name, call(name, *map(argument, range(9), o.params))) for name, o in OPERATIONS.items()]


def printed(term: Term, entry: str, *params: str) -> str:
    kinds = ("object",) * len(params)
    head = FunctionHeading(entry=entry, params=params, param_types=kinds, result_type="object", doc="Do it.")
    return render(term, head, OPERATIONS)


@pytest.mark.slow
def test_no_operation_prints_an_undefined_or_useless_name(tmp_path: Path) -> None:
    for name, term in every_call():
        helpers = [f.__name__ for f in OPERATIONS[name].support]
        for number, entry in enumerate(["solve", *helpers]):
            (tmp_path / f"{name}_{number}.py").write_text(printed(term, entry, "p0", "p1", "p2", "p3"), "utf-8")
    select = ["--isolated", "--select", "E9,F", "--no-cache", "--output-format", "concise"]
    command = [sys.executable, "-m", "ruff", "check", *select, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_helpers_never_call_the_answer_itself() -> None:
    """A helper keeps working when the answer takes its name."""
    for name, term in every_call():
        for helper in OPERATIONS[name].support:
            tree = ast.parse(printed(term, helper.__name__, "p0", "p1", "p2", "p3"))
            defined = [n.name for n in tree.body if isinstance(n, ast.FunctionDef)]
            assert defined[-1] == helper.__name__
            assert defined.count(helper.__name__) == 1
            assert helper.__name__ not in {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}, name


def test_a_parameter_may_have_the_name_of_anything_the_answer_calls() -> None:
    for name, term in every_call():
        template = ast.parse(OPERATIONS[name].template, mode="eval")
        called = sorted({n.id for n in ast.walk(template) if isinstance(n, ast.Name) and not n.id[1:].isdigit()})
        for word in called:
            tree = ast.parse(printed(term, "solve", word, "p1", "p2", "p3"))
            function = tree.body[-1]
            assert isinstance(function, ast.FunctionDef)
            first = function.args.args[0].arg
            calls = {n.func.id for n in ast.walk(function) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
            assert first not in calls, (name, word)


@pytest.mark.parametrize(
    ("term", "params", "expected"),
    [
        (call("sort", Input(0)), ("sorted",), [1, 2, 3]),
        (call("unique", Input(0)), ("list", "dict"), [3, 1, 2]),
        (call("sort", Input(0)), ("sorted", "sorted_"), [1, 2, 3]),
        (call("product", Input(0)), ("math",), 6),
        (call("ordinal", call("sum_of", Input(0))), ("ordinal",), "6th"),
    ],
)
def test_parameters_that_would_hide_something_still_work(term: Term, params: tuple[str, ...], expected: object) -> None:
    assert run_alone(printed(term, "solve", *params), *([[3, 1, 2]] * len(params))) == expected


def test_a_part_without_a_value_stays_where_it_may_not_be_reached() -> None:
    """On no items the body of a lambda is not computed, in the search as in the answer."""
    second = call("first", call("tail", Input(0)))
    term = call("map", Lambda((INT,), call("add", call("add", Bound(0), second), second)), Input(0))
    assert evaluate(term, ((), 0, ""), OPERATIONS) == ()
    assert load(render(term, heading(), OPERATIONS))([], 0, "") == []


NESTED = {INTS: [[], [1], [2, 1], [1], [3]], dict_of(STR, INT): [{"a": 1}, {"b": 2}, {"a": 1}, {"a": 3, "b": 1}]}
POLYMORPHIC = [
    o for o in OPERATIONS.values() if o.params and set(o.params) <= {T, INT, list_of(T)} and set(o.params) != {INT}
]


@pytest.mark.parametrize("element", NESTED, ids=str)
def test_operations_on_any_items_also_work_on_items_that_are_lists_or_dictionaries(element: Type) -> None:
    """Search values can be keys of dictionaries where the lists and dictionaries of an answer cannot."""
    checked = 0
    for operation in POLYMORPHIC:
        choices = {T: NESTED[element], INT: [0, 1, 2], list_of(T): [NESTED[element], NESTED[element][:2], []]}
        term = call(operation.name, *map(Input, range(len(operation.params))))
        function = load(printed(term, "solve", *(f"p{i}" for i in range(len(operation.params)))))
        for arguments in product(*(choices[p] for p in operation.params)):
            try:
                expected = evaluate(term, tuple(map(freeze_value, arguments)), OPERATIONS)
            except EVALUATION_ERRORS:
                continue
            checked += 1
            assert freeze_value(function(*arguments)) == expected, operation.name
    assert checked > 100


def test_an_answer_may_have_the_name_of_its_helper() -> None:
    term = call("ordinal", call("sum_of", Input(0)))
    source = render(term, heading("ordinal", entry="ordinal", result="str"), OPERATIONS)
    assert run_alone(source, [1, 2, 3], entry="ordinal") == "6th"
    renamed = render(term, heading("xs", entry="ordinal_of", result="str"), OPERATIONS)
    assert run_alone(renamed, [1, 2, 3], entry="ordinal_of") == "6th"


def test_answers_import_what_they_need_and_nothing_else() -> None:
    multiplied = call("product", Input(0))
    source = render(multiplied, heading(result="int"), OPERATIONS)
    assert source.startswith("import math\n")
    assert source.count("import") == 1
    assert run_alone(source, [2, 3, 4], 0, "") == 24
    hidden = render(multiplied, heading("math", "n", "text", result="int"), OPERATIONS)
    assert run_alone(hidden, [2, 3, 4], 0, "") == 24
    assert run_alone(printed(call("parse_query", Input(0)), "solve", "urllib"), "a=1&b=2") == {"a": "1", "b": "2"}
    assert "import" not in render(call("sort", Input(0)), heading(), OPERATIONS)

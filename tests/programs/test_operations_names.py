"""Names in an answer never hide one another, whatever the task calls its parameters."""

from __future__ import annotations

from typing import Any

import pytest

from evolve.policies.search.programs.operations import vocabulary
from evolve.policies.search.programs.render import FunctionHeading, render
from evolve.policies.search.programs.terms import Apply, Bound, Constant, Input, Lambda, Term
from evolve.policies.search.programs.types import INT, STR, Type

OPERATIONS = {operation.name: operation for operation in vocabulary()}
PATTERN, DELIMITER = Type("pattern"), Type("delimiter")


def run(term: Term, entry: str, params: tuple[str, ...], *values: Any) -> Any:
    heading = FunctionHeading(
        entry=entry, params=params, param_types=("object",) * len(params), result_type="object", doc="An answer."
    )
    namespace: dict[str, Any] = {}
    exec(render(term, heading, OPERATIONS), namespace)
    return namespace[entry](*values)


@pytest.mark.parametrize("entry", ["camel_case", "words_of", "answer"])
@pytest.mark.parametrize("param", ["text", "camel_case", "words_of", "re", "word"])
def test_helpers_keep_their_meaning_when_the_task_uses_their_names(entry: str, param: str) -> None:
    term = Apply("camel_case", (Apply("delete_matches", (Constant(r"\d", PATTERN), Input(0))),))
    assert run(term, entry, (param,), "user 1 name") == "userName"


@pytest.mark.parametrize("params", [("item", "x"), ("x", "item"), ("x", "y"), ("items", "numbers")])
def test_comprehension_variables_do_not_hide_parameters(params: tuple[str, str]) -> None:
    added = Apply("map", (Lambda((INT,), Apply("add", (Bound(0), Input(0)))), Input(1)))
    assert run(Apply("without_item", (Input(0), added)), "answer", params, 2, [0, 1, 2]) == [3, 4]


def test_a_named_part_does_not_hide_the_helper_that_computes_it() -> None:
    place = Apply("ordinal", (Apply("sum_of", (Input(0),)),))
    term = Apply("concatenate_text", (place, Apply("reverse_text", (place,))))
    assert run(term, "answer", ("values",), [1, 2, 3]) == "6thht6"


def test_modules_keep_their_meaning_when_a_parameter_has_their_name() -> None:
    term = Apply("iso_date", (Apply("parse_iso_date", (Input(0),)),))
    assert run(term, "answer", ("datetime",), "2021-03-05") == "2021-03-05"


def test_replacements_are_literal_texts() -> None:
    term = Apply("replace_matches", (Constant(r"\s+", PATTERN), Constant("\\", DELIMITER), Input(0)))
    assert run(term, "answer", ("text",), "a  b") == "a\\b"


def test_strings_with_quotes_and_backslashes_survive() -> None:
    for text in ("it's", 'say "x"', "a\\b", "\n", "tab\t", "'\"", "é\u2028"):
        term = Apply("concatenate_text", (Input(0), Constant(text, STR)))
        assert run(term, "answer", ("a",), "x") == "x" + text

"""Terms survive storage, and can be taken apart and put together."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

from evolve.policies.search.programs.terms import (
    Apply,
    Bound,
    Constant,
    Input,
    Lambda,
    Term,
    children,
    from_json,
    is_open,
    operations_in,
    replace_subterm,
    size,
    subterm_paths,
    to_json,
    type_from_json,
    type_to_json,
    walk,
)
from evolve.policies.search.programs.types import (
    BOOL,
    FLOAT,
    INT,
    STR,
    FrozenDict,
    Type,
    dict_of,
    fn_of,
    list_of,
    row_of,
)
from tests.programs.typed_terms import INTS, terms


@pytest.mark.slow
@given(terms(INTS, depth=4))
@settings(max_examples=60)
def test_the_json_form_keeps_everything(term: Term) -> None:
    text = json.dumps(to_json(term))
    assert from_json(json.loads(text)) == term
    assert json.dumps(to_json(from_json(json.loads(text)))) == text


def test_constants_of_every_kind_come_back() -> None:
    for value, kind in (
        (True, BOOL),
        (1.5, FLOAT),
        (("a", "b"), list_of(STR)),
        (FrozenDict(a=(1, 2)), dict_of(STR, list_of(INT))),
        (r"\d+", Type("pattern")),
    ):
        constant = Constant(value, kind)
        back = from_json(json.loads(json.dumps(to_json(constant))))
        assert back == constant
        hash(back)


@pytest.mark.parametrize("kind", [INT, list_of(list_of(STR)), row_of({"a": INT, "b": STR}), fn_of(INT, INT, BOOL)])
def test_types_come_back(kind: Type) -> None:
    assert type_from_json(json.loads(json.dumps(type_to_json(kind)))) == kind


@pytest.mark.parametrize(
    "data",
    [None, [], "input", ["input"], ["input", "0"], ["op"], ["op", 3], ["lambda", "int", ["bound", 0]], ["what", 1],
     ["op", "sort", ["inptu", 0]], ["const", 3, 3]],
)  # fmt: skip
def test_what_is_no_term_is_refused(data: Any) -> None:
    with pytest.raises(ValueError, match="not a"):
        from_json(data)


@pytest.mark.slow
@given(terms(INTS, depth=4))
@settings(max_examples=60)
def test_every_path_leads_to_its_part(term: Term) -> None:
    found = list(subterm_paths(term))
    assert [part for _, part in found] == list(walk(term))
    for path, part in found:
        here = term
        for index in path:
            here = children(here)[index]
        assert here == part
        assert replace_subterm(term, path, part) == term
        assert dict(subterm_paths(replace_subterm(term, path, Input(9))))[path] == Input(9)


def test_replacing_beside_the_tree_is_refused() -> None:
    with pytest.raises(IndexError):
        replace_subterm(Input(0), (0,), Input(1))
    with pytest.raises(IndexError):
        replace_subterm(Apply("sort", (Input(0),)), (1,), Input(1))


def test_size_openness_and_operations() -> None:
    body = Apply("add", (Bound(0), Constant(1, INT)))
    term = Apply("map", (Lambda((INT,), body), Apply("sort", (Input(0),))))
    assert size(term) == 6
    assert operations_in(term) == ["map", "add", "sort"]
    assert is_open(body)
    assert not is_open(term)

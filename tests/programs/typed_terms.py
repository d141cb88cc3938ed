"""Random well-typed terms over a small part of the vocabulary, for property tests."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hypothesis import strategies as st

from evolve.policies.search.programs.operations import vocabulary
from evolve.policies.search.programs.render import _Expander
from evolve.policies.search.programs.terms import Apply, Bound, Constant, Input, Lambda, Term
from evolve.policies.search.programs.types import BOOL, INT, STR, Type, fn_of, list_of

OPERATIONS = {operation.name: operation for operation in vocabulary()}
INTS, TEXTS = list_of(INT), list_of(STR)

CALLS: dict[Type, dict[str, tuple[Type, ...]]] = {
    INT: {
        "add": (INT, INT),
        "subtract": (INT, INT),
        "multiply": (INT, INT),
        "length": (INTS,),
        "first": (INTS,),
        "maximum": (INTS,),
        "sum_of": (INTS,),
        "text_length": (STR,),
        "choose": (BOOL, INT, INT),
    },
    BOOL: {"less": (INT, INT), "is_even": (INT,), "contains": (INT, INTS), "choose": (BOOL, BOOL, BOOL)},
    INTS: {
        "reverse": (INTS,),
        "sort": (INTS,),
        "tail": (INTS,),
        "take": (INT, INTS),
        "append": (INTS, INT),
        "concatenate": (INTS, INTS),
        "map": (fn_of(INT, INT), INTS),
        "filter": (fn_of(INT, BOOL), INTS),
        "choose": (BOOL, INTS, INTS),
    },
    STR: {"upper": (STR,), "concatenate_text": (STR, STR), "number_to_text": (INT,), "choose": (BOOL, STR, STR)},
}

VALUES: dict[Type, st.SearchStrategy[object]] = {
    INT: st.integers(-3, 12),
    BOOL: st.booleans(),
    INTS: st.lists(st.integers(-9, 20), max_size=5).map(tuple),
    STR: st.text("abc XY.'\"\\\n", max_size=6),
}

INPUTS = (INTS, INT, STR)


@st.composite
def terms(
    draw: st.DrawFn,
    kind: Type,
    inputs: Sequence[Type] = INPUTS,
    bound: Sequence[Type] = (),
    depth: int = 3,
) -> Term:
    """A term of type ``kind``; ``bound`` are the parameters of the lambda around it."""
    starts: list[Term] = [Input(i) for i, t in enumerate(inputs) if t == kind]
    starts += [Bound(i) for i, t in enumerate(bound) if t == kind]
    if depth <= 0 or draw(st.integers(0, 3)) == 0:
        constant = VALUES[kind].map(lambda value: Constant(value, kind))
        return draw(st.one_of(st.sampled_from(starts), constant) if starts else constant)
    name = draw(st.sampled_from(sorted(CALLS[kind])))
    args = []
    for param in CALLS[kind][name]:
        if param.name == "fn":
            *params, result = param.args
            args.append(Lambda(tuple(params), draw(terms(result, inputs, params, depth - 2))))
        else:
            args.append(draw(terms(param, inputs, bound, depth - 1)))
    return Apply(name, tuple(args))


def expression(term: Term, params: Sequence[str]) -> str:
    """The term as one Python expression, as it stands in an answer."""
    return ast.unparse(_Expander(OPERATIONS, tuple(params)).node(term, ()))

"""The numbers of the outputs: what was written, what it may have been before rounding, and how it is written again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.operations.text_numbers import DECIMALS, FLOAT_FORMAT, INTEGER_FORMAT
from evolve.policies.search.programs.terms import Apply, Constant, Term
from evolve.policies.search.programs.types import FLOAT, INT, STR
from evolve.policies.search.solvers.base import apply
from evolve.policies.search.solvers.linear import Span, decimal_places

MOST_DECIMALS = 4
"""Decimal places up to which outputs are taken for rounded."""
NUMBER = re.compile(r"-?\d[\d.,]*\d|-?\d")
SIGNED = re.compile(r"(?<![\w.,])[-+]\d[\d.,]*\d|(?<![\w.,])[-+]\d")
POINT = re.compile(r"-?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.(\d+))?")
COMMA = re.compile(r"-?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:\.\d{3})+),(\d+)")


@dataclass(frozen=True)
class TargetNumber:
    """One number of every output.

    Attributes:
        wanted: What stands in the outputs, as numbers or as pieces of text.
        spans: What the number may have been before it was rounded.
        writings: Ways from the number to what stands there, each a chain of operations with its leading arguments.
        is_whole: Whether the outputs are nothing else.
        whole_number: How a whole number is written there; None where there are decimals.
    """

    wanted: tuple[Any, ...]
    spans: tuple[Span, ...]
    writings: tuple[Writing, ...]
    is_whole: bool = True
    whole_number: Writing | None = None

    def writing_terms(self, value: Term, whole: Term | None) -> Iterator[Term]:
        """The terms that write a number, computed as a float or in whole numbers, as the outputs do."""
        if whole is not None and self.whole_number is not None:
            yield _chain(self.whole_number, whole)
        # A quotient is rounded where rows show it, and a product, which may be an amount of money, as the rows look.
        is_quotient = isinstance(value, Apply) and value.operation in {"divide", "divide_by"}
        writings = sorted(self.writings, key=len) if is_quotient else self.writings
        yield from (_chain(writing, value) for writing in writings)


Writing = tuple[tuple[Any, ...], ...]


def _chain(writing: Writing, term: Term) -> Term:
    for operation, *leading in writing:
        term = apply(operation, *leading, term)
    return term


def targets_of(problem: SearchProblem) -> list[TargetNumber]:
    """The numbers of the outputs that may have been computed."""
    goal, outputs = problem.output_type, problem.outputs
    if goal == FLOAT:
        return [_floats(outputs)]
    if goal == INT:
        spans = {"round_to_integer": (-0.5, 0.5), "truncate": (0.0, 1 - 1e-9), "ceiling": (1e-9 - 1, 0.0)}
        return [
            TargetNumber(outputs, _around(outputs, *span), (((name,),),), whole_number=())
            for name, span in spans.items()
        ]
    return list(_in_texts(problem)) if goal == STR else []


def _around(values: Sequence[float], below: float, above: float) -> tuple[Span, ...]:
    return tuple((value + below, value + above) for value in values)


def _floats(outputs: Sequence[float]) -> TargetNumber:
    decimals = max(map(decimal_places, outputs))
    if decimals > MOST_DECIMALS:
        return TargetNumber(tuple(outputs), tuple((y - 1e-9 * abs(y), y + 1e-9 * abs(y)) for y in outputs), ((),))
    half = 0.5 * 10.0**-decimals
    number = Constant(decimals, DECIMALS)
    rounded: tuple[Writing, ...] = ((("round_decimals", number),), (("round_half_up", number),))
    # Amounts of money are rounded even where no row needs it.
    ways: tuple[Writing, ...] = (*rounded, ()) if decimals == 2 else ((), *rounded)
    return TargetNumber(tuple(outputs), _around(outputs, -half * (1 + 1e-9), half * (1 + 1e-9)), ways)


def _in_texts(problem: SearchProblem) -> Iterator[TargetNumber]:
    # Where every row has a number with a sign, and some a plus, the sign is written with the number.
    signed = [SIGNED.findall(output) for output in problem.outputs]
    has_plus = all(signed) and any(text[0] == "+" for texts in signed for text in texts)
    found = signed if has_plus else [NUMBER.findall(output) for output in problem.outputs]
    if len({len(numbers) for numbers in found}) > 1:
        return
    inputs = [str(row) for row in problem.inputs]
    for texts in zip(*found, strict=True):
        # What stands in the inputs is copied, and what is always the same is written.
        copied = all(text in row for text, row in zip(texts, inputs, strict=True))
        if not copied and len(set(texts)) > 1:
            yield from _written(texts, tuple(texts) == tuple(problem.outputs))


def _written(texts: tuple[str, ...], is_whole: bool) -> Iterator[TargetNumber]:
    for form in (POINT, COMMA):
        matches = [form.fullmatch(text.removeprefix("+")) for text in texts]
        decimals = {len(match[1] or "") for match in matches if match is not None}
        if None in matches or max(decimals) > MOST_DECIMALS:
            continue
        plain = [text.replace("," if form is POINT else ".", "").replace(",", ".") for text in texts]
        most = max(decimals)
        half = 0.5 * 10.0**-most * (1 + 1e-9)
        turned = () if form is POINT else (("swap_separators",),)
        writings = tuple(_formats(texts, decimals, turned))
        whole = _whole_number(texts) if most == 0 else None
        yield TargetNumber(texts, _around([*map(float, plain)], -half, half), writings, is_whole, whole)
        return


def _whole_number(texts: Sequence[str]) -> Writing:
    if any(text[0] == "+" for text in texts):
        return (("format_integer", Constant("+d", INTEGER_FORMAT)),)
    return (("number_to_text",),)


def _formats(texts: Sequence[str], decimals: set[int], turned: Writing) -> Iterator[Writing]:
    grouped = "," if any(re.search(r"\d[.,]\d{3}[.,]|^\D*\d{1,3},\d{3}$", text) for text in texts) else ""
    sign = "+" if any(text[0] == "+" for text in texts) else ""
    most = max(decimals)
    if len(decimals) == 1:
        specification = Constant(f"{sign}{grouped}.{most}f", FLOAT_FORMAT)
        yield (("format_float", specification), *turned)
        yield (("round_half_up", Constant(most, DECIMALS)), ("format_float", specification), *turned)
    elif not (grouped or sign):
        yield (("round_decimals", Constant(most, DECIMALS)), ("float_to_shortest_text",), *turned)

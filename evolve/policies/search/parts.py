"""Parts of answers: patterns with inputs of their own that may become skills."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evolve.policies.search.programs.antiunify import instantiate
from evolve.policies.search.programs.terms import Apply, Input, Term, is_open, operations_in, walk
from evolve.policies.search.programs.types import BOOL, FLOAT, INT, STR, Type

LEAST_OPERATIONS = 2
"""A single operation is in the vocabulary already."""

MOST_INPUTS = 3
"""Every input multiplies the calls that a search tries."""


@dataclass(frozen=True, kw_only=True)
class AnswerPart:
    """A pattern out of an answer.

    Attributes:
        term: The pattern; input ``i`` is the part's own ``i``-th.
        inputs: Types of its inputs.
        output: Type of its value.
        arguments: What the answer passes for each input, over the answer's inputs.
        answer: The answer in which the part stands: the verified one, or one with the same values on the examples.
    """

    term: Term
    inputs: tuple[Type, ...]
    output: Type
    arguments: tuple[Term, ...]
    answer: Term

    @property
    def meaning(self) -> tuple[Term, tuple[Type, ...]]:
        """What makes it the same part in another answer."""
        return self.term, self.inputs


def part_of(pattern: Term, holes: Mapping[int, tuple[Type, Term]], output: Type, answer: Term) -> AnswerPart | None:
    """The part that a pattern is, or None where it is too small or takes or gives what no skill can.

    Args:
        pattern: A closed term whose inputs are all holes.
        holes: Type and filling by input.
        output: Type of the pattern.
        answer: Where it stands.
    """
    term, old = renumber_inputs(pattern)
    inputs = tuple(holes[place][0] for place in old)
    if not 1 <= len(inputs) <= MOST_INPUTS or len(operations_in(term)) < LEAST_OPERATIONS:
        return None
    if not all(map(is_plain, (*inputs, output))):
        return None
    arguments = tuple(holes[place][1] for place in old)
    return AnswerPart(term=term, inputs=inputs, output=output, arguments=arguments, answer=answer)


def renumber_inputs(term: Term) -> tuple[Term, tuple[int, ...]]:
    """The term with its inputs numbered from 0 in order of occurrence, and their old numbers."""
    old = tuple(dict.fromkeys(part.index for part in walk(term) if isinstance(part, Input)))
    return instantiate(term, {place: Input(i) for i, place in enumerate(old)}), old


def extractable_calls(term: Term) -> list[Apply]:
    """The distinct calls within a term that can be taken out of it, parents first."""
    return list(dict.fromkeys(part for part in walk(term) if isinstance(part, Apply) and not is_open(part)))


def is_plain(type_: Type) -> bool:
    """Whether values of the type are the same in JSON, so that a row of the part can be written down."""
    if type_.name == "list":
        return is_plain(type_.args[0])
    if type_.name == "dict":
        return type_.args[0] == STR and is_plain(type_.args[1])
    return type_ in (INT, FLOAT, BOOL, STR)

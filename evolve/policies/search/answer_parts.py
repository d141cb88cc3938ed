"""Parts of answers: patterns with inputs of their own that may become skills, and where they are cut.

A learned skill came from another problem, so where an answer calls one, two problems meet, and the rest of the
answer is a function of its own: what this problem adds to what was known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from evolve.policies.search.programs.antiunify import Typing, instantiate
from evolve.policies.search.programs.terms import (
    Apply,
    Input,
    Lambda,
    Term,
    is_open,
    operations_in,
    replace_subterm,
    size,
    walk,
)
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
    def identity_key(self) -> tuple[Term, tuple[Type, ...]]:
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
    if not all(map(_is_plain, (*inputs, output))):
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


def _is_plain(type_: Type) -> bool:
    """Whether values of the type are the same in JSON, so that a row of the part can be written down."""
    if type_.name == "list":
        return _is_plain(type_.args[0])
    if type_.name == "dict":
        return type_.args[0] == STR and _is_plain(type_.args[1])
    return type_ in (INT, FLOAT, BOOL, STR)


Same = Callable[[Term, Term], bool]
"""Whether two terms have the same value on every example."""


@dataclass(frozen=True, kw_only=True)
class PartCutter:
    """Cuts one answer at its calls of skills.

    Attributes:
        typing: Types of the answer's inputs and operations.
        skills: Names of the operations that are skills from other problems.
        same: Compares on the examples.
    """

    typing: Typing
    skills: frozenset[str]
    same: Same

    def cut_parts(self, answer: Term) -> Iterator[AnswerPart]:
        """What is left above, below and between the calls of skills, largest first."""
        calls = [call for call in extractable_calls(answer) if self._is_skill(call)]
        if not calls:
            return
        around = [answer, *(argument for call in calls for argument in call.args)]
        roots = dict.fromkeys(term for term in around if isinstance(term, Apply) and term not in calls)
        ordered = sorted(roots, key=lambda term: (-size(term), repr(term)))
        # The cheapest answer prefers the task's input to a call with the same value there, such as the same length.
        for root, version in [*((term, self._closer(term)) for term in ordered), *((term, term) for term in ordered)]:
            inputs: dict[Term, int] = {}
            pattern = self._with_inputs(version, inputs)
            holes = {index: (self.typing.type_of(term), term) for term, index in inputs.items()}
            part = part_of(pattern, holes, self.typing.type_of(version), _substituted(answer, root, version))
            if part is not None:
                yield part

    def _is_skill(self, term: Term) -> bool:
        return isinstance(term, Apply) and term.operation in self.skills and not is_open(term)

    def _with_inputs(self, term: Term, inputs: dict[Term, int]) -> Term:
        """The term with an input for each different call of a skill and input of the answer."""
        if isinstance(term, Input) or self._is_skill(term):
            return Input(inputs.setdefault(term, len(inputs)))
        if isinstance(term, Apply):
            return Apply(term.operation, tuple(self._with_inputs(arg, inputs) for arg in term.args))
        return Lambda(term.params, self._with_inputs(term.body, inputs)) if isinstance(term, Lambda) else term

    def _closer(self, root: Term) -> Term:
        """The term with calls of skills instead of inputs wherever no example shows a difference."""
        outside = list(self._cut_points(root, ()))
        for call in dict.fromkeys(term for _, term in outside if isinstance(term, Apply)):
            kind = self.typing.type_of(call)
            for path, term in outside:
                if isinstance(term, Input) and self.typing.type_of(term) == kind:
                    changed = replace_subterm(root, path, call)
                    root = changed if self.same(root, changed) else root
        return root

    def _cut_points(self, term: Term, at: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Term]]:
        """The inputs and the outermost calls of skills, with their paths."""
        if isinstance(term, Input) or self._is_skill(term):
            yield at, term
        elif isinstance(term, Apply):
            for i, arg in enumerate(term.args):
                yield from self._cut_points(arg, (*at, i))
        elif isinstance(term, Lambda):
            yield from self._cut_points(term.body, (*at, 0))


def _substituted(term: Term, old: Term, new: Term) -> Term:
    """The term with every occurrence of one sub-term replaced."""
    if term == old:
        return new
    if isinstance(term, Apply):
        return Apply(term.operation, tuple(_substituted(arg, old, new) for arg in term.args))
    return Lambda(term.params, _substituted(term.body, old, new)) if isinstance(term, Lambda) else term

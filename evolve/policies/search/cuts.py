"""What an answer has around its calls of learned skills.

A learned skill came from another problem, so where an answer calls one, two problems meet, and the rest of the
answer is a function of its own: what this problem adds to what was known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evolve.policies.search.parts import Part, part_of, places
from evolve.programs.antiunify import Typing
from evolve.programs.terms import Apply, Input, Lambda, Term, is_open, replace, size

Same = Callable[[Term, Term], bool]
"""Whether two terms have the same value on every example."""


@dataclass(frozen=True, kw_only=True)
class Cutter:
    """Cuts one answer at its calls of skills.

    Attributes:
        typing: Types of the answer's inputs and operations.
        skills: Names of the operations that are skills from other problems.
        same: Compares on the examples.
    """

    typing: Typing
    skills: frozenset[str]
    same: Same

    def parts(self, answer: Term) -> Iterator[Part]:
        """What is left above, below and between the calls of skills, largest first."""
        calls = [one for one in places(answer) if self._is_skill(one)]
        if not calls:
            return
        around = [answer, *(argument for call in calls for argument in call.args)]
        roots = dict.fromkeys(one for one in around if isinstance(one, Apply) and one not in calls)
        ordered = sorted(roots, key=lambda one: (-size(one), repr(one)))
        # The cheapest answer prefers the task's input to a call with the same value there, such as the same length.
        for root, version in [*((one, self._closer(one)) for one in ordered), *((one, one) for one in ordered)]:
            part = self._part(version, _with(answer, root, version))
            if part is not None:
                yield part

    def _is_skill(self, term: Term) -> bool:
        return isinstance(term, Apply) and term.operation in self.skills and not is_open(term)

    def _part(self, root: Term, answer: Term) -> Part | None:
        found: dict[Term, int] = {}
        pattern = self._holed(root, found)
        holes = {index: (self.typing.type_of(one), one) for one, index in found.items()}
        return part_of(pattern, holes, self.typing.type_of(root), answer)

    def _holed(self, term: Term, found: dict[Term, int]) -> Term:
        """The term with an input for each different call of a skill and input of the answer."""
        if isinstance(term, Input) or self._is_skill(term):
            return Input(found.setdefault(term, len(found)))
        if isinstance(term, Apply):
            return Apply(term.operation, tuple(self._holed(one, found) for one in term.args))
        return Lambda(term.params, self._holed(term.body, found)) if isinstance(term, Lambda) else term

    def _closer(self, root: Term) -> Term:
        """The term with calls of skills instead of inputs wherever no example shows a difference."""
        outside = list(self._outside(root, ()))
        for call in dict.fromkeys(one for _, one in outside if isinstance(one, Apply)):
            kind = self.typing.type_of(call)
            for path, one in outside:
                if isinstance(one, Input) and self.typing.type_of(one) == kind:
                    changed = replace(root, path, call)
                    root = changed if self.same(root, changed) else root
        return root

    def _outside(self, term: Term, at: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Term]]:
        """The inputs and the outermost calls of skills, with their paths."""
        if isinstance(term, Input) or self._is_skill(term):
            yield at, term
        elif isinstance(term, Apply):
            for i, one in enumerate(term.args):
                yield from self._outside(one, (*at, i))
        elif isinstance(term, Lambda):
            yield from self._outside(term.body, (*at, 0))


def _with(term: Term, old: Term, new: Term) -> Term:
    """The term with every occurrence of one sub-term replaced."""
    if term == old:
        return new
    if isinstance(term, Apply):
        return Apply(term.operation, tuple(_with(one, old, new) for one in term.args))
    return Lambda(term.params, _with(term.body, old, new)) if isinstance(term, Lambda) else term

"""Finds parts that a new answer shares with verified answers to other problems, and proposes them as skills.

Least general generalisation of pairs of sub-terms (Plotkin 1970) proposes patterns; what a pattern would save
where it occurs ranks them, as in Stitch (Bowers et al. 2023) and DreamCoder (Ellis et al. 2021). That two
problems need a part is why it is proposed, and no more: it is admitted like any other skill.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from evolve.policies.search.answer_parts import AnswerPart, PartCutter, extractable_calls, part_of, renumber_inputs
from evolve.policies.search.known_functions import TreeSkill, operation_name
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.antiunify import Typing, instantiate, least_general_pattern
from evolve.policies.search.programs.evaluation import compile_term
from evolve.policies.search.programs.operation import EVALUATION_ERRORS, Operation
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
    size,
    type_from_json,
    walk,
)
from evolve.policies.search.programs.types import Type

MOST_PARTS = 2
"""Parts of each origin proposed per answer; what is left out comes again with the next answer that has it."""


@dataclass(frozen=True, kw_only=True)
class _Site:
    """A call within an answer that can be taken out of it.

    Attributes:
        source: The task that was answered.
        inputs: Types of the answer's inputs.
    """

    source: str
    term: Apply
    type: Type
    inputs: tuple[Type, ...]


@dataclass(frozen=True, kw_only=True)
class _Shared:
    """A part with how many problems' answers have it and how many nodes it saves there, less its own."""

    part: AnswerPart
    problems: int
    saved: int


@dataclass(frozen=True, kw_only=True)
class VerifiedAnswers:
    """The verified answers behind the skills of a library.

    Attributes:
        operations: The vocabulary by name, the library's own included; columns of tables are not in it.
        skills: The task that each skill came from, by the name of its operation.
        trees: What each skill means, by the same name.
        sites: Their sub-terms by operation and type.
        wholes: What is a skill already, with the types of its inputs.
    """

    operations: Mapping[str, Operation]
    skills: Mapping[str, str]
    trees: Mapping[str, Term]
    sites: Mapping[tuple[str, Type], Sequence[_Site]]
    wholes: frozenset[tuple[Term, tuple[Type, ...]]]

    @classmethod
    def from_library(cls, library: Sequence[TreeSkill], operations: Sequence[Operation]) -> VerifiedAnswers:
        """Reads the trees of a library; one that cannot be read is left out."""
        known = {operation.name: operation for operation in operations}
        sites: dict[tuple[str, Type], list[_Site]] = defaultdict(list)
        trees: dict[str, Term] = {}
        wholes = set()
        for skill in library:
            try:
                term = from_json(skill.tree["term"])
                inputs = tuple(map(type_from_json, skill.tree["inputs"]))
                own_sites = _sites(skill.source, term, Typing(operations=known, inputs=inputs))
                wholes.add(_meaning_of(term, inputs))
            except (KeyError, ValueError, TypeError, IndexError):
                continue
            trees[operation_name(skill.entry)] = term
            for site in own_sites:
                sites[site.term.operation, site.type].append(site)
        sources = {operation_name(skill.entry): skill.source for skill in library}
        return cls(operations=known, skills=sources, trees=trees, sites=sites, wholes=frozenset(wholes))

    def parts_of(self, term: Term, problem: SearchProblem, source: str) -> tuple[AnswerPart, ...]:
        """The parts worth proposing: those shared with other answers, then what is left around calls of skills.

        Args:
            term: A verified answer.
            problem: Its examples.
            source: Its task. Other answers to it, and skills from it, say nothing of what recurs.
        """
        if not all(name in self.operations for name in operations_in(term)):
            return ()
        # Before anything is compared: what the answer shares may be hidden in a skill of its own.
        term = self._inlined(term, source)
        typing = Typing(operations=self.operations, inputs=problem.input_types)
        old = self.wholes | {_meaning_of(term, problem.input_types)}
        shared = self._shared_parts(term, typing, source, old)
        old |= {part.identity_key for part in shared}
        others = frozenset(name for name, task in self.skills.items() if task != source)
        cutter = PartCutter(typing=typing, skills=others, same=self._same_values(problem))
        rest = {part.identity_key: part for part in cutter.cut_parts(term) if part.identity_key not in old}
        return (*shared, *list(rest.values())[:MOST_PARTS])

    def _inlined(self, term: Term, source: str) -> Term:
        """The answer without calls of skills from its own task, which say nothing and hide what it shares.

        Answers of one batch do not know each other; this way they meet when a task is practised again.
        """
        if isinstance(term, Lambda):
            return Lambda(term.params, self._inlined(term.body, source))
        if not isinstance(term, Apply):
            return term
        args = tuple(self._inlined(arg, source) for arg in term.args)
        own = self.skills.get(term.operation) == source and term.operation in self.trees
        if own and not any(map(is_open, args)):  # an open argument could come to stand inside another lambda
            return self._inlined(instantiate(self.trees[term.operation], dict(enumerate(args))), source)
        return Apply(term.operation, args)

    def _same_values(self, problem: SearchProblem) -> Callable[[Term, Term], bool]:
        def values(term: Term) -> tuple[Any, ...] | None:
            meaning = compile_term(term, self.operations)
            try:
                return tuple(map(meaning, problem.inputs))
            except EVALUATION_ERRORS:
                return None

        return lambda left, right: values(left) is not None and values(left) == values(right)

    def _shared_parts(
        self, answer: Term, typing: Typing, source: str, old: Set[tuple[Term, tuple[Type, ...]]]
    ) -> tuple[AnswerPart, ...]:
        """The best shared parts; one inside a better one, or around it, is left out unless it occurs more often."""
        parts: dict[tuple[Term, tuple[Type, ...]], AnswerPart] = {}
        for site in _sites(source, answer, typing):
            for other in self._comparable_sites(site):
                part = self._generalised(answer, site, other)
                if part is not None and part.identity_key not in old:
                    parts.setdefault(part.identity_key, part)
        # The text breaks ties, so that the same parts are proposed everywhere.
        scored = [self._scored(part, source) for part in parts.values()]
        ranked = sorted(scored, key=lambda shared: (-shared.saved, -size(shared.part.term), repr(shared.part.term)))
        chosen: list[_Shared] = []
        for candidate in ranked:
            own = candidate.part.term
            around = (one for one in chosen if _holds(own, one.part.term) or _holds(one.part.term, own))
            if candidate.saved > 0 and all(candidate.problems > better.problems for better in around):
                chosen.append(candidate)
        return tuple(candidate.part for candidate in chosen[:MOST_PARTS])

    def _comparable_sites(self, site: _Site) -> Iterator[_Site]:
        """Sub-terms of other answers that may share something with this one."""
        seen = set()
        for other in self.sites.get((site.term.operation, site.type), ()):
            if other.source != site.source and (other.term, other.inputs) not in seen:
                seen.add((other.term, other.inputs))
                yield other

    def _generalised(self, answer: Term, site: _Site, other: _Site) -> AnswerPart | None:
        """What two sub-terms share. The inputs of two answers are different things, so each pair of them is a hole."""
        width = len(site.inputs)
        right = instantiate(other.term, {i: Input(width + i) for i in range(len(other.inputs))})
        typing = Typing(operations=self.operations, inputs=(*site.inputs, *other.inputs))
        pattern, holes = least_general_pattern(site.term, right, typing)
        return part_of(pattern, {hole.index: (hole.type, hole.left) for hole in holes}, site.type, answer)

    def _scored(self, part: AnswerPart, source: str) -> _Shared:
        assert isinstance(part.term, Apply)
        where = self.sites.get((part.term.operation, part.output), ())
        sources = {site.source for site in where if site.source != source and self._occurs(part, site)}
        own_size = sum(not isinstance(node, Input | Lambda) for node in walk(part.term))
        # A call is one node, passes each input once, and is harder to find for each input after the first.
        per_use = size(part.term) - 1 - len(part.inputs) - (len(part.inputs) - 1)
        return _Shared(part=part, problems=1 + len(sources), saved=(1 + len(sources)) * per_use - own_size)

    def _occurs(self, part: AnswerPart, site: _Site) -> bool:
        bindings: dict[int, Term] = {}
        if not _matches(part.term, site.term, bindings):
            return False
        typing = Typing(operations=self.operations, inputs=site.inputs)
        return all(typing.type_of(bindings[i]) == type_ for i, type_ in enumerate(part.inputs))


def _holds(term: Term, pattern: Term) -> bool:
    """Whether the pattern occurs within the term."""
    return any(_matches(pattern, place, {}) for place in extractable_calls(term))


def _meaning_of(term: Term, inputs: Sequence[Type]) -> tuple[Term, tuple[Type, ...]]:
    """What makes a whole answer the same as a part; see :attr:`AnswerPart.identity_key`."""
    pattern, old = renumber_inputs(term)
    return pattern, tuple(inputs[place] for place in old)


def _sites(source: str, term: Term, typing: Typing) -> list[_Site]:
    return [
        _Site(source=source, term=call, type=typing.type_of(call), inputs=typing.inputs)
        for call in extractable_calls(term)
    ]


def _matches(pattern: Term, term: Term, bindings: dict[int, Term]) -> bool:
    """Whether ``term`` is an instance of ``pattern``; ``bindings`` gets what stands for each input."""
    if isinstance(pattern, Input):
        return not is_open(term) and bindings.setdefault(pattern.index, term) == term
    if isinstance(pattern, Bound | Constant):
        return pattern == term
    if isinstance(pattern, Lambda):
        same = isinstance(term, Lambda) and term.params == pattern.params
    else:
        same = isinstance(term, Apply) and term.operation == pattern.operation
    pairs = zip(children(pattern), children(term), strict=False)
    return same and all(_matches(part, other, bindings) for part, other in pairs)

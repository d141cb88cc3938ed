"""Parts that a new answer shares with verified answers to other problems, as candidates for skills.

Least general generalisation of pairs of sub-terms (Plotkin 1970) proposes patterns; what a pattern would save
where it occurs ranks them, as in Stitch (Bowers et al. 2023) and DreamCoder (Ellis et al. 2021). That a part
recurs in answers to two problems is why it is proposed, and no more: it is admitted like any other skill.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evolve.policies.search.library import TreeSkill, operation_name
from evolve.programs.antiunify import Typing, generalise, instantiate
from evolve.programs.operation import Operation
from evolve.programs.terms import (
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
from evolve.programs.types import BOOL, FLOAT, INT, STR, Type

LEAST_OPERATIONS = 2
"""A single operation is in the vocabulary already."""

MOST_INPUTS = 3
"""Every input multiplies the calls that a search tries."""

MOST_PARTS = 2
"""Parts proposed per answer; what is left out comes again with the next answer that has it."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """A pattern that several answers share.

    Attributes:
        term: The pattern; input ``i`` is the part's own ``i``-th.
        inputs: Types of its inputs.
        output: Type of its value.
        arguments: What the new answer passes for each input, over the answer's inputs.
        problems: In how many problems' answers it occurs, the new one included.
        saved: Nodes that answers get shorter by, all in all, less those of the part itself.
    """

    term: Term
    inputs: tuple[Type, ...]
    output: Type
    arguments: tuple[Term, ...]
    problems: int
    saved: int


@dataclass(frozen=True, kw_only=True)
class _Site:
    """A closed sub-term of a known answer."""

    source: str
    term: Term
    type: Type
    inputs: tuple[Type, ...]


@dataclass(kw_only=True)
class Answers:
    """The verified answers behind the skills of a library, by the operations at the roots of their sub-terms.

    Attributes:
        operations: The vocabulary by name, the library's own included; columns of tables are not in it.
    """

    operations: Mapping[str, Operation]
    skills: frozenset[str] = frozenset()
    sites: dict[tuple[str, Type], list[_Site]] = field(default_factory=lambda: defaultdict(list))
    wholes: set[tuple[Term, tuple[Type, ...]]] = field(default_factory=set)

    @classmethod
    def of(cls, library: Iterable[TreeSkill], operations: Sequence[Operation]) -> Answers:
        """Reads the trees of a library; one that cannot be read is left out."""
        known = tuple(library)
        names = frozenset(operation_name(skill.entry) for skill in known)
        answers = cls(operations={one.name: one for one in operations}, skills=names)
        for skill in known:
            try:
                term = from_json(skill.tree["term"])
                inputs = tuple(map(type_from_json, skill.tree["inputs"]))
                answers._add(skill.source, term, inputs)
            except (KeyError, ValueError, TypeError, IndexError):
                continue
        return answers

    def _add(self, source: str, term: Term, inputs: tuple[Type, ...]) -> None:
        typing = Typing(operations=self.operations, inputs=inputs)
        for site in _sites(source, term, typing):
            assert isinstance(site.term, Apply)
            self.sites[site.term.operation, site.type].append(site)
        pattern, types, _ = _numbered(term, dict(enumerate(inputs)))
        self.wholes.add((pattern, types))

    def parts(self, term: Term, inputs: tuple[Type, ...], source: str) -> tuple[Part, ...]:
        """The parts worth proposing, best first.

        Args:
            term: A verified answer.
            inputs: Types of its inputs.
            source: Its task. Answers to the same task say nothing of what recurs.
        """
        if not all(name in self.operations for name in operations_in(term)):
            return ()
        whole, types, _ = _numbered(term, dict(enumerate(inputs)))
        not_new = self.wholes | {(whole, types)}
        ranked: dict[tuple[Term, tuple[Type, ...]], Part] = {}
        for site in _sites(source, term, Typing(operations=self.operations, inputs=inputs)):
            for other in self._alike(site):
                part = self._shared(site, other)
                if part is None or (part.term, part.inputs) in not_new:
                    continue
                ranked.setdefault((part.term, part.inputs), part)
        counted = [self._counted(part, source) for part in ranked.values()]
        shared = _chosen(sorted((one for one in counted if one.saved > 0), key=_rank))
        rest = [one for one in self._between(term, inputs) if (one.term, one.inputs) not in not_new]
        new = [one for one in rest if all((one.term, one.inputs) != (known.term, known.inputs) for known in shared)]
        return (*shared, *sorted(new, key=_rank)[:MOST_PARTS])

    def _between(self, term: Term, inputs: tuple[Type, ...]) -> Iterator[Part]:
        """What an answer has above, below and between its calls of skills."""
        calls = [one for one in _places(term) if isinstance(one, Apply) and one.operation in self.skills]
        if not calls:
            return
        typing = Typing(operations=self.operations, inputs=inputs)
        roots = [term, *(argument for call in calls for argument in call.args)]
        for root in dict.fromkeys(one for one in roots if one not in calls and not is_open(one)):
            holes: dict[Term, int] = {}
            pattern = self._cut(root, holes)
            found = list(holes)
            kinds = {i: typing.type_of(one) for i, one in enumerate(found)}
            fragment, types, places = _numbered(pattern, kinds)
            output = typing.type_of(root)
            if _is_part(fragment, types, output):
                arguments = tuple(found[place] for place in places)
                yield Part(term=fragment, inputs=types, output=output, arguments=arguments, problems=1, saved=0)

    def _cut(self, term: Term, holes: dict[Term, int]) -> Term:
        """The term with an input for each call of a skill and for each input of the answer."""
        if isinstance(term, Input) or (isinstance(term, Apply) and term.operation in self.skills and not is_open(term)):
            return Input(holes.setdefault(term, len(holes)))
        if isinstance(term, Apply):
            return Apply(term.operation, tuple(self._cut(one, holes) for one in term.args))
        return Lambda(term.params, self._cut(term.body, holes)) if isinstance(term, Lambda) else term

    def _alike(self, site: _Site) -> Iterator[_Site]:
        assert isinstance(site.term, Apply)
        seen = set()
        for other in self.sites.get((site.term.operation, site.type), ()):
            if other.source != site.source and (other.term, other.inputs) not in seen:
                seen.add((other.term, other.inputs))
                yield other

    def _shared(self, site: _Site, other: _Site) -> Part | None:
        """What two sub-terms share; the inputs of the two are different things, so each pair of them is a hole."""
        width = len(site.inputs)
        right = instantiate(other.term, {i: Input(width + i) for i in range(len(other.inputs))})
        typing = Typing(operations=self.operations, inputs=(*site.inputs, *other.inputs))
        pattern, holes = generalise(site.term, right, typing)
        term, types, places = _numbered(pattern, {hole.index: hole.type for hole in holes})
        if not _is_part(term, types, site.type):
            return None
        left = {hole.index: hole.left for hole in holes}
        arguments = tuple(left[place] for place in places)
        return Part(term=term, inputs=types, output=site.type, arguments=arguments, problems=0, saved=0)

    def _counted(self, part: Part, source: str) -> Part:
        """The part with how often it occurs and what it saves."""
        assert isinstance(part.term, Apply)
        where = self.sites.get((part.term.operation, part.output), ())
        sources = {site.source for site in where if site.source != source and self._occurs(part, site)}
        own = sum(not isinstance(one, Input) for one in walk(part.term) if not isinstance(one, Lambda))
        each = own - 1 - (len(part.inputs) - 1)
        problems = 1 + len(sources)
        return Part(
            term=part.term,
            inputs=part.inputs,
            output=part.output,
            arguments=part.arguments,
            problems=problems,
            saved=problems * each - own,
        )

    def _occurs(self, part: Part, site: _Site) -> bool:
        found: dict[int, Term] = {}
        if not _matches(part.term, site.term, found):
            return False
        typing = Typing(operations=self.operations, inputs=site.inputs)
        return all(typing.type_of(found[i]) == type_ for i, type_ in enumerate(part.inputs))


def _is_part(term: Term, inputs: Sequence[Type], output: Type) -> bool:
    """Whether the term is large enough, and takes and gives what a skill can."""
    if not 1 <= len(inputs) <= MOST_INPUTS or len(operations_in(term)) < LEAST_OPERATIONS:
        return False
    return all(map(_is_plain, (*inputs, output)))


def _rank(part: Part) -> tuple[int, int, str]:
    return -part.saved, -size(part.term), repr(part.term)


def _chosen(ranked: Iterable[Part]) -> tuple[Part, ...]:
    """The best parts; one inside a better one, or around it, is left out unless it occurs more often."""
    kept: list[Part] = []
    for part in ranked:
        if all(part.problems > better.problems or not _overlap(part, better) for better in kept):
            kept.append(part)
    return tuple(kept[:MOST_PARTS])


def _overlap(one: Part, other: Part) -> bool:
    return _holds(one.term, other.term) or _holds(other.term, one.term)


def _holds(term: Term, pattern: Term) -> bool:
    return any(_matches(pattern, place, {}) for place in _places(term))


def _sites(source: str, term: Term, typing: Typing) -> list[_Site]:
    return [_Site(source=source, term=one, type=typing.type_of(one), inputs=typing.inputs) for one in _places(term)]


def _places(term: Term) -> list[Term]:
    """The distinct calls within a term that can be taken out of it."""
    return list(dict.fromkeys(one for one in walk(term) if isinstance(one, Apply) and not is_open(one)))


def _matches(pattern: Term, term: Term, found: dict[int, Term]) -> bool:
    """Whether ``term`` is an instance of ``pattern``; ``found`` gets what stands for each input."""
    if isinstance(pattern, Input):
        return not is_open(term) and found.setdefault(pattern.index, term) == term
    if isinstance(pattern, Bound | Constant):
        return pattern == term
    if isinstance(pattern, Lambda):
        same = isinstance(term, Lambda) and term.params == pattern.params
    else:
        same = isinstance(term, Apply) and term.operation == pattern.operation
    pairs = zip(children(pattern), children(term), strict=False)
    return same and all(_matches(one, other, found) for one, other in pairs)


def _numbered(term: Term, types: Mapping[int, Type]) -> tuple[Term, tuple[Type, ...], tuple[int, ...]]:
    """The term with its inputs numbered from 0 in order of occurrence, their types, and their old numbers."""
    old = tuple(dict.fromkeys(one.index for one in walk(term) if isinstance(one, Input)))
    renumbered = instantiate(term, {place: Input(i) for i, place in enumerate(old)})
    return renumbered, tuple(types[place] for place in old), old


def _is_plain(type_: Type) -> bool:
    """Whether values of the type are the same in JSON, so that a row of the part can be written down."""
    if type_.name == "list":
        return _is_plain(type_.args[0])
    if type_.name == "dict":
        return type_.args[0] == STR and _is_plain(type_.args[1])
    return type_ in (INT, FLOAT, BOOL, STR)

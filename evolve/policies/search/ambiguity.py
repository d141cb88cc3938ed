"""What the rows of an answer leave open: the question worth asking, and whether every row was needed.

A function that was chosen because of the row that refused another one has that row for itself. It is well founded only
where the other rows would have led to it too (the jackknife of Quenouille 1949, over examples).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evolve.core.episodes import Ambiguity, Json, Row, TaskView
from evolve.core.errors import ModelMistake
from evolve.policies.base import Ambiguities
from evolve.policies.search.alternatives import (
    MAX_DEARER,
    UNDEFINED,
    AnsweredProblem,
    Rival,
    Values,
    inputs_of,
    rivals_of,
)
from evolve.policies.search.answers import answer_source
from evolve.policies.search.enumerator import near_values, output_matcher
from evolve.policies.search.meter import SearchMeter
from evolve.policies.search.probe_inputs import probe_inputs
from evolve.policies.search.problem import SearchProblem, problem_from_rows, problem_of
from evolve.policies.search.programs.evaluation import compile_term, value_or
from evolve.policies.search.programs.operation import Operation
from evolve.policies.search.programs.terms import Apply, Constant, Lambda, Term, replace_subterm, subterm_paths
from evolve.policies.search.programs.types import as_type, match, thaw_value
from evolve.policies.search.searcher import Searcher, Vocabulary
from evolve.policies.search.tie_breaks import goes_with_accents, is_accented
from evolve.tasks.likeness import InputProfile

CONTESTS = 1
"""Score up to which a rival contests an answer: how much dearer it is, and how unlikely what tells them apart.

Chosen on tasks of the shipped suites with three rows shown and three to decide, so that few right answers are doubted;
``benchmarks.everyday_use`` measures what comes of it."""
ASKS = 3
"""Score up to which a rival is worth a question, where there is a person to ask."""
MARKS = 2
"""Price up to which a rival makes values doubtful that nothing verified; chosen as above, with three rows in all."""
PLAINER = -1
"""Lowest price that counts: programs put together of parts have prices far above those found whole."""
UNLIKE = CONTESTS - MAX_DEARER
"""How unlikely an input is that is wanted and unlike every row: there, less plain rivals count as well."""
_PROBES = 12
"""Inputs on which every expression is computed."""
_COLUMN = 100
"""Inputs without outputs that tell what values of an argument are like."""
_MOST = 8
"""Rivals that are given."""


@dataclass(frozen=True, kw_only=True)
class _Difference:
    """Where a rival and the answer differ.

    Attributes:
        breaks: The rival fails for letters with accents, which inputs have whose output is wanted.
        score: How much dearer the rival is, and how unlikely the input.
        given: The input is one whose output is wanted, and none that was made up.
    """

    rival: Rival
    score: int
    given: bool
    input: Values
    values: tuple[object, object]
    breaks: bool = False


def doubts_about(
    term: Term,
    view: TaskView,
    unlabelled: Sequence[Sequence[Json]],
    vocabulary: Vocabulary,
    meter: SearchMeter,
) -> Ambiguities:
    """What else fits the rows of ``view`` and gives other values where outputs are wanted, or on inputs near the rows.

    Args:
        view: Its examples are all rows that are known.
        unlabelled: Inputs whose outputs are wanted.
    """
    try:
        problem = problem_of(view)
    except ModelMistake:
        return Ambiguities()
    vocabulary.grammars_of(problem)  # makes the columns of this problem's tables known as operations
    answered = AnsweredProblem(term=term, problem=problem, vocabulary=vocabulary)
    if not output_matcher(problem.output_type, problem.outputs)(answered.values_of(term, problem.inputs)):
        return Ambiguities()  # a value of another type than the visible rows have, say
    wanted = _typed(problem, unlabelled)
    likeness = InputProfile.from_rows(problem.inputs)
    used = inputs_of(term)
    far = {
        **probe_inputs(problem, wanted[:_COLUMN]),
        **{one: UNLIKE if likeness.novelty_reason(one, used) else 0 for one in wanted},
    }
    # What is unlike the rows tells the most programs apart, and what is made up fills the room that is left.
    wanted.sort(key=far.__getitem__)
    probed = [*wanted[: _PROBES - 2], *(probe for probe in far if probe not in set(wanted))][:_PROBES]
    found = [rival for rival in rivals_of(answered, probed, list(far), meter) if _stays(rival, used)]
    differences = _differences(answered, found, far, set(wanted))
    founded = [one for one in differences if not _is_needless(answered, one)]
    best = min(founded or differences, key=lambda one: (one.score, not one.given), default=None)
    contested = bool(founded) and best is not None and best.score <= CONTESTS
    told = [one for one in founded if one.given]
    alike = [one for one in told if one.rival.dearer <= MARKS]
    return Ambiguities(
        likely=_sources([one for one in told if one.rival.dearer <= CONTESTS], view, vocabulary),
        rivals=_sources(alike, view, vocabulary),
        distant=_sources(
            [one for one in differences if one.given and one not in alike and not one.breaks], view, vocabulary
        ),
        question=_question(best, view, vocabulary) if best is not None and best.score <= ASKS else None,
        contested=contested,
    )


def first_programs(view: TaskView, vocabulary: Vocabulary, meter: SearchMeter, combine: bool) -> str:
    """The function that a search for all rows finds first; "" where it finds none."""
    try:
        searcher = Searcher(problem_of(view), vocabulary, {}, meter, combine)
    except ModelMistake:
        return ""
    return next((answer_source(one.term, view, vocabulary) for one in searcher.programs()), "")


def _sources(differences: Sequence[_Difference], view: TaskView, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The sources of the rivals, those that differ elsewhere than the ones before first."""
    first = {one.input: one for one in reversed(differences)}
    chosen = [*first.values(), *differences]
    return tuple(dict.fromkeys(answer_source(one.rival.term, view, vocabulary) for one in chosen[: 2 * _MOST]))[:_MOST]


def _stays(rival: Rival, used: set[int]) -> bool:
    """Whether a rival is to be thought of: an input that the answer does without must make it no dearer."""
    return rival.dearer <= 0 or inputs_of(rival.term) <= used


def _typed(problem: SearchProblem, inputs: Sequence[Sequence[Json]]) -> list[Values]:
    """The inputs as the search has them, each once, without those of another form and those that a row has."""
    typed: dict[Values, None] = {}
    for one in inputs:
        try:
            typed.setdefault(tuple(as_type(v, t) for v, t in zip(one, problem.input_types, strict=True)))
        except (ValueError, TypeError):
            continue
    known = set(problem.inputs)
    return [one for one in typed if one not in known]


def _differences(
    answered: AnsweredProblem, rivals: Sequence[Rival], far: dict[Values, int], wanted: set[Values]
) -> list[_Difference]:
    """The likeliest difference of each rival. Nobody can choose between a value and none, so that is no difference."""
    every = list(far)
    plain = [one for one in every if not is_accented(one)]
    is_whole = len(plain) < len(every) and goes_with_accents(answered, answered.term)
    differences = []
    for rival in rivals:
        # what breaks on letters with accents is no other reading of a row that has them
        breaks = is_whole and not goes_with_accents(answered, rival.term)
        inputs = plain if breaks else every
        own, others = answered.values_of(answered.term, inputs), answered.values_of(rival.term, inputs)
        pairs = enumerate(zip(own, others, strict=True))
        places = [n for n, (a, b) in pairs if UNDEFINED not in (a, b) and not near_values(a, b)]
        if places:
            first = min(places, key=lambda n: (far[inputs[n]], inputs[n] not in wanted))
            differences.append(
                _Difference(
                    rival=rival,
                    score=max(PLAINER, rival.dearer) + far[inputs[first]] + rival.aside * (inputs[first] not in wanted),
                    given=inputs[first] in wanted,
                    input=inputs[first],
                    values=(own[first], others[first]),
                    breaks=breaks,
                )
            )
    return differences


def _is_needless(answered: AnsweredProblem, one: _Difference) -> bool:
    """Whether the rival differs there only by an operation that no row asks for.

    Without that operation it is right on all rows too, and gives there what the answer gives.
    """
    problem = answered.problem
    fits = output_matcher(problem.output_type, problem.outputs)
    return any(
        near_values(answered.values_of(less, (one.input,))[0], one.values[0])
        and fits(answered.values_of(less, problem.inputs))
        for less in _with_an_operation_less(one.rival.term, answered.vocabulary.by_name)
    )


def _question(one: _Difference, view: TaskView, vocabulary: Vocabulary) -> Ambiguity:
    first, second = one.values
    return Ambiguity(
        input=tuple(map(thaw_value, one.input)),
        outputs=(thaw_value(first), thaw_value(second)),
        code=answer_source(one.rival.term, view, vocabulary),
    )


def _with_an_operation_less(term: Term, operations: Mapping[str, Operation]) -> Iterator[Term]:
    """The term with one of its operations, outside lambdas too, replaced by a value of the same type that it takes.

    An operation that leaves every row as it is, or whose effect on every row is lost further out, was asked for by no
    row. To the rows it is a mutant that no test kills (DeMillo, Lipton & Sayward 1978). A list in whose place stands a
    text would often have a value too, such as whether a word is in it.
    """
    for path, part in subterm_paths(term):
        if isinstance(part, Apply):
            operation = operations[part.operation]
            for given, kind in zip(part.args, operation.params, strict=True):
                fits = match(kind, operation.result, {}) or match(operation.result, kind, {})
                if fits and not isinstance(given, Lambda | Constant):
                    yield replace_subterm(term, path, given)


LEAST_CANDIDATES = 400_000
"""Candidates that all searches together may compute, however soon the answer was found."""
_MARGIN = 1.5
"""One search may compute so many times the candidates that the answer took."""

MakeSearcher = Callable[[SearchProblem, int], Searcher]
"""A search over a problem, within so many candidates."""


@dataclass
class LeaveOneOutSearches:
    """The searches behind one answer, each with all rows but one.

    Attributes:
        rows: All rows of the task.
        inputs: Further inputs on which two functions are compared, such as the other rows of a table.
        took: Candidates that the answer took to be found.
        most: Candidates that all searches together may compute at most, or None.
        used: Candidates that were computed here.
        work: Work units of them.
        reached: Whether every search came to a program.
    """

    term: Term
    rows: Sequence[Row]
    vocabulary: Vocabulary
    make: MakeSearcher
    took: int
    most: int | None = None
    inputs: Sequence[Sequence[Json]] = ()
    used: int = 0
    work: int = 0
    reached: bool = True
    _problem: SearchProblem = field(init=False)

    def __post_init__(self) -> None:
        self._problem = problem_from_rows(self.rows, "rows")
        self._left = max(LEAST_CANDIDATES, 2 * self.took)
        if self.most is not None:
            self._left = min(self._left, self.most)

    def decisive_row(self, places: Sequence[int]) -> int | None:
        """The first of these rows without which another function is found; None where there is none."""
        for place in places:
            # The first program that fits all other rows
            rest = self._problem.with_examples([n for n in range(len(self.rows)) if n != place])
            searcher = self.make(rest, min(self._left, int(self.took * _MARGIN) + 2_000))
            found = next(searcher.programs(), None)
            self.used += searcher.meter.used
            self.work += searcher.meter.work
            self._left = max(0, self._left - searcher.meter.used)
            other = None if found is None else found.term
            if other is None:
                self.reached = False
                return None
            if other != self.term and not self._alike(other):
                return place
        return None

    def _alike(self, other: Term) -> bool:
        return same_values(self.term, other, (*self._problem.inputs, *self._further()), self.vocabulary)

    def _further(self) -> list[tuple[Any, ...]]:
        types = self._problem.input_types
        fitting = [row for row in self.inputs if len(row) == len(types)]
        try:
            return [tuple(as_type(value, kind) for value, kind in zip(row, types, strict=True)) for row in fitting]
        except (KeyError, TypeError, ValueError):
            return []


def same_values(term: Term, other: Term, inputs: Sequence[tuple[Any, ...]], vocabulary: Vocabulary) -> bool:
    """Whether two programs give the same on these inputs, or both no value."""
    own, others = (compile_term(one, vocabulary.by_name) for one in (term, other))
    return all(near_values(value_or(own, row, None), value_or(others, row, None)) for row in inputs)

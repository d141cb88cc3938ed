"""Rows that speak against a plain function which all others follow, and the nearest answer where none fits.

Such a row may be mistyped. A program that fits all rows but one is handed in, with that row named, where whatever fits
every row costs more than the row would: the row's price is what naming it as an exception is worth (two-part minimum
description length, Rissanen 1978).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from evolve.core.episodes import Action, BudgetEnd, Cost, Json, Limits, OutlierRow, Step, TaskView
from evolve.core.reasons import Reason, reason
from evolve.policies.search.ambiguity import same_values
from evolve.policies.search.answers import answer_source
from evolve.policies.search.enumerator import output_equality
from evolve.policies.search.episode_search import EpisodeSearch
from evolve.policies.search.leaves import texts_in
from evolve.policies.search.meter import SearchMeter, is_over
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.evaluation import compile_term, value_or
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.operations.relevance import LONGEST_FOR_PATTERNS, too_long_for_patterns
from evolve.policies.search.programs.terms import Term, from_json, operations_in, to_json
from evolve.policies.search.programs.types import thaw_value
from evolve.policies.search.searcher import Searcher, Solution, Vocabulary

FEWEST_ROWS = 5
"""Rows below which no program is said to fit all but one; where few values occur, twice as many less two."""
FEWEST_SEEN = 3
"""The same where one slip of the hand explains the row, unseen rows judge the program, and all rows together are more.
What is further from its value than a slip may follow another rule that so few rows do not show."""
FEW_VALUES = 3
ROW_PRICE = 12
"""Price of a row that is named as an exception."""
RARE = 256
"""A row is worth eight bits: what fits it too has to be found within so many times the candidates."""
PATIENCE = 20_000
"""Candidates before rows are left out, and most candidates of each search without a row."""
SHARE, REST = 0.1, 0.5
"""Share of what is left that all searches without a row may take, and then that the search for what fits every row may:
where the unseen rows refuse the program, something has to be left to learn from the row that they show."""
SOON = 5_000
"""A program without a condition that is found within so many candidates is not doubted."""
ENOUGH_UNSEEN, OF_A_SLIP = 3, 2
"""Unseen rows that judge such a program, and where a slip explains the row; where there are fewer, the visible rows
have to agree one by one."""


@dataclass
class NearMissSearch(EpisodeSearch):
    """A search of a person's own run.

    Attributes:
        make: A search over other rows with a meter of its own.
        unseen: How many rows nobody was shown.
        earlier: Programs that were refused before the last row was shown, which may be the one that is mistyped.
        near: The cheapest program that fits all rows but one, once it was looked for.
        partly: All programs that were found to fit all rows but one.
    """

    make: Callable[[SearchProblem, SearchMeter], Searcher] | None = None
    unseen: int = 0
    earlier: Sequence[Solution] = ()
    near: Solution | None = None
    looked: bool = False
    partly: list[Solution] = field(default_factory=list)
    _each: int = field(default=PATIENCE, init=False)

    def next_program(self, limits: Limits) -> Solution | None:
        """As :meth:`EpisodeSearch.next_program`; a program that fits all rows but one has the place of that row."""
        self.steps_seen += 1
        self.open(limits)
        if self.waiting:
            return self.waiting.pop(0)
        if self.looked or not self._has_rows():
            return self.take_program()
        self.searcher.pause_at = self.meter.used + PATIENCE
        solution = self.take_program()
        self.searcher.pause_at = None
        if solution is not None and (solution.candidates <= SOON and "choose" not in operations_in(solution.term)):
            return solution
        self.looked = True
        self.near = self._nearest()
        if self.near is None:
            return solution or self.take_program()
        bound = self.near.cost + ROW_PRICE
        if solution is None:
            self.searcher.dearest = bound
            rest = int(REST * (self.meter.limit - self.meter.used))
            self.searcher.pause_at = self.meter.used + min(rest, max(5 * PATIENCE, RARE * self.near.candidates))
            solution = self.take_program()
            self.searcher.pause_at = self.searcher.dearest = None
            solution = solution or self._awaited(bound)
        if solution is not None and solution.cost <= bound:
            return solution
        if solution is not None:
            self.waiting.append(solution)
        return self.near

    def _awaited(self, bound: int) -> Solution | None:
        """A program for every row that the search has and would give at its end, within a price."""
        for solution in self.searcher.pending_solutions():
            if solution.cost <= bound and solution.term not in self.done and not self.is_refused(solution.term):
                self.done.add(solution.term)
                return solution
        return None

    def _has_rows(self) -> bool:
        count, values = len(self.problem.outputs), len({repr(value) for value in self.problem.outputs})
        if self.make is None:
            return False
        if values <= min(FEW_VALUES, count - 1):
            return count >= 2 * FEWEST_ROWS - 2
        judged = self.unseen >= OF_A_SLIP and count + self.unseen > FEWEST_ROWS
        return count >= (FEWEST_SEEN if judged else FEWEST_ROWS)

    def _nearest(self) -> Solution | None:
        """The cheapest program that fits all rows but one, where the other rows bear it."""
        places = range(len(self.problem.outputs))
        self._each = min(PATIENCE, int(SHARE * (self.meter.limit - self.meter.used) / len(places)))
        self.partly = [near for place in places if (near := self._without(place)) is not None]
        self.partly += [*self.searcher.all_but_one(), *self._nearly_right()]
        for near in sorted(self.partly, key=lambda one: one.cost):
            slipped = self._is_slip(near)
            if len(places) < FEWEST_ROWS and not slipped:
                continue
            if self.unseen >= (OF_A_SLIP if slipped else ENOUGH_UNSEEN) or self._is_steady(near):
                return near
        return None

    def _is_slip(self, near: Solution) -> bool:
        """Whether the row says what the program gives but for one character, or two that changed places."""
        assert near.misfit is not None
        meaning = compile_term(near.term, self.searcher.vocabulary.by_name)
        value = value_or(meaning, self.problem.inputs[near.misfit], None)
        return is_one_typo_apart(_written(self.problem.outputs[near.misfit]), _written(value))

    def _without(self, *places: int) -> Solution | None:
        """The first program that fits the rows but for these; its misfit is the first of them."""
        assert self.make is not None
        left = min(self._each, self.meter.limit - self.meter.used)
        if left <= 0:
            return None
        own = self.meter
        meter = SearchMeter(limit=left, deadline=own.deadline, ends=own.ends, cancellation=own.cancellation)
        rest = self.problem.with_examples([n for n in range(len(self.problem.outputs)) if n not in places])
        solution = next(self.make(rest, meter).programs(), None)
        self.meter.add(meter)
        return None if solution is None else replace(solution, misfit=places[0])

    def _nearly_right(self) -> Iterator[Solution]:
        """Earlier programs that fit all rows but one, and were found as soon as one without a row would be."""
        same = output_equality(self.problem.output_type)
        for solution in self.earlier:
            meaning = compile_term(solution.term, self.searcher.vocabulary.by_name)
            pairs = zip(self.problem.inputs, self.problem.outputs, strict=True)
            wrong = [n for n, (row, out) in enumerate(pairs) if not same(value_or(meaning, row, None), out)]
            if len(wrong) == 1 and solution.candidates <= PATIENCE:
                yield replace(solution, misfit=wrong[0])

    def _is_steady(self, near: Solution) -> bool:
        """Whether leaving out any further row leads to the same function."""
        assert near.misfit is not None
        others = [n for n in range(len(self.problem.outputs)) if n != near.misfit]
        inputs = [self.problem.inputs[n] for n in others]
        for place in others:
            other = self._without(near.misfit, place)
            if other is None or not same_values(near.term, other.term, inputs, self.searcher.vocabulary):
                return False
        return True


def is_one_typo_apart(one: str, other: str) -> bool:
    """Whether texts differ in one character that is missing, added or another, or in two that changed places.

    The slips of Damerau (1964).
    """
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return max(len(one), len(other)) == 1 or (len(one) == 2 and one == other[::-1])


def _written(value: object) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def refused_programs(steps: Sequence[Step]) -> tuple[Solution, ...]:
    """The programs of steps whose answer was refused."""
    parts = [
        step.action.private for step in steps if step.judgement is not None and "candidates" in step.action.private
    ]
    return tuple(
        Solution(term=from_json(part["tree"]), cost=int(part["price"]), candidates=int(part["candidates"]))
        for part in parts
    )


_BY = {
    "clock": "stopped by the clock after {used} candidates: no program found",
    "memory": "no program within {used} candidates, and the search can keep no more of them",
    "price": "no program among all {used} candidates up to the highest price",
}
_OF_EACH = 4
"""Rows of each category of which about half are kept back, and the others suffice for a branch."""
_NAMED = 3
"""Foreign words that are named."""
_ENOUGH = 3
"""Rows below which what a longer search finds is more likely chance than meant."""
_WORD = re.compile(r"[^\W\d_]{2,}|\d+")


def no_answer_action(search: NearMissSearch, spent: Cost) -> Action:
    """That nothing was found, and what ended it."""
    over = BudgetEnd() if is_over(search.meter.ends) else None
    return Action(kind="finish", text=_failure_text(search.meter, search.problem), ended=over, cost=spent)


def nearest_action(view: TaskView, search: NearMissSearch, spent: Cost) -> Action:
    """The same with what came nearest, the rows that it fails, and what would help."""
    action, term, vocabulary = no_answer_action(search, spent), _nearest(search), search.searcher.vocabulary
    misfits = () if term is None else _misfits_of(term, search.problem, view, vocabulary)
    foreign = list(dict.fromkeys(_foreign(search.problem, misfits)))[:_NAMED]
    return replace(
        action,
        advice=_advice(search.problem, misfits, foreign),
        lacking=bool(foreign) or len(search.problem.outputs) < _ENOUGH,
        nearest="" if term is None else answer_source(term, view, vocabulary),
        misfits=misfits,
    )


def near_miss_action(
    view: TaskView, search: NearMissSearch, solution: Solution, spending: tuple[Limits, Cost]
) -> Action:
    """A program that fits all rows but one, handed in with that row; ``spending`` is what it might cost and did."""
    limits, spent = spending
    return Action(
        kind="code",
        code=answer_source(solution.term, view, search.searcher.vocabulary),
        text=f"a program of price {solution.cost} that fits all rows but one",
        private={"tree": to_json(solution.term), "price": solution.cost, "candidates": solution.candidates},
        misfits=_misfits_of(solution.term, search.problem, view, search.searcher.vocabulary),
        allowed=Limits(candidates=limits.candidates, seconds=None),
        cost=spent,
    )


def _misfits_of(term: Term, problem: SearchProblem, view: TaskView, vocabulary: Vocabulary) -> tuple[OutlierRow, ...]:
    """The examples that a program does not reproduce, in their order."""
    meaning, same = compile_term(term, vocabulary.by_name), output_equality(problem.output_type)
    found = []
    for row, inputs, wanted in zip(view.examples, problem.inputs, problem.outputs, strict=True):
        got: Json
        right = False
        try:
            value = meaning(inputs)
            right, got = same(value, wanted), thaw_value(value)
        except EVALUATION_ERRORS as error:
            got = {"error": f"{type(error).__name__}: {error}"}
        if not right:
            found.append(OutlierRow(input=row.input, given=row.output, expected=got))
    return tuple(found)


def _nearest(search: NearMissSearch) -> Term | None:
    """The program that reproduces most examples, more than half of them; among those the cheapest."""
    if search.partly:
        return min(search.partly, key=lambda one: one.cost).term
    return search.searcher.nearest_program()


def _advice(problem: SearchProblem, misfits: Sequence[OutlierRow], foreign: Sequence[str]) -> Reason:
    """What would help a search that found nothing."""
    if foreign:
        if len(set(problem.outputs)) < len(problem.outputs):  # categories, each of which needs rows that show it
            return reason("words_of_categories", words=foreign, rows=_OF_EACH)
        return reason("words_of_no_input", words=foreign)
    return reason("rows_like_misfits" if misfits else "rows_or_column")


def _foreign(problem: SearchProblem, misfits: Sequence[OutlierRow]) -> Iterator[str]:
    """Words and numbers of outputs that stand in no input of their row, and not in most outputs."""
    wanted = {repr(misfit.given) for misfit in misfits}
    outputs = [list(texts_in((output,))) for output in problem.outputs]
    for inputs, texts, output in zip(problem.inputs, outputs, problem.outputs, strict=True):
        if misfits and repr(thaw_value(output)) not in wanted:
            continue
        known = " ".join(texts_in((inputs,))).lower()
        for word in (word for text in texts for word in _WORD.findall(text)):
            often = sum(any(word in text for text in others) for others in outputs)
            if word.lower() not in known and 2 * often <= len(outputs) and not word.isdigit():
                yield word


def _failure_text(meter: SearchMeter, problem: SearchProblem) -> str:
    """Why a search gave no program."""
    text = _BY.get(meter.ended, "no program within {used} candidates").format(used=f"{meter.used:,}")
    if not too_long_for_patterns(texts_in(problem.inputs)):
        return text
    return f"{text}; no pattern was tried, because a text is longer than {LONGEST_FOR_PATTERNS:,} characters"

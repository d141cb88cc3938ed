"""What is told of a program that does not reproduce every example: its source, and the rows that it fails."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from evolve.core.episodes import Action, BudgetEnd, Cost, Json, Limits, OutlierRow, TaskView
from evolve.core.reasons import Reason, reason
from evolve.policies.search.answers import answer
from evolve.policies.search.enumerator import equality
from evolve.policies.search.leaves import texts_in
from evolve.policies.search.meter import SearchMeter, is_over
from evolve.policies.search.outliers import NearMissSearch
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.evaluation import compile_term
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.operations.relevance import LONGEST_FOR_PATTERNS, too_long_for_patterns
from evolve.policies.search.programs.terms import Term, to_json
from evolve.policies.search.programs.types import thaw
from evolve.policies.search.searcher import Solution, Vocabulary

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
    return Action(kind="finish", text=failure_text(search.meter, search.problem), ended=over, cost=spent)


def nearest_action(view: TaskView, search: NearMissSearch, spent: Cost) -> Action:
    """The same with what came nearest, the rows that it fails, and what would help."""
    action, term, vocabulary = no_answer_action(search, spent), _nearest(search), search.searcher.vocabulary
    misfits = () if term is None else misfits_of(term, search.problem, view, vocabulary)
    foreign = list(dict.fromkeys(_foreign(search.problem, misfits)))[:_NAMED]
    return replace(
        action,
        advice=_advice(search.problem, misfits, foreign),
        lacking=bool(foreign) or len(search.problem.outputs) < _ENOUGH,
        nearest="" if term is None else answer(term, view, vocabulary),
        misfits=misfits,
    )


def near_miss(view: TaskView, search: NearMissSearch, solution: Solution, spending: tuple[Limits, Cost]) -> Action:
    """A program that fits all rows but one, handed in with that row; ``spending`` is what it might cost and did."""
    limits, spent = spending
    return Action(
        kind="code",
        code=answer(solution.term, view, search.searcher.vocabulary),
        text=f"a program of price {solution.cost} that fits all rows but one",
        private={"tree": to_json(solution.term), "price": solution.cost, "candidates": solution.candidates},
        misfits=misfits_of(solution.term, search.problem, view, search.searcher.vocabulary),
        allowed=Limits(candidates=limits.candidates, seconds=None),
        cost=spent,
    )


def misfits_of(term: Term, problem: SearchProblem, view: TaskView, vocabulary: Vocabulary) -> tuple[OutlierRow, ...]:
    """The examples that a program does not reproduce, in their order."""
    meaning, same = compile_term(term, vocabulary.by_name), equality(problem.output_type)
    found = []
    for row, inputs, wanted in zip(view.examples, problem.inputs, problem.outputs, strict=True):
        got: Json
        right = False
        try:
            value = meaning(inputs)
            right, got = same(value, wanted), thaw(value)
        except EVALUATION_ERRORS as error:
            got = {"error": f"{type(error).__name__}: {error}"}
        if not right:
            found.append(OutlierRow(input=row.input, given=row.output, expected=got))
    return tuple(found)


def _nearest(search: NearMissSearch) -> Term | None:
    """The program that reproduces most examples, more than half of them; among those the cheapest."""
    if search.partly:
        return min(search.partly, key=lambda one: one.cost).term
    return search.searcher.nearest()


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
        if misfits and repr(thaw(output)) not in wanted:
            continue
        known = " ".join(texts_in((inputs,))).lower()
        for word in (word for text in texts for word in _WORD.findall(text)):
            often = sum(any(word in text for text in others) for others in outputs)
            if word.lower() not in known and 2 * often <= len(outputs) and not word.isdigit():
                yield word


def failure_text(meter: SearchMeter, problem: SearchProblem) -> str:
    """Why a search gave no program."""
    text = _BY.get(meter.ended, "no program within {used} candidates").format(used=f"{meter.used:,}")
    if not too_long_for_patterns(texts_in(problem.inputs)):
        return text
    return f"{text}; no pattern was tried, because a text is longer than {LONGEST_FOR_PATTERNS:,} characters"

"""Copies from the input what an answer writes as a literal, where every row has it in its input too."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.core.episodes import Row
from evolve.core.errors import ModelMistake
from evolve.policies.search.meter import SearchMeter
from evolve.policies.search.problem import SearchProblem, problem_from_rows
from evolve.policies.search.programs.evaluation import compile_term
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.terms import Apply, Constant, Term, paths, replace
from evolve.policies.search.programs.types import STR, as_type, thaw
from evolve.policies.search.searcher import Searcher, Vocabulary
from evolve.runtime.sandbox import Outcome
from evolve.skills.hard_coded import CopiedLiteral, copied_literals

_CANDIDATES = 4_000
"""Expressions that are tried for one piece."""


def with_copies(term: Term, problem: SearchProblem, vocabulary: Vocabulary, meter: SearchMeter) -> Term:
    """The term, or one as right on every row that copies pieces of its texts where rows with others would need that.

    Args:
        meter: Counts what is tried; it may be spent.
    """
    rows = [
        Row(input=tuple(map(thaw, given)), output=thaw(output))
        for given, output in zip(problem.inputs, problem.outputs, strict=True)
    ]
    copying = _Copying(problem, rows, vocabulary, meter)
    for path, part in sorted(paths(term), key=lambda pair: pair[0], reverse=True):
        if isinstance(part, Constant) and part.type == STR and isinstance(part.value, str):
            term = copying.instead_of(term, path, part.value)
    return term


class _Copying:
    def __init__(self, problem: SearchProblem, rows: Sequence[Row], vocabulary: Vocabulary, meter: SearchMeter) -> None:
        self._problem, self._rows, self._vocabulary, self._meter = problem, rows, vocabulary, meter

    def instead_of(self, term: Term, path: tuple[int, ...], literal: str) -> Term:
        parts: list[Term] = []
        end = 0
        for one in copied_literals(literal, self._rows):
            meaning = compile_term(term, self._vocabulary.by_name)
            outcomes = []
            for changed in one.changed:
                try:
                    types = self._problem.input_types
                    inputs = tuple(as_type(value, kind) for value, kind in zip(changed.input, types, strict=True))
                    outcomes.append(Outcome(value=thaw(meaning(inputs))))
                except EVALUATION_ERRORS as error:
                    outcomes.append(Outcome(error=type(error).__name__))
            copy = self._copy(one) if one.is_frozen(outcomes) else None
            if copy is not None:
                parts += [*_literal(literal[end : one.start]), copy]
                end = one.start + len(one.piece)
        if not parts:
            return term
        joined, *rest = [*parts, *_literal(literal[end:])]
        for part in rest:
            joined = Apply("concatenate_text", (joined, part))
        other = replace(term, path, joined)
        return other if self._is_right(other) else term

    def _copy(self, one: CopiedLiteral) -> Term | None:
        """What gives the piece on every row, and the other one where that stands in its place."""
        rows = [Row(input=row.input, output=one.piece) for row in self._rows]
        rows += [Row(input=changed.input, output=changed.other) for changed in one.changed]
        try:
            problem = problem_from_rows(rows, "copy")
        except ModelMistake:
            return None
        if problem.input_types != self._problem.input_types:
            return None
        meter = SearchMeter(limit=_CANDIDATES, deadline=self._meter.deadline, cancellation=self._meter.cancellation)
        found = next(Searcher(problem, self._vocabulary, {}, meter, combine=False).programs(), None)
        self._meter.used += meter.used
        self._meter.work += meter.work
        return None if found is None else found.term

    def _is_right(self, term: Term) -> bool:
        meaning = compile_term(term, self._vocabulary.by_name)
        try:
            pairs = zip(self._problem.inputs, self._problem.outputs, strict=True)
            return all(meaning(given) == wanted for given, wanted in pairs)
        except EVALUATION_ERRORS:
            return False


def _literal(text: str) -> list[Term]:
    return [Constant(text, STR)] if text else []

"""All clues of one problem."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evolve.policies.search.clues.bodies import Inside, clues_of_bodies
from evolve.policies.search.clues.numbers import clues_of_numbers
from evolve.policies.search.clues.operations import FirstSteps, clues_of_operations
from evolve.policies.search.clues.texts import UNIT, clues_of_texts, priced_literals
from evolve.policies.search.problem import Problem

if TYPE_CHECKING:
    from evolve.policies.search.searcher import Vocabulary


class ClueReader:
    """Reads the clues of a problem, for its own outputs or for made-up ones.

    Args:
        problem: The examples.
        vocabulary: Whose operations and literals are asked about.
    """

    def __init__(self, problem: Problem, vocabulary: Vocabulary) -> None:
        self._problem = problem
        self._vocabulary = vocabulary
        self._grammar, self._bodies = vocabulary.grammar(problem)

    @cached_property
    def _steps(self) -> FirstSteps:
        return FirstSteps.of(self._problem, self._grammar, self._vocabulary.literals)

    @cached_property
    def _inside(self) -> Inside:
        return Inside.of(self._bodies.rules, self._vocabulary.literals)

    def clues(self, outputs: Sequence[Any] | None = None) -> Mapping[str, tuple[str, ...]]:
        """The clues that hold, by the priced name they speak for.

        Args:
            outputs: Other outputs than the wanted ones (a dream).
        """
        problem = self._problem if outputs is None else replace(self._problem, outputs=tuple(outputs))
        numbers = [(name, value) for name, kind, value in priced_literals() if kind in ("int", UNIT)]
        by_name: dict[str, list[str]] = defaultdict(list)
        for name, clue in (
            *clues_of_texts(problem),
            *clues_of_numbers(problem, numbers),
            *clues_of_operations(problem, self._steps),
            *clues_of_bodies(problem, self._inside),
        ):
            by_name[name].append(clue)
        return {name: tuple(clues) for name, clues in by_name.items()}

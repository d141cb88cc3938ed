"""Clues: what the examples say of one name, in terms that all names of its kind share.

That every output is one match of a pattern, that a number separates what a filter kept from
what it dropped, or that an operation leaves every output as it is, points to that pattern,
number or operation whichever it is. A guide learns one weight per clue, and so what it
learned of one name serves those it never needed so far. Like the features of a task, clues
are property signatures (Odena & Sutton 2020), here of a task and a name.

- ``texts``: literals in texts: patterns, separators, formats of dates and numbers, places.
- ``numbers``: whole numbers beside lists and numbers.
- ``operations``: operations, from one step of each on the inputs.
- ``bodies``: operations inside functions, from one step of each on the items of lists.
- ``reader``: all of them for one problem.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from evolve.policies.search.features.bodies import BodyRules, clues_of_bodies
from evolve.policies.search.features.numbers import clues_of_numbers
from evolve.policies.search.features.operations import FirstSteps, StepOutline, clues_of_operations
from evolve.policies.search.features.texts import clues_of_texts, literal_clue_kind, literals_with_price
from evolve.policies.search.problem import SearchProblem

if TYPE_CHECKING:
    from evolve.policies.search.programs.types import Type
    from evolve.policies.search.searcher import Vocabulary


ROWS = 3
"""Examples that are looked at. More of them tell little more, and looking costs as much as a short search."""


class TaskFeatures:
    """Reads the clues of problems. What their types decide is worked out once.

    Args:
        vocabulary: Whose operations and literals are asked about.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._tables: dict[tuple[tuple[Type, ...], Type], _Tables] = {}

    def clue_reader(self, problem: SearchProblem) -> ClueReader:
        """For the clues of a problem."""
        key = (problem.input_types, problem.output_type)
        if key not in self._tables:
            self._tables[key] = _Tables(problem, self.vocabulary)
        return ClueReader(problem, self._tables[key])


class _Tables:
    """What can have clues between certain types."""

    def __init__(self, problem: SearchProblem, vocabulary: Vocabulary) -> None:
        grammar, bodies = vocabulary.grammars_of(problem)
        self.outline = StepOutline.from_problem(problem, grammar, vocabulary.literals)
        self.inside = BodyRules.from_rules(bodies.rules, vocabulary.literals)


class ClueReader:
    """Reads the clues of one problem, for its own outputs or for made-up ones."""

    def __init__(self, problem: SearchProblem, tables: _Tables) -> None:
        count = len(problem.outputs)
        self._rows = range(count) if count <= ROWS else [place * (count - 1) // (ROWS - 1) for place in range(ROWS)]
        self._problem, self._tables = problem.with_examples(self._rows), tables

    @cached_property
    def _steps(self) -> FirstSteps:
        return FirstSteps.from_outline(self._problem, self._tables.outline)

    def clues(self, outputs: Sequence[Any] | None = None) -> Mapping[str, tuple[str, ...]]:
        """The clues that hold, by the priced name they speak for.

        Args:
            outputs: Other outputs than the wanted ones (a dream).
        """
        by_name: dict[str, list[str]] = defaultdict(list)
        for name, clue in self.clue_pairs(outputs):
            by_name[name].append(clue)
        return {name: tuple(clues) for name, clues in by_name.items()}

    def clue_pairs(self, outputs: Sequence[Any] | None = None) -> Iterator[tuple[str, str]]:
        """The same as ``(priced name, clue)``."""
        problem = self._problem
        if outputs is not None:
            problem = replace(problem, outputs=tuple(outputs[row] for row in self._rows))
        return chain(
            clues_of_texts(problem),
            clues_of_numbers(problem),
            clues_of_operations(problem, self._steps),
            clues_of_bodies(problem, self._tables.inside),
        )


__all__ = ["TaskFeatures", "literal_clue_kind", "literals_with_price"]

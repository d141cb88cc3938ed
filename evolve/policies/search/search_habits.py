"""Where rows do not decide how something is written, it is written as in the earlier answers of a workspace."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.policies.search.known_functions import TreeSkill
from evolve.policies.search.leaves import constant_name
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.evaluation import compile_term
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.terms import Apply, Constant, Term, from_json, paths, replace, walk
from evolve.policies.search.searcher import Vocabulary

_MOMENT = datetime.datetime(2024, 3, 31, 14, 5, 9)
_READS = "parse_"


@dataclass(frozen=True, kw_only=True)
class Preferred:
    """A term and, where a habit chose it, one sentence that says so."""

    term: Term
    told: str = ""


class Habits:
    """How dates, times and numbers are written and read in verified answers.

    Args:
        library: The skills behind which these answers stand.
    """

    def __init__(self, library: Iterable[TreeSkill], vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._used: Counter[Constant | str] = Counter()
        for skill in library:
            try:
                term = from_json(skill.tree["term"])
            except (KeyError, ValueError, TypeError):
                continue
            self._used.update({way for part in walk(term) if (way := _way(part)) is not None})

    def preferred(self, term: Term, problem: SearchProblem) -> Preferred:
        """The term, or one as plain that is as right on every row and written as more of the earlier answers are."""
        told = []
        for path, part in list(paths(term)):
            for other in self._more_usual(part):
                changed = replace(term, path, other)
                if self._values(changed, problem) == self._values(term, problem) is not None:
                    told.append(
                        f"the rows allow {_shown(part)} as well as {_shown(other)}, and the latter is usual here"
                    )
                    term = changed
                    break
        return Preferred(term=term, told="; ".join(told))

    def _more_usual(self, part: Term) -> Iterator[Term]:
        """What may stand in place of a part at the same price and is used more, the most used first."""
        own = _way(part)
        if own is None:
            return
        for way, count in sorted(self._used.items(), key=lambda item: (-item[1], repr(item[0]))):
            if count <= self._used[own] or way == own:
                continue
            if isinstance(part, Constant) and isinstance(way, Constant) and way.type == part.type:
                if self._price(way) == self._price(part):
                    yield way
            elif isinstance(part, Apply) and isinstance(way, str) and self._are_alike(way, part.operation):
                yield Apply(way, part.args)

    def _price(self, constant: Constant) -> int | None:
        return self._vocabulary.static.get(constant_name(constant))

    def _are_alike(self, one: str, other: str) -> bool:
        left, right = self._vocabulary.by_name.get(one), self._vocabulary.by_name.get(other)
        if left is None or right is None:
            return False
        return (left.params, left.result, left.cost) == (right.params, right.result, right.cost)

    def _values(self, term: Term, problem: SearchProblem) -> Sequence[Any] | None:
        meaning = compile_term(term, self._vocabulary.by_name)
        try:
            return [meaning(given) for given in problem.inputs]
        except EVALUATION_ERRORS:
            return None


def _way(part: Term) -> Constant | str | None:
    """A way to write or to read something: a format, or an operation that reads; None for anything else."""
    if isinstance(part, Constant) and part.type.name.endswith("_format"):
        return part
    return part.operation if isinstance(part, Apply) and part.operation.startswith(_READS) else None


def _shown(part: Term) -> str:
    """A way as a person sees it: something that is written so, or how it is read."""
    if isinstance(part, Apply):
        return part.operation.removeprefix(_READS).replace("_", " ")
    assert isinstance(part, Constant)
    if part.type.name in ("date_format", "time_format"):
        return _MOMENT.strftime(str(part.value))
    return format(1234 if part.type.name == "integer_format" else 1234.5, str(part.value))

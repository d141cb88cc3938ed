"""Other programs that fit the same rows as an answer: what the rows leave open.

An answer is changed in one place at a time: a sub-expression gives way to another with the same values on every row and
other values on some *probe*, an input without a known output. All of these are met in one enumeration over rows and
probes, which keeps apart what differs on a probe. It is a version space (Mitchell 1982; of text transformations Lau et
al. 2003), cut down to the neighbours of one program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from itertools import chain
from typing import Any

from evolve.policies.search.bank import Entry, term_of
from evolve.policies.search.decomposition import JOIN
from evolve.policies.search.enumerator import Enumerator, output_matcher
from evolve.policies.search.grammar import Rule, costs_of
from evolve.policies.search.leaves import MINED, leaves_of
from evolve.policies.search.meter import OutOfBudget, SearchMeter
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.evaluation import compile_term, value_or
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.terms import (
    Apply,
    Constant,
    Input,
    Lambda,
    Term,
    replace_subterm,
    subterm_paths,
    walk,
)
from evolve.policies.search.programs.types import FLOAT, INT, STR, Type
from evolve.policies.search.searcher import MAX_COST, Vocabulary
from evolve.policies.search.solvers.base import newest_values
from evolve.policies.search.solvers.linear import count_digits
from evolve.policies.search.thresholds import DIGIT, AlternativePieces, bounds_of_term, cuts_of, roughness_penalty

Values = tuple[Any, ...]


class _Undefined:
    """Stands for the value of an expression that has none on a probe."""


UNDEFINED = _Undefined()
MAX_DEARER = 4
"""Most by which a rival's price may exceed that of the answer."""
_NEIGHBOURS = 60
"""Numbers tried in place of one."""
_LONGEST = 200
"""Characters of a text in which numbers are looked for."""
_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,6})?")
_ASIDE = 2
"""How much less it counts, on inputs that were made up, what a list of decisions takes for the rest."""
_UNKNOWN_PRICE = 5
"""Price of a literal that no leaf of the search is, such as one that was worked out."""


@dataclass(frozen=True, kw_only=True)
class Rival:
    """Another program that is right on every row.

    Attributes:
        dearer: Its price less that of the answer, as the unlearned search prices: the lower, the likelier it is meant.
        aside: How much less it counts on inputs that were made up.
    """

    term: Term
    dearer: int
    aside: int = 0


@dataclass(frozen=True, kw_only=True)
class AnsweredProblem:
    """An answer with the rows that it is right on.

    Attributes:
        problem: All rows.
        vocabulary: What it is made of.
    """

    term: Term
    problem: SearchProblem
    vocabulary: Vocabulary

    def values_of(self, term: Term, inputs: Sequence[Values]) -> Values:
        """The values of a term on inputs, ``UNDEFINED`` where it has none."""
        meaning = compile_term(term, self.vocabulary.by_name)
        return tuple(value_or(meaning, row, UNDEFINED) for row in inputs)


def rivals_of(
    answered: AnsweredProblem, probes: Sequence[Values], others: Sequence[Values], meter: SearchMeter
) -> list[Rival]:
    """Programs beside the answer that are right on every row and differ from it on a probe, plainest first.

    Args:
        probes: A dozen at most, since every expression is computed on each.
        others: Inputs, any number, on which only whole programs are computed.
        meter: Bounds the enumeration; when it ends, what was found is given.
    """
    probed = (*probes, *others)
    place = _Neighbourhood(answered, probes, probed, meter)
    fits = output_matcher(answered.problem.output_type, answered.problem.outputs)
    given = answered.values_of(answered.term, probed)
    best: dict[Term, Rival] = {}
    kinds = (place.other_pieces(), place.other_literals(), place.other_operations(), place.other_parts())
    for rival in chain.from_iterable(kinds):
        if rival.dearer <= MAX_DEARER and (rival.term not in best or rival.dearer < best[rival.term].dearer):
            best[rival.term] = rival
    return [
        rival
        for rival in sorted(best.values(), key=lambda one: one.dearer)
        if fits(answered.values_of(rival.term, answered.problem.inputs))
        and answered.values_of(rival.term, probed) != given
    ]


class _Tolerant(Enumerator):
    """An enumeration whose last rows are probes: there an expression may be undefined."""

    rows: int = 0

    def _sweep(self, turn: Any, chosen: tuple[Entry, ...], level: Sequence[Entry]) -> Sequence[Entry]:
        seen, fresh = turn.result.seen, []
        function, fixed = turn.rule.function, [entry[0] for entry in chosen]
        partly = any(UNDEFINED in values for values in fixed)
        level = level[: self.meter.remaining]
        for entry in level:
            try:
                whole = not partly and UNDEFINED not in entry[0]
                values = tuple(map(function, *fixed, entry[0])) if whole else self._partly(function, *fixed, entry[0])
            except EVALUATION_ERRORS:
                values = self._partly(function, *fixed, entry[0])
            if values is not None and values not in seen:
                seen.add(values)
                fresh.append((values, turn.rule, (*chosen, entry)))
        if fresh:
            turn.result.open(self.cost).extend(fresh)
        self.meter.count(len(level), len(fresh))
        return fresh

    def _partly(self, function: Callable[..., Any], *arguments: Values) -> Values | None:
        """The values, ``UNDEFINED`` on some probes; None where a row has none."""
        values: list[Any] = []
        for number, row in enumerate(zip(*arguments, strict=True)):
            try:
                values.append(UNDEFINED if UNDEFINED in row else function(*row))
            except EVALUATION_ERRORS:
                if number < self.rows:
                    return None
                values.append(UNDEFINED)
        return tuple(values)


@dataclass(frozen=True, kw_only=True)
class _Place:
    """A place in the answer where something else may stand.

    Attributes:
        values: Of what stands there, on rows and probes.
        price: Of what stands there.
        change: The answer with another term there.
    """

    values: Values
    price: int
    change: Callable[[Term], Term]


@dataclass
class _Neighbourhood:
    answered: AnsweredProblem
    probes: Sequence[Values]
    numbered: Sequence[Values]
    meter: SearchMeter
    places: dict[tuple[Type, Values], list[_Place]] = field(default_factory=dict)
    _applied: list[tuple[tuple[int, ...], Apply, Rule]] = field(default_factory=list)

    def __post_init__(self) -> None:
        problem, vocabulary = self.answered.problem, self.answered.vocabulary
        grammar, bodies = vocabulary.grammars_of(problem)
        self._leaves = leaves_of(problem, vocabulary.leaves, {})
        self._costs = costs_of((*grammar.rules, *bodies.rules), {})
        self._leaf_costs = {leaf.term: leaf.cost for leaf in self._leaves}
        self._rows = (*problem.inputs, *self.probes)
        extended = SearchProblem(
            inputs=self._rows,
            outputs=self.answered.values_of(self.answered.term, self._rows),
            input_types=problem.input_types,
            output_type=problem.output_type,
        )
        self._enumerator = _Tolerant(extended, grammar, self._costs, self._leaves, self.meter)
        self._enumerator.rows = len(problem.inputs)
        self._rules = grammar.rules
        own = self.answered
        self._cuts = list(cuts_of(own.term, problem.outputs, self._on_rows))
        self._pieces = AlternativePieces(own.term, problem, self._on_rows)
        rules: dict[tuple[str, Type], Rule] = {(rule.name, rule.result): rule for rule in grammar.rules}
        self._add_places((), self.answered.term, problem.output_type, rules)

    def _on_rows(self, term: Term) -> Values:
        return self.answered.values_of(term, self.answered.problem.inputs)

    def _add_places(
        self, path: tuple[int, ...], part: Term, type_: Type, rules: Mapping[tuple[str, Type], Rule]
    ) -> None:
        """Notes the place at ``path`` and those below it; what stands in lambdas has no value of its own."""
        whole = self.answered.term
        if isinstance(part, Constant) and type_ == STR and not part.value.strip():
            return  # blanks between pieces are meant as they are, and no row asks for working them out
        self._add_place(type_, part, self._price(part), lambda new: replace_subterm(whole, path, new))
        if isinstance(part, Constant) and type_ == STR:
            self._add_words(path, part.value)
        rule = rules.get((part.operation, type_)) if isinstance(part, Apply) else None
        if isinstance(part, Apply) and rule is not None:
            self._applied.append((path, part, rule))
            for number, (child, kind) in enumerate(zip(part.args, rule.params, strict=True)):
                if not isinstance(child, Lambda):
                    self._add_places((*path, number), child, kind, rules)

    def _add_words(self, path: tuple[int, ...], text: str) -> None:
        """A word of a literal that stands in every row's inputs may have been copied from there."""
        texts = [" ".join(str(value) for value in row) for row in self.answered.problem.inputs]
        whole = self.answered.term
        for word in re.finditer(r"\w+", text):
            if all(word.group() in other for other in texts):
                change = _inserting(whole, path, text[: word.start()], text[word.end() :])
                self._add_place(STR, Constant(word.group(), STR), MINED["mined:str"], change)

    def _add_place(self, type_: Type, part: Term, price: int, change: Callable[[Term], Term]) -> None:
        values = self.answered.values_of(part, self._rows)
        key = (type_, values[: len(self.answered.problem.inputs)])
        self.places.setdefault(key, []).append(_Place(values=values, price=price, change=change))

    def _price(self, term: Term) -> int:
        if term in self._pieces.prices:
            return self._pieces.prices[term]
        if isinstance(term, Apply):
            joins = term.operation in ("concatenate_text", "concatenate")  # as covers are priced
            own = JOIN if joins else self._costs.get(term.operation, _UNKNOWN_PRICE)
            return own + sum(map(self._price, term.args))
        if isinstance(term, Lambda):
            return 1 + self._price(term.body)
        return self._leaf_costs.get(term, _UNKNOWN_PRICE)

    def other_literals(self) -> Iterator[Rival]:
        """The answer with another literal of the same type in one place, in lambdas too."""
        bounds = bounds_of_term(self.answered.term)
        for path, part in subterm_paths(self.answered.term):
            if isinstance(part, Constant) and path[:-1] not in self._pieces.places:
                price = self._price(part)
                others = {leaf.term: leaf.cost for leaf in self._leaves if leaf.type == part.type}
                if part.type in (INT, FLOAT):
                    others |= {one: others.get(one, price) for one in self._numbers_near(part)}
                self.meter.count(len(others))
                for other, cost in others.items():
                    further = roughness_penalty(other, part) if path in bounds else 0
                    yield Rival(term=replace_subterm(self.answered.term, path, other), dearer=cost - price + further)

    def other_operations(self) -> Iterator[Rival]:
        """The answer with another operation on the same values in one place, such as another way to round.

        They are computed on every input, and so are seen where few inputs tell two operations apart.
        """
        for path, part, rule in self._applied:
            if part in self._pieces.prices:
                continue
            for other in self._rules:
                if other.params == rule.params and other.result == rule.result and other.name != rule.name:
                    self.meter.count(1)
                    term = replace_subterm(self.answered.term, path, Apply(other.name, part.args))
                    yield Rival(term=term, dearer=self._costs[other.name] - self._costs[rule.name])

    def other_pieces(self) -> Iterator[Rival]:
        """The answer with other pieces in its conditions on texts."""
        for term, dearer in self._pieces.other_answers():
            self.meter.count(1)
            yield Rival(term=term, dearer=dearer)
        yield from (Rival(term=term, dearer=dearer, aside=_ASIDE) for term, dearer in self._pieces.other_lists())

    def _numbers_near(self, part: Constant) -> list[Constant]:
        """Numbers that would do as well as a bound or a place: its neighbours, those of the probes, the end's side."""
        kind = int if part.type == INT else float
        numbers = {kind(part.value - 1), kind(part.value + 1), *(map(kind, (-2, -3)) if part.type == INT else ())}
        found = {kind(number) for row in self.numbered for value in row for number in _numbers_in(value)}
        found |= {number + step for number in found for step in (-1, 1)} if part.type == INT else set()
        nearest = sorted(found, key=lambda number: (abs(number - part.value), number))[:_NEIGHBOURS]
        return [Constant(number, part.type) for number in sorted(numbers | set(nearest)) if number != part.value]

    def other_parts(self) -> Iterator[Rival]:
        """The answer with another expression in one place."""
        types = sorted({type_ for type_, _ in self.places}, key=str)
        try:
            while self._enumerator.cost < MAX_COST:
                for _ in self._enumerator.next_cost_entries():
                    pass
                yield from self._at_this_cost(types)
        except OutOfBudget:
            yield from self._at_this_cost(types)

    def _at_this_cost(self, types: Sequence[Type]) -> Iterator[Rival]:
        cost, rows = self._enumerator.cost, len(self.answered.problem.inputs)
        for type_ in types:
            for entry in self._enumerator.bank.entries_at(type_, cost):
                for place in self.places.get((type_, entry[0][:rows]), ()):
                    if entry[0] != place.values and cost - place.price <= MAX_DEARER:
                        yield Rival(term=place.change(term_of(entry)), dearer=cost - place.price)
        # The answer with another value of the newest level compared with a number that separates the rows as well.
        # What stands in an input that the answer does without separates a few rows too easily.
        read = inputs_of(self.answered.term)
        for column in newest_values(self._enumerator, INT, FLOAT) if self._cuts else ():
            for cut in self._cuts if inputs_of(column.term) <= read else ():
                self.meter.count(1)
                found = cut.cut_column(replaced(column, values=column.values[:rows]))
                if found is not None:
                    term, bound = found
                    dearer = (
                        column.cost - self._price(cut.value) + DIGIT * (count_digits(bound) - count_digits(cut.bound))
                    )
                    yield Rival(term=replace_subterm(self.answered.term, cut.path, term), dearer=dearer)


def inputs_of(term: Term) -> set[int]:
    """The arguments that a term reads, by number."""
    return {part.index for part in walk(term) if isinstance(part, Input)}


def _numbers_in(value: Any) -> Iterator[float]:
    """The numbers that a condition on a value may ask about: its own, those in its text and the text's length."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield value
    elif isinstance(value, str):
        yield len(value)
        yield from (float(number) if "." in number else int(number) for number in _NUMBER.findall(value[:_LONGEST]))


def _inserting(whole: Term, path: tuple[int, ...], before: str, after: str) -> Callable[[Term], Term]:
    """What puts a term between two texts, in place of the literal at ``path``."""

    def change(new: Term) -> Term:
        term = Apply("concatenate_text", (Constant(before, STR), new)) if before else new
        term = Apply("concatenate_text", (term, Constant(after, STR))) if after else term
        return replace_subterm(whole, path, term)

    return change

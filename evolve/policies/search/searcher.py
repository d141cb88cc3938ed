"""One search for one answer: enumeration, covers and conditionals under one budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evolve.policies.search.bank import Entry, term_of
from evolve.policies.search.conditionals import MIN_SUPPORT, BranchCover, Decision, PartialPrograms
from evolve.policies.search.decomposition import OutputSegments
from evolve.policies.search.deduction import AHEAD, Deductions
from evolve.policies.search.enumerator import Enumerator, output_equality, output_matcher
from evolve.policies.search.grammar import Grammar, build_grammar, costs_of
from evolve.policies.search.lambdas import BodyCompiler, BodySetting, LambdaBanks
from evolve.policies.search.leaves import built_in_leaves, column_operations, leaves_of, static_prices
from evolve.policies.search.meter import OutOfBudget, SearchMeter
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.evaluation import evaluate
from evolve.policies.search.programs.operation import EVALUATION_ERRORS, Operation
from evolve.policies.search.programs.terms import Constant, Term
from evolve.policies.search.programs.types import STR, Type
from evolve.policies.search.solvers import Solvers

MAX_COST = 60
"""Price at which a search ends, whatever budget is left."""
COVER_PATIENCE = 1
"""Levels to go on past a cover's dearest segment before the cover is taken."""
MOST_VALUES = 12_000_000
"""Values that one search keeps at most, over all examples: with texts of 200 characters they fill about 2.8 GB."""
EVERY = 4096
"""Entries of the goal type between two attempts at covers and conditionals."""


@dataclass(frozen=True, kw_only=True)
class Solution:
    """A program that reproduces every example.

    Attributes:
        term: The program.
        cost: Its price.
        candidates: Candidates computed until it was found.
        misfit: Place of the one example that it does not reproduce, or None.
    """

    term: Term
    cost: int
    candidates: int
    misfit: int | None = None


@dataclass
class Vocabulary:
    """Operations and literals of one policy; grammars are cached by the problem's types."""

    operations: tuple[Operation, ...]
    literals: tuple[tuple[Constant, int], ...] = ()
    grammars: dict[tuple[tuple[Type, ...], Type], Grammar] = field(default_factory=dict)
    bodies: dict[tuple[tuple[Type, ...], Type], Grammar] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.by_name: dict[str, Operation] = {o.name: o for o in self.operations}
        self.compiler = BodyCompiler(self.by_name)
        self.leaves = built_in_leaves(self.literals)
        self.static = static_prices(self.operations, self.literals)

    def grammars_of(self, problem: SearchProblem) -> tuple[Grammar, Grammar]:
        """The rules of a problem and the rules of its lambda bodies."""
        key = (problem.input_types, problem.output_type)
        if key not in self.grammars:
            columns = column_operations(problem)
            # Columns stay known by name: answers, skills and ablations of this task hold them.
            self.by_name.update((o.name, o) for o in columns)
            operations = (*self.operations, *columns)
            self.grammars[key] = build_grammar(operations, problem)
            self.bodies[key] = build_grammar(operations, problem, scalar_only=True)
        return self.grammars[key], self.bodies[key]


@dataclass
class Searcher:
    """Searches one problem; iterate :meth:`programs` for answers in order of preference.

    Attributes:
        problem: Examples and types.
        vocabulary: Operations, literals and their cached grammars.
        prices: Price per operation and leaf name; static where silent.
        meter: The budget.
        combine: Whether covers and conditionals are tried (the plain enumerator does not).
        dearest: Price at which the search ends.
    """

    problem: SearchProblem
    vocabulary: Vocabulary
    prices: Mapping[str, int]
    meter: SearchMeter
    combine: bool = True
    dearest: int | None = None

    def __post_init__(self) -> None:
        self.meter.rows = len(self.problem.inputs)
        self.meter.memory = min(self.meter.memory, MOST_VALUES // max(1, len(self.problem.inputs)))
        grammar, bodies = self.vocabulary.grammars_of(self.problem)
        leaves = leaves_of(self.problem, self.vocabulary.leaves, self.prices)
        costs = costs_of((*grammar.rules, *bodies.rules), self.prices)
        self.enumerator = Enumerator(self.problem, grammar, costs, leaves, self.meter)
        self.enumerator.lambdas = LambdaBanks(BodySetting(
            self.problem, bodies, costs, leaves, self.vocabulary.compiler,
            self.enumerator.bank, self.meter.spend,
        ))  # fmt: skip
        self._accepts = output_matcher(self.problem.output_type, self.problem.outputs)
        goal = self.problem.output_type
        sequence = goal == STR or (goal.name == "list" and not goal.args[0].args)
        self._segments = OutputSegments(self.problem.outputs, goal) if self.combine and sequence else None
        self._partials = PartialPrograms(self.problem.outputs, output_equality(goal)) if self.combine else None
        self._branches: BranchCover | None = None
        if self._partials is not None and goal == STR and len(self.problem.outputs) >= 2 * MIN_SUPPORT:
            self._branches = BranchCover(self.problem.outputs, self._partials, self.meter)
        self._deductions = Deductions(self.enumerator) if self.combine else None
        self._solvers = Solvers(self.enumerator, self.vocabulary.by_name) if self.combine else None
        self._pending: list[tuple[int, int, Term]] = []
        self._offered = 0

    @property
    def pause_at(self) -> int | None:
        """Candidates after which :meth:`paced_programs` pauses, so that it can be left off and gone on with."""
        return self.enumerator.pause_at

    @pause_at.setter
    def pause_at(self, candidates: int | None) -> None:
        self.enumerator.pause_at = candidates

    def programs(self) -> Iterator[Solution]:
        """Programs that reproduce every example, roughly cheapest first, until the budget ends."""
        return (solution for solution in self.paced_programs() if solution is not None)

    def paced_programs(self) -> Iterator[Solution | None]:
        """As :meth:`programs`, with None wherever more than ``pause_at`` candidates were computed."""
        seen: set[Term] = set()
        try:
            self.meter.check()  # before the first candidate, because a share of nothing buys nothing
            while self.enumerator.cost < (MAX_COST if self.dearest is None else self.dearest):
                for entries in self.enumerator.next_cost_entries():
                    yield from self._unseen(self._sift(entries), seen)
                    yield from self._unseen(self._ready(), seen)
                    if self.enumerator.should_pause():
                        yield None
                self._offer_items()
                self._deduce()
                self._work_out()
                self._try_combinations()
                yield from self._unseen(self._ready(), seen)
            self.meter.ended = "price"
        except OutOfBudget:
            pass
        self._try_combinations()
        # The budget is over, so nothing is left to wait for.
        self._pending = [(0, cost, term) for _, cost, term in self._pending]
        yield from self._unseen(self._ready(), seen)

    def _unseen(self, terms: Iterable[tuple[int, Term]], seen: set[Term]) -> Iterator[Solution]:
        for cost, term in terms:
            if term not in seen and self._reproduces(term):
                seen.add(term)
                yield Solution(term=term, cost=cost, candidates=self.meter.used)

    def _reproduces(self, term: Term) -> bool:
        try:
            values = tuple(evaluate(term, row, self.vocabulary.by_name) for row in self.problem.inputs)
        except EVALUATION_ERRORS:
            return False
        return bool(self._accepts(values))

    def _sift(self, entries: Sequence[Entry]) -> list[tuple[int, Term]]:
        """Solutions among new entries; offers the others to covers and conditionals."""
        hits = [(self.enumerator.cost, term_of(e)) for e in entries if self._accepts(e[0])]
        if not hits:
            for entry in entries:
                if self._segments is not None:
                    self._segments.add_entry(entry, self.enumerator.cost)
                if self._partials is not None:
                    self._partials.add_entry(entry, self.enumerator.cost)
            self._offered += len(entries)
            if self._offered >= EVERY:
                self._try_combinations()
        return hits

    def _deduce(self) -> None:
        """Solutions with a function in them, found from the outputs' shape; they wait for simpler programs."""
        if self._deductions is not None:
            self._deductions.collect()
            for cost, entry in self._deductions.solutions():
                turn = cost - AHEAD
                is_ready = turn <= self.enumerator.cost  # else when all programs of that price are built
                self._pending.append((turn if is_ready else turn + 1, cost, term_of(entry)))

    def _work_out(self) -> None:
        """Programs, and pieces of the outputs, with constants that the rows give."""
        if self._solvers is None:
            return
        if self._partials is not None:
            self._partials.add_conditions(self._solvers.bound_tests())
        for found in self._solvers.solutions():
            if found.values is None:
                self._pending.append((found.turn, found.cost, found.term))
            elif self._segments is not None:
                self._segments.add_entry((found.values, found.term, ()), found.cost)

    def nearest_program(self) -> Term | None:
        """The cheapest of the programs that reproduce most examples, where that is more than half of them."""
        half = len(self.problem.outputs) / 2
        partly = [(mask.bit_count(), -cost, entry) for mask, (cost, entry) in self._best() if mask.bit_count() > half]
        return term_of(max(partly, key=lambda one: one[:2])[2]) if partly else None

    def pending_solutions(self) -> list[Solution]:
        """Programs that reproduce every example and would be given once the budget is over, cheapest first."""
        self._try_combinations()
        found = sorted(((cost, term) for _, cost, term in self._pending), key=lambda one: one[0])
        return [
            Solution(term=term, cost=cost, candidates=self.meter.used) for cost, term in found if self._reproduces(term)
        ]

    def all_but_one(self) -> list[Solution]:
        """Programs built so far that fit all rows but one: the cheapest for each such row."""
        places, everything = range(len(self.problem.outputs)), (1 << len(self.problem.outputs)) - 1
        known = dict(self._best())
        found = [(place, known[mask]) for place in places if (mask := everything & ~(1 << place)) in known]
        return [
            Solution(term=term_of(entry), cost=cost, candidates=self.meter.used, misfit=place)
            for place, (cost, entry) in found
        ]

    def _best(self) -> Iterable[tuple[int, tuple[int, Entry]]]:
        return () if self._partials is None else self._partials.best.items()

    def _offer_items(self) -> None:
        """Single elements are list segments too."""
        goal = self.problem.output_type
        if self._segments is not None and goal.name == "list":
            for entry in self.enumerator.bank.entries_at(goal.args[0], self.enumerator.cost):
                self._segments.add_entry(entry, self.enumerator.cost, single=True)

    def _try_combinations(self) -> None:
        self._offered = 0
        if self._segments is not None and self._segments.changed:
            cover = self._segments.cheapest_cover()
            if cover is not None:
                cost, dearest, term, counted = cover
                self.meter.count(counted)
                self._pending.append((dearest + COVER_PATIENCE, cost, term))
        if self._branches is not None:
            self._branches.search_again(self.enumerator.bank)
        if self._partials is not None and self._partials.changed:
            decision: Decision | None = self._partials.decision_list(self.enumerator.bank)
            if decision is not None:
                cost, level, term = decision
                self._pending.append((level, cost, term))

    def _ready(self) -> list[tuple[int, Term]]:
        """Combinations whose waiting time is over, cheapest first."""
        if not self._pending:
            return []
        due = sorted((p for p in self._pending if p[0] <= self.enumerator.cost), key=lambda p: p[1])
        self._pending = [p for p in self._pending if p[0] > self.enumerator.cost]
        return [(cost, term) for _, cost, term in due]

"""The state of a search across the steps of one episode."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from evolve.core.episodes import Action, Limits, Plan, Step, TaskView, shown_rows
from evolve.core.progress import report_activity
from evolve.policies.search.meter import SearchMeter
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.terms import Term, from_json
from evolve.policies.search.searcher import Searcher, Solution, Vocabulary
from evolve.tasks import row_key

SHARE = 8
"""Candidates with learned prices for each one with static prices. A task that static prices alone solve in n candidates
is solved in little more than nine times as many."""
TURN = 100
"""Candidates of one turn with static prices. Before the first one, most tasks are solved, and then the second search
costs nothing."""


_REST = 1 << 60
"""Candidates of a turn without an end."""


class _Going:
    """A search that was begun, and whether it is over."""

    def __init__(self, searcher: Searcher) -> None:
        self.searcher, self.programs, self.over = searcher, searcher.paced_programs(), False


@dataclass
class AlternatingSearch:
    """Has what an episode needs of a :class:`Searcher`.

    Attributes:
        learned: The search with learned prices, which goes first.
        make: Makes the one with static prices, with the same meter, once its turn has come.
        pause_at: As of a searcher, for both.
    """

    learned: Searcher
    make: Callable[[], Searcher]
    pause_at: int | None = None
    _static: Searcher | None = field(default=None, init=False)
    _dearest: int | None = field(default=None, init=False)

    @property
    def meter(self) -> SearchMeter:
        """Counts the candidates of both searches."""
        return self.learned.meter

    @property
    def vocabulary(self) -> Vocabulary:
        """Operations and literals of both searches."""
        return self.learned.vocabulary

    @property
    def dearest(self) -> int | None:
        """Price at which both end."""
        return self._dearest

    @dearest.setter
    def dearest(self, price: int | None) -> None:
        self._dearest = price
        for searcher in self._both():
            searcher.dearest = price

    def paced_programs(self) -> Iterator[Solution | None]:
        """As :meth:`Searcher.paced_programs`; a program that both find comes twice."""
        before, learned = self.meter.used, _Going(self.learned)
        yield from self._turn(learned, SHARE * TURN)
        if learned.over and not self.meter.remaining:
            return
        self._static = self.make()
        self._static.dearest = self._dearest
        static = _Going(self._static)
        # A turn may be longer than it should, by values that are worked out at once. What it took too much is owed.
        owed = (self.meter.used - before) // SHARE
        while not (learned.over or static.over):
            before = self.meter.used
            yield from self._turn(static, owed)
            owed -= self.meter.used - before
            before = self.meter.used
            yield from self._turn(learned, SHARE * (TURN - owed))
            owed += (self.meter.used - before) // SHARE
        for one in (learned, static):
            yield from self._turn(one, _REST)

    def _turn(self, going: _Going, candidates: int) -> Iterator[Solution | None]:
        end = self.meter.used + candidates
        self._let(going, end)
        for solution in going.programs:
            if solution is not None or (self.pause_at is not None and self.meter.used >= self.pause_at):
                yield solution
            if solution is None and self.meter.used >= end:
                return
            self._let(going, end)
        going.over = True

    def _let(self, going: _Going, end: int) -> None:
        # Anew after each program, since whoever asks may have changed where to pause.
        going.searcher.pause_at = end if self.pause_at is None else min(end, self.pause_at)

    def nearest_program(self) -> Term | None:
        """As :meth:`Searcher.nearest_program`."""
        return self.learned.nearest_program()

    def pending_solutions(self) -> list[Solution]:
        """As :meth:`Searcher.pending_solutions`, of both searches."""
        found = [solution for searcher in self._both() for solution in searcher.pending_solutions()]
        return sorted(found, key=lambda one: one.cost)

    def all_but_one(self) -> list[Solution]:
        """As :meth:`Searcher.all_but_one`."""
        return self.learned.all_but_one()

    def _both(self) -> list[Searcher]:
        return [self.learned] if self._static is None else [self.learned, self._static]


UNLIMITED = 10_000_000
"""Candidates of a search where an episode sets no limit."""


@dataclass
class EpisodeSearch:
    """A search in progress over one episode.

    Attributes:
        is_refused: Whether a program is known to be wrong, and so is never given.
    """

    problem: SearchProblem
    searcher: Searcher | AlternatingSearch
    steps_seen: int = 0
    waiting: list[Solution] = field(default_factory=list)
    done: set[Term] = field(default_factory=set)
    programs: Iterator[Solution | None] | None = None
    is_refused: Callable[[Term], bool] = lambda term: False

    @property
    def meter(self) -> SearchMeter:
        """Counts the candidates."""
        return self.searcher.meter

    def next_program(self, limits: Limits) -> Solution | None:
        """The next program within what is left of the episode's budget."""
        self.steps_seen += 1
        self.open(limits)
        return self.waiting.pop(0) if self.waiting else self.take_program()

    def open(self, limits: Limits) -> None:
        """Sets what may be spent from here on."""
        budget = UNLIMITED if limits.candidates is None else limits.candidates
        self.meter.deadline = None if limits.seconds is None else time.process_time() + limits.seconds
        if self.waiting:
            return
        self.meter.limit = self.meter.used + budget
        if self.programs is None:
            self.programs = self.searcher.paced_programs()

    def take_program(self) -> Solution | None:
        """The next program that was not given before; None at a pause of the searcher, and where nothing is left."""
        with report_activity("search", count=lambda: self.meter.used):
            for solution in self.programs or ():
                if solution is None:
                    return None
                if solution.term not in self.done:
                    self.done.add(solution.term)
                    if not self.is_refused(solution.term):
                        return solution
        return None

    def rival_programs(self, solution: Solution, share: float) -> list[Term]:
        """Further programs within ``share`` more candidates, kept for later submissions."""
        if share <= 0:
            return []
        # A search that meets its limit is over; one that pauses before it can go on.
        self.searcher.pause_at = self.meter.used + max(500, int(share * solution.candidates))
        while len(self.waiting) < 3 and (other := self.take_program()) is not None:
            self.waiting.append(other)
        self.searcher.pause_at = None
        return [other.term for other in self.waiting]

    def further_programs(self, limits: Limits, wanted: int) -> list[Solution]:
        """At most ``wanted`` further programs; where the limits end first, the search can still go on."""
        self.meter.deadline = None if limits.seconds is None else time.process_time() + limits.seconds
        budget = UNLIMITED if limits.candidates is None else limits.candidates
        self.searcher.pause_at, self.meter.limit = self.meter.used + budget // 2, self.meter.used + budget
        solutions, self.waiting = self.waiting[:wanted], self.waiting[wanted:]
        while len(solutions) < wanted and (other := self.take_program()) is not None:
            solutions.append(other)
        self.searcher.pause_at = None
        return solutions


def with_shown(view: TaskView, steps: Sequence[Step]) -> tuple[TaskView, Sequence[Step]]:
    """The view with rows that were shown after refusals as further examples, and the steps since the last of them."""
    shown = [one.row for one in view.refused if one.row is not None] + list(shown_rows(steps))
    since = max((place for place, step in enumerate(steps, 1) if shown_rows([step])), default=0)
    rows = {row_key(row): row for row in (*shown, *view.examples)}
    visible = {row_key(row) for row in view.examples}
    more = tuple(row for key, row in rows.items() if key not in visible)
    unseen = max(0, view.unseen - len(shown_rows(steps)))
    return replace(view, examples=(*view.examples, *more), unseen=unseen), steps[since:]


def answers_of(steps: Sequence[Step]) -> list[Term]:
    """The answers of the steps."""
    return [from_json(step.action.private["tree"]) for step in steps if "tree" in step.action.private]


def spare_candidates(steps: Sequence[Step]) -> Action | None:
    """An answer that costs nothing: a rival of an earlier one that was not handed in itself."""
    tried = {step.action.code for step in steps}
    for step in steps:
        for rival in step.action.rivals:
            if rival.code not in tried:
                return Action(
                    kind="code",
                    code=rival.code,
                    text=f"a rival of the program of step {step.number}",
                    ambiguity=rival.ambiguity,
                    private=rival.private,
                    spare=True,
                    consumed=rival.consumed,
                )
    return None


def without_share(limits: Limits, plan: Plan) -> Limits:
    """The limits without what is kept for the parts of a plan that takes the task apart."""
    rest = 1.0 - float(plan.private.get("share", 0.0))
    return replace(
        limits,
        candidates=None if limits.candidates is None else int(limits.candidates * rest),
        seconds=None if limits.seconds is None else limits.seconds * rest,
    )


def accepted_term(steps: Sequence[Step]) -> Term | None:
    """The term of the accepted submission."""
    right = [step for step in steps if step.judgement is not None and step.judgement.accepted]
    trees = [step.action.private["tree"] for step in right if "tree" in step.action.private]
    return from_json(trees[-1]) if trees else None

"""The embedded policy: learns functions from examples by guided program search."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

from evolve.core.cancellation import Cancellation
from evolve.core.episodes import Action, Claim, Cost, Json, Limits, Plan, Recalled, SkillDraft, Step, Subgoal, TaskView
from evolve.environments import KnownRows
from evolve.environments.probing import Probe
from evolve.policies.base import Ambiguities, BasePolicy, OnPiece, Robustness
from evolve.policies.search.abstraction import VerifiedAnswers
from evolve.policies.search.ambiguity import LeaveOneOutSearches, doubts_about, first_programs
from evolve.policies.search.answers import answer_source, draft_of, part_draft
from evolve.policies.search.episode_search import (
    UNLIMITED,
    AlternatingSearch,
    accepted_term,
    answers_of,
    spare_candidates,
    with_shown,
    without_share,
)
from evolve.policies.search.guide import Guide, Planner
from evolve.policies.search.known_functions import TreeSkill, operation_name, with_library
from evolve.policies.search.meter import PLANNING, SETUP, SearchMeter, Stopwatch, meter_for, without_collector
from evolve.policies.search.outliers import (
    NearMissSearch,
    near_miss_action,
    nearest_action,
    no_answer_action,
    refused_programs,
)
from evolve.policies.search.probe_inputs import find_disagreement
from evolve.policies.search.problem import SearchProblem, problem_of
from evolve.policies.search.programs.operations import literals, vocabulary
from evolve.policies.search.programs.terms import Term, from_json, operations_in, to_json
from evolve.policies.search.reflection import SolvedAnswer, claims_of
from evolve.policies.search.saved import saved_action
from evolve.policies.search.searcher import Searcher, Solution, Vocabulary
from evolve.policies.search.splitting import compose, find_splits
from evolve.policies.search.task_features import features_of
from evolve.policies.search.tie_breaks import Preferred, WritingHabits, with_accents_too, with_copies


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """Choices of the policy that are not learned.

    Attributes:
        combine: Try covers and conditionals; the plain enumerator does not.
        flat: Price everything alike, which makes it the size-ordered enumerator.
        look_on: Candidates to go on after an answer, as a share, in search of rivals.
        doubts_rows: A person is there to be told that one row speaks against what all others lead to.
        habits: Where rows leave a format open, take the one that earlier answers have.
        ends: Time by ``time.monotonic`` at which every search stops, or None.
    """

    combine: bool = True
    flat: bool = False
    look_on: float = 0.0
    doubts_rows: bool = False
    habits: bool = False
    ends: float | None = None


@dataclass
class SearchPolicy(BasePolicy):
    """Decides by enumerative search.

    Deterministic: the same view, plan, steps and limits give the same action. While it searches, Python's
    collector of reference cycles is off for the whole process, other threads included.

    Attributes:
        library: Admitted skills with trees, oldest first.
        guide: The fitted guide, or None for the unlearned policy.
        settings: Fixed choices.
        lacking: Causes, such as ``operation:sort``, that are taken out with every skill made of them.
    """

    recalls = False
    learns_from_refusals = deliberates = searches = True

    library: tuple[TreeSkill, ...] = ()
    guide: Guide | None = None
    settings: SearchSettings = field(default_factory=SearchSettings)
    name: str = "search"
    lacking: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        operations = with_library(vocabulary(), self.library, lacking=self.lacking)
        self._vocabulary = Vocabulary(operations, literals())
        self._causes = {operation_name(s.entry): f"skill:{s.digest}" for s in self.library}
        self._planner: Planner | None = None
        # The search of the episode at hand, to go on with. It may be missing: steps say enough to run it again.
        self._current: tuple[str, NearMissSearch] | None = None
        self._cancellation: Cancellation | None = None
        self._answers: VerifiedAnswers | None = None
        self._habits = WritingHabits(self.library, self._vocabulary) if self.settings.habits else None

    def with_supervision(self, cancellation: Cancellation, on_piece: OnPiece | None = None) -> SearchPolicy:
        """The same policy, which stops in the middle of a search when a person says so. It has no text to tell."""
        policy = copy.copy(self)
        # A search under way hears of the cancellation it was started with, so the copy starts its own.
        policy._current, policy._cancellation = None, cancellation
        return policy

    def without_causes(self, causes: Collection[str]) -> SearchPolicy:
        """The same policy with these operations and skills taken out of its vocabulary, everything else as it was."""
        return replace(self, lacking=self.lacking | frozenset(causes))

    @property
    def vocabulary(self) -> Vocabulary:
        """The operations and literals of the search, learned ones included."""
        return self._vocabulary

    def features(self, view: TaskView) -> tuple[float, ...]:
        """Observable features of the task's examples."""
        return features_of(problem_of(view))

    def plan(self, view: TaskView, recalled: Sequence[Recalled]) -> Plan:
        """Names the goal and prices the vocabulary by the guide, which knows what all insights rest on."""
        problem = problem_of(view)
        prices = self._prices(problem)
        subgoals = (
            Subgoal(id="fit", goal="fit every example", postcondition="examples hold"),
            Subgoal(id="hold", goal="hold on rows it has not seen", postcondition="verified", needs=("fit",)),
        )
        fits = f"{len(view.examples)} example{'s' * (len(view.examples) != 1)}"
        goal = f"find a function {problem.signature} that fits {fits}"
        return Plan(goal=goal, subgoals=subgoals, private={"prices": prices})

    def _prices(self, problem: SearchProblem) -> dict[str, int]:
        if self.settings.flat:
            names = [o.name for o in self._vocabulary.operations]
            return dict.fromkeys([*names, "input"], 1)
        if self.guide is None:
            return {}
        if self._planner is None:  # made late, because it loads numpy
            self._planner = Planner(self.guide, self._vocabulary)
        return self._planner.prices(problem)

    @without_collector()
    def act(self, view: TaskView, plan: Plan, steps: Sequence[Step], limits: Limits) -> Action:
        """Searches for a program not yet refused; ``finish`` where the budget holds none.

        Rows that were shown after refusals are further examples: from there on it is another search.
        """
        everything = steps
        view, steps = with_shown(view, steps)
        spare = saved_action(view, everything, self.library, self._vocabulary) or spare_candidates(steps)
        if spare is not None:
            self._current = None
            return spare
        before = time.process_time()
        search = self._search(view, plan, steps, everything[: len(everything) - len(steps)])
        watch = Stopwatch(search.meter, before)  # what a replay of earlier steps took was paid for with them
        charge = (0 if steps else SETUP) + (PLANNING if plan.private["prices"] and not everything else 0)
        whole, limits = limits, without_share(limits, plan)
        solution = search.next_program(limits)
        spent = watch.cost(charge)
        if solution is None and plan.private.get("splits"):
            return self._composed(view, plan, steps, (whole, limits, spent))
        if solution is None:
            self._current = None  # freed before the collector is on again, which else goes through all of it
            return nearest_action(view, search, spent) if self.settings.doubts_rows else no_answer_action(search, spent)
        if solution.misfit is not None:
            return near_miss_action(view, search, solution, (limits, spent))
        rivals = search.rival_programs(solution, self.settings.look_on)
        chosen = self._habits.prefer(solution.term, search.problem) if self._habits else Preferred(term=solution.term)
        term, copying = chosen.term, SearchMeter(limit=UNLIMITED, cancellation=self._cancellation)
        if self.settings.doubts_rows:  # what occurs in every row is rather copied than written
            term = with_accents_too(term, search.problem, self._vocabulary)
            term = with_copies(term, search.problem, self._vocabulary, copying)
        solution = replace(solution, term=term)
        spent = watch.cost(charge) + Cost(candidates=copying.used, work=copying.work)
        return Action(
            kind="code",
            code=answer_source(solution.term, view, self._vocabulary),
            text=f"found a function after {solution.candidates:,} candidates",
            habit=chosen.told,
            private=_private_part(solution),
            ambiguity=find_disagreement(solution.term, rivals, search.problem, view, self._vocabulary),
            allowed=Limits(candidates=limits.candidates, seconds=None),
            cost=spent,
            consumed=self._consumed(solution.term),
        )

    def _consumed(self, term: Term) -> tuple[str, ...]:
        return tuple(sorted({self._causes[name] for name in operations_in(term) if name in self._causes}))

    def _search(self, view: TaskView, plan: Plan, steps: Sequence[Step], earlier: Sequence[Step]) -> NearMissSearch:
        """The search of this episode, continued where it stopped or replayed up to there."""
        # A step that a person stopped has no program, and there is nothing of it to find again.
        steps = [step for step in steps if step.action.allowed is not None or step.action.spare]
        key = f"{view.id}\n{view.examples!r}\n{sorted(plan.private['prices'].items())!r}"
        if self._current is not None and self._current[0] == key and self._current[1].steps_seen == len(steps) > 0:
            return self._current[1]
        problem = problem_of(view)
        prices = plan.private["prices"]
        meter = meter_for(UNLIMITED, None)
        meter.cancellation, meter.ends = self._cancellation, self.settings.ends

        def searcher(prices: dict[str, int]) -> Searcher:
            return Searcher(problem, self._vocabulary, prices, meter, self.settings.combine)

        has_learned = bool(prices) and not self.settings.flat
        search = NearMissSearch(
            problem=problem,
            searcher=AlternatingSearch(searcher(prices), lambda: searcher({})) if has_learned else searcher(prices),
            is_refused=self._is_refused(view),
            make=(lambda part, own: Searcher(part, self._vocabulary, prices, own, self.settings.combine))
            if self.settings.doubts_rows
            else None,
            unseen=view.unseen,
            earlier=refused_programs(earlier),
        )
        for step in steps:
            if not step.action.spare:
                solution = search.next_program(step.action.allowed or Limits(candidates=None, seconds=None))
                if solution is not None and solution.misfit is None:
                    search.rival_programs(solution, self.settings.look_on)
            for drawn in step.action.drawn:
                search.further_programs(Limits(candidates=drawn.candidates, seconds=None), drawn.wanted)
        search.steps_seen = len(steps)
        self._current = (key, search)
        return search

    def _is_refused(self, view: TaskView) -> Callable[[Term], bool]:
        """Whether an earlier run of the same task handed in what a program amounts to, and was refused."""
        refused = {one.answer for one in view.refused}
        return lambda term: bool(refused) and answer_source(term, view, self._vocabulary) in refused

    @without_collector()
    def alternatives(
        self, view: TaskView, plan: Plan, steps: Sequence[Step], limits: Limits, wanted: int
    ) -> tuple[Action, ...]:
        """Further programs of the same search, for at most ``limits``; the search can go on after them."""
        everything = steps
        view, steps = with_shown(view, steps)
        before = time.process_time()
        search = self._search(view, plan, steps, everything[: len(everything) - len(steps)])
        watch = Stopwatch(search.meter, before)
        rivals = search.further_programs(limits, wanted)
        spent = watch.cost()
        answers = [
            Action(
                kind="code",
                code=answer_source(solution.term, view, self._vocabulary),
                private=_private_part(solution),
                consumed=self._consumed(solution.term),
            )
            for solution in rivals
        ]
        text = f"{len(answers)} rival{'s' * (len(answers) != 1)}"
        return (*answers, Action(kind="finish", text=text, cost=spent))

    def leave_one_out(
        self, view: TaskView, plan: Plan, steps: Sequence[Step], known: KnownRows, limits: Limits
    ) -> Robustness:
        """Searches again with all rows but one, for every visible row; see :class:`LeaveOneOutSearches`."""
        action, before = steps[-1].action, time.process_time()
        deadline = None if limits.seconds is None else before + limits.seconds

        def make(problem: SearchProblem, candidates: int) -> Searcher:
            ends = self.settings.ends
            meter = SearchMeter(limit=candidates, deadline=deadline, ends=ends, cancellation=self._cancellation)
            return Searcher(problem, self._vocabulary, plan.private["prices"], meter, self.settings.combine)

        rows = (*known.visible, *known.unseen)
        searches = LeaveOneOutSearches(
            term=from_json(action.private["tree"]),
            rows=rows,
            inputs=known.inputs,
            vocabulary=self._vocabulary,
            make=make,
            took=int(action.private.get("candidates", action.cost.candidates)),
            most=limits.candidates,
        )
        place = searches.decisive_row(range(len(known.visible)))
        cost = Cost(candidates=searches.used, work=searches.work, seconds=time.process_time() - before)
        return Robustness(row=None if place is None else rows[place], whole=searches.reached, cost=cost)

    def decompose(self, view: TaskView, plan: Plan, share: float) -> Plan:
        """How the examples can be taken apart; the parts are searched for where the whole is not found."""
        ways = find_splits(problem_of(view))
        if not ways:
            return plan
        parts = [
            Subgoal(id=f"part{number}", goal=split.says, postcondition="the parts reproduce every example")
            for number, split in enumerate(ways, 1)
        ]
        private = {**plan.private, "splits": len(ways), "share": share}
        return replace(plan, subgoals=(*parts, *plan.subgoals), private=private)

    @without_collector()
    def search_again(self, view: TaskView, steps: Sequence[Step], limits: Limits) -> Action:
        """A search that prices every operation alike, so it meets programs in another order."""
        view, _ = with_shown(view, steps)
        problem = problem_of(view)
        meter = meter_for(UNLIMITED if limits.candidates is None else limits.candidates, limits.seconds)
        meter.cancellation, meter.ends = self._cancellation, self.settings.ends
        watch = Stopwatch(meter)
        alike = dict.fromkeys([*(operation.name for operation in self._vocabulary.operations), "input"], 1)
        searcher = Searcher(problem, self._vocabulary, alike, meter, self.settings.combine)
        tried = answers_of(steps)
        term = next((solution.term for solution in searcher.programs() if solution.term not in tried), None)
        spent = watch.cost(SETUP)
        return self._answer_action(view, term, spent, "with all operations priced alike")

    def _composed(
        self, view: TaskView, plan: Plan, steps: Sequence[Step], spending: tuple[Limits, Limits, Cost]
    ) -> Action:
        """A program made of parts, with the share of the budget that was kept for it."""
        whole, main, spent = spending
        problem = problem_of(view)
        seconds = None if whole.seconds is None else max(0.0, whole.seconds - spent.seconds)
        meter = meter_for((UNLIMITED if whole.candidates is None else whole.candidates) - spent.candidates, seconds)
        meter.cancellation, meter.ends = self._cancellation, self.settings.ends
        watch = Stopwatch(meter)
        prices = {} if self.guide is not None else plan.private["prices"]

        def make(part: SearchProblem, meter: SearchMeter) -> Searcher:
            return Searcher(part, self._vocabulary, prices, meter, self.settings.combine)

        term = compose(problem, find_splits(problem), make, meter, answers_of(steps))
        spent += watch.cost()
        action = self._answer_action(view, term, spent, "put together from parts")
        # Without seconds: run again after a crash, it must end at the same candidate.
        return replace(action, allowed=Limits(candidates=main.candidates, seconds=None))

    def _answer_action(self, view: TaskView, term: Term | None, spent: Cost, how: str) -> Action:
        if term is None:
            return Action(kind="finish", text=f"no program {how} within {spent.candidates:,} candidates", cost=spent)
        return Action(
            kind="code",
            code=answer_source(term, view, self._vocabulary),
            text=f"a program {how} after {spent.candidates:,} candidates",
            private={"tree": to_json(term)},
            cost=spent,
            consumed=self._consumed(term),
        )

    @without_collector()
    def ambiguities(
        self, view: TaskView, step: Step, unlabelled: Sequence[Sequence[Json]], limits: Limits
    ) -> Ambiguities:
        """What else fits all rows (:mod:`evolve.policies.search.ambiguity`); of an answer without a tree, what a search
        finds, whatever that gives elsewhere."""
        meter = meter_for(UNLIMITED if limits.candidates is None else limits.candidates, limits.seconds)
        meter.cancellation, meter.ends = self._cancellation, self.settings.ends
        watch = Stopwatch(meter)
        if "tree" in step.action.private:
            told = doubts_about(from_json(step.action.private["tree"]), view, unlabelled, self._vocabulary, meter)
            return replace(told, cost=watch.cost())
        found = first_programs(view, self._vocabulary, meter, self.settings.combine)
        return Ambiguities(found=found, cost=watch.cost())

    def reflect(self, view: TaskView, group: str, steps: Sequence[Step], probe: Probe) -> tuple[Claim, ...]:
        """Claims from ablating the accepted answer; nothing from a task that was not solved."""
        term = accepted_term(steps)
        if term is None:
            return ()
        problem = problem_of(view)
        self._vocabulary.grammars_of(problem)  # makes the columns of this problem's tables known as operations
        solved = SolvedAnswer(term=term, view=view, group=group, problem=problem)
        return claims_of(solved, self._vocabulary, probe, self._causes)

    def distill(self, view: TaskView, steps: Sequence[Step]) -> tuple[SkillDraft, ...]:
        """The verified answer as a skill, where it is more than a single operation, and parts that it shares.

        A person's own answer may be a single function of the vocabulary. Parts are shared with the answers behind the
        library's skills; see :mod:`evolve.policies.search.abstraction`.
        """
        term = accepted_term(steps)
        if term is None:
            return ()
        problem = problem_of(view)
        self._vocabulary.grammars_of(problem)  # as in reflect
        if self._answers is None:
            self._answers = VerifiedAnswers.from_library(self.library, self._vocabulary.operations)
        parts = self._answers.parts_of(term, problem, view.id)
        drafts = [draft_of(term, view, problem, self._vocabulary, own=self.settings.doubts_rows)]
        drafts += [part_draft(part, view, problem, self._vocabulary) for part in parts]
        return tuple(draft for draft in drafts if draft is not None)


def _private_part(solution: Solution) -> dict[str, Json]:
    return {"tree": to_json(solution.term), "price": solution.cost, "candidates": solution.candidates}

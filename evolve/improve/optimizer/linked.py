"""An engine that needs no model: it keeps one workflow, and draws anew what one task that goes badly hangs on.

A (1+1) evolutionary algorithm (Droste, Jansen and Wegener, "On the analysis of the (1+1) evolutionary algorithm",
Theoretical Computer Science 276, 2002) whose changes follow :class:`PartLinkage`: first every part is drawn
anew alone, which shows what hangs on it; then mostly some of the parts that one unsolved task hangs on, together. That
task is tried first, and the others only where it did better.

When to stop needs evidence too. If a change like those that were drawn helped with probability p, then n of them in a
row without a gain had the chance (1 - p)^n, so p is below 3 / n at 95 % confidence (Hanley and Lippman-Hand, "If
nothing goes wrong, is everything all right?", JAMA 249, 1983).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

from evolve.agent.workflow import Workflow, workflow_differences
from evolve.improve.optimizer.engine import (
    Candidate,
    CandidateTrial,
    EngineKind,
    EngineSettings,
    EngineTrials,
    SearchEnded,
)
from evolve.improve.optimizer.population import (
    ScoredCandidate,
    compare,
    rank_by_target,
    same_outcomes,
    target_evidence,
    target_wins,
    tasks_that_differ,
)
from evolve.improve.optimizer.workflow_drafts import SearchScope
from evolve.improve.optimizer.workflow_parts import crossover, parts_between, parts_of, resample_part

OFTEN = 0.15
"""Share of the changes of a part that must have changed how a task ended, for the task to hang on it."""

_MOST_PARTS = 3
"""Parts changed at once from which something can still be learned."""

REDRAW, TOGETHER, LEAVE_OUT = "redraw", "redraw-together", "leave-out"
"""What makes candidates: one part drawn anew, some that a task hangs on, or an idle change taken back."""

LOOKS = (3, 8, 24)
"""Tasks tried before each decision whether a child is worth more of them; the last is a whole screening."""

ALONE = 0.25
"""Share of changes of one part where parts are known that could be changed together."""

DRAWS = 10
"""Changes in a row for each part that there is, without a gain, after which the search has stalled."""

TRIES = 400
"""Draws in a row that gave nothing new before the search gives up."""

PROSPECTS, LAST_PROSPECTS = 4.0, 1.0
"""What the evidence that it meets the target must reach for a judgement: in the search, and at its end."""

LAST_SHARE = 0.15
"""Part of the budget below which the end may come at any time."""


@dataclass(frozen=True, kw_only=True)
class LinkedEngine:
    """Searches workflows and their knobs.

    Attributes:
        scope: What may be changed, and which changes no trial could show.
    """

    settings: EngineSettings = field(default_factory=EngineSettings)
    scope: SearchScope = field(default_factory=SearchScope)
    name: str = "linked"

    def search(self, trials: EngineTrials, start: Candidate) -> str:
        """Searches until the budget ends, nothing separates any more, or all proposals were made."""
        return LinkedSearch(self.settings, self.scope, trials, start).run()


class LinkedSearch:
    """One search: ``kept`` is built on, ``rival`` did better than ``incumbent`` on trials and was not judged yet."""

    def __init__(self, settings: EngineSettings, scope: SearchScope, trials: EngineTrials, start: Candidate) -> None:
        self._settings, self._scope, self._trials = settings, scope, trials
        self._random = Random(f"linked:{settings.seed}")
        self._linkage = PartLinkage()
        self._tasks = [view.id for view in trials.tasks][: LOOKS[-1]]
        self._known: dict[str, ScoredCandidate] = {}
        self._sweep: list[str] = []
        self._busy = self._idle = 0
        self._due = 0.5
        self._kept = self._incumbent = self._member(start, trials.screen(start, self._tasks))
        self._rival: ScoredCandidate | None = None
        self._bar: tuple[float, ...] | None = None
        self._refused: set[str] = set()

    def run(self) -> str:
        """The search; gives the reason why it ended. What did better is judged also where the trials end too soon."""
        try:
            return self._climb()
        except SearchEnded:
            if self._rival is not None and target_evidence(self._rival, self._incumbent) >= LAST_PROSPECTS:
                with suppress(SearchEnded):
                    self._trials.judge(self._rival.candidate, self._incumbent.candidate)
            raise

    def _climb(self) -> str:
        most, proposals, barren = self._settings.proposals, 0, 0
        while most is None or proposals < most:
            if self._idle >= max(DRAWS * len(self._parts()), self._busy) and not self._judge_rival(LAST_PROSPECTS):
                return self._stalled()
            drawn = self._drawn()
            if drawn is None:
                barren += 1
                if barren == TRIES and not self._judge_rival(LAST_PROSPECTS):
                    return f"none of the last {TRIES} changes gave anything new"
                continue
            barren, proposals = 0, proposals + 1
            self._take(*drawn)
            left = self._trials.remaining()
            if left.judgements == 0:
                return "all judgements were made"
            share = left.share
            if share <= self._due:
                self._judge_rival(PROSPECTS if share > LAST_SHARE else LAST_PROSPECTS)
        self._judge_rival(LAST_PROSPECTS)
        return f"all {most} proposals made"

    def _stalled(self) -> str:
        further = "nothing separates" if self._bar is None else "nothing further separates"
        bound = f"fewer than {3 / self._idle:.1%} of such changes would (95 % confidence)"
        return f"{further}: {self._idle} changes in a row did no better on {len(self._tasks)} tasks, so {bound}"

    def _parts(self) -> tuple[str, ...]:
        """Parts whose change a trial could show."""
        workflow, hides = self._kept.candidate.workflow, self._scope.hides_part
        return tuple(part for part in parts_of(workflow, only=self._settings.only) if not hides(part))

    def _drawn(self) -> tuple[Candidate, str] | None:
        """A new candidate, and the task that it was made for or ""; None where nothing new was drawn."""
        before = self._kept.candidate
        hanging = {name: self._linkage.influential_parts(name) for name in self._tasks if not self._is_solved(name)}
        tasks = [name for name, parts in hanging.items() if parts]
        task = ""
        if tasks and self._random.random() >= ALONE:
            task = self._random.choice(tasks)
            parts = self._random.sample(hanging[task], self._random.randint(1, len(hanging[task])))
        else:
            self._sweep = self._sweep or self._random.sample(self._parts(), len(self._parts()))
            parts = [self._sweep.pop()]
        workflow = before.workflow
        for part in parts:
            workflow = resample_part(workflow, part, self._random) or workflow
        workflow = self._scope.clamp_knobs(workflow)
        if not self._scope.can_distinguish(before.workflow, workflow):
            return None
        child = build_candidate(before, workflow, operator=TOGETHER if len(parts) > 1 else REDRAW)
        return None if child.digest in self._known else (child, task)

    def _is_solved(self, task: str) -> bool:
        trial = self._kept.trials.get(task)
        return trial is not None and trial.score == 1.0

    def _take(self, child: Candidate, task: str) -> None:
        """Tries a child, builds on it where it does no worse, and notes a gain."""
        member, alike = self._screened(child, self._kept, task)
        self._idle += 1
        if alike or not self._is_comparable(member):
            return
        self._linkage.record_outcome_change(
            self._kept.candidate.workflow, child.workflow, tasks_that_differ(member, self._kept)
        )
        wins, losses = compare(member, self._kept)
        more, fewer = target_wins(member, self._kept)
        if (member.score, wins - losses, more - fewer) >= (self._kept.score, 0, 0):
            self._kept = member
        place = rank_by_target(member, self._incumbent)
        if place is not None and (self._bar is None or place[:-1] < self._bar):
            self._rival, self._bar, self._busy, self._idle = member, place[:-1], self._busy + self._idle, 0

    def _is_comparable(self, member: ScoredCandidate) -> bool:
        return member.trials.keys() >= self._incumbent.trials.keys()

    def _screened(self, child: Candidate, base: ScoredCandidate, task: str = "") -> tuple[ScoredCandidate, bool]:
        """The child's trials, and whether nothing tells it from ``base``: as many as it takes to see that, or a loss.

        Args:
            task: What it has to do better on; "" for no such task.
        """
        trials: list[CandidateTrial] = []
        tasks = self._order(base, task)
        alike, looks = False, (1, *LOOKS) if task else LOOKS
        for number, most in enumerate(looks):
            if len(trials) >= len(tasks):
                break
            trials += self._trials.screen(child, tasks[len(trials) : most])
            look = ScoredCandidate(candidate=child, trials={trial.task: trial for trial in trials if trial.informative})
            wins, losses = compare(look, base)
            if task and number == 0:
                if not wins:
                    break
                continue
            alike = same_outcomes(look, base)
            if alike or (wins < losses and most > LOOKS[0] and not _solves_more(look, base)):
                break
        member = self._member(child, trials)
        if alike:
            member.trials = {**base.trials, **member.trials}
        return member, alike

    def _order(self, base: ScoredCandidate, first: str) -> list[str]:
        """The tasks, two that ``base`` fails on for every one that it solves: gains show on the former."""
        failed = [name for name in self._tasks if name not in base.trials or base.trials[name].score < 1.0]
        solved = [name for name in self._tasks if name not in failed]
        ordered = [first] if first else []
        while failed or solved:
            ordered += [*failed[:2], *solved[:1]]
            del failed[:2], solved[:1]
        return list(dict.fromkeys(ordered))

    def _member(self, candidate: Candidate, trials: Sequence[CandidateTrial]) -> ScoredCandidate:
        member = ScoredCandidate(
            candidate=candidate, trials={trial.task: trial for trial in trials if trial.informative}
        )
        self._known[candidate.digest] = member
        return member

    def _judge_rival(self, least: float) -> bool:
        """Whether the rival went to the gate, without what makes no difference to it, and was accepted."""
        rival = self._rival
        if rival is None:
            return False
        if target_evidence(rival, self._incumbent) < least:
            return False
        # At most one judgement for every time that what is left has halved: each of them weakens those that follow.
        self._due = self._trials.remaining().share / 2
        lean = self._lean(rival)
        self._rival = None
        if not self._trials.judge(lean.candidate, self._incumbent.candidate).accepted:
            self._refused.add(lean.candidate.digest)
            return False
        self._kept = self._incumbent = lean
        self._bar, self._idle = None, 0
        return True

    def _lean(self, rival: ScoredCandidate) -> ScoredCandidate:
        """The rival with the incumbent's parts wherever that makes it no worse: what did not help is not proposed."""
        incumbent = self._incumbent.candidate.workflow
        for part in parts_between(incumbent, rival.candidate.workflow):
            workflow = crossover(rival.candidate.workflow, incumbent, part.__eq__)
            if workflow is None or workflow in (incumbent, rival.candidate.workflow):
                continue
            child = build_candidate(rival.candidate, workflow, operator=LEAVE_OUT)
            member = self._known.get(child.digest) or self._screened(child, rival)[0]
            wins, losses = compare(member, rival)
            if self._is_comparable(member) and wins >= losses:
                rival = member
        return rival


def _solves_more(look: ScoredCandidate, base: ScoredCandidate) -> bool:
    """Whether a member came to a higher score on the tasks that it was tried on, at whatever cost."""
    both = [(mine.score, base.trials[task].score) for task, mine in look.trials.items() if task in base.trials]
    return sum(mine for mine, _ in both) > sum(theirs for _, theirs in both)


def build_candidate(before: Candidate, workflow: Workflow, *, operator: str, why: str = "") -> Candidate:
    """A candidate with another workflow; by default what changed stands as the reason."""
    changed = "; ".join(
        str(difference).removeprefix("~ ") for difference in workflow_differences(before.workflow, workflow)
    )
    return Candidate(
        workflow=workflow, prompts=before.prompts, parents=(before.digest,), operator=operator, why=why or changed
    )


LINKED = EngineKind(
    name="linked",
    changes=frozenset({"workflow", "knobs"}),
    make=lambda parts: LinkedEngine(settings=parts.settings, scope=parts.scope),
)
"""As it is registered."""


class PartLinkage:
    """Which parts of a workflow the outcome of each task depends on, as far as changes showed it.

    Deterministic given the order of calls. Two parts that the same task hangs on belong together: to change one alone
    may only make things worse. Linkage found by perturbation is that of Munetomo and Goldberg, "Linkage identification
    by non-monotonicity detection for overlapping functions", Evolutionary Computation 7 (1999).
    """

    def __init__(self) -> None:
        self._changed: dict[str, float] = {}
        self._mattered: dict[str, dict[str, float]] = {}

    def record_outcome_change(self, before: Workflow, after: Workflow, tasks: Iterable[str]) -> None:
        """Takes in that these tasks, and no others, ended otherwise after the change.

        Several parts that changed at once share the blame; after a change of more than three nobody could tell.
        """
        parts = parts_between(before, after)
        if len(parts) > _MOST_PARTS:
            return
        for part in parts:
            self._changed[part] = self._changed.get(part, 0.0) + 1.0 / len(parts)
        for task in tasks:
            mattered = self._mattered.setdefault(task, {})
            for part in parts:
                mattered[part] = mattered.get(part, 0.0) + 1.0 / len(parts)

    def influential_parts(self, task: str) -> tuple[str, ...]:
        """Parts whose change often changed how the task ended."""
        counts = self._mattered.get(task, {})
        return tuple(part for part, number in counts.items() if number >= OFTEN * self._changed[part])

"""An engine in which a model writes whole workflows from the archive of what was tried; the gate alone accepts.

Meta Agent Search of Hu, Lu and Clune, "Automated Design of Agentic Systems" (arXiv 2408.08435): a model reads what
earlier designs came to and writes the next one. Three things differ. A design is a workflow and no code, so the check
refuses what would not work. The model is shown a few of the archive, the best and the most different ones: all of it
was found to be worse than none ("Inefficiencies of Meta Agents", arXiv 2510.06711). And its drafts take turns with the
changes of :mod:`~evolve.improve.optimizer.linked`, which need no model, so that a useless one costs half of the trials
at most; once it has brought nothing for a while, it is not asked before something else did better.

What the model is told is from trials on tasks that may be learned from: candidates with their trials, and of the gate
the one bit that says that a candidate was not accepted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evolve.agent.workflow import Workflow, workflow_differences
from evolve.core.episodes import EpisodeRecord, TaskView
from evolve.environments import environment_kind
from evolve.improve.optimizer.engine import (
    Candidate,
    CandidateTrial,
    EngineKind,
    EngineSettings,
    EngineTrials,
    SearchEnded,
    ignore_event,
)
from evolve.improve.optimizer.linked import LinkedSearch, build_candidate
from evolve.improve.optimizer.population import ScoredCandidate
from evolve.improve.optimizer.workflow_drafts import LEARNING_STAGES, MENDS, Drafter, DraftSpace, SearchScope
from evolve.improve.optimizer.workflow_parts import parts_between
from evolve.trials.gate import comparable_costs

BEST, DIFFERENT = 3, 3
"""Workflows shown beside the parent: those that did best, and those least like any that is shown already."""

_ENDINGS = 8
_TASKS = 4
_INSTRUCTION = 300
_NOTE = 160

_WHO = {
    "search": "a program search that tries expressions (candidates) and asks no model",
    "language": "a language model",
}


def setting_of(scope: SearchScope, views: Sequence[TaskView], parent: Workflow) -> str:
    """Who acts, on what, and what an episode may spend."""
    kinds = sorted({view.environment for view in views})
    acting = scope.policy.partition(":")[0]
    limits = {"candidates": scope.limits.candidates, "seconds": scope.limits.seconds, "tokens": scope.limits.tokens}
    most = [f"{bound:,} {name}" for name, bound in limits.items() if bound is not None]
    told = [f"Who acts: {_WHO.get(acting, acting or 'a policy')}. Kinds of tasks: {', '.join(kinds)}."]
    if not any(environment_kind(kind).one_file for kind in kinds):
        told.append("No answer there is one source file, so the stages between act and observe do nothing.")
    if most:
        told.append(f"Whatever the knobs say, an episode may spend at most {' and '.join(most)}.")
    unseen = [stage for stage in parent.stages if stage in LEARNING_STAGES and scope.hides_part(f"stage:{stage}")]
    if unseen:
        told.append(f"Trials do not show what {' and '.join(unseen)} do; they stay where they are.")
    told.append("A task's score is 1 if it is solved, else the part that came out right.")
    told.append("Cost counts tokens where a model acts, else work units: ten million are a second of CPU time.")
    return " ".join(told)


def trials_of(member: ScoredCandidate) -> tuple[str, ...]:
    """How the trials of a candidate ended, alike ones together, the most frequent first."""
    alike: dict[str, list[CandidateTrial]] = defaultdict(list)
    for trial in member.trials.values():
        alike[_ending(trial)].append(trial)
    lines = []
    for ending, trials in sorted(alike.items(), key=lambda item: (-len(item[1]), item[0]))[:_ENDINGS]:
        costs = [round(cost) for cost in comparable_costs([trial.cost for trial in trials])]
        steps = sorted({len(trial.record.steps) for trial in trials if trial.record is not None})
        actions = f", actions {_span(steps)} of {member.candidate.workflow.knobs.steps}" if steps else ""
        lines.append(f"{len(trials)} of {len(member.trials)} tasks: {ending}{actions}, cost {_span(costs)}")
    return tuple(lines)


def tasks_of(member: ScoredCandidate, views: Sequence[TaskView]) -> tuple[str, ...]:
    """Some tasks that a candidate did not solve, as far as they may be seen."""
    failed = [view for view in views if view.id in member.trials and member.trials[view.id].score < 1.0]
    return tuple(_seen(view, _ending(member.trials[view.id])) for view in failed[:_TASKS])


def _seen(view: TaskView, ending: str) -> str:
    return f"{' '.join(view.instruction.split())[:_INSTRUCTION]} ({view.environment}; {ending})"


def other_candidates(
    known: Iterable[ScoredCandidate], parent: ScoredCandidate, refused: Collection[str]
) -> tuple[str, ...]:
    """The best and the most different of what was tried, each with its trials beside the parent's.

    Args:
        refused: Digests of candidates that were judged and not accepted.
    """
    return tuple(_told(one, parent, one.candidate.digest in refused) for one in _shown(known, parent))


def separate_tasks(
    known: Iterable[ScoredCandidate], parent: ScoredCandidate, views: Sequence[TaskView]
) -> tuple[str, ...]:
    """The tasks on which those of :func:`other_candidates` lost what the parent solves, and then where they solved
    more.

    Args:
        views: Tasks for screening, the only ones that trials are of.
    """
    shown = _shown(known, parent)
    lost, gained = [], []
    for view in views:
        mine = parent.trials.get(view.id)
        theirs = [(one, one.trials[view.id]) for one in shown if view.id in one.trials]
        if mine is not None and mine.solved:
            by = [f"lost by {_changes(one, parent)} ({_ending(trial)})" for one, trial in theirs if not trial.solved]
            lost += [f"{_seen(view, 'solved')}: {'; '.join(by)}"] if by else []
        elif mine is not None:
            by = [f"solved by {_changes(one, parent)}" for one, trial in theirs if trial.solved]
            gained += [f"{_seen(view, _ending(mine))}: {'; '.join(by)}"] if by else []
    return (*lost[:_TASKS], *gained[:_TASKS])


def _shown(known: Iterable[ScoredCandidate], parent: ScoredCandidate) -> list[ScoredCandidate]:
    """The best of what was tried beside the parent, then what is least like all that is shown already."""
    tried = [
        one for one in known if one.candidate.digest != parent.candidate.digest and one.trials.keys() & parent.trials
    ]
    best = sorted(tried, key=lambda one: _merit(one, parent), reverse=True)[:BEST]
    shown = [parent, *best]
    for _ in range(DIFFERENT):
        rest = [one for one in tried if one not in shown]
        if rest:
            shown.append(max(rest, key=lambda one: min(_distance(one, other) for other in shown)))
    return shown[1:]


def _came_to(member: ScoredCandidate, base: ScoredCandidate) -> str:
    """What a candidate's trials came to beside another's on the same tasks."""
    both = _pairs(member, base)
    if not both:
        return "no trial of it told anything"
    solves = [sum(pair[at].solved for pair in both) for at in (0, 1)]
    scores = [sum(pair[at].score for pair in both) for at in (0, 1)]
    costs = [sum(costs) / len(both) for costs in _costs(both)]
    return (
        f"it solves {solves[0]} of {len(both)} tasks (score {scores[0]:g}, cost {costs[0]:,.0f} a task),"
        f" the workflow above {solves[1]} of these (score {scores[1]:g}, cost {costs[1]:,.0f})"
    )


def _told(member: ScoredCandidate, parent: ScoredCandidate, refused: bool) -> str:
    verdict = "; judged on other tasks, and not accepted" if refused else ""
    return f"{_changes(member, parent)}: {_came_to(member, parent)}{verdict}."


def _changes(member: ScoredCandidate, parent: ScoredCandidate) -> str:
    """What tells a workflow from the parent's."""
    between = workflow_differences(parent.candidate.workflow, member.candidate.workflow)
    return "; ".join(str(one).removeprefix("~ ") for one in between)


def _merit(member: ScoredCandidate, base: ScoredCandidate) -> tuple[float, float]:
    """Mean gain in score over the same tasks, then the share of the cost that is saved."""
    both = _pairs(member, base)
    gain = sum(one.score - other.score for one, other in both) / len(both)
    mine, theirs = map(sum, _costs(both))
    return gain, 1.0 - mine / theirs if theirs else 0.0


def _costs(pairs: Sequence[tuple[CandidateTrial, CandidateTrial]]) -> tuple[list[float], list[float]]:
    """What both sides of the pairs cost, in one unit."""
    costs = comparable_costs([trial.cost for pair in pairs for trial in pair])
    return costs[::2], costs[1::2]


def _pairs(member: ScoredCandidate, base: ScoredCandidate) -> list[tuple[CandidateTrial, CandidateTrial]]:
    trials: Mapping[str, CandidateTrial] = base.trials
    return [(mine, trials[task]) for task, mine in member.trials.items() if task in trials]


def _distance(one: ScoredCandidate, other: ScoredCandidate) -> int:
    return len(parts_between(one.candidate.workflow, other.candidate.workflow))


def _ending(trial: CandidateTrial) -> str:
    if trial.score == 1.0:
        return "solved"
    record = trial.record
    if record is None:
        return f"score {trial.score:g}"
    return f"{record.status}, {_came_of(record)}"


def _came_of(record: EpisodeRecord) -> str:
    """What the last action came to; in the episode's own words where it was no answer."""
    refused = any(step.judgement is not None and not step.judgement.accepted for step in record.steps)
    if refused:
        return "an answer that fits what is shown fails on what is not"
    last = record.steps[-1] if record.steps else None
    if last is not None and last.action.kind == "code" and last.observation is not None and not last.observation.ok:
        return "the last answer fails on what is shown"
    return " ".join(record.note.split())[:_NOTE] or "nothing is told of why"


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


DESIGN = "design"
"""What makes candidates that a model wrote."""

PATIENCE = 4
"""Drafts in a row without a gain after which the model is asked no more until something did better."""


@dataclass(frozen=True, kw_only=True)
class AdasEngine:
    """Searches workflows and their knobs.

    Attributes:
        scope: What may be changed, and which changes no trial could show.
        tell: Takes a line where the model is asked no more.
    """

    drafter: Drafter
    settings: EngineSettings = field(default_factory=EngineSettings)
    scope: SearchScope = field(default_factory=SearchScope)
    tell: Callable[[str], None] = ignore_event
    name: str = "adas"

    def search(self, trials: EngineTrials, start: Candidate) -> str:
        """Searches until the budget ends, nothing separates any more, or all proposals were made."""
        return _AdasSearch(self, trials, start).run()


class _AdasSearch(LinkedSearch):
    """A linked search in which every other candidate is a model's, as long as its drafts bring something."""

    def __init__(self, engine: AdasEngine, trials: EngineTrials, start: Candidate) -> None:
        super().__init__(engine.settings, engine.scope, trials, start)
        self._drafter, self._tell = engine.drafter, engine.tell
        self._asked = self._tried = self._vain = 0
        self._models_turn = True

    def run(self) -> str:
        """The search; gives the reason why it ended, and what became of the drafts."""
        try:
            return f"{super().run()}; {self._drafts_told}"
        except SearchEnded as ended:
            raise SearchEnded(f"{ended}; {self._drafts_told}") from ended

    @property
    def _drafts_told(self) -> str:
        return f"{self._asked} workflows asked for, {self._tried} put to trial"

    def _drawn(self) -> tuple[Candidate, str] | None:
        if self._models_turn and self._vain < PATIENCE:
            self._models_turn = False
            child = self._drafted()
            if child is not None:
                return child, ""
            self._note_vain_draft()
        drawn = super()._drawn()
        self._models_turn = drawn is not None
        return drawn

    def _take(self, child: Candidate, task: str) -> None:
        super()._take(child, task)
        if self._idle == 0:  # something did better than all before it
            self._vain = 0
        elif child.operator == DESIGN:
            self._note_vain_draft()

    def _note_vain_draft(self) -> None:
        self._vain += 1
        if self._vain == PATIENCE:
            vain = f"{PATIENCE} workflows in a row that the model wrote brought nothing"
            self._tell(f"{vain}, so it is asked for none until something does better")

    def _drafted(self) -> Candidate | None:
        parent, views = self._kept, [view for view in self._trials.tasks if view.id in self._tasks]
        before = parent.candidate
        taken = {one.candidate.workflow.digest: _came_to(one, parent) for one in self._known.values()}
        room = DraftSpace(parent=before.workflow, scope=self._scope, taken=taken)
        brief = room.to_brief(
            setting=setting_of(self._scope, views, before.workflow),
            trials=trials_of(parent),
            tasks=tasks_of(parent, views),
            others=other_candidates(self._known.values(), parent, self._refused),
            apart=separate_tasks(self._known.values(), parent, views),
        )
        draft = self._drafter.draft_workflow(brief, room, seed=self._asked * (MENDS + 1))
        self._asked += 1
        if draft is None:
            return None
        self._tried += 1
        return build_candidate(before, draft.workflow, operator=DESIGN, why=draft.why)


ADAS = EngineKind(
    name="adas",
    changes=frozenset({"workflow"}),
    make=lambda parts: AdasEngine(drafter=parts.drafter(), settings=parts.settings, scope=parts.scope, tell=parts.tell),
    drafts=True,
)
"""As it is registered."""

"""Puts into words what the trials of workflows came to, for whoever writes the next one.

All of it is from trials on tasks that may be learned from: candidates with their trials, and of the gate the one bit
that says that a candidate was not accepted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from evolve.environments import kind_of
from evolve.episodes import EpisodeRecord, TaskView
from evolve.gate import comparable_costs
from evolve.optimizer.engine import Trial
from evolve.optimizer.member import Member
from evolve.optimizer.parts import parts_between
from evolve.optimizer.scope import LEARNING_STAGES, Scope
from evolve.workflow import Workflow, differences

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


def setting_of(scope: Scope, views: Sequence[TaskView], parent: Workflow) -> str:
    """Who acts, on what, and what an episode may spend."""
    kinds = sorted({view.environment for view in views})
    acting = scope.policy.partition(":")[0]
    limits = {"candidates": scope.limits.candidates, "seconds": scope.limits.seconds, "tokens": scope.limits.tokens}
    most = [f"{bound:,} {name}" for name, bound in limits.items() if bound is not None]
    told = [f"Who acts: {_WHO.get(acting, acting or 'a policy')}. Kinds of tasks: {', '.join(kinds)}."]
    if not any(kind_of(kind).one_file for kind in kinds):
        told.append("No answer there is one source file, so the stages between act and observe do nothing.")
    if most:
        told.append(f"Whatever the knobs say, an episode may spend at most {' and '.join(most)}.")
    unseen = [stage for stage in parent.stages if stage in LEARNING_STAGES and scope.hides(f"stage:{stage}")]
    if unseen:
        told.append(f"Trials do not show what {' and '.join(unseen)} do; they stay where they are.")
    told.append("A task's score is 1 if it is solved, else the part that came out right.")
    told.append("Cost counts tokens where a model acts, else work units: ten million are a second of CPU time.")
    return " ".join(told)


def trials_of(member: Member) -> tuple[str, ...]:
    """How the trials of a candidate ended, alike ones together, the most frequent first."""
    alike: dict[str, list[Trial]] = defaultdict(list)
    for trial in member.trials.values():
        alike[_ending(trial)].append(trial)
    lines = []
    for ending, trials in sorted(alike.items(), key=lambda item: (-len(item[1]), item[0]))[:_ENDINGS]:
        costs = [round(cost) for cost in comparable_costs([trial.cost for trial in trials])]
        steps = sorted({len(trial.record.steps) for trial in trials if trial.record is not None})
        actions = f", actions {_span(steps)} of {member.candidate.workflow.knobs.steps}" if steps else ""
        lines.append(f"{len(trials)} of {len(member.trials)} tasks: {ending}{actions}, cost {_span(costs)}")
    return tuple(lines)


def tasks_of(member: Member, views: Sequence[TaskView]) -> tuple[str, ...]:
    """Some tasks that a candidate did not solve, as far as they may be seen."""
    failed = [view for view in views if view.id in member.trials and member.trials[view.id].score < 1.0]
    return tuple(_seen(view, _ending(member.trials[view.id])) for view in failed[:_TASKS])


def _seen(view: TaskView, ending: str) -> str:
    return f"{' '.join(view.instruction.split())[:_INSTRUCTION]} ({view.environment}; {ending})"


def others_of(known: Iterable[Member], parent: Member, refused: Collection[str]) -> tuple[str, ...]:
    """The best and the most different of what was tried, each with its trials beside the parent's.

    Args:
        refused: Digests of candidates that were judged and not accepted.
    """
    return tuple(_told(one, parent, one.candidate.digest in refused) for one in _shown(known, parent))


def apart_of(known: Iterable[Member], parent: Member, views: Sequence[TaskView]) -> tuple[str, ...]:
    """The tasks on which those of :func:`others_of` lost what the parent solves, and then where they solved more.

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


def _shown(known: Iterable[Member], parent: Member) -> list[Member]:
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


def came_to(member: Member, base: Member) -> str:
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


def _told(member: Member, parent: Member, refused: bool) -> str:
    verdict = "; judged on other tasks, and not accepted" if refused else ""
    return f"{_changes(member, parent)}: {came_to(member, parent)}{verdict}."


def _changes(member: Member, parent: Member) -> str:
    """What tells a workflow from the parent's."""
    between = differences(parent.candidate.workflow, member.candidate.workflow)
    return "; ".join(str(one).removeprefix("~ ") for one in between)


def _merit(member: Member, base: Member) -> tuple[float, float]:
    """Mean gain in score over the same tasks, then the share of the cost that is saved."""
    both = _pairs(member, base)
    gain = sum(one.score - other.score for one, other in both) / len(both)
    mine, theirs = map(sum, _costs(both))
    return gain, 1.0 - mine / theirs if theirs else 0.0


def _costs(pairs: Sequence[tuple[Trial, Trial]]) -> tuple[list[float], list[float]]:
    """What both sides of the pairs cost, in one unit."""
    costs = comparable_costs([trial.cost for pair in pairs for trial in pair])
    return costs[::2], costs[1::2]


def _pairs(member: Member, base: Member) -> list[tuple[Trial, Trial]]:
    trials: Mapping[str, Trial] = base.trials
    return [(mine, trials[task]) for task, mine in member.trials.items() if task in trials]


def _distance(one: Member, other: Member) -> int:
    return len(parts_between(one.candidate.workflow, other.candidate.workflow))


def _ending(trial: Trial) -> str:
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

"""What a suite can show, told before a loop begins, and how the loop goes about it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from evolve.agent import Run
from evolve.improve.practice import finished_practice
from evolve.improve.prequential import MOST, blocks_of, distinct_tasks, fresh_tasks
from evolve.improve.session import NOTHING_NEW, PASSES
from evolve.tasks import Suite
from evolve.tasks.reading.labels import is_uninformative
from evolve.trials.gate.power import HALF, PowerForecast
from evolve.trials.learned_state import UNLEARNED
from evolve.trials.repositories import Repositories
from evolve.workspace.learners import SearchLearner
from evolve.workspace.services import WorkspaceServices

_MANY = 0.2
"""Share of the problems under one instruction from which on that is told."""


@dataclass(frozen=True, kw_only=True)
class SuiteForecast:
    """What a suite can show.

    Practice does not change it: it counts the problems that are left to judge on, and how many of them must be won.

    Attributes:
        problems: Distinct problems of the suite, by their groups.
        judged: Those of them that a variant would be judged on.
        needed: How many of these must become better, and none worse, to be accepted.
        share: As in :class:`Foresight`; None where nothing can be shown.
        enough: About how many distinct problems would show a gain on half of them.
        note: What else a person should know of their tasks, as a sentence, or "".
        unprovable: Why nothing on the suite can be judged at all, or "".
    """

    problems: int
    judged: int
    needed: int
    share: float | None
    enough: int
    note: str = ""
    unprovable: str = ""

    @classmethod
    def for_suite(cls, stores: Repositories, suite: Suite, *, streams: bool, seed: int = 0) -> SuiteForecast:
        """The forecast of the next judgement on a suite.

        Args:
            streams: All but the first quarter are judged, each before it is practised on; else the ``gate`` tasks
                alone.
            seed: Fixes which are in that quarter.
        """
        groups = {task.group for task in suite.tasks}
        if streams:
            first, *rest = blocks_of(suite, seed)
            later = [task for block in rest for task in block]
            judged = {task.group for task in fresh_tasks(stores, later, after=first)}
            part, note = len({task.group for task in later}) / len(groups), _repeated(suite, len(groups))
        else:
            tasks = suite.evidence("gate")
            judged = {task.group for task in tasks} - stores.spent_groups(tasks)
            part, note = len({task.group for task in suite.split("gate")}) / len(groups), _alike(suite)
        _, level = stores.decisions.next_level(suite.digest, judged)
        ahead = PowerForecast.for_problems(len(judged), level)
        return cls(
            problems=len(groups),
            judged=len(judged),
            needed=ahead.needed,
            share=ahead.share,
            enough=math.ceil(PowerForecast.problems_needed(HALF, level) / part) if part else 0,
            note=note,
            unprovable=suite.unprovable,
        )

    @property
    def why(self) -> str:
        """Why nothing can be shown, in one clause; "" where something can."""
        if self.unprovable or self.share is not None:
            return self.unprovable
        left = "1 is" if self.judged == 1 else f"{self.judged} are"
        return f"{self.needed} tasks would have to get better and none worse, and {left} left to judge on"

    def summary(self, *, is_over: bool = False) -> str:
        """The forecast in a few sentences.

        Args:
            is_over: Every task was practised on before, so that the loop has nothing to do.
        """
        tasks = "1 task" if self.problems == 1 else f"{self.problems} tasks"
        if self.unprovable:
            return f"{tasks}: enough to learn from, and no gain can be proved ({self.unprovable}). Continuing."
        if is_over:
            return (
                f"{tasks}, practised on before until nothing new came of it. Too few are new to prove a gain. Add new"
                f" ones: about {self.enough} distinct ones are needed. With --fresh evolve practises on these again."
            )
        if self.share is None:
            return (
                f"{tasks}: enough to learn from, too few to prove a gain ({self.why}; about {self.enough} distinct ones"
                f" are needed).{self.note} Continuing with practice alone."
            )
        few = self.problems < self.enough
        more = f" About {self.enough} distinct ones would show a gain on half of them." if few else ""
        return (
            f"{tasks}, {self.judged} of them to judge on. A gain is proved if {self.needed} get better and none worse."
            f" If learning improves {self.share:.0%} of such tasks, the chance of that is 80%.{more}{self.note}"
        )


def _repeated(suite: Suite, groups: int) -> str:
    """How many problems count for nothing beside others, as a sentence."""
    like = groups - len(distinct_tasks(suite.tasks))
    return f" {like} share rows or an instruction with others and do not count." if like else ""


def _alike(suite: Suite) -> str:
    """Problems that stand under one instruction, which may be one problem told more than once, as a sentence."""
    first = {task.group: task.instruction.strip() for task in reversed(suite.tasks)}
    told = Counter(text for text in first.values() if not is_uninformative(text))
    text, count = max(told.items(), key=lambda item: item[1], default=("", 0))
    if count < max(2, _MANY * len(first)):
        return ""
    short = text if len(text) <= 50 else text[:47] + "..."
    return f" {count} have one instruction ({short}) and may be one problem told more than once."


@dataclass(frozen=True, kw_only=True)
class LoopCourse:
    """How a loop goes about a suite.

    Attributes:
        whole: Every task is practised on, and judged before that where anything is; else only ``train`` tasks are.
        unjudged: Why nothing is judged, or "".
        passes: Passes of practice at most, where nothing is judged.
        told: What a person is told of it.
    """

    whole: bool
    unjudged: str
    passes: int
    told: str = ""


def course_of(
    services: WorkspaceServices, suite: Suite, begun: Run | None, *, key: str, rounds: int | None, seed: int
) -> LoopCourse:
    """The course of a loop.

    Args:
        begun: The run that goes on, which keeps to what it began with, or None.
        key: What was asked for, by which its earlier runs are known; "" to begin whatever these came to.
        rounds: How many a person asked for.
        seed: Fixes the order of a suite that is too small to be split.
    """
    passes = rounds or PASSES
    if begun is not None:
        body = begun.body
        passes = int(body.get("passes", passes))
        return LoopCourse(whole=bool(body.get("stream")), unjudged=str(body.get("unjudged", "")), passes=passes)
    # Whether a suite is judged task by task before it is practised on, since a split would leave too few to judge on.
    # Only the embedded search, whose episodes cost no money, and only before anything was promoted: against that a
    # later variant is to be held, and not against an agent that has learned nothing.
    groups = {task.group for task in suite.tasks}
    fresh = services.stores.variants.active_digest == UNLEARNED and not suite.unprovable
    whole = isinstance(services.learner, SearchLearner) and len(groups) <= MOST and fresh
    ahead = SuiteForecast.for_suite(services.stores, suite, streams=whole, seed=seed)
    is_over = bool(ahead.why) and _was_practised(services, suite, whole=whole)
    is_over = is_over and _came_to_its_end(services, key)
    told = ahead.summary(is_over=is_over)
    return LoopCourse(whole=whole, unjudged=ahead.why, passes=0 if is_over else passes, told=told)


def _was_practised(services: WorkspaceServices, suite: Suite, *, whole: bool) -> bool:
    """Whether this policy has practised on every task before on which a loop would practise."""
    episodes = finished_practice(services.stores.runs.episodes())
    met = {record.task for record in episodes if record.policy in ("", services.learner.name)}
    tasks = suite.tasks if whole else suite.split("train")
    return not suite.unprovable and all(task.id in met for task in tasks)


def _came_to_its_end(services: WorkspaceServices, key: str) -> bool:
    """Whether the same command ended before by a pass that brought nothing new.

    Another one, such as one with more candidates, may solve what that one did not. One that judged every task
    practised on each of them once; what their answers share is found when they are practised on again.
    """
    same = [run for run in services.stores.runs.list_runs() if run.key == key]
    return any(services.stores.runs.journal(run.id).done(NOTHING_NEW) is not None for run in same)

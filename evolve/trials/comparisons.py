"""The one change in which two arms of a comparison differ, and what a pair of their episodes says of it.

A comparison of whole variants is decided by the gate's sequential test, which looks after every pair
(:class:`evolve.trials.gate.SequentialTest`). Single claims gather evidence pair by pair: by :func:`by_success` where
chance has a part in the outcome and a posterior counts the pairs, by :func:`by_cost` where the search repeats itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from evolve.core.episodes import Claim, EpisodeRecord, Evidence, Limits, Relation, Row
from evolve.memory import Insight
from evolve.policies.base import PromptEdit
from evolve.policies.language.prompt_items import parse_prompt, revise
from evolve.tasks import Task
from evolve.trials.gate import Pair, is_verified, judged_by_current_code
from evolve.trials.learned_state import LearnedState

if TYPE_CHECKING:
    from evolve.agent import EpisodePrefix


@dataclass(frozen=True, kw_only=True)
class Change:
    """What an arm lacks, or has otherwise, beside one that is the same in all else; nothing by default.

    Attributes:
        items: Ids of insights, notes and preferences that are not recalled.
        skills: Digests of skills that are not offered.
        causes: Causes of insights that the policy does without.
        advice: Ids of lines of advice that are left out of prompts.
        texts: Prompts in place of the arm's, by file name.
        begun: What is repeated from a record before the policy is asked, so that the change acts after that; or None.
        guidance: Names of others' skills and notes that are not offered.
        row: A row that the task is not given, or None.
        times: How many times as much an episode may spend.
    """

    items: frozenset[str] = frozenset()
    skills: frozenset[str] = frozenset()
    causes: frozenset[str] = frozenset()
    advice: frozenset[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)
    guidance: frozenset[str] = frozenset()
    begun: EpisodePrefix | None = None
    row: Row | None = None
    times: int = 1

    @property
    def is_of_arm(self) -> bool:
        """Whether task, limits and beginning of an episode stay as they are."""
        return self.begun is None and self.row is None and self.times == 1

    def apply_to(self, whole: LearnedState) -> LearnedState:
        """The arm with the change."""
        prompts = {name: text_without(text, self.advice) for name, text in whole.prompts.items()}
        return replace(
            whole,
            skills=tuple(skill for skill in whole.skills if skill.digest not in self.skills),
            memory=whole.memory.without_insights(self.items)
            if whole.memory is not None and self.items
            else whole.memory,
            prompts={**prompts, **self.texts},
            lacking=whole.lacking | self.causes,
            guidance=whole.guidance.without_guides(self.guidance),
        )

    def changed_task(self, task: Task) -> Task:
        """The task with the change; the row is left out wherever it stands."""
        if self.row is None:
            return task
        examples, verify, hidden = (
            tuple(row for row in rows if row != self.row) for rows in (task.examples, task.verify, task.hidden)
        )
        return replace(task, examples=examples, verify=verify, hidden=hidden)

    def limits(self, limits: Limits) -> Limits:
        """The limits with the change; what has no bound gets none."""
        kinds = ("candidates", "seconds", "tokens", "money", "calls")
        bounds: dict[str, Any] = {name: getattr(limits, name) for name in kinds}
        return replace(limits, **{name: bound and bound * self.times for name, bound in bounds.items()})


def text_without(text: str, gone: Collection[str]) -> str:
    """A prompt's text without the lines of advice that have these ids."""
    if not gone:
        return text
    prompt = parse_prompt(text)
    edits = [PromptEdit(op="remove", item=at) for at, item in enumerate(prompt.items, 1) if item.id in gone]
    return revise(prompt, edits).prompt.text


Direction = Literal[1, -1]
"""+1 speaks for the claim, -1 against it."""

DEARER, CHEAPER = 2.0, 0.5
"""Cost without a cause over cost with it, from which on it is needed, and down to which it stands in the way."""
_ENDED = frozenset({"solved", "unsolved", "budget"})
"""Ways to end that are the search's own doing."""


@dataclass(frozen=True, kw_only=True)
class PairEvidence:
    """What a pair is evidence on."""

    relation: Relation
    direction: Direction

    @property
    def is_cause_needed(self) -> bool:
        """Whether the task needs the cause."""
        return self.relation == "necessary" and self.direction > 0


def by_success(pair: Pair) -> Direction | None:
    """Whether the variant's or the parent's episode alone was verified; None where both ended alike, or by a fault."""
    if pair.outcome in ("void", "withheld") or is_verified(pair.variant) == is_verified(pair.parent):
        return None
    if not (
        judged_by_current_code(pair.parent) and judged_by_current_code(pair.variant)
    ):  # an answer played back tells of nothing that acted
        return None
    return 1 if is_verified(pair.variant) else -1


def by_cost(first: int, without: EpisodeRecord) -> PairEvidence | None:
    """Whether a task needs a cause, by the candidates that the search took.

    It does where nothing is found without the cause, or at :data:`DEARER` times the cost or more. It is in the way
    where :data:`CHEAPER` the cost or less suffices. None where a fault or the run's budget ended the episode.

    Args:
        first: Candidates of the search with the cause, which was verified.
        without: The episode without it.
    """
    if without.status not in _ENDED:
        return None
    cost = without.cost.candidates
    if without.verified and cost <= CHEAPER * first:
        return PairEvidence(relation="prevents", direction=1)
    needed = not without.verified or cost >= DEARER * first
    return PairEvidence(relation="necessary", direction=1 if needed else -1)


def claim_on(insight: Insight, seen: Evidence, *, relation: Relation | None = None, text: str = "") -> Claim:
    """The insight with one piece of evidence.

    Args:
        relation: What the evidence is on, if not the insight's own relation.
        text: The claim in those words.
    """
    return Claim(
        cause=insight.cause,
        relation=relation or insight.relation,
        effect=insight.effect,
        scope=insight.scope,
        evidence=(seen,),
        text=text or insight.text,
    )

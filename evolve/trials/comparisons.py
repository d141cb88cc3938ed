"""The one thing in which two arms of a comparison differ."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from evolve.core.episodes import Limits, Row
from evolve.policies.base import PromptEdit
from evolve.policies.language.prompt_items import parse_prompt, revise
from evolve.tasks import Task
from evolve.trials.learned_state import LearnedState

if TYPE_CHECKING:
    from evolve.trials.replay import EpisodePrefix


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
            memory=whole.memory.without(self.items) if whole.memory is not None and self.items else whole.memory,
            prompts={**prompts, **self.texts},
            lacking=whole.lacking | self.causes,
            guidance=whole.guidance.without(self.guidance),
        )

    def task(self, task: Task) -> Task:
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

"""Controls for the items of a candidate: a share of its trials is run once more with half of the items withheld.

Nothing is withheld in the trials themselves, because that would bend the screening. An item that only one of two
candidates has would be missing in a share of that one's trials, which makes the two look more alike than they are; and
a failure made by withholding would be blamed on the prompt, and answered with an edit that the prompt holds already.
So a control is an episode of its own beside the trial: no score, no blame and no acceptance rests on it, and what the
items are worth is counted over controls alone, where chance decides which of them acted.

The knob ``withhold`` is the share of tasks with a control. Tasks and items are drawn by seed, task and item alone, so
all candidates of a search have their controls on the same tasks, and what they share is withheld from all or none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evolve.agent import sampling_fraction
from evolve.core.episodes import EpisodeRecord
from evolve.improve.ablation import recalled_on
from evolve.policies.language.prompt_items import parse_prompt
from evolve.tasks import Task
from evolve.trials.comparisons import Change
from evolve.trials.gate import is_informative, is_verified
from evolve.trials.item_utility import ItemUtility
from evolve.trials.learned_state import LearnedState, PromptedLearner
from evolve.trials.learner import Learner

CONTROL = "control"


@dataclass(frozen=True, kw_only=True)
class ItemControl:
    """One control.

    Attributes:
        key: Name of its arm, and under which its episode is recorded.
        change: The candidate's arm without what is withheld.
        kept: Ids of the items that act: lines of advice and insights.
    """

    task: Task
    key: str
    change: Change
    kept: frozenset[str]

    @property
    def withheld_ids(self) -> frozenset[str]:
        """Ids of the items that do not act. Where chance withholds none the trial itself is the control."""
        return self.change.items


def item_controls(
    arm: LearnedState, learner: Learner, tasks: Sequence[Task], *, seed: int, share: float
) -> list[ItemControl]:
    """The controls that belong to trials of an arm on these tasks.

    None where nothing that could be withheld stands in a prompt: how a search is priced tells of no single item
    whether a task is solved.

    Args:
        share: Part of the tasks that get one, in [0, 1].
    """
    chosen = [task for task in tasks if sampling_fraction(seed, task.id, CONTROL) < share]
    if not chosen or not isinstance(learner, PromptedLearner):
        return []
    advice = {item.id for text in arm.prompts.values() for item in parse_prompt(text).items if not item.is_protected}
    recalled: dict[str, set[str]] = {}
    for insight, where in recalled_on(arm, learner, chosen).items():
        for task in where:
            recalled.setdefault(task.id, set()).add(insight)
    controls = (_control(arm, task, advice | recalled.get(task.id, set()), seed) for task in chosen)
    return [control for control in controls if control.kept or control.withheld_ids]


def _control(arm: LearnedState, task: Task, items: set[str], seed: int) -> ItemControl:
    withheld = frozenset(item for item in items if sampling_fraction(seed, task.id, item) < 0.5)
    return ItemControl(
        task=task,
        key=f"{CONTROL}:{task.id}:{arm.variant}",
        change=Change(items=withheld, advice=withheld),
        kept=frozenset(items - withheld),
    )


def control_outcomes(control: ItemControl, record: EpisodeRecord) -> Mapping[str, ItemUtility]:
    """How a control came out, by item; what ended in a fault tells nothing."""
    if not is_informative(record):
        return {}
    solved = int(is_verified(record))
    acted = ItemUtility(with_solved=solved, with_failed=1 - solved)
    missed = ItemUtility(without_solved=solved, without_failed=1 - solved)
    return {**dict.fromkeys(control.kept, acted), **dict.fromkeys(control.withheld_ids, missed)}

"""The single items of a variant, and the variant without some of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from evolve.core.episodes import PROBE, SCREEN
from evolve.core.errors import ModelMistake
from evolve.policies.base import Guided
from evolve.policies.language.prompt_items import parse_prompt
from evolve.skills import KEPT, Skill, with_called
from evolve.tasks import Task
from evolve.trials import Variant
from evolve.trials.comparisons import text_without
from evolve.trials.learned_state import LearnedState, RecallScope, recall_from
from evolve.trials.repositories import Repositories
from evolve.trials.trials_learner import Learner

ItemKind = Literal["guide", "skills", "insights", "prompts", "workflow"]
KINDS: tuple[ItemKind, ...] = get_args(ItemKind)
MOST_USED = 3
"""Insights that are looked at one by one; the others only as a set."""
ALL = "all"


@dataclass(frozen=True, kw_only=True)
class VariantItem:
    """One part of what a variant has learned.

    Attributes:
        id: Digest of a skill's body, id of an insight or of an item of a prompt; :data:`ALL` where the part is one.
        text: What it is, for people.
        file: The prompt that it stands in, or "".
    """

    kind: ItemKind
    id: str = ALL
    text: str
    file: str = ""


def items_of(stores: Repositories, variant: Variant, shipped: Mapping[str, str]) -> list[VariantItem]:
    """Every item of a variant but single insights, for which see :func:`used_insights`.

    Args:
        shipped: The text that each prompt of the variant would have without it; only what differs was learned.
    """
    items = [VariantItem(kind="guide", text="the guide")] if variant.guide else []
    living = {skill.digest for skill in stores.skills.list(KEPT)}
    for body in variant.skills:
        skill = Skill.from_json(stores.objects.get_json(body))
        if skill.digest in living:
            items.append(VariantItem(kind="skills", id=body, text=f"skill {skill.name}"))
    if variant.insights:
        items.append(VariantItem(kind="insights", text="all insights"))
    for name, body in variant.prompts:
        items += _prompt_items(name, stores.objects.get(body).decode(), shipped.get(name, ""))
    return [*items, VariantItem(kind="workflow", text="the workflow")] if variant.workflow else items


def _prompt_items(name: str, text: str, shipped: str) -> Iterator[VariantItem]:
    known = {item.id for item in parse_prompt(shipped).items}
    learned = [item for item in parse_prompt(text).items if item.id not in known and not item.is_protected]
    for item in learned:
        yield VariantItem(kind="prompts", id=item.id, text=f"{name}: {item.text}", file=name)
    if not learned and text != shipped:
        yield VariantItem(kind="prompts", text=f"{name}, as the variant has it", file=name)


def used_insights(stores: Repositories, recalled: Mapping[str, Sequence[Task]]) -> list[VariantItem]:
    """The single insights that episodes on record used most, of those that are recalled at all.

    Args:
        recalled: The tasks on which each is recalled; see :func:`recalled_on`.
    """
    used = times_used(stores, recalled)
    ranked = sorted(recalled, key=lambda name: (-used[name], -len(recalled[name]), name))
    return [
        VariantItem(kind="insights", id=name, text=f"insight {name[:10]}: {stores.memory.get(name).text}")
        for name in ranked[:MOST_USED]
    ]


def times_used(stores: Repositories, items: Container[str]) -> Counter[str]:
    """How many episodes on record relied on each of these items; trials made to measure something do not count."""
    used: Counter[str] = Counter()
    for record in stores.runs.episodes():
        if record.split not in (SCREEN, PROBE):
            used.update(item for item in record.consumed if item in items)
    return used


def recalled_on(arm: LearnedState, learner: Learner, tasks: Sequence[Task]) -> dict[str, list[Task]]:
    """The tasks on which an arm recalls each insight, the most relevant first. It asks nobody and runs nothing."""
    scored: dict[str, list[tuple[float, Task]]] = {}
    policy = arm.policy(learner)
    if isinstance(policy, Guided):
        return {}
    recall = recall_from(arm.memory, asking=RecallScope(policy=policy.name))
    for task in tasks:
        view = task.view()
        try:
            features = tuple(policy.features(view))
        except ModelMistake:  # as in an episode: nothing is known of its looks
            features = ()
        for item in recall(view, features, arm.workflow.knobs.recall_k):
            scored.setdefault(item.id, []).append((item.score, task))
    return {
        name: [task for _, task in sorted(entries, key=lambda entry: (-entry[0], entry[1].id))]
        for name, entries in scored.items()
    }


def variant_without(stores: Repositories, variant: Variant, items: Sequence[VariantItem]) -> Variant:
    """A child of the variant that lacks these items and differs in nothing else."""
    kinds = {item.kind: [other for other in items if other.kind == item.kind] for item in items}
    made = replace(variant, parent=variant.digest)
    if "guide" in kinds:
        made = replace(made, guide="")
    if "workflow" in kinds:
        made = replace(made, workflow="")
    if "skills" in kinds:
        made = replace(made, skills=_without_skills(stores, variant, {item.id for item in kinds["skills"]}))
    if "insights" in kinds:
        named = [item.id for item in kinds["insights"]]
        made = replace(made, insights=stores.mark_without(variant.insights, None if ALL in named else named))
    if "prompts" in kinds:
        made = replace(made, prompts=_without_advice(stores, variant, kinds["prompts"]))
    return made


def _without_skills(stores: Repositories, variant: Variant, gone: set[str]) -> tuple[str, ...]:
    """The skills without those left out and without all that call them, which could not run."""
    skills = {body: Skill.from_json(stores.objects.get_json(body)) for body in variant.skills}
    lost = {skills[body].digest for body in gone}
    known = list(skills.values())
    return tuple(body for body, skill in skills.items() if not lost & with_called([skill.digest], known))


def _without_advice(
    stores: Repositories, variant: Variant, items: Sequence[VariantItem]
) -> tuple[tuple[str, str], ...]:
    prompts = dict(variant.prompts)
    for name in {item.file for item in items}:
        gone = {item.id for item in items if item.file == name}
        if ALL in gone:
            del prompts[name]
            continue
        text = text_without(stores.objects.get(prompts[name]).decode(), gone)
        prompts[name] = stores.objects.put(text.encode())
    return tuple(prompts.items())

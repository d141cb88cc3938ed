"""Credit for the single items of a variant: the variant against itself without one of them.

The gate judges variants as wholes, so it cannot say which part of one earns its place. Here every item is taken away
in turn and all else is kept. The episodes are trials on ``train`` tasks, on which nothing is learned; ``gate`` and
``test`` tasks stay untouched, because what is found here may lead to a proposal. So an item may look better than it is
elsewhere, on the tasks it was learned from. It decides nothing itself: what hurts can be proposed for removal, as a
variant of its own, to the gate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from evolve.core.episodes import PROBE, SCREEN
from evolve.core.episodes.codec import Jsonable, from_data, to_data
from evolve.core.errors import BudgetExhausted, ModelMistake, UsageError
from evolve.core.ledger import Spent
from evolve.improve.judgement import judge_variant
from evolve.improve.report import contrast_arms
from evolve.improve.session import Session
from evolve.policies.language.prompt_items import parse_prompt
from evolve.skills import KEPT, Skill, with_called
from evolve.tasks import Task
from evolve.trials import Variant
from evolve.trials.comparisons import text_without
from evolve.trials.gate import (
    NOTHING,
    ArmComparison,
    Comparison,
    ConfidenceInterval,
    Pair,
    clopper_pearson,
    one_per_group,
)
from evolve.trials.learned_state import LearnedState, recall_from
from evolve.trials.learner import Learner
from evolve.trials.pairs import PairedEpisodes
from evolve.trials.repositories import Repositories

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
    if not policy.recalls:
        return {}
    recall = recall_from(arm.memory, policy=policy.name)
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
        prompts[name] = stores.objects.put_object(text.encode())
    return tuple(prompts.items())


ItemVerdict = Literal["helps", "no difference shown", "hurts"]
LEVEL = 0.95
_STEP = "ablation"


@dataclass(frozen=True, kw_only=True)
class ItemCredit:
    """What one item does for its variant.

    Attributes:
        wins: Pairs that went better with the item: solved only with it, or solved by both and cheaper by a fifth.
        planned: Tasks that were to be tried; for a single insight only those on which it is recalled.
        share: Share of the decided pairs that were won; see :func:`share_won`.
        solved: Share of tasks solved with the item minus the share solved without; bootstrap.
        ratio: Cost with the item over cost without, median over tasks that both solve; below 1 it saves.
        verdict: From ``share`` alone, against one half.
    """

    item: VariantItem
    wins: int
    losses: int
    ties: int
    planned: int
    share: ConfidenceInterval
    solved: ConfidenceInterval = NOTHING
    ratio: ConfidenceInterval = NOTHING
    verdict: ItemVerdict


@dataclass(frozen=True, kw_only=True)
class AblationReport(Jsonable):
    """Credit for the items of a variant.

    Attributes:
        proposed: What the gate said of the variant without the items that hurt, as JSON; {} where none was proposed.
    """

    run: str
    suite: str
    suite_digest: str
    variant: str
    seed: int
    finish_reason: str
    items: tuple[ItemCredit, ...]
    spent: Spent
    proposed: Mapping[str, Any]


def ablate(
    session: Session, variant: str, *, kinds: Sequence[ItemKind], shipped: Mapping[str, str], propose: bool
) -> AblationReport:
    """Tries a variant of the archive without each of its items, or goes on where an earlier process stopped.

    Args:
        variant: Its digest.
        kinds: Kinds of items to look at.
        shipped: The text that each prompt of the variant would have without it, by file name.
        propose: Put the variant without what hurts before the gate; only for the active variant.

    Raises:
        BudgetExhausted: The budget allowed not even one pair.
        UsageError: There is nothing to take away.
    """
    done = session.step_log.done(_STEP)
    if done is not None:
        return AblationReport.from_json(done)
    whole = session.stores.variants.get(variant)
    tasks = one_per_group(session.suite.evidence("train"))
    items = _items(session, whole, kinds, shipped, tasks)
    comparisons = _compared(session, whole, items, tasks)
    if not any(comparison.pairs for comparison in comparisons):
        raise BudgetExhausted(
            f"{session.end_reason() or 'the budget allows no pair of episodes'}, so nothing was found out",
            hint="give a larger --budget",
        )
    credits = tuple(
        _credit(item, comparison, len(items)) for (item, _), comparison in zip(items, comparisons, strict=True)
    )
    report = AblationReport(
        run=session.run,
        suite=session.suite.name,
        suite_digest=session.suite.digest,
        variant=variant,
        seed=session.plan.seed,
        finish_reason="the budget ended"
        if any(comparison.ended for comparison in comparisons)
        else "every pair was run",
        items=credits,
        spent=session.ledger.spent,
        proposed=_proposed(session, whole, credits) if propose else {},
    )
    session.stores.variants.add_measure(
        variant, run=session.run, kind=f"ablation on {session.suite.name}", body=report.to_json()
    )
    session.step_log.finish(_STEP, report.to_json())
    return report


def _items(
    session: Session, whole: Variant, wanted: Sequence[ItemKind], shipped: Mapping[str, str], tasks: Sequence[Task]
) -> list[tuple[VariantItem, list[str]]]:
    """The items to look at, each with the ids of its tasks; kept, because episodes of the run change what is used most.

    Where an insight is not recalled both arms would be the same, so such tasks are not run for it, and a policy that
    recalls none has no such item.
    """
    rows = session.step_log.done("items")
    if rows is None:
        stores, every = session.stores, [task.id for task in tasks]
        arm = stores.state_of(whole, session.workflow)
        recalls = arm.policy(session.learner).recalls
        kinds = [kind for kind in wanted if recalls or kind != "insights"]
        listed = [(item, every) for item in items_of(stores, whole, shipped) if item.kind in kinds]
        if whole.insights and "insights" in kinds:
            recalled = recalled_on(arm, session.learner, tasks)
            single = used_insights(stores, recalled)
            listed += [(item, [task.id for task in recalled[item.id]]) for item in single]
        if not listed:
            raise UsageError(
                f"the variant {whole.digest[:12]} has no item of the kinds {', '.join(wanted)}",
                hint=f"evolve lab variants show {whole.digest[:12]}",
            )
        rows = [{"item": to_data(item), "tasks": names} for item, names in listed]
        session.step_log.finish("items", rows)
    return [(from_data(VariantItem, row["item"]), row["tasks"]) for row in rows]


def _compared(
    session: Session, whole: Variant, items: Sequence[tuple[VariantItem, list[str]]], tasks: Sequence[Task]
) -> list[Comparison]:
    """Every item's estimate, a few pairs of each in turn. The whole variant's episodes serve all of them."""
    named = {task.id: task for task in tasks}
    lesser = [variant_without(session.stores, whole, [item]) for item, _ in items]
    variants = {variant.digest: variant for variant in (whole, *lesser)}

    def arm(name: str) -> LearnedState:
        return session.stores.state_of(variants[name], session.workflow)

    contests = [
        ArmComparison(parent=variant.digest, variant=whole.digest, tasks=[named[name] for name in names])
        for variant, (_, names) in zip(lesser, items, strict=True)
    ]
    total, done = sum(len(contest.tasks) for contest in contests), 0

    def on_pair(at: int, pair: Pair) -> None:
        nonlocal done
        done += 1
        session.emit_event("ablated", done=done, total=total, item=items[at][0].text, reason=pair.state.reason)

    return PairedEpisodes(run=session, split=SCREEN, arms=arm).make_runner().compare_each(contests, on_pair=on_pair)


def _credit(item: VariantItem, comparison: Comparison, items: int) -> ItemCredit:
    tally = comparison.state.tally
    share = share_won(tally.wins, tally.losses, items)
    figures = contrast_arms(item.text, comparison.pairs)
    return ItemCredit(
        item=item,
        wins=tally.wins,
        losses=tally.losses,
        ties=tally.ties,
        planned=comparison.planned,
        share=share,
        solved=figures.gain,
        ratio=figures.ratio,
        verdict=verdict_on(share),
    )


def share_won(wins: int, losses: int, items: int) -> ConfidenceInterval:
    """Share of decided pairs that were won, with exact bounds that hold for all items of a report at once.

    How many pairs are run is fixed beforehand and no figure ends them early, so bounds of a fixed sample will do
    (Clopper and Pearson, given the number of decided pairs); the level is shared out over the items (Bonferroni).
    """
    return clopper_pearson(wins, wins + losses, level=1.0 - (1.0 - LEVEL) / items)


def verdict_on(share: ConfidenceInterval) -> ItemVerdict:
    """What bounds on the share of pairs won say of the item."""
    if share.low is None or share.high is None:
        return "no difference shown"
    return "helps" if share.low > 0.5 else "hurts" if share.high < 0.5 else "no difference shown"


def _proposed(session: Session, whole: Variant, credits: Sequence[ItemCredit]) -> Mapping[str, Any]:
    """The gate's word on the variant without all that hurts; it is promoted where that is accepted."""
    hurting = [credit.item for credit in credits if credit.verdict == "hurts"]
    if any(item.kind == "insights" and item.id == ALL for item in hurting):  # then the single ones are among them
        hurting = [item for item in hurting if item.kind != "insights" or item.id == ALL]
    if not hurting:
        return {}
    if session.end_reason():
        return {"verdict": "not judged", "reason": session.end_reason(), "without": [item.text for item in hurting]}
    stores = session.stores
    lesser = variant_without(stores, whole, hurting)
    stores.variants.add(lesser, origin=f"{session.run}: without {', '.join(item.text for item in hurting)}"[:300])
    decision = judge_variant(session, "ablation:gate", lesser.digest, candidate=lesser.digest[:12])
    return {**decision, "without": [item.text for item in hurting]}

"""Credit for single items: a variant against itself without one of them.

The gate judges variants as wholes, so it cannot say which part of one earns its place. Here every item is taken away
in turn and all else is kept. The episodes are trials on ``train`` tasks, on which nothing is learned; ``gate`` and
``test`` tasks stay untouched, because what is found here may lead to a proposal. So an item may look better than it is
elsewhere, on the tasks it was learned from. It decides nothing itself: what hurts can be proposed for removal, as a
variant of its own, to the gate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evolve.core.episodes import SCREEN
from evolve.core.episodes.codec import Jsonable, from_data, to_data
from evolve.core.errors import BudgetExhausted, UsageError
from evolve.core.ledger import Spent
from evolve.improve.improve_items import (
    ALL,
    KINDS,
    ItemKind,
    VariantItem,
    items_of,
    recalled_on,
    used_insights,
    variant_without,
)
from evolve.improve.judgement import judge_variant
from evolve.improve.report import contrast
from evolve.improve.session import Session
from evolve.policies.base import Guided
from evolve.tasks import Task
from evolve.trials import Variant
from evolve.trials.gate import NOTHING, Comparison, Contest, Interval, Pair, clopper_pearson, one_per_group
from evolve.trials.learned_state import LearnedState
from evolve.trials.trials_pairs import PairedEpisodes

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
    share: Interval
    solved: Interval = NOTHING
    ratio: Interval = NOTHING
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


@dataclass(frozen=True, kw_only=True)
class AblationWish:
    """What is asked for.

    Attributes:
        variant: Digest of a variant in the archive.
        kinds: Kinds of items to look at.
        shipped: The text that each prompt of the variant would have without it, by file name.
        propose: Put the variant without what hurts before the gate; only for the active variant.
    """

    variant: str
    kinds: Sequence[ItemKind] = KINDS
    shipped: Mapping[str, str]
    propose: bool = False


def ablate(session: Session, wish: AblationWish) -> AblationReport:
    """Tries the variant without each of its items, or goes on where an earlier process stopped.

    Raises:
        BudgetExhausted: The budget allowed not even one pair.
        UsageError: There is nothing to take away.
    """
    done = session.journal.done(_STEP)
    if done is not None:
        return AblationReport.from_json(done)
    whole = session.stores.variants.get(wish.variant)
    tasks = one_per_group(session.suite.evidence("train"))
    items = _items(session, wish, whole, tasks)
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
        variant=wish.variant,
        seed=session.plan.seed,
        finish_reason="the budget ended"
        if any(comparison.ended for comparison in comparisons)
        else "every pair was run",
        items=credits,
        spent=session.ledger.spent,
        proposed=_proposed(session, whole, credits) if wish.propose else {},
    )
    session.stores.variants.add_measure(
        wish.variant, run=session.run, kind=f"ablation on {session.suite.name}", body=report.to_json()
    )
    session.journal.finish(_STEP, report.to_json())
    return report


def _items(
    session: Session, wish: AblationWish, whole: Variant, tasks: Sequence[Task]
) -> list[tuple[VariantItem, list[str]]]:
    """The items to look at, each with the ids of its tasks; kept, because episodes of the run change what is used most.

    Where an insight is not recalled both arms would be the same, so such tasks are not run for it, and a policy that
    recalls none has no such item.
    """
    rows = session.journal.done("items")
    if rows is None:
        stores, every = session.stores, [task.id for task in tasks]
        arm = stores.state_of(whole, session.workflow)
        recalls = not isinstance(arm.policy(session.learner), Guided)
        kinds = [kind for kind in wish.kinds if recalls or kind != "insights"]
        listed = [(item, every) for item in items_of(stores, whole, wish.shipped) if item.kind in kinds]
        if whole.insights and "insights" in kinds:
            recalled = recalled_on(arm, session.learner, tasks)
            single = used_insights(stores, recalled)
            listed += [(item, [task.id for task in recalled[item.id]]) for item in single]
        if not listed:
            raise UsageError(
                f"the variant {wish.variant[:12]} has no item of the kinds {', '.join(wish.kinds)}",
                hint=f"evolve lab variants show {wish.variant[:12]}",
            )
        rows = [{"item": to_data(item), "tasks": names} for item, names in listed]
        session.journal.finish("items", rows)
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
        Contest(parent=variant.digest, variant=whole.digest, tasks=[named[name] for name in names])
        for variant, (_, names) in zip(lesser, items, strict=True)
    ]
    total, done = sum(len(contest.tasks) for contest in contests), 0

    def on_pair(at: int, pair: Pair) -> None:
        nonlocal done
        done += 1
        session.tell("ablated", done=done, total=total, item=items[at][0].text, reason=pair.state.reason)

    return PairedEpisodes(run=session, split=SCREEN, arms=arm).runner().compare_each(contests, on_pair=on_pair)


def _credit(item: VariantItem, comparison: Comparison, items: int) -> ItemCredit:
    tally = comparison.state.tally
    share = share_won(tally.wins, tally.losses, items)
    figures = contrast(item.text, comparison.pairs)
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


def share_won(wins: int, losses: int, items: int) -> Interval:
    """Share of decided pairs that were won, with exact bounds that hold for all items of a report at once.

    How many pairs are run is fixed beforehand and no figure ends them early, so bounds of a fixed sample will do
    (Clopper and Pearson, given the number of decided pairs); the level is shared out over the items (Bonferroni).
    """
    return clopper_pearson(wins, wins + losses, level=1.0 - (1.0 - LEVEL) / items)


def verdict_on(share: Interval) -> ItemVerdict:
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

"""Measures in a workspace what single items of a variant are worth, by ablation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve.core.errors import UsageError
from evolve.core.ledger import Ledger
from evolve.core.prompts import PromptLayers, load_prompt
from evolve.improve.ablation import AblationReport, AblationWish
from evolve.improve.ablation import ablate as run_ablation
from evolve.improve.items import KINDS
from evolve.improve.session import LoopPlan
from evolve.tasks import load_suite
from evolve.trials import UNLEARNED
from evolve.workspace.arguments import check_arguments
from evolve.workspace.desk import WorkspaceServices
from evolve.workspace.loops.improving import LoopWork, loop_key, loop_limits, opened_session


@check_arguments()
@dataclass(frozen=True, kw_only=True)
class AblationRequest:
    """The arguments of an ablation.

    Attributes:
        variant: Digest of a variant, its beginning, or ``active``.
        suite: A file or folder of tasks, or a built-in suite; "" for the one that the variant was last judged on.
        items: Kinds of items: some of ``guide``, ``skills``, ``insights``, ``prompts``, ``workflow``; () for all.
        propose: Put the variant without what hurts before the gate.
    """

    variant: str = "active"
    suite: str = ""
    items: Sequence[str] = ()
    seed: int = 0
    propose: bool = False


def ablate(desk: WorkspaceServices, wish: AblationRequest, budget: Ledger) -> AblationReport:
    """Runs or continues the ablation of a variant; see :meth:`Variants.ablate`."""
    stores = desk.stores
    variant = stores.variants.find(wish.variant)
    if variant == UNLEARNED:
        raise UsageError("unlearned has no items", hint="evolve lab variants list")
    if wish.propose and variant != stores.variants.active_digest:
        raise UsageError(
            "only what is active can be replaced, so only for that a removal can be proposed",
            hint="leave --propose out, or: evolve lab variants ablate active --propose",
        )
    items = wish.items
    unknown = sorted(set(items) - set(KINDS))
    if unknown:
        raise UsageError(f"--items {unknown[0]}: write some of {','.join(KINDS)}")
    kinds = tuple(kind for kind in KINDS if not items or kind in items)
    name = wish.suite or _judged_on(desk, variant)
    suite = load_suite(name)
    plan = LoopPlan(rounds=1, seed=wish.seed, limits=loop_limits(desk, budget.budget, suite, bounded=False))
    key_parts = (variant, suite.digest, list(kinds), wish.seed, wish.propose, plan.limits.candidates)
    key = loop_key(desk, "ablate", *key_parts)
    body = {"suite": name, "variant": variant, "seed": wish.seed, "policy": desk.learner.name}
    layers = PromptLayers(workspace=desk.paths.prompts)
    shipped = {file: load_prompt(file, layers) for file, _ in stores.variants.get(variant).prompts}
    with opened_session(desk, "ablate", key, body, LoopWork(suite=suite, plan=plan, budget=budget)) as session:
        return run_ablation(session, AblationWish(variant=variant, kinds=kinds, shipped=shipped, propose=wish.propose))


def _judged_on(desk: WorkspaceServices, variant: str) -> str:
    """The suite of the last run in which the gate judged the variant."""
    runs = [decision.run for decision in desk.stores.decisions.log() if decision.variant == variant]
    if not runs:
        raise UsageError(f"no gate has judged {variant[:12]}, so name the tasks to try it on", hint="--suite SUITE")
    return str(desk.stores.runs.run(runs[-1]).body["suite"])

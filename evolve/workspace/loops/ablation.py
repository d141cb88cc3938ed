"""Measures in a workspace what single items of a variant are worth, by ablation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve.core.errors import UsageError
from evolve.core.ledger import Ledger
from evolve.core.prompts import PromptLayers, load_prompt
from evolve.improve.ablation import KINDS, AblationReport
from evolve.improve.ablation import ablate as run_ablation
from evolve.improve.session import LoopPlan
from evolve.tasks import load_suite
from evolve.trials import UNLEARNED
from evolve.workspace.arguments import check_arguments
from evolve.workspace.loops.improving import LoopWork, loop_key, loop_limits, opened_session
from evolve.workspace.services import WorkspaceServices


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


def ablate(services: WorkspaceServices, request: AblationRequest, budget: Ledger) -> AblationReport:
    """Runs or continues the ablation of a variant; see :meth:`Variants.ablate`."""
    stores = services.stores
    variant = stores.variants.find(request.variant)
    if variant == UNLEARNED:
        raise UsageError("unlearned has no items", hint="evolve lab variants list")
    if request.propose and variant != stores.variants.active_digest:
        raise UsageError(
            "only what is active can be replaced, so only for that a removal can be proposed",
            hint="leave --propose out, or: evolve lab variants ablate active --propose",
        )
    items = request.items
    unknown = sorted(set(items) - set(KINDS))
    if unknown:
        raise UsageError(f"--items {unknown[0]}: write some of {','.join(KINDS)}")
    kinds = tuple(kind for kind in KINDS if not items or kind in items)
    name = request.suite or _judged_on(services, variant)
    suite = load_suite(name)
    plan = LoopPlan(rounds=1, seed=request.seed, limits=loop_limits(services, budget.budget, suite, bounded=False))
    key_parts = (variant, suite.digest, list(kinds), request.seed, request.propose, plan.limits.candidates)
    key = loop_key(services, "ablate", *key_parts)
    body = {"suite": name, "variant": variant, "seed": request.seed, "policy": services.learner.name}
    layers = PromptLayers(workspace=services.paths.prompts)
    shipped = {file: load_prompt(file, layers) for file, _ in stores.variants.get(variant).prompts}
    with opened_session(services, "ablate", key, body, LoopWork(suite=suite, plan=plan, budget=budget)) as session:
        return run_ablation(session, variant, kinds=kinds, shipped=shipped, propose=request.propose)


def _judged_on(services: WorkspaceServices, variant: str) -> str:
    """The suite of the last run in which the gate judged the variant."""
    runs = [decision.run for decision in services.stores.decisions.list_verdicts() if decision.variant == variant]
    if not runs:
        raise UsageError(f"no gate has judged {variant[:12]}, so name the tasks to try it on", hint="--suite SUITE")
    return str(services.stores.runs.run(runs[-1]).body["suite"])

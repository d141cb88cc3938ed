"""Runs the optimiser in a workspace: chooses the engine, the prompts that it may edit, and the run to go on with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, digest
from evolve.core.ledger import Ledger
from evolve.improve.optimization import OptimizationReport
from evolve.improve.optimization import optimize as run_optimizer
from evolve.improve.optimizer.engine import EngineSettings
from evolve.improve.optimizer.engine_kind import GONE, PARTS, EngineParts, engine_kind
from evolve.improve.optimizer.item_record import ItemRecord
from evolve.improve.optimizer.scope import SearchScope
from evolve.improve.paid import PaidAnswers
from evolve.improve.parts import split_budget
from evolve.improve.session import LoopPlan, Session
from evolve.improve.stage_replay import StageRerun
from evolve.improve.targets import MetricTarget
from evolve.improve.transfer import transfer as run_transfer
from evolve.policies.language import EpisodeMeter, LanguagePolicy
from evolve.tasks import Submission, load_suite
from evolve.trials import UNLEARNED
from evolve.workspace.arguments import check_arguments
from evolve.workspace.desk import WorkspaceServices
from evolve.workspace.evaluators import Opinion
from evolve.workspace.loops.improving import LoopWork, loop_key, loop_limits, opened_session
from evolve.workspace.loops.workflow_search import can_draft, drafters, edited_state, editor_of, texts_in_force

Part = Literal["", "prompts", "workflow", "knobs"]


@check_arguments()
@dataclass(frozen=True, kw_only=True)
class OptimizerRequest:
    """The arguments of an optimiser's run.

    Attributes:
        only: A part to leave everything else as it is; "" for all that the engine can change.
        engine: Name of an engine; "" for the one that fits.
        proposals: Most candidates to try, or None.
        target: Name of a metric that chooses among candidates that do no worse by solves and cost; "" for none.
        resume: Refuse to begin anew: there must be a run to continue.
    """

    suite: str
    only: str = ""
    engine: str = ""
    seed: int = 0
    proposals: int | None = None
    target: str = ""
    resume: bool = False


def optimize(desk: WorkspaceServices, wish: OptimizerRequest, budget: Ledger) -> OptimizationReport:
    """Runs or continues a search for a better variant; see :meth:`Workspace.optimize`."""
    if wish.only and wish.only not in PARTS:
        raise UsageError(f"--only {wish.only}: write one of {', '.join(PARTS)}")
    suite = load_suite(wish.suite)
    limits = loop_limits(desk, budget.budget, suite, bounded=False)
    kind = engine_kind(wish.engine, wish.only, drafts=can_draft(desk))
    if kind.drafts and not can_draft(desk):
        raise UsageError("workflows are written by a model, and none is chosen here", hint="evolve models")
    if (wish.only == "prompts" or kind.changes == {"prompts"}) and not desk.uses_model:
        raise UsageError("prompts are read by a model, and none is chosen here", hint="evolve models")
    kind.ready()
    opinion = desk.criteria.opinion(wish.target) if wish.target else None
    wanted = opinion.wanted if opinion is not None else ""
    settings = EngineSettings(seed=wish.seed, only=cast(Part, wish.only), proposals=wish.proposals, wanted=wanted)
    scope = SearchScope(policy=desk.learner.name, limits=limits)
    # A search that goes on begins with what it began with, so under files that were edited it is another one. And one
    # that an earlier version began asked its questions by other costs.
    key_parts = [suite.digest, wish.seed, kind.name, wish.only, wish.proposals, limits.candidates, edited_state(desk)]
    key_parts.append("comparable costs")
    if opinion is not None:
        key_parts.append(_target_key(opinion))
    key = loop_key(desk, "optimize", *key_parts)
    _end_what_cannot_go_on(desk, wish)
    if wish.resume and not any(run.key == key and run.state == "open" for run in desk.stores.runs.runs()):
        raise UsageError("there is no such run to continue", hint=f"evolve lab optimize {wish.suite}")
    request = {"suite": wish.suite, "seed": wish.seed, "engine": kind.name, "only": wish.only}
    request = {**request, "target": wish.target, "policy": desk.learner.name}
    work = LoopWork(suite=suite, plan=LoopPlan(rounds=1, seed=wish.seed, limits=limits), budget=budget)
    with opened_session(desk, "optimize", key, request, work) as session:
        divided = split_budget(session)
        replay = StageRerun(session=divided.search)  # handed on as a function: an engine gets no session
        with drafters(desk, divided.search) as drafter:
            parts = EngineParts(
                settings=settings,
                scope=scope,
                editor=lambda: editor_of(desk, divided.search),
                drafter=drafter,
                replay=None if replay is None else lambda record, texts, at: replay(record, texts, at),
                items=ItemRecord(desk.stores.db),
                tell=lambda text: divided.search.tell("engine", text=text),
            )
            target = None if opinion is None else _target(desk, opinion, divided.search)
            texts = texts_in_force(desk) if desk.uses_model and "prompts" in kind.changes else {}
            return run_optimizer(divided, kind.make(parts), texts, target)


def _end_what_cannot_go_on(desk: WorkspaceServices, wish: OptimizerRequest) -> None:
    """Ends an open run of the same wish whose engine is gone: nobody is left who would ask its questions again.

    Raises:
        UsageError: There was one.
    """
    for run in desk.stores.runs.runs():
        engine = str(run.body.get("engine", ""))
        same = (run.body.get("suite"), run.body.get("only"), run.body.get("seed")) == (wish.suite, wish.only, wish.seed)
        if run.kind == "optimize" and run.state == "open" and engine in GONE and same:
            desk.finish(run.id, "interrupted")
            parts = ["evolve lab optimize", wish.suite, *([f"--only {wish.only}"] if wish.only else [])]
            raise UsageError(
                f"{run.id} cannot go on: its engine {engine} is gone, and {GONE[engine]} has taken its place;"
                " what it had promoted stays",
                hint=f"to begin anew: {' '.join(parts)}",
            )


def transfer(desk: WorkspaceServices, variant: str, suite_name: str, budget: Ledger) -> Mapping[str, Any]:
    """Compares a variant with its parent on another suite, or by the workspace's present policy; keeps the result.

    Raises:
        UsageError: There is no such variant, or it was chosen on this very suite by this policy.
    """
    stores, suite = desk.stores, load_suite(suite_name)
    name = stores.variants.find(variant)
    if name == UNLEARNED:
        raise UsageError("unlearned has no parent to be compared with", hint="evolve lab variants list")
    chosen = [decision for decision in stores.decisions.log(suite.digest) if decision.variant == name]
    policies = {stores.runs.run(decision.run).body.get("policy") for decision in chosen}
    if desk.learner.name in policies:
        raise UsageError(f"{name[:12]} was chosen on {suite.name}; another suite or model would show more")
    key = loop_key(desk, "transfer", name, suite.digest)
    body = {"suite": suite_name, "variant": name, "policy": desk.learner.name}
    plan = LoopPlan(rounds=1, limits=loop_limits(desk, budget.budget, suite, bounded=False))
    with opened_session(desk, "transfer", key, body, LoopWork(suite=suite, plan=plan, budget=budget)) as session:
        return run_transfer(session, name)


def _target(desk: WorkspaceServices, opinion: Opinion, session: Session) -> MetricTarget:
    """The target for a run, which pays for it."""
    policy = desk.learner.policy(None, ())
    # Without a model nothing is asked that would have to be paid.
    meter = policy.meter if isinstance(policy, LanguagePolicy) else EpisodeMeter()
    sandbox = session.sandbox()
    return MetricTarget(
        metric=opinion.criterion.name,
        judge=opinion.judge,
        key=_target_key(opinion),
        score=lambda task, answer: opinion.score(task, Submission(code=answer), sandbox),
        paid=PaidAnswers(meter, session.ledger, session.journal),
    )


def _target_key(opinion: Opinion) -> str:
    """With another criterion, judge or prompt it is another search."""
    return digest(canonical_json(["target", opinion.wanted, opinion.judge, opinion.version]))

"""Runs the optimiser in a workspace: the engine, who writes proposals, and the run to go on with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, cast

from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, digest
from evolve.core.ledger import Ledger
from evolve.core.prompts import PromptLayers, load_prompt
from evolve.improve.controls import transfer as run_transfer
from evolve.improve.optimization import OptimizationReport
from evolve.improve.optimization import optimize as run_optimizer
from evolve.improve.optimizer.counterfactual import EditSearch
from evolve.improve.optimizer.engine import GONE, PARTS, EngineParts, EngineSettings, engine_kind
from evolve.improve.optimizer.leakage import guard_of
from evolve.improve.optimizer.workflow_drafts import Drafter, SearchScope
from evolve.improve.paid import PaidAnswers, PaidDesigner, PaidRewriter
from evolve.improve.session import LoopPlan, Session, split_budget
from evolve.improve.stage_replay import StageRerun
from evolve.improve.targets import MetricTarget
from evolve.policies.language import EpisodeMeter, LanguagePolicy
from evolve.tasks import Submission, load_suite
from evolve.trials import UNLEARNED
from evolve.workspace.arguments import check_arguments
from evolve.workspace.loops.improving import LoopWork, loop_key, loop_limits, opened_session
from evolve.workspace.model_setup import model_setup, within_spending_limits
from evolve.workspace.resources.evaluators import Opinion
from evolve.workspace.services import WorkspaceServices


def _can_draft(services: WorkspaceServices) -> bool:
    """Whether there is a model that could write workflows: that which acts, else that of the role ``rewrite``."""
    return _acting(services) is not None or bool(_rewriter(services))


def _acting(services: WorkspaceServices) -> LanguagePolicy | None:
    if not services.uses_model:
        return None
    policy = services.learner.policy(None, ())
    return policy if isinstance(policy, LanguagePolicy) else None


def _rewriter(services: WorkspaceServices) -> str:
    """The model that settings name for rewriting, or "": so the embedded policy's workflows have an author too."""
    return services.settings.role_models.get("rewrite", "") if services.model is None else ""


@contextmanager
def _drafters(services: WorkspaceServices, session: Session) -> Iterator[Callable[[], Drafter]]:
    """Gives what makes the one who writes workflows in a run; models that were opened for it are closed at the end."""
    with ExitStack() as opened:
        yield lambda: _drafter(services, session, opened)


def _drafter(services: WorkspaceServices, session: Session, opened: ExitStack) -> Drafter:
    """Who writes and screens workflows in a run.

    Raises:
        UsageError: No model is chosen.
    """
    from evolve.policies.language import LanguageDesigner, Questions

    policy = _acting(services)
    if policy is not None:
        designer, meter = LanguageDesigner(models=policy.models, questions=policy.questions), policy.meter
    elif _rewriter(services):
        from evolve.runtime.models import open_models

        meter = EpisodeMeter(partial(within_spending_limits, services.paths, services.settings))
        models = open_models(
            replace(model_setup(services.paths, services.settings, model=_rewriter(services)), meter=meter)
        )
        opened.callback(models.close)
        layers = PromptLayers(workspace=services.paths.prompts)
        designer = LanguageDesigner(models=models, questions=Questions(layers=layers))
    else:
        raise UsageError("workflows are written by a model, and none is chosen here", hint="evolve models")
    paid = PaidAnswers(meter, session.ledger, session.step_log)
    ours = [load_prompt("design.md", PromptLayers()), services.workflow.render()]

    def waiting(faults: int) -> None:
        session.emit_event("drafting", faults=faults)

    return Drafter(
        designer=PaidDesigner(designer=designer, paid=paid, waiting=waiting),
        guard=guard_of(session.suite.tasks, common=ours),
    )


EDITED = ("act.md", "act-files.md", "act-words.md", "plan.md")
"""Prompts that decide how an episode goes in which nothing is learned; only such episodes are tried and judged."""


def texts_in_force(services: WorkspaceServices) -> dict[str, str]:
    """The prompts that may be edited: the active variant's, else the workspace's, else those that ship."""
    active = services.stores.active_state(services.workflow)
    layers = PromptLayers(variant=active.prompts, workspace=services.paths.prompts)
    return {name: load_prompt(name, layers) for name in EDITED}


def _edited_state(services: WorkspaceServices) -> str:
    """Digest of what a person may edit and an episode goes by: the workflow, and with a model the edited prompts."""
    layers = PromptLayers(workspace=services.paths.prompts)
    texts = [load_prompt(name, layers) for name in EDITED] if services.uses_model else []
    return digest(canonical_json([services.workflow.digest, *texts]))


def _editor_of(services: WorkspaceServices, session: Session) -> EditSearch:
    """Who proposes and screens edits of prompts in a run; the rewriter is the model of the role ``rewrite``.

    Raises:
        UsageError: No model reads prompts here.
    """
    from evolve.policies.language import LanguageRewriter

    policy = _acting(services)
    if policy is None:
        raise UsageError("prompts are read by a model, and none is chosen here", hint="evolve models")
    rewriter = LanguageRewriter(models=policy.models, questions=policy.questions)
    paid = PaidRewriter(rewriter=rewriter, paid=PaidAnswers(policy.meter, session.ledger, session.step_log))
    shipped = [load_prompt(name, PromptLayers()) for name in EDITED]
    guard = guard_of(session.suite.tasks, common=[*shipped, *texts_in_force(services).values()])
    return EditSearch(rewriter=paid, guard=guard)


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


def optimize(services: WorkspaceServices, request: OptimizerRequest, budget: Ledger) -> OptimizationReport:
    """Runs or continues a search for a better variant; see :meth:`Workspace.optimize`."""
    if request.only and request.only not in PARTS:
        raise UsageError(f"--only {request.only}: write one of {', '.join(PARTS)}")
    suite = load_suite(request.suite)
    limits = loop_limits(services, budget.budget, suite, bounded=False)
    kind = engine_kind(request.engine, request.only, drafts=_can_draft(services))
    if kind.drafts and not _can_draft(services):
        raise UsageError("workflows are written by a model, and none is chosen here", hint="evolve models")
    if (request.only == "prompts" or kind.changes == {"prompts"}) and not services.uses_model:
        raise UsageError("prompts are read by a model, and none is chosen here", hint="evolve models")
    kind.ready()
    opinion = services.criteria.opinion(request.target) if request.target else None
    wanted = opinion.wanted if opinion is not None else ""
    only = cast(Part, request.only)
    settings = EngineSettings(seed=request.seed, only=only, proposals=request.proposals, wanted=wanted)
    scope = SearchScope(policy=services.learner.name, limits=limits)
    # A search that goes on begins with what it began with, so under files that were edited it is another one. And one
    # that an earlier version began asked its questions by other costs.
    key_parts = [suite.digest, request.seed, kind.name, request.only, request.proposals, limits.candidates]
    key_parts += [_edited_state(services), "comparable costs"]
    if opinion is not None:
        key_parts.append(_target_key(opinion))
    key = loop_key(services, "optimize", *key_parts)
    _end_what_cannot_go_on(services, request)
    if request.resume and not any(run.key == key and run.state == "open" for run in services.stores.runs.list_runs()):
        raise UsageError("there is no such run to continue", hint=f"evolve lab optimize {request.suite}")
    asked = {"suite": request.suite, "seed": request.seed, "engine": kind.name, "only": request.only}
    asked = {**asked, "target": request.target, "policy": services.learner.name}
    work = LoopWork(suite=suite, plan=LoopPlan(rounds=1, seed=request.seed, limits=limits), budget=budget)
    with opened_session(services, "optimize", key, asked, work) as session:
        divided = split_budget(session)
        replay = StageRerun(session=divided.search)  # handed on as a function: an engine gets no session
        with _drafters(services, divided.search) as drafter:
            parts = EngineParts(
                settings=settings,
                scope=scope,
                editor=lambda: _editor_of(services, divided.search),
                drafter=drafter,
                replay=lambda record, texts, at: replay(record, texts, at),
                items=services.stores.variants,
                tell=lambda text: divided.search.emit_event("engine", text=text),
            )
            target = None if opinion is None else _target(services, opinion, divided.search)
            texts = texts_in_force(services) if services.uses_model and "prompts" in kind.changes else {}
            return run_optimizer(divided, kind.make(parts), texts, target)


def _end_what_cannot_go_on(services: WorkspaceServices, request: OptimizerRequest) -> None:
    """Ends an open run of the same request whose engine is gone: nobody is left who would ask its questions again.

    Raises:
        UsageError: There was one.
    """
    for run in services.stores.runs.list_runs():
        engine = str(run.body.get("engine", ""))
        same = (run.body.get("suite"), run.body.get("only"), run.body.get("seed")) == (
            request.suite,
            request.only,
            request.seed,
        )
        if run.kind == "optimize" and run.state == "open" and engine in GONE and same:
            services.finish(run.id, "interrupted")
            parts = ["evolve lab optimize", request.suite, *([f"--only {request.only}"] if request.only else [])]
            raise UsageError(
                f"{run.id} cannot go on: its engine {engine} is gone, and {GONE[engine]} has taken its place;"
                " what it had promoted stays",
                hint=f"to begin anew: {' '.join(parts)}",
            )


def transfer(services: WorkspaceServices, variant: str, suite_name: str, budget: Ledger) -> Mapping[str, Any]:
    """Compares a variant with its parent on another suite, or by the workspace's present policy; keeps the result.

    Raises:
        UsageError: There is no such variant, or it was chosen on this very suite by this policy.
    """
    stores, suite = services.stores, load_suite(suite_name)
    name = stores.variants.find(variant)
    if name == UNLEARNED:
        raise UsageError("unlearned has no parent to be compared with", hint="evolve lab variants list")
    chosen = [decision for decision in stores.decisions.list_verdicts(suite.digest) if decision.variant == name]
    policies = {stores.runs.run(decision.run).body.get("policy") for decision in chosen}
    if services.learner.name in policies:
        raise UsageError(f"{name[:12]} was chosen on {suite.name}; another suite or model would show more")
    key = loop_key(services, "transfer", name, suite.digest)
    body = {"suite": suite_name, "variant": name, "policy": services.learner.name}
    plan = LoopPlan(rounds=1, limits=loop_limits(services, budget.budget, suite, bounded=False))
    with opened_session(services, "transfer", key, body, LoopWork(suite=suite, plan=plan, budget=budget)) as session:
        return run_transfer(session, name)


def _target(services: WorkspaceServices, opinion: Opinion, session: Session) -> MetricTarget:
    """The target for a run, which pays for it."""
    policy = _acting(services)
    # Without a model nothing is asked that would have to be paid.
    meter = EpisodeMeter() if policy is None else policy.meter
    sandbox = session.sandbox()
    return MetricTarget(
        metric=opinion.criterion.name,
        judge=opinion.judge,
        key=_target_key(opinion),
        score=lambda task, answer: opinion.score(task, Submission(code=answer), sandbox),
        paid=PaidAnswers(meter, session.ledger, session.step_log),
    )


def _target_key(opinion: Opinion) -> str:
    """With another criterion, judge or prompt it is another search."""
    return digest(canonical_json(["target", opinion.wanted, opinion.judge, opinion.version]))

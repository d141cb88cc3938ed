"""Parts of the searches for better prompts and workflows: who writes, and what may not be copied."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, digest
from evolve.core.prompts import PromptLayers, load_prompt
from evolve.improve.optimizer.counterfactual import Editor
from evolve.improve.optimizer.leakage import guard_of
from evolve.improve.optimizer.workflow_drafts import Drafter
from evolve.improve.paid import PaidAnswers, PaidDesigner, PaidRewriter
from evolve.improve.session import Session
from evolve.policies.language import LanguagePolicy
from evolve.workspace.services import WorkspaceServices
from evolve.workspace.workspace_model_setup import model_setup, within_spending_limits

if TYPE_CHECKING:
    from evolve.policies.language import LanguagePolicy


def can_draft(services: WorkspaceServices) -> bool:
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
def drafters(services: WorkspaceServices, session: Session) -> Iterator[Callable[[], Drafter]]:
    """Gives what makes the one who writes workflows in a run; models that were opened for it are closed at the end."""
    with ExitStack() as opened:
        yield lambda: _drafter(services, session, opened)


def _drafter(services: WorkspaceServices, session: Session, opened: ExitStack) -> Drafter:
    """Who writes and screens workflows in a run.

    Raises:
        UsageError: No model is chosen.
    """
    from evolve.policies.language import EpisodeMeter, LanguageDesigner, Questions

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
    paid = PaidAnswers(meter, session.ledger, session.journal)
    ours = [load_prompt("design.md", PromptLayers()), services.workflow.render()]

    def waiting(faults: int) -> None:
        session.tell("drafting", faults=faults)

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


def edited_state(services: WorkspaceServices) -> str:
    """Digest of what a person may edit and an episode goes by: the workflow, and with a model the edited prompts."""
    layers = PromptLayers(workspace=services.paths.prompts)
    texts = [load_prompt(name, layers) for name in EDITED] if services.uses_model else []
    return digest(canonical_json([services.workflow.digest, *texts]))


def editor_of(services: WorkspaceServices, session: Session) -> Editor:
    """Who proposes and screens edits of prompts in a run; the rewriter is the model of the role ``rewrite``.

    Raises:
        UsageError: No model reads prompts here.
    """
    from evolve.policies.language import LanguagePolicy, LanguageRewriter

    policy = services.learner.policy(None, ())
    if not isinstance(policy, LanguagePolicy):
        raise UsageError("prompts are read by a model, and none is chosen here", hint="evolve models")
    rewriter = LanguageRewriter(models=policy.models, questions=policy.questions)
    paid = PaidRewriter(rewriter=rewriter, paid=PaidAnswers(policy.meter, session.ledger, session.journal))
    shipped = [load_prompt(name, PromptLayers()) for name in EDITED]
    guard = guard_of(session.suite.tasks, common=[*shipped, *texts_in_force(services).values()])
    return Editor(rewriter=paid, guard=guard)

"""Parts of the search for better prompts: who proposes edits, what they may not copy, and the first texts."""

from __future__ import annotations

from evolve.errors import UsageError
from evolve.files import canonical_json, digest
from evolve.improve.paid import PaidAnswers
from evolve.improve.rewrites import PaidRewriter
from evolve.improve.session import Session
from evolve.optimizer.counterfactual import Editor
from evolve.optimizer.leakage import guard_of
from evolve.prompts import PromptLayers, load_prompt
from evolve.workspace.desk import Desk

EDITED = ("act.md", "act-files.md", "act-words.md", "plan.md")
"""Prompts that decide how an episode goes in which nothing is learned; only such episodes are tried and judged."""


def texts_in_force(desk: Desk) -> dict[str, str]:
    """The prompts that may be edited: the active variant's, else the workspace's, else those that ship."""
    active = desk.stores.active_arm(desk.workflow)
    layers = PromptLayers(variant=active.prompts, workspace=desk.paths.prompts)
    return {name: load_prompt(name, layers) for name in EDITED}


def edited_state(desk: Desk) -> str:
    """Digest of what a person may edit and an episode goes by: the workflow, and with a model the edited prompts."""
    layers = PromptLayers(workspace=desk.paths.prompts)
    texts = [load_prompt(name, layers) for name in EDITED] if desk.uses_model else []
    return digest(canonical_json([desk.workflow.digest, *texts]))


def editor_of(desk: Desk, session: Session) -> Editor:
    """Who proposes and screens edits of prompts in a run; the rewriter is the model of the role ``rewrite``.

    Raises:
        UsageError: No model reads prompts here.
    """
    from evolve.policies.language import LanguagePolicy, LanguageRewriter

    policy = desk.learner.policy(None, ())
    if not isinstance(policy, LanguagePolicy):
        raise UsageError("prompts are read by a model, and none is chosen here", hint="evolve models")
    rewriter = LanguageRewriter(models=policy.models, questions=policy.questions)
    paid = PaidRewriter(rewriter=rewriter, paid=PaidAnswers(policy.meter, session.ledger, session.journal))
    shipped = [load_prompt(name, PromptLayers()) for name in EDITED]
    guard = guard_of(session.suite.tasks, common=[*shipped, *texts_in_force(desk).values()])
    return Editor(rewriter=paid, guard=guard)

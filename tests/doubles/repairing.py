"""A workspace whose model hands in one right answer, whose rows meet no bound, and repairs the draft as it is told."""

from __future__ import annotations

import json
from dataclasses import fields

import evolve
from evolve.core.paths import WorkspacePaths
from evolve.core.settings import Settings
from evolve.policies.language import LanguagePolicy
from evolve.tasks import Task
from evolve.testing import LocalWire, question_of
from evolve.workspace.language import LanguageLearner
from tests.skills.guarded import honest

[GRADE] = [one for one in honest() if one.draft.entry == "grade"]
TASK = Task(
    id="grade",
    family="school",
    instruction="Grade the points.",
    examples=GRADE.draft.tests,
    hidden=GRADE.unseen,
    meta={"entry": "grade"},
)


class Repairs(LanguagePolicy):
    """The policy with what it can do about refused drafts."""


class Learner(LanguageLearner):
    def policy_for(self, arm):
        made = super().policy_for(arm)
        return Repairs(**{field.name: getattr(made, field.name) for field in fields(made)})


def asked(body):
    return question_of(body)


def grading_learner(root, repair, bodies):
    """A learner whose model hands in the answer.

    Args:
        repair: What the model says when it is asked to repair.
        bodies: Takes every request.
    """
    code = {"thought": "", "kind": "code", "code": GRADE.draft.code, "answer": True, "text": ""}
    replies = {
        "plan": {"goal": "g", "subgoals": []},
        "action": {**code, "cites": [], "subgoal": 0},
        "claims": {"claims": []},
        "skill": {"name": "grade", "description": "Grades points as passed or failed."},
        "draft_repair": repair,
    }

    def said(body):
        bodies.append(body)
        return json.dumps(replies[asked(body)])

    return Learner(
        paths=WorkspacePaths(root=root),
        settings=Settings(),
        model="http://localhost:1/v1#m",
        wire=lambda _: LocalWire(said),
    )


def open_grading(root, repair, bodies, **more):
    """Opens a workspace with such a learner."""
    return evolve.open(root, policy=grading_learner(root, repair, bodies), **more)

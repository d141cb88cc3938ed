"""The kinds of stages: where each may stand in a workflow, what it may decide, and whom it serves."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.core.errors import WorkspaceError
from evolve.core.extensions import extension_error, find, installed_extensions

PLACES = (
    "recall", "plan", "prepare", "act", "ask", "deliberate", "observe", "review", "judge", "reflect", "distill",
    "commit",
)  # fmt: skip
"""Parts of an episode, in order. Several stages may stand in ``deliberate`` and ``review``, in any order."""

SKILL = "skill:"
_SKILL_STAGE = re.compile(r"skill:[a-z0-9]+(-[a-z0-9]+)*@[0-9a-f]{12,64}\Z")
ANY_POLICY: frozenset[str] = frozenset()

OUTCOME = ("again", "stop")
DOUBT = ("doubtful", "agree")
"""What a stage may decide, the way back first: by what came of the answer, or by a doubt about it."""


@dataclass(frozen=True, kw_only=True)
class StageKind:
    """One kind of stage.

    Attributes:
        name: As in ``workflow.toml``; so is its module in ``agent/stages`` or ``agent/stages/optional``.
        does: One line for people.
        places: Where it may stand; see :data:`PLACES`.
        conditions: What it may decide: the one that may lead back, then the one that leads on. Empty for none.
        mandatory: No workflow goes without it.
        effect: What happens outside the episode's own state, or "". Such a stage stands once.
        policies: The kinds of policy it serves, empty for all; for others it does nothing and says so.
        one_file: Whether it runs answers, and so serves environments only in which an answer is one source file.
        knobs: Knobs that count only where it stands.
        work: Of a stage that a package offers: ``work(context, plan, steps) -> Action``, the last step's action as it
            is or changed. It is called once per step; what it gives is kept, so a resumed episode has it again.
        keeps: Name at the seam ``state`` of a value of the same package, or "". Its class is called without arguments
            for the first step; ``work`` is given it last, and gives the action and the value for the next step.
    """

    name: str
    does: str
    places: tuple[str, ...]
    conditions: tuple[str, ...] = ()
    mandatory: bool = False
    effect: str = ""
    policies: frozenset[str] = ANY_POLICY
    one_file: bool = False
    knobs: tuple[str, ...] = ()
    work: Callable[..., Any] | None = None
    keeps: str = ""


KINDS = (
    StageKind(name="recall", does="offers what was learned from similar tasks", places=("recall",)),
    StageKind(name="plan", does="names the goal and prices the work", places=("plan",), mandatory=True),
    StageKind(
        name="decompose",
        does="takes the task apart before it is worked on",
        places=("prepare",),
        knobs=("share",),
    ),
    StageKind(name="act", does="chooses the next action", places=("act",), mandatory=True),
    StageKind(
        name="ask",
        does="waits for a person's answer to a question",
        places=("ask",),
        effect="a question to a person",
    ),
    StageKind(
        name="best_of_n",
        does="compares the answer with rivals on and near the examples and goes on with the best",
        places=("deliberate",),
        one_file=True,
        knobs=("rivals",),
    ),
    StageKind(
        name="vote",
        does="goes on with the answer that most rivals agree with near the examples",
        places=("deliberate",),
        conditions=DOUBT,
        one_file=True,
        knobs=("rivals", "quorum"),
    ),
    StageKind(
        name="critique",
        does="looks for inputs on which the answer is wrong, or a rival differs",
        places=("deliberate", "review"),
        conditions=DOUBT,
        one_file=True,
        knobs=("rivals",),
    ),
    StageKind(
        name="revise",
        does="rewrites an answer that was doubted, unless that makes it worse on the examples",
        places=("deliberate",),
        policies=frozenset({"language"}),
        one_file=True,
    ),
    StageKind(
        name="search",
        does="where no answer was found, searches again in another order",
        places=("deliberate",),
        one_file=True,
        knobs=("share",),
    ),
    StageKind(
        name="observe", does="runs the action in the sandbox", places=("observe",), conditions=OUTCOME, mandatory=True
    ),
    StageKind(
        name="judge",
        does="puts a fitting answer to the verifier",
        places=("judge",),
        conditions=OUTCOME,
        mandatory=True,
        effect="uses up a submission",
    ),
    StageKind(name="reflect", does="turns what happened into claims with evidence", places=("reflect",)),
    StageKind(name="distill", does="proposes skills from a verified answer", places=("distill",)),
    StageKind(
        name="commit", does="keeps the whole episode at once", places=("commit",), mandatory=True, effect="the record"
    ),
)
"""Every kind of stage that is built in, but for those that call a skill."""

SKILL_KIND = StageKind(
    name="skill",
    does="calls a learned skill in the sandbox: it proposes an answer, changes one, or doubts one",
    places=("deliberate",),
    conditions=DOUBT,
    one_file=True,
)

MAIN_STAGES = (
    "recall",  # offers what was learned from similar tasks
    "plan",  # names the goal and prices the work
    "act",  # asks the policy for one action
    "observe",  # runs it in the sandbox on what is visible
    "judge",  # puts a fitting answer to the verifier, which tells one bit
    "reflect",  # turns what happened into claims, and tries them
    "distill",  # proposes skills
    "commit",  # keeps the whole episode in one transaction
)
"""The stages of the default workflow, in order, each a module of :mod:`evolve.agent.stages`."""

MANDATORY = frozenset(kind.name for kind in KINDS if kind.mandatory)


def stage_kind(stage: str) -> StageKind | None:
    """The kind of a stage, or None where there is none of this name.

    Raises:
        WorkspaceError: A package offers it, and it is not as such a stage must be.
        EnvironmentProblem: It keeps what is not its package's.
    """
    if stage.startswith(SKILL):
        return SKILL_KIND if _SKILL_STAGE.match(stage) else None
    return next((kind for kind in KINDS if kind.name == stage), None) or _offered(stage)


def _offered(stage: str) -> StageKind | None:
    """What a package offers may look at an answer and change or doubt it: what decides and what is kept is not its."""
    kind: StageKind | None = find("stages", stage, StageKind)
    if kind is None:
        return None
    apart = kind.mandatory or kind.effect or kind.conditions not in ((), DOUBT)
    if kind.name != stage or kind.work is None or apart or not {*kind.places} <= {"deliberate", "review"}:
        raise WorkspaceError(
            f"stages: {stage!r}, which a package offers, is no stage that may be added",
            hint="docs/extending-agent.md says what such a stage is",
        )
    if kind.keeps and installed_extensions("state").get(kind.keeps) != installed_extensions("stages")[stage]:
        raise extension_error("stages", stage, f"keeps {kind.keeps!r}, which is no value of its package")
    return kind


def skill_of(stage: str) -> tuple[str, str] | None:
    """Name and digest (or its beginning) of the skill that a stage calls; None for other stages."""
    if not stage.startswith(SKILL):
        return None
    name, _, digest = stage.removeprefix(SKILL).partition("@")
    return name, digest


def places_of(stages: Sequence[str]) -> tuple[str, ...] | None:
    """The place of every stage, or None where the order allows none. The stages must be known."""
    places: list[str] = []
    rank = 0
    for stage in stages:
        kind = stage_kind(stage)
        ranks = [PLACES.index(place) for place in (kind.places if kind else ())]
        fitting = [place for place in ranks if place >= rank]
        if not fitting:
            return None
        rank = fitting[0]  # the first place that fits leaves the most room for the stages that follow
        places.append(PLACES[rank])
    return tuple(places)

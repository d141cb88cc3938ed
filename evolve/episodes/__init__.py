"""The values an episode is made of, from what the policy sees to what is committed.

Everything here is plain data: frozen, keyword-only, JSON-serialisable. Layers exchange these and nothing else. What a
policy alone reads stands in ``private``.
"""

from __future__ import annotations

from evolve.episodes.actions import (
    Action,
    ActionKind,
    Alternative,
    Ambiguity,
    BudgetEnd,
    Draw,
    Misfit,
    Plan,
    StageNote,
)
from evolve.episodes.claims import (
    BUILT_IN,
    Claim,
    Evidence,
    EvidenceKind,
    Origin,
    Relation,
    Scope,
    SkillDraft,
)
from evolve.episodes.planned import stated_subgoals, subgoal_states
from evolve.episodes.recalled import (
    FACT,
    PREFERENCE,
    QUOTED,
    TRIAL,
    Recalled,
)
from evolve.episodes.record import (
    EpisodeRecord,
    Found,
)
from evolve.episodes.steps import (
    EnvironmentState,
    Judgement,
    Observation,
    Question,
    QuestionKind,
    Respond,
    Status,
    Step,
    shown_rows,
)
from evolve.episodes.subgoals import (
    Standing,
    Subgoal,
    SubgoalCheck,
    SubgoalState,
    kept_subgoals,
)
from evolve.episodes.telling import called, misfit_told, told_value
from evolve.episodes.views import (
    HELD_OUT,
    OWN,
    PROBE,
    SCREEN,
    SHADOW,
    Cost,
    Json,
    Limits,
    Refused,
    Row,
    Saved,
    Seen,
    TaskView,
    Turn,
)

__all__ = [
    "BUILT_IN",
    "FACT",
    "HELD_OUT",
    "OWN",
    "PREFERENCE",
    "PROBE",
    "QUOTED",
    "SCREEN",
    "SHADOW",
    "TRIAL",
    "Action",
    "ActionKind",
    "Alternative",
    "Ambiguity",
    "BudgetEnd",
    "Claim",
    "Cost",
    "Draw",
    "EnvironmentState",
    "EpisodeRecord",
    "Evidence",
    "EvidenceKind",
    "Found",
    "Json",
    "Judgement",
    "Limits",
    "Misfit",
    "Observation",
    "Origin",
    "Plan",
    "Question",
    "QuestionKind",
    "Recalled",
    "Refused",
    "Relation",
    "Respond",
    "Row",
    "Saved",
    "Scope",
    "Seen",
    "SkillDraft",
    "StageNote",
    "Standing",
    "Status",
    "Step",
    "Subgoal",
    "SubgoalCheck",
    "SubgoalState",
    "TaskView",
    "Turn",
    "called",
    "kept_subgoals",
    "misfit_told",
    "shown_rows",
    "stated_subgoals",
    "subgoal_states",
    "told_value",
]

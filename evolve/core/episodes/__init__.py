"""The values an episode is made of, from what the policy sees to what is committed.

Everything here is plain data: frozen, keyword-only, JSON-serialisable. Layers exchange these and nothing else. What a
policy alone reads stands in ``private``.
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.core.episodes.actions import (
        Action,
        ActionKind,
        Alternative,
        Ambiguity,
        BudgetEnd,
        OutlierRow,
        Plan,
        SampleRequest,
        StageNote,
    )
    from evolve.core.episodes.claims import (
        BUILT_IN,
        Claim,
        DropReason,
        EarlierCall,
        Evidence,
        EvidenceKind,
        Rehearsal,
        Relation,
        RunOrigin,
        Scope,
        SkillDraft,
        Suggestion,
        SuggestionKind,
        SuggestionSource,
    )
    from evolve.core.episodes.guidance import GUIDANCE_FOLDER, ExternalSkill, Guidance
    from evolve.core.episodes.planned import stated_subgoals, subgoal_states
    from evolve.core.episodes.plans import Standing, Subgoal, SubgoalCheck, SubgoalState, kept_subgoals
    from evolve.core.episodes.recalled import FACT, KEPT_FACT, MOVE, PREFERENCE, QUOTED, TRIAL, Recalled
    from evolve.core.episodes.record import EpisodeRecord, LateAnswer
    from evolve.core.episodes.steps import (
        CallState,
        EnvironmentState,
        FunctionCall,
        Judgement,
        Observation,
        Question,
        QuestionKind,
        Respond,
        Status,
        Step,
        call_text,
        checked_state,
        outlier_text,
        passes_check,
        shown_rows,
        value_text,
    )
    from evolve.core.episodes.views import (
        HELD_OUT,
        OWN,
        PROBE,
        SCREEN,
        SHADOW,
        Cost,
        Exhibit,
        Json,
        KnownFunction,
        Limits,
        OfferedFunction,
        PatchDecision,
        RefusedAnswer,
        Row,
        TaskView,
        Turn,
    )
else:
    __getattr__, __dir__ = attach(__name__)

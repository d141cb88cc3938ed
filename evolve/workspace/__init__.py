"""The door of the workspace, and all that programs and the command line need of evolve.

``docs/python.md`` names the call behind every command. Opening this loads nothing; a name is loaded when it is asked
for.
"""

from __future__ import annotations

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:  # for the signatures below, and handed on to nobody
    import os
    from typing import Unpack

    from evolve.workspace.options import SafetyOptions

if TYPE_CHECKING:
    from evolve.agent import FunctionCounts
    from evolve.agent.runs import Run
    from evolve.agent.workflow import Workflow
    from evolve.core import extensions
    from evolve.core.cancellation import Cancellation
    from evolve.core.episodes import (
        Ambiguity,
        Cost,
        EpisodeRecord,
        LateAnswer,
        Observation,
        OutlierRow,
        Question,
        Recalled,
        Step,
        SubgoalState,
        subgoal_states,
    )
    from evolve.core.episodes.codec import to_data
    from evolve.core.events import Event, EventSink
    from evolve.core.extensions import failing_package
    from evolve.core.files import clean_text, machine_problem, named_path
    from evolve.core.ledger import Budget, CostAmount, Ledger, parse_budget
    from evolve.core.progress import Activities, Activity, report_activity, watch_activities
    from evolve.core.reasons import Reason
    from evolve.improve.ablation import AblationReport, ItemCredit
    from evolve.improve.history import ItemHistory
    from evolve.improve.optimization import AcceptedVariant, OptimizationReport
    from evolve.improve.report import ArmContrast, ArmRow, CostShares, Report, RoundRow, RunChanges
    from evolve.improve.targets import TargetFigures
    from evolve.memory import CausalChain, EvidenceRow, Insight, InsightStatus, Note, Sentence
    from evolve.memory.preferences import PersonAct, Preference, PreferenceContext, parse_answer
    from evolve.policies.base import BasePolicy
    from evolve.runtime.functions import CallApprovalRequest, Consent, Effect, Function
    from evolve.runtime.functions.servers import OfferedTool, Server, server_kind
    from evolve.runtime.models import ProbeReport, Recording, parse_model
    from evolve.runtime.sandbox import ActionResult, SandboxLimits, SelfTestResult
    from evolve.skills import ACTIVE, Skill
    from evolve.tasks import Suite, Task
    from evolve.tasks.tables import table_path
    from evolve.trials.diagnosis import Suspect
    from evolve.trials.gate import ConfidenceInterval, GateDecision, PairSummary, PrequentialPair, Proof
    from evolve.trials.learner import Learner
    from evolve.workspace.arguments import command_budget
    from evolve.workspace.facade import Workspace
    from evolve.workspace.fill.result import CellFlag, FillResult, FlagReasons
    from evolve.workspace.health.doctor import Finding, doctor
    from evolve.workspace.health.fault_reports import kept_file
    from evolve.workspace.health.repair import Repair, repair
    from evolve.workspace.locating import WorkspaceLocation, choose_workspace
    from evolve.workspace.loops.ablation import AblationRequest
    from evolve.workspace.loops.insight_trials import InsightTrial
    from evolve.workspace.loops.optimizing import OptimizerRequest
    from evolve.workspace.loops.status import (
        LoopAtWork,
        LoopProgress,
        OpenRun,
        Status,
        loop_at_work,
        pause_loop,
        resume_loop,
        status,
        stop_loop,
    )
    from evolve.workspace.loops.testing_skills import SkillTestReport, SkillTestRequest, SkillTestRow
    from evolve.workspace.model_setup import model_or_recording
    from evolve.workspace.options import KeptServers, Options, setting_names
    from evolve.workspace.places import (
        Config,
        Setting,
        WorkspaceInUse,
        WorkspaceVisit,
        config,
        init,
        keep_visit,
        last_visit,
        trust_proposal,
        where,
    )
    from evolve.workspace.resources.models import models
    from evolve.workspace.resources.patch import Patch
    from evolve.workspace.resources.preferences import context_of
    from evolve.workspace.resources.servers import KnownServer, servers
    from evolve.workspace.resources.skill_folders import argument_schemas, order_arguments
    from evolve.workspace.resources.workflow import StageRow, is_stage, workflow
    from evolve.workspace.runs import tasks
    from evolve.workspace.runs.code_sessions import sandbox
    from evolve.workspace.runs.conversations import (
        ChatTurn,
        Conversation,
        ConversationOptions,
        Conversations,
        PastConversation,
    )
    from evolve.workspace.runs.diagnosing import Diagnosis
    from evolve.workspace.runs.explaining import Explanation
    from evolve.workspace.runs.importing import ImportReport
    from evolve.workspace.runs.kept_things import RememberedItem, UsedItem
    from evolve.workspace.runs.learning import LearningResult
    from evolve.workspace.runs.past_runs import RunRow
    from evolve.workspace.runs.person import Approve, LearnMode, Person
    from evolve.workspace.runs.result import Result
    from evolve.workspace.runs.searching import SearchHit
    from evolve.workspace.runs.suggesting import RejectedSuggestion
    from evolve.workspace.trust import TrustProposal
else:
    __getattr__, __dir__ = attach(__name__, "open")


def open(
    path: str | os.PathLike[str] | None = None,
    *,
    policy: BasePolicy | Learner | None = None,
    model: str | Recording | None = None,
    events: EventSink | None = None,
    read_only: bool = False,
    **safety: Unpack[SafetyOptions],
) -> Workspace:
    """Opens a workspace.

    Args:
        path: Its folder; it is made when missing. None means ``EVOLVE_WORKSPACE``, else the nearest
            marked folder above this one, else the user's own workspace.
        policy: What decides, instead of program search.
        model: A language model to use instead: NAME, ``openai:NAME`` or ``http://host/v1#NAME``; "" for none; None
            for that of the settings, if they name one. Or an ``evolve.runtime.models.Recording`` of one, to record or
            replay.
        events: Told what happens while it happens.
        read_only: Looks only, at the state of this moment.
        safety: ``settings``: some for this time only, as text, such as ``{"learn": "off"}``. ``sandbox``: a backend
            for this time only; ``none`` confines nothing, needs ``EVOLVE_UNSAFE=I_UNDERSTAND`` in the environment as
            well, and marks what is learned. ``trust=True``: believe the workspace from now on, though somebody else
            may have made it; a path alone selects it.

    Raises:
        UntrustedWorkspace: This user neither made it on this machine nor trusted it.
        WorkspaceBusy: Another process repairs it.
        WorkspaceError: It cannot be written, the disk is full, or a newer version made it.
    """
    from evolve.core.progress import report_activity

    with report_activity("load", "evolve"):
        from evolve.workspace.facade import Workspace
        from evolve.workspace.options import Options

    options = Options(policy=policy, model=model, events=events, read_only=read_only, **safety)
    return Workspace(path, options)

"""The door of the workspace, and all that programs and the command line need of evolve.

``docs/python.md`` names the call behind every command. Opening this loads nothing; a name is loaded when it is asked
for.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in ``typing``, which is slow to load
if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from typing import Any

    from evolve.agent.codec import to_data
    from evolve.agent.records import Run
    from evolve.cancellation import Cancellation
    from evolve.diagnosis import Suspect
    from evolve.episodes import (
        Ambiguity,
        Cost,
        EpisodeRecord,
        Found,
        Misfit,
        Observation,
        Question,
        Step,
        SubgoalState,
        subgoal_states,
    )
    from evolve.events import Event, EventSink
    from evolve.extensions import blamed
    from evolve.files import clean_text, machine_problem, named_path
    from evolve.functions import CallQuestion, Consent, Effect, Function
    from evolve.functions.mcp import OfferedTool, Server
    from evolve.gate import Decision, Interval, OwnPair, Proof
    from evolve.gate.judges import Measurement
    from evolve.improve.ablation import AblationReport, ItemCredit
    from evolve.improve.item_history import ItemHistory
    from evolve.improve.optimization import Change, OptimizationReport
    from evolve.improve.report import ArmRow, Contrast, CostShares, Report
    from evolve.improve.targets import TargetFigures
    from evolve.ledger import Amount, Budget, parse_budget
    from evolve.memory import CausalChain, EvidenceRow, Insight, InsightStatus, Sentence
    from evolve.memory.metrics import Metric, MetricsReport
    from evolve.memory.preferences import Context, PersonAct, Preference
    from evolve.models import Probed, Recording, parse_model
    from evolve.policies.protocol import Policy
    from evolve.record import Learner
    from evolve.record.function_uses import FunctionCounts
    from evolve.sandbox import ActionResult, ProbeOutcome, SandboxLimits
    from evolve.skills import ACTIVE, Skill
    from evolve.tasks import Suite, Task
    from evolve.workflow import Workflow
    from evolve.workspace.facade import Workspace
    from evolve.workspace.health.doctor import Finding, doctor
    from evolve.workspace.health.fault_reports import kept_file
    from evolve.workspace.health.repair import Repair, repair
    from evolve.workspace.kept_servers import KeptServers
    from evolve.workspace.loops.ablating import AblationRequest
    from evolve.workspace.loops.optimizing import OptimizerRequest
    from evolve.workspace.loops.selftest import NullReport, selftest
    from evolve.workspace.loops.trials import TrialsReport, TrialsRequest
    from evolve.workspace.loops.tried_claims import ClaimTest
    from evolve.workspace.model_setup import recorded
    from evolve.workspace.opening import Place, locate
    from evolve.workspace.options import Options
    from evolve.workspace.places import Config, Setting, Where, config, init, where
    from evolve.workspace.runs import tasks
    from evolve.workspace.runs.conversations import ChatTurn, Conversation, Conversations, Means, PastConversation
    from evolve.workspace.runs.diagnosing import Diagnosis
    from evolve.workspace.runs.filled import Filled, Mark
    from evolve.workspace.runs.learning import Taught
    from evolve.workspace.runs.person import Approve, LearnMode, Person
    from evolve.workspace.runs.result import Result
    from evolve.workspace.runs.sandboxed import sandbox
    from evolve.workspace.runs.searching import Said
    from evolve.workspace.shelves import worlds
    from evolve.workspace.shelves.folders import Patch
    from evolve.workspace.shelves.models import models
    from evolve.workspace.shelves.preferences import context_of
    from evolve.workspace.shelves.servers import KnownServer, servers
    from evolve.workspace.shelves.workflow import StageRow, is_stage, workflow
    from evolve.worlds import Scene, Stateful, Trial

__all__ = [
    "ACTIVE",
    "AblationReport",
    "AblationRequest",
    "ActionResult",
    "Ambiguity",
    "Amount",
    "Approve",
    "ArmRow",
    "Budget",
    "CallQuestion",
    "Cancellation",
    "CausalChain",
    "Change",
    "ChatTurn",
    "ClaimTest",
    "Config",
    "Consent",
    "Context",
    "Contrast",
    "Conversation",
    "Conversations",
    "Cost",
    "CostShares",
    "Decision",
    "Diagnosis",
    "Effect",
    "EpisodeRecord",
    "Event",
    "EventSink",
    "EvidenceRow",
    "Filled",
    "Finding",
    "Found",
    "Function",
    "FunctionCounts",
    "Insight",
    "InsightStatus",
    "Interval",
    "ItemCredit",
    "ItemHistory",
    "KeptServers",
    "KnownServer",
    "LearnMode",
    "Mark",
    "Means",
    "Measurement",
    "Metric",
    "MetricsReport",
    "Misfit",
    "NullReport",
    "Observation",
    "OfferedTool",
    "OptimizationReport",
    "OptimizerRequest",
    "Options",
    "OwnPair",
    "PastConversation",
    "Patch",
    "Person",
    "PersonAct",
    "Place",
    "Preference",
    "ProbeOutcome",
    "Probed",
    "Proof",
    "Question",
    "Recording",
    "Repair",
    "Report",
    "Result",
    "Run",
    "Said",
    "SandboxLimits",
    "Scene",
    "Sentence",
    "Server",
    "Setting",
    "Skill",
    "StageRow",
    "Stateful",
    "Step",
    "SubgoalState",
    "Suite",
    "Suspect",
    "TargetFigures",
    "Task",
    "Taught",
    "Trial",
    "TrialsReport",
    "TrialsRequest",
    "Where",
    "Workflow",
    "Workspace",
    "blamed",
    "clean_text",
    "config",
    "context_of",
    "doctor",
    "init",
    "is_stage",
    "kept_file",
    "locate",
    "machine_problem",
    "models",
    "named_path",
    "open",
    "parse_budget",
    "parse_model",
    "recorded",
    "repair",
    "sandbox",
    "selftest",
    "servers",
    "subgoal_states",
    "tasks",
    "to_data",
    "where",
    "workflow",
    "worlds",
]

_FROM: Mapping[str, tuple[str, ...]] = {
    "evolve.agent.codec": ("to_data",),
    "evolve.agent.records": ("Run",),
    "evolve.cancellation": ("Cancellation",),
    "evolve.diagnosis": ("Suspect",),
    "evolve.episodes": (
        "Ambiguity",
        "Cost",
        "EpisodeRecord",
        "Found",
        "Misfit",
        "Observation",
        "Question",
        "Step",
        "SubgoalState",
        "subgoal_states",
    ),
    "evolve.events": ("Event", "EventSink"),
    "evolve.extensions": ("blamed",),
    "evolve.files": ("clean_text", "machine_problem", "named_path"),
    "evolve.functions": ("CallQuestion", "Consent", "Effect", "Function"),
    "evolve.functions.mcp": ("OfferedTool", "Server"),
    "evolve.gate": ("Decision", "Interval", "OwnPair", "Proof"),
    "evolve.gate.judges": ("Measurement",),
    "evolve.improve.ablation": ("AblationReport", "ItemCredit"),
    "evolve.improve.item_history": ("ItemHistory",),
    "evolve.improve.optimization": ("Change", "OptimizationReport"),
    "evolve.improve.report": ("ArmRow", "Contrast", "CostShares", "Report"),
    "evolve.improve.targets": ("TargetFigures",),
    "evolve.ledger": ("Amount", "Budget", "parse_budget"),
    "evolve.memory": ("CausalChain", "EvidenceRow", "Insight", "InsightStatus", "Sentence"),
    "evolve.memory.metrics": ("Metric", "MetricsReport"),
    "evolve.memory.preferences": ("Context", "PersonAct", "Preference"),
    "evolve.models": ("Probed", "Recording", "parse_model"),
    "evolve.record.function_uses": ("FunctionCounts",),
    "evolve.sandbox": ("ActionResult", "ProbeOutcome", "SandboxLimits"),
    "evolve.skills": ("ACTIVE", "Skill"),
    "evolve.tasks": ("Suite", "Task"),
    "evolve.workflow": ("Workflow",),
    "evolve.workspace.facade": ("Workspace",),
    "evolve.workspace.health.doctor": ("Finding", "doctor"),
    "evolve.workspace.health.fault_reports": ("kept_file",),
    "evolve.workspace.health.repair": ("Repair", "repair"),
    "evolve.workspace.loops.ablating": ("AblationRequest",),
    "evolve.workspace.loops.optimizing": ("OptimizerRequest",),
    "evolve.workspace.loops.selftest": ("NullReport", "selftest"),
    "evolve.workspace.loops.trials": ("TrialsReport", "TrialsRequest"),
    "evolve.workspace.loops.tried_claims": ("ClaimTest",),
    "evolve.workspace.model_setup": ("recorded",),
    "evolve.workspace.opening": ("Place", "locate"),
    "evolve.workspace.kept_servers": ("KeptServers",),
    "evolve.workspace.options": ("Options",),
    "evolve.workspace.places": ("Config", "Setting", "Where", "config", "init", "where"),
    "evolve.workspace.runs": ("tasks",),
    "evolve.workspace.runs.conversations": ("ChatTurn", "Conversation", "Conversations", "Means", "PastConversation"),
    "evolve.workspace.runs.diagnosing": ("Diagnosis",),
    "evolve.workspace.runs.filled": ("Filled", "Mark"),
    "evolve.workspace.runs.learning": ("Taught",),
    "evolve.workspace.runs.person": ("Approve", "LearnMode", "Person"),
    "evolve.workspace.runs.result": ("Result",),
    "evolve.workspace.runs.sandboxed": ("sandbox",),
    "evolve.workspace.runs.searching": ("Said",),
    "evolve.workspace.shelves.folders": ("Patch",),
    "evolve.workspace.shelves": ("worlds",),
    "evolve.workspace.shelves.models": ("models",),
    "evolve.workspace.shelves.preferences": ("context_of",),
    "evolve.workspace.shelves.servers": ("KnownServer", "servers"),
    "evolve.workspace.shelves.workflow": ("StageRow", "is_stage", "workflow"),
    "evolve.worlds": ("Scene", "Stateful", "Trial"),
}
"""Where each name comes from."""

_MODULES = ("tasks", "worlds")
"""Names that stand for a module of functions."""


def open(
    path: str | os.PathLike[str] | None = None,
    *,
    policy: Policy | Learner | None = None,
    model: str | Recording | None = None,
    events: EventSink | None = None,
    read_only: bool = False,
    sandbox: str | None = None,
) -> Workspace:
    """Opens a workspace.

    Args:
        path: Its folder; it is made when missing. None means ``EVOLVE_WORKSPACE``, else the nearest
            marked folder above this one, else the user's own workspace.
        policy: What decides, instead of program search.
        model: A language model to use instead: NAME, ``openai:NAME`` or ``http://host/v1#NAME``; "" for none; None
            for that of the settings, if they name one. Or an ``evolve.models.Recording`` of one, to record or replay.
        events: Told what happens while it happens.
        read_only: Looks only; may be used while another process writes.
        sandbox: A backend for this time only; ``none`` confines nothing, needs ``EVOLVE_UNSAFE=I_UNDERSTAND`` in the
            environment as well, and marks what is learned.

    Raises:
        WorkspaceBusy: Another process writes to it.
        WorkspaceError: It cannot be written, the disk is full, or a newer version made it.
    """
    from evolve.workspace.facade import Workspace
    from evolve.workspace.options import Options

    return Workspace(path, Options(policy=policy, model=model, events=events, read_only=read_only, sandbox=sandbox))


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    for place, offered in _FROM.items():
        if name in offered:
            from importlib import import_module

            return import_module(f"{place}.{name}") if name in _MODULES else getattr(import_module(place), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""One episode: a LangGraph graph compiled from a workflow, its context, and what it leaves in the record.

The graph library is imported only when an :class:`Agent` is made.
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.agent.context import (
        AgentServices,
        EpisodeContext,
        EpisodeKey,
        EpisodePrefix,
        NoRecorder,
        Past,
        Recall,
        Recorder,
        Supervision,
        recall_nothing,
    )
    from evolve.agent.function_uses import FunctionCounts
    from evolve.agent.journal import Journal
    from evolve.agent.lessons import EpisodeLessons
    from evolve.agent.outcome import rows_missing
    from evolve.agent.questions import question_in
    from evolve.agent.runner import Agent, CounterfactualRun, episode_id, remaining_room
    from evolve.agent.runs import PendingLearning, Run, RunRepository
    from evolve.agent.stages.recall import sampling_fraction
    from evolve.environments.probing import ProgramTrial, make_probe, try_rows
else:
    __getattr__, __dir__ = attach(__name__)

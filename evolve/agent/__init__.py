"""One episode: a LangGraph graph compiled from a workflow, its context, and what it leaves in the record.

The graph library is imported only when an :class:`Agent` is made.
"""

from __future__ import annotations

from evolve.agent.context import (
    Attendance,
    EpisodeContext,
    Identity,
    NoRecorder,
    Past,
    Recall,
    Recorder,
    recall_nothing,
)
from evolve.agent.lessons import Lessons
from evolve.agent.outcome import why_unverified
from evolve.agent.questions import question_in
from evolve.agent.records import MIGRATIONS, Owed, Run, RunRecords
from evolve.agent.runner import Agent, Shadow, Surroundings, episode_id, room_for
from evolve.agent.withholding import drawn
from evolve.environments.probing import Trial, make_probe, try_rows

__all__ = [
    "MIGRATIONS",
    "Agent",
    "Attendance",
    "EpisodeContext",
    "Identity",
    "Lessons",
    "NoRecorder",
    "Owed",
    "Past",
    "Recall",
    "Recorder",
    "Run",
    "RunRecords",
    "Shadow",
    "Surroundings",
    "Trial",
    "drawn",
    "episode_id",
    "make_probe",
    "question_in",
    "recall_nothing",
    "room_for",
    "try_rows",
    "why_unverified",
]

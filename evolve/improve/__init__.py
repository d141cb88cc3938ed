"""The unattended loop: practise, admit, fit, judge, promote; and the report on whether it helped."""

from __future__ import annotations

from evolve.improve.jobs import EpisodeJob, WorkerSetup
from evolve.improve.workers import LocalWorkers, ProcessWorkers, open_workers

__all__ = [
    "EpisodeJob",
    "LocalWorkers",
    "ProcessWorkers",
    "WorkerSetup",
    "open_workers",
]

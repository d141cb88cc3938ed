"""The unattended loop: practise, admit, fit, judge, promote; and the report on whether it helped."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.improve.jobs import EpisodeJob, WorkerSetup
    from evolve.improve.workers import LocalWorkers, ProcessWorkers, open_workers
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".jobs": "EpisodeJob WorkerSetup",
            ".workers": "LocalWorkers ProcessWorkers open_workers",
        },
    )

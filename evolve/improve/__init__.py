"""The unattended loop: practise, admit, fit, judge, promote; and the report on whether it helped."""

from evolve.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.improve.jobs import EpisodeJob, WorkerSetup
    from evolve.improve.workers import LocalWorkers, ProcessWorkers, open_workers
else:
    __getattr__, __dir__ = attach(__name__)

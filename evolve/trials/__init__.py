"""Trials: episodes with one thing changed beside episodes without, within a budget, and what the pairs say."""

from evolve.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.trials.change import Change
    from evolve.trials.jobs import Attempt, EpisodeJob, Told, Workers, WorkerSetup, tell_nobody
    from evolve.trials.pairs import ArmTrials, PairedEpisodes, run_pairs
    from evolve.trials.workers import LocalWorkers, ProcessWorkers, open_workers
else:
    __getattr__, __dir__ = attach(__name__)

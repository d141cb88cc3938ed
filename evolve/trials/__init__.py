"""Trials: episodes with one thing changed beside episodes without, within a budget, and what the pairs say.

The learned states that a workspace's stores hold, as values and as agents, are what is changed.
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.trials.comparisons import Change
    from evolve.trials.jobs import Attempt, EpisodeJob, Told, Workers, WorkerSetup, ignore_attempt
    from evolve.trials.learned_state import LearnedState, agent_for
    from evolve.trials.learner import Learner
    from evolve.trials.pairs import ArmTrials, PairedEpisodes, run_pairs
    from evolve.trials.repositories import Repositories
    from evolve.trials.skill_drafts import SkillProposal
    from evolve.trials.variants import ALL_INSIGHTS, UNLEARNED, Promotion, Variant, VariantRepository
    from evolve.trials.workers import LocalWorkers, ProcessWorkers, open_workers
else:
    __getattr__, __dir__ = attach(__name__)

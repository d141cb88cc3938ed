"""What makes policies from what was learned: the search, a language model, or a policy that somebody passed in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from evolve.core.episodes import Json, TaskView
    from evolve.memory import ExperienceRow
    from evolve.policies.base import BasePolicy
    from evolve.skills import Skill
    from evolve.skills.admission import Interpreter


class Learner(Protocol):
    """Makes policies from what was learned, and guides from experience. Must be picklable."""

    @property
    def name(self) -> str:
        """Name of the kind of policy, such as ``search``."""
        ...

    def policy(self, guide: Json, skills: Sequence[Skill], *, attended: bool = False) -> BasePolicy:
        """The policy with this guide (None for none) and these skills.

        Args:
            attended: A person reads the result, so it is worth looking on for a second program that fits.
        """
        ...

    def interpreter(self, skills: Sequence[Skill]) -> Interpreter | None:
        """Evaluates the trees of skills, which may use ``skills``; None where skills have no trees."""
        return None

    def fit(
        self, experience: Sequence[ExperienceRow], views: Sequence[TaskView], skills: Sequence[Skill], seed: int
    ) -> Json:
        """A guide fitted to experience, as JSON; None where there is nothing to fit.

        Args:
            views: What a policy may see of the practised tasks, for dreams of the same kinds.
        """
        return None


@runtime_checkable
class TimeBoundLearner(Protocol):
    """A learner whose fitting can take so long that it needs a deadline."""

    def until(self, ends: float) -> Learner:
        """The same learner, which ends at ``ends`` of ``time.monotonic``: there its searches stop, and its
        :meth:`Learner.fit` raises BudgetExhausted, at once where it sees that it would not be done by then."""
        ...

    def fit_candidates(self, views: Sequence[TaskView]) -> int:
        """The most candidates that :meth:`Learner.fit` tries."""
        ...

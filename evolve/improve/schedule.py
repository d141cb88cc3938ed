"""What a loop begins within what its budget leaves: nothing that cannot end with something kept or judged.

Practice is kept task by task. A guide, and a judgement, are worth nothing unless they come to their end; so before one
is begun, what it takes is foretold from what episodes have taken so far, and where that is more than is left the
practice goes on instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolve.core.episodes import Cost, Json
from evolve.core.errors import BudgetExhausted
from evolve.core.ledger import Spent
from evolve.improve.session import Session
from evolve.memory import ExperienceRow
from evolve.skills import Skill
from evolve.trials.learner import TimeBoundLearner
from evolve.trials.pace import KINDS

FITTED = "fitted:"
"""How steps of the journal begin that keep what fitting a guide has cost."""
PRACTICE, INTERVENTIONS = 3, 3.5
"""Parts of the budget that a round may have spent after its practice, and after its tests of insights; see
:meth:`~evolve.improve.session.Session.has_room`."""
PAIRS_OF_A_JUDGEMENT = 24
"""Pairs after which most judgements are over."""


def judgement_pairs(session: Session) -> int:
    """Pairs that one judgement is expected to take."""
    groups = {task.group for task in session.suite.evidence("gate")}
    return max(1, min(len(groups), PAIRS_OF_A_JUDGEMENT))


def may_practise(session: Session, number: int) -> bool:
    """Whether the practice of round ``number`` goes on: within its part, or where what is left buys no judgement.

    What the first episode takes is known only after it, so it is begun in whatever time the beginning has left.
    """
    if session.has_room(number, PRACTICE):
        return True
    if not (session.pace.episodes or session.stores.runs.episodes(run=session.run)):
        return not session.ledger.exhausted_bound
    return not session.ledger.exhausted_bound and bool(no_room_to_judge(session, judgement_pairs(session)))


def may_judge(session: Session, number: int) -> bool:
    """Whether the judgement of round ``number`` goes on: within its part, or where no later one could be made."""
    rounds = session.plan.rounds
    if number == rounds or session.share_spent() < 5 * number / (5 * rounds + 2):
        return not session.ledger.exhausted_bound
    both = _judging(session, 2 * judgement_pairs(session))
    return not session.ledger.exhausted_bound and bool(_missing(session, both))


def no_room_to_judge(session: Session, pairs: int) -> str:
    """Why fitting a guide and judging it on so many pairs cannot end within what is left, in one clause, or ""."""
    needed = _judging(session, pairs)
    missing = _missing(session, needed)
    if not missing:
        return ""
    wanted, left = (_shown(missing, getattr(one, missing)) for one in (needed, session.ledger.remaining))
    return f"nothing was judged: that takes about {wanted}, and the budget leaves {left}"


def fit_within_budget(
    session: Session, experience: Sequence[ExperienceRow], skills: Sequence[Skill], *, pairs: int
) -> tuple[Json, Cost]:
    """A guide fitted to experience, and what was booked for it: the most that its dreams may try.

    Args:
        pairs: Pairs that it will be judged on; the time for them is left.

    Raises:
        BudgetExhausted: It cannot be made within what is left; then next to nothing was spent on it.
    """
    views = [task.view() for task in session.suite.split("train")]
    learner, seed, ledger = session.learner, session.plan.seed, session.ledger
    if not isinstance(learner, TimeBoundLearner) or not experience:
        return learner.fit(experience, views, skills, seed), Cost()
    most = Cost(candidates=learner.fit_candidates(views))
    if ledger.exhausted_bound:
        raise BudgetExhausted(f"{ledger.exhausted_bound} before a guide was fitted")
    if not ledger.reserve(most):
        left = _shown("candidates", ledger.remaining.candidates or 0)
        raise BudgetExhausted(f"no guide was fitted: that takes {most.candidates:,} candidates, and {left} are left")
    began, ends = ledger.run_seconds, session.deadline
    judging = session.pace.expected_spending(2 * pairs).seconds
    try:
        guide = (learner if ends is None else learner.until(ends - judging)).fit(experience, views, skills, seed)
    except BudgetExhausted:
        # What is left only shrinks, so it is not tried again under this budget.
        session.pace.fitting = ledger.remaining.seconds or 0.0
        ledger.settle(most, Cost())
        raise
    ledger.settle(most, most)
    session.pace.fitting = ledger.run_seconds - began
    return guide, most


def _judging(session: Session, pairs: int) -> Spent:
    """What fitting a guide and judging on so many pairs will take."""
    needed = session.pace.expected_spending(2 * pairs, fits=1)
    if not isinstance(session.learner, TimeBoundLearner):
        return needed
    fit = session.learner.fit_candidates([task.view() for task in session.suite.split("train")])
    return replace(needed, candidates=needed.candidates + fit)


def _missing(session: Session, needed: Spent) -> str:
    """The first kind of which less is left than is needed, or ""."""
    left = session.ledger.remaining
    bounded = ((kind, getattr(left, kind)) for kind in KINDS)
    return next((kind for kind, rest in bounded if rest is not None and rest < getattr(needed, kind)), "")


def _shown(kind: str, amount: float) -> str:
    return f"${amount:.2f}" if kind == "money" else f"{amount:,.0f} {kind}"

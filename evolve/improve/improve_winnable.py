"""Whether enough tasks could become better for a gain to be proved, looked at before anything is fitted or compared.

A pair is won by solving what the parent does not, or by solving it at a cost that is lower by a fifth. So a task that
the parent solves in a few milliseconds cannot be won, whatever was learned. The parent's half of the pairs tells how
many can; it is needed for a comparison anyway and is on record then. That it is looked at first makes no false
acceptance likelier: by it nothing is ever accepted, and nothing was fitted yet that could tell of a variant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evolve.core.progress import doing
from evolve.improve.schedule import PAIRS_OF_A_JUDGEMENT, no_room_to_judge
from evolve.improve.session import Session
from evolve.tasks import Task
from evolve.trials.gate import BudgetRefused, Job, SequentialTest, has_headroom, shuffled_groups
from evolve.trials.gate.power import Foresight
from evolve.trials.trials_pairs import PAIRS_AT_ONCE, PairedEpisodes

LOOKED = "winnable"
"""Step of the journal that keeps why too few tasks could become better, or "" where enough could."""


def judging_if_winnable(session: Session, tasks: Sequence[Task], groups: Iterable[str], *, passes: int) -> Session:
    """The session, or one that only practises, where fewer tasks could become better than have to.

    With a model nothing is looked at: its episodes cost money, and hardly any of them is too cheap to be bettered.

    Args:
        tasks: Those that a variant would be judged on.
        groups: Those by which the error level is found.
        passes: Passes of practice, where it only practises.
    """
    if session.plan.limits.tokens is not None:
        return session
    done = session.journal.done(LOOKED)
    if done is None:
        if no_room_to_judge(session, min(len(tasks), PAIRS_OF_A_JUDGEMENT)):
            return session
        _, level = session.stores.decisions.next_level(session.suite.digest, groups)
        try:
            why = _why_too_few(session, tasks, SequentialTest(alpha=level).wins_needed(0))
        except BudgetRefused:
            return session
        done = {"why": why}
        session.journal.finish(LOOKED, done)
        if why:
            session.show("begun", text=f"{why[0].upper()}{why[1:]}. Continuing with practice alone.")
    return session.judging_nothing(str(done["why"]), passes=passes) if done["why"] else session


def _why_too_few(session: Session, tasks: Sequence[Task], needed: int) -> str:
    """Why so many of the tasks cannot become better, in a clause, or "".

    The parent runs on one after the other, in the order of a comparison, until that is known.

    Raises:
        Unaffordable: The budget refused an episode.
    """
    parent, seed = session.stores.variants.active_digest, session.plan.seed
    run = PairedEpisodes(run=session, split="gate", seed=seed)
    order = shuffled_groups(tasks, seed)
    winnable, looked = 0, 0

    def most() -> int:
        return winnable + len(order) - looked

    def is_hopeless() -> bool:
        # Without one that is too easy nothing speaks against a gain on every task.
        return needed > most() or (most() < len(order) and Foresight.is_hopeless(needed, most()))

    with doing("look", total=len(order), count=lambda: looked):
        while looked < len(order) and Foresight.is_hopeless(needed, winnable) and not is_hopeless():
            chunk = order[looked : looked + PAIRS_AT_ONCE]
            records = run([Job(task=task, arm="parent", variant=parent, seed=seed) for task in chunk])
            winnable += sum(map(has_headroom, records))
            looked += len(chunk)
    if not is_hopeless():
        return ""
    if most() == len(order):
        return f"{needed} more tasks would have to get better to prove a gain, and {most()} are left to judge on"
    can = f"and at most {most()} can" if needed > most() else f"which is unlikely, since only {most()} can"
    easy = "your agent solves the others at once already"
    return f"{needed} of the tasks left would have to get better to prove a gain, {can}: {easy}; try harder tasks"

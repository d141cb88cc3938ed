"""Continues a loop that its budget ended: steps that were cut short are opened again.

A judgement that the budget ended stands as it is: the same variant is not judged twice in a run. What is practised
afterwards goes into a variant of its own.
"""

from __future__ import annotations

from evolve.improve.session import BATCH
from evolve.trials.step_log import StepLog

TEST = "test:cut"
"""Step of the journal where the budget ended the comparison on test tasks."""


NOTHING_NEW = "practice:nothing new"
"""Step of the journal after the pass that brought nothing new, so that no further one is owed."""


def is_cut_short(journal: StepLog, rounds: int) -> bool:
    """Whether a budget left tasks of a round, its variant, or a whole round undone."""
    rounds = int((journal.done(NOTHING_NEW) or {"rounds": rounds})["rounds"])
    for number in range(1, rounds + 1):
        practice = journal.done(f"practice:{number}")
        if practice is None or not practice["complete"]:
            return True
        if journal.done(f"unfitted:{number}") is not None and journal.done(f"variant:{number}") is None:
            return True
    return journal.done(TEST) is not None


def take_up(journal: StepLog, rounds: int) -> None:
    """Opens the steps of a run again that its budget cut short; what was finished stays finished."""
    journal.drop(TEST)
    for number in range(1, rounds + 1):
        journal.drop(f"unfitted:{number}")
        practice = journal.done(f"practice:{number}")
        if practice is None or practice["complete"]:
            continue
        judged = journal.done(f"gate:{number}")
        if judged is not None and journal.done(judged_step(judged["variant"])) is None:
            journal.finish(judged_step(judged["variant"]), judged)
        for name in (f"practice:{number}", f"variant:{number}", f"gate:{number}"):
            journal.drop(name)
        for start in range(0, int(practice["planned"]), BATCH):
            name = f"practice:{number}:{start}"
            part = journal.done(name)
            if part is not None and part["episodes"] < min(BATCH, int(practice["planned"]) - start):
                journal.drop(name)
                journal.drop(f"{name}:part")
                journal.finish(f"{name}:part", part)


def judged_step(variant: str) -> str:
    """Key of a verdict of this run that stands, whichever round proposes the same variant again."""
    return f"gate:{variant}"

"""Tells what practice on suites that ship with evolve taught from what a person's own work did."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolve.skills import Skill
    from evolve.trials.repositories import Repositories


def shipped_tasks(stores: Repositories) -> Collection[str]:
    """Ids of the tasks that were worked on in runs over suites that ship, and in no other run."""
    suites = {run.id: run.body["suite"] for run in stores.runs.runs() if run.body.get("suite")}
    if not suites:
        return frozenset()
    from evolve.tasks.suites import BUILTIN

    names = {suite.name for suite in BUILTIN}
    over = {run for run, suite in suites.items() if suite in names}
    rows = stores.db.query("SELECT DISTINCT task, run FROM episodes")
    return {str(row["task"]) for row in rows} - {str(row["task"]) for row in rows if row["run"] not in over}


def made_by_practice(skill: Skill, shipped: Collection[str]) -> bool:
    """Whether a skill was made from nothing but shipped tasks, and the person did not make it theirs."""
    return skill.owner != "user" and all(task in shipped for task in skill.source.split(", "))


def only_practised(skill: Skill, shipped: Collection[str]) -> bool:
    """Whether, beyond that, it helped no task of the person's own."""
    return made_by_practice(skill, shipped) and all(task in shipped for task in skill.tasks)

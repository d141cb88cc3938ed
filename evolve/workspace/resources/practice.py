"""Tells what practice on suites that ship with evolve taught from what a person's own work did."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolve.skills import Skill
    from evolve.trials.repositories import Repositories


def shipped_tasks(stores: Repositories) -> Collection[str]:
    """Ids of the tasks that were worked on as practice, and in no other run.

    Practice are runs over suites that ship, and over a file what of it ships: a copy of such a task is no work of the
    person's, whatever the file's name.
    """
    suites = {run.id: run.body["suite"] for run in stores.runs.list_runs() if run.body.get("suite")}
    if not suites:
        return frozenset()
    from evolve.tasks.suites import BUILTIN, shipped_groups

    names = {suite.name for suite in BUILTIN}
    groups = shipped_groups() if set(suites.values()) - names else ()
    rows = stores.db.query("SELECT DISTINCT task, run, problem FROM episodes")
    told = [(str(row["task"]), suites.get(str(row["run"])), row["problem"]) for row in rows]
    own = {task for task, suite, group in told if suite is None or (suite not in names and group not in groups)}
    return {task for task, *_ in told} - own


def made_by_practice(skill: Skill, shipped: Collection[str]) -> bool:
    """Whether a skill was made from nothing but shipped tasks, and the person did not make it theirs."""
    return skill.owner != "user" and all(task in shipped for task in skill.source.split(", "))


def only_practised(skill: Skill, shipped: Collection[str]) -> bool:
    """Whether, beyond that, it helped no task of the person's own."""
    return made_by_practice(skill, shipped) and all(task in shipped for task in skill.tasks)

"""Tells what practice on tasks that ship with evolve taught from what a person's own work did."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from evolve.episodes import BUILT_IN
from evolve.tasks.suites import BUILTIN

if TYPE_CHECKING:
    from evolve.record.stores import Stores
    from evolve.skills import Skill


class Practice:
    """What the record says of this when it is made.

    Args:
        stores: The record.
    """

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    def made(self, skill: Skill) -> bool:
        """Whether a skill was made from nothing but shipped tasks, and the person did not make it theirs."""
        return skill.owner != "user" and self._ship(skill.source.split(", "))

    def keeps(self, skill: Skill) -> bool:
        """Whether, beyond that, it helped no task of the person's own."""
        return self.made(skill) and self._ship(skill.tasks)

    def insights(self) -> frozenset[str]:
        """Ids of the insights whose evidence is all from shipped tasks."""
        rows = self._stores.db.query("SELECT DISTINCT insight, task FROM memory_evidence")
        own = {str(row["insight"]) for row in rows if not self._ship([str(row["task"])])}
        return frozenset(str(row["insight"]) for row in rows) - own

    def _ship(self, tasks: Iterable[str]) -> bool:
        return all(self._sources.get(task, self._practised.get(task)) == {BUILT_IN} for task in tasks)

    @cached_property
    def _sources(self) -> dict[str, set[str]]:
        """Where each task came from of which evidence is on record."""
        sql = "SELECT DISTINCT e.task, s.source FROM memory_sources s JOIN memory_episodes e ON e.episode = s.episode"
        return _by_task((str(row["task"]), str(row["source"])) for row in self._stores.db.query(sql))

    @cached_property
    def _practised(self) -> dict[str, set[str]]:
        """The same by the runs of a task: evidence may be forgotten, or of an earlier version."""
        shipped = {suite.name for suite in BUILTIN}
        runs = {run.id: run.body.get("suite") in shipped for run in self._stores.runs.runs()}
        rows = self._stores.db.query("SELECT DISTINCT task, run FROM episodes")
        return _by_task((str(row["task"]), BUILT_IN if runs.get(str(row["run"])) else "") for row in rows)


def _by_task(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for task, source in pairs:
        found.setdefault(task, set()).add(source)
    return found

"""Where a saved function comes from: the run that found it, the rows that it was verified on, and what was doubted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evolve.agent import Run
from evolve.core.episodes import EpisodeRecord, Json, Row, shown_rows
from evolve.core.episodes.codec import from_data
from evolve.core.episodes.plans import SPARSE
from evolve.core.files import canonical_json
from evolve.core.reasons import Reason
from evolve.skills import Skill
from evolve.tasks import Task, row_key
from evolve.tasks.tables import ColumnKind
from evolve.workspace.runs.run_answers import (
    CONTESTED,
    KEPT_BY_PERSON,
    NARROW,
    WRITTEN,
    answer_in_run,
    function_named,
    given_task_of,
)
from evolve.workspace.runs.saved import LIKE, column_similarity, places_of, reapply_function
from evolve.workspace.services import WorkspaceServices


@dataclass(frozen=True, kw_only=True)
class UsedSkill:
    """A saved function that filled a column, in place of one that was searched for.

    Attributes:
        name: Of the skill, or the id of the run that found it where no skill was made of its answer.
        run: That id, or "" for a skill.
        kept: The day on which the person kept it, where they did; else "".
        learned: The day on which it was found, such as ``2026-03-31``, or "" where that is not on record.
        rows: How many rows it was right on before.
        verified: Rows that its author did not see bore it then, and nothing spoke against it.
        given: How many rows of the new table show that it is right there, of those that it was not learned from.
        doubt: What spoke against it when it was found, or None.
    """

    name: str
    learned: str = ""
    rows: int = 0
    verified: bool = False
    given: int = 0
    run: str = ""
    kept: str = field(default="", metadata=SPARSE)
    doubt: Reason | None = field(default=None, metadata=SPARSE)

    @property
    def summary(self) -> str:
        """Its name and since when it is known."""
        name = f"the function of run {self.run}" if self.run else self.name
        if self.kept:
            return f"{name}, kept by you on {self.kept}"
        return f"{name}, learned {self.learned}" if self.learned else name


@dataclass(frozen=True, kw_only=True)
class SkillOrigin:
    """What is on record of a skill's beginning.

    Attributes:
        rows: All rows that it was right on, in the order of its own arguments.
        shown: How many of them, the first ones, its author saw.
        learned: As of :class:`UsedSkill`.
        verified: As of :class:`UsedSkill`.
        run: As of :class:`UsedSkill`.
        kept: As of :class:`UsedSkill`.
        narrow: Why it may hold for the table alone that it was learned from, or None.
        doubt: That, or what else spoke against it, or None.
        written: How the numbers were written in the column that it was learned from, or None.
        candidates: How many were tried until it was found: a look for other functions has to reach as far again.
    """

    skill: Skill
    rows: tuple[Row, ...]
    shown: int
    learned: str = ""
    verified: bool = False
    run: str = ""
    kept: str = ""
    narrow: Reason | None = None
    doubt: Reason | None = None
    written: ColumnKind | None = None
    candidates: int = 0

    @property
    def is_usable(self) -> bool:
        """Whether it may fill another table: rows verified it, or the person kept it."""
        return self.verified or bool(self.kept)

    def as_used_skill(self, given: int = 0) -> UsedSkill:
        """What is told of it where it is used."""
        return UsedSkill(
            name=self.skill.name,
            learned=self.learned,
            rows=len(self.rows),
            verified=self.verified,
            given=given,
            run=self.run,
            kept=self.kept,
            doubt=self.doubt,
        )

    def rows_in(self, task: Task) -> tuple[Row, ...]:
        """Its rows with the arguments of a task; a column that its table did not have is as empty there.

        A row that the task has, too, gives what it gives there: the person may have corrected it since.
        """
        places = places_of(self.skill, task) or ()
        width = len(task.examples[0].input)
        own = {place: n for n, place in enumerate(places) if place is not None}
        plain = (str, int, float, list, dict)  # of these the empty value of the same kind
        blank = [type(value)() if isinstance(value, plain) else value for value in task.examples[0].input]
        rows = [
            Row(
                input=tuple(row.input[own[place]] if place in own else blank[place] for place in range(width)),
                output=row.output,
            )
            for row in self.rows
        ]
        now = {row_key(row): row for row in (*task.examples, *task.verify, *task.hidden)}
        return tuple(now.get(row_key(row), row) for row in rows)

    def new_rows(self, task: Task) -> int:
        """How many rows of a task are none of its own, in the columns that both tables have."""
        places = [(n, place) for n, place in enumerate(places_of(self.skill, task) or ()) if place is not None]
        own = {_cells_key([row.input[n] for n, _ in places], row) for row in self.rows}
        rows = (*task.examples, *task.verify, *task.hidden)
        return len({_cells_key([row.input[place] for _, place in places], row) for row in rows} - own)


def _cells_key(cells: Sequence[Json], row: Row) -> str:
    return canonical_json([*cells, row.output])


def origin_of(services: WorkspaceServices, skill: Skill) -> SkillOrigin:
    """What is on record of a skill's beginning; of one that came from elsewhere, its own examples alone."""
    found = answer_in_run(services, skill)
    if found is None:
        return SkillOrigin(skill=skill, rows=skill.rows, shown=len(skill.rows))
    run, records = found
    given = given_task_of(services, run)
    shown = _each_once(skill.rows if given is None else (*given.examples, *shown_rows(records[-1].steps)))
    rows = shown if given is None else (*shown, *given.verify, *given.hidden)
    narrow = _reason_in(run, NARROW)
    return SkillOrigin(
        skill=skill,
        rows=_each_once(rows),
        shown=len(shown),
        learned=run.started[:10],
        verified=records[-1].verified and CONTESTED not in run.body,
        run=skill.name if run.id == skill.name else "",
        kept=str(run.body.get(KEPT_BY_PERSON, "")),
        narrow=narrow,
        doubt=narrow or _reason_in(run, CONTESTED),
        written=ColumnKind(**run.body[WRITTEN]) if WRITTEN in run.body else None,
        candidates=max(one.cost.candidates for one in records),
    )


def _reason_in(run: Run, name: str) -> Reason | None:
    """A reason that is noted of a run; earlier versions kept a sentence, which is none."""
    noted = run.body.get(name)
    return from_data(Reason, noted) if isinstance(noted, dict) else None


def origin_used(services: WorkspaceServices, task: Task, record: EpisodeRecord) -> SkillOrigin | None:
    """The origin of the skill that the answer of an episode is, where its table has the same columns; else None."""
    again = reapply_function(task, record)
    if again is None or again.code:  # the same task, which says so itself
        return None
    skill = function_named(services, again.skill or again.run)
    return origin_of(services, skill) if column_similarity(task, skill) == LIKE[0] else None


def _each_once(rows: Sequence[Row]) -> tuple[Row, ...]:
    return tuple({row_key(row): row for row in rows}.values())

"""Stores runs in the database, with their episodes, steps, pending attempts and reports, and what functions did."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evolve.agent.episode_rows import episode_row, record_of, step_rows
from evolve.agent.function_uses import FAILED, FunctionCounts, failed_skills, uses_in
from evolve.agent.journal import Journal
from evolve.core.episodes import HELD_OUT, EpisodeRecord
from evolve.core.episodes.codec import from_data
from evolve.core.errors import UsageError
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json
from evolve.core.store import Database, value_of

_STEP_KEY = ("episode", "step", "stage", "kind")
"""What identifies an effect of a stage, so that it happens once though a crash has the stage run again."""


_LESSONS = ("candidates", "seconds", "body")
"""Columns that change with what an episode taught."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One invocation of a command.

    Attributes:
        kind: The command, such as ``run``, ``improve`` or ``optimize``.
        key: Identity of what was asked; an open run with the same key is continued.
        state: ``open``, or why it ended: ``done``, ``interrupted``...
        body: JSON of the kind's own.
    """

    id: str
    kind: str
    key: str
    started: str
    state: str
    body: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PendingLearning:
    """An episode on record that was not learned from yet.

    Attributes:
        source: Where its task came from, as :attr:`evolve.tasks.Task.source` says.
        body: JSON of whoever learns: all that is needed to begin, or to go on.
    """

    episode: str
    run: str
    source: str = ""
    body: Mapping[str, Any] = field(default_factory=dict)


class RunRepository:
    """Reads and writes the runs of one database and all that belongs to them."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def begin(
        self,
        kind: str,
        key: str,
        body: Mapping[str, Any],
        *,
        started: str,
        claim: Callable[[str], bool] = lambda _: True,
    ) -> Run:
        """The open run with this key, or a new one.

        Args:
            started: Wall-clock time for people to read; order is by number.
            claim: Takes a run, by its id, for this process; False where another process works on it.
        """
        hit_failpoint("run.begin")
        with self._db.transaction():
            for row in self._db.rows("runs", {"key": key, "state": "open"}):
                if claim(str(row["id"])):
                    return _run(row)
            count = self._db.query("SELECT COALESCE(MAX(number), 0) AS last FROM runs")[0]["last"]
            name = f"r{int(str(count)) + 1}"
            claim(name)
            self._db.insert(
                "runs",
                {
                    "id": name,
                    "kind": kind,
                    "key": key,
                    "started": started,
                    "state": "open",
                    "body": canonical_json(body),
                },
                key="id",
            )
        hit_failpoint("run.begun")
        return self.run(name)

    def end(self, run: str, state: str, body: Mapping[str, Any] | None = None) -> None:
        """Closes a run; ``body`` replaces its JSON where given."""
        changes = {"state": state} if body is None else {"state": state, "body": canonical_json(body)}
        hit_failpoint("run.end.before")
        self._db.update("runs", {"id": run}, changes)
        hit_failpoint("run.end.after")

    def replace_body(self, run: str, body: Mapping[str, Any]) -> None:
        """Replaces the run's JSON and leaves it open."""
        self._db.update("runs", {"id": run}, {"body": canonical_json(body)})

    def run(self, run: str) -> Run:
        """The run with this id; UsageError names the listing where there is none."""
        for row in self._db.rows("runs", {"id": run}):
            return _run(row)
        raise UsageError(f"there is no run {run!r}", hint="evolve runs list shows them")

    def has_run(self, run: str) -> bool:
        """Whether there is a run with this id."""
        return bool(self._db.query("SELECT 1 FROM runs WHERE id = ?", [run]))

    def list_runs(self) -> list[Run]:
        """Every run, oldest first."""
        return [_run(row) for row in self._db.rows("runs", order="number")]

    def add(self, record: EpisodeRecord) -> bool:
        """Keeps an episode with its steps; False, and nothing changed, when it is kept already."""
        with self._db.transaction():
            fresh = self._db.insert("episodes", episode_row(record), key="id")
            for step in record.steps:
                for row in step_rows(record.episode, step):
                    self._db.insert("steps", row, key=_STEP_KEY)
        return fresh

    def add_pending_learning(self, record: EpisodeRecord, body: Mapping[str, Any], source: str = "") -> None:
        """Notes that an episode is still to be learned from; once, and not again after :meth:`add_lessons`."""
        row = {"episode": record.episode, "run": record.run, "state": "due", "source": source}
        self._db.insert("episode_lessons", {**row, "body": canonical_json(body)}, key="episode")

    def pending_learning(self) -> list[PendingLearning]:
        """What is still to be learned from, oldest first."""
        rows = self._db.rows("episode_lessons", {"state": "due"}, order="number")
        return [value_of(PendingLearning, row, body=json.loads(str(row["body"]))) for row in rows]

    def add_lessons(self, record: EpisodeRecord, *, settled: bool = True) -> None:
        """Keeps what an episode taught (claims, drafts, cost) with the episode, which may be settled then."""
        with self._db.transaction():
            row = episode_row(record)
            self._db.update("episodes", {"id": record.episode}, {name: row[name] for name in _LESSONS})
            if settled:
                self._db.update("episode_lessons", {"episode": record.episode}, {"state": "done"})

    def journal(self, run: str) -> Journal:
        """The finished steps of a run."""
        return Journal(self._db, run)

    def finished_steps(self, beginning: str, *, run: str = "") -> list[tuple[str, Any]]:
        """The finished steps of all runs, or of one, whose names begin so: each name with what the step left."""
        where = "substr(name, 1, ?) = ? AND ? IN ('', run)"
        rows = self._db.rows("loop_steps", where, parameters=[len(beginning), beginning, run])
        return [(str(row["name"]), json.loads(str(row["body"]))) for row in rows]

    def keep_report(self, run: str, body: Any) -> None:
        """Keeps the report of a run, replacing an earlier one of the same run."""
        hit_failpoint("report.before")
        # Together, so that a kill in between leaves the earlier report and not none.
        with self._db.transaction():
            self.drop_report(run)
            self._db.insert("reports", {"run": run, "body": canonical_json(body)})
        hit_failpoint("report.after")

    def drop_report(self, run: str) -> None:
        """Forgets the report of a run that goes on."""
        self._db.delete("reports", {"run": run})

    def report(self, run: str = "") -> Any | None:
        """The report that a run has made, or the latest of all; None where there is none."""
        rows = self._db.rows("reports", {"run": run} if run else "", order="number DESC LIMIT 1")
        return json.loads(str(rows[0]["body"])) if rows else None

    def add_pending(self, record: EpisodeRecord, body: str) -> None:
        """Keeps an episode of a loop that is over and waits for its batch, so that a crash does not repeat it.

        Args:
            body: JSON of the attempt, with the episode as ``record``.
        """
        row = {"run": record.run, "episode": record.episode, "body": body}
        self._db.insert("loop_attempts", row, key="episode")

    def pending(self, run: str, episode: str) -> Any | None:
        """The JSON of an attempt that waits, or None."""
        rows = self._db.rows("loop_attempts", {"run": run, "episode": episode})
        return json.loads(str(rows[0]["body"])) if rows else None

    def pending_episodes(self, run: str) -> list[EpisodeRecord]:
        """The episodes of a run that wait; they teach nothing until they are committed."""
        rows = self._db.rows("loop_attempts", {"run": run})
        return [from_data(EpisodeRecord, json.loads(str(row["body"]))["record"]) for row in rows]

    def drop_pending(self, record: EpisodeRecord) -> None:
        """Forgets an attempt; joins the transaction that commits it."""
        self._db.delete("loop_attempts", {"run": record.run, "episode": record.episode})

    def note_uses(self, record: EpisodeRecord, task: str = "") -> None:
        """Counts what an episode was shown and called; joins the caller's transaction.

        Args:
            task: What its task counts as; "" for the task's id.
        """
        if record.split not in HELD_OUT:
            for digest, what in sorted(set(uses_in(record))):
                self._note_use(digest, what, task or record.task)

    def note_failures(self, record: EpisodeRecord, task: str) -> dict[str, int]:
        """Notes the skills that refused answers of a person's run used, which found no other answer.

        Gives in how many tasks each of them has failed like that. Joins the caller's transaction.
        """
        names = failed_skills(record)
        for name in names:
            self._note_use(name, FAILED, task)
        return {name: len(self.tasks_using(name, FAILED)) for name in names}

    def _note_use(self, digest: str, what: str, task: str) -> None:
        row = {"digest": digest, "what": what, "task": task}
        self._db.insert("function_uses", row, key=("digest", "what", "task"))

    def function_counts(self) -> Mapping[str, FunctionCounts]:
        """The counts of each function that there are any of, by digest."""
        found: dict[str, dict[str, int]] = {}
        rows = self._db.query("SELECT digest, what, COUNT(*) AS tasks FROM function_uses GROUP BY digest, what")
        for row in rows:
            if row["what"] != FAILED:
                found.setdefault(str(row["digest"]), {})[str(row["what"])] = int(str(row["tasks"]))
        return {digest: FunctionCounts(**of) for digest, of in found.items()}

    def tasks_using(self, digest: str, what: str) -> set[str]:
        """The tasks in which something was ``called``, was ``helpful``, or ``failed``."""
        return {str(row["task"]) for row in self._db.rows("function_uses", {"digest": digest, "what": what})}

    def drafted_groups(self) -> frozenset[str]:
        """Groups of the episodes that gave drafts of skills."""
        found = "json_array_length(body, '$.drafts') > 0"
        return frozenset(str(row["problem"]) for row in self._db.query(f"SELECT problem FROM episodes WHERE {found}"))

    def judged_groups(self, run: str) -> frozenset[str]:
        """Groups of the ``gate`` tasks that a run tried."""
        found = self._db.query("SELECT DISTINCT problem FROM episodes WHERE run = ? AND split = 'gate'", [run])
        return frozenset(str(row["problem"]) for row in found)

    def attempt_counts(self, variant: str) -> Mapping[str, int]:
        """How a variant did on ``gate`` tasks and on those it was screened on: sums of ``tasks``, ``solved``,
        ``candidates`` and ``tokens``."""
        (row,) = self._db.query(
            "SELECT COUNT(*) AS tasks, COALESCE(SUM(status = 'solved' AND verified), 0) AS solved,"
            " COALESCE(SUM(candidates), 0) AS candidates,"
            " COALESCE(SUM(json_extract(body, '$.cost.tokens')), 0) AS tokens FROM episodes"
            " WHERE variant = ? AND split IN ('gate', 'screen') AND status != 'interrupted'",
            [variant],
        )
        return {name: int(str(count)) for name, count in row.items()}

    def of_task(self, task: str, group: str | None, split: str) -> list[EpisodeRecord]:
        """The episodes of one task, in order of commitment; without a group of all problems under its id."""
        return [
            record_of(row)
            for row in self._db.rows("episodes", {"task": task, "split": split}, order="number")
            if group in (None, row["problem"])
        ]

    def has_episode(self, episode: str) -> bool:
        """Whether the episode has been committed."""
        return bool(self._db.query("SELECT 1 FROM episodes WHERE id = ?", [episode]))

    def episode(self, episode: str) -> EpisodeRecord:
        """The episode's record, verified.

        Args:
            episode: The id or a unique beginning of it.

        Raises:
            UsageError: When none, or more than one, matches.
        """
        # LIKE would take % and _ in what a person typed for wildcards.
        rows = self._db.rows("episodes", "substr(id, 1, ?) = ?", parameters=[len(episode), episode])
        if len(rows) != 1 or not episode:
            problem = "several episodes begin with" if rows else "there is no episode"
            raise UsageError(f"{problem} {episode!r}", hint="evolve runs show RUN lists its episodes")
        return record_of(rows[0])

    def beginning_with(self, beginning: str) -> list[str]:
        """Ids of the episodes that begin like that."""
        rows = self._db.query("SELECT id FROM episodes WHERE substr(id, 1, ?) = ?", (len(beginning), beginning))
        return [str(row["id"]) for row in rows]

    def runs_of(self, episodes: Iterable[str]) -> dict[str, str]:
        """The run of each of these episodes, by the episode's id; none for one that is not on record."""
        wanted = set(episodes)
        rows = self._db.query("SELECT id, run FROM episodes") if wanted else []
        return {str(row["id"]): str(row["run"]) for row in rows if row["id"] in wanted}

    def episodes(self, *, run: str = "") -> list[EpisodeRecord]:
        """The episodes of a run, or all, in order of commitment."""
        return [record_of(row) for row in self._db.rows("episodes", {"run": run} if run else "", order="number")]


def _run(row: Mapping[str, Any]) -> Run:
    return value_of(Run, row, body=json.loads(str(row["body"])))

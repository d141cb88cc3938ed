"""In how many tasks each function was shown, called, and called for an answer that held; by the function's digest.

Skills count like functions: one was called where an answer or an action used it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evolve.core.episodes import HELD_OUT, OWN, EpisodeRecord
from evolve.core.store import Database

_FUNCTION, _SKILL = "function:", "skill:"
_FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class FunctionCounts:
    """Distinct tasks, as skills are counted. Tasks that only measure count for nothing.

    Attributes:
        offered: Where a prompt showed it.
        called: Where a call of it was answered.
        helpful: Of those that called it the ones whose answer was verified or accepted by a check. That the call was
            needed for that is not known.
    """

    offered: int = 0
    called: int = 0
    helpful: int = 0


class FunctionUses:
    """The counts of one record.

    Args:
        db: The record.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    def note(self, record: EpisodeRecord, task: str = "") -> None:
        """Counts what an episode was shown and called; joins the caller's transaction.

        Args:
            task: What its task counts as; "" for the task's id.
        """
        if record.split not in HELD_OUT:
            for digest, what in sorted(set(_uses(record))):
                row = {"digest": digest, "what": what, "task": task or record.task}
                self._db.insert("function_uses", row, key=("digest", "what", "task"))

    def counts(self) -> Mapping[str, FunctionCounts]:
        """The counts of each function that there are any of."""
        found: dict[str, dict[str, int]] = {}
        for row in self._db.query("SELECT digest, what, COUNT(*) AS tasks FROM function_uses GROUP BY digest, what"):
            if row["what"] == _FAILED:
                continue
            found.setdefault(str(row["digest"]), {})[str(row["what"])] = int(str(row["tasks"]))
        return {digest: FunctionCounts(**of) for digest, of in found.items()}

    def tasks(self, digest: str, what: str) -> set[str]:
        """The tasks in which something was ``called``, was ``helpful``, or ``failed``."""
        return {str(row["task"]) for row in self._db.rows("function_uses", {"digest": digest, "what": what})}

    def failed(self, record: EpisodeRecord, task: str) -> dict[str, int]:
        """Notes the skills that refused answers of a person's run used, which found no other answer.

        Gives in how many tasks each of them has failed like that. Joins the caller's transaction.
        """
        refused = [one.action for one in record.steps if one.judgement is not None and not one.judgement.accepted]
        # What a search put together from parts and was wrong says nothing of a part.
        used = [item for one in refused if not one.cost.candidates for item in one.consumed]
        names = {item.removeprefix(_SKILL) for item in used if item.startswith(_SKILL)}
        if record.split != OWN or record.status not in ("refused", "unsolved", "budget"):
            return {}
        for name in sorted(names):
            row = {"digest": name, "what": _FAILED, "task": task}
            self._db.insert("function_uses", row, key=("digest", "what", "task"))
        return {name: len(self.tasks(name, _FAILED)) for name in sorted(names)}


def _uses(record: EpisodeRecord) -> Iterator[tuple[str, str]]:
    for item in record.consumed:
        if item.startswith(_SKILL):
            yield item.removeprefix(_SKILL), "called"
            if record.verified or record.checked:
                yield item.removeprefix(_SKILL), "helpful"
    for step in record.steps:
        for item in step.action.offered:
            if item.startswith(_FUNCTION):
                yield item.removeprefix(_FUNCTION), "offered"
        for call in step.observation.calls if step.observation is not None else ():
            if call.state == "answered":
                yield call.digest, "called"
                if record.verified or record.checked:
                    yield call.digest, "helpful"

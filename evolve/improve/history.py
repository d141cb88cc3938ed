"""What the record says: what a run has added, what is left unsolved, and how single items were used.

Made anew whenever it is read and kept nowhere, so it is never out of date. It only counts; what the counts prove of an
item is said, with bounds, where its trials were run (:mod:`evolve.improve.ablation`).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from evolve.core.episodes import HELD_OUT, PROBE
from evolve.core.episodes.codec import Jsonable
from evolve.core.episodes.plans import SPARSE
from evolve.core.errors import RecordDamaged
from evolve.improve.practice import finished_practice
from evolve.improve.report import RunChanges, UnsolvedTask
from evolve.improve.session import Session
from evolve.memory import INFLUENTIAL
from evolve.skills import Skill
from evolve.trials.item_utility import ItemUtility

if TYPE_CHECKING:
    from evolve.agent import RunRepository
    from evolve.improve.ablation import AblationReport, VariantItem
    from evolve.memory import EpisodeEntry, Insight
    from evolve.trials.repositories import Repositories


_BEGINNING = "beginning"
"""Step of the journal that keeps what was known when the run began."""
_NAMED = 5


def record_beginning(session: Session) -> None:
    """Keeps what is known before anything is practised; the first call of a run stands."""
    skills = session.stores.skills
    session.step_log.once(
        _BEGINNING,
        lambda: {"skills": sorted(skill.digest for skill in skills.active()), "insights": _insights(session)},
    )


def what_changed(session: Session) -> RunChanges:
    """What is new since :func:`record_beginning`, and what practice has never solved, in this run or before."""
    before = session.step_log.done(_BEGINNING)
    new = () if before is None else _new_skills(session, before["skills"])
    tasks = {task.id for task in session.suite.tasks}
    records = [
        record
        for record in finished_practice(session.stores.runs.episodes())
        if record.task in tasks and record.policy in ("", session.learner.name)
    ]
    solved = {record.task for record in records if record.verified or record.checked}
    tries = Counter(record.task for record in records if record.task not in solved)
    hardest = sorted(tries, key=lambda task: (-tries[task], task))[:_NAMED]
    return RunChanges(
        skills=new,
        insights=0 if before is None else max(0, _insights(session) - before["insights"]),
        practised=len(solved) + len(tries),
        unsolved=len(tries),
        hardest=tuple(UnsolvedTask(task=task, tries=tries[task]) for task in hardest),
    )


def _insights(session: Session) -> int:
    claims = session.stores.memory.list_insights(policy=session.learner.name)
    return sum(insight.status in INFLUENTIAL for insight in claims)


def _new_skills(session: Session, before: list[str]) -> tuple[str, ...]:
    new = [skill for skill in session.stores.skills.active() if not skill.is_hidden and skill.digest not in before]
    return tuple(sorted(skill.name for skill in new))


TEST_STEP, PLAN_STEP = "insights:", ":plan"
"""Names of the steps of a run's journal in which insights were tested, and of those that say how they will be."""
TABLE_FILLED = "filled by skill"
"""Name of the step in which a skill filled a table by itself, so that no episode tells of it."""


@dataclass(frozen=True, kw_only=True)
class ItemHistory(Jsonable):
    """What the record says of one item.

    Attributes:
        used: Distinct tasks that it served, without the one that it came from.
        helped: Of a skill, those of ``used`` whose answer was verified or accepted by a check; None of an insight.
        of: Distinct tasks on which it might have; at least ``used``, and 0 where that is not counted.
        trials: Pairs of episodes on the same task with it and without it, all else the same.
        better, worse: Those of them that went better with it, and worse: solved or not, or cheaper by a fifth.
        chance: Episodes with it and without it where chance decided, which are no pairs.
    """

    used: int = 0
    helped: int | None = field(default=None, metadata=SPARSE)
    of: int = 0
    trials: int = 0
    better: int = 0
    worse: int = 0
    chance: ItemUtility = field(default_factory=ItemUtility)

    @property
    def text(self) -> str:
        """In words, such as ``used in 14 of 36 such tasks, made a difference in 9 of 12 trials (8 better, 1 worse)``.

        Of a skill ``used in 14 tasks, helped in 9``. "" where nothing was counted.
        """
        said = [f"used in {self.used} of {self.of} such task{'s' * (self.of != 1)}"] if self.of else []
        if self.helped is not None:
            said = [f"used in {self.used} task{'s' * (self.used != 1)}, helped in {self.helped}"] if self.used else []
        if self.trials:
            said.append(self.pairs_text)
        if self.chance.withheld_episodes:
            one = self.chance
            said.append(
                f"where chance decided, solved {one.with_solved} of {one.with_solved + one.with_failed} with it and"
                f" {one.without_solved} of {one.withheld_episodes} without"
            )
        return ", ".join(said)

    @property
    def pairs_text(self) -> str:
        """What pairs with it and without it showed, in words; "" where there was none."""
        if not self.trials:
            return ""
        differed = self.better + self.worse
        parts = [f"{count} {word}" for count, word in ((self.better, "better"), (self.worse, "worse")) if count]
        told = f" ({', '.join(parts)})" if parts else ""
        return f"made a difference in {differed} of {self.trials} trial{'s' * (self.trials != 1)}{told}"

    def plus_tables(self, count: int) -> ItemHistory:
        """With the tables that it filled by itself."""
        return replace(self, used=self.used + count, of=self.of + count)

    def with_trials(self, trials: int, better: int, worse: int) -> ItemHistory:
        """With further trials."""
        return replace(self, trials=self.trials + trials, better=self.better + better, worse=self.worse + worse)


def skill_histories(stores: Repositories, skills: Sequence[Skill]) -> Mapping[str, ItemHistory]:
    """The history of each of these skills, by digest.

    Such tasks are those of the kind that it came from (types of inputs and output) that were solved since; of a skill
    that only models use, those solved ones in which it was shown.
    """
    entries = stores.memory.entries() if skills else []
    tables = Counter(json.loads(str(row["body"])) for row in stores.db.rows("loop_steps", {"name": TABLE_FILLED}))
    found = {skill.digest: _used(skill, entries, stores.runs).plus_tables(tables[skill.name]) for skill in skills}
    for item, counts in _ablated(stores, "skills"):
        name = _digest_of(stores, item)
        if name in found:
            found[name] = found[name].with_trials(*counts)
    return found


def insight_histories(stores: Repositories, insights: Sequence[Insight]) -> Mapping[str, ItemHistory]:
    """The history of each of these insights, by id.

    Such tasks are those on which one was recalled, counted where a model cites what it uses. Of what the search learned
    that is not counted: it acts through the guide, and the insight's own sentence says where it was needed.
    """
    utilities = stores.variants.item_utilities()
    found = {one.id: ItemHistory(chance=utilities.get(one.id, ItemUtility())) for one in insights}
    sentences = stores.memory.insight_sentences() if insights else {}
    cited = {one.id for one in insights if sentences[one.id].worded}
    for name, (used, of) in _recalled(stores, cited).items():
        found[name] = replace(found[name], used=used, of=of)
    trials = [(item.id, counts) for item, counts in _ablated(stores, "insights")]
    for name, counts in [*trials, *_tested(stores)]:
        if name in found:
            found[name] = found[name].with_trials(*counts)
    return found


def _used(skill: Skill, entries: Sequence[EpisodeEntry], runs: RunRepository) -> ItemHistory:
    # A record of before has help alone.
    helped = {*skill.tasks, *(task for task in runs.tasks_using(skill.digest, "helpful") if not skill.came_from(task))}
    used = helped | {task for task in runs.tasks_using(skill.digest, "called") if not skill.came_from(task)}
    if skill.tree is None:
        return ItemHistory(used=len(used), helped=len(helped), of=max(skill.offered, len(used)))
    origin = [entry for entry in entries if skill.came_from(entry.task)]
    kinds = {(entry.environment, entry.family) for entry in origin}
    since = min((entry.seq for entry in origin), default=0)
    such = {entry.task for entry in entries if (entry.environment, entry.family) in kinds and entry.seq > since}
    might = used | {task for task in such if not skill.came_from(task)}
    return ItemHistory(used=len(used), helped=len(helped), of=len(might))


def _recalled(stores: Repositories, insights: set[str]) -> Mapping[str, tuple[int, int]]:
    """In how many tasks each was used and recalled; trials made to measure something do not count."""
    used, recalled = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for record in stores.runs.episodes() if insights else ():
        if record.split in HELD_OUT or record.split == PROBE:
            continue
        for name in insights.intersection(record.recalled):
            recalled[name].add(record.task)
        for name in insights.intersection(record.consumed):
            used[name].add(record.task)
    return {name: (len(used[name]), len(used[name] | recalled[name])) for name in insights}


def _ablated(stores: Repositories, kind: str) -> Iterator[tuple[VariantItem, tuple[int, int, int]]]:
    """Items with the pairs of their ablations, and how many were won and lost.

    The same variant on the same suite counts once, the last time: a search repeats itself to the candidate.
    """
    latest: dict[tuple[str, str], AblationReport] = {}
    for measured, body in stores.variants.measures_of():
        if measured.startswith("ablation"):
            from evolve.improve.ablation import AblationReport

            report = AblationReport.from_json(body)
            latest[report.variant, report.suite_digest] = report
    for report in latest.values():
        for credit in report.items:
            if credit.item.kind == kind:
                yield credit.item, (credit.wins + credit.losses + credit.ties, credit.wins, credit.losses)


def _tested(stores: Repositories) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Insights with the pairs of their tests (faults too), and how many were won and lost with them."""
    for name, done in stores.runs.finished_steps(TEST_STEP):
        if not name.endswith(PLAN_STEP) and done:
            yield str(done["insight"]), (int(done["pairs"]), int(done["agree"]), int(done["disagree"]))


def _digest_of(stores: Repositories, item: VariantItem) -> str:
    """The digest of the skill whose body an item names; "" for a body that is damaged or gone."""
    try:
        return Skill.from_json(stores.objects.get_json(item.id)).digest
    except RecordDamaged:
        return ""

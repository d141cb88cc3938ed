"""The stores of a workspace as one value: each made when it is asked for, and written to by one commit per episode."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.core.episodes import HELD_OUT, OWN, EpisodeRecord
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json, digest
from evolve.core.store import Database, ObjectStore, WriterLock

if TYPE_CHECKING:
    from evolve.agent import RunRepository
    from evolve.agent.workflow import Workflow
    from evolve.memory import MemoryRepository, MemorySnapshot
    from evolve.skills import Skill, SkillRepository
    from evolve.tasks import Task
    from evolve.trials.gate import DecisionRepository
    from evolve.trials.learned_state import LearnedState
    from evolve.trials.variants import Variant, VariantRepository


@dataclass(frozen=True, kw_only=True)
class Repositories:
    """The parts of one record. They share one database, so one transaction covers them all.

    Attributes:
        skill_folder: Where the folders of skills lie.
        open_memory: Makes the memory.
        indexes: Held by the process that writes the indexes of the memory; None where nobody else could.
        seed_skills: Where the skills lie that ship with evolve; None to go without them.
    """

    db: Database
    objects: ObjectStore
    skill_folder: Path
    open_memory: Callable[[], MemoryRepository]
    indexes: WriterLock | None = None
    seed_skills: Path | None = None

    @cached_property
    def runs(self) -> RunRepository:
        """Runs and their episodes."""
        from evolve.agent import RunRepository

        return RunRepository(self.db)

    @cached_property
    def memory(self) -> MemoryRepository:
        """Insights and notes."""
        return self.open_memory()

    @cached_property
    def skills(self) -> SkillRepository:
        """What was admitted."""
        from evolve.skills import SkillRepository

        return SkillRepository(self.db, self.objects, self.skill_folder, self.seed_skills)

    @cached_property
    def variants(self) -> VariantRepository:
        """Every variant, and which one acts."""
        from evolve.trials.variants import VariantRepository

        return VariantRepository(self.db, self.objects)

    @cached_property
    def decisions(self) -> DecisionRepository:
        """What the gate decided, and what it measured with."""
        from evolve.trials.gate import DecisionRepository

        return DecisionRepository(self.db, earlier=self.runs.judged_groups)

    def close(self, *, alone: bool = True) -> None:
        """Closes the database and what was opened beside it; ``alone`` as :meth:`Database.close` says."""
        try:
            if "memory" in vars(self):
                self.memory.close()
        finally:
            if self.indexes is not None:
                self.indexes.release()
            self.db.close(alone=alone)

    def learned_groups(self) -> frozenset[str]:
        """Groups with evidence in the memory, or that a skill was drafted from: whatever split they lie in by now,
        they measure nothing."""
        evidence = {row.group for row in self.memory.snapshot().book.all_evidence()}
        return frozenset(evidence | self.runs.drafted_groups())

    def spent_groups(self, tasks: Iterable[Task]) -> frozenset[str]:
        """Groups that measure nothing: :meth:`learned_from`, and of these tasks those that were learned from under
        another name, as after an edit of their file. They are known by most of their rows: a few are in common by
        chance where inputs are small."""
        from evolve.tasks.problem_traits import row_traits

        known = self.learned_groups()
        rows = {task.group: row_traits(task) for task in tasks if task.group not in known}
        return known | {group for group, traits in rows.items() if 2 * len(self.decisions.met_of(traits)) > len(traits)}

    def variant_texts(self, variant: str) -> Mapping[str, str]:
        """Every text that a variant would put before a policy, by name: prompts, skills, insights, workflow."""
        from evolve.trials.learned_state import UNLEARNED

        if variant == UNLEARNED:
            return {}
        content = self.variants.get(variant)
        bodies = {f"prompt {name}": body for name, body in content.prompts}
        bodies.update({f"skill {body[:10]}": body for body in content.skills})
        bodies.update({"the workflow": content.workflow, "the guide": content.guide})
        texts = {name: self.objects.get(body).decode() for name, body in bodies.items() if body}
        memory = self._memory_of(content)
        if memory is not None:
            for name, key in memory.book.keys.items():
                texts[f"insight {name[:10]}"] = " ".join([key.cause, key.effect, *key.texts.values()])
        return texts

    def commit(
        self, record: EpisodeRecord, *, instruction: str, source: str = "", owed: Mapping[str, Any] | None = None
    ) -> bool:
        """Keeps an episode, its steps, claims and uses of skills and functions in one transaction.

        Args:
            owed: What learning from it needs, where that comes later; None where it was learned from, or is not to be.

        Returns:
            False, with nothing changed, when the episode had been committed before.
        """

        hit_failpoint("episode.begin")
        with self.db.transaction():
            fresh = self.runs.add(record)
            if fresh:
                self.memory.commit(record, instruction=instruction, source=source)
                task = self._counted_as(record)
                self._note_uses(record, task)
                self.runs.note_uses(record, task)
                for name, failures in self.runs.note_failures(record, task).items():
                    self.skills.demote(name, failures)
                if owed is not None:
                    self.runs.add_pending_learning(record, owed, source)
            hit_failpoint("episode.inside")
        hit_failpoint("episode.end")
        return fresh

    def count_as_verified(self, record: EpisodeRecord) -> None:
        """Counts as help what an answer used that only rows of earlier tables verify."""

        vouched, task = replace(record, verified=True), self._counted_as(record)
        self.runs.note_uses(vouched, task)
        self._note_uses(vouched, task)

    def learn(self, record: EpisodeRecord, *, instruction: str, source: str = "") -> None:
        """Adds to an episode on record what it taught; joins the caller's transaction.

        Args:
            record: With claims and drafts, and a cost that has theirs in it.
        """
        with self.db.transaction():
            self.runs.add_lessons(record)
            self.memory.commit(record, instruction=instruction, source=source)

    def _counted_as(self, record: EpisodeRecord) -> str:
        """The task's id; of a person's file that had other rows when it was first given, with the rows it has now."""
        if record.split != OWN or not any(item.startswith("skill:") for item in record.consumed):
            return record.task
        first = self.runs.of_task(record.task, None, OWN)[0]
        return record.task if first.group == record.group else f"{record.task} {record.group[:8]}"

    def _note_uses(self, record: EpisodeRecord, task: str) -> None:
        # What was of use decides which skills stay on offer, and tasks that only measure may not steer that.
        # In a folder nothing is verified; what helps there, as far as a check can tell, are procedures.
        if not (record.verified or record.checked) or record.split in HELD_OUT:
            return
        from evolve.skills import KEPT

        kept = (*self.skills.list(KEPT), *self.skills.seeds())
        known = {skill.digest for skill in kept if record.verified or skill.environment}
        used = [item.removeprefix("skill:") for item in record.consumed]
        shown = {item.removeprefix("skill:") for step in record.steps for item in step.action.offered}
        for name in used:
            if name in known:
                self.skills.record_use(name, task, record.policy)
        for name in sorted(shown & known):
            self.skills.record_offer(name, task)

    def active_workflow(self, workflow: Workflow) -> Workflow:
        """The promoted variant's workflow, or the one given."""
        active = self.variants.active()
        return workflow if active is None or not active.workflow else self._workflow(active.workflow)

    def _workflow(self, name: str) -> Workflow:
        from evolve.agent.workflow import parse_workflow

        return parse_workflow(self.objects.get(name).decode())

    def active_state(self, workflow: Workflow) -> LearnedState:
        """The promoted variant, or the unlearned state."""
        return self.state(self.variants.active_digest, workflow)

    def state(self, variant: str, workflow: Workflow) -> LearnedState:
        """A variant as it acts now.

        What has been retired or forgotten since does not act, and without insights no guide does: when
        everything is forgotten the arm is exactly the unlearned one.
        """
        from evolve.trials.learned_state import UNLEARNED, LearnedState

        return (
            LearnedState(workflow=workflow)
            if variant == UNLEARNED
            else self.state_of(self.variants.get(variant), workflow)
        )

    def state_of(self, variant: Variant, workflow: Workflow) -> LearnedState:
        """The same as :meth:`arm`, for a variant that need not be in the archive."""
        from evolve.trials.learned_state import LearnedState

        memory = self._memory_of(variant)
        informed = memory is not None and memory.book.has_experience()
        return LearnedState(
            variant=variant.digest,
            guide=self.objects.get_json(variant.guide) if variant.guide and informed else None,
            skills=self._kept_skills(variant),
            memory=memory if informed else None,
            workflow=self._workflow(variant.workflow) if variant.workflow else workflow,
            prompts={name: self.objects.get(text).decode() for name, text in variant.prompts},
        )

    def practice_state(self, workflow: Workflow) -> LearnedState:
        """What acts on tasks one learns from: the promoted variant plus whatever has been admitted since."""
        base = self.active_state(workflow)
        memory = self.memory.snapshot()
        return replace(
            base, skills=tuple(self.skills.active()), memory=memory if memory.book.has_experience() else None
        )

    def keep_skill(self, skill: Skill) -> str:
        """Puts a skill's body into the object store; its digest is how variants name it."""
        return self.objects.put_object(canonical_json(skill.to_json()).encode())

    def snapshot_insights(self, before: str = "") -> str:
        """Names what the memory holds now, so that a variant does not change when more is learned.

        Args:
            before: How the variant before names its insights; what is not recalled there stays so.
        """
        rows = self.memory.snapshot().book.all_evidence()
        silent = {name: value for name, value in (self._mark(before) if before else {}).items() if name != "through"}
        return self.objects.put_json({"through": max((row.seq for row in rows), default=0), **silent})

    def mark_without(self, insights: str, silent: Iterable[str] | None) -> str:
        """The same insights, of which some are never recalled; the guide that was fitted on them stays.

        Args:
            insights: How a variant names its insights.
            silent: Ids, or None for all.
        """
        mark = self._mark(insights)
        if silent is None:
            return self.objects.put_json({**mark, "recalled": False})
        return self.objects.put_json({**mark, "without": sorted({*mark.get("without", ()), *silent})})

    def _mark(self, insights: str) -> dict[str, Any]:
        from evolve.trials.variants import ALL_INSIGHTS

        return {} if insights == ALL_INSIGHTS else dict(self.objects.get_json(insights))

    def insight_marks(self, lost: set[str], last: int) -> list[str]:
        """Restores lost marks of :meth:`mark_insights`, by their digests; gives the digests of those restored.

        Args:
            last: The highest number of evidence there ever was.
        """
        # A mark holds one number alone, so trying every number finds the lost ones by their digests.
        marks = {digest(canonical_json({"through": number})): number for number in range(last + 1)}
        return [self.objects.put_json({"through": marks[name]}) for name in sorted(lost & set(marks))]

    def _memory_of(self, variant: Variant) -> MemorySnapshot | None:
        if not variant.insights:
            return None
        snapshot, mark = self.memory.snapshot(), self._mark(variant.insights)
        if "through" in mark:
            snapshot = self._as_marked(snapshot, int(mark["through"]))
        return snapshot.without_insights(mark.get("without", ()) if mark.get("recalled", True) else snapshot.book.keys)

    def _as_marked(self, snapshot: MemorySnapshot, through: int) -> MemorySnapshot:
        """What the memory held when so many rows of evidence had been written."""
        from evolve.memory import MemorySnapshot
        from evolve.memory.record_index import LateIndex

        rows = [row for row in snapshot.book.all_evidence() if row.seq <= through]
        named = {row.episode for row in rows}
        entries = [entry for entry in snapshot.book.entries.values() if entry.episode in named]
        return MemorySnapshot(
            book=snapshot.book.with_evidence(rows, entries),
            encoder=snapshot.encoder,
            index=LateIndex(entries, snapshot.encoder),
        )

    def _kept_skills(self, variant: Variant) -> tuple[Skill, ...]:
        from evolve.skills import KEPT, Skill

        by_digest = {skill.digest: skill for skill in self.skills.list(KEPT)}
        named = [Skill.from_json(self.objects.get_json(name)) for name in variant.skills]
        return tuple(by_digest[skill.digest] for skill in named if skill.digest in by_digest)

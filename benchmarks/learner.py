"""The learner under test: it practises like the product, on the same parts, and is then frozen."""

from __future__ import annotations

import math
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.attempts import Attempt, Solver, row_of
from benchmarks.judging import Judge
from evolve.core.episodes import SkillDraft, TaskView
from evolve.core.errors import UsageError
from evolve.core.files import digest
from evolve.core.schema import MEMORY
from evolve.core.store import Database
from evolve.improve.session import BATCH
from evolve.memory import ExperienceRow, MemoryRepository, MemorySnapshot
from evolve.memory.index import MemoryIndex
from evolve.policies.search import Guide, SearchPolicy, SearchSettings, TrainingSettings, fit_guide
from evolve.policies.search.guide import fit
from evolve.policies.search.programs.operations import literals, vocabulary
from evolve.policies.search.searcher import Vocabulary
from evolve.policies.search.training import CANDIDATES, dream_prices, problems_of, synthetic_task
from evolve.runtime.retrieval import HashingEmbedder
from evolve.skills import Skill, unseen_rows, with_called, worth_offering
from evolve.tasks import Task
from evolve.workspace.learners import SearchLearner

SUBMISSIONS = 3
ROUNDS = 2
AGAIN_OPEN, AGAIN_SOLVED = 64, 32
"""Most tasks of each kind that the second round practises again, as in the product."""

ARMS = (
    "plain",
    "unlearned",
    "dreams-only",
    "re-priced",
    "library",
    "guide",
    "guide+library",
    "placebo",
    "unlearned-total",
)


@dataclass(frozen=True, kw_only=True)
class Course:
    """What to practise and how.

    Attributes:
        budget: Candidates of one attempt.
        seed: Which split this is; also the seed of dreams.
    """

    suite: str
    tasks: tuple[Task, ...]
    budget: int
    seed: int
    dreams: int = TrainingSettings().dreams


@dataclass(frozen=True, kw_only=True)
class Learned:
    """A frozen learner.

    Attributes:
        memory: Insights with their evidence, or None where nothing was solved.
        skills: What the product would propose to its gate.
        views: Practised tasks, whose inputs dreams borrow.
        candidates: Spent on practice and on dreams.
        rows: One row per attempt of practice.
    """

    course: Course
    memory: MemorySnapshot | None
    skills: tuple[Skill, ...]
    candidates: int
    rows: tuple[dict[str, Any], ...] = ()

    @property
    def views(self) -> list[TaskView]:
        return [task.view() for task in self.course.tasks]


@dataclass
class _Practice:
    """The growing state of a learner while it practises."""

    course: Course
    judge: Judge
    memory: MemoryRepository
    skills: list[Skill] = field(default_factory=list)
    idle: list[Skill] = field(default_factory=list)
    uses: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    rows: list[dict[str, Any]] = field(default_factory=list)
    solved: set[str] = field(default_factory=set)
    spent: int = 0

    def round(self, number: int) -> None:
        experience = self.memory.experience_rows() if number > 1 else ()
        guide = self.guide(experience) if experience else None
        before = list(self.skills)
        for place, task in enumerate(self._tasks_of(number)):
            if place % BATCH == 0:  # what a batch teaches is usable from the next one on
                solver = self._solver(guide)
            attempt = solver.attempt(task, self.course.budget, submissions=SUBMISSIONS)
            drafts = self._take_in(attempt, solver, number)
            self._note_uses(attempt)
            for draft in drafts:
                self._admit(draft, task)
        if number > 1:
            new = {one.digest for one in self.skills if one not in before}
            needed = with_called(new, self.skills) | self._worth_offering()
            self.idle += [one for one in self.skills if one.digest not in needed]
            self.skills = [one for one in self.skills if one.digest in needed]

    def guide(self, experience: Sequence[ExperienceRow]) -> Guide:
        self.spent += CANDIDATES * len(self.course.tasks)
        return _guide(experience, self.course, self.kept())

    def kept(self) -> tuple[Skill, ...]:
        """The skills that the product would propose to its gate."""
        worth = self._worth_offering()
        return tuple(skill for skill in self.skills if skill.digest in worth)

    def _worth_offering(self) -> set[str]:
        known = [replace(one, tasks=tuple(self.uses[one.digest])) for one in (*self.skills, *self.idle)]
        return worth_offering(known)

    def _solver(self, guide: Guide | None) -> Solver:
        return Solver(policy=SearchPolicy(library=tuple(self.skills), guide=guide), judge=self.judge)

    def _tasks_of(self, number: int) -> list[Task]:
        """In the stream's order where it has one, else mixed; later some of the open and some of the solved."""

        def place(task: Task) -> tuple[int, str]:
            return int(task.meta.get("stage", 0)), digest(f"{self.course.seed}:{number}:{task.id}")

        ordered = sorted(self.course.tasks, key=place)
        if number == 1:
            return ordered
        left = [task for task in ordered if task.id not in self.solved]
        again = [task for task in ordered if task.id in self.solved]
        rng = random.Random(self.course.seed)
        chosen = [*_some(left, AGAIN_OPEN, rng), *_some(again, AGAIN_SOLVED, rng)]
        return sorted(chosen, key=place)

    def _take_in(self, attempt: Attempt, solver: Solver, number: int) -> tuple[SkillDraft, ...]:
        """Commits what an attempt showed; gives the skills it proposes."""
        claims, drafts = solver.learned_from(attempt)
        self.memory.commit(attempt.record(seed=number, claims=claims), instruction=attempt.task.instruction)
        self.spent += attempt.spent
        where = {"suite": self.course.suite, "split": "train", "seed": self.course.seed, "budget": self.course.budget}
        self.rows.append(row_of(attempt, solver, arm=f"practice-{number}", **where))
        if attempt.verified:
            self.solved.add(attempt.task.id)
        return drafts

    def _note_uses(self, attempt: Attempt) -> None:
        """Notes the skills in a verified answer to another task than their own."""
        answer = attempt.answer
        if answer is None or not attempt.verified:
            return
        source = {skill.digest: skill.source for skill in self.skills}
        called = {one.removeprefix("skill:") for one in answer.consumed if one.startswith("skill:")}
        for one in called:
            if source.get(one) != attempt.task.id:
                self.uses[one].add(attempt.task.id)

    def _admit(self, draft: SkillDraft, task: Task) -> None:
        """Keeps the skill of a verified answer or of a part of it, if it may be kept."""
        try:
            skill = Skill.from_draft(draft)
        except UsageError:
            return
        if skill.entry in {known.entry for known in self.skills}:
            return
        interpret = SearchLearner().interpreter(self.skills) if draft.arguments else None
        unseen = unseen_rows(draft, task.verify_rows(), interpret)
        if self.judge.admits(skill, unseen, self.skills):
            self.skills.append(skill)


def _some(tasks: Sequence[Task], most: int, rng: random.Random) -> list[Task]:
    return list(tasks) if len(tasks) <= most else rng.sample(tasks, most)


def practise(course: Course, judge: Judge) -> Learned:
    """Two rounds of practice, the second with what the first taught."""
    with tempfile.TemporaryDirectory() as folder, Database(Path(folder) / "memory.db", MEMORY) as db:
        memory = MemoryRepository(db, MemoryIndex, HashingEmbedder(), clock=lambda: 0.0)
        practice = _Practice(course=course, judge=judge, memory=memory)
        for number in range(1, ROUNDS + 1):
            practice.round(number)
        known = bool(memory.experience_rows())
        return Learned(
            course=course,
            memory=memory.snapshot() if known else None,
            skills=practice.kept(),
            candidates=practice.spent + (CANDIDATES * len(course.tasks) if known else 0),
            rows=tuple(practice.rows),
        )


def solver_of(arm: str, learned: Learned, judge: Judge) -> Solver:
    """The frozen solver of an arm.

    Raises:
        ValueError: There is no such arm.
    """
    if arm not in ARMS:
        raise ValueError(f"no arm {arm!r}")
    if arm == "plain":
        return Solver(policy=SearchPolicy(settings=SearchSettings(flat=True, combine=False)), judge=judge)
    memory = learned.memory
    if arm in ("unlearned", "unlearned-total") or (memory is None and arm != "dreams-only"):
        return Solver(policy=SearchPolicy(), judge=judge)
    if arm == "dreams-only":
        return Solver(policy=SearchPolicy(guide=_dreamt(learned)), judge=judge)
    if arm == "library":
        return Solver(policy=SearchPolicy(library=learned.skills), judge=judge)
    assert memory is not None
    if arm == "re-priced":
        return Solver(policy=SearchPolicy(guide=_frequencies(memory.experience_rows())), judge=judge)
    source = memory.shuffled_placebo(learned.course.seed) if arm == "placebo" else memory
    library = () if arm == "guide" else learned.skills
    policy = SearchPolicy(library=library, guide=_guide(source.experience_rows(), learned.course, library))
    return Solver(policy=policy, judge=judge)


def _guide(experience: Sequence[ExperienceRow], course: Course, library: Sequence[Skill]) -> Guide:
    views = [task.view() for task in course.tasks]
    return fit_guide(experience, views, library, course.seed, TrainingSettings(dreams=course.dreams))


def _dreamt(learned: Learned) -> Guide:
    """A guide from dreams over the plain vocabulary alone."""
    words = Vocabulary(vocabulary(), literals())
    course = learned.course
    dreams = synthetic_task(
        problems_of(learned.views), words, dream_prices(words), count=course.dreams, seed=course.seed
    )
    return fit(dreams, rows=0, steps=TrainingSettings().steps)


def _frequencies(experience: Iterable[ExperienceRow]) -> Guide:
    """A guide that knows how often each operation was needed and nothing of the task at hand."""
    needed: dict[str, set[str]] = defaultdict(set)
    width = 0
    for row in experience:
        width = max(width, len(row.features))
        if row.direction > 0 and not row.cause.startswith("skill:"):
            needed[row.task].add(row.cause.removeprefix("operation:"))
        else:
            needed[row.task].update(())
    counts = Counter(name for names in needed.values() for name in names)
    names = tuple(sorted(counts))
    shares = [(counts[name] + 0.05) / (len(needed) + 1) for name in names]
    bias = tuple(math.log(share / (1 - share)) for share in shares)
    flat = ((0.0,) * len(names),) * width
    return Guide(names=names, weights=(*flat, bias), rows=len(needed))

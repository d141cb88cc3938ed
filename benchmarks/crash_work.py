"""Work on the record without a command line: quick enough to be killed hundreds of times in a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.copied_workspaces import named_record
from benchmarks.doubles import slow_learner, small_suite
from evolve.core.episodes import Claim, Cost, EpisodeRecord, Evidence, Scope
from evolve.core.paths import WorkspacePaths
from evolve.core.store import Database, ObjectStore, WriterLock
from evolve.memory import MemoryRepository
from evolve.memory.index import MemoryIndex
from evolve.runtime.retrieval import HashingEmbedder
from evolve.skills import AdmissionVerdict, Skill
from evolve.tasks import Task
from evolve.trials import Variant
from evolve.trials.gate import SequentialTest, Tally
from evolve.trials.repositories import Repositories
from evolve.workspace.locating import ensure_workspace


def work(root: Path, *, episodes: int = 3) -> dict[str, Any]:
    """Opens a workspace's record, adds one thing of every kind, and closes it; gives the last note."""
    ensure_workspace(root)
    paths = WorkspacePaths(root)
    with WriterLock(paths.lock), named_record(paths) as db:
        stores = open_stores(db, paths)
        run = stores.runs.begin("improve", "crash", {"suite": "small"}, started="")
        for task in small_suite(episodes).tasks:
            stores.commit(episode_of(task, run.id), instruction=task.instruction)
            _admit(stores, task)
        _promote(stores, run.id)
        note = {}
        for number in range(2):
            kept = stores.memory.add_note(f"note {number}", "somebody")
            note = {"id": kept.id, "author": kept.author}
        stores.runs.keep_report(run.id, {"run": run.id})
    return note


def open_stores(db: Database, paths: WorkspacePaths) -> Repositories:
    """The parts of the record, with an index in memory."""
    return Repositories(
        db=db,
        objects=ObjectStore(paths.objects),
        skill_folder=paths.skills,
        open_memory=lambda: MemoryRepository(db, MemoryIndex, HashingEmbedder()),
    )


def episode_of(task: Task, run: str, name: str = "") -> EpisodeRecord:
    """A verified episode that says one thing."""
    evidence = Evidence(task=task.id, group=task.group, kind="intervention", direction=1, features=(1.0, 0.0))
    claim = Claim(
        cause=f"program:{task.family}",
        relation="contributes",
        effect="solved",
        scope=Scope(environment="programs", family=task.signature),
        evidence=(evidence,),
        text=f"the program {task.family} helps",
    )
    return EpisodeRecord(
        episode=name or f"episode of {task.id}",
        run=run,
        task=task.id,
        suite="small",
        group=task.group,
        split="train",
        variant="unlearned",
        seed=0,
        status="solved",
        verified=True,
        answer="",
        steps=(),
        cost=Cost(candidates=10),
        claims=(claim,),
    )


def _admit(stores: Repositories, task: Task) -> Skill:
    learner = slow_learner(distils=True)
    code = learner.programs[task.family]
    skill = Skill(
        name=task.family,
        description=f"Gives the {task.family}.",
        entry="solve",
        signature=task.signature,
        code=code,
        rows=task.examples,
        test_code="def test_nothing():\n    pass\n",
        source=task.id,
    )
    verdict = AdmissionVerdict(
        digest=skill.digest, policy="fixed", fingerprint="none", admitted=True, failed="", reason=""
    )
    with stores.db.transaction():
        return stores.skills.add(skill, verdict)


def _promote(stores: Repositories, run: str) -> None:
    skills = tuple(stores.keep_skill(skill) for skill in stores.skills.active())
    variant = Variant(guide=stores.objects.put_json({"a": 1}), skills=skills, insights=stores.snapshot_insights())
    journal = stores.runs.journal(run)
    with stores.db.transaction():
        stores.variants.add(variant, origin=run)
        journal.finish("variant:1", {"variant": variant.digest})
    state = SequentialTest(alpha=0.05).judge(Tally(wins=20))
    with stores.db.transaction():
        stores.decisions.save_verdict(state, run=run, parent="unlearned", variant=variant.digest, suite="small")
        stores.variants.promote(variant.digest, grounds="gate decision 1")
        journal.finish("gate:1", {"promoted": True})
    stores.decisions.look("small", run=run, purpose="improve")

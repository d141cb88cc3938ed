"""Makes and reads workspaces that tests may damage."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import evolve
from benchmarks.doubles import small_suite
from evolve.core.episodes.codec import to_data
from evolve.core.failpoints import VARIABLE
from evolve.skills import AdmissionVerdict, Skill
from evolve.testing import FixedLearner, TrustingSandbox
from evolve.trials import ALL_INSIGHTS, Variant
from evolve.workspace import Workspace


@contextmanager
def opened(folder: Path, **more: Any) -> Iterator[Workspace]:
    """The workspace with the stand-in learner, and without a sandbox: the programs are our own."""
    with evolve.open(folder, policy=FixedLearner(distils=True), **more) as workspace:
        workspace._sandbox = TrustingSandbox()
        yield workspace


def fill(folder: Path, tasks: int = 8) -> None:
    """Runs some tasks and keeps one of everything."""
    with opened(folder) as workspace:
        for task in small_suite(tasks).tasks:
            workspace.run(task)
        workspace.memory.note("dates are day first", author="ada")
        stores = workspace.stores
        drafts = [draft for one in stores.runs.episodes() for draft in one.drafts]
        for skill in {draft.name: Skill.from_draft(draft) for draft in drafts}.values():
            if skill.name not in {known.name for known in stores.skills.list()}:
                stores.skills.add(
                    skill, AdmissionVerdict(digest=skill.digest, policy="x", fingerprint="x", admitted=True)
                )
        guide = stores.objects.put_json({"preferred": ["total"]})
        variant = Variant(guide=guide, insights=ALL_INSIGHTS)
        stores.variants.add(variant, origin="test")
        stores.variants.promote(variant.digest, grounds="test")


def everything(folder: Path) -> dict[str, dict[str, Any]]:
    """Every value the workspace gives back, by kind and id."""
    with opened(folder) as workspace:
        stores = workspace.stores
        claims = {one.id: one for one in workspace.memory.list()}
        return to_data(
            {
                "runs": {run.id: run for run in stores.runs.list_runs()},
                "episodes": {record.episode: record for record in stores.runs.episodes()},
                "claims": {name: (one.text, one.status, one.evidence) for name, one in claims.items()},
                "evidence": {row.id: row.detail for name in claims for row in workspace.memory.evidence(name)},
                "notes": {note.id: note for note in workspace.memory.notes()},
                "skills": {skill.name: skill for skill in workspace.skills.list()},
                "active": {"variant": stores.variants.active_digest},
                "guide": {"": stores.active_state(workspace.workflow.show()).guide},
            }
        )


def garble(path: Path, start: int, length: int = 512, seed: int = 0) -> None:
    """Overwrites bytes of a file with others."""
    data = bytearray(path.read_bytes())
    data[start : start + length] = random.Random(seed).randbytes(len(data[start : start + length]))
    path.write_bytes(data)


def stopped(plan: str, work: Callable[[], object]) -> int:
    """How a process ended that did the work under a plan of faults: less than zero by a signal, 1 by an error."""
    child = os.fork()
    if child == 0:
        try:
            os.environ[VARIABLE] = plan
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

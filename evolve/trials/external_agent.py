"""Runs the episodes of a comparison with a program that a person approved: an agent of somebody else.

It works in a copy of the task's folder, outside of the sandbox, and is given the task's words alone. What it leaves
there is judged inside the sandbox, as any answer is. It is a black box: its tokens and its steps are its own.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from evolve.core.episodes import Action, Cost, EpisodeRecord, Guidance, Judgement, Observation, Status, Step
from evolve.core.errors import UsageError
from evolve.core.files import clean_text, head_and_tail
from evolve.core.progress import report_activity
from evolve.environments.files.diffs import folder_diff
from evolve.environments.files.snapshots import changes_between
from evolve.runtime.folder_tree import FolderTree, read_tree
from evolve.runtime.sandbox.server_process import OutsideRun, run_outside
from evolve.tasks import Task
from evolve.tasks.reading.git import write_tree
from evolve.tasks.verification.verifiers import CommandVerifier, Submission
from evolve.tasks.work import FolderWork
from evolve.trials.jobs import Attempt, EpisodeJob, WorkerSetup, unstarted_record
from evolve.trials.learned_state import LearnedState

_SKILL_FOLDERS = (".claude/skills", ".agents/skills")
_NOTE_FILES = ("CLAUDE.md", "AGENTS.md")
_SETTINGS = frozenset({".claude", ".codex", ".cursor", ".gemini", ".mcp.json"})
"""Where agents take settings from, which may name commands that they run by themselves."""
_KEPT = 20_000
TASK_S = 900.0
"""Wall seconds that the program has for one task, where the budget leaves as many."""


def is_guidance(name: str) -> bool:
    """Whether a file of a folder is one of those from which agents take skills, notes and settings."""
    parts = name.casefold().split("/")
    skills = any(f"/{folder}/" in f"/{name}" for folder in _SKILL_FOLDERS)
    return skills or name.rpartition("/")[2] in _NOTE_FILES or not _SETTINGS.isdisjoint(parts)


class ExternalAgent:
    """Runs jobs; a :class:`~evolve.trials.bench.AgentBench` for :class:`~evolve.trials.workers.LocalWorkers`.

    Args:
        argv: A program that takes a task's words as its last argument, or from its input where its last word is ``-``.
    """

    def __init__(self, setup: WorkerSetup, argv: Sequence[str]) -> None:
        self._setup, self._argv, self._sandbox = setup, tuple(argv), setup.sandbox()
        self._arms: dict[str, LearnedState] = {}

    def announce(self, key: str, arm: LearnedState) -> None:
        """Makes an arm known under a key."""
        self._arms[key] = arm

    def run(self, job: EpisodeJob) -> Attempt:
        """Has the program do one task."""
        return Attempt(record=self._episode(job), limits=job.limits)

    def close(self) -> None:
        """Frees the sandbox."""
        self._sandbox.close()

    def _episode(self, job: EpisodeJob) -> EpisodeRecord:
        work, guidance = _work_of(job.task), self._arms[job.arm].guidance
        tree, most = _without_guidance(read_tree(work.folder)), job.limits.seconds
        with tempfile.TemporaryDirectory(prefix="evolve-agent-", ignore_cleanup_errors=True) as place:
            folder = Path(place, "work")
            write_tree(replace(tree, files={**tree.files, **_placed(guidance)}), folder)
            ran = self._ran(folder, job.task.instruction, TASK_S if most is None else min(TASK_S, most))
            try:
                left, lost = _without_guidance(read_tree(folder)), ""
            except UsageError as error:
                left, lost = tree, f"what it left cannot be read: {error}"
        said = clean_text((ran.output + ran.errors).decode("utf-8", "replace"))
        judge = CommandVerifier(work=work, original=tree.files, executable=tree.executable, folders=tree.folders)
        verdict = judge.verify(Submission(files=left.files, executable=left.executable), self._sandbox)
        accepted, fault = verdict.accepted and not verdict.fault, verdict.fault
        judged = Judgement(accepted=accepted, verified=False, rows=verdict.rows, fault=fault, text=verdict.text)
        actions = [Action(kind="recall", text=f"skill {name}") for name in _used(guidance, said)]
        steps = [Step(number=at, action=one, observation=Observation(ok=False)) for at, one in enumerate(actions, 1)]
        clean = self._setup.scanner.redact_text
        last = Action(kind="finish", text=clean(head_and_tail(said, _KEPT)))
        steps.append(Step(number=len(steps) + 1, action=last, observation=Observation(ok=True), judgement=judged))
        cut = ran.status is None and most is not None and most < TASK_S  # the run's time was over, not the task's
        ended = f"the program ended with {ran.status}" if ran.status is not None else "its time was over"
        why = lost or (ended if ran.status != 0 else "")
        status: Status = "interrupted" if cut else "fault" if fault else "solved" if accepted else "refused"
        return replace(
            unstarted_record(job, self._setup, status, why or verdict.text),
            checked=accepted and verdict.checked,
            answer=clean(folder_diff(tree.files, changes_between(tree.files, left.files))),
            steps=tuple(steps),
            # What it asked of models it does not tell; this is what went in and came out, four letters to a token.
            cost=Cost(tokens=len(job.task.instruction + said) // 4 + 1, calls=1, estimated=1, seconds=ran.seconds),
            policy=f"agent:{' '.join(self._argv)}",
        )

    def _ran(self, folder: Path, words: str, seconds: float) -> OutsideRun:
        """What the program did in a folder; evolve's own variables are not handed on."""
        variables = {name: value for name, value in os.environ.items() if not name.startswith("EVOLVE_")}
        argv, given = (self._argv, words.encode()) if self._argv[-1] == "-" else ((*self._argv, words), b"")
        with report_activity("agent", self._argv[0]):
            return run_outside(argv, folder, variables=variables, seconds=seconds, given=given)


def _work_of(task: Task) -> FolderWork:
    work = task.work
    if not isinstance(work, FolderWork) or not (work.check or work.hidden_check) or task.rubric:
        raise UsageError(
            f"{task.id}: an agent of somebody else is tried on folders with a check alone",
            hint="name tasks with a folder, or give --model in place of --agent",
        )
    return work


def _without_guidance(tree: FolderTree) -> FolderTree:
    return replace(tree, files={name: data for name, data in tree.files.items() if not is_guidance(name)})


def _placed(guidance: Guidance) -> dict[str, bytes]:
    """The skills and notes where such programs look for them."""
    placed: dict[str, bytes] = {}
    for guide in guidance.guides:
        for folder in () if guide.is_notes else _SKILL_FOLDERS:
            placed |= {f"{folder}/{guide.name}/{name}": data for name, data in guide.files.items()}
        placed |= dict.fromkeys(_NOTE_FILES, guide.text().encode()) if guide.is_notes else {}
    return placed


def _used(guidance: Guidance, said: str) -> list[str]:
    """The skills of which the program says that it read them: by their folder, or by their name in quotes."""
    names = [guide.name for guide in guidance.guides if not guide.is_notes]
    return [name for name in names if re.search(rf'skills/{re.escape(name)}(?![\w-])|"{re.escape(name)}"', said)]

"""What the gate checks of itself and of episodes: digests of the judging code, and records that show what they claim.

A claim of success that nothing stands behind is a failure: else a variant that loses its own traces, or asks the
verifier more often than it may, would look better than it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evolve.core.episodes import EpisodeRecord, Status
from evolve.core.files import canonical_json, digest
from evolve.core.paths import package_root
from evolve.trials.gate.jobs import GateTask, Job

_PARTS: Mapping[str, tuple[str, ...]] = {
    "verifier": (
        *("tasks/*.py", "tasks/verification/*.py", "core/equality.py", "runtime/folder_tree.py"),
        *("environments/**/*.py", "agent/stages/judge.py"),
    ),
    "evaluator": ("agent/outcome.py", "agent/runner.py", "agent/workflow/*.py", "runtime/sandbox/**/*.py"),
    "gate": ("trials/gate/*.py", "runtime/retrieval/text_overlap.py"),
}
"""The code whose change during a comparison voids it: what verifies answers, what runs episodes, and the gate."""


def code_digests() -> dict[str, str]:
    """A digest per part of the code that scores, judges or detects, as it lies on disk now."""
    return {name: _digest_of(patterns) for name, patterns in _PARTS.items()}


def changed_parts(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Names of the parts that are not the same in both, joined for a sentence; "" when all are."""
    return " and ".join(name for name in sorted({*before, *after}) if before.get(name) != after.get(name))


def _digest_of(patterns: tuple[str, ...]) -> str:
    package = package_root().resolve()
    files = sorted({file for pattern in patterns for file in package.glob(pattern)})
    return digest(canonical_json([[str(file.relative_to(package)), digest(file.read_bytes())] for file in files]))


SUBMISSIONS = 1
"""Answers an episode of a comparison may put to the verifier."""


def _missing_evidence(record: EpisodeRecord, job: Job[GateTask]) -> str:
    """What is missing in the record of a job, in one sentence, or "" when it shows all it must."""
    if (record.task, record.group) != (job.task.id, job.task.group):
        return f"the record is of task {record.task!r}, not of {job.task.id!r}"
    if (record.variant, record.seed) != (job.variant, job.seed):
        return f"the record is of variant {record.variant[:10]!r} with seed {record.seed}, not of this arm"
    judged = [step.judgement for step in record.steps if step.judgement is not None]
    if len(judged) > SUBMISSIONS:
        return f"{len(judged)} answers were put to the verifier; {SUBMISSIONS} is allowed"
    if not record.solved:
        return ""
    if not judged or not judged[-1].accepted or record.verified != judged[-1].verified:
        return "it claims to be solved, but no judgement of the verifier says so"
    if not judged_by_current_code(record):
        return "it claims to be solved, but tells of no work"
    return ""


def trusted_records(records: Sequence[EpisodeRecord | None], jobs: Sequence[Job[GateTask]]) -> list[EpisodeRecord]:
    """The records in the jobs' order, with what cannot be believed as a failure that says why.

    A record that is not there, or whose job is another, becomes an unsolved episode of its job. On the side of
    the parent it becomes a fault instead: it must not count for the variant.

    Raises:
        ValueError: There are more or fewer records than jobs; what did not run stands as None.
    """
    if len(records) != len(jobs):
        raise ValueError(f"{len(jobs)} jobs gave {len(records)} records; one that did not run stands as None")
    return [_believed(record, job) for record, job in zip(records, jobs, strict=True)]


def judged_by_current_code(record: EpisodeRecord) -> bool:
    """Whether the episode did work of its own; a stored answer played back costs nothing."""
    return record.cost.candidates > 0 or record.cost.tokens > 0


def _believed(record: EpisodeRecord | None, job: Job[GateTask]) -> EpisodeRecord:
    problem = "no record came back" if record is None else _missing_evidence(record, job)
    if record is not None and not problem:
        return record
    status: Status = "fault" if job.arm == "parent" else "unsolved"
    if record is None or (record.task, record.variant, record.seed) != (job.task.id, job.variant, job.seed):
        return EpisodeRecord(
            episode="",
            run="",
            task=job.task.id,
            suite="",
            group=job.task.group,
            split="gate",
            variant=job.variant,
            seed=job.seed,
            status=status,
            note=problem,
        )
    return replace(record, status=status, verified=False, note=problem, group=job.task.group)

"""What an optimiser could try instead of being better, and what the gate makes of it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.doubles import small_suite
from benchmarks.doubles.cheating import _fair, _record, _solves_more, cheating_optimisers, honest_optimiser
from evolve.core.episodes import EpisodeRecord
from evolve.core.errors import UsageError
from evolve.core.paths import package_root
from evolve.core.schema import GATE
from evolve.core.store import Database
from evolve.tasks import Suite, Task
from evolve.tasks.work import FolderWork
from evolve.trials.gate import (
    ComparisonPlan,
    DecisionRepository,
    EpisodeOverBudget,
    Gate,
    Job,
    VariantProposal,
)
from evolve.trials.gate import gate as gate_module
from evolve.trials.gate import integrity as instruments


@pytest.fixture
def gate(tmp_path: Path):
    with Database(tmp_path / "memory.db", GATE) as db:
        yield Gate(DecisionRepository(db))


def proposal(suite: Suite, **more: object) -> VariantProposal:
    return replace(VariantProposal(run="r", parent="old", variant="new", suite=suite), **more)


@pytest.mark.slow
def test_five_cheats_that_deceive_a_plain_test_are_refused(tmp_path: Path) -> None:
    attempts = cheating_optimisers(tmp_path)
    assert len(attempts) == 5
    assert [one.optimiser for one in attempts if not one.unguarded] == []
    assert [one.optimiser for one in attempts if one.accepted] == []


@pytest.mark.slow
def test_an_honest_gain_is_accepted(tmp_path: Path) -> None:
    attempt = honest_optimiser(tmp_path)
    assert attempt.accepted, attempt.reason


def test_splits_that_are_not_what_was_sealed_are_refused(gate: Gate) -> None:
    suite = small_suite(40)
    how = ComparisonPlan(run=_solves_more)
    gate.judge(proposal(suite), how)
    moved = {**suite.splits, suite.split("gate")[0].group: "train"}

    class Moved(Suite):
        splits = moved  # type: ignore[assignment]

    with pytest.raises(UsageError, match="train and gate"):
        gate.judge(proposal(Moved(name="small", tasks=suite.tasks, digest=suite.digest), run="r2"), how)
    easier = tuple(replace(task, hidden=task.hidden[:3]) for task in suite.tasks)
    with pytest.raises(UsageError, match="not what was sealed"):
        gate.judge(proposal(Suite(name="small", tasks=easier, digest=suite.digest), run="r3"), how)
    gate.judge(proposal(small_suite(40), run="r4"), how)


@pytest.mark.slow
def test_a_verifier_that_changes_while_a_variant_is_judged_voids_the_comparison(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = gate_module.code_digests()
    assert set(true) == {"verifier", "evaluator", "gate"}

    def lenient_from_the_second_pair_on(jobs):
        monkeypatch.setattr(gate_module, "instruments", lambda: {**true, "verifier": "another"})
        return _solves_more(jobs)

    suite = small_suite(300)
    found = gate.judge(proposal(suite), ComparisonPlan(run=lenient_from_the_second_pair_on))
    assert (found.state.verdict, found.accepted) == ("undecided", False)
    assert "void: the verifier changed" in found.state.reason
    kept = gate.decisions.save_finding(found)
    assert kept.verdict == "undecided" and kept.pins == true
    # Another process that goes on with the same judgement measures with the new one from the start.
    again = gate.judge(proposal(suite), ComparisonPlan(run=_solves_more))
    assert "void: the verifier changed" in again.state.reason
    assert gate.judge(proposal(suite, run="r2"), ComparisonPlan(run=_solves_more)).accepted


@pytest.mark.parametrize(
    ("part", "files"),
    [
        ("verifier", ("tasks/model.py", "tasks/verification/checks.py", "core/equality.py", "runtime/folder_tree.py")),
        ("verifier", ("environments/files/environment.py", "agent/stages/judge.py")),
        ("evaluator", ("agent/outcome.py", "agent/runner.py", "agent/workflow/spec.py")),
        ("evaluator", ("runtime/sandbox/isolated.py", "runtime/sandbox/guest/runner.py")),
        ("gate", ("trials/gate/gate.py", "runtime/retrieval/text_overlap.py")),
    ],
)
def test_a_change_of_code_that_judges_is_seen(
    part: str, files: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instruments, "package_root", lambda: tmp_path)
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(package_root() / name, tmp_path / name)
    for name in files:
        before = instruments.code_digests()
        (tmp_path / name).write_text("changed = True\n", "utf-8")
        assert instruments.changed_parts(before, instruments.code_digests()) == part


def test_text_that_train_tasks_share_is_no_copy(gate: Gate) -> None:
    suite = small_suite(300)
    known = suite.split("train")[0]
    rows = "\n".join(f"assert solve({row.input[0]}) == {row.output}" for row in known.hidden)
    found = gate.judge(proposal(suite, texts={"skill": rows}), ComparisonPlan(run=_solves_more))
    assert found.accepted


@pytest.mark.parametrize("shape", ["assert solve({}) == 1", "examples: input={}", "    {}\n"])
def test_a_held_out_row_is_found_in_any_layout(gate: Gate, shape: str) -> None:
    suite = small_suite(300)
    row = max(suite.split("test")[0].hidden, key=lambda row: len(str(row.input)))
    found = gate.judge(
        proposal(suite, texts={"prompt act": shape.format(row.input[0])}), ComparisonPlan(run=_fair_jobs)
    )
    assert found.refused and found.state.alpha == 0.0
    assert suite.split("test")[0].id in found.refused


def test_what_is_refused_untested_uses_no_error_level(gate: Gate) -> None:
    suite = small_suite(300)
    text = max((str(row.input[0]) for row in suite.split("gate")[0].hidden), key=len)
    gate.decisions.save_finding(gate.judge(proposal(suite, texts={"prompt act": text}), ComparisonPlan(run=_fair_jobs)))
    assert gate.decisions.next_level(suite.digest)[0] == 1
    assert [one.verdict for one in gate.decisions.list_verdicts()] == ["reject"]


def test_a_cheaper_variant_that_gives_up_tasks_is_not_accepted(gate: Gate) -> None:
    def gives_up(jobs: list[Job[Task]]) -> list[EpisodeRecord]:
        return [
            _record(job, job.arm == "parent" or int(job.task.id[-2:]) % 5 > 0, 100 if job.arm == "parent" else 50)
            for job in jobs
        ]

    found = gate.judge(proposal(small_suite(300)), ComparisonPlan(run=gives_up))
    assert found.state.tally.wins > 3 * found.state.tally.losses
    assert not found.accepted and "fewer" in found.state.reason


def test_a_variant_that_fails_where_it_would_lose_is_not_accepted(gate: Gate) -> None:
    def faults(jobs: list[Job[Task]]) -> list[EpisodeRecord]:
        records = [_fair(job) for job in jobs]
        return [
            replace(one, status="fault", verified=False, steps=()) if one.variant == "new" and not one.verified else one
            for one in records
        ]

    found = gate.judge(proposal(small_suite(300)), ComparisonPlan(run=faults))
    assert found.state.tally.wins > 0 and found.state.tally.losses == 0
    assert not found.accepted


def test_a_budget_that_ends_leaves_the_verdict_open(gate: Gate) -> None:
    def two_chunks(jobs: list[Job[Task]]) -> list[EpisodeRecord]:
        left.pop()
        return _fair_jobs(jobs)

    left = [1, 1]

    def run(jobs: list[Job[Task]]) -> list[EpisodeRecord]:
        if not left:
            raise EpisodeOverBudget
        return two_chunks(jobs)

    found = gate.judge(proposal(small_suite(300)), ComparisonPlan(run=run, batch=2))
    assert (found.state.verdict, len(found.pairs)) == ("undecided", 4)
    assert found.planned == 60 and found.state.reason.endswith("the budget for this judgement ended")


def _fair_jobs(jobs: list[Job[Task]]) -> list[EpisodeRecord]:
    return [_fair(job) for job in jobs]


def test_breaking_off_what_goes_badly_gives_no_level_back(gate: Gate) -> None:
    """Whoever breaks off and proposes anew, again and again, is tested ever more strictly."""

    def breaks_off(jobs):
        raise KeyboardInterrupt

    suite, levels = small_suite(40), []
    for number in range(4):
        levels.append(gate.decisions.next_level(suite.digest)[1])
        with pytest.raises(KeyboardInterrupt):
            gate.judge(proposal(suite, run=f"r{number}"), ComparisonPlan(run=breaks_off))
    assert levels[3] < levels[0] / 4
    # Going on with one of them takes nothing more.
    with pytest.raises(KeyboardInterrupt):
        gate.judge(proposal(suite, run="r0"), ComparisonPlan(run=breaks_off))
    assert gate.decisions.next_level(suite.digest)[0] == 5


def by_a_check(task: Task) -> Task:
    """The same problem as work in a folder."""
    work = FolderWork(folder="/", check=f"python3 test_{task.id}.py")
    return replace(task, examples=(), hidden=(), work=work)


def test_what_can_only_be_checked_is_left_out_and_counted(gate: Gate) -> None:
    suite = small_suite(60)
    folders = {task.id for task in suite.split("gate")[::2]}
    mixed = Suite(name="mixed", tasks=tuple(by_a_check(one) if one.id in folders else one for one in suite.tasks))
    assert {one.id for one in mixed.split("gate")} == {one.id for one in suite.split("gate")}
    finding = gate.judge(proposal(mixed), ComparisonPlan(run=_solves_more))
    assert finding.pairs and not folders & {pair.task for pair in finding.pairs}
    assert finding.state.reason.endswith(f"{len(folders)} tasks that can only be checked are left out")


def test_a_suite_that_can_only_be_checked_is_not_judged(gate: Gate) -> None:
    suite = Suite(name="folders", tasks=tuple(map(by_a_check, small_suite(20).tasks)))
    finding = gate.judge(proposal(suite), ComparisonPlan(run=_solves_more))
    assert not finding.accepted and not finding.pairs
    assert "gate tasks can only be checked, which proves nothing" in finding.state.reason


def test_a_record_that_is_only_checked_wins_nothing(gate: Gate) -> None:
    def claims(jobs: Sequence[Job[Task]]) -> list[EpisodeRecord]:
        return [replace(one, verified=False, checked=one.verified) for one in _solves_more(jobs) if one is not None]

    finding = gate.judge(proposal(small_suite(40)), ComparisonPlan(run=claims))
    assert not finding.accepted and finding.state.tally.wins == 0

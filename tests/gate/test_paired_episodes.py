"""Pairs of episodes: who wins, in which order they run, and when to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.core.episodes import Action, Cost, EpisodeRecord, Judgement, Status, Step
from evolve.trials.gate import (
    ArmComparison,
    EpisodeOverBudget,
    Job,
    PairedRunner,
    Tally,
    one_per_group,
    paired_outcome,
    run_serially,
)


@dataclass(frozen=True)
class SmallTask:
    id: str
    group: str


SUBMITTED = (Step(number=1, action=Action(kind="code"), judgement=Judgement(accepted=True, verified=True, rows=3)),)


def episode(
    task: str = "t",
    *,
    variant: str = "v",
    status: Status = "solved",
    candidates: int = 100,
    tokens: int = 0,
    work: int = 0,
) -> EpisodeRecord:
    return EpisodeRecord(
        episode=f"{task}-{variant}",
        run="run",
        task=task,
        suite="suite",
        group=f"group of {task}",
        split="gate",
        variant=variant,
        seed=0,
        status=status,
        verified=status == "solved",
        answer="",
        steps=SUBMITTED if status == "solved" else (),
        cost=Cost(candidates=candidates, tokens=tokens, work=work),
    )


def tasks(count: int) -> list[SmallTask]:
    return [SmallTask(f"t{number:03d}", f"group of t{number:03d}") for number in range(count)]


@pytest.mark.parametrize(
    ("parent", "variant", "outcome"),
    [
        (episode(status="unsolved"), episode(status="solved"), "win"),
        (episode(status="solved"), episode(status="budget"), "loss"),
        (episode(status="unsolved"), episode(status="refused", candidates=1), "tie"),
        (episode(candidates=100), episode(candidates=80), "win"),
        (episode(candidates=100), episode(candidates=81), "tie"),
        (episode(candidates=80), episode(candidates=100), "loss"),
        (episode(candidates=0, tokens=100), episode(candidates=0, tokens=50), "win"),
        (episode(candidates=0), episode(candidates=0), "tie"),
        # Work decides before candidates, as a share of what the whole answer costs.
        (episode(work=1_000_000), episode(work=760_000), "win"),
        (episode(work=760_000), episode(work=1_000_000), "loss"),
        (episode(work=1_000_000), episode(work=780_000), "tie"),
        (episode(work=40_000, candidates=400), episode(work=20_000, candidates=20), "tie"),
        (episode(work=0, candidates=400), episode(work=20_000, candidates=20), "win"),  # of an earlier version
        (episode(work=40_000, candidates=400), episode(candidates=0), "tie"),  # known, which spares little here
        (episode(work=400_000, candidates=4_000), episode(candidates=0), "win"),
        # Where a model was asked its tokens decide, also where a search went on beside it.
        (episode(candidates=0, tokens=900), episode(candidates=3_000, work=300_000, tokens=500), "win"),
        (episode(candidates=9_000, work=9**6, tokens=500), episode(candidates=3_000, work=9**5, tokens=900), "loss"),
        (episode(status="fault"), episode(status="solved"), "void"),
        (episode(status="fault"), episode(status="fault"), "void"),
        (episode(status="solved"), episode(status="interrupted"), "withheld"),
        (episode(status="unsolved", candidates=9), episode(status="solved", candidates=9_000), "win"),
    ],
)
def test_solving_decides_first_then_a_fifth_of_the_cost(
    parent: EpisodeRecord, variant: EpisodeRecord, outcome: str
) -> None:
    assert paired_outcome(parent, variant) == outcome


records = st.builds(
    lambda status, candidates, work: episode(status=status, candidates=candidates, work=work),
    st.sampled_from(["solved", "unsolved", "budget", "refused", "fault"]),
    st.integers(0, 1000),
    st.integers(0, 2_000_000),
)


@pytest.mark.slow
@settings(max_examples=150)
@given(records, records)
def test_swapping_the_arms_swaps_win_and_loss(one: EpisodeRecord, other: EpisodeRecord) -> None:
    mirror = {"win": "loss", "loss": "win", "tie": "tie"}
    outcome = paired_outcome(one, other)
    if outcome in mirror:
        assert paired_outcome(other, one) == mirror[outcome]
    else:
        assert "fault" in (one.status, other.status)


def test_an_answer_that_was_not_verified_is_not_solved() -> None:
    unverified = EpisodeRecord(**{**episode().__dict__, "verified": False})
    assert paired_outcome(unverified, episode()) == "win"


def test_records_of_different_tasks_are_no_pair() -> None:
    with pytest.raises(ValueError):
        paired_outcome(episode("a"), episode("b"))


def test_one_task_stands_for_its_group() -> None:
    listed = [SmallTask("b", "g"), SmallTask("a", "g"), SmallTask("c", "h")]
    assert one_per_group(listed) == [SmallTask("a", "g"), SmallTask("c", "h")]


def run_better(task: SmallTask, variant: str, seed: int) -> EpisodeRecord:
    return episode(task.id, variant=variant, candidates=10 if variant == "new" else 100)


def run_solving_more(task: SmallTask, variant: str, seed: int) -> EpisodeRecord:
    return episode(task.id, variant=variant, status="solved" if variant == "new" else "unsolved")


def test_a_clear_winner_is_accepted_without_running_every_task() -> None:
    done = PairedRunner(run=run_serially(run_solving_more)).compare(tasks(60), parent="old", variant="new")
    assert done.state.verdict == "accept"
    assert len(done.pairs) == 7
    assert done.cost == Cost(candidates=7 * 200)


def test_a_cheaper_variant_is_accepted_once_it_is_shown_that_it_solves_as_many() -> None:
    done = PairedRunner(run=run_serially(run_better)).compare(tasks(60), parent="old", variant="new")
    assert (done.state.verdict, len(done.pairs)) == ("accept", 25)
    few = PairedRunner(run=run_serially(run_better)).compare(tasks(9), parent="old", variant="new")
    assert (few.state.verdict, len(few.pairs)) == ("accept", 9)


def test_a_variant_cheaper_in_most_pairs_and_dearer_on_the_whole_is_not_accepted() -> None:
    def run(task: SmallTask, variant: str, seed: int) -> EpisodeRecord:
        dear = int(task.id[1:]) % 5 == 0
        return episode(task.id, variant=variant, candidates=100 if variant == "old" else 5000 if dear else 79)

    done = PairedRunner(run=run_serially(run)).compare(tasks(60), parent="old", variant="new")
    assert done.state.wealth > 1 / done.state.alpha
    assert done.state.verdict == "reject" and "times as much" in done.state.reason


def test_the_verdict_does_not_depend_on_how_many_pairs_run_at_once() -> None:
    def run(task: SmallTask, variant: str, seed: int) -> EpisodeRecord:
        lucky = int(task.id[1:]) % 4 != 0
        return episode(task.id, variant=variant, candidates=10 if lucky == (variant == "new") else 100)

    seen = []
    for batch in (1, 3, 8, 100):
        done = PairedRunner(run=run_serially(run), batch=batch).compare(tasks(60), parent="old", variant="new")
        seen.append(([pair.task for pair in done.pairs], done.state))
        assert done.cost.candidates >= 110 * len(done.pairs)
    assert all(one == seen[0] for one in seen)


def test_arms_take_turns_and_see_the_same_task_and_seed() -> None:
    batches: list[list[Job[SmallTask]]] = []

    def run(jobs: Sequence[Job[SmallTask]]) -> list[EpisodeRecord]:
        batches.append(list(jobs))
        return [episode(job.task.id, variant=job.variant, status="unsolved") for job in jobs]

    PairedRunner(run=run, batch=2, seed=7).compare(tasks(30), parent="old", variant="new")
    assert len(batches) > 3
    assert [[job.arm for job in jobs] for jobs in batches] == [["parent", "variant", "variant", "parent"]] * len(
        batches
    )
    for jobs in batches:
        for first, second in zip(jobs[::2], jobs[1::2], strict=True):
            assert (first.task, first.seed) == (second.task, 7)


def test_the_order_is_shuffled_by_the_seed_alone() -> None:
    def order(seed: int, listed: list[SmallTask]) -> list[str]:
        runner = PairedRunner(run=run_serially(run_better), seed=seed)
        return [pair.task for pair in runner.compare(listed, parent="old", variant="new").pairs]

    assert order(1, tasks(60)) == order(1, tasks(60)[::-1])
    assert order(1, tasks(60)) != order(2, tasks(60))
    assert order(1, tasks(60)) != sorted(order(1, tasks(60)))


def test_too_few_tasks_leave_it_undecided_with_a_prediction() -> None:
    done = PairedRunner(run=run_serially(run_better)).compare(tasks(5), parent="old", variant="new")
    assert done.state.verdict == "undecided"
    assert done.state.further is not None and done.state.further >= 2
    assert done.state.stop


def test_faults_do_not_count_for_either_side() -> None:
    def run(task: SmallTask, variant: str, seed: int) -> EpisodeRecord:
        return episode(task.id, variant=variant, status="fault" if variant == "old" else "solved")

    done = PairedRunner(run=run_serially(run)).compare(tasks(30), parent="old", variant="new")
    assert done.state.tally == Tally(void=len(done.pairs))
    assert done.state.verdict == "undecided"
    assert done.state.wealth == 1.0


def test_no_tasks_decide_nothing() -> None:
    done = PairedRunner(run=run_serially(run_better)).compare([], parent="old", variant="new")
    assert (done.state.verdict, done.pairs) == ("undecided", ())


def test_a_variant_is_not_compared_with_itself() -> None:
    with pytest.raises(ValueError):
        PairedRunner(run=run_serially(run_better)).compare(tasks(2), parent="old", variant="old")
    with pytest.raises(ValueError):
        PairedRunner(run=run_serially(run_better), batch=0).compare(tasks(2), parent="old", variant="new")


def chancy(luck: str) -> Callable[[SmallTask, str, int], EpisodeRecord]:
    """Solves by a coin that task and variant alone decide."""

    def run(task: SmallTask, variant: str, seed: int) -> EpisodeRecord:
        solved = sha256(f"{luck}:{task.id}:{variant}".encode()).digest()[0] % 3 > 0
        return episode(task.id, variant=variant, status="solved" if solved else "unsolved")

    return run


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 25), st.integers(1, 30), st.text("ab", max_size=4), st.integers(0, 9))
def test_an_estimate_tries_every_task_in_the_same_order_whatever_the_batch(
    count: int, batch: int, luck: str, seed: int
) -> None:
    def pairs(size: int) -> list[tuple[str, str]]:
        runner = PairedRunner(run=run_serially(chancy(luck)), test=None, batch=size, seed=seed)
        done = runner.compare(tasks(count), parent="old", variant="new")
        assert (done.planned, len(done.pairs), done.ended, done.state.verdict) == (count, count, False, "undecided")
        return [(pair.task, pair.outcome) for pair in done.pairs]

    assert pairs(batch) == pairs(1)


def test_an_estimate_does_not_stop_at_what_a_test_would_call_decided() -> None:
    done = PairedRunner(run=run_serially(run_solving_more), test=None).compare(tasks(60), parent="old", variant="new")
    assert len(done.pairs) == 60 and done.state.tally == Tally(wins=60)


def test_a_budget_that_ends_leaves_all_comparisons_about_as_far_and_each_says_so() -> None:
    affordable = 30

    def run(jobs: Sequence[Job[SmallTask]]) -> list[EpisodeRecord]:
        nonlocal affordable
        affordable -= len(jobs)
        if affordable < 0:
            raise EpisodeOverBudget
        return [episode(job.task.id, variant=job.variant) for job in jobs]

    contests = [ArmComparison(parent=f"without {item}", variant="whole", tasks=tasks(20)) for item in "abc"]
    found = PairedRunner(run=run, test=None, batch=2).compare_each(contests)
    assert [len(one.pairs) for one in found] == [6, 4, 4]
    assert all(one.ended and one.planned == 20 for one in found)


def test_a_void_pair_is_no_row_and_a_fault_of_the_variant_alone_is_a_task_it_did_not_solve() -> None:
    def run(task: SmallTask, variant: str, seed: int) -> EpisodeRecord:
        fault = {"t000": "old", "t001": "new"}.get(task.id) == variant
        return episode(task.id, variant=variant, status="fault" if fault else "solved")

    done = PairedRunner(run=run_serially(run), test=None).compare(tasks(3), parent="old", variant="new")
    rows = {pair.task: pair.estimate_row for pair in done.pairs}
    assert rows["t000"] is None
    assert rows["t001"] is not None and (rows["t001"].parent_solved, rows["t001"].variant_solved) == (True, False)

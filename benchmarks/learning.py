"""Does learning help? Trains on one half of a suite's groups and reports the other half, frozen.

For each split the learner practises for two rounds as the product does: search on the examples,
acceptance on the verify rows with three submissions, reflection by ablation into insights, skills
from verified answers, a guide fitted to insights and dreams. Then every arm tries each held-out
task once, with one submission, at the whole budget; what a smaller budget would have
solved follows from the number of candidates at which the answer was found.

By default answers and their ablations are evaluated with the search's own operations instead of
running their Python in the sandbox, and a skill is admitted when it passes unseen verify rows and
is new; ``--sandbox`` uses the sandbox and the full admission. Which one was used stands in the
file under ``settings``. The arm ``guide+library`` is the learned one. The arm
``unlearned-total`` has the budget of one task plus an equal share of all candidates the learner
spent on practice and dreams.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import figures
from benchmarks.attempts import row_of
from benchmarks.judging import HostJudge, Judge, SandboxJudge
from benchmarks.learner import ARMS, Course, Learned, practise, solver_of
from benchmarks.record import Outcome, common_options, progress, publish
from benchmarks.suites import suite_of
from benchmarks.targets import Kind, targets_of
from evolve.core.ledger import parse_budget
from evolve.tasks import BUILTIN, Suite, Task

QUICK_TASKS = 48
QUICK_BUDGET = 5_000
QUICK_DREAMS = 300


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One run of the benchmark.

    Attributes:
        tasks: How many tasks of the suite are used; None for all.
    """

    suite: str
    budget: int
    seeds: int
    quick: bool = False
    sandbox: bool = False
    workers: int = 2
    tasks: int | None = None
    arms: tuple[str, ...] = ARMS

    @property
    def dreams(self) -> int | None:
        return QUICK_DREAMS if self.quick else None


@dataclass(frozen=True, kw_only=True)
class ArmJob:
    """The held-out tasks of one split for one arm; ``unlearned`` brings ``unlearned-total`` along."""

    arm: str
    learned: Learned
    tasks: tuple[Task, ...]
    sandbox: bool
    total: bool = False


def halves(tasks: Sequence[Task], seed: int) -> tuple[tuple[Task, ...], tuple[Task, ...]]:
    """Practice and held-out tasks, in the order given; no group is in both."""
    groups = sorted({task.group for task in tasks})
    random.Random(f"split:{seed}").shuffle(groups)
    practised = set(groups[: len(groups) // 2])
    train = tuple(task for task in tasks if task.group in practised)
    return train, tuple(task for task in tasks if task.group not in practised)


def run(plan: Plan) -> Outcome:
    """Runs the whole benchmark."""
    suite = suite_of(plan.suite, n=plan.tasks)
    rows: list[dict[str, Any]] = []
    with _pool(plan.workers) as submit:
        pending: dict[Future[Any], str] = {}
        held: dict[int, tuple[Task, ...]] = {}
        for seed in range(plan.seeds):
            course, held[seed] = _course(plan, suite, seed)
            pending[submit(_practise, course, plan.sandbox)] = f"split {seed}: practice"
        while pending:
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                name = pending.pop(future)
                found = future.result()
                if isinstance(found, Learned):
                    rows += found.rows
                    for job in _jobs(plan, found, held[found.course.seed]):
                        pending[submit(_run_arm, job)] = f"split {found.course.seed}: {job.arm}"
                else:
                    rows += found
                progress(f"{name}: {_said(found)}; {len(pending)} to go")
    rows.sort(key=lambda row: (row["seed"], row["split"], _arm_order(row["arm"]), row["task"], row["budget"]))
    kind = kind_of(suite)
    return Outcome(
        benchmark="learning",
        seeds=plan.seeds,
        quick=plan.quick,
        rows=rows,
        targets=targets_of(rows, kind, generated=_is_builtin(suite)),
        settings={
            "suite": label(plan.suite),
            "kind": kind,
            "suite_digest": suite.digest,
            "tasks": len(suite.tasks),
            "budget": plan.budget,
            "answers_run_in": "sandbox" if plan.sandbox else "host",
        },
    )


def label(suite: str) -> str:
    """What a suite is called in results: a file by its own name and its folder's, without the way there."""
    return "/".join(Path(suite).parts[-2:])


def _course(plan: Plan, suite: Suite, seed: int) -> tuple[Course, tuple[Task, ...]]:
    train, test = halves(suite.tasks, seed)
    size = {} if plan.dreams is None else {"dreams": plan.dreams}
    return Course(suite=label(plan.suite), tasks=train, budget=plan.budget, seed=seed, **size), test


def _jobs(plan: Plan, learned: Learned, tasks: tuple[Task, ...]) -> Iterator[ArmJob]:
    total = "unlearned-total" in plan.arms
    for arm in plan.arms:
        if arm != "unlearned-total":
            extra = total and arm == "unlearned"
            yield ArmJob(arm=arm, learned=learned, tasks=tasks, sandbox=plan.sandbox, total=extra)


def _judge(sandbox: bool) -> Judge:
    if not sandbox:
        return HostJudge()
    from evolve.runtime.sandbox import open_sandbox
    from evolve.workspace.opening import cache_folder

    return SandboxJudge(open_sandbox(cache_dir=cache_folder()))


def _practise(course: Course, sandbox: bool) -> Learned:
    return practise(course, _judge(sandbox))


def _run_arm(job: ArmJob) -> list[dict[str, Any]]:
    """Every held-out task once."""
    course = job.learned.course
    solver = solver_of(job.arm, job.learned, _judge(job.sandbox))
    total = course.budget + job.learned.candidates // max(1, len(job.tasks))
    rows = []
    for task in job.tasks:
        where = {"suite": course.suite, "split": "test", "seed": course.seed}
        row = row_of(solver.attempt(task, course.budget), solver, arm=job.arm, budget=course.budget, **where)
        rows.append(row)
        if not job.total:
            continue
        if row["cost"] < course.budget:
            # It ended before the budget did: a larger one changes nothing.
            rows.append({**row, "arm": "unlearned-total", "budget": total})
        else:
            rows.append(row_of(solver.attempt(task, total), solver, arm="unlearned-total", budget=total, **where))
    return rows


@contextmanager
def _pool(workers: int) -> Iterator[Any]:
    """Something to submit work to: processes of their own, or for one worker this one."""
    if workers < 2:
        yield _run_here
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as executor:
        yield executor.submit


def _run_here(function: Any, *arguments: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(function(*arguments))
    return future


def _arm_order(arm: str) -> tuple[int, str]:
    return (ARMS.index(arm), "") if arm in ARMS else (-1, arm)


def _said(found: Learned | list[dict[str, Any]]) -> str:
    if isinstance(found, Learned):
        solved = sum(row["solved"] for row in found.rows)
        return f"{solved} of {len(found.rows)} attempts right, {len(found.skills)} skills of use"
    return f"{sum(row['solved'] for row in found)} of {len(found)} right"


def _is_builtin(suite: Suite) -> bool:
    return suite.name in {one.name for one in BUILTIN}


def kind_of(suite: Suite) -> Kind:
    """What to expect of a suite: a built-in one by its name, another by what its tasks are about."""
    if _is_builtin(suite):
        return "lists" if suite.name == "lists" else "composed" if suite.name == "composed" else "columns"
    about_lists = sum(isinstance(task.examples[0].input[0], list) for task in suite.tasks if task.examples[0].input)
    return "lists" if 2 * about_lists > len(suite.tasks) else "columns"


def table(outcome: Outcome) -> str:
    """The figures for a terminal."""
    budget = outcome.settings["budget"]
    lines = [
        f"{outcome.settings['suite']}: {outcome.seeds} splits, {budget:,} candidates,"
        f" answers run in the {outcome.settings['answers_run_in']}",
        f"{'arm':<17}{'tasks':>6}{'groups':>7}{'at 300':>8}{'solved':>8}{'claimed':>8}{'wrong':>6}"
        f"{'candidates':>13}{'CPU s':>8}  candidates / unlearned",
    ]
    for arm in ARMS:
        one = figures.arm_figures(outcome.rows, arm)
        if one.tasks:
            ratio = figures.candidate_ratio(outcome.rows, figures.BASE, arm)
            lines.append(
                f"{arm:<17}{one.tasks:>6}{one.groups:>7}{one.solved_interactive:>8}{one.solved:>8}{one.claimed:>8}"
                f"{one.wrong:>6}{one.candidates:>13,}{one.cpu_s:>8.1f}  {shown(ratio.value, ratio.low, ratio.high)}"
            )
    lines += [
        f"{'met   ' if target.met else 'MISSED'}  {target.name}: {shown(target.value, target.low, target.high)}"
        f" (n {target.n}); target {target.op} {target.target:g}"
        for target in outcome.targets
    ]
    return "\n".join(lines)


def shown(value: float | None, low: float | None, high: float | None) -> str:
    """A figure with its interval."""
    if value is None:
        return "not measured"
    return f"{value:.3g}" if low is None or high is None else f"{value:.3g} [{low:.3g}, {high:.3g}]"


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--suite", default="everyday", help="a built-in suite or a task file")
    parser.add_argument("--budget", default="50k-candidates", help="of one attempt, such as 50k-candidates")
    parser.add_argument(
        "--sandbox", action="store_true", help="run every answer in the sandbox and admit skills in full"
    )
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--tasks", type=int, help="use only so many tasks of the suite")
    parser.add_argument("--arms", help=f"only these, separated by commas: {', '.join(ARMS)}")
    common_options(parser, seeds=3)
    options = parser.parse_args(argv)
    candidates = parse_budget([options.budget]).candidates
    if candidates is None:
        parser.error("--budget must be a number of candidates")
    arms = tuple(options.arms.split(",")) if options.arms else ARMS
    if not set(arms) <= set(ARMS):
        parser.error(f"--arms: known arms are {', '.join(ARMS)}")
    plan = Plan(
        suite=options.suite,
        budget=min(candidates, QUICK_BUDGET) if options.quick else candidates,
        seeds=1 if options.quick else options.seeds,
        quick=options.quick,
        sandbox=options.sandbox,
        workers=options.workers,
        tasks=options.tasks or (QUICK_TASKS if options.quick else None),
        arms=arms,
    )
    outcome = run(plan)
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()

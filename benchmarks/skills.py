"""Do admitted skills help, and more than keeping every solution? Held-out tasks after more and more practice.

For each suite and split the groups are halved. One half is practised on, the other is held out. Three libraries grow:

- ``none``: no skill.
- ``kept``: the answer to every practised task that fits the task's examples becomes a skill, right or wrong elsewhere.
- ``admitted``: what the product proposes to its gate, of verified answers and their parts: all where many of these
  served another task, else those that serve often.

No arm has a guide or insights, so they differ in their skills alone. After each share of the practice tasks every arm
tries each held-out task once. ``--sandbox`` admits by the whole pipeline and runs every answer as Python.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks import figures
from benchmarks.attempts import Solver, row_of
from benchmarks.judging import HostJudge, Judge
from benchmarks.learner import SUBMISSIONS, Course, practise
from benchmarks.learning import halves, shown
from benchmarks.record import Outcome, Target, against, common_options, progress, publish
from benchmarks.suites import suite_of
from evolve.core.episodes import Judgement
from evolve.core.errors import UsageError
from evolve.improve.session import BATCH
from evolve.policies.search import SearchPolicy
from evolve.skills import Skill
from evolve.tasks import Task

SUITES = ("everyday", "lists", "tables", "composed")
ARMS = ("none", "kept", "admitted")
SHARES = (0.25, 0.5, 1.0)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One run of the benchmark.

    Attributes:
        budget: Candidates of one attempt.
        tasks: How many tasks of each suite are used; None for all.
        shares: Shares of the practice tasks after which the held-out ones are tried, in rising order; the last is 1.
    """

    budget: int
    seeds: int
    suites: Sequence[str] = SUITES
    tasks: int | None = None
    shares: Sequence[float] = SHARES


def every_solution(course: Course, judge: Judge) -> tuple[Skill, ...]:
    """A skill of each answer that fits the examples; each is on offer from the next batch of tasks on."""
    library: list[Skill] = []
    for place, task in enumerate(sorted(course.tasks, key=lambda task: int(task.meta.get("stage", 0)))):
        if place % BATCH == 0:
            solver = Solver(policy=SearchPolicy(library=tuple(library)), judge=judge)
        library += [one for one in _solution(solver, task, course.budget) if one.entry not in _entries(library)]
    return tuple(library)


def _solution(solver: Solver, task: Task, budget: int) -> Iterator[Skill]:
    """The last answer to a task, if it fits the examples, as if rows that it never saw had verified it."""
    attempt = solver.attempt(task, budget, submissions=SUBMISSIONS)
    fits = [step for step in attempt.steps if step.judgement is not None]
    if fits:
        taken = replace(fits[-1], judgement=Judgement(accepted=True, verified=True, rows=0))
        for draft in solver.policy.distill(attempt.view, (*fits[:-1], taken)):
            if draft.arguments:  # a part of an answer is no solution
                continue
            try:
                yield Skill.from_draft(draft)
            except UsageError:
                continue


def _entries(library: Sequence[Skill]) -> set[str]:
    return {skill.entry for skill in library}


def run(plan: Plan, judge: Judge) -> list[dict[str, Any]]:
    """A row for every held-out task of every suite, split, share and arm."""
    rows: list[dict[str, Any]] = []
    for name in plan.suites:
        suite = suite_of(name, n=plan.tasks)
        for seed in range(plan.seeds):
            train, test = halves(suite.tasks, seed)
            for share in plan.shares:
                course = Course(suite=name, tasks=_first(train, share), budget=plan.budget, seed=seed, dreams=0)
                libraries = {"none": (), "kept": every_solution(course, judge)}
                libraries["admitted"] = _admitted(course, judge)
                where = {"suite": name, "split": "test", "seed": seed, "budget": plan.budget}
                for arm, library in libraries.items():
                    solver = Solver(policy=SearchPolicy(library=library), judge=judge)
                    found = [row_of(solver.attempt(task, plan.budget), solver, arm=arm, **where) for task in test]
                    rows += [{**row, "practised": share, "skills": len(library)} for row in found]
                progress(f"{name}, split {seed}, {share:.0%} practised: {_said(rows[-len(test) * len(ARMS) :])}")
    return rows


def _first(tasks: Sequence[Task], share: float) -> tuple[Task, ...]:
    """The first tasks of each suite in an order that does not go by family."""
    spread = sorted(tasks, key=lambda task: task.id[::-1])
    return tuple(spread[: max(1, round(share * len(spread)))])


def _admitted(course: Course, judge: Judge) -> tuple[Skill, ...]:
    return practise(course, judge).skills


def _said(rows: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(f"{arm} {figures.arm_figures(rows, arm).solved}" for arm in ARMS)


def targets_of(rows: Sequence[Mapping[str, Any]], suites: Sequence[str]) -> list[Target]:
    """Admitted solves at least as much as either other arm in every suite, after all practice."""
    whole = [row for row in rows if row["practised"] == 1.0]
    found = []
    for name in suites:
        mine = [row for row in whole if row["suite"] == name]
        for other in ("none", "kept"):
            gain = figures.solved_gain(mine, other, "admitted")
            found.append(against(f"{name}: share solved, admitted - {other}", gain, ">=", 0.0))
    every = figures.solved_gain(whole, "none", "admitted")
    return [*found, against("all suites: share solved, admitted - none", every, "low >", 0.0)]


def summary(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """A heading, then a row for each suite, share and arm."""
    yield ("suite", "budget", "practised", "arm", "skills", "tasks", "solved", "wrong", "candidates / none")
    for name, share in dict.fromkeys((row["suite"], row["practised"]) for row in rows):
        mine = [row for row in rows if (row["suite"], row["practised"]) == (name, share)]
        for arm in ARMS:
            one, ratio = figures.arm_figures(mine, arm), figures.candidate_ratio(mine, "none", arm)
            skills = max((row["skills"] for row in mine if row["arm"] == arm), default=0)
            ratio_told = shown(ratio.value, ratio.low, ratio.high)
            yield (name, mine[0]["budget"], f"{share:.0%}", arm, skills, one.tasks, one.solved, one.wrong, ratio_told)


def table(outcome: Outcome) -> str:
    """The figures for a terminal."""
    lines = ["".join(f"{cell!s:>10}" for cell in cells[:-1]) + f"  {cells[-1]}" for cells in summary(outcome.rows)]
    for target in outcome.targets:
        verdict = "met   " if target.met else "MISSED"
        lines.append(f"{verdict}  {target.name}: {shown(target.value, target.low, target.high)}")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.skills", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--suites", nargs="+", default=SUITES, help="built-in suites")
    parser.add_argument("--budget", type=int, default=20_000, help="candidates of one attempt")
    parser.add_argument("--shares", nargs="+", type=float, default=SHARES, help="shares of the practice; the last is 1")
    parser.add_argument("--sandbox", action="store_true", help="admit skills in full, and run answers in the sandbox")
    common_options(parser, seeds=3)
    options = parser.parse_args(argv)
    quick = {"budget": 3_000, "seeds": 1, "tasks": 30, "shares": (0.5, 1.0)} if options.quick else {}
    chosen = {name: getattr(options, name) for name in ("budget", "seeds", "suites", "shares")}
    plan = Plan(**{**chosen, **quick})
    judge: Judge = HostJudge()
    if options.sandbox:
        from benchmarks.judging import SandboxJudge
        from evolve.runtime.sandbox import open_sandbox
        from evolve.workspace.opening import cache_folder

        judge = SandboxJudge(open_sandbox(cache_dir=cache_folder()))
    rows = run(plan, judge)
    settings = {"budget": plan.budget, "answers_run_in": judge.name, "shares": list(plan.shares)}
    targets = targets_of(rows, plan.suites)
    outcome = Outcome(
        benchmark="skills", seeds=plan.seeds, quick=options.quick, rows=rows, targets=targets, settings=settings
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()

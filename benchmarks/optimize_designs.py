"""Does what a model is told of trials lead it to a better workflow, and is there one to be found?

*Designs*: an agent has one action, and the double that acts needs a second one to mend what the first shows. Searches
have the same budget of tokens: ``linked``, which asks no model; ``adas`` with a double that changes what failed trials
ended by; and the same double where it is told neither how trials ended nor what was tried. *Stages*: what each optional
stage does for the embedded search on two suites, with the limits that the other searches have there. Nothing here says
how well any real model writes workflows.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from benchmarks.doubles import QuirkDouble
from benchmarks.doubles.designing import DesigningDouble, with_stage
from benchmarks.doubles.quirks import quirk_family
from benchmarks.figures import grouped_bootstrap
from benchmarks.learning import shown
from benchmarks.optimize_search import LIMITS, held_out, opened_session
from benchmarks.record import Outcome, Target, against, common_options, progress, publish
from evolve.agent.workflow import KINDS, Workflow
from evolve.core.episodes import Limits
from evolve.core.ledger import Budget
from evolve.core.paths import WorkspacePaths
from evolve.core.settings import load_settings
from evolve.improve.optimization import optimize
from evolve.improve.optimizer.adas import AdasEngine
from evolve.improve.optimizer.engine import Engine, EngineSettings
from evolve.improve.optimizer.leakage import guard_of
from evolve.improve.optimizer.linked import LinkedEngine
from evolve.improve.optimizer.workflow_drafts import Drafter, SearchScope
from evolve.improve.paid import PaidAnswers, PaidDesigner
from evolve.improve.session import BudgetSplit, LoopPlan, split_budget
from evolve.policies.language import EpisodeMeter, LanguageDesigner
from evolve.runtime.models import ModelSetup, open_models
from evolve.tasks import Suite, load_suite
from evolve.testing import LocalWire
from evolve.testing.endpoint_faults import chat_completion_body
from evolve.trials.gate import ConfidenceInterval
from evolve.trials.learner import Learner
from evolve.workspace.language import LanguageLearner

ARMS = ("linked", "adas", "adas, told nothing")
BUDGET, SEEDS = 500_000, 6
SUITES = ("everyday", "lists")
START = Workflow().with_knobs(steps=1)
MOST = Limits(candidates=None, seconds=None, tokens=20_000)
USAGE = {"prompt_tokens": 400, "completion_tokens": 60, "total_tokens": 460}
DESIGN_USAGE = {"prompt_tokens": 2_000, "completion_tokens": 300, "total_tokens": 2_300}
_ADDRESS = "http://localhost:1/v1#double"
_TOLD = re.compile(r"How its trials ended:.*|What others came to.*", re.DOTALL)

Rows = Sequence[Mapping[str, Any]]


def rows_of(*, quick: bool, seeds: int) -> Iterator[dict[str, Any]]:
    """Every row."""
    for name in SUITES:
        yield from _stage_rows(name, load_suite(name))
        progress(f"{name}: every stage by itself")
    for seed in range(seeds):
        for arm in ARMS:
            yield (row := design_row(arm, seed, BUDGET // 2 if quick else BUDGET))
            progress(f"seed {seed}, {arm}: gain {row['gain']:+.2f}, {row['reason']}")


def design_row(arm: str, seed: int, budget: int) -> dict[str, Any]:
    """One search from a workflow with one action; the gain is measured on held-out tasks."""
    jobs = quirk_family("dates", 70, seed)
    suite = Suite(name="dates", tasks=tuple(job.task for job in jobs))
    double = QuirkDouble(jobs)
    with tempfile.TemporaryDirectory() as folder:
        paths = WorkspacePaths(Path(folder))
        learner = LanguageLearner(
            paths=paths,
            settings=load_settings(paths.root),
            model=_ADDRESS,
            wire=lambda _: LocalWire(lambda body: chat_completion_body(double.answer(body), usage=USAGE)),
        )
        plan, acting = LoopPlan(rounds=1, seed=seed, limits=MOST), cast(Learner, learner)
        with opened_session(suite, Budget(tokens=budget), plan, learner=acting, workflow=START) as session:
            parts = split_budget(session)
            report = optimize(parts, _engine(arm, parts, seed), {})
            learner.close()
            screened = [one for one in session.stores.runs.episodes() if one.split == "screen"]
            return {
                "measure": "design",
                "arm": arm,
                "seed": seed,
                "tried": report.tried,
                "judged": report.judged,
                "accepted": len(report.changes),
                "gain": sum(change.solved.value or 0.0 for change in report.changes),
                "screened": len(screened),
                "tokens": report.spent.tokens,
                "reason": report.finish_reason,
            }


def _engine(arm: str, parts: BudgetSplit, seed: int) -> Engine:
    settings, scope = EngineSettings(seed=seed, only="workflow"), SearchScope(policy="language:double", limits=MOST)
    if arm == "linked":
        return LinkedEngine(settings=settings, scope=scope)

    def answer(body: Mapping[str, Any]) -> Any:
        if arm == ARMS[2]:
            told = [{**one, "content": _TOLD.sub("", one["content"])} for one in body["messages"]]
            body = {**body, "messages": told}
        return chat_completion_body(DesigningDouble().answer(body), usage=DESIGN_USAGE)

    meter = EpisodeMeter()
    setup = ModelSetup(model=_ADDRESS, environ={}, meter=meter, wire=lambda _: LocalWire(answer))
    paid = PaidAnswers(meter, parts.search.ledger, parts.search.step_log)
    designer = PaidDesigner(designer=LanguageDesigner(models=open_models(setup)), paid=paid)
    guard = guard_of(parts.whole.suite.tasks)
    return AdasEngine(drafter=Drafter(designer=designer, guard=guard), settings=settings, scope=scope)


def _stage_rows(name: str, suite: Suite) -> Iterator[dict[str, Any]]:
    """The held-out tasks with the shipped workflow, and with each optional stage put in."""
    plain = Workflow().with_knobs(candidates=LIMITS.candidates)
    arms = {"shipped workflow": plain}
    for kind in KINDS:
        serves = not kind.policies or "search" in kind.policies
        if serves and not kind.effect and kind.name not in plain.stages:
            arms[kind.name] = with_stage(plain, kind.name)
    for arm, workflow in arms.items():
        for row in held_out(workflow, suite, seed=0, arm=arm):
            yield {**row, "measure": "stage", "suite": name}


def targets_of(rows: Rows) -> list[Target]:
    """What the rows amount to."""
    return [
        against("adas: share of held-out tasks gained", mean(rows, ARMS[1]), "low >=", 0.5),
        *(
            against(f"gained, adas minus {rival}", mean(rows, ARMS[1], rival), "low >=", 0.0)
            for rival in (ARMS[0], ARMS[2])
        ),
    ]


def mean(rows: Rows, arm: str, rival: str = "") -> ConfidenceInterval:
    """Mean gain of an arm, minus that of a rival at the same seeds, with a bootstrap over seeds."""
    gains = {(row["arm"], row["seed"]): float(row["gain"]) for row in rows if row["measure"] == "design"}
    seeds = sorted(seed for one, seed in gains if one == arm and (not rival or (rival, seed) in gains))
    columns = [(gains[arm, seed] - (gains[rival, seed] if rival else 0.0), 1.0) for seed in seeds]
    return grouped_bootstrap([str(seed) for seed in seeds], columns, lambda sums: sums[:, 0] / sums[:, 1])


def table(outcome: Outcome) -> str:
    """The figures for a terminal."""
    lines = []
    for suite in SUITES:
        held = [row for row in outcome.rows if row["measure"] == "stage" and row["suite"] == suite]
        for arm in dict.fromkeys(row["arm"] for row in held):
            mine = [row for row in held if row["arm"] == arm]
            solved, cost = sum(bool(row["solved"]) for row in mine), sum(int(row["candidates"]) for row in mine)
            lines.append(f"{suite:<10}{arm:<20}{solved} of {len(mine)} solved, {cost:,} candidates")
    for arm in ARMS:
        mine = [row for row in outcome.rows if row["measure"] == "design" and row["arm"] == arm]
        gains = ", ".join(f"{row['gain']:+.2f}" for row in mine)
        lines.append(f"{'dates':<10}{arm:<20}gain {gains}; accepted in {sum(row['accepted'] > 0 for row in mine)}")
    lines += [
        f"{'met   ' if one.met else 'MISSED'}  {one.name}: {shown(one.value, one.low, one.high)} (n {one.n});"
        f" target {one.op} {one.target:g}"
        for one in outcome.targets
    ]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.optimize_designs", description=(__doc__ or "").split("\n")[0]
    )
    common_options(parser, seeds=SEEDS)
    options = parser.parse_args(argv)
    seeds = 1 if options.quick else options.seeds
    rows = list(rows_of(quick=options.quick, seeds=seeds))
    outcome = Outcome(
        benchmark="optimize_designs",
        seeds=seeds,
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows),
        settings={"budget": BUDGET, "suites": list(SUITES), "episode_limit": LIMITS.candidates},
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()

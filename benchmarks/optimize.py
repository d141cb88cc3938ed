"""Does the optimiser find what is better, at the cost at which others do, and does it refuse to be cheated?

*Search*: the embedded policy starts with a workflow that gives up after 100 candidates. The optimiser, random search
and Optuna's TPE turn knobs with the same budget of candidates, and somebody sets one by hand; what each would have
judged tries every held-out group once, outside of the budget. Only scores of screening tasks choose. *Landscapes*:
three of :mod:`benchmarks.landscapes`, at equal numbers of scored workflows. *Cheats*: five optimisers that cheat,
before the real gate. Prompts have a benchmark of their own, :mod:`benchmarks.optimize_prompts`, and so have workflows
that a model writes, :mod:`benchmarks.optimize_designs`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.figures import grouped_bootstrap
from benchmarks.landscapes import BUDGETS, SEEDS
from benchmarks.learning import shown
from benchmarks.optimize_search import HAND, LIMITS, climb, held_out, run_search
from benchmarks.record import Outcome, Target, against, common_options, progress, publish
from evolve.agent.workflow import Workflow
from evolve.tasks import load_suite
from evolve.trials.gate import ConfidenceInterval, clopper_pearson

SUITES = ("everyday", "lists")
SEARCH_SEEDS = 2
SEARCH_BUDGET = 300_000
QUICK_BUDGET = 60_000
MINE = "linked"
RIVALS = ("random search", "tpe")
ARMS = (MINE, *RIVALS, HAND)
PARTS = ("search", "landscapes", "cheats", "prompts")
KNOWN = "shipped workflow"
WORSE = -0.05
"""A difference that is not excluded is one of this size."""

Rows = Sequence[Mapping[str, Any]]


def rows_of(parts: Sequence[str], *, quick: bool, seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Every row of the parts asked for.

    Args:
        seeds: Of the landscapes; the search uses the first of them, the other parts have their own.
    """
    if "search" in parts:
        mine = seeds[: 1 if quick else SEARCH_SEEDS]
        yield from _search_rows(mine, QUICK_BUDGET if quick else SEARCH_BUDGET)
    if "landscapes" in parts:
        for kind in BUDGETS:
            for arm in (MINE, *RIVALS):
                yield from (climb(kind, arm, seed) for seed in seeds)
                progress(f"{kind}, {arm}: {len(seeds)} seeds")
    if "cheats" in parts:
        from benchmarks.doubles.cheating import cheating_optimisers

        with tempfile.TemporaryDirectory() as folder:
            for one in cheating_optimisers(Path(folder)):
                yield {"measure": "cheat", "arm": one.optimiser, "accepted": one.accepted, "unguarded": one.unguarded}
    if "prompts" in parts:
        from benchmarks import optimize_prompts

        yield from optimize_prompts.rows_of(quick=quick, seeds=1 if quick else optimize_prompts.DEFECTS)


def _search_rows(seeds: Sequence[int], budget: int) -> Iterator[dict[str, Any]]:
    for name in SUITES:
        suite = load_suite(name)
        yield from ({"suite": name, **row} for row in held_out(Workflow(), suite, seed=min(seeds), arm=KNOWN))
        for seed, arm in product(seeds, ARMS):
            found = run_search(arm, suite, budget=budget, seed=seed)
            yield {
                "measure": "search",
                "suite": name,
                "arm": arm,
                "seed": seed,
                "spent": found.candidates,
                "tried": found.tried,
                "accepted": found.accepted,
                "reason": found.reason,
                "knobs": found.workflow.as_json()["knobs"],
            }
            rows = held_out(found.workflow, suite, seed=seed, arm=arm)
            yield from ({"suite": name, **row} for row in rows)
            progress(f"{name}, seed {seed}, {arm}: {sum(row['solved'] for row in rows)} of {len(rows)} held-out groups")


def targets_of(rows: Rows) -> list[Target]:
    """What the rows amount to; a part that did not run is not met."""
    prompts: list[Target] = []
    if any(row["measure"] == "defect" for row in rows):
        from benchmarks import optimize_prompts

        prompts = optimize_prompts.targets_of(rows)
    cheats = [row for row in rows if row["measure"] == "cheat"]
    found = {kind: [row for row in rows if row["measure"] == kind and row["arm"] == MINE] for kind in BUDGETS}
    return [
        *(
            against(f"{suite}: groups solved, optimiser minus {rival}", gain(rows, suite, rival), "low >=", WORSE)
            for suite, rival in product(SUITES, ARMS[1:])
        ),
        *(
            against(f"{kind} landscape: best score, optimiser minus {rival}", lead(rows, kind, rival), "low >=", WORSE)
            for kind, rival in product(BUDGETS, RIVALS)
        ),
        *(
            against(
                f"{kind} landscape: optimum reached",
                clopper_pearson(sum(bool(row["found"]) for row in mine), len(mine)),
                ">=",
                0.9,
            )
            for kind, mine in found.items()
        ),
        Target(
            name="cheating optimisers accepted",
            op="<=",
            target=0,
            value=float(sum(row["accepted"] for row in cheats)) if len(cheats) == 5 else None,
            n=len(cheats),
        ),
        *prompts,
    ]


def gain(rows: Rows, suite: str, rival: str) -> ConfidenceInterval:
    """Share of held-out groups that the optimiser's workflow solves minus the rival's, paired by group and seed."""
    held = [row for row in rows if row["measure"] == "held-out" and row["suite"] == suite]
    theirs = {(row["seed"], row["task"]): row for row in held if row["arm"] == rival}
    pairs = [
        (str(row["group"]), float(row["solved"]) - float(theirs[row["seed"], row["task"]]["solved"]))
        for row in held
        if row["arm"] == MINE and (row["seed"], row["task"]) in theirs
    ]
    columns = [(difference, 1.0) for _, difference in pairs]
    return grouped_bootstrap([group for group, _ in pairs], columns, lambda sums: sums[:, 0] / sums[:, 1])


def lead(rows: Rows, kind: str, rival: str) -> ConfidenceInterval:
    """Mean best score of the optimiser minus the rival's on one kind of landscape, paired by seed."""
    best = {(row["arm"], row["seed"]): float(row["best"]) for row in rows if row["measure"] == kind}
    seeds = sorted(seed for arm, seed in best if arm == MINE and (rival, seed) in best)
    columns = [(best[MINE, seed] - best[rival, seed], 1.0) for seed in seeds]
    return grouped_bootstrap([str(seed) for seed in seeds], columns, lambda sums: sums[:, 0] / sums[:, 1])


def summary(rows: Rows) -> Iterator[tuple[Any, ...]]:
    """Arms and what they came to, the head first."""
    yield ("part", "arm", "seeds", "result")
    for suite, arm in product(SUITES, (KNOWN, *ARMS)):
        held = [row for row in rows if row["measure"] == "held-out" and (row["suite"], row["arm"]) == (suite, arm)]
        if held:
            runs = [row for row in rows if row["measure"] == "search" and (row["suite"], row["arm"]) == (suite, arm)]
            cost = f", {max(row['spent'] for row in runs):,} candidates at most" if runs else ""
            solved = sum(bool(row["solved"]) for row in held)
            yield (suite, arm, len({row["seed"] for row in held}), f"{solved} of {len(held)} solved{cost}")
    for kind, arm in product(BUDGETS, (MINE, *RIVALS)):
        mine = [row for row in rows if row["measure"] == kind and row["arm"] == arm]
        if mine:
            best = sum(float(row["best"]) for row in mine) / len(mine)
            found = sorted(int(row["found"]) for row in mine if row["found"])
            middle = f", at {found[len(found) // 2]} in the middle" if found else ""
            yield (kind, arm, len(mine), f"optimum in {len(found)} seeds{middle}, mean best {best:.3f}")
    for row in rows:
        if row["measure"] == "cheat":
            plain = "a plain test accepts it" if row["unguarded"] else "a plain test refuses it too"
            yield ("cheat", row["arm"], 1, f"{'accepted' if row['accepted'] else 'refused'}; {plain}")


def table(outcome: Outcome) -> str:
    """The figures for a terminal."""
    lines = [f"{part!s:<11}{arm!s:<20}{seeds!s:<7}{found}" for part, arm, seeds, found in summary(outcome.rows)]
    lines += [
        f"{'met   ' if one.met else 'MISSED'}  {one.name}: {shown(one.value, one.low, one.high)} (n {one.n});"
        f" target {one.op} {one.target:g}"
        for one in outcome.targets
    ]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.optimize", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part; may be repeated")
    parser.add_argument("--first", type=int, default=0, help="first seed of landscapes and search")
    parser.add_argument("--join", type=Path, action="append", help="take the rows of these files instead of running")
    common_options(parser, seeds=SEEDS)
    options = parser.parse_args(argv)
    number = 2 if options.quick else options.seeds
    rows: list[Mapping[str, Any]] = []
    if options.join:
        for path in options.join:
            rows += json.loads(path.read_text(encoding="utf-8"))["rows"]
    else:
        seeds = range(options.first, options.first + number)
        rows += rows_of(options.part or PARTS[:3], quick=options.quick, seeds=seeds)
    outcome = Outcome(
        benchmark="optimize",
        seeds=len({row["seed"] for row in rows if row["measure"] in BUDGETS}),
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows),
        settings={
            "suites": list(SUITES),
            "search_budget": QUICK_BUDGET if options.quick else SEARCH_BUDGET,
            "episode_limit": LIMITS.candidates,
            "landscape_budgets": BUDGETS,
        },
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()

"""Does the optimiser find what is better, get past what deceives, and refuse to be cheated?

*Search*: the embedded policy starts with a workflow that gives up after 100 candidates. The optimiser, random search
and best of n have the same budget of candidates; what each ends with then tries every held-out group once, outside of
the budget. The best known configuration is the best on held-out tasks of everything tried and of the shipped workflow
at the limit. *Landscapes*: see :mod:`benchmarks.landscapes`. *Cheats*: five optimisers that cheat, before the real
gate. Prompts have a benchmark of their own, :mod:`benchmarks.optimize_prompts`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import grouped_bootstrap
from benchmarks.landscapes import DECEPTIVE_BUDGET, SEEDS, SMOOTH_BUDGET, Kind
from benchmarks.learning import shown
from benchmarks.optimize_search import LIMITS, climb, held_out, run_search
from benchmarks.record import Outcome, Target, against, common_options, progress, publish
from evolve.gate import Interval, clopper_pearson
from evolve.tasks import load_suite
from evolve.workflow import Workflow

SUITE = "everyday"
SEARCH_SEEDS = 3
SEARCH_BUDGET = 300_000
QUICK_BUDGET = 60_000
ARMS = ("optimiser", "random search", "best of n")
PARTS = ("search", "landscapes", "cheats", "prompts")
KINDS: tuple[Kind, ...] = ("smooth", "deceptive")
CLIMBERS = ("archive", "greedy")
KNOWN = "shipped workflow"

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
        for kind in KINDS:
            for arm in CLIMBERS:
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
    suite = load_suite(SUITE)
    yield from held_out(Workflow(), suite, seed=min(seeds), arm=KNOWN)
    for seed in seeds:
        for arm in ARMS:
            found = run_search(arm, suite, budget=budget, seed=seed)
            yield {
                "measure": "search",
                "arm": arm,
                "seed": seed,
                "spent": found.candidates,
                "tried": found.tried,
                "reason": found.reason,
                "knobs": found.workflow.as_json()["knobs"],
                "stages": list(found.workflow.stages),
            }
            rows = held_out(found.workflow, suite, seed=seed, arm=arm)
            yield from rows
            progress(f"search, seed {seed}, {arm}: {sum(row['solved'] for row in rows)} of {len(rows)} held-out groups")


def targets_of(rows: Rows) -> list[Target]:
    """What the rows amount to; a part that did not run is not met."""
    prompts: list[Target] = []
    if any(row["measure"] == "defect" for row in rows):
        from benchmarks import optimize_prompts

        prompts = optimize_prompts.targets_of(rows)
    deceptive = {arm: _found(rows, "deceptive", arm) for arm in ("archive", "greedy")}
    cheats = [row for row in rows if row["measure"] == "cheat"]
    return [
        against("held-out score over that of the best known configuration", recovered(rows), ">=", 0.9),
        against("groups solved, optimiser minus random search", gain(rows, "random search"), "low >", 0.0),
        against("groups solved, optimiser minus best of n", gain(rows, "best of n"), "low >", 0.0),
        against("deceptive landscape: archive reaches the optimum", deceptive["archive"], ">=", 0.9),
        against("deceptive landscape: greedy reaches the optimum", deceptive["greedy"], "<=", 0.2),
        against("smooth landscape: best score, archive over greedy", smooth_ratio(rows), ">=", 0.9),
        Target(
            name="cheating optimisers accepted",
            op="<=",
            target=0,
            value=float(sum(row["accepted"] for row in cheats)) if len(cheats) == 5 else None,
            n=len(cheats),
        ),
        *prompts,
    ]


def recovered(rows: Rows) -> Interval:
    """Groups the optimiser's workflows solve, over those of the best configuration known from these rows."""
    counts: dict[tuple[str, int], int] = {}
    for row in rows:
        if row["measure"] == "held-out":
            key = (str(row["arm"]), int(row["seed"]))
            counts[key] = counts.get(key, 0) + bool(row["solved"])
    if not any(arm == "optimiser" for arm, _ in counts):
        return Interval(value=None, low=None, high=None, n=0)
    best = max(counts, key=lambda key: counts[key])
    known = {row["task"]: bool(row["solved"]) for row in rows if _is(row, *best)}
    mine = [row for row in rows if row["measure"] == "held-out" and row["arm"] == "optimiser"]
    columns = [(float(row["solved"]), float(known[row["task"]])) for row in mine]
    return grouped_bootstrap([str(row["group"]) for row in mine], columns, lambda sums: sums[:, 0] / sums[:, 1])


def gain(rows: Rows, rival: str) -> Interval:
    """Share of held-out groups that the optimiser's workflow solves minus the rival's, paired by group and seed."""
    theirs = {(row["seed"], row["task"]): row for row in rows if row["measure"] == "held-out" and row["arm"] == rival}
    pairs = [
        (str(row["group"]), float(row["solved"]) - float(theirs[row["seed"], row["task"]]["solved"]))
        for row in rows
        if row["measure"] == "held-out" and row["arm"] == "optimiser" and (row["seed"], row["task"]) in theirs
    ]
    columns = [(difference, 1.0) for _, difference in pairs]
    return grouped_bootstrap([group for group, _ in pairs], columns, lambda sums: sums[:, 0] / sums[:, 1])


def smooth_ratio(rows: Rows) -> Interval:
    """Mean best score of the archive over that of greedy search, paired by seed."""
    best = {(row["arm"], row["seed"]): float(row["best"]) for row in rows if row["measure"] == "smooth"}
    seeds = sorted(seed for arm, seed in best if arm == "archive" and ("greedy", seed) in best)
    columns = [(best["archive", seed], best["greedy", seed]) for seed in seeds]
    return grouped_bootstrap([str(seed) for seed in seeds], columns, lambda sums: sums[:, 0] / sums[:, 1])


def _found(rows: Rows, kind: str, arm: str) -> Interval:
    mine = [row for row in rows if row["measure"] == kind and row["arm"] == arm]
    return clopper_pearson(sum(bool(row["found"]) for row in mine), len(mine))


def _is(row: Mapping[str, Any], arm: str, seed: int) -> bool:
    return bool(row["measure"] == "held-out" and row["arm"] == arm and row["seed"] == seed)


def summary(rows: Rows) -> Iterator[tuple[Any, ...]]:
    """Arms and what they came to, the head first."""
    yield ("part", "arm", "seeds", "result")
    for arm in (KNOWN, *ARMS):
        mine = [row for row in rows if row["measure"] == "held-out" and row["arm"] == arm]
        if mine:
            spent = [row["spent"] for row in rows if row["measure"] == "search" and row["arm"] == arm]
            cost = f", {max(spent):,} candidates at most" if spent else ""
            solved = sum(bool(row["solved"]) for row in mine)
            yield ("search", arm, len({row["seed"] for row in mine}), f"{solved} of {len(mine)} solved{cost}")
    for kind in KINDS:
        for arm in CLIMBERS:
            mine = [row for row in rows if row["measure"] == kind and row["arm"] == arm]
            if mine:
                best = sum(float(row["best"]) for row in mine) / len(mine)
                found = sum(bool(row["found"]) for row in mine)
                yield (kind, arm, len(mine), f"optimum in {found} seeds, mean best {best:.3f}")
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
        seeds=len({row["seed"] for row in rows if row["measure"] in ("smooth", "deceptive")}),
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows),
        settings={
            "suite": SUITE,
            "search_budget": QUICK_BUDGET if options.quick else SEARCH_BUDGET,
            "episode_limit": LIMITS.candidates,
            "landscape_budgets": [DECEPTIVE_BUDGET, SMOOTH_BUDGET],
        },
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()

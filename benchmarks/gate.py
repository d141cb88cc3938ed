"""Can one leave an optimiser alone with the gate? ``python -m benchmarks.gate``.

False accepts over whole loops beside two rules in use, power beside the fixed-sample test that knows the effect, five
optimisers that cheat, one that reads what it is told of tasks that are used again, and streams of few tasks
(:mod:`benchmarks.gate_streams`). The default rules of the ``gepa`` package (0.1.4: kept if strictly better on three
training tasks, the highest score on the validation tasks leads) are written down here, and run from the package where
that is installed; each of its decisions is held against the written ones.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import gate_streams
from benchmarks.doubles.cheating import cheating_optimisers, honest_optimiser
from benchmarks.gate_package import package_loops
from benchmarks.gate_reader import BIT, CONFIRMED, OUTCOMES, SIZES, reader_rows
from benchmarks.gate_simulation import (
    GEPA_RULE,
    GROUPS,
    KEPT_BACK,
    PROPOSALS,
    USED_AGAIN,
    fixed_pairs,
    loops,
    power,
    whole_loop,
)
from benchmarks.record import Outcome, Target, against, common_options, progress, publish
from evolve.improve.optimizer.gepa_engine import VERSION
from evolve.trials.gate import ConfidenceInterval, clopper_pearson

Row = Mapping[str, Any]
LOOPS, RUNS, WHOLE, CHEATS, PACKAGE = 2000, 2000, 12, 2, 4000
READERS, CONTROL, GAINS = 150, 40, 200
COMBINATIONS = tuple((e, d) for e in (0.05, 0.1, 0.2, 0.4) for d in (0.2, 0.3, 0.5) if e < d)


def false_loops(rows: Sequence[Row], scenario: str, rule: str) -> ConfidenceInterval:
    """Share of loops with at least one false accept; exact bounds."""
    mine = [row for row in rows if row["measure"] == "loops" and row["scenario"] == scenario]
    return clopper_pearson(sum(row["false"][rule] > 0 for row in mine), len(mine))


def package_rows(rows: Sequence[Row]) -> list[Row]:
    """Loops that ran through the ``gepa`` package; none where it is not installed."""
    return [row for row in rows if row["measure"] == "package" and "missing" not in row]


def package_share(rows: Sequence[Row], key: str) -> ConfidenceInterval:
    """Share of the package's loops in which a proposal was ``kept``, or ``led`` in the end; exact bounds."""
    mine = package_rows(rows)
    return clopper_pearson(sum(row[key] > 0 for row in mine), len(mine))


def true_share(rows: Sequence[Row], rule: str) -> ConfidenceInterval:
    """Share of the real improvements that were accepted."""
    mine = [row for row in rows if row["measure"] == "loops" and row["scenario"] == "mixed"]
    return clopper_pearson(sum(row["true"][rule] for row in mine), sum(row["real"] for row in mine))


def reader_share(rows: Sequence[Row], told: str, size: int) -> ConfidenceInterval:
    """Share of the reader's loops with a false accept; exact bounds."""
    mine = [row for row in rows if (row["measure"], row.get("told"), row.get("tasks")) == ("reader", told, size)]
    return clopper_pearson(sum(row["false"] > 0 for row in mine), len(mine))


def gain_share(rows: Sequence[Row], size: int, before: int) -> ConfidenceInterval:
    """Share of runs in which the demo's gain was accepted after so many other proposals; exact bounds."""
    mine = [row for row in rows if (row["measure"], row.get("tasks"), row.get("before")) == ("gain", size, before)]
    return clopper_pearson(sum(row["accepted"] for row in mine), len(mine))


def _reader_targets(rows: Sequence[Row]) -> Iterator[Target]:
    for size in SIZES:
        figure, name = reader_share(rows, BIT, size), f"loops with a false accept, reader told one bit, {size} tasks"
        yield against(name, figure, "<=", 0.05)
        yield against(f"{name}, upper bound", figure, "high <=", 0.07)
        control = reader_share(rows, OUTCOMES, size)
        yield against(f"control: reader told every outcome, {size} tasks, lower bound", control, "low >=", 0.05)
    yield against("the demo's gain accepted, 120 tasks", gain_share(rows, 120, 0), ">=", 0.9)


def pairs_ratio(row: Row, share: float) -> float | None:
    """Pairs by which this share of runs was accepted, divided by those of the fixed-sample test."""
    found = sorted(math.inf if pairs is None else pairs for pairs in row["pairs"])
    at = found[math.ceil(share * len(found)) - 1]
    return None if math.isinf(at) else float(at / row["fixed"])


def targets_of(rows: Sequence[Row]) -> list[Target]:
    """Every target from the rows."""
    made = []
    for scenario in ("null", "mixed"):
        figure = false_loops(rows, scenario, "gate")
        made.append(against(f"loops with a false accept, {scenario}", figure, "<=", 0.05))
        made.append(against(f"loops with a false accept, {scenario}, upper bound", figure, "high <=", 0.06))
    made.append(against("real improvements accepted", true_share(rows, "gate"), ">=", 0.3))
    for row in (row for row in rows if row["measure"] == "power"):
        name = f"effect {row['effect']:g}, discordance {row['discordance']:g}"
        for share, most, label in ((0.5, 1.2, "median pairs"), (0.8, 2.0, "pairs by which 80 % are accepted")):
            value = pairs_ratio(row, share)
            made.append(Target(name=f"{label} / fixed, {name}", op="<=", target=most, value=value, n=len(row["pairs"])))
    mine = package_rows(rows)
    if mine:
        same = clopper_pearson(sum(row["agreed"] for row in mine), sum(row["proposals"] for row in mine))
        made.append(against("decisions of the gepa package that are as its rules are written down", same, "==", 1.0))
    cheats = [row for row in rows if row["measure"] == "cheat" and row["optimiser"] != "honest"]
    honest = [row for row in rows if row["measure"] == "cheat" and row["optimiser"] == "honest"]
    made.append(
        Target(name="cheats accepted", op="==", target=0, value=sum(row["accepted"] for row in cheats), n=len(cheats))
    )
    made.append(
        Target(
            name="honest optimisers accepted, share",
            op="==",
            target=1,
            value=sum(row["accepted"] for row in honest) / len(honest),
            n=len(honest),
        )
    )
    return [*made, *_reader_targets(rows), *gate_streams.targets_of(rows)]


def measure(options: argparse.Namespace) -> list[dict[str, Any]]:
    """All rows."""
    quick = options.quick
    count, runs, whole, cheats, package = (200, 200, 1, 1, 40) if quick else (LOOPS, RUNS, WHOLE, CHEATS, PACKAGE)
    readers = (2, 2, 10) if quick else (READERS, CONTROL, GAINS)
    rows: list[dict[str, Any]] = []
    for seed, scenario in enumerate(("null", "mixed")):
        rows += loops(scenario, count, seed)
        progress(f"{scenario}: {count} loops of {PROPOSALS} proposals")
    rows += package_loops(package)
    progress(f"null: {package} loops through the package gepa")
    for place, (effect, discordance) in enumerate(COMBINATIONS):
        rows.append(power(effect, discordance, runs, 100 + place))
        progress(f"effect {effect:g}, discordance {discordance:g}: fixed {fixed_pairs(effect, discordance)} pairs")
    for scenario in ("null", "mixed"):
        for loop in range(whole):
            rows.append(whole_loop(scenario, loop, 7))
        progress(f"{scenario}: {whole} loops through the whole gate")
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(cheats):
            for one in (*cheating_optimisers(Path(folder), seed=seed), honest_optimiser(Path(folder), seed=seed)):
                rows.append({"measure": "cheat", "seed": seed, **vars(one)})
            progress(f"cheats, seed {seed}")
    rows += reader_rows(*readers)
    progress(f"reader: {readers[0]} loops of {PROPOSALS} proposals per size")
    return [*rows, *gate_streams.rows_of(quick=quick)]


def table(rows: Sequence[Row]) -> Iterator[tuple[Any, ...]]:
    """What a reader sees first; the head is the first row."""
    yield ("rule", "loops with a false accept, null", "the same, a fifth real", "real ones accepted")
    for rule in ("gate", USED_AGAIN, KEPT_BACK, "gate at the end only", "greater than", GEPA_RULE):
        null, mixed = (false_loops(rows, scenario, rule) for scenario in ("null", "mixed"))
        yield (rule, *(_shown(one) for one in (null, mixed, true_share(rows, rule))))
    yield from _package(rows)
    for scenario in ("null", "mixed"):
        mine = [row for row in rows if row["measure"] == "whole" and row["scenario"] == scenario]
        real = clopper_pearson(sum(row["true"] for row in mine), sum(row["real"] for row in mine))
        share = _shown(clopper_pearson(sum(row["false"] > 0 for row in mine), len(mine)))
        pairs = sum(row["pairs"] for row in mine) / (PROPOSALS * max(1, len(mine)))
        cells = (share, "", "") if scenario == "null" else ("", share, _shown(real))
        yield (f"whole gate, {len(mine)} loops, {pairs:.0f} pairs a proposal", *cells)
    for size in SIZES:
        for told in (BIT, OUTCOMES, CONFIRMED):
            share = reader_share(rows, told, size)
            if share.n:
                yield (f"reader told {told}, {size} tasks, {share.n} loops", _shown(share), "", "")
        for before in (0, 9):
            gained = _shown(gain_share(rows, size, before))
            yield (f"the demo's gain, {size} tasks, {before} proposals before", "", "", gained)


def _package(rows: Sequence[Row]) -> Iterator[tuple[Any, ...]]:
    mine = package_rows(rows)
    if not mine:
        if any(row["measure"] == "package" for row in rows):
            yield (f"gepa {VERSION} from its package: not installed", "", "", "")
        return
    name = f"gepa {VERSION} from its package, {len(mine)} loops"
    gain = sum(row["gain"] for row in mine) / len(mine)
    yield (f"{name}: a proposal is kept", _shown(package_share(rows, "kept")), "", "")
    yield (f"{name}: a gain is reported, {gain:+.3f} on average", _shown(package_share(rows, "led")), "", "")


def _shown(one: ConfidenceInterval) -> str:
    return "" if one.value is None else f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gate", description=(__doc__ or "").splitlines()[0])
    common_options(parser, seeds=1)
    options = parser.parse_args(argv)
    rows = measure(options)
    outcome = Outcome(
        benchmark="gate",
        seeds=options.seeds,
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows),
        settings={"groups": GROUPS, "proposals": PROPOSALS},
    )
    lines = ["  ".join(str(cell) for cell in cells) for cells in table(rows)]
    lines += [f"{'met ' if one.met else 'MISS'} {one.name}: {one.value}" for one in outcome.targets]
    publish(outcome, options, "\n".join(lines))


if __name__ == "__main__":
    main()

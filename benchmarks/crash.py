"""Does what was called saved survive kill -9 at any point, exactly once, and does the same command go on?

Every fault point is reached for the first, second and fifth time in up to three of the scenarios that reach it, and
commands are killed at random times. After each kill: what the command had said was kept must be in the record; the
processes it had started must be gone within two seconds; the same command must then end well; and the workspace must
hold row for row what an undisturbed run leaves. Damaged files are ``benchmarks.damage``'s business, whose trials are
taken in here.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import multiprocessing
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import crash_scenarios as scenarios
from benchmarks.crash_record import Content, compare, content, unkept
from benchmarks.crash_scenarios import SCENARIOS, Scenario
from benchmarks.crash_trial import Ended, adopt_orphans, random_times, run_forked
from benchmarks.record import Outcome, Target, common_options, progress, publish
from evolve.core.errors import EvolveError
from evolve.core.failpoints import POINTS

TIMES = (1, 2, 5)
ENDED = (0, 1)
"""How a command ends that came to its end; 1 is that of a loop that kept nothing."""
CODES = {"kill": -9, "int": 130, "term": 143, "full": 3}
"""How a command ends at each kind of fault, workers apart."""
_WORKER = "worker."
_IN_EPISODES = ("stage.", "sandbox.", "output.")


@dataclass(frozen=True, kw_only=True)
class Undisturbed:
    """What a scenario does when nothing happens to it."""

    scenario: Scenario
    reached: Mapping[str, int]
    content: Content
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Kill:
    """One trial to make: at a point, or after some seconds."""

    number: int
    scenario: Scenario
    point: str = ""
    n: int = 0
    action: str = "kill"
    at_s: float = 0.0

    @property
    def fault(self) -> str:
        """The value of the variable that arms the point."""
        return f"{self.point}:{self.n}:{self.action}" if self.point else ""


def prepare(commands: bool) -> None:
    """Makes a process ready for trials; for those of whole commands it loads what they need."""
    adopt_orphans()
    if commands:
        scenarios.preload()


def make_template(name: str, place: Path) -> None:
    """Makes what scenarios begin with, in a child."""
    folder = place / name
    folder.mkdir()
    environ = scenarios.environ_of(Scenario(name=name), folder, "")
    done = run_forked(lambda: scenarios.fill_template(name, folder), environ=environ, folder=folder)
    if done.code not in ENDED:
        raise RuntimeError(f"template {name}: exit {done.code}\n{done.err}")


def undisturbed(scenario: Scenario, place: Path) -> Undisturbed:
    """Runs a scenario to its end and notes the points it passes."""
    folder = place / f"undisturbed {scenario.name}"
    scenarios.fresh_copy(place / scenario.template, folder)
    trace = folder / "points"
    trace.touch()
    done = _run(scenario, folder, f">{trace}")
    if done.code:
        raise RuntimeError(f"{scenario.name} ends with {done.code} even undisturbed\n{done.err}")
    reached = Counter(trace.read_text().split())
    return Undisturbed(scenario=scenario, reached=reached, content=content(folder / "ws"), seconds=done.seconds)


def trial(kill: Kill, wanted: Content, place: Path) -> dict[str, Any]:
    """Kills a command, looks, runs it again, looks; a row."""
    started = time.monotonic()
    scenario, folder = kill.scenario, place / f"trial {kill.number}"
    scenarios.fresh_copy(place / scenario.template, folder)
    root = folder / "ws"
    hurt = _run(scenario, folder, kill.fault, kill.at_s)
    missing = unkept(root, hurt.err, hurt.out)
    again = hurt if hurt.code in ENDED else _again(scenario, folder, wanted)
    row: dict[str, Any] = {
        "scenario": scenario.name,
        "point": kill.point,
        "n": kill.n,
        "at_s": round(kill.at_s, 3),
        "action": kill.action,
        "killed": hurt.code == CODES[kill.action],
        "tidy": _is_tidy(kill, hurt),
        "survivors": hurt.survivors + again.survivors,
        "resumed": again.code in ENDED,
        "unkept": len(missing),
        **_found(root, wanted, missing, _all_workers_die(kill)),
    }
    if not (row["resumed"] and row["tidy"]):
        row["first"] = f"{hurt.code}: {hurt.err[-400:]} | {again.code}: {again.err[-400:]}"
    shutil.rmtree(folder)
    return {**row, "seconds": round(time.monotonic() - started, 2)}


def _is_tidy(kill: Kill, hurt: Ended) -> bool:
    """Whether a command that could still speak said in one sentence what happened and how to go on."""
    if hurt.code in (*ENDED, -9):
        return True
    asked = "disk full" if kill.action == "full" else "continue with: evolve "
    told = asked in hurt.err and "Traceback" not in hurt.err and "fault of evolve itself" not in hurt.err
    return told and hurt.code == CODES[kill.action]


def _all_workers_die(kill: Kill) -> bool:
    """Each worker counts for itself: where every one dies at its first job, no episode can be run."""
    return kill.point.startswith(_WORKER) and kill.n == 1


def _found(root: Path, wanted: Content, missing: Sequence[str], starved: bool) -> dict[str, Any]:
    try:
        found = content(root)
    except EvolveError as error:
        return {"lost": 1, "duplicates": 0, "first": str(error)}
    if starved:
        found, wanted = {"damage": found["damage"]}, {}
    difference = compare(found, wanted)
    return {
        "lost": difference.lost + len(missing),
        "duplicates": difference.extra,
        "first": missing[0] if missing else difference.first,
    }


def _run(scenario: Scenario, folder: Path, fault: str, kill_at_s: float = 0.0) -> Ended:
    environ = scenarios.environ_of(scenario, folder, fault)
    return run_forked(scenarios.work_of(scenario), environ=environ, folder=folder, kill_at_s=kill_at_s)


def _again(scenario: Scenario, folder: Path, wanted: Content) -> Ended:
    """The same command once more; where it had delivered its result already, another that reads the record."""
    if scenario.makes_a_run and _delivered(folder / "ws", wanted):
        scenario = Scenario(name="after", arguments=("runs", "list", "--json"))
    return _run(scenario, folder, "")


def _delivered(root: Path, wanted: Content) -> bool:
    """Whether every run that the command makes is closed; a repetition would be another run."""
    if not (root / "memory_store" / "memory.db").exists():
        return False
    try:
        return content(root).get("runs") == wanted["runs"]
    except EvolveError:
        return False


def _is_met_once(scenario: Scenario, point: str) -> bool:
    """Not where a worker passes it in every episode: then the one in its place dies of it too, and so on."""
    return scenario.workers == 1 or not point.startswith(_IN_EPISODES)


def kills(found: Sequence[Undisturbed], options: argparse.Namespace) -> Iterator[Kill]:
    """Every point for the first, second and fifth time, then random times; the same for the same seed."""
    rng = random.Random(options.seed)
    chosen: list[tuple[str, int, Scenario]] = []
    for point in options.points or POINTS:
        for n in options.times:
            able = [
                one.scenario for one in found if one.reached.get(point, 0) >= n and _is_met_once(one.scenario, point)
            ]
            some = rng.sample(able, min(len(able), options.scenarios_per_point))
            chosen += [(point, n, scenario) for scenario in some]
    if options.sample:
        chosen = rng.sample(chosen, min(options.sample, len(chosen)))
    for number, (point, n, scenario) in enumerate(chosen):
        yield Kill(number=number, scenario=scenario, point=point, n=n, action=options.action)
    timed = [one for one in found if one.scenario.timed]
    for number in range(options.trials if timed else 0):
        one = timed[number % len(timed)]
        (at_s,) = random_times(1, one.seconds, rng)
        yield Kill(number=len(chosen) + number, scenario=one.scenario, at_s=at_s)


def measure(options: argparse.Namespace) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Every trial's row; and the points that no scenario reaches, with how often the others are reached."""
    wanted = [one for one in SCENARIOS if not options.scenario or one.name in options.scenario]
    commands = any(one.arguments for one in wanted)
    context = multiprocessing.get_context("spawn")
    with (
        tempfile.TemporaryDirectory(prefix="evolve-crash-") as folder,
        ProcessPoolExecutor(options.jobs, mp_context=context, initializer=prepare, initargs=(commands,)) as pool,
    ):
        place = Path(folder)
        _each(pool, make_template, [(one, place) for one in sorted({one.template for one in wanted})])
        found: list[Undisturbed] = _each(pool, undisturbed, [(one, place) for one in wanted])
        by_name = {one.scenario.name: one for one in found}
        todo = list(kills(found, options))
        progress(f"{len(todo)} trials; " + ", ".join(f"{one.scenario.name} {one.seconds:.1f} s" for one in found))
        rows = _each(pool, trial, [(kill, by_name[kill.scenario.name].content, place) for kill in todo], tell=True)
    reached = {point: max(one.reached.get(point, 0) for one in found) for point in POINTS}
    return rows, {"reached": reached, "never reached": [point for point, count in reached.items() if not count]}


def _each(pool: ProcessPoolExecutor, work: Callable[..., Any], jobs: Sequence[Any], *, tell: bool = False) -> list[Any]:
    waiting: list[Future[Any]] = [pool.submit(work, *job) for job in jobs]
    results = []
    for number, one in enumerate(waiting, 1):
        results.append(one.result())
        if tell and (number % 25 == 0 or _is_bad(results[-1])):
            progress(f"{number}/{len(jobs)}" + (f": {json.dumps(results[-1])}" if _is_bad(results[-1]) else ""))
    return results


def _is_bad(row: Mapping[str, Any]) -> bool:
    return bool(row["lost"] or row["duplicates"] or row["survivors"] or not row["resumed"] or not row["tidy"])


def damage_rows(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Trials of torn writes and flipped bytes; none where that benchmark is not there."""
    if not options.damage or importlib.util.find_spec("benchmarks.damage") is None:
        return []
    from benchmarks import damage

    return list(damage.trials(options.damage, options.seed))


def targets_of(rows: Sequence[Mapping[str, Any]], damaged: Sequence[Mapping[str, Any]]) -> list[Target]:
    """Everything that must be nought, and enough trials to say so."""
    counts = {
        "acknowledged or committed items lost": sum(row["lost"] for row in rows),
        "duplicates": sum(row["duplicates"] for row in rows),
        "commands that did not go on": sum(not row["resumed"] for row in rows),
        "survivors of a kill": sum(row["survivors"] for row in rows),
        "ends that were not told in a sentence": sum(not row["tidy"] for row in rows),
    }
    found = [_nought(name, value if rows else None, len(rows)) for name, value in counts.items()]
    killed = sum(row["killed"] for row in rows)
    found.append(Target(name="trials that ended in a kill", op=">=", target=1, value=killed, n=len(rows)))
    wrong = sum(bool(row["silent_wrong"]) for row in damaged) if damaged else None
    return [*found, _nought("silent wrong reads after damage", wrong, len(damaged))]


def _nought(name: str, value: float | None, n: int) -> Target:
    return Target(name=name, op="==", target=0, value=value, n=n)


def table(outcome: Outcome) -> str:
    """The figures for a terminal."""
    rows = [row for row in outcome.rows if "scenario" in row]
    lines = []
    for name in dict.fromkeys(str(row["scenario"]) for row in rows):
        mine = [row for row in rows if row["scenario"] == name]
        lines.append(f"{name}: {len(mine)} trials, {sum(row['killed'] for row in mine)} killed")
    lines += [f"point never reached: {point}" for point in outcome.settings["never reached"]]
    for target in outcome.targets:
        value = "not measured" if target.value is None else f"{target.value:g}"
        lines.append(f"{target.name}: {value} (n {target.n}); {'met' if target.met else 'MISSED'}")
    return "\n".join(lines)


def options_of(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crash", description=(__doc__ or "").split("\n")[0])
    common_options(parser, seeds=1)
    parser.add_argument("--trials", type=int, default=200, help="kills at random times")
    parser.add_argument("--action", choices=sorted(CODES), default="kill", help="what happens at the points")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random times and of the sample")
    parser.add_argument("--jobs", type=int, default=2, help="trials at once")
    parser.add_argument("--damage", type=int, default=200, help="trials of each kind of damage, where measured")
    parser.add_argument("--sample", type=int, default=0, help="so many trials at points instead of all")
    parser.add_argument("--scenario", action="append", help="only this scenario; may be repeated")
    parser.add_argument("--points", nargs="*", help="only these points")
    parser.add_argument("--times", nargs="*", type=int, default=list(TIMES), help="the n-th times to kill at")
    parser.add_argument("--scenarios-per-point", type=int, default=3, help="scenarios for each point and time")
    options = parser.parse_args(argv)
    if options.quick:
        options.trials, options.sample, options.damage = min(options.trials, 6), options.sample or 18, 20
        options.scenario = options.scenario or [one.name for one in SCENARIOS if one.quick]
    return options


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and publishes; gives 1 where a target on crashes is missed."""
    options = options_of(argv)
    rows, settings = measure(options)
    damaged = damage_rows(options)
    chosen = {key: getattr(options, key) for key in ("trials", "seed", "jobs", "sample", "damage")}
    outcome = Outcome(
        benchmark="crash",
        seeds=1,
        quick=options.quick,
        rows=[*rows, *damaged],
        targets=targets_of(rows, damaged),
        settings={**chosen, **settings},
    )
    publish(outcome, options, table(outcome))
    return int(any(target.value and not target.met for target in outcome.targets))


if __name__ == "__main__":
    raise SystemExit(main())

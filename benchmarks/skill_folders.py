"""Does a test of skills say what is so? ``python -m benchmarks.skill_folders --json``.

Folders of three skills each are planted with a known effect on the share of solved tasks. For hundreds of them outcomes
are drawn and given to the verdicts of ``evolve skills test``; some are tried end to end by the command, with a model's
double behind an endpoint. Then tasks are drawn from repositories by ``evolve tasks from-git``.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.doubles.errands import TOPICS, ErrandDouble, write_errands, write_skill
from benchmarks.doubles.repositories import make_repository
from benchmarks.record import ROOT, Outcome, Target, against, common_options, progress, publish
from evolve.testing import ScriptedEndpoint
from evolve.trials.gate import Outcome as PairOutcome
from evolve.trials.gate import PairSummary, clopper_pearson, summarise_pairs, wins_needed
from evolve.workspace.loops.testing_skills import WHOLE_LEVEL, level_of_skill

EFFECTS = (-0.4, -0.3, -0.2, 0.0, 0.0, 0.2, 0.3, 0.4)
"""Effects of all three skills of a folder; every fifth folder has a mixture instead."""
SKILLS = 3
TASKS = 80
KEPT = ("feature", "fix")
"""Kinds of commits of the made repositories that are tasks."""


def drawn_folder(number: int, seed: int) -> dict[str, Any]:
    """One folder: its effects, and what the verdicts say of outcomes that are drawn by them."""
    draw = random.Random(f"{seed} {number}")
    same = EFFECTS[number % len(EFFECTS)]
    effects = [draw.choice(EFFECTS) for _ in range(SKILLS)] if number % 5 == 4 else [same] * SKILLS
    skills = [task % SKILLS for task in range(TASKS)]
    draw.shuffle(skills)
    # Each task has a share of its own, as far as the effect leaves room for one.
    bases = [draw.uniform(max(0.0, -effects[skill]), min(1.0, 1.0 - effects[skill])) for skill in skills]

    def outcome(task: int) -> PairOutcome:
        without, with_it = draw.random() < bases[task], draw.random() < bases[task] + effects[skills[task]]
        return "tie" if without == with_it else "win" if with_it else "loss"

    whole = summarise_pairs([outcome(task) for task in range(TASKS)], WHOLE_LEVEL)
    level, singles = level_of_skill(whole, SKILLS), []
    for skill in range(SKILLS):
        own = [task for task in range(TASKS) if skills[task] == skill]
        enough = len(own) >= wins_needed(level)
        singles.append(summarise_pairs([outcome(task) for task in own], level).verdict if enough else "not tried")
    effect = sum(effects[skill] for skill in skills) / TASKS
    wrong = [_is_false(whole.verdict, effect), *map(_is_false, singles, effects)]
    return {
        "part": "drawn", "folder": number, "seed": seed, "tasks": TASKS, "effects": effects, "effect": round(effect, 3),
        "mixed": len(set(effects)) > 1, "verdict": whole.verdict, "right": _is_right(whole, effect),
        "singles": singles, "false": any(wrong), "low": whole.difference.low, "high": whole.difference.high,
    }  # fmt: skip


def _is_false(verdict: str, effect: float) -> bool:
    near = abs(effect) < 1e-9
    return (verdict == "helps" and (near or effect < 0)) or (verdict == "harms" and (near or effect > 0))


def _is_right(shown: PairSummary, effect: float) -> bool:
    wanted = "no difference shown" if abs(effect) < 1e-9 else "helps" if effect > 0 else "harms"
    return shown.verdict == wanted


def tried_folder(kind: str, known: float, tasks: int, seed: int) -> dict[str, Any]:
    """One folder, by the command, with a model's double behind an endpoint."""
    with TemporaryDirectory() as place, ScriptedEndpoint(double=ErrandDouble()) as serving:
        folder, began = Path(place), time.monotonic()
        write_errands(folder / "errands.jsonl", tasks, known, seed)
        for topic in (*TOPICS, "rivers"):
            write_skill(folder / "skills", topic, kind if topic in TOPICS else "idle")
        words = ("skills", "test", "skills", "--tasks", "errands.jsonl", "--model", serving.model)
        told = _evolve(folder, *words)
        seconds = round(time.monotonic() - began, 1)
    wanted = {"helpful": "helps", "harmful": "harms", "idle": "no difference shown"}[kind]
    unused = [row["name"] for row in told["skills"] if not row["read"]]
    whole = told["whole"]
    return {
        "part": "tried", "kind": kind, "known": known, "seed": seed, "tasks": tasks, "verdict": whole["verdict"],
        "wins": whole["wins"], "losses": whole["losses"], "ties": whole["ties"], "unused": unused, "seconds": seconds,
        "right": whole["verdict"] == wanted and unused == ["words-for-rivers"],
    }  # fmt: skip


def history(repo: Path, last: int, kinds: Mapping[str, str] | None) -> dict[str, Any]:
    """What ``evolve tasks from-git`` keeps of a repository.

    Args:
        kinds: What each commit is, where that is known.
    """
    with TemporaryDirectory() as place:
        began = time.monotonic()
        words = ("tasks", "from-git", str(repo), "--last", str(last), "--out", "tasks.jsonl")
        told = _evolve(Path(place), *words, "--set", f"python={sys.prefix}")
        seconds = round(time.monotonic() - began, 1)
    kept = {task["id"] for task in told["tasks"]}
    wanted = None if kinds is None else {name[:12] for name, kind in kinds.items() if kind in KEPT}
    return {
        "part": "history", "repository": repo.name if kinds else "this one", "commits": told["commits"],
        "kept": len(kept), "left_out": told["left_out"], "seconds": seconds,
        "right": wanted is None or kept == wanted,
    }  # fmt: skip


def _evolve(folder: Path, *words: str) -> dict[str, Any]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EVOLVE_")}
    command = [sys.executable, "-m", "evolve", *words, "--json", "-w", str(folder / "workspace")]
    environment |= {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: {done.returncode}\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def targets_of(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """What was asked for, against what was found."""
    drawn = [row for row in rows if row["part"] == "drawn"]
    strong = [row for row in drawn if not row["mixed"] and abs(row["effect"]) == 0.4]
    false, right = sum(row["false"] for row in drawn), sum(row["right"] for row in strong)
    parts = {part: [row["right"] for row in rows if row["part"] == part] for part in ("tried", "history")}
    return [
        against("share of folders with a false verdict", clopper_pearson(false, len(drawn)), "<=", 0.05),
        against("share right at effects of .4 on 80 tasks", clopper_pearson(right, len(strong)), ">=", 0.8),
        *(
            Target(
                name=f"{part}: share right", op="==", target=1.0, value=sum(own) / len(own) if own else None, n=len(own)
            )
            for part, own in parts.items()
        ),
    ]


def table(rows: Sequence[Mapping[str, Any]], targets: Sequence[Target]) -> Iterator[str]:
    """A line for each effect, each folder that was tried, each repository and each target."""
    drawn = [row for row in rows if row["part"] == "drawn"]
    for effect in sorted({row["effect"] for row in drawn if not row["mixed"]}):
        own = [row for row in drawn if row["effect"] == effect and not row["mixed"]]
        said = {verdict: sum(row["verdict"] == verdict for row in own) for verdict in ("helps", "harms")}
        singles = sum(one in ("helps", "harms") for row in own for one in row["singles"])
        yield f"effect {effect:+.1f}: {len(own)} folders, {said['helps']} help, {said['harms']} harm; {singles} skills"
    for row in rows:
        if row["part"] == "tried":
            yield f"{row['kind']}: {row['verdict']}, {row['wins']} won, {row['losses']} lost, {row['seconds']} s"
        elif row["part"] == "history":
            said = f"{row['kept']} of {row['commits']} commits, {row['left_out']}"
            yield f"{row['repository']}: {said}, {row['seconds']} s"
    for target in targets:
        bounds = f"({target.low} to {target.high})"
        yield f"{target.name}: {target.value} {bounds}, {target.op} {target.target}: {target.met}"


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.skill_folders", description=(__doc__ or "").split("\n")[0]
    )
    common_options(parser, seeds=4)
    parser.add_argument("--folders", type=int, default=100, help="drawn folders of each seed, with three skills each")
    parser.add_argument("--tried", type=int, default=24, help="tasks of each folder that is tried; 0 tries none")
    parser.add_argument("--last", type=int, default=3, help="tasks of this repository's own history; 0 takes none")
    options = parser.parse_args(argv)
    seeds = 1 if options.quick else options.seeds
    progress(f"{seeds * options.folders} drawn folders")
    rows = [drawn_folder(number, seed) for seed in range(seeds) for number in range(options.folders)]
    plans = (("helpful", 0.3), ("harmful", 0.7), ("idle", 0.5))
    for seed in range(1 if options.quick else 2):
        for kind, known in plans if options.tried else ():
            progress(f"trying a {kind} folder")
            rows.append(tried_folder(kind, known, options.tried, seed))
    with TemporaryDirectory() as place:
        for seed, commits in enumerate((4,) if options.quick else (30, 30)):
            repo = Path(place, f"made-{seed}")
            progress(f"drawing tasks from a repository of {commits} commits")
            rows.append(history(repo, commits, make_repository(repo, commits, seed)))
    if options.last and not options.quick:
        progress("drawing tasks from this repository")
        rows.append(history(ROOT, options.last, None))
    targets = targets_of(rows)
    outcome = Outcome(benchmark="skill_folders", seeds=seeds, quick=options.quick, rows=rows, targets=targets)
    publish(outcome, options, "\n".join(table(rows, targets)))


if __name__ == "__main__":
    main()

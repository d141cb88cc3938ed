"""Does hostile code stay in? Every action of the corpus, every backend, every way of running code, many rounds.

Oracles outside the sandbox decide; a control run without a sandbox shows that they fire. Order and sample come from the
seed. A row is one action in one round; ``batch`` is the path for programs and tests, on a sample.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import secrets
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.hostile_actions import ACTIONS, KINDS, Action
from benchmarks.hostile_oracles import end, marked
from benchmarks.record import ROOT, Outcome, Target, common_options, progress, publish

MODES = ("cold", "zygote", "session")
BATCH = "batch"
CONTROL_TURNS = 3
QUICK = 40
LEAST_ACTIONS = 130
_SAMPLE_OF_BATCH = 60
_SILENCE_S = 60.0
_NOT_FOR_BATCH = ("files", "collect", "race")


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Actions that one supervisor runs one after the other."""

    backend: str
    mode: str
    round: int
    actions: tuple[str, ...]
    cache: str


def sample(number: int, seed: object) -> tuple[Action, ...]:
    """A share of every kind of action, about ``number`` in all."""
    if number >= len(ACTIONS):
        return ACTIONS
    chosen: list[Action] = []
    for kind in KINDS:
        of_kind = [action for action in ACTIONS if action.kind == kind]
        share = max(1, round(number * len(of_kind) / len(ACTIONS)))
        chosen += random.Random(f"{seed}/{kind}").sample(of_kind, share)
    return tuple(chosen)


def batches(options: argparse.Namespace, backends: Sequence[str], cache: str) -> Iterator[Batch]:
    """All batches of a run, a round of every backend and mode after the other."""
    chosen = sample(QUICK if options.quick else len(ACTIONS), options.seed)
    for number in range(options.seeds):
        for backend in backends:
            for mode in options.mode:
                key = f"{options.seed}/{backend}/{mode}/{number}"
                actions = chosen
                if mode == BATCH:
                    plain = [one for one in chosen if not any(getattr(one, field) for field in _NOT_FOR_BATCH)]
                    actions = tuple(random.Random(key).sample(plain, min(_SAMPLE_OF_BATCH, len(plain))))
                names = [action.name for action in actions]
                if options.shuffle:
                    random.Random(key).shuffle(names)
                yield Batch(backend=backend, mode=mode, round=number, actions=tuple(names), cache=cache)


def run_batch(batch: Batch) -> list[dict[str, Any]]:
    """The rows of one batch. A supervisor that an attack ended is started again behind that attack."""
    started = time.monotonic()
    rows: list[dict[str, Any]] = []
    left = list(batch.actions)
    place = {"backend": batch.backend, "mode": batch.mode, "round": batch.round}
    while left:
        for row in _supervised(batch, left):
            rows.append({**place, **row})
            if row["action"]:
                left.remove(row["action"])
        if left:
            rows.append({**place, **_ended(left.pop(0))})
    bad = sum(bool(row.get("escaped")) or not row.get("expected", True) for row in rows)
    progress(
        f"round {batch.round + 1} {batch.backend} {batch.mode}: {len(batch.actions)} actions, {bad} bad, "
        f"{time.monotonic() - started:.0f} s"
    )
    return rows


def run_batches(planned: Sequence[Batch], jobs: int) -> list[dict[str, Any]]:
    """The rows of all batches in order; after Ctrl-C of those that were begun, because a long run is worth its part."""
    with ThreadPoolExecutor(jobs) as pool:
        begun = [pool.submit(run_batch, batch) for batch in planned]
        try:
            wait(begun)
        except KeyboardInterrupt:
            progress("stopped: what has begun is finished and reported")
            pool.shutdown(wait=True, cancel_futures=True)
    return [row for one in begun if not one.cancelled() for row in one.result()]


def _supervised(batch: Batch, left: Sequence[str]) -> Iterator[dict[str, Any]]:
    secret = secrets.token_hex(16)
    token = f"EVOLVE_HOSTILE_TOKEN={secret}"
    with tempfile.TemporaryDirectory(prefix="evolve-hostile-") as folder:
        order = {"backend": batch.backend, "mode": batch.mode, "actions": list(left), "cache": batch.cache}
        worker = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "benchmarks.hostile_worker"],
            cwd=ROOT,
            env={**os.environ, "EVOLVE_HOSTILE_TOKEN": secret},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert worker.stdin is not None and worker.stdout is not None
        with worker.stdin, worker.stdout:
            worker.stdin.write(json.dumps({**order, "folder": folder}).encode("ascii") + b"\n")
            worker.stdin.close()
            try:
                yield from map(json.loads, _lines(worker.stdout.fileno()))
                # the end of its rows is its end, unless it hangs
                with contextlib.suppress(subprocess.TimeoutExpired):
                    worker.wait(1)
            finally:
                worker.kill()
                end(marked(token))
        if worker.wait() > 0:
            raise RuntimeError("the supervisor failed by itself; its message is above")


def _lines(descriptor: int) -> Iterator[bytes]:
    """Lines until the end, or until nothing has come for too long."""
    held = b""
    while select.select([descriptor], [], [], _SILENCE_S)[0]:
        data = os.read(descriptor, 1 << 16)
        if not data:
            return
        *lines, held = (held + data).split(b"\n")
        yield from lines


def _ended(name: str) -> dict[str, Any]:
    return {"action": name, "outcome": "supervisor ended", "expected": False, "escaped": ["supervisor"], "survivors": 0}


def run_controls(actions: Sequence[Action], jobs: int) -> list[dict[str, Any]]:
    """One row per attack that can be let loose: what fired without a sandbox, and what should have and did not.

    What did not fire is tried again: a control shows that an oracle can see, and an attack may miss on a busy machine.
    """
    found: dict[str, dict[str, Any]] = {}
    left = [action.name for action in actions if action.must_fire]
    for turn in range(1, CONTROL_TURNS + 1):
        if left:
            progress(f"control: {len(left)} attacks without a sandbox")
        for row in _control_turn(left, jobs):
            said = {"fired": row.get("fired", []), "missing": row.get("missing", ["supervisor"])}
            found[row["action"]] = {"action": row["action"], **said, "turn": turn}
        left = [name for name, row in found.items() if row["missing"]]
    return list(found.values())


def _control_turn(names: Sequence[str], jobs: int) -> list[dict[str, Any]]:
    parts = [
        Batch(backend="", mode="control", round=0, actions=tuple(names[start::jobs]), cache="") for start in range(jobs)
    ]
    with ThreadPoolExecutor(jobs) as pool:
        return [row for rows in pool.map(run_batch, [part for part in parts if part.actions]) for row in rows]


def targets_of(rows: Sequence[Mapping[str, Any]], controls: Sequence[Mapping[str, Any]], quick: bool) -> list[Target]:
    """Nothing escapes, nothing stays, nothing is late, and the oracles work."""
    ran = [row for row in rows if row["action"]]
    overruns = [row["overrun_s"] for row in ran if "overrun_s" in row]
    fired = sum(not control["missing"] for control in controls)
    by_way: dict[tuple[str, str], set[str]] = {}
    for row in ran:
        if row["mode"] != BATCH:
            by_way.setdefault((row["backend"], row["mode"]), set()).add(row["action"])
    survivors = sum(row["survivors"] for row in rows) if ran else None
    worst = max(overruns, default=None)
    found = [
        Target(name="escapes", op="==", target=0, value=_count(rows, "escaped"), n=len(ran)),
        Target(name="survivors", op="==", target=0, value=survivors, n=len(ran)),
        Target(name="worst overrun of a wall limit, s", op="<=", target=1, value=worst, n=len(overruns)),
        Target(
            name="share of controls that fired",
            op="==",
            target=1,
            value=fired / len(controls) if controls else None,
            n=len(controls),
        ),
        Target(
            name="unexpected outcome classes",
            op="==",
            target=0,
            value=sum(not row["expected"] for row in ran) if ran else None,
            n=len(ran),
        ),
    ]
    if not quick:
        least = min((len(names) for names in by_way.values()), default=None)
        found.append(Target(name="actions in every way", op=">=", target=LEAST_ACTIONS, value=least))
    return found


def _count(rows: Sequence[Mapping[str, Any]], key: str) -> int | None:
    return sum(bool(row.get(key)) for row in rows) if rows else None


def _rounds(rows: Sequence[Mapping[str, Any]]) -> int:
    """How often every way of running code had its turn."""
    turns: dict[tuple[str, str], set[int]] = {}
    for row in rows:
        turns.setdefault((row["backend"], row["mode"]), set()).add(row["round"])
    return min(map(len, turns.values()), default=0)


def table(outcome: Outcome) -> str:
    """The figures for a terminal, and every row that is not as it should be."""
    lines = []
    for backend, mode in dict.fromkeys((row["backend"], row["mode"]) for row in outcome.rows):
        here = [row for row in outcome.rows if (row["backend"], row["mode"]) == (backend, mode) and row["action"]]
        worst = max((row.get("overrun_s", 0.0) for row in here), default=0.0)
        bad = sum(not row["expected"] for row in here)
        lines.append(
            f"{backend} {mode}: {len(here)} runs, {_count(here, 'escaped')} escapes, "
            f"{sum(row['survivors'] for row in here)} survivors, {bad} unexpected, worst overrun {worst:.2f} s"
        )
    for row in outcome.rows:
        if row.get("escaped") or not row.get("expected", True):
            reason = row.get("after") or row.get("said", "")
            lines.append(
                f"  {row['backend']} {row['mode']} {row['round'] + 1}: {row['action']}: {row['outcome']} "
                f"{','.join(row['escaped'])} {reason}"
            )
    controls = outcome.settings["controls"]
    lines.append(f"control fired in {sum(not c['missing'] for c in controls)} of {len(controls)}")
    lines += [f"  {c['action']}: {', '.join(c['missing'])} did not fire" for c in controls if c["missing"]]
    lines += [f"{t.name}: {t.value} ({t.op} {t.target:g}: {'met' if t.met else 'MISSED'})" for t in outcome.targets]
    return "\n".join(lines)


def usable(wanted: str, cache: Path) -> tuple[list[str], dict[str, str]]:
    """Backends that pass their self-test here, and why the others do not."""
    from evolve.runtime.sandbox import check_backends

    reasons = {}
    for name, outcomes in check_backends(cache).items():
        failed = [outcome for outcome in outcomes if not outcome.passed]
        reasons[name] = f"{failed[0].name}: {failed[0].detail}" if failed else ""
    names = [name for name, reason in reasons.items() if not reason and wanted in ("all", name)]
    return names, {name: reason for name, reason in reasons.items() if reason and wanted in ("all", name)}


def _modes(text: str) -> tuple[str, ...]:
    chosen = (*MODES, BATCH) if text == "all" else tuple(text.split(","))
    if not set(chosen) <= {*MODES, BATCH}:
        raise argparse.ArgumentTypeError(f"one of all, {', '.join((*MODES, BATCH))}, or several with commas")
    return chosen


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=(__doc__ or "").split("\n")[0])
    common_options(parser, seeds=1)
    parser.add_argument("--rounds", dest="seeds", type=int, default=1, help="how often everything is run")
    parser.add_argument("--backend", default="all", help="all, or the name of one")
    parser.add_argument("--mode", type=_modes, default=_modes("all"), help="all, or some of cold,zygote,session,batch")
    parser.add_argument("--shuffle", action="store_true", help="another order in every round")
    parser.add_argument("--seed", type=int, default=0, help="of order and sample")
    parser.add_argument("--jobs", type=int, default=1, help="batches at a time")
    parser.add_argument("--no-control", action="store_true", help="leave out the run without a sandbox")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="evolve-hostile-cache-") as cache:
        backends, missing = usable(options.backend, Path(cache))
        for name, reason in missing.items():
            progress(f"{name} is left out: {reason}")
        chosen = sample(QUICK if options.quick else len(ACTIONS), options.seed)
        controls = [] if options.no_control else run_controls(chosen, options.jobs)
        rows = run_batches(list(batches(options, backends, cache)), options.jobs)
    caged = {action.name: action.caged for action in chosen if action.caged}
    outcome = Outcome(
        benchmark="hostile",
        seeds=_rounds(rows),
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows, controls, options.quick),
        settings={"seed": options.seed, "controls": controls, "not let loose": caged, "left out": missing},
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()

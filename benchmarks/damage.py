"""What damage does to a workspace: is it ever read as if it were right, and does ``evolve status --repair`` mend it?

Torn writes cut or garble the end of what was written last before a power loss. Flips change one bit, or overwrite
512 bytes, anywhere in the files of a closed workspace. Every trial works on a copy of one small workspace.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import struct
import tempfile
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import mean
from typing import Any

import evolve
from benchmarks.copied_workspaces import copy_workspace
from benchmarks.doubles import small_suite
from benchmarks.record import Op, Outcome, Target, common_options, publish
from evolve.core.episodes.codec import to_data
from evolve.core.errors import EvolveError
from evolve.core.paths import WorkspacePaths
from evolve.skills import AdmissionVerdict, Skill
from evolve.testing import FixedLearner, TrustingSandbox
from evolve.trials import ALL_INSIGHTS, Variant
from evolve.workspace import Workspace
from evolve.workspace.health.repair import repair

Row = dict[str, Any]
Values = dict[str, Any]
"""Every value that a workspace gives back, by kind and id."""

OVERWRITTEN = 512
_LOG_HEADER = 32
_FRAME = 24 + 4096
"""Bytes in a log before its frames, and in each frame."""

TASKS = 12


@contextmanager
def opened(folder: Path, **more: Any) -> Iterator[Workspace]:
    """The workspace with the stand-in learner; its programs are our own, so they need no walls."""
    with evolve.open(folder, policy=FixedLearner(distils=True), **more) as workspace:
        workspace._sandbox = TrustingSandbox()
        yield workspace


def made(folder: Path, tasks: int = TASKS) -> None:
    """A workspace with one of everything; beside it, in ``killed``, as a kill would leave it a little later."""
    with opened(folder) as workspace:
        chosen = small_suite(tasks).tasks
        for task in chosen[:-1]:
            workspace.run(task)
        stores = workspace.stores
        drafts = {draft.name: draft for one in stores.runs.episodes() for draft in one.drafts}
        for draft in drafts.values():
            skill = Skill.from_draft(draft)
            if skill.name not in {known.name for known in stores.skills.list()}:
                stores.skills.add(
                    skill, AdmissionVerdict(digest=skill.digest, policy="x", fingerprint="x", admitted=True)
                )
        variant = Variant(guide=stores.objects.put_json({"preferred": sorted(drafts)}), insights=ALL_INSIGHTS)
        stores.variants.promote(stores.variants.add(variant, origin="benchmark"), grounds="benchmark")
    with opened(folder) as workspace:
        for step in range(6):
            workspace.memory.note(f"note {step}", author="ada")
            if step == 2:
                workspace.run(chosen[-1])
        shutil.copytree(folder, folder.with_name("killed"))


def commits(log: Path) -> list[int]:
    """Where in a log each commit ends, the empty log first."""
    data = log.read_bytes()
    starts = range(_LOG_HEADER, len(data) - _FRAME + 1, _FRAME)
    return [0, *(start + _FRAME for start in starts if struct.unpack_from(">I", data, start + 4)[0])]


def values(folder: Path) -> Values:
    """Reads everything back through the public surface.

    Raises:
        EvolveError: Damage was met, and named.
    """
    with opened(folder) as workspace:
        stores, memory = workspace.stores, workspace.memory
        claims = memory.list()
        found = {
            "run": {run.id: [run.kind, run.state, run.body] for run in stores.runs.list_runs()},
            "episode": {record.episode: record for record in stores.runs.episodes()},
            "claim": {one.id: [one.text, one.status, one.evidence] for one in claims},
            "evidence": {row.id: [row.insight, row.task, row.detail] for c in claims for row in memory.evidence(c.id)},
            "note": {note.id: [note.text, note.author] for note in memory.notes()},
            "skill": {one.name: [one.code, one.status, list(one.tasks)] for one in workspace.skills.list()},
            "variant": {one.digest: one.variant.to_json() for one in stores.variants.entries()},
            "promotion": dict(enumerate(stores.variants.list_promotions())),
            "active": {"": stores.variants.active_digest},
            "guide": {"": stores.active_state(workspace.workflow.show()).guide},
            "recalled": {"": [one.id for one in memory.recall("total of a list", 5)]},
        }
        quarantined = set(workspace.skills.quarantined)
    read: Values = json.loads(json.dumps({kind: to_data(of) for kind, of in found.items()}))
    return {**read, "quarantined": sorted(quarantined)}


def count(read: Values) -> int:
    """How many values there are."""
    return sum(len(of) for kind, of in read.items() if kind != "quarantined")


def wrong(read: Values, truth: Values) -> list[str]:
    """What differs from the truth without having been named as damaged."""
    named = set(read["quarantined"])
    found = []
    for kind, of in truth.items():
        if kind in ("quarantined", "guide" if named else ""):
            continue
        for key in sorted({*of, *read[kind]}):
            if read[kind].get(key) != of.get(key) and not (kind == "skill" and key in named):
                found.append(f"{kind} {key}")
    return found


def torn(folder: Path, chance: random.Random, ends: Sequence[int], truths: Sequence[Values]) -> Row:
    """Cuts or garbles the end of the log of a killed process, and maybe of the body written last."""
    paths = WorkspacePaths(folder)
    log = _log(paths)
    data = log.read_bytes()
    cut = chance.randrange(ends[0], len(data) + 1)
    garbage = chance.randbytes(len(data) - cut) if chance.random() < 0.5 else b""
    log.write_bytes(data[:cut] + garbage)
    whole = bisect_right(ends, cut) - 1
    row: Row = {"file": "memory.db-wal", "at": cut, "how": "garbled" if garbage else "cut"}
    read, message = _attempt(lambda: values(folder))
    if read is None:
        return {**row, "outcome": "detected", "silent_wrong": False, "told": message}
    # Exactly what was committed before the cut, not a commit more or less.
    bad = wrong(read, truths[whole])
    return {**row, "outcome": "harmless" if cut == len(data) else "prefix", "silent_wrong": bool(bad), "wrong": bad[:3]}


def flip(folder: Path, chance: random.Random, truth: Values) -> Row:
    """Changes one bit, or 512 bytes, of one file, and reads everything back."""
    path = chance.choice(_targets(folder))
    data = bytearray(path.read_bytes())
    at = _place(data, chance)
    if chance.random() < 0.5:
        how = "bit"
        data[at] ^= 1 << chance.randrange(8)
    else:
        how = "block"
        data[at : at + OVERWRITTEN] = chance.randbytes(len(data[at : at + OVERWRITTEN]))
    path.write_bytes(data)
    row: Row = {"file": path.relative_to(folder).as_posix(), "at": at, "how": how}
    read, message = _attempt(lambda: values(folder))
    if read is None:
        return {**row, "outcome": "detected", "silent_wrong": False, "told": message}
    bad = wrong(read, truth)
    outcome = "detected" if read["quarantined"] else "harmless"
    return {**row, "outcome": outcome, "silent_wrong": bool(bad), "wrong": bad[:3]}


def _place(data: bytes, chance: random.Random) -> int:
    """Anywhere in a file; half the time at a byte that is not zero, as much of a small database is empty."""
    places = [chance.randrange(len(data)) for _ in range(64)]
    written = [place for place in places if data[place]]
    return written[0] if written and chance.random() < 0.5 else places[0]


def trials(count: int, seed: int, tell: Callable[[str], None] = lambda _: None) -> list[Row]:
    """``count`` torn writes and as many flips.

    Returns:
        Rows with ``kind`` (``torn`` or ``flip``), ``seed``, ``file``, ``outcome`` (``harmless``, ``detected`` or
        ``prefix``), ``silent_wrong``, and of the repair afterwards ``repaired``, ``kept`` (share of values) and
        ``told_lost`` (lines).
    """
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        whole = base / "whole" / "ws"
        made(whole)
        killed = whole.with_name("killed")
        ends = commits(_log(WorkspacePaths(killed)))
        truth = values(copy_workspace(whole, base / "truth"))
        truths = [_prefix(killed, base / f"prefix-{number}", end) for number, end in enumerate(ends)]
        rows = []
        for number in range(2 * count):
            kind = ("torn", "flip")[number % 2]
            chance = random.Random(f"{seed}:{kind}:{number // 2}")
            work = copy_workspace(killed if kind == "torn" else whole, base / "trial")
            row = torn(work, chance, ends, truths) if kind == "torn" else flip(work, chance, truth)
            there = truths[bisect_right(ends, row["at"]) - 1] if kind == "torn" else truth
            rows.append({"kind": kind, "seed": f"{seed}:{number // 2}", **row, **_repaired(work, there)})
            shutil.rmtree(work)
            if number % 50 == 49:
                tell(f"{number + 1} of {2 * count} trials")
    return rows


def _repaired(folder: Path, truth: Values) -> Row:
    report, message = _attempt(lambda: repair(folder))
    if report is None:
        return {"repaired": False, "kept": 0.0, "told_lost": 0, "trouble": message}
    read, message = _attempt(lambda: values(folder))
    if read is None:
        return {"repaired": False, "kept": 0.0, "told_lost": len(report.lost), "trouble": message}
    same = sum(
        read[kind].get(key) == value for kind, of in truth.items() if kind != "quarantined" for key, value in of.items()
    )
    return {"repaired": not report.left, "kept": same / count(truth), "told_lost": len(report.lost)}


def _attempt(action: Callable[[], Any]) -> tuple[Any, str]:
    """What the action gives, or None and what an error of ours said. Any other error is a fault and goes on."""
    try:
        return action(), ""
    except EvolveError as told:
        return None, str(told)


def _prefix(killed: Path, work: Path, end: int) -> Values:
    """Everything that can be read when the log ends with a certain commit."""
    folder = copy_workspace(killed, work)
    log = _log(WorkspacePaths(folder))
    log.write_bytes(log.read_bytes()[:end])
    return values(folder)


def _targets(folder: Path) -> list[Path]:
    """The files of the store and of the learned skills; large ones are likelier, and the record most of all."""
    store = WorkspacePaths(folder)
    files = [path for top in (store.store, store.skills) for path in sorted(top.rglob("*")) if path.is_file()]
    kept = [path for path in files if path.stat().st_size and path.name != "lock"]
    times = {path: 1 + min(path.stat().st_size // 20_000, 20) for path in kept}
    times[store.db] *= 4
    return [path for path, often in times.items() for _ in range(often)]


def _log(paths: WorkspacePaths) -> Path:
    return paths.db.with_name(paths.db.name + "-wal")


def targets_of(rows: Sequence[Row]) -> list[Target]:
    """Silent wrong reads must not happen, and a repair must end well."""

    def figure(name: str, op: Op, target: float, found: Sequence[float]) -> Target:
        return Target(name=name, op=op, target=target, value=sum(found) if found else None, n=len(found))

    parts = {kind: [row for row in rows if row["kind"] == kind] for kind in ("torn", "flip")}
    return [
        *(
            figure(f"silent wrong reads, {kind}", "==", 0, [row["silent_wrong"] for row in of])
            for kind, of in parts.items()
        ),
        figure("torn logs refused", "==", 0, [row["outcome"] == "detected" for row in parts["torn"]]),
        figure("workspaces not working after a repair", "==", 0, [not row["repaired"] for row in rows]),
    ]


def table(outcome: Outcome) -> str:
    """The figures for a terminal."""
    lines = []
    for kind in ("torn", "flip"):
        of = [row for row in outcome.rows if row["kind"] == kind]
        if of:
            outcomes = {name: sum(row["outcome"] == name for row in of) for name in ("harmless", "detected", "prefix")}
            told = ", ".join(f"{number} {name}" for name, number in outcomes.items())
            least = min(row["kept"] for row in of)
            lines.append(
                f"{kind}: {len(of)} trials, {told}; kept after the repair {mean(row['kept'] for row in of):.4f}"
                f" of the values, at worst {least:.3f}"
            )
    lines += [f"{one.name}: {one.value} of {one.n}, {'met' if one.met else 'MISSED'}" for one in outcome.targets]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.damage", description=(__doc__ or "").split("\n")[0])
    common_options(parser, seeds=1)
    parser.add_argument("--trials", type=int, default=200, help="torn writes, and as many flips")
    parser.add_argument("--seed", type=int, default=0, help="seed of where the damage falls")
    options = parser.parse_args(argv)
    wanted = min(options.trials, 20) if options.quick else options.trials
    started = time.monotonic()
    rows = trials(wanted, options.seed)
    settings = {"trials": wanted, "seed": options.seed, "seconds": round(time.monotonic() - started, 1)}
    outcome = Outcome(
        benchmark="damage", seeds=1, quick=options.quick, rows=rows, targets=targets_of(rows), settings=settings
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()

"""What do procedures over folders spare a person whose chores come again, and what do they cost one whose do not?

Chores in folders that differ in names, files and values, done by a double of a model one after another, with learning
and without. The double looks where a word stands, edits the lines that it was shown, and calls a procedure where its
prompt offers one; which procedures it writes is given. So the figures say what the machinery spares and costs around a
model that writes a right procedure, or one that works by accident, and nothing of how often a model does.

- ``again``: two kinds of chores, in turn.
- ``accident``: the same, with procedures that name the first folder's own files, or do less than was asked for.
- ``once``: chores of which none comes again.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import evolve
from benchmarks.doubles.chores import GENERAL, ChoreDouble, chore
from benchmarks.record import UNSEEDED, Outcome, Target, common_options, progress, publish
from evolve.testing import ScriptedEndpoint
from evolve.workspace import Person

_NAMED = """\
from folder_functions import edit, read


def {entry}(*given):
    for path in ["app/settings.py", "app/server.py", "README.md"]:
        text = read(path)
        edit(path, text, text.replace(given[0], given[-1]))
"""
ACCIDENTS: Mapping[str, str] = {
    "rename": GENERAL["rename"].replace("search(word)", "search(word, 'app')"),
    "release": _NAMED.format(entry="release_version"),
}
WAYS = ("learned", "unlearned")


def done(
    part: str, kinds: Sequence[str], writes: Mapping[str, str], way: str, seed: int
) -> Iterator[Mapping[str, Any]]:
    """A row for each chore, in order."""
    with (
        tempfile.TemporaryDirectory(prefix="chores-") as place,
        ScriptedEndpoint(double=ChoreDouble(writes)) as endpoint,
        evolve.open(Path(place) / "ws", model=endpoint.model, settings=UNSEEDED) as workspace,
    ):
        for number, kind in enumerate(kinds):
            folder = Path(place) / str(number)
            made = chore(kind, 1000 * seed + number, folder)
            person = Person(learn="after" if way == "learned" else "off")
            result = workspace.run(made.task, budget="2M-tokens", person=person)
            workspace.folders.apply(result.run_id)
            record = workspace.stores.runs.episodes()[-1]
            acted = sum((step.action.cost for step in record.steps), start=type(record.cost)())
            yield {
                "part": part,
                "way": way,
                "kind": kind,
                "number": number,
                "done": made.is_done(folder),
                "replies": len(record.steps),
                "calls": result.cost.calls,
                "tokens": result.cost.tokens,
                "acting calls": acted.calls,
                "offered": any(step.action.offered for step in record.steps),
                "admitted": len(workspace.skills.list(("admitted", "trusted"))),
            }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and writes the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    common_options(parser, seeds=1)
    options = parser.parse_args(arguments)
    count = 3 if options.quick else 8
    parts = (
        ("again", ["rename", "release"] * count, GENERAL),
        ("accident", ["rename", "release"] * count, ACCIDENTS),
        ("once", ["rename", "release"], GENERAL),
    )
    rows: list[Mapping[str, Any]] = []
    for seed in range(options.seeds):
        for part, kinds, writes in parts:
            for way in WAYS:
                progress(f"{part}, {way}")
                rows += done(part, kinds, writes, way, seed)
    found = Outcome(benchmark="chores", seeds=options.seeds, quick=options.quick, rows=rows, targets=targets(rows))
    publish(found, options, table(found))


def targets(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """The figures against what they should be."""
    again, before = (_of(rows, "again", way) for way in WAYS)
    once = [_of(rows, "once", way) for way in WAYS]
    accident = _of(rows, "accident", "learned")
    return [
        Target(name="done, learned", op="==", target=1.0, value=_share(again), n=len(again)),
        Target(
            name="calls, learning in them, learned / unlearned",
            op="<=",
            target=0.8,
            value=_ratio(again, before, "calls"),
        ),
        Target(
            name="tokens, learning in them, learned / unlearned",
            op="<=",
            target=0.8,
            value=_ratio(again, before, "tokens"),
        ),
        Target(
            name="tokens for what does not come again, learned / unlearned",
            op="==",
            target=1.0,
            value=_ratio(*once, "tokens"),
        ),
        Target(
            name="procedures that work by accident and were offered", op="==", target=0, value=_sum(accident, "offered")
        ),
    ]


def _of(rows: Sequence[Mapping[str, Any]], part: str, way: str) -> list[Mapping[str, Any]]:
    return [row for row in rows if (row["part"], row["way"]) == (part, way)]


def _sum(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    return float(sum(row[name] for row in rows))


def _share(rows: Sequence[Mapping[str, Any]]) -> float:
    return _sum(rows, "done") / max(1, len(rows))


def _ratio(rows: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]], name: str) -> float:
    return _sum(rows, name) / _sum(others, name)


def table(outcome: Outcome) -> str:
    """A line for each part and way, and the targets."""
    lines = []
    for part in dict.fromkeys(str(row["part"]) for row in outcome.rows):
        for way in WAYS:
            rows = _of(outcome.rows, part, way)
            figures = [f"{_sum(rows, name):,.0f} {name}" for name in ("replies", "calls", "tokens")]
            lines.append(f"{part:<9} {way:<10} {_sum(rows, 'done'):.0f} of {len(rows)} done, {', '.join(figures)}")
    lines += [
        f"{'met ' if one.met else 'MISS'} {one.name} {one.op} {one.target:g}: {one.value}" for one in outcome.targets
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()

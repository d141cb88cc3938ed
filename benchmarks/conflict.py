"""Does the newest value of a fact come first, and do facts that never changed stay?

Facts of several domains are told, some are told anew with another value, in other words than before, among facts of the
same subjects that stay. Asked is for every fact what holds now, as of before the change, and what was. Half of the
phrasings are structured sentences, half are free wording in which nothing but what is meant tells the subject and the
value. With ``--beside`` every fact is followed by talk of the same subject or value that changes nothing. The words
were in sight when the package's forms were worked on, so other wordings do worse.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.conflict_habits import HABITS, HABITS_HELD, TOGETHER, TOGETHER_HELD
from benchmarks.conflict_wordings import BESIDE, DOMAINS, FRESH, KEPT, Domain
from benchmarks.record import Outcome, Target, common_options, progress, publish
from evolve.core.schema import MEMORY
from evolve.core.settings import Settings
from evolve.core.store import Database
from evolve.memory import MemoryRepository
from evolve.memory.index import MemoryIndex, VectorIndex
from evolve.runtime.retrieval import Embedder, HashingEmbedder
from evolve.trials.gate import clopper_pearson
from evolve.workspace.opening import open_embedder

FACTS = 60
"""Facts for each seed, of which half change."""
BESIDES = 2
"""Notes that follow each fact where its domain has some, and change nothing."""
_DAY = 86_400.0


@dataclass(frozen=True, kw_only=True)
class Told:
    """One fact with the notes that told it."""

    domain: Domain
    subject: str
    question: str
    value: str
    first: str
    second: str | None


def draw(seed: int, domains: Sequence[Domain] = DOMAINS) -> tuple[list[tuple[str, float]], list[Told]]:
    """Notes with their times in the order they are told, and what was told."""
    rng = random.Random(seed)
    pool = [(domain, subject) for domain in domains for subject in domain.subjects]
    facts, early, late = [], [], []
    for place, (domain, subject) in enumerate(rng.sample(pool, min(FACTS, len(pool)))):
        old, new = rng.sample(list(domain.values), 2)
        first = rng.choice(domain.told).format(s=subject, v=old)
        second = rng.choice(domain.changed).format(s=subject, v=new, o=old) if place % 2 else None
        facts.append(
            Told(
                domain=domain,
                subject=subject,
                value=new if second else old,
                question=rng.choice(domain.asked).format(s=subject),
                first=first,
                second=second,
            )
        )
        early.append(first)
        late += [second] if second else []
    rng.shuffle(late)
    after = [
        text.format(s=fact.subject, v=fact.value)
        for fact in facts
        for text in rng.sample(fact.domain.beside, min(BESIDES, len(fact.domain.beside)))
    ]
    rng.shuffle(after)
    return [(text, (place + 1) * _DAY) for place, text in enumerate([*early, *late, *after])], facts


def measure(seed: int, embedder: Embedder | None = None, domains: Sequence[Domain] = DOMAINS) -> list[dict[str, Any]]:
    """A row for each fact."""

    def index(dimension: int) -> VectorIndex:
        return MemoryIndex(dimension)

    notes, facts = draw(seed, domains)
    before = len(facts) * _DAY + 1
    rows = []
    with tempfile.TemporaryDirectory(prefix="conflict-") as folder, Database(Path(folder) / "m.db", MEMORY) as db:
        memory = MemoryRepository(db, index, embedder or HashingEmbedder())
        for text, at in notes:
            memory.add_note(text, "somebody", at=at)
        replaced = memory.replaced_notes()
        gone = {note.text for note in memory.list_notes() if note.id in replaced}
        for fact in facts:
            told = memory.recall(fact.question, 5, kinds=["note"])
            found = [item.text for item in told]
            then = [item.text for item in memory.recall(fact.question, 5, kinds=["note"], now=before)]
            past = [item.text for item in memory.recall(fact.question, 5, kinds=["replaced"])]
            rows.append(
                {
                    "seed": seed,
                    "domain": fact.domain.name,
                    "free": fact.domain.free,
                    "changed": fact.second is not None,
                    "right_first": found[:1] == [fact.second or fact.first],
                    "stale_first": fact.second is not None and found[:1] == [fact.first],
                    "stale_in_5": fact.second is not None and fact.first in found,
                    "unmarked": fact.second is not None
                    and (fact.first, "") in [(one.text, one.status) for one in told],
                    "there": (fact.second or fact.first) in found,
                    "first_then": then[:1] == [fact.first],
                    "old_readable": fact.first in past,
                    "holds": (fact.second or fact.first) not in gone,
                }
            )
        memory.close()
    return rows


def together(pairs: Sequence[tuple[str, str, str]]) -> tuple[int, int]:
    """Of pairs of notes of which both may be true, how many lose one and of how many one is marked as older."""
    lost, marked = 0, 0
    for one, other, question in pairs:
        with tempfile.TemporaryDirectory() as folder, Database(Path(folder) / "m.db", MEMORY) as db:
            memory = MemoryRepository(db, MemoryIndex, HashingEmbedder())
            memory.add_note(one, "somebody", at=_DAY)
            memory.add_note(other, "somebody", at=2 * _DAY)
            lost += bool(memory.replaced_notes())
            marked += any(item.status == "older" for item in memory.recall(question, 5, kinds=["note"]))
            memory.close()
    return lost, marked


def targets_of(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """The targets, over all facts and for structured and free wording apart."""
    found = []
    for wording, mine in (
        ("all", rows),
        ("structured", [row for row in rows if not row["free"]]),
        ("free", [row for row in rows if row["free"]]),
    ):
        if not mine:
            continue
        changed, same = [row for row in mine if row["changed"]], [row for row in mine if not row["changed"]]
        found += [
            _share(f"{wording}: newest first", changed, "right_first", ">=", 0.95),
            _share(f"{wording}: stale first", changed, "stale_first", "<=", 0.02),
            _share(f"{wording}: stale in five", changed, "stale_in_5", "<=", 0.05),
            _share(f"{wording}: stale unmarked", changed, "unmarked", "<=", 0.05),
            *([_share(f"{wording}: unchanged in five", same, "there", ">=", 0.98)] if same else []),
        ]
    same = [row for row in rows if not row["changed"]]
    return [
        *found,
        *([_share("unchanged first", same, "right_first", ">=", 0.98)] if same else []),
        _share("what holds is not replaced", rows, "holds", ">=", 0.98),
        _share("first as of then", rows, "first_then", ">=", 0.95),
        _share("old value readable", [row for row in rows if row["changed"]], "old_readable", ">=", 0.95),
    ]


def _share(name: str, rows: Sequence[Mapping[str, Any]], column: str, op: Any, target: float) -> Target:
    count = sum(bool(row[column]) for row in rows)
    interval = clopper_pearson(count, len(rows))
    return Target(
        name=name, op=op, target=target, value=count / len(rows), low=interval.low, high=interval.high, n=len(rows)
    )


def table(outcome: Outcome) -> str:
    """The targets, then shares for each domain."""
    lines = [
        f"{'met ' if one.met else 'MISS'} {one.name:28} {one.op} {one.target:.2f}: {one.value:.3f} of {one.n}"
        for one in outcome.targets
    ]
    names = ("right_first", "stale_first", "stale_in_5", "unmarked", "there", "first_then", "old_readable", "holds")
    lines.append(f"{'changed facts of':20}" + "".join(f"{name:>14}" for name in names))
    for domain in (*DOMAINS, *KEPT, *FRESH, *BESIDE, *HABITS, *HABITS_HELD):
        mine = [row for row in outcome.rows if row["domain"] == domain.name and row["changed"]]
        if mine:
            cells = "".join(f"{sum(row[name] for row in mine) / len(mine):14.3f}" for name in names)
            lines.append(f"{domain.name:20}{cells}")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.conflict", description=(__doc__ or "").split("\n")[0])
    common_options(parser, seeds=10)
    parser.add_argument("--encoder", default="hashing", help="as the setting encoder; minilm is a trained one")
    parser.add_argument("--kept", action="store_true", help="domains that were kept aside from an earlier work")
    parser.add_argument("--fresh", action="store_true", help="domains kept aside until now; choose nothing by them")
    parser.add_argument("--beside", action="store_true", help="domains with talk beside that changes nothing")
    parser.add_argument("--habits", action="store_true", help="tastes, habits and changes told in other words")
    parser.add_argument(
        "--habits-held", action="store_true", help="the same, kept aside until now; choose nothing by it"
    )
    options = parser.parse_args(argv)
    embedder = open_embedder(Settings(encoder=options.encoder))
    chosen = {
        "fresh": FRESH,
        "kept": KEPT,
        "beside": BESIDE,
        "habits": HABITS,
        "habits_held": HABITS_HELD,
    }
    domains = next((domains for name, domains in chosen.items() if getattr(options, name)), DOMAINS)
    seeds = 2 if options.quick else options.seeds
    rows = []
    for seed in range(seeds):
        progress(f"seed {seed}")
        rows += measure(seed, embedder, domains)
    if options.habits or options.habits_held:
        pairs = TOGETHER_HELD if options.habits_held else TOGETHER
        lost, marked = together(pairs)
        progress(f"both true: of {len(pairs)} pairs {lost} lose one, and of {marked} one is marked as older")
    outcome = Outcome(benchmark="conflict", seeds=seeds, quick=options.quick, rows=rows, targets=targets_of(rows))
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()

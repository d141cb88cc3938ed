"""Is a literal noticed that only this year's rows have? ``python -m benchmarks.frozen_constants --json [--seed N]``.

Forty tasks are drawn by a seed: all rows have the same year, currency, domain or prefix in the input, and the output
has it too. An answer that writes it fails on the rows of next year. Either the answer copies it, which rows with
another one show, or it must not be called verified. Beside them stand controls: the same kinds with a suffix that no
input holds, or with rows that differ in the piece. A right answer to one of them should keep its verdict.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import evolve
from benchmarks.everyday_use.__main__ import in_processes
from benchmarks.everyday_use.counting import Row, share, target_lines
from benchmarks.record import Outcome, Target, common_options, publish
from evolve.tasks import equal

TASKS, CONTROLS = 40, 30
_QUICK = 4
DEVELOPED_WITH = 0
"""The seed that work on the product looks at; figures are told of others."""
REPORTED = 20261128
_GIVEN, _UNSEEN = 8, 8

_NAMES = ("ada", "alan", "grace", "barbara", "donald", "edsger", "john", "frances", "tony", "margaret", "emmy", "kurt")
_SURNAMES = (
    "lovelace",
    "turing",
    "hopper",
    "liskov",
    "knuth",
    "dijkstra",
    "backus",
    "allen",
    "hoare",
    "noether",
    "shaw",
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_PIECES: dict[str, tuple[tuple[str, ...], ...]] = {
    "year": (("2024", "2025", "2026", "2027"),),
    "currency": (("EUR", "USD", "CHF", "GBP"),),
    "domain": (("example.com", "initech.net", "mail.org", "acme.dev"),),
    "prefix": (("BX", "KT", "MR"), ("INV", "ORD", "REF"), ("lot", "box", "row"), ("Q", "S", "T")),
}
"""Pieces of one kind: which of them a table has changes, and how it is written does not."""
_SUFFIXES = (" EUR", "@corp.org", " (paid)", "-v2", "/2031", " kg")


@dataclass(frozen=True, kw_only=True)
class Form:
    """How a piece stands in an input and in the output.

    Attributes:
        given: The input with a piece in it.
        wanted: What belongs beside it.
        plain: The same without the piece.
    """

    given: Callable[[random.Random, str], str]
    wanted: Callable[[str, str], str]
    plain: Callable[[str], str]


def _day(rng: random.Random, year: str) -> str:
    return f"{year}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"


def _number(rng: random.Random) -> str:
    return f"{rng.randint(1, 999)}.{rng.randint(0, 99):02}"


def _person(rng: random.Random) -> str:
    return f"{rng.choice(_NAMES)}.{rng.choice(_SURNAMES)}"


FORMS: dict[str, tuple[Form, ...]] = {
    "year": (
        Form(given=_day, wanted=lambda t, y: f"{t[8:]}.{t[5:7]}.{y}", plain=lambda t: f"{t[8:]}.{t[5:7]}."),
        Form(given=_day, wanted=lambda t, y: f"{_MONTHS[int(t[5:7]) - 1]} {y[2:]}", plain=lambda t: t[5:7]),
        Form(given=_day, wanted=lambda t, y: f"{t[5:7]}/{y}", plain=lambda t: t[8:]),
        Form(
            given=lambda rng, y: f"{rng.randint(100, 999)}-{y}-{rng.choice('ABC')}",
            wanted=lambda t, y: f"{y}/{t[:3]}",
            plain=lambda t: t[:3],
        ),
    ),
    "currency": (
        Form(
            given=lambda r, c: f"{c} {_number(r)}",
            wanted=lambda t, c: f"{t.split()[1]} {c}",
            plain=lambda t: t.split()[1],
        ),
        Form(
            given=lambda r, c: f"{_number(r)} {c}",
            wanted=lambda t, c: f"{c} {t.split()[0]}",
            plain=lambda t: t.split()[0],
        ),
        Form(
            given=lambda r, c: f"{_number(r)} {c.lower()} net",
            wanted=lambda t, c: f"{t.split()[0]} {c.lower()}",
            plain=lambda t: t.split()[0],
        ),
    ),
    "domain": (
        Form(
            given=lambda r, d: f"{_person(r)}@{d}",
            wanted=lambda t, d: f"{t.split('@')[0].split('.')[1]} ({d})",
            plain=lambda t: t.split("@")[0],
        ),
        Form(
            given=lambda r, d: f"{_person(r)}@{d}",
            wanted=lambda t, d: f"{d}: {t.split('.')[0]}",
            plain=lambda t: t.split(".")[0],
        ),
        Form(
            given=lambda r, d: f"https://{d}/{r.choice(_NAMES)}/{r.randint(10, 99)}",
            wanted=lambda t, d: f"{d} {t.rsplit('/', 1)[1]}",
            plain=lambda t: t.rsplit("/", 1)[1],
        ),
    ),
    "prefix": (
        Form(
            given=lambda r, p: f"{p}-{r.randint(100, 999)}-{r.choice('KLM')}",
            wanted=lambda t, p: f"{t.split('-')[1]}/{p}",
            plain=lambda t: t.split("-")[1],
        ),
        Form(
            given=lambda r, p: f"{p}{r.randint(1000, 9999)} {r.choice(_NAMES)}",
            wanted=lambda t, p: f"{p}: {t.split()[1]}",
            plain=lambda t: t.split()[1],
        ),
        Form(
            given=lambda r, p: f"{r.choice(_NAMES)}_{p}_{r.randint(10, 99)}",
            wanted=lambda t, p: f"{p}-{t.rsplit('_', 1)[1]}",
            plain=lambda t: t.rsplit("_", 1)[1],
        ),
    ),
}


@dataclass(frozen=True, kw_only=True)
class Task:
    """Rows that are given, and two kinds of rows that are not: of the same piece and of others."""

    name: str
    kind: str
    given: tuple[tuple[str, str], ...]
    same: tuple[tuple[str, str], ...]
    other: tuple[tuple[str, str], ...]


def drawn(seed: int, number: int, control: str = "") -> Task:
    """A task; ``control`` is ``suffix`` or ``varied``."""
    rng = random.Random(f"{seed}/{control}/{number}")
    kind = tuple(FORMS)[number % len(FORMS)]
    form, pieces = rng.choice(FORMS[kind]), rng.choice(_PIECES[kind])
    frozen, suffix = rng.choice(pieces), rng.choice(_SUFFIXES)
    seen: set[str] = set()

    def row(piece: str) -> tuple[str, str]:
        given = form.given(rng, piece)
        while given in seen:
            given = form.given(rng, piece)
        seen.add(given)
        return given, f"{form.plain(given)}{suffix}" if control == "suffix" else form.wanted(given, piece)

    def rows(count: int, choose: Callable[[int], str]) -> tuple[tuple[str, str], ...]:
        return tuple(row(choose(n)) for n in range(count))

    given = rows(_GIVEN, (lambda n: pieces[n % 3]) if control == "varied" else lambda _: frozen)
    same = rows(_UNSEEN, lambda _: frozen)
    others = [piece for piece in pieces if piece != frozen]
    other = rows(_UNSEEN, lambda n: others[n % len(others)])
    return Task(name=f"{control or 'frozen'}-{kind}-{number}", kind=kind, given=given, same=same, other=other)


def measured(seed: int, number: int, control: str = "") -> dict[str, Any]:
    """What the product says of one task."""
    task = drawn(seed, number, control)
    with tempfile.TemporaryDirectory(prefix="frozen-") as folder:
        with evolve.open(Path(folder) / "workspace", model="") as workspace:
            result = workspace.run(examples=[*task.given], name=task.name.replace("-", "_"))
            borne = bool(result.solved and workspace.stores.runs.episode(result.episode_id).verified)
        right = {name: _right(result, rows) for name, rows in (("same", task.same), ("other", task.other))}
    return {
        "task": task.name,
        "kind": task.kind,
        "control": control,
        "seed": seed,
        "solved": result.solved,
        "verified": result.verified,
        "borne": borne,
        "skills": len(result.skills),
        "right_same": right["same"],
        "right_other": right["other"],
        "reason": str(result.reason or ""),
        "answer": result.answer,
        "example": list(task.given[0]),
    }


def _right(result: evolve.Result, rows: Sequence[tuple[str, str]]) -> bool:
    """Whether the answer is right on all of some rows."""
    if not result.solved:
        return False
    return all(
        equal(got, wanted) for got, (_, wanted) in zip(result.apply([given for given, _ in rows]), rows, strict=True)
    )


def targets_of(rows: Sequence[Row]) -> list[Target]:
    """What should be noticed, and what should stay.

    A verdict is lost where the answer is right on all unseen rows, was borne by rows that the search did not see, and
    is not called verified all the same, for whatever reason.
    """
    frozen = [row for row in rows if not row["control"] and row["solved"]]
    noticed = sum(row["right_other"] or not row["verified"] for row in frozen)
    kept = sum(bool(row["skills"]) and not row["right_other"] for row in frozen)
    borne = [row for row in rows if row["borne"] and row["right_same"] and row["right_other"]]
    lost = sum(not row["verified"] for row in borne)
    return [
        Target(
            name="frozen pieces flagged or copied",
            op=">=",
            target=0.95,
            value=share(noticed, len(frozen)),
            n=len(frozen),
        ),
        Target(name="skills with a frozen piece", op="<=", target=0.05, value=share(kept, len(frozen)), n=len(frozen)),
        Target(
            name="right answers that lost their verdict",
            op="<=",
            target=0.05,
            value=share(lost, len(borne)),
            n=len(borne),
        ),
    ]


def table(rows: Sequence[Row]) -> str:
    """The figures for a terminal."""
    lines = [f"{'kind':<20} tasks  solved  verified  right next time"]
    for control, kind in dict.fromkeys((row["control"], row["kind"]) for row in rows):
        mine = [row for row in rows if (row["control"], row["kind"]) == (control, kind)]
        counts = [sum(bool(row[name]) for row in mine) for name in ("solved", "verified", "right_other")]
        lines.append(f"{f'{control} {kind}'.strip():<20} {len(mine):5} {counts[0]:7} {counts[1]:9} {counts[2]:16}")
    return "\n".join([*lines, *target_lines(targets_of(rows))])


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.frozen_constants", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--seed", type=int, default=REPORTED, help=f"of the draw; work looks at {DEVELOPED_WITH}")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    common_options(parser, seeds=1)
    options = parser.parse_args(argv)
    tasks, controls = (_QUICK, _QUICK) if options.quick else (TASKS, CONTROLS)
    names = [(number, "") for number in range(tasks)]
    names += [(number, ("suffix", "varied")[number // 4 % 2]) for number in range(controls)]
    jobs = [partial(measured, options.seed, number, control) for number, control in names]
    rows = in_processes(
        jobs, options.jobs, lambda row: f"{row['task']}: {'verified' if row['verified'] else row['reason']}"
    )
    outcome = Outcome(
        benchmark="frozen_constants",
        seeds=1,
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows),
        settings={"seed": options.seed},
    )
    publish(outcome, options, table(rows))


if __name__ == "__main__":
    main()

"""From families of hidden programs to tasks: parameters, rows, and what makes an instance worthless.

A family draws programs; an instance becomes a task only if its group is new, its outputs vary,
and its five visible rows tell it from its rivals and from every earlier program of the suite.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benchmarks.suites.groups import group_of
from evolve.core.episodes import Json, Row
from evolve.core.equality import equal
from evolve.tasks.model import Task
from evolve.tasks.signature import format_signature, infer_signature

EXAMPLES = 5
HIDDEN = 8
PROBES = 200
POOL = 48
"""Inputs drawn for one instance; its rows are chosen among them."""
ATTEMPTS = 12
LARGEST = 1_000_000
LONGEST = 400
"""Characters of a row as JSON."""

Fn = Callable[..., Json]
Draw = Callable[[random.Random, Sequence[Json]], tuple[Json, ...]]
_ROW_ERRORS = (ArithmeticError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, kw_only=True)
class Program:
    """A hidden program.

    Attributes:
        text: What it does, in words: an imperative without a full stop.
        fn: Plain Python; must not change its arguments.
        rivals: Simpler functions that the visible rows must refute, such as one branch alone.
        notable: Values that inputs should hold now and then, such as a threshold.
    """

    text: str
    fn: Fn
    rivals: tuple[Fn, ...] = ()
    notable: tuple[Json, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What the programs of one input type share.

    Attributes:
        name: Identifies the probes, so that equal programs on one type share a group.
        draw: One random argument list; gets the program's notable values.
        edges: Argument lists every pool begins with.
        probe: Draws the probes where ``draw`` covers only a part of the type.
    """

    name: str
    draw: Draw
    edges: tuple[tuple[Json, ...], ...] = ()
    probe: Draw | None = None

    def probes(self) -> list[tuple[Json, ...]]:
        """The same argument lists for every seed."""
        rng = random.Random(f"probes:{self.name}")
        if self.probe is not None:
            return [self.probe(rng, ()) for _ in range(PROBES)]
        return [*self.edges, *(self.draw(rng, ()) for _ in range(PROBES - len(self.edges)))]


Make = Callable[[random.Random], Program]


@dataclass(frozen=True, kw_only=True)
class Family:
    """Programs that differ in parameters only.

    Attributes:
        difficulty: 1 (one operation) to 5.
        weight: Tasks it gives in each turn.
    """

    name: str
    difficulty: int
    kind: Kind
    make: Make
    weight: int = 1


def fixed(name: str, difficulty: int, kind: Kind, *programs: tuple[str, Fn]) -> list[Family]:
    """A family without parameters: every program, as words and function, becomes one task."""

    def making(program: Program) -> Make:
        return lambda rng: program

    return [
        Family(name=name, difficulty=difficulty, kind=kind, make=making(Program(text=text, fn=fn)))
        for text, fn in programs
    ]


@dataclass(kw_only=True)
class SuiteBuilder:
    """Collects distinct tasks of one suite; the same seed gives the same tasks."""

    suite: str
    rng: random.Random
    instruction: str = ""
    """Instruction of every task; by default the program's own text."""
    tasks: list[Task] = field(default_factory=list)
    groups: set[str] = field(default_factory=set)
    fns: dict[str, list[Fn]] = field(default_factory=dict)
    probes: dict[str, list[tuple[Json, ...]]] = field(default_factory=dict)

    def fill(self, families: Sequence[Family], n: int) -> list[Task]:
        """Tasks in turn from every family until there are ``n``; a family that runs dry drops out."""
        live = list(families)
        while live and len(self.tasks) < n:
            turn = [family for family in live for _ in range(family.weight)]
            for family in turn:
                if len(self.tasks) == n:
                    break
                if family in live and not any(self.add(family, family.make(self.rng)) for _ in range(ATTEMPTS)):
                    live.remove(family)
        return self.tasks

    def add(self, family: Family, program: Program, meta: dict[str, Json] | None = None) -> bool:
        """Make a task of the program; False where it is a duplicate or no usable rows were found."""
        kind = family.kind
        probes = self.probes.setdefault(kind.name, kind.probes())
        group = group_of(program.fn, probes)
        if group in self.groups:
            return False
        rows = self._rows(kind, program)
        if rows is None:
            return False
        self.groups.add(group)
        self.fns.setdefault(kind.name, []).append(program.fn)
        text = program.text[0].upper() + program.text[1:] + "."
        self.tasks.append(
            Task(
                id=f"{family.name}-{len(self.tasks) + 1:03d}",
                family=family.name,
                group=group,
                instruction=self.instruction or text,
                signature=format_signature(infer_signature(rows)),
                examples=rows[:EXAMPLES],
                hidden=rows[EXAMPLES:],
                meta={
                    "suite": self.suite,
                    "family": family.name,
                    "difficulty": family.difficulty,
                    "program": text,
                    **(meta or {}),
                },
            )
        )
        return True

    def _rows(self, kind: Kind, program: Program) -> tuple[Row, ...] | None:
        pool = draw_pool(self.rng, kind, program)
        if len(pool) < EXAMPLES + HIDDEN or degenerate(pool):
            return None
        rivals = [*program.rivals, *self.fns.get(kind.name, ())]
        for _ in range(ATTEMPTS):
            chosen = self.rng.sample(pool, EXAMPLES + HIDDEN)
            examples = chosen[:EXAMPLES]
            if telling(examples, pool) and not any(reproduces(rival, examples) for rival in rivals):
                return tuple(chosen)
        return None


def draw_pool(rng: random.Random, kind: Kind, program: Program) -> list[Row]:
    """Distinct rows on which the program is defined and of readable size."""
    pool: dict[str, Row] = {}
    drawn = [*kind.edges, *(kind.draw(rng, program.notable) for _ in range(POOL))]
    for arguments in drawn:
        key = json.dumps(arguments)
        try:
            output = program.fn(*arguments)
        except _ROW_ERRORS:
            continue
        if _readable(arguments) and _readable(output):
            pool[key] = Row(input=arguments, output=output)
    return list(pool.values())


def degenerate(rows: Sequence[Row]) -> bool:
    """Whether one output, or an argument handed back, explains too many rows."""
    counts = Counter(json.dumps(row.output, sort_keys=True) for row in rows)
    limit = 0.7 if all(isinstance(row.output, bool) for row in rows) else 0.45
    if max(counts.values()) > limit * len(rows):
        return True
    arity = len(rows[0].input)
    handed_back = max(sum(equal(row.input[place], row.output) for row in rows) for place in range(arity))
    return handed_back > 0.5 * len(rows)


def telling(examples: Sequence[Row], pool: Sequence[Row]) -> bool:
    """Whether the visible outputs vary enough, and most arguments are not handed back."""
    outputs = {json.dumps(row.output, sort_keys=True) for row in examples}
    possible = len({json.dumps(row.output, sort_keys=True) for row in pool})
    changed = sum(not any(equal(argument, row.output) for argument in row.input) for row in examples)
    if len(outputs) < min(possible, 4) or changed < 3:
        return False
    return sum(_empty(row.output) for row in examples) <= 1


def reproduces(fn: Fn, rows: Sequence[Row]) -> bool:
    """Whether a function gives every output."""
    try:
        return all(equal(fn(*row.input), row.output) for row in rows)
    except _ROW_ERRORS:
        return False


def _empty(value: Json) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def _readable(value: Json) -> bool:
    text = json.dumps(value)
    if len(text) > LONGEST:
        return False
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, list | tuple):
            pending.extend(item)
        elif isinstance(item, int | float) and abs(item) > LARGEST:
            return False
    return True

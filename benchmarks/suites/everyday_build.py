"""From families of reference programs to tasks: draw rows, refuse degenerate ones, name the group."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any, NamedTuple

from benchmarks.suites.groups import group_of
from evolve.core.episodes import Json, Row
from evolve.core.equality import equal
from evolve.tasks.model import Task

Program = Callable[..., Json]
Draw = Callable[[Random], tuple[Any, ...]]
Sample = tuple[tuple[Any, ...], Json]

STR = "(text: str) -> str"
PROBES = 200
EXAMPLES = 6
HIDDEN = 8
_POOL = 60
_TRIES = 12
_LABELS = 4
_PARTIAL = (ValueError, IndexError, KeyError, TypeError, AttributeError, ArithmeticError)


class V(NamedTuple):
    """One member of a family: a program with its parameters bound.

    ``level`` grades difficulty from 1 (one operation) to 5; ``draw`` and ``signature``
    replace the family's where the member reads another kind of column.
    """

    level: int
    text: str
    program: Program
    draw: Draw | None = None
    signature: str = ""


@dataclass(frozen=True, kw_only=True)
class Family:
    """Programs over one kind of column.

    Attributes:
        name: kebab-case, unique in a suite.
        draw: Makes the arguments of one row.
        variants: The members; their order numbers the task ids.
        signature: Signature grammar of tasks.
        branch: Names the case a row belongs to; every case met in hidden rows also occurs in the examples.
    """

    name: str
    draw: Draw
    variants: tuple[V, ...]
    signature: str = STR
    branch: Callable[..., Hashable] | None = None


@dataclass(frozen=True, kw_only=True)
class Member:
    """A variant with everything its family lends it."""

    suite: str
    family: Family
    number: int
    variant: V

    @property
    def id(self) -> str:
        return f"{self.family.name}-{self.number}"

    @property
    def draw(self) -> Draw:
        return self.variant.draw or self.family.draw

    @property
    def signature(self) -> str:
        return self.variant.signature or self.family.signature


def members(suite: str, families: Iterable[Family]) -> list[Member]:
    """Every variant of every family, in declared order."""
    return [
        Member(suite=suite, family=family, number=number, variant=variant)
        for family in families
        for number, variant in enumerate(family.variants, start=1)
    ]


def attempt(program: Program, args: Sequence[Any]) -> Json:
    """The program's output, or an ``{"undefined": ...}`` marker outside its domain."""
    try:
        return program(*args)
    except _PARTIAL as problem:
        return {"undefined": type(problem).__name__}


def family_probes(family: Family) -> list[tuple[Any, ...]]:
    """200 inputs that all members of the family are told apart on; the same for every seed."""
    rng = Random(f"probes of {family.name}")
    draws = list(dict.fromkeys(variant.draw or family.draw for variant in family.variants))
    return [draws[index % len(draws)](rng) for index in range(PROBES)]


def member_groups(pool: Sequence[Member]) -> Callable[[Member], str]:
    """Identity of a member's hidden program: its outputs on the family's probes, drawn once per family."""
    families = {member.family.name: member.family for member in pool}
    drawn = cache(lambda name: family_probes(families[name]))
    return lambda member: group_of(member.variant.program, drawn(member.family.name))


def _nudged(value: Any, factor: float) -> Any:
    """The value with every float in it scaled."""
    if isinstance(value, float):
        return value * factor
    if isinstance(value, dict):
        return {key: _nudged(item, factor) for key, item in value.items()}
    return [_nudged(item, factor) for item in value] if isinstance(value, list) else value


def _holds_float(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_float, value.values()))
    return isinstance(value, float) or (isinstance(value, list | tuple) and any(map(_holds_float, value)))


def _settled(program: Program, args: tuple[Any, ...], output: Json) -> bool:
    """Whether the output survives float noise in the input.

    Rounding ties would otherwise mark a right answer wrong for computing ``x * 119 / 100`` instead of ``x * 1.19``.
    """
    if not _holds_float(args):
        return True
    for factor in (1 - 1e-11, 1 + 1e-11):
        moved = tuple(_nudged(arg, factor) for arg in args)
        if not equal(_coarse(program(*moved)), _coarse(output)):
            return False
    return True


def _coarse(value: Json) -> Json:
    if isinstance(value, float):
        return float(f"{value:.8g}")
    return [_coarse(item) for item in value] if isinstance(value, list) else value


def _pool(member: Member, rng: Random) -> list[Sample]:
    """Distinct inputs on which the program is defined, with outputs."""
    seen: dict[str, Sample] = {}
    program = member.variant.program
    for _ in range(_POOL):
        args = member.draw(rng)
        output = program(*args)
        if _settled(program, args, output):
            seen.setdefault(repr(args), (args, output))
    return list(seen.values())


def _is_label(outputs: Iterable[Json]) -> bool:
    """Labels and flags are only learnable when every value that is asked for has been shown."""
    return len({repr(output) for output in outputs}) <= _LABELS


def _spread(member: Member, rng: Random) -> list[Sample] | None:
    """14 rows, the cases in turn, so that examples and hidden rows hold the same cases."""
    pool = _pool(member, rng)
    branch = member.family.branch
    label = _is_label(output for _, output in pool)
    cases: dict[Hashable, list[Sample]] = {}
    for args, output in pool:
        case = (branch(*args) if branch else None, repr(output) if label else None)
        cases.setdefault(case, []).append((args, output))
    queues = [rows for rows in cases.values() if len(rows) >= 3][:EXAMPLES]
    rows: list[Sample] = []
    while queues and len(rows) < EXAMPLES + HIDDEN:
        for queue in queues:
            rows.append(queue.pop())
        queues = [queue for queue in queues if queue]
    return rows[: EXAMPLES + HIDDEN] if len(rows) >= EXAMPLES + HIDDEN else None


def _discriminates(member: Member, rows: Sequence[Sample]) -> bool:
    """Whether the examples show more than a constant or a copy, and rule out the family's other members."""
    examples = rows[:EXAMPLES]
    outputs = {repr(output) for _, output in examples}
    if len(outputs) < 2 or (len(outputs) == 2 and not _is_label(output for _, output in rows)):
        return False
    if sum(len(args) != 1 or args[0] != output for args, output in examples) < 2:
        return False
    others = (other for other in member.family.variants if other is not member.variant)
    return all(any(not equal(attempt(other.program, args), output) for args, output in examples) for other in others)


def build(member: Member, seed: int, group: str) -> Task | None:
    """The member's task for a seed, or None when no draw of rows tells it from its family."""
    for trial in range(_TRIES):
        rng = Random(f"{member.suite}/{member.id}/{seed}/{trial}")
        rows = _spread(member, rng)
        if rows is None or not _discriminates(member, rows):
            continue
        made = tuple(Row(input=args, output=output) for args, output in rows)
        return Task(
            id=member.id,
            family=member.family.name,
            group=group,
            instruction=member.variant.text,
            signature=member.signature,
            examples=made[:EXAMPLES],
            verify=(),
            hidden=made[EXAMPLES:],
            meta={"suite": member.suite, "family": member.family.name, "difficulty": member.variant.level},
        )
    return None


def _quotas(n: int) -> dict[str, int]:
    """A quarter easy (level 1), a quarter hard (levels 4 and 5), the rest between."""
    quarter = n // 4
    return {"easy": quarter, "hard": quarter, "medium": n - 2 * quarter}


def _band(member: Member) -> str:
    return {1: "easy", 4: "hard", 5: "hard"}.get(member.variant.level, "medium")


def sample(pool: Sequence[Member], n: int, seed: int) -> list[Task]:
    """``n`` tasks of distinct groups in random order, by band; groups repeat only when the pool is used up.

    Raises:
        ValueError: ``n`` is negative.
    """
    if n < 0:
        raise ValueError("n must not be negative")
    group_name = member_groups(pool)
    rng = Random(f"{pool[0].suite}/{seed}")
    order = rng.sample(list(pool), len(pool))
    left = _quotas(n)
    later: list[Member] = []
    tasks: list[Task] = []
    groups: set[str] = set()

    def take(member: Member) -> bool:
        group = group_name(member)
        task = None if group in groups else build(member, seed, group)
        if task is None:
            return False
        groups.add(group)
        tasks.append(task)
        return True

    for member in order:
        if left[_band(member)] <= 0:
            later.append(member)
        elif take(member):
            left[_band(member)] -= 1
    for member in later:
        if len(tasks) >= n:
            break
        take(member)
    rng.shuffle(tasks)
    return tasks + _again(order, n - len(tasks), seed, group_name)


def _again(order: Sequence[Member], count: int, seed: int, group_name: Callable[[Member], str]) -> list[Task]:
    """Further tasks on other rows, for an ``n`` beyond the pool; they share groups, never ids."""
    tasks: list[Task] = []
    turn = 1
    while len(tasks) < count:
        before = len(tasks)
        for member in order:
            if len(tasks) == count:
                break
            task = build(member, seed + 1_000_003 * turn, group_name(member))
            if task is not None:
                tasks.append(replace(task, id=f"{task.id}-again-{turn}"))
        if len(tasks) == before:
            break
        turn += 1
    return tasks

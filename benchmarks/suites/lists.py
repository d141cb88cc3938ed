"""The ``lists`` suite: functions over lists of integers, from one operation to three and a condition."""

from __future__ import annotations

import random
from collections.abc import Sequence

from benchmarks.suites import lists_carried as carried
from benchmarks.suites import lists_families as families
from benchmarks.suites import lists_records as records
from benchmarks.suites import lists_steps as steps
from benchmarks.suites import lists_wider as wider
from benchmarks.suites.frame import Family, Kind, Make, Program, SuiteBuilder
from evolve.core.episodes import Json
from evolve.tasks.model import Task

INSTRUCTION = "Find the function that gives the output for every input."
SIZE, RECORD_TASKS = 480, 80
"""Tasks by default, and how many of them are over readings, places, pairs and carried values."""
_RANGES = ((0, 9), (0, 9), (-9, 20), (-9, 20), (0, 99))


def draw_numbers(rng: random.Random, notable: Sequence[Json], longest: int = 9) -> list[int]:
    """A list of up to ``longest`` integers, some of them notable, some of them twice."""
    low, high = rng.choice(_RANGES)
    numbers = [rng.randint(low, high) for _ in range(rng.randint(1, longest))]
    for place in range(len(numbers)):
        chance = rng.random()
        if notable and chance < 0.2:
            numbers[place] = rng.choice(list(notable))
        elif chance > 0.85:
            numbers[place] = rng.choice(numbers)
    return numbers


def _one(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return (draw_numbers(rng, notable),)


def _with_number(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    numbers = draw_numbers(rng, notable)
    number = rng.choice(numbers) if rng.random() < 0.35 else rng.randint(1, 6)
    return numbers, number


def _two(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    first = draw_numbers(rng, notable, 7)
    second = draw_numbers(rng, [*notable, *first], 7)
    return first, second


def _nested(rng: random.Random, notable: Sequence[Json]) -> tuple[Json, ...]:
    return ([draw_numbers(rng, notable, 4) for _ in range(rng.randint(1, 5))],)


ONE = Kind(name="list", draw=_one, edges=(([],), ([0],), ([7],), ([3, 3, 3],), ([-4, 5, -6, 0],)))
WITH_NUMBER = Kind(name="list, number", draw=_with_number, edges=(([], 2), ([5], 1), ([1, 2, 3, 4], 9)))
TWO = Kind(name="list, list", draw=_two, edges=(([], []), ([1, 2], []), ([], [4]), ([2, 2], [2])))
NESTED = Kind(name="lists", draw=_nested, edges=(([],), ([[]],), ([[1], [2, 3]],), ([[4, 4], [], [5]],)))

_STEPS_BY_DIFFICULTY: tuple[tuple[int, tuple[steps.MakeStep, ...]], ...] = (
    (1, (steps.take, steps.drop, steps.plus, steps.times, steps.append, steps.prepend, steps.reverse, steps.order)),
    (2, (
        steps.cut, steps.trim, steps.stride, steps.affine, steps.modulo, steps.floor_divide, steps.above, steps.below,
        steps.divisible, steps.without, steps.swap_value, steps.insert, steps.overwrite, steps.delete, steps.unique,
        steps.rotate, steps.repeat, steps.mirror,
    )),
    (3, (
        steps.clamp, steps.between, steps.swap_places, steps.frame, steps.order_by, steps.neighbours, steps.running,
        steps.with_position, steps.sprinkle, steps.while_true,
    )),
)  # fmt: skip


def _single(make: steps.MakeStep, difficulty: int) -> Family:
    def program(rng: random.Random) -> Program:
        step = make(rng)
        return Program(text=step.text, fn=step.run, notable=step.notable)

    name = make.__name__.replace("_", "-")
    return Family(name=name, difficulty=difficulty, kind=ONE, make=program)


def _family(name: str, difficulty: int, kind: Kind, make: Make, weight: int = 1) -> Family:
    return Family(name=name, difficulty=difficulty, kind=kind, make=make, weight=weight)


def all_families() -> list[Family]:
    """Every family of the suite, easy ones first."""
    singles = [_single(make, difficulty) for difficulty, makes in _STEPS_BY_DIFFICULTY for make in makes]
    return [
        *singles,
        _family("aggregate", 1, ONE, families.aggregate),
        _family("nth", 1, ONE, families.nth),
        _family("count-value", 1, ONE, families.count_value),
        _family("contains", 1, ONE, families.contains),
        _family("count-if", 2, ONE, families.count_if),
        _family("sum-if", 2, ONE, families.sum_if),
        _family("quantified", 2, ONE, families.quantified),
        _family("property", 2, ONE, families.property_of_list),
        _family("extremes", 2, ONE, families.extremes),
        _family("row-facts", 2, NESTED, wider.row_facts),
        _family("with-number", 2, WITH_NUMBER, wider.with_number),
        _family("number-from-both", 2, WITH_NUMBER, wider.number_from_both),
        _family("test-of-both", 2, WITH_NUMBER, wider.test_of_both),
        _family("merged", 2, TWO, wider.merged),
        _family("zipped", 2, TWO, wider.zipped),
        _family("number-from-two", 3, TWO, wider.number_from_two),
        _family("positions", 3, ONE, families.positions),
        _family("first-such", 3, ONE, families.first_such),
        _family("part", 3, ONE, families.part),
        _family("map-if", 3, ONE, families.map_if),
        _family("occurrences", 3, ONE, families.occurrences, weight=2),
        _family("digits", 3, ONE, families.digits),
        _family("chunks", 3, ONE, families.chunks),
        _family("chunk-facts", 3, ONE, families.chunk_sums, weight=2),
        _family("split-at", 3, ONE, families.split_at),
        _family("row-choice", 3, NESTED, wider.row_choice),
        _family("row-filter", 3, NESTED, wider.row_filter),
        _family("row-map", 3, NESTED, wider.row_map),
        _family("column", 3, NESTED, wider.column),
        _family("flatten", 3, NESTED, wider.flatten),
        _family("with-number-after", 3, WITH_NUMBER, wider.with_number_after, weight=2),
        _family("reduce-after", 3, ONE, families.reduce_after, weight=3),
        _family("two-steps", 3, ONE, families.chained(2), weight=4),
        _family("compare-all", 4, ONE, families.compare_all, weight=2),
        _family("around", 4, ONE, families.around, weight=3),
        _family("groups-of", 4, ONE, families.groups_of, weight=2),
        _family("conditional", 4, ONE, families.conditional, weight=2),
        _family("reduce-after-two", 4, ONE, families.reduce_after_two, weight=3),
        _family("three-steps", 5, ONE, families.chained(3), weight=4),
    ]


def generate(n: int, seed: int) -> list[Task]:
    """``n`` tasks with ``n`` different hidden programs; the same seed gives the same tasks.

    Functions over any list come first, then those over readings, places, pairs and carried values.
    """
    builder = SuiteBuilder(suite="lists", rng=random.Random(f"lists:{seed}"), instruction=INSTRUCTION)
    builder.fill(all_families(), n - n * RECORD_TASKS // SIZE)
    builder.rng = random.Random(f"lists of records:{seed}")
    builder.fill([*records.families(), *carried.families()], n)
    return builder.fill(all_families(), n)

"""The ``composed`` suite: a stream in which later tasks combine hidden concepts of earlier ones.

Stage 1 shows each concept, alone and with one plain operation behind it; stage 2 chains two
concepts; stage 3 chains three. Who has learned the concepts needs two or three steps where
others need nine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import permutations

from benchmarks.suites.composed_concepts import (
    DRESSINGS_OF_NUMBERS,
    DRESSINGS_OF_TEXT,
    NUMBER_CONCEPTS,
    TEXT_CONCEPTS,
    Concept,
)
from benchmarks.suites.frame import Family, Kind, Program, SuiteBuilder
from benchmarks.suites.lists import INSTRUCTION, ONE
from benchmarks.suites.strings_words import PHRASE
from evolve.core.episodes import Json
from evolve.tasks.model import Task

NUMBER_COUNT = 9
TEXT_COUNT = 5
STAGE_SHARES = (0.2, 0.5)
"""Where stages 1 and 2 end, as shares of the stream."""

Dressing = tuple[str, Callable[[Json], Json]]
Instance = tuple[Kind, Program, tuple[str, ...]]


def _chain(concepts: tuple[Concept, ...], dressing: Dressing | None = None) -> Program:
    def run(value: Json) -> Json:
        for concept in concepts:
            value = concept.run(value)
        return dressing[1](value) if dressing else value

    rivals = [_run_of(concepts[:i] + concepts[i + 1 :]) for i in range(len(concepts))] if len(concepts) > 1 else []
    if dressing:
        rivals += [_run_of(concepts), dressing[1]]
    text = ", then ".join([concept.text for concept in concepts] + ([dressing[0]] if dressing else []))
    notable = tuple(value for concept in concepts for value in concept.notable)
    return Program(text=text, fn=run, rivals=tuple(rivals), notable=notable)


def _run_of(concepts: Sequence[Concept]) -> Callable[[Json], Json]:
    def run(value: Json) -> Json:
        for concept in concepts:
            value = concept.run(value)
        return value

    return run


def _shown(kind: Kind, concepts: Sequence[Concept], dressings: Sequence[Dressing]) -> list[Instance]:
    """Stage 1: every concept alone, then with each dressing."""
    found: list[Instance] = [(kind, _chain((concept,)), (concept.name,)) for concept in concepts]
    for dressing in dressings:
        found += [(kind, _chain((concept,), dressing), (concept.name,)) for concept in concepts]
    return found


def _combined(rng: random.Random, kind: Kind, concepts: Sequence[Concept], count: int) -> list[Instance]:
    """Every chain of ``count`` different concepts, in random order."""
    found: list[Instance] = [
        (kind, _chain(chosen), tuple(concept.name for concept in chosen)) for chosen in permutations(concepts, count)
    ]
    rng.shuffle(found)
    return found


def _dressed_pairs(
    rng: random.Random, kind: Kind, concepts: Sequence[Concept], dressings: Sequence[Dressing]
) -> list[Instance]:
    found: list[Instance] = [
        (kind, _chain(chosen, dressing), tuple(concept.name for concept in chosen))
        for dressing in dressings
        for chosen in permutations(concepts, 2)
    ]
    rng.shuffle(found)
    return found


def _interleave(numbers: Sequence[Instance], texts: Sequence[Instance]) -> Iterable[Instance]:
    """Two number tasks, then one text task, until both are used up."""
    waiting = list(texts)
    for place, instance in enumerate(numbers):
        yield instance
        if place % 2 and waiting:
            yield waiting.pop(0)
    yield from waiting


def generate(n: int, seed: int) -> list[Task]:
    """``n`` tasks with ``n`` different hidden programs, in the order in which concepts build on each other."""
    rng = random.Random(f"composed:{seed}")
    numbers = [make(rng) for make in rng.sample(NUMBER_CONCEPTS, NUMBER_COUNT)]
    texts = [make(rng) for make in rng.sample(TEXT_CONCEPTS, TEXT_COUNT)]
    pairs = (_combined(rng, ONE, numbers, 2), _combined(rng, PHRASE, texts, 2))
    stages = (
        _interleave(_shown(ONE, numbers, DRESSINGS_OF_NUMBERS), _shown(PHRASE, texts, DRESSINGS_OF_TEXT)),
        _interleave(
            pairs[0] + _dressed_pairs(rng, ONE, numbers, DRESSINGS_OF_NUMBERS),
            pairs[1] + _dressed_pairs(rng, PHRASE, texts, DRESSINGS_OF_TEXT),
        ),
        _interleave(_combined(rng, ONE, numbers, 3), _combined(rng, PHRASE, texts, 3)),
    )
    builder = SuiteBuilder(suite="composed", rng=rng, instruction=INSTRUCTION)
    ends = (*(round(n * share) for share in STAGE_SHARES), n)
    for stage, (instances, end) in enumerate(zip(stages, ends, strict=True), start=1):
        _fill(builder, stage, instances, end)
    return builder.tasks


def _fill(builder: SuiteBuilder, stage: int, instances: Iterable[Instance], end: int) -> None:
    for kind, program, names in instances:
        if len(builder.tasks) >= end:
            return
        what = "numbers" if kind is ONE else "words"
        family = Family(
            name=f"{what}-{('concept', 'pair', 'triple')[stage - 1]}",
            difficulty=stage + 2,
            kind=kind,
            make=lambda _, program=program: program,  # type: ignore[misc]
        )
        builder.add(family, program, {"stage": stage, "concepts": list(names)})

"""Fits the guide from insights and from tasks made up out of known operations.

A short goalless enumeration over a task's inputs fills a bank; entries drawn from it are
programs with known outputs. The features of such a made-up task and the names in its
program are a training row for the guide. Dreams borrow inputs, never wanted outputs.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evolve.core.episodes import TaskView
from evolve.core.errors import ModelMistake
from evolve.policies.search.bank import Entry, term_of
from evolve.policies.search.features import TaskFeatures
from evolve.policies.search.grammar import price_name
from evolve.policies.search.guide import Guide, Sample, fit
from evolve.policies.search.known_functions import TreeSkill, operation_name, with_library
from evolve.policies.search.leaves import constant_name
from evolve.policies.search.meter import OutOfBudget, meter_for, without_collector
from evolve.policies.search.problem import SearchProblem, problem_of
from evolve.policies.search.programs.operations import literals, vocabulary
from evolve.policies.search.programs.terms import Apply, Constant, Input, Term, walk
from evolve.policies.search.searcher import Searcher, Vocabulary
from evolve.policies.search.task_features import features_of

if TYPE_CHECKING:
    from evolve.memory import ExperienceRow


CANDIDATES = 1_500
"""Candidates of the enumeration from which one task's dreams are drawn."""
JITTER = 3
"""Largest random change of a price, so that different dreams dwell in different regions."""


def names_in(term: Term) -> frozenset[str]:
    """The priced names an expression uses: operations, literals, kinds of mined constants."""
    names: set[str] = set()
    for part in walk(term):
        if isinstance(part, Apply):
            names.add(price_name(part.operation))
        elif isinstance(part, Constant):
            names.add(constant_name(part))
    return frozenset(names)


def synthetic_task(
    problems: Sequence[SearchProblem],
    vocabulary: Vocabulary,
    prices: Mapping[str, int],
    *,
    count: int,
    seed: int,
    check: Callable[[float], None] = lambda done: None,
) -> list[Sample]:
    """Makes up about ``count`` training rows.

    Args:
        problems: Where inputs and types come from; outputs are not used.
        vocabulary: The current vocabulary, skills included.
        prices: Prices that shape which programs are dreamt.
        count: Rows wanted.
        seed: Makes the dreams reproducible.
        check: Called between dreams with the share that is done; what it raises ends the work.
    """
    rng = random.Random(seed)
    clues = TaskFeatures(vocabulary)
    share = max(2, -(-count // max(1, len(problems))))
    samples: list[Sample] = []
    for place, problem in enumerate(problems):
        # Each task gets prices of its own, so that its dreams dwell elsewhere than those of the last one.
        for sample in _dreams_of(problem, clues, _jittered(vocabulary, prices, rng), share, rng):
            samples.append(sample)
            check(place / len(problems))
    rng.shuffle(samples)
    return samples[:count]


def _jittered(vocabulary: Vocabulary, prices: Mapping[str, int], rng: random.Random) -> dict[str, int]:
    base = {o.name: prices.get(o.name, o.cost) for o in vocabulary.operations}
    base.update(prices)
    return {name: max(1, price + rng.randint(-JITTER, JITTER)) for name, price in base.items()}


def _dreams_of(
    problem: SearchProblem, clues: TaskFeatures, prices: Mapping[str, int], share: int, rng: random.Random
) -> Iterator[Sample]:
    # Without wanted outputs the search has no goal and goes on.
    blank = replace(problem, outputs=(None,) * len(problem.inputs))
    searcher = Searcher(blank, clues.vocabulary, prices, meter_for(CANDIDATES, None), combine=False)
    enumerator = searcher.enumerator
    with without_collector(), suppress(OutOfBudget):
        while enumerator.cost < 30:
            for _ in enumerator.next_cost_entries():
                pass
    entries = [e for _, e in enumerator.bank.entries(problem.output_type) if _interesting(e)]
    reader = clues.clue_reader(problem)
    for entry in _spread(entries, share, rng):
        yield Sample(
            features=features_of(problem, entry[0]),
            needed=names_in(term_of(entry)),
            clues=reader.clues(entry[0]),
        )


def _spread(entries: Sequence[Entry], share: int, rng: random.Random) -> list[Entry]:
    """A sample that favours neither the many large programs nor the few small ones."""
    if len(entries) <= share:
        return list(entries)
    # Entries come in order of price, and most of them are large programs.
    edge = max(share, len(entries) // 8)
    early, late = list(entries[:edge]), list(entries[edge:])
    few = min(len(early), share // 3)
    return rng.sample(early, few) + rng.sample(late, min(len(late), share - few))


def _interesting(entry: Entry) -> bool:
    """Whether the values vary and depend on the input."""
    term = term_of(entry)
    if len(set(entry[0])) == 1 or not isinstance(term, Apply):
        return False
    return any(isinstance(part, Input) for part in walk(term))


_CLUES, _DREAMS = 0.07, 0.62
"""Shares of a fit's time after which the clues are read, and the dreams are dreamt."""


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """How a guide is fitted.

    Attributes:
        dreams: Rows to dream.
        weight: Weight of an experience row against a dream.
        steps: Steps of the fit.
        check: Called again and again between pieces of a fraction of a second, with the share of the work that is
            done; what it raises ends the work.
    """

    dreams: int = 2_400
    weight: float = 8.0
    steps: int = 120
    check: Callable[[float], None] = lambda done: None


def fit_guide(
    experience: Sequence[ExperienceRow],
    views: Sequence[TaskView],
    library: Sequence[TreeSkill],
    seed: int,
    settings: TrainingSettings | None = None,
) -> Guide:
    """A guide from evidence rows and dreams.

    Args:
        experience: Evidence rows of insights; the only experience the guide is fitted from.
        views: Practised tasks: dreams borrow their inputs, experience its clues.
        library: Skills whose operations may be dreamt of.
        seed: Makes dreams reproducible.
        settings: Sizes.

    Raises:
        ValueError: There is no experience: without insights no guide is fitted, dreams included.
    """
    if not experience:
        raise ValueError("a guide needs insights")
    chosen = settings or TrainingSettings()
    words = Vocabulary(with_library(vocabulary(), library), literals())
    names = {f"skill:{s.digest}": operation_name(s.entry) for s in library}
    problems = problems_of(views)
    reading, clues = TaskFeatures(words), {}
    for place, problem in enumerate(problems):
        chosen.check(_CLUES * place / len(problems))
        # By features, because evidence rows hold these and not the task's examples.
        clues[features_of(problem)] = reading.clue_reader(problem).clues()
    samples = _samples_of(experience, names, chosen.weight, clues)
    prices = dream_prices(words) | _prices_of_skills(names.values(), samples)

    def dreamt(done: float) -> None:
        chosen.check(_CLUES + (_DREAMS - _CLUES) * done)

    def descended(done: float) -> None:
        chosen.check(_DREAMS + (1 - _DREAMS) * done)

    dreams = synthetic_task(problems, words, prices, count=chosen.dreams, seed=seed, check=dreamt)
    return fit([*samples, *dreams], rows=len(samples), steps=chosen.steps, check=descended)


def _samples_of(
    experience: Iterable[ExperienceRow],
    names: Mapping[str, str],
    weight: float,
    clues: Mapping[tuple[float, ...], Mapping[str, Sequence[str]]],
) -> list[Sample]:
    """One training row per task: what was observed of it and what its answer has.

    Args:
        experience: Evidence rows.
        names: Priced name by cause, for learned operations.
        weight: Weight of a row against a dream.
        clues: Clues by the features of the practised problem they belong to.
    """
    needed: dict[str, set[str]] = defaultdict(set)
    features: dict[str, tuple[float, ...]] = {}
    for row in experience:
        features.setdefault(row.task, row.features)
        name = names.get(row.cause) or row.cause.removeprefix("operation:")
        # A cause that still is a skill's digest belongs to a skill that is gone.
        if row.direction > 0 and not name.startswith("skill:"):
            needed[row.task].add(name)
    return [
        Sample(
            features=features[task],
            needed=frozenset(needed[task]),
            weight=weight,
            clues=clues.get(features[task], {}),
        )
        for task in sorted(features)
    ]


def problems_of(views: Iterable[TaskView]) -> list[SearchProblem]:
    """The search problems of the views; one whose examples the search cannot type is left out."""
    problems = []
    for view in views:
        try:
            problems.append(problem_of(view))
        except ModelMistake:
            continue
    return problems


def _prices_of_skills(skills: Iterable[str], samples: Sequence[Sample]) -> dict[str, int]:
    """Prices for dreaming of skills, one more than the bits of surprise that an answer needs one.

    Dreamt of as often as an operation of the vocabulary, a skill that served once would crowd out what serves always.
    """
    times = Counter(name for sample in samples for name in sample.needed)
    return {name: 1 + round(math.log2((len(samples) + 1) / (times[name] + 0.5))) for name in skills}


def dream_prices(words: Vocabulary) -> dict[str, int]:
    """Prices for dreaming: static and a little flat, so that dreams range wider than what was practised.

    Dreaming more of what insights showed to matter makes a worse guide: it drops what practice never met.
    """
    return {o.name: o.cost + 1 for o in words.operations}

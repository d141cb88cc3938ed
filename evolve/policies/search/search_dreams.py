"""Dreams: tasks the policy makes up from its own vocabulary on real inputs.

A short goalless enumeration over a task's inputs fills a bank; entries drawn from it are
programs with known outputs. The features of such a made-up task and the names in its
program are a training row for the guide. Dreams borrow inputs, never wanted outputs.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from evolve.policies.search.bank import Entry, term_of
from evolve.policies.search.features import TaskFeatures
from evolve.policies.search.grammar import price_name
from evolve.policies.search.guide import Sample
from evolve.policies.search.leaves import constant_name
from evolve.policies.search.meter import OutOfBudget, meter_for
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.terms import Apply, Constant, Input, Term, walk
from evolve.policies.search.search_collector import without_collector
from evolve.policies.search.searcher import Searcher, Vocabulary
from evolve.policies.search.task_features import features_of

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
            for _ in enumerator.advance():
                pass
    entries = [e for _, e in enumerator.bank.entries(problem.output_type) if _interesting(e)]
    reader = clues.reader(problem)
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

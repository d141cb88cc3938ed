"""What is learned and searched must not depend on the processor, the libraries' versions or Python's own."""

from __future__ import annotations

import json
import math
import os
import random
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.policies.search.guide import Pricing, Sample, fit
from evolve.policies.search.problem import problem_of
from evolve.policies.search.programs.operations import vocabulary
from evolve.policies.search.programs.types import FLOAT, as_type
from evolve.policies.search.task_features import feature_space, features_of
from tests.architecture.source import ROOT
from tests.policies.samples import view_of

NAMES = tuple(operation.name for operation in vocabulary())


def samples(count: int = 60) -> list[Sample]:
    rng = random.Random(7)
    width = len(feature_space().names)
    clues = [f"clue {number}" for number in range(12)]
    return [
        Sample(
            features=tuple(rng.choice((0.0, 1.0, rng.randint(1, 6) / 7)) for _ in range(width)),
            needed=frozenset(rng.sample(NAMES, 3)),
            weight=rng.choice((1.0, 8.0)),
            clues={name: rng.sample(clues, 4) for name in rng.sample(NAMES, 20)},
        )
        for _ in range(count)
    ]


@pytest.mark.slow
def test_a_guide_does_not_depend_on_the_order_in_which_its_rows_are_added() -> None:
    rows = samples()
    first, second = fit(rows, rows=10, steps=40), fit(rows[::-1], rows=10, steps=40)
    assert first.to_json() == second.to_json()
    seen = rows[0]
    turned = {name: list(shown)[::-1] for name, shown in seen.clues.items()}
    assert first.probabilities(seen.features, seen.clues) == first.probabilities(seen.features, turned)


KERNELS = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX2 FMA3",
    "OMP_NUM_THREADS": "1",
}
FITTED = (
    "import json, sys;"
    "sys.path.insert(0, '.');"
    "from tests.policies.test_same_everywhere import fit, samples;"
    "made = fit(samples(), rows=10, steps=40);"
    "print(json.dumps([made.to_json(), made.probabilities(samples()[0].features)]))"
)


@pytest.mark.slow
def test_a_guide_does_not_depend_on_the_processor() -> None:
    """Fitted again with the kernels of a processor of 2008."""
    made = fit(samples(), rows=10, steps=40)
    again = subprocess.run(
        [sys.executable, "-c", FITTED],
        env={**os.environ, **KERNELS},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout) == [made.to_json(), made.probabilities(samples()[0].features)]


shares = st.dictionaries(st.sampled_from(NAMES), st.floats(0, 1), min_size=1, max_size=30)


@pytest.mark.slow
@given(shares, st.randoms(use_true_random=False))
def test_prices_do_not_hang_on_a_last_bit_or_on_an_order(probabilities: dict[str, float], rng: random.Random) -> None:
    static = {operation.name: operation.cost for operation in vocabulary()}
    items = list(probabilities.items())
    rng.shuffle(items)
    nudged = {name: math.nextafter(share, rng.choice((0.0, 1.0))) for name, share in items}
    nearly = Pricing(static, tuple(nudged)).prices(tuple(nudged.values()))
    assert nearly == Pricing(static, tuple(probabilities)).prices(tuple(probabilities.values()))


def test_sums_of_floats_are_rounded_once() -> None:
    """Python adds floats one way up to 3.11 and another from 3.12 on, so no operation may leave it to ``sum``."""
    by_name = {operation.name: operation for operation in vocabulary()}
    assert by_name["mean"].function((0.1,) * 10) == 0.1
    amounts = as_type({str(at): 0.1 for at in range(10)}, by_name["total_of_amounts"].params[0])
    assert by_name["total_of_amounts"].function(amounts) == 1.0
    plain = [name for name, one in by_name.items() if one.result == FLOAT and re.search(r"\bsum\(", one.template)]
    assert plain == ["mean_of_integers"]  # whole numbers add up exactly


def test_what_a_task_looks_like_does_not_hang_on_a_last_bit() -> None:
    view = view_of(math.fsum, [0.1] * 10, [0.2] * 5, [0.7, 0.1, 0.1, 0.1])
    looks = dict(zip(feature_space().names, features_of(problem_of(view)), strict=True))
    assert looks["list>scalar: is the sum always"] == 1.0

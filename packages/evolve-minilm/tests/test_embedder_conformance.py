"""The encoder ``minilm`` keeps what every encoder promises, with the weights that are installed."""

from __future__ import annotations

import pytest

from evolve.core.settings import Settings
from evolve.runtime.retrieval import Embedder
from evolve.workspace.opening import open_embedder
from tests.retrieval.test_embedders import (
    test_a_text_encodes_alike_alone_and_in_company,
    test_alike_texts_are_closer_than_unlike_ones,
    test_every_text_has_a_unit_vector,
    test_it_travels_between_processes,
    test_no_texts_give_no_vectors,
    test_the_name_tells_encoders_apart,
)

__all__ = [
    "test_a_text_encodes_alike_alone_and_in_company",
    "test_alike_texts_are_closer_than_unlike_ones",
    "test_every_text_has_a_unit_vector",
    "test_it_travels_between_processes",
    "test_no_texts_give_no_vectors",
    "test_the_name_tells_encoders_apart",
]


@pytest.fixture(scope="module", params=[pytest.param("minilm", marks=pytest.mark.st)])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    """The encoder by its name in the settings."""
    return open_embedder(Settings(encoder=request.param))

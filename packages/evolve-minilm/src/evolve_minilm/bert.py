"""BERT's layers in numpy, for encoders that were trained and need no library to run.

Source: Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers", NAACL 2019, as sentence-transformers use
it: vectors of words, averaged (Reimers and Gurevych, "Sentence-BERT", EMNLP 2019) or that of the first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evolve.core.errors import WorkspaceError
from evolve_minilm.tensor_file import OWN, TensorFile

_TERMS = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
"""Of the error function: Abramowitz and Stegun, 7.1.26; off by 1.5e-7 at most, which is what single precision has."""


@dataclass(frozen=True)
class _Dense:
    weight: np.ndarray
    bias: np.ndarray

    def __call__(self, values: np.ndarray) -> np.ndarray:
        return np.asarray(values @ self.weight + self.bias)


@dataclass(frozen=True)
class _Norm:
    """Layer normalisation (Ba, Kiros and Hinton 2016)."""

    weight: np.ndarray
    bias: np.ndarray
    least: float

    def __call__(self, values: np.ndarray) -> np.ndarray:
        centred = values - values.mean(axis=-1, keepdims=True)
        spread = np.sqrt(np.einsum("...i,...i->...", centred, centred) / centred.shape[-1] + self.least)
        return np.asarray(centred / spread[..., None] * self.weight + self.bias)


@dataclass(frozen=True)
class _Layer:
    """Attention, then two dense layers; both are added to what came in."""

    heads: int
    asks: _Dense
    """Queries, keys and values side by side."""
    attended: _Dense
    first_norm: _Norm
    inner: _Dense
    outer: _Dense
    second_norm: _Norm

    def __call__(self, values: np.ndarray) -> np.ndarray:
        values = self.first_norm(values + self.attended(self._attention(values)))
        return self.second_norm(values + self.outer(_gelu(self.inner(values))))

    def _attention(self, values: np.ndarray) -> np.ndarray:
        texts, words, size = values.shape
        split = self.asks(values).reshape(texts, words, 3, self.heads, size // self.heads)
        query, key, value = split.transpose(2, 0, 3, 1, 4)
        scores = query @ key.swapaxes(-1, -2) / np.float32(math.sqrt(size // self.heads))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        return np.asarray((scores @ value).swapaxes(1, 2).reshape(texts, words, size))


class Bert:
    """A model with its weights.

    Args:
        config: What ``config.json`` of the model says.

    Raises:
        WorkspaceError: The model is of another kind, or a tensor is missing.
    """

    def __init__(self, config: Mapping[str, Any], tensors: TensorFile) -> None:
        for name, wanted in (("model_type", "bert"), ("hidden_act", "gelu"), ("position_embedding_type", "absolute")):
            if config.get(name, wanted) != wanted:
                raise WorkspaceError(
                    f"an encoder with {name} {config[name]!r} is not supported; only {wanted!r} is", hint=OWN
                )
        self._tensors = tensors
        self._prefix = "bert." if tensors.has("bert.embeddings.word_embeddings.weight") else ""
        self._least = float(config.get("layer_norm_eps", 1e-12))
        self._words = self._get("embeddings.word_embeddings.weight")
        # Every text is one segment, so its part is the same at each place.
        self._places = self._get("embeddings.position_embeddings.weight")
        self._places = self._places + self._get("embeddings.token_type_embeddings.weight")[0]
        self._norm = self._normalisation("embeddings.LayerNorm")
        heads = int(config["num_attention_heads"])
        self._layers = [self._layer(f"encoder.layer.{at}", heads) for at in range(int(config["num_hidden_layers"]))]

    def __call__(self, tokens: Sequence[Sequence[int]]) -> np.ndarray:
        """Vectors of shape (texts, words, size) for texts of equally many words, given by their numbers."""
        numbers = np.asarray(tokens)
        values = self._norm(self._words[numbers] + self._places[: numbers.shape[1]])
        for layer in self._layers:
            values = layer(values)
        return values

    def _get(self, name: str) -> np.ndarray:
        return self._tensors.tensor(self._prefix + name)

    def _dense(self, *names: str) -> _Dense:
        weight = np.concatenate([self._get(f"{name}.weight") for name in names])
        return _Dense(np.ascontiguousarray(weight.T), np.concatenate([self._get(f"{name}.bias") for name in names]))

    def _normalisation(self, name: str) -> _Norm:
        return _Norm(self._get(f"{name}.weight"), self._get(f"{name}.bias"), self._least)

    def _layer(self, name: str, heads: int) -> _Layer:
        return _Layer(
            heads,
            self._dense(*(f"{name}.attention.self.{part}" for part in ("query", "key", "value"))),
            self._dense(f"{name}.attention.output.dense"),
            self._normalisation(f"{name}.attention.output.LayerNorm"),
            self._dense(f"{name}.intermediate.dense"),
            self._dense(f"{name}.output.dense"),
            self._normalisation(f"{name}.output.LayerNorm"),
        )


def _gelu(values: np.ndarray) -> np.ndarray:
    """Gaussian error linear units (Hendrycks and Gimpel 2016), by the error function itself."""
    scaled = np.abs(values) * np.float32(math.sqrt(0.5))
    inverse = 1 / (1 + np.float32(0.3275911) * scaled)
    total = np.zeros_like(inverse)
    for term in reversed(_TERMS):
        total = (total + np.float32(term)) * inverse
    # 1 + erf of a positive number is 2 less this tail, of a negative one the tail.
    tail = total * np.exp(-scaled * scaled)
    return np.asarray(np.float32(0.5) * values * np.where(values >= 0, 2 - tail, tail))

"""A small encoder with weights drawn at random, and its vectors worked out word by word in plain Python."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "sort", "the", "list", "in", "descending", "order", "##ed", "largest", "a"]
SIZE, HEADS, INNER, LAYERS, PLACES = 8, 2, 12, 2, 24
CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": SIZE,
    "num_attention_heads": HEADS,
    "num_hidden_layers": LAYERS,
    "intermediate_size": INNER,
    "max_position_embeddings": PLACES,
    "vocab_size": len(WORDS),
    "layer_norm_eps": 1e-12,
}

Matrix = list[list[float]]


def shapes() -> dict[str, tuple[int, ...]]:
    """The shape of every tensor."""
    found: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), SIZE),
        "embeddings.position_embeddings.weight": (PLACES, SIZE),
        "embeddings.token_type_embeddings.weight": (2, SIZE),
    }
    norms = ["embeddings.LayerNorm"]
    for at in range(LAYERS):
        layer = f"encoder.layer.{at}"
        dense = {f"attention.self.{part}": (SIZE, SIZE) for part in ("query", "key", "value")}
        dense |= {"attention.output.dense": (SIZE, SIZE), "intermediate.dense": (INNER, SIZE)}
        for name, shape in {**dense, "output.dense": (SIZE, INNER)}.items():
            found[f"{layer}.{name}.weight"], found[f"{layer}.{name}.bias"] = shape, shape[:1]
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    for norm in norms:
        found[f"{norm}.weight"] = found[f"{norm}.bias"] = (SIZE,)
    return found


def weights(seed: int) -> dict[str, np.ndarray]:
    """Weights drawn at random."""
    rng = np.random.default_rng(seed)
    return {name: rng.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes().items()}


def write(folder: Path, tensors: Mapping[str, np.ndarray], *, pooling: str = "mean_tokens") -> Path:
    """A folder of a model as sentence-transformers lays it out."""
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({f"pooling_mode_{pooling}": True}))
    types = ("Transformer", "Pooling", "Normalize")
    modules = [{"idx": at, "type": f"sentence_transformers.models.{name}"} for at, name in enumerate(types)]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer()))
    header, body = {}, b""
    for name, values in tensors.items():
        kind = {"float32": "F32", "float16": "F16", "int64": "I64"}[str(values.dtype)]
        end = len(body) + values.nbytes
        header[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": [len(body), end]}
        body += values.tobytes()
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + body)
    return folder


def _tokenizer() -> dict[str, object]:
    marks = [("[CLS]", 2), ("[SEP]", 3)]
    return {
        "version": "1.0",
        "truncation": {"max_length": 6, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        "padding": None,
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
            ],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {name: {"id": name, "ids": [number], "tokens": [name]} for name, number in marks},
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {word: number for number, word in enumerate(WORDS)},
        },
    }


def vector(tensors: Mapping[str, np.ndarray], numbers: Sequence[int], *, first: bool = False) -> list[float]:
    """What a text of these words comes to, by the equations, one number after the other."""

    def dense(name: str, row: Sequence[float]) -> list[float]:
        weight, bias = tensors[f"{name}.weight"].tolist(), tensors[f"{name}.bias"].tolist()
        return [sum(a * b for a, b in zip(line, row, strict=True)) + c for line, c in zip(weight, bias, strict=True)]

    def norm(name: str, row: Sequence[float]) -> list[float]:
        mean = sum(row) / len(row)
        spread = math.sqrt(sum((value - mean) ** 2 for value in row) / len(row) + 1e-12)
        scale, shift = tensors[f"{name}.weight"].tolist(), tensors[f"{name}.bias"].tolist()
        return [(value - mean) / spread * a + b for value, a, b in zip(row, scale, shift, strict=True)]

    def gelu(value: float) -> float:
        return value * 0.5 * (1 + math.erf(value / math.sqrt(2)))

    parts = ("word_embeddings", "position_embeddings", "token_type_embeddings")
    words, places, kinds = (tensors[f"embeddings.{part}.weight"].tolist() for part in parts)
    rows: Matrix = [
        norm("embeddings.LayerNorm", [a + b + c for a, b, c in zip(words[n], places[at], kinds[0], strict=True)])
        for at, n in enumerate(numbers)
    ]
    for layer in (f"encoder.layer.{at}" for at in range(LAYERS)):
        asks, keys, values = (
            [dense(f"{layer}.attention.self.{part}", row) for row in rows] for part in ("query", "key", "value")
        )
        step, seen = SIZE // HEADS, []
        for ask in asks:
            joined: list[float] = []
            for head in (slice(start, start + step) for start in range(0, SIZE, step)):
                raw = [sum(a * b for a, b in zip(ask[head], key[head], strict=True)) / math.sqrt(step) for key in keys]
                shares = [math.exp(score) / sum(map(math.exp, raw)) for score in raw]
                joined += [
                    sum(share * value[head][place] for share, value in zip(shares, values, strict=True))
                    for place in range(step)
                ]
            seen.append(dense(f"{layer}.attention.output.dense", joined))
        rows = [
            norm(f"{layer}.attention.output.LayerNorm", [a + b for a, b in zip(row, more, strict=True)])
            for row, more in zip(rows, seen, strict=True)
        ]
        outer = [
            dense(f"{layer}.output.dense", list(map(gelu, dense(f"{layer}.intermediate.dense", row)))) for row in rows
        ]
        rows = [
            norm(f"{layer}.output.LayerNorm", [a + b for a, b in zip(row, more, strict=True)])
            for row, more in zip(rows, outer, strict=True)
        ]
    found = rows[0] if first else [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    size = math.sqrt(sum(value * value for value in found))
    return [value / size for value in found]

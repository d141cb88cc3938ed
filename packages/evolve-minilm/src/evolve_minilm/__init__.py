"""Text encoders of BERT's form in numpy: numpy and a tokenizer run them, and nothing is ever downloaded."""

from __future__ import annotations

from evolve_minilm.embedder import MiniLMEmbedder

__all__ = ["MiniLMEmbedder"]

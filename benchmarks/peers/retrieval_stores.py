"""Searches texts with other projects' stores, run by an interpreter that has them: ``retrieval_stores.py FOLDER WAY K``

The folder holds ``rows.json`` with ``ids``, ``texts`` and ``questions``, and the vectors of texts and questions as
``texts.npy`` and ``questions.npy``; nothing here encodes. A line of JSON comes for each question: the ids found and
what the search took in CPU milliseconds. One question is asked before, which pays for what is loaded late.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Search = Callable[[int], Sequence[str]]
"""Ids for a question by its number, best first."""

_BATCH = 2000


class Given:
    """What is to be searched."""

    def __init__(self, folder: Path) -> None:
        import numpy as np

        content = json.loads((folder / "rows.json").read_text("utf-8"))
        self.ids: list[str] = content["ids"]
        self.texts: list[str] = content["texts"]
        self.questions: list[str] = content["questions"]
        self.vectors: Any = np.load(folder / "texts.npy", allow_pickle=False)
        self.asked: Any = np.load(folder / "questions.npy", allow_pickle=False)
        self.folder = folder
        rows = [*zip(self.questions, self.asked.tolist(), strict=True)]
        rows += [*zip(self.texts, self.vectors.tolist(), strict=True)]
        self._known = {text.strip(): vector for text, vector in rows}

    def encode(self, text: str) -> list[float]:
        """The vector that was handed over for a text. Stores trim what they are given."""
        return self._known[text.strip()]


def chroma(given: Given, k: int) -> Search:
    """Chroma as it comes, with cosine distance."""
    import chromadb

    collection = chromadb.EphemeralClient().create_collection(
        "texts", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    for start in range(0, len(given.ids), _BATCH):
        part = slice(start, start + _BATCH)
        collection.add(ids=given.ids[part], embeddings=given.vectors[part])
    return lambda at: collection.query(query_embeddings=given.asked[at : at + 1], n_results=k, include=[])["ids"][0]


def langgraph(given: Given, k: int) -> Search:
    """LangGraph's InMemoryStore with embeddings."""
    from langgraph.store.base import PutOp
    from langgraph.store.memory import InMemoryStore

    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [given.encode(text) for text in texts]

    store = InMemoryStore(index={"dims": given.vectors.shape[1], "embed": embed, "fields": ["text"]})
    rows = zip(given.ids, given.texts, strict=True)
    store.batch([PutOp(("texts",), name, {"text": text}) for name, text in rows])
    return lambda at: [item.key for item in store.search(("texts",), query=given.questions[at], limit=k)]


def lancedb(given: Given, k: int) -> Search:
    """LanceDB's hybrid search: its full-text index and vectors, by its own reranker, which fuses ranks."""
    import lancedb as library
    from lancedb.rerankers import RRFReranker

    rows = [
        {"id": name, "text": text, "vector": vector}
        for name, text, vector in zip(given.ids, given.texts, given.vectors.tolist(), strict=True)
    ]
    table = library.connect(str(given.folder / "lance")).create_table("texts", rows)
    table.create_fts_index("text")
    reranker = RRFReranker()

    def search(at: int) -> Sequence[str]:
        # Its query language gives signs a meaning.
        words = "".join(char if char.isalnum() else " " for char in given.questions[at])
        asked = table.search(query_type="hybrid").distance_type("cosine").vector(given.asked[at]).text(words)
        return [row["id"] for row in asked.rerank(reranker).limit(k).to_list()]

    return search


def mem0(given: Given, k: int) -> Search:
    """mem0 with ``infer=False``: texts are kept as they are and no model is asked, so its key is never used."""
    os.environ["MEM0_TELEMETRY"] = "False"
    os.environ["MEM0_DIR"] = str(given.folder / "mem0")
    from mem0 import Memory

    store = {"path": str(given.folder / "qdrant"), "embedding_model_dims": given.vectors.shape[1], "on_disk": False}
    unused = {"provider": "openai", "config": {"api_key": "unused"}}
    memory = Memory.from_config(
        {"vector_store": {"provider": "qdrant", "config": store}, "llm": unused, "embedder": unused}
    )
    memory.embedding_model = _Encoder(given)
    for name, text in zip(given.ids, given.texts, strict=True):
        memory.add(text, user_id="reader", infer=False, metadata={"name": name})

    def search(at: int) -> Sequence[str]:
        found = memory.search(given.questions[at], top_k=k, filters={"user_id": "reader"}, threshold=0.0)
        return [item["metadata"]["name"] for item in found["results"]]

    return search


class _Encoder:
    """What mem0 calls an embedding model."""

    def __init__(self, given: Given) -> None:
        self._given = given

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self._given.encode(text)

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return [self._given.encode(text) for text in texts]


WAYS = {"chroma": chroma, "langgraph": langgraph, "lancedb": lancedb, "mem0": mem0}


def main() -> None:
    """The command."""
    out, sys.stdout = sys.stdout, sys.stderr  # some say what they do
    folder, way, k = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    with tempfile.TemporaryDirectory() as home:
        os.environ["HOME"] = home
        given = Given(folder)
        search = WAYS[way](given, k)
        search(0)
        for at in range(len(given.questions)):
            started = time.process_time()
            found = list(search(at))
            spent = (time.process_time() - started) * 1000
            print(json.dumps({"found": found, "cpu_ms": round(spent, 3)}), file=out)


if __name__ == "__main__":
    main()

"""Finding text again: encoders that turn text into vectors, word search, and fusion of both."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.runtime.retrieval.embedders import Embedder, HashingEmbedder
    from evolve.runtime.retrieval.lexical import WordIndex, fuse_rankings, split_words
    from evolve.runtime.retrieval.sentence_transformer import SentenceTransformerEmbedder, bundled_model
    from evolve.runtime.retrieval.synonyms import MeaningIndex
else:
    __getattr__, __dir__ = attach(__name__)

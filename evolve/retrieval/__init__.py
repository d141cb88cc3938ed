"""Finding text again: encoders that turn text into vectors, word search, and fusion of both."""

from evolve.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.retrieval.embedders import Embedder, HashingEmbedder
    from evolve.retrieval.lexical import fuse, words
    from evolve.retrieval.meaning import MeaningIndex
    from evolve.retrieval.sentence_transformer import SentenceTransformerEmbedder, bundled_model
    from evolve.retrieval.word_index import WordIndex
else:
    __getattr__, __dir__ = attach(__name__)

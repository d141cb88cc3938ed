"""Secrets of the person and their machine: which values they are, where a text holds one, and the text without them.

Models clean what endpoints say, and exports refuse what would carry a secret out, by this one mechanism.
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.core.redaction.known import KnownSecret, known_secrets
    from evolve.core.redaction.scanner import MARK, Scanner, SecretMatch, StreamCleaner
else:
    __getattr__, __dir__ = attach(__name__)

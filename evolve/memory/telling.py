"""Insights in sentences for people, with counts from the evidence, made whenever they are read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from evolve.memory.insight_book import InsightBook
from evolve.memory.insights import ClaimKey, Insight
from evolve.memory.makers import named
from evolve.memory.need import Occurrence

ENOUGH = 3
"""Problems in whose answer something must have stood before it is told after a run."""

_KINDS = {"str": "text", "int": "number", "float": "number", "bool": "yes or no", "dict": "table", "row": "row"}


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """What is known of one insight.

    Attributes:
        text: One plain sentence.
        occurs: Problems in whose answer the cause stands and does something.
        of: Solved problems of the same scope.
        tried: Problems that were searched again without the cause.
        general: It speaks of more than constants that one table happens to have.
        worded: A model worded it.
    """

    text: str
    occurs: int
    of: int
    tried: int = 0
    general: bool = True
    worded: bool = False

    @property
    def worth_telling(self) -> bool:
        """Whether it rests on enough to be told to somebody who did not ask."""
        return self.worded or (self.general and self.occurs >= ENOUGH)


def sentences(book: InsightBook, policy: str | None = None) -> Mapping[str, Sentence]:
    """Every insight in a sentence, by id. One that a model worded is its own sentence.

    Args:
        policy: For whom it is told; see :meth:`InsightBook.get`.
    """
    return {name: _sentence(key, _worded(book, name, policy), book.need(name).known) for name, key in book.keys.items()}


def tested_with(insight: Insight) -> str:
    """With whom an insight was tested, where that is not the policy that it is read for; else ""."""
    if not insight.others or insight.evidence:
        return ""
    return f"tested with {' and '.join(map(named, insight.others))}, not yet with this model"


def _worded(book: InsightBook, name: str, policy: str | None) -> str:
    insight, gone = book.get(name, policy), book.retirement(name, policy)
    more = tested_with(insight) if gone is None else f"told no longer: {gone.reason}"
    return f"{insight.text.rstrip('.')} ({more})." if more else insight.text


_NAMED = re.compile(r"(?:skill )?(.*?) (?:is necessary for|occurs in answers to) ")


def _sentence(key: ClaimKey, text: str, known: Occurrence) -> Sentence:
    kind, _, rest = key.cause.partition(":")
    occurs, of = len(known.occurs), len(known.solved)
    # The cause of a skill is its digest, and its name stands in the sentences it was claimed with.
    named = next(filter(None, map(_NAMED.match, key.texts.values())), None)
    what = {
        "operation": f'the step "{rest.replace("_", " ")}"',
        "skill": f"the saved function {named.group(1).replace(' ', '_')}" if named else None,
        "literal": f"the constant {rest.partition(':')[2]!r}",
        "mined": f"a {_KINDS.get(rest, 'value')} that stands in the rows",
    }.get(kind)
    if what is None:
        return Sentence(text=text, occurs=occurs, of=of, worded=True)
    facts = [fact for fact in key.scope.preconditions if fact != "other"]
    such = f" ({', '.join(facts)})" if facts else ""
    told = f"in {occurs} of {of} task{'s' * (of != 1)} {_from_to(key.scope.family)}{such} the answer has {what}"
    if known.tried:
        missed, tried = len(known.mattered), len(known.tried)
        told += f"; searched again without it, {missed} of {tried} {'needs' if missed == 1 else 'need'} it"
    return Sentence(text=told, occurs=occurs, of=of, tried=len(known.tried), general=kind in ("operation", "skill"))


def _from_to(family: str) -> str:
    """Types in words, such as ``from text and number to list of texts``; "" for what is no signature."""
    takes, arrow, gives = family.partition(" -> ")
    if not arrow:
        return f"of the kind {family}" if family else ""
    return f"from {' and '.join(map(_kind, _split(takes.strip('()'))))} to {_kind(gives)}"


def _split(types: str) -> list[str]:
    return re.split(r", (?![^\[]*\])", types)


def _kind(type_: str) -> str:
    if type_.startswith("list["):
        inner = _kind(type_[5:-1])
        return f"list of {inner if ' ' in inner else inner + 's'}"
    return _KINDS.get(type_.partition("[")[0], type_)

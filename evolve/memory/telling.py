"""Insights in sentences for people, with counts from the evidence, made whenever they are read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from evolve.episodes import Scope
from evolve.memory.insight_book import InsightBook, direction_of
from evolve.memory.insights import ClaimKey

ENOUGH = 3
"""Problems on which something must have been needed before it is told after a run."""

_KINDS = {"str": "text", "int": "number", "float": "number", "bool": "yes or no", "dict": "table", "row": "row"}


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """What is known of one insight.

    Attributes:
        text: One plain sentence.
        needed: Problems whose answer needed the cause.
        of: Problems of the same scope that anything is known of.
        general: It speaks of more than constants that one table happens to have.
        worded: A model worded it.
    """

    text: str
    needed: int
    of: int
    general: bool = True
    worded: bool = False

    @property
    def worth_telling(self) -> bool:
        """Whether it rests on enough to be told to somebody who did not ask."""
        return self.worded or (self.general and self.needed >= ENOUGH)


def sentences(book: InsightBook) -> Mapping[str, Sentence]:
    """Every insight in a sentence, by id. One that a model worded is its own sentence."""
    groups: dict[tuple[str, str, tuple[str, ...]], set[str]] = defaultdict(set)
    needed: dict[str, int] = {}
    for name, key in book.keys.items():
        rows = book.evidence(name)
        groups[_place(key.scope)] |= {row.group for row in rows}
        needed[name] = len({row.group for row in rows if direction_of(row) > 0})
    return {
        name: _sentence(key, book.get(name).text, needed[name], len(groups[_place(key.scope)]))
        for name, key in book.keys.items()
    }


def _place(scope: Scope) -> tuple[str, str, tuple[str, ...]]:
    return scope.environment, scope.family, tuple(sorted(scope.preconditions))


def _sentence(key: ClaimKey, text: str, needed: int, of: int) -> Sentence:
    kind, _, rest = key.cause.partition(":")
    what = {
        "operation": f'the step "{rest.replace("_", " ")}"',
        "skill": f"the saved function {text.partition(' is necessary')[0].removeprefix('skill ').replace(' ', '_')}",
        "literal": f"the constant {rest.partition(':')[2]!r}",
        "mined": f"a {_KINDS.get(rest, 'value')} that stands in the rows",
    }.get(kind)
    if what is None or "necessary" not in key.texts:
        return Sentence(text=text, needed=needed, of=of, worded=True)
    facts = [fact for fact in key.scope.preconditions if fact != "other"]
    such = f" ({', '.join(facts)})" if facts else ""
    told = f"in {needed} of {of} task{'s' * (of != 1)} {_from_to(key.scope.family)}{such} the answer needed {what}"
    return Sentence(text=told, needed=needed, of=of, general=kind in ("operation", "skill"))


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

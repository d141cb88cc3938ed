"""Insights in sentences for people, with counts from the evidence, made whenever they are read.

Whoever shows an insight to a person, in a list, a chain of causes, what is recalled or a picture, shows these words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import accumulate

from evolve.core.episodes import MOVE, Scope
from evolve.memory.insight_book import InsightBook
from evolve.memory.insights import ClaimKey, Insight
from evolve.memory.necessity import CauseOccurrence
from evolve.memory.rows import policy_label

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
        cause: What the answer has, such as ``the step "upper"``; "" where a model worded it.
        counts: What speaks for it and against it, the counts of ``text`` alone.
        standing: How far it is proven, in a word or two.
    """

    text: str
    occurs: int
    of: int
    tried: int = 0
    general: bool = True
    worded: bool = False
    cause: str = ""
    counts: str = ""
    standing: str = ""

    @property
    def worth_telling(self) -> bool:
        """Whether it rests on enough to be told to somebody who did not ask."""
        return self.worded or (self.general and self.occurs >= ENOUGH)


def insight_sentences(book: InsightBook, policy: str | None = None) -> Mapping[str, Sentence]:
    """Every insight in a sentence, by id. One that a model worded is its own sentence.

    Args:
        policy: For whom it is told; see :meth:`InsightBook.get`.
    """
    found = {}
    for name, key in book.keys.items():
        insight, known = book.get(name, policy), book.necessity_of(name).known
        told = _sentence(key, _worded(book, name, policy), known, insight.groups)
        counts = _trials(insight) if told.worded else f"in {_share(known)} answers{_needed(known)}"
        found[name] = replace(told, counts=counts, standing=_standing(insight, told))
    return found


def from_to(family: str) -> str:
    """The kind of a task in words, such as ``from text and number to list of texts``; "" for any."""
    takes, arrow, gives = family.partition(" -> ")
    if not arrow:
        return f"of the kind {family}" if family else ""
    return f"from {' and '.join(map(_kind, _split(takes.strip('()'))))} to {_kind(gives)}"


def facts_of(scope: Scope) -> list[str]:
    """What is seen of the tasks of a scope besides their kind."""
    return [fact for fact in scope.preconditions if fact != "other"]


def tested_with(insight: Insight) -> str:
    """With whom an insight was tested, where that is not the policy that it is read for; else ""."""
    if not insight.others or insight.evidence:
        return ""
    return f"tested with {' and '.join(map(policy_label, insight.others))}, not yet with this model"


def _worded(book: InsightBook, name: str, policy: str | None) -> str:
    insight, gone = book.get(name, policy), book.retirement_reason(name, policy)
    more = tested_with(insight) if gone is None else f"told no longer: {gone.reason}"
    return f"{insight.text.rstrip('.')} ({more})." if more else insight.text


_NAMED = re.compile(r"(?:skill )?(.*?) (?:is necessary for|occurs in answers to) ")


def _sentence(key: ClaimKey, text: str, known: CauseOccurrence, agree: int) -> Sentence:
    kind, _, rest = key.cause.partition(":")
    occurs, of = len(known.occurs), len(known.solved)
    # The cause of a skill is its digest, and its name stands in the sentences it was claimed with.
    named = next(filter(None, map(_NAMED.match, key.texts.values())), None)
    what = {
        "operation": f'the step "{rest.replace("_", " ")}"',
        "skill": f"the saved function {named.group(1).replace(' ', '-')}" if named else None,
        "literal": f"the constant {rest.partition(':')[2]!r}",
        "mined": f"a {_KINDS.get(rest, 'value')} that stands in the rows",
    }.get(kind)
    if key.cause.startswith(MOVE):
        tried = len(known.tried)
        where = f"tested in {tried} variation{'s' * (tried != 1)}" if agree >= tried else f"held in {agree} of {tried}"
        return Sentence(text=f"{text} ({where} of {key.scope.family})", occurs=occurs, of=of, worded=True)
    if what is None:
        return Sentence(text=text, occurs=occurs, of=of, worded=True)
    facts = facts_of(key.scope)
    such = f" ({', '.join(facts)})" if facts else ""
    tasks = f"task{'s' * (of != 1)} {from_to(key.scope.family)}{such}"
    again = _needed(known).replace("; ", "; searched again without it, ", 1)
    return Sentence(
        text=f"{what} is in the answer to {_share(known)} {tasks}{again}",
        occurs=occurs,
        of=of,
        tried=len(known.tried),
        general=kind in ("operation", "skill"),
        cause=what,
    )


def _share(known: CauseOccurrence) -> str:
    return f"{len(known.occurs)} of {len(known.solved)}"


def _needed(known: CauseOccurrence) -> str:
    """What searches without it came to, with how many; "" where there was none."""
    missed, tried = len(known.mattered), len(known.tried)
    return f"; {missed} of {tried} {'needs' if missed == 1 else 'need'} it" if tried else ""


def _trials(insight: Insight) -> str:
    """The counts of what a model worded."""
    for_it, against = insight.posterior.agree, insight.posterior.disagree
    if not for_it + against:
        return f"seen on {insight.groups} task{'s' * (insight.groups != 1)}, not tried"
    return f"{for_it} trial{'s' * (for_it != 1)} for it, {against} against"


def _standing(insight: Insight, told: Sentence) -> str:
    """What a search claims of one or two problems is hardly supported, and said to be seen there."""
    if insight.status not in ("supported", "hypothesis") or told.worded or told.tried or not 0 < insight.groups <= 2:
        return insight.status
    return "seen once" if insight.groups < 2 else "seen twice"


def _split(types: str) -> list[str]:
    """The types at the commas that stand in no brackets."""
    depths = accumulate((sign == "[") - (sign == "]") for sign in types)
    cut = "".join("\n" if sign == "," and not depth else sign for sign, depth in zip(types, depths, strict=True))
    return [part.strip() for part in cut.split("\n")]


def _kind(type_: str) -> str:
    if type_.startswith("list["):
        inner = _kind(type_[5:-1])
        return f"list of {inner if ' ' in inner else inner + 's'}"
    return _KINDS.get(type_.partition("[")[0], type_)

"""A scene as facts: which things stand in which relation, read from how a world tells it, whatever it tells of."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from evolve_worlds.experience.wording import ARTICLES

Facts = Mapping[str, frozenset[str]]
"""The things of which a relation holds, such as ``you carry``; "" stands for what is said of no thing."""

_TOKENS = re.compile(r"[(),:]|a\(n\)|[a-z0-9]+(?:'[a-z]+)?")
_MARKS = frozenset("(),:")
_LONGEST = 10
"""Words of a relation at most: what is longer is a tale and comes in the same words hardly twice."""


def facts_of(view: str, things: Collection[str]) -> Facts:
    """What a view says of things.

    A relation is what stands before the first thing of a sentence, which holds for all things of it, and what follows
    a thing in brackets or up to the end. Sentences under a line that ends with a colon take that line as what stands
    before. Parts with numbers are no relations: they say how far and how much.
    """
    names: dict[str, list[tuple[str, ...]]] = {}
    told: dict[tuple[str, ...], str] = {}
    for thing in things:
        own = tuple(_plain(thing.lower()))
        if own and own not in told:
            told[own] = thing
            names.setdefault(own[0], []).append(own)
    for known in names.values():
        known.sort(key=len, reverse=True)
    found: dict[str, set[str]] = {}
    for head, tokens in _sentences(view):
        for relation, thing in _said(head, tokens, names, told):
            if 0 < len(relation.split()) <= _LONGEST and not any(sign.isdigit() for sign in relation):
                found.setdefault(relation, set()).add(thing)
    return {relation: frozenset(own) for relation, own in found.items()}


def _plain(text: str) -> Iterator[str]:
    return (one for one in _TOKENS.findall(text) if one not in ARTICLES)


def _sentences(view: str) -> Iterator[tuple[str, list[str]]]:
    head = ""
    for line in view.lower().splitlines():
        if line.rstrip().endswith(":"):
            head = " ".join(one for one in _plain(line) if one not in _MARKS)
            continue
        if line[:1] not in (" ", "\t"):
            head = ""
        for sentence in re.split(r"[.!?;](?:\s+|$)", line):
            if sentence.strip():
                yield head, list(_plain(sentence))


def _said(
    head: str, tokens: list[str], names: Mapping[str, list[tuple[str, ...]]], told: Mapping[tuple[str, ...], str]
) -> Iterator[tuple[str, str]]:
    at, before, any_thing = 0, [head] if head else [], False
    while at < len(tokens):
        own = next((one for one in names.get(tokens[at], ()) if tuple(tokens[at : at + len(one)]) == one), None)
        if own is None:
            if not any_thing and tokens[at] not in _MARKS:
                before.append(tokens[at])
            at += 1
            continue
        thing, any_thing = told[own], True
        yield " ".join(before), thing
        at += len(own)
        after = tokens[at:]
        if after[:1] == ["("] and ")" in after:
            end = after.index(")")
            for part in " ".join(after[1:end]).split(" , "):
                yield part, thing
            at += end + 1
        elif not any(one in names for one in after):
            yield " ".join(one for one in after if one not in _MARKS), thing
    if not any_thing:
        yield " ".join(before), ""

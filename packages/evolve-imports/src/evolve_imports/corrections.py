"""Which of the sentences that a person said to an agent tell how things are to be done from now on.

What tells of every time counts most, then what forbids, what says how things are done here, and what asks for one way
rather than another. A question, a task and what is about one place alone are no rule. :mod:`evolve_imports.signs` has
the words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from evolve.memory.preferences import LONGEST, same_meaning, topics
from evolve.memory.preferences.meaning import contradict
from evolve.memory.preferences.own_words import harmless_quote, own_words
from evolve_imports.signs import signs
from evolve_imports.transcripts import Message, Session

MOST = 3
"""Proposals of one session, or of one file of rules or memories."""
_LONGEST_JOINED = 240
_SHORT = 3
"""Words below which a sentence does not stand alone."""
_OF_COMMANDS = ("it holds code", "it is no sentence")
"""What is said of a command between signs, which is the person's word too."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """A sentence that may be a rule.

    Attributes:
        quote: The words of the person that it rests on.
        weight: How plainly it is one, the sum of its signs.
        count: How often it was said or typed.
        at: Number of the message that said it last.
        wide: It was said in more than one folder.
    """

    text: str
    quote: str
    weight: float
    count: int = 1
    at: int = 0
    wide: bool = False


def rules_said(session: Session, unfit: Callable[[str], str]) -> list[Said]:
    """The sentences of a session that may be rules, the plainest first and among equals in order."""
    named, enough = signs().named, signs().enough
    if not session.typed:
        return [Said(text=text, quote=text, weight=1.0) for text in _written(session)]
    found: list[Said] = []
    for number, message in enumerate(session.said):
        sentences = person_sentences(message, unfit)
        found = [one for one in found if not any(_takes_back(text, one, number) for text in sentences)]
        rules = [replace(one, at=number) for one in _rules(sentences, message, unfit)]
        if not number:  # the first message says what is to be done
            rules = [one for one in rules if any(named[name].search(one.text) for name in ("every time", "here"))]
        found = merged([*(one for one in found if not any(contradict(one.text, new.text) for new in rules)), *rules])
    counted = Counter(one for one in session.commands if not named["plain_command"].match(one) and len(one) <= 120)
    found += [
        Said(text=f"The command `{one}` is run here.", quote=one, weight=enough + 1.0, count=count)
        for one, count in counted.items()
        if count > 1
    ]
    return sorted([one for one in [*found, *_undone(session)] if one.weight >= enough], key=lambda one: -one.weight)


def merged(rules: Sequence[Said]) -> list[Said]:
    """The rules with each thing once, in its longest words, and counted."""
    found: list[Said] = []
    for rule in rules:
        same = next((one for one in found if is_same(one.text, rule.text)), None)
        if same is None:
            found.append(rule)
            continue
        longer = max(same, rule, key=lambda one: len(topics(one.text)))
        weight = max(same.weight, rule.weight) + signs().said_again
        count = same.count + rule.count
        found[found.index(same)] = replace(longer, weight=weight, count=count, at=rule.at)
    return found


def said_across(found: Sequence[tuple[str, Sequence[Said]]]) -> list[list[Said]]:
    """The rules of sessions, each with its folder: what several sessions have stands in the first of them, counted."""
    kept: list[list[Said]] = [[] for _ in found]
    places: dict[str, list[tuple[int, int]]] = {}
    for number, (folder, rules) in enumerate(found):
        for rule in rules:
            near = {place for word in topics(rule.text) for place in places.get(word, ())}
            same = next((place for place in sorted(near) if is_same(kept[place[0]][place[1]].text, rule.text)), None)
            at = same or (number, len(kept[number]))
            if same is None:
                kept[number].append(rule)
            else:
                (both,) = merged([kept[at[0]][at[1]], rule])
                kept[at[0]][at[1]] = replace(both, wide=both.wide or found[at[0]][0] != folder)
            for word in topics(rule.text):
                places.setdefault(word, []).append(at)
    return [sorted(rules, key=lambda one: -one.weight) for rules in kept]


def is_same(first: str, second: str) -> bool:
    """Whether two sentences say the same, or one says what the other does and more."""
    mine, theirs = topics(first), topics(second)
    within = min(len(mine), len(theirs)) > 1 and (mine <= theirs or theirs <= mine)
    return same_meaning(first, second) or (within and not contradict(first, second))


def person_sentences(message: Message, unfit: Callable[[str], str]) -> list[str]:
    """The sentences of a message that are the person's own, without what they quoted or pasted."""

    def screen(quoted: str) -> str:
        why = unfit(quoted)
        return "" if why in _OF_COMMANDS else why

    said = own_words(_typed(message.text[:8_000]), screen, material=message.shown, longest=8_001)
    return [one.strip() for one in signs().named["sentence"].split(said) if one.strip()]


def without_lead(sentence: str) -> str:
    """What a sentence says, without what only replies, begins or is polite."""
    named = signs().named
    text = named["lead"].sub("", f"{sentence} ").strip()
    if polite := named["polite"].match(text):
        text = text[polite.end() :].rstrip("?")
    return named["tail"].sub("", text)


def _written(session: Session) -> Iterator[str]:
    for message in session.said:
        text = message.text
        short = re.split(r"(?<=[.!?])\s+(?=[A-Z`])", text)[0] if len(text) > LONGEST else text
        if len(short.split()) > 1 and len(short) <= LONGEST and signs().named["wish"].search(short):
            yield short


def _typed(text: str) -> str:
    """A message without the lines that were pasted."""
    named = signs().named
    kept: list[str] = []
    pasting = False
    for line in text.splitlines():
        pasting = pasting and bool(line.strip())
        is_pasted = bool(named["pasted"].match(line))
        if not (pasting or is_pasted):
            kept.append(line)
        pasting = pasting or is_pasted or bool(named["introduced"].search(line))
    return "\n".join(kept)


def _rules(sentences: Sequence[str], message: Message, unfit: Callable[[str], str]) -> Iterator[Said]:
    """What the sentences of one message say, with its weight; what goes on with a rule is part of it."""
    named, enough, cue = signs().named, signs().enough, signs().cue(sentences)
    last: Said | None = None
    before = ""
    for sentence in sentences:
        text = without_lead(sentence)
        now = Said(text=text, quote=sentence, weight=signs().weight(text) + cue + _denies_agent(text, message))
        if len(text.split()) < _SHORT and not (named["forbidden"].search(text) and topics(text)):
            now = _completed(now, message, unfit) or replace(now, weight=min(now.weight, 0.0))
        refers = bool(named["refers"].search(text))
        of_last = last is not None and last.weight >= enough and bool(topics(last.text) & topics(text))
        goes_on = refers or (now.weight >= enough and bool(of_last or named["reason"].match(text)))
        if goes_on and before and now.weight > 0.0 and len(before) + len(text) <= _LONGEST_JOINED:
            lead = last or Said(text=before, quote=before, weight=0.0)
            weight = max(now.weight, lead.weight)
            last = Said(text=f"{lead.text} {text}", quote=f"{lead.quote} {sentence}", weight=weight)
        elif now.weight >= 0.0 and text:
            if last is not None:
                yield last
            last = replace(now, weight=now.weight - 1.5) if refers else now
        before = "" if text.endswith("?") else text
    if last is not None:
        yield last


def _denies_agent(text: str, message: Message) -> float:
    """Whether what a sentence turns down is what the agent did."""
    denied = signs().named["denied"].search(text)
    return 1.0 if denied and topics(denied[1]) & topics(" ".join((message.answer, *message.did))) else 0.0


def _completed(said: Said, message: Message, unfit: Callable[[str], str]) -> Said | None:
    """A correction of a word or two, with what the agent ran or said that it is about; None where that is not known."""
    named, fragment = signs().named, said.text.rstrip(".!")
    if not named["no"].match(said.quote) or not topics(fragment) or said.text.endswith("?"):
        return None
    told = [one for one in named["sentence"].split(message.answer) if named["choice"].search(one)]
    if message.did and named["with"].match(fragment):
        return replace(said, text=f"{fragment} instead of `{_program(message.did[-1])}`", weight=signs().enough + 0.5)
    if told and harmless_quote(told[-1], unfit) and not named["pointing"].match(fragment):
        text = f'{fragment}, where the agent said "{told[-1].rstrip(".")}"'
        return replace(said, text=text, weight=signs().enough)
    return None


def _takes_back(text: str, rule: Said, number: int) -> bool:
    """Whether a sentence takes back a rule: what it speaks of, else what the message before said."""
    named = signs().named
    match = named["taken_back"].search(named["lead"].sub("", text))
    if match is None:
        return False
    about = topics(named["taking_back"].sub(" ", next(filter(None, match.groups()), "")))
    return bool(about & topics(rule.text)) if about or match["fine"] else rule.at >= number - 1


def _undone(session: Session) -> Iterator[Said]:
    """What the person had undone more than once after the agent ran it."""
    named = signs().named
    undone: dict[str, list[str]] = {}
    for message in session.said:
        words = next(
            (one for one in (named["lead"].sub("", message.text), message.text) if named["undo"].match(one)), ""
        )
        about = topics(named["undoing"].sub("", named["undo"].sub("", words)))
        ran = [one for one in message.did if topics(one) & about] if about else message.did[-1:]
        for name in {_program(one) for one in ran} if words else ():
            undone.setdefault(name, []).append(message.text)
    for name, said in undone.items():
        if len(said) > 1:
            text = f"Do not run `{name}` unasked: it was undone {len(said)} times."
            yield Said(text=text, quote=said[-1], weight=signs().enough + 1.0, count=len(said))


def _program(command: str) -> str:
    """What a command runs, without what it is given."""
    words = command.split()
    return " ".join(words[: 2 if len(words) > 1 and words[1].isalpha() else 1])

"""Which of the sentences that a person said to an agent tell how things are to be done from now on.

What tells of every time counts most, then what forbids, what says how things are done here, and what asks for one way
rather than another. A question, a task and what is about one place alone are no rule.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from evolve.memory.preferences import LONGEST, same_meaning, topic_words
from evolve.memory.preferences.matching import is_contradiction
from evolve.memory.preferences.quotes import harmless_quote, own_words
from evolve_imports.signs import ENOUGH, cue_of, pattern, weight_of
from evolve_imports.transcripts import Message, Session

MOST = 3
"""Proposals of one session, or of one file of rules or memories."""
_SAID_AGAIN = 3.0
"""What it weighs that a thing was said once more."""
_SHORT, _TOPIC, _ASIDE, _LONGEST_JOINED = 3, 4, 5, 240
"""Words below which a sentence does not stand alone, up to which a message may only name what the next one is about,
and up to which a rule belongs to the one right before it; and characters of sentences that are joined."""
_OF_COMMANDS = ("it holds code", "it is no sentence")
"""What is said of a command between signs, which is the person's word too."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """A sentence that may be a rule.

    Attributes:
        quote: The words of the person that it rests on.
        weight: How plainly it is one.
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
    if not session.typed:
        return [Said(text=text, quote=text, weight=1.0) for text in _written(session)]
    found: list[Said] = []
    sentences: list[str] = []
    for number, message in enumerate(session.said):
        unanswered = sentences and not (message.answer or message.did)
        before = without_lead(sentences[-1]) if unanswered else ""
        sentences = person_sentences(message, unfit)
        found = [one for one in found if not any(_takes_back(text, one, number) for text in sentences)]
        rules = [replace(one, at=number) for one in _rules(sentences, message, unfit, before)]
        if not number:  # the first message says what is to be done
            rules = [one for one in rules if pattern("every_time").search(one.text) or pattern("here").search(one.text)]
        found = merged(
            [*(one for one in found if not any(is_contradiction(one.text, new.text) for new in rules)), *rules]
        )
    counted = Counter(one for one in session.commands if not pattern("plain_command").match(one) and len(one) <= 120)
    found += [
        Said(text=f"The command `{one}` is run here.", quote=one, weight=ENOUGH + 1.0, count=count)
        for one, count in counted.items()
        if count > 1
    ]
    return sorted([one for one in [*found, *_undone(session)] if one.weight >= ENOUGH], key=lambda one: -one.weight)


def merged(rules: Sequence[Said]) -> list[Said]:
    """The rules with each thing once, in its longest words, and counted."""
    found: list[Said] = []
    for rule in rules:
        same = next((one for one in found if _is_same(one.text, rule.text)), None)
        if same is None:
            found.append(rule)
        else:
            longer = max(same, rule, key=lambda one: len(topic_words(one.text)))
            weight, count = max(same.weight, rule.weight) + _SAID_AGAIN, same.count + rule.count
            found[found.index(same)] = replace(longer, weight=weight, count=count, at=rule.at)
    return found


def said_across(found: Sequence[tuple[str, Sequence[Said]]]) -> list[list[Said]]:
    """The rules of sessions, each with its folder: what several sessions have stands in the first of them, counted."""
    kept: list[list[Said]] = [[] for _ in found]
    places: dict[str, set[tuple[int, int]]] = {}
    for number, (folder, rules) in enumerate(found):
        for rule in rules:
            near = sorted({place for word in topic_words(rule.text) for place in places.get(word, ())})
            at = next(((one, nth) for one, nth in near if _is_same(kept[one][nth].text, rule.text)), None)
            if at is None:
                at = number, len(kept[number])
                kept[number].append(rule)
            else:
                (both,) = merged([kept[at[0]][at[1]], rule])
                kept[at[0]][at[1]] = replace(both, wide=both.wide or found[at[0]][0] != folder)
            for word in topic_words(rule.text):
                places.setdefault(word, set()).add(at)
    return [sorted(rules, key=lambda one: -one.weight) for rules in kept]


def person_sentences(message: Message, unfit: Callable[[str], str]) -> list[str]:
    """The sentences of a message that are the person's own, without what they quoted or pasted."""

    def screen(quoted: str) -> str:
        why = unfit(quoted)
        return "" if why in _OF_COMMANDS else why

    said = own_words(_typed(message.text[:8_000]), screen, material=message.shown, longest=8_001)
    # A longer one is no rule, and patterns would take long over it.
    short = [one.strip()[: LONGEST + 1] for one in pattern("sentence").split(said)]
    return [part for one in short for part in _parts(one) if part]


def without_lead(sentence: str) -> str:
    """What a sentence says, without what only replies, begins or is polite."""
    text = pattern("lead").sub("", f"{sentence} ").strip()
    if polite := pattern("polite").match(text):
        text = text[polite.end() :].rstrip("?")
    return pattern("tail").sub("", text)


def _is_same(first: str, second: str) -> bool:
    """Whether two sentences say the same, or one says what the other does and more."""
    mine, theirs = topic_words(first), topic_words(second)
    within = min(len(mine), len(theirs)) > 1 and (mine <= theirs or theirs <= mine)
    return same_meaning(first, second) or (within and not is_contradiction(first, second))


def _written(session: Session) -> Iterator[str]:
    for message in session.said:
        text = message.text
        short = re.split(r"(?<=[.!?])\s+(?=[A-Z`])", text)[0] if len(text) > LONGEST else text
        if len(short.split()) > 1 and len(short) <= LONGEST and pattern("wish").search(short):
            yield short


def _typed(text: str) -> str:
    """A message without the lines that were pasted."""
    kept: list[str] = []
    pasting = False
    for line in text.splitlines():
        pasting = bool(line.strip()) and (pasting or bool(pattern("pasted").match(line)))
        if not pasting:
            kept.append(line)
            pasting = bool(pattern("introduced").search(line))
    return "\n".join(kept)


def _parts(sentence: str) -> list[str]:
    """A sentence, or the task that it begins with and the rest apart."""
    rest = pattern("rest").search(sentence)
    if rest is None or not pattern("task").search(without_lead(sentence[: rest.start()])):
        return [sentence]
    return [sentence[: rest.start()], sentence[rest.end() :]]


def _rules(sentences: Sequence[str], message: Message, unfit: Callable[[str], str], before: str) -> Iterator[Said]:
    """What the sentences of one message say, with its weight; what goes on with another sentence is joined to it.

    Args:
        before: What the person said last, where nobody answered.
    """
    cue, last = cue_of(sentences), None
    topic = before if len(before.split()) <= _TOPIC and 0.0 <= weight_of(before) < ENOUGH else ""
    for sentence in sentences:
        text = without_lead(sentence)
        own = weight_of(text)
        # That it was said before is no rule without what was said.
        weight = own + _denies_agent(text, message) + (cue if own > 0.0 else min(cue, 1.0))
        now = Said(text=text, quote=sentence, weight=weight)
        if len(text.split()) < _SHORT and not (pattern("forbidden").search(text) and topic_words(text)):
            now = _completed(now, message, unfit) or replace(now, weight=min(now.weight, 0.0))
        refers = bool(pattern("refers").search(text) or (topic and topic == before))
        is_aside = len(text.split()) <= _ASIDE
        of_last = (
            last is not None and last.weight >= ENOUGH and bool(is_aside or topic_words(last.text) & topic_words(text))
        )
        goes_on = refers or (now.weight >= ENOUGH and bool(of_last or pattern("reason").match(text)))
        joins = bool(goes_on and before and now.weight > 0.0 and len(before) + len(text) <= _LONGEST_JOINED)
        if joins or (now.weight >= 0.0 and text):
            if joins and (last is None or not last.text.endswith(before)):
                yield from [last] if last is not None else []
                last = Said(text=before, quote=before, weight=0.0)
            if joins and last is not None:
                weight = max(now.weight, last.weight)
                end = "" if last.text[-1] in ".!?:;," else "."
                now = Said(text=f"{last.text}{end} {text}", quote=f"{last.quote} {sentence}", weight=weight)
            elif last is not None:
                yield last
            last = replace(now, weight=now.weight - 1.5) if refers and not joins else now
        before = "" if text.endswith("?") else text
    yield from [last] if last is not None else []


def _denies_agent(text: str, message: Message) -> float:
    """Whether what a sentence turns down is what the agent did."""
    denied = pattern("denied").search(text)
    return float(bool(denied and topic_words(denied[1]) & topic_words(" ".join((message.answer, *message.did)))))


def _completed(said: Said, message: Message, unfit: Callable[[str], str]) -> Said | None:
    """A correction of a word or two, with what the agent ran or said that it is about; None where that is not known."""
    fragment = said.text.rstrip(".!")
    if not pattern("no").match(said.quote) or not topic_words(fragment) or said.text.endswith("?"):
        return None
    told = [one for one in pattern("sentence").split(message.answer) if pattern("choice").search(one)]
    if message.did and pattern("with").match(fragment):
        wanted = pattern("with").sub("use", fragment)
        return replace(said, text=f"{wanted} instead of `{_program(message.did[-1])}`", weight=ENOUGH + 0.5)
    if told and harmless_quote(told[-1], unfit) and not pattern("pointing").match(fragment):
        return replace(said, text=f'{fragment}, where the agent said "{told[-1].rstrip(".")}"', weight=ENOUGH)
    return None


def _takes_back(text: str, rule: Said, number: int) -> bool:
    """Whether a sentence takes back a rule: what it speaks of, else what the message before said."""
    match = pattern("taken_back").search(without_lead(text))
    if match is None:
        return False
    about = topic_words(pattern("taking_back").sub(" ", next(filter(None, match.groups()), "")))
    return bool(about & topic_words(rule.text)) if about or match["fine"] else rule.at >= number - 1


def _undone(session: Session) -> Iterator[Said]:
    """What the person had undone more than once after the agent ran it."""
    undone: dict[str, list[str]] = {}
    for message in session.said:
        text = message.text[:LONGEST]
        words = next((one for one in (without_lead(text), text) if pattern("undo").match(one)), "")
        about = topic_words(pattern("undoing").sub("", pattern("undo").sub("", words)))
        ran = [one for one in message.did if topic_words(one) & about] if about else message.did[-1:]
        for name in {_program(one) for one in ran} if words else ():
            undone.setdefault(name, []).append(message.text)
    for name, said in undone.items():
        if len(said) > 1:
            text = f"Do not run `{name}` unasked: it was undone {len(said)} times."
            yield Said(text=text, quote=said[-1], weight=ENOUGH + 1.0, count=len(said))


def _program(command: str) -> str:
    """What a command runs, without what it is given."""
    words = command.split()
    return " ".join(words[: 2 if len(words) > 1 and words[1].isalpha() else 1])

"""Which of the sentences that a person said to an agent tell how things are to be done from now on.

Rules of form in English: what tells of every time counts most, then what turns down what an agent did, then what asks
for one way rather than another. A question, a task and what is about one place alone are no rule.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from evolve.memory.preferences import LONGEST, same_meaning
from evolve.memory.preferences.own_words import own_words, without_reply
from evolve_imports.transcripts import Session

_FEWEST_WORDS, _ENOUGH, _EVERY_TIME = 3, 1.5, 3.0
_START = r"^(?:(?:and|but|also|so|ok|okay|better|good|no|please|just|one more thing)[,:.]?\s+)*"
_OPENS = (
    r"the|a|an|this|that|these|those|there|here|it|its|it's|i|i'm|i'll|i've|you|he|she|they|them|my|your|his|her|their|some"
    r"|one|two|is|are|was|were|what|why|how|which|where|who|when|if|now|next|then|thanks?|thx|great|perfect|nice|works|done|yes"
    r"|looks?|whoa|hmm|wait|add|fix|create|implement|translate|debug|plot|summari[sz]e|review|draft|explain|show|tell|merge"
    r"|commit|deploy|generate|convert|upgrade|book|clean|find|can|could|would|will|let's|lets"
)
"""First words of what is seldom a rule: of one thing, a question, a reply or a task. What begins otherwise is mostly an
imperative or says something of all things of a kind."""
_SIGNS: tuple[tuple[float, re.Pattern[str]], ...] = tuple(
    (weight, re.compile(pattern, re.IGNORECASE))
    for weight, pattern in (
        (
            3.0,
            r"\b(?:from (?:now|here) on|going forward|in (?:the )?future|always|never|every ?time|each time"
            r"|next time|whenever|by default|as a rule|remember|everywhere|in general|any ?more|as usual|ever\b"
            r"|(?:I|we) (?:always|never|only|usually|prefer|like|don'?t|do not|hate)"
            r"|(?:our|my|the) (?:rule|convention|style|policy|standard|preference)|house style"
            r"|(?:I|we)(?:'ve| have)? (?:already )?(?:told|said|asked|mentioned)|how (?:often|many times)"
            r"|(?:second|third) time)\b",
        ),
        (
            1.5,
            r"\b(?:don'?t|do not|doesn'?t|not|no|stop|avoid|without|only|nobody|can'?t|cannot|forbidden"
            r"|mustn'?t|shouldn'?t|instead|rather than|alone|drop|too (?:long|much|many|verbose)"
            r"|at (?:most|least)|useless|wrong|untouched|stays?)\b",
        ),
        (1.5, r"\b(?:should|must|ha(?:s|ve) to|ought to)\b"),
        (1.0, r"\b(?:needs?|make sure|ensure|prefer|want|please|wanted)\b"),
        (1.0, r"\b(?:we|our|us|ours|nobody|everybody|customers|users|team|repo|project|codebase|company)\b"),
        (1.0, r"\b(?:every|each|all|any|both|before|after|when|unless|first|per|like (?:all|our|the))\b"),
        (
            1.5,
            _START + r"(?:use|keep|put|save|name|call|write|format|give|sign|address|quote|check|ask|take|remove|send"
            r"|start|end|log|sort|round|prefix|spell|stick|leave|drop|prefer|plain|wrap|store|sign|document|run|make|treat)\b",
        ),
        (1.5, _START + rf"(?!(?:{_OPENS})\b)[\w'’]+"),
        (0.5, r",\s+(?:the|our|it'?s|I|so|because|since|that'?s|this)\b|\b(?:because|since|so that)\b|: "),
        (-1.0, r"\b(?:it|this|these|those)\b(?!'?s)|\bthat\s*[.!?]*$|^then\b"),
        (-4.0, r"\b(?:this time|for now|just now|this once)\b"),
        (-2.0, r"\?\s*$"),
        (
            -2.0,
            _START + r"(?:now|next,|can you|could you|would you|add|fix|create|implement|translate|debug|plot"
            r"|summari[sz]e|review|draft|explain|show me|tell me|what|why|how|which|where|who|works|thanks|thank"
            r"|perfect|nice|great)\b",
        ),
    )
)
_REPLY = re.compile(
    r"^(?:thanks?|thank you|great|perfect|nice|ok(?:ay)?|cool|good|better|yes|sure|works|looks? good)\b"
    r"[^.!?,;:]*[.!?,;:]?\s*",
    re.IGNORECASE,
)
_OF_COMMANDS = ("it holds code", "it is no sentence")
"""What is said of a command between signs, which is the person's word too."""
_SENTENCE = re.compile(r"(?<=[.!?;])(?<!\b[A-Z][a-z]\.)(?<!\b[A-Z][a-z]{2}\.)\s+")
_PLAIN_COMMANDS = re.compile(r"(?:ls|cd|pwd|clear|cat|git (?:status|diff|log)|exit|which|echo)\b")
_WISH = re.compile(
    r"\b(?:prefers?|preferred|likes?|dislikes?|wants?|hates?|always|never|should|must|avoid|uses?|do not|don'?t|only)\b"
    rf"|{_START}(?:use|keep|put|run|write|name|make|add|prefer|format|follow|check|ask|leave)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Said:
    """A sentence that may be a rule.

    Attributes:
        weight: How plainly it is one, the sum of its signs.
        repeated: It was said, or typed, more than once.
    """

    text: str
    quote: str
    weight: float
    repeated: bool = False


def rules_said(session: Session, unfit: Callable[[str], str]) -> list[Said]:
    """The sentences of a session that may be rules, the plainest first and among equals in order."""
    if not session.typed:
        return [Said(text=text, quote=text, weight=1.0) for text in _written(session)]
    turns = [_sentences(text, shown, unfit) for text, shown in session.said]
    found = list(_repeated(turns))
    for number, sentences in enumerate(turns):
        for sentence in sentences:
            text, weight = without_reply(sentence), _weight(sentence)
            is_task = not number and not _SIGNS[0][1].search(sentence)  # the first message says what is to be done
            if weight >= _ENOUGH and not is_task and not any(same_meaning(text, one.text) for one in found):
                found.append(Said(text=text, quote=sentence, weight=weight))
    counted = Counter(one for one in session.commands if not _PLAIN_COMMANDS.match(one) and len(one) <= 120)
    found += [
        Said(text=f"The command `{one}` is run here.", quote=one, weight=2.0, repeated=True)
        for one, count in counted.items()
        if count > 1
    ]
    return sorted(found, key=lambda one: -one.weight)


def _written(session: Session) -> Iterator[str]:
    for text, _ in session.said:
        short = re.split(r"(?<=[.!?])\s+(?=[A-Z`])", text)[0] if len(text) > LONGEST else text
        if len(short.split()) > 1 and len(short) <= LONGEST and _WISH.search(short):
            yield short


def _sentences(text: str, shown: Sequence[str], unfit: Callable[[str], str]) -> list[str]:
    def screen(quoted: str) -> str:
        why = unfit(quoted)
        return "" if why in _OF_COMMANDS else why

    said = _REPLY.sub("", own_words(text[:8_000], screen, material=shown, longest=8_001))
    return [one.strip() for one in _SENTENCE.split(said) if one.strip()]


def _weight(sentence: str) -> float:
    """How plainly a sentence is a rule; 0 for none."""
    words = len(without_reply(sentence).split()) + sentence.lower().startswith(("no ", "never "))
    if words < _FEWEST_WORDS or len(sentence) > LONGEST:
        return 0.0
    return sum(weight for weight, sign in _SIGNS if sign.search(sentence))


def _repeated(turns: Sequence[Sequence[str]]) -> Iterator[Said]:
    """What was said in two messages."""
    for number, sentences in enumerate(turns):
        for sentence in sentences:
            later = [other for turn in turns[number + 1 :] for other in turn]
            again = any(same_meaning(sentence, other) for other in later)
            earlier = any(same_meaning(sentence, other) for turn in turns[:number] for other in turn)
            if again and not earlier and len(sentence.split()) >= _FEWEST_WORDS and len(sentence) <= LONGEST:
                yield Said(text=without_reply(sentence), quote=sentence, weight=_EVERY_TIME, repeated=True)

"""Asks a model what of a finished run is worth remembering, and keeps what is general, new and borne out by the run.

A person reads each suggestion before it acts. So the checks here keep away what would waste their time, and what others
may have wanted said: an order in a file is no rule of the person, whatever a model makes of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, cast, get_args

from evolve.core.episodes import DropReason, PatchDecision, Step, Suggestion, SuggestionKind, SuggestionSource, TaskView
from evolve.core.redaction import MARK
from evolve.core.text_screen import (
    DEMANDS,
    UNDOES,
    comparison_key,
    insight_problem,
    is_instruction,
    remove_spaces,
    repeats_text,
)
from evolve.memory.preferences import LEFT_OUT, WISHES, is_negated, topic_words
from evolve.memory.preferences.quotes import own_words
from evolve.policies.language.deliberation import ModelPolicy
from evolve.policies.language.loop_detection import hints_in
from evolve.policies.language.prompt import earlier_message, task_message
from evolve.policies.language.quoting import LearnedItem, quote_text, quoted_items, truncate_middle
from evolve.policies.language.reflection import shown_text
from evolve.policies.language.skills import content_stems
from evolve.policies.language.transcript import step_text
from evolve.runtime.models import ESSENTIAL, Message
from evolve.runtime.models.structure import closed_object

MOST = 3
"""Suggestions of one run."""
_TEXT = {"type": "string"}
_STEPS, _STEP, _ROOM = 12, 1_500, 12_000
"""The latest steps that the question shows, and characters of one and of all."""
_QUESTION = "words"
"""Kind of a question in words, of which only what the person said can be worth remembering."""
_LEAST_WORDS = 3
"""Words of a sentence that can state a rule."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_BORNE_OUT = 2 / 3
"""Least share of a fact's words that stand around its quotation too."""
_LINES = 20
"""Most lines that a quotation goes over."""
_AROUND = 2
"""Lines before and behind a quotation that are around it."""
_NAME = re.compile(r"[\w)][./_]\w|\d")
"""What a figure, a file's name or a path has."""
_GENERAL_TEXT = "file folder project repository directory work change code script task run use command"
_GENERAL = frozenset(_GENERAL_TEXT.split())
"""Words that any work has."""
_TESTING = frozenset({"test", "check"})
_CARRIED = 0.5
"""Share of a rule's words that the person's own must exceed where a file or an output says the same."""
_ORDERED = 0.5
"""Share of a suggestion's words from which it is what a text from outside demands."""
_OF_THIS_RUN = re.compile(
    r"\b(?:this|the) (?:task|change|run|fix|bug|patch|commit|session|conversation|request)\b|\blines? \d"
    r"|\b(?:i|we) \w+|\bnothing (?:is )?(?:worth|to remember)",
    re.IGNORECASE,
)
_SHORTEST_QUOTE = 8
"""Letters; fewer stand in any text by chance."""
_LONGEST_QUOTE = 150
"""Characters of a sentence of the person's that is shown whole."""
_REPLY = 4_096
"""Most tokens of the reply, thinking included: it is booked where whoever waits no longer cuts the call off."""
_DECIDED = {
    "waiting": "The person has said nothing to this change yet.",
    "applied": "The person let this change into the folder.",
    "refused": "The person refused this change: nothing of it is in the folder.",
    "undone": "The person let this change into the folder and took it back later: nothing of it is there.",
}


def _memories_schema(kinds: Sequence[str]) -> Mapping[str, Any]:
    """What a model brings up, each of one of these kinds."""
    items = closed_object("memory", kind={"type": "string", "enum": list(kinds)}, text=_TEXT, quote=_TEXT)
    return closed_object("memories", memories={"type": "array", "maxItems": MOST, "items": items})


def suggestions_of(policy: ModelPolicy, view: TaskView, steps: Sequence[Step]) -> tuple[Suggestion, ...]:
    """What a model brings up about a finished run, each thing once, with why it is dropped where it does not pass.

    ``prompts/remember.md`` asks about work in a folder, ``prompts/remember-words.md`` about a question; that only where
    the person said something beside it.

    Raises:
        ModelMistake: The model gave nothing usable.
    """
    is_question = view.environment == _QUESTION
    if is_question and not _says_more(view, steps):
        return ()
    told = {item.text: LearnedItem(text=item.text, provenance=item.kind) for item in hints_in(steps)}
    told |= {text: LearnedItem(text=text, provenance="in force") for text in view.in_force if text not in told}
    known = "\nKnown already, so none of it is new:\n" + quoted_items("known", [*told.values()]) if told else ""
    shown = "\n".join(step_text(view, step, most=_STEP) for step in steps[-_STEPS:])
    decided = "" if view.decision is None else "\n" + _decision_text(view.decision)
    work = f"What was done:\n{truncate_middle(shown, _ROOM)}{decided}{known}"
    parts = [
        *earlier_message(view, policy.questions.rooms.earlier),
        task_message(view),
        Message(role="user", text=work, priority=ESSENTIAL, kind="answer"),
    ]
    name, kinds = ("remember-words", WISHES) if is_question else ("remember", get_args(SuggestionKind))
    request = policy.questions.ask(name, parts, _memories_schema(kinds))
    request = replace(request, max_tokens=min(request.max_tokens, _REPLY))
    reply: Any = policy.complete_json(request).data
    run = _Run(view, steps, rules=request.messages[0].text, known=[*told])
    found: dict[str, Suggestion] = {}
    for proposal in reply["memories"]:
        one = run.checked(str(proposal["kind"]), str(proposal["text"]), str(proposal["quote"]))
        if found.setdefault(comparison_key(one.text), one).dropped:
            found[comparison_key(one.text)] = one  # the same may be borne out by another quotation
    offered = [one for one in found.values() if not one.dropped][:MOST]
    return (*offered, *(one for one in found.values() if one.dropped))


def _decision_text(decision: PatchDecision) -> str:
    """What the person did with the change, and why in their own words."""
    text = _DECIDED[decision.state]
    if decision.state == "refused":
        text += (
            f" They said why:\n{quote_text('person', decision.reason)}" if decision.reason else " They did not say why."
        )
    return text


class _Run:
    """What a run's suggestions are checked against."""

    def __init__(self, view: TaskView, steps: Sequence[Step], *, rules: str, known: Sequence[str]) -> None:
        self._view, self._rules = view, remove_spaces(rules)
        self._known = {comparison_key(text) for text in known}
        paths = [PurePath(name) for name in (*view.files, *_changed(steps))]
        self._names = {part for path in paths for one in (path, *path.parents) for part in (str(one), one.name)}
        self._names -= {"", "."}
        self._accepted = any(step.judgement is not None and step.judgement.accepted for step in steps)
        self._wanted = view.decision is None or view.decision.state in ("waiting", "applied")
        outside = list(_from_outside(view, steps))
        said = [view.instruction, *(turn.said for turn in view.earlier), *_answers(steps)]
        said += [view.decision.reason] if view.decision is not None else []
        own = [own_words(text, insight_problem, material=outside, longest=len(text) + 1) for text in said]
        did = [step.action.source or step.action.text for step in steps]
        self._texts: dict[SuggestionSource, str] = {
            "person": "\n".join(own),
            "run": "\n".join([*did, *([view.check] if view.check else [])]),
            "output": "\n".join(outside),
        }
        self._shown = shown_text(view, steps)
        lines = dict.fromkeys(line for text in outside for line in _sentences(text))
        self._orders = [set(content_stems(line)) for line in lines if is_instruction(line)]

    def checked(self, kind: str, text: str, quote: str) -> Suggestion:
        """The suggestion, with why it is dropped where it is not fit to be shown to a person."""
        text, quote = " ".join(text.split()), " ".join(quote.split()).strip("\"'")
        source = self._source(quote)
        kind = "rule" if kind == "repeated" and not self._is_repeated(quote) else kind
        dropped = self._dropped(kind, text, quote, source)
        quote = self._uncropped(quote) if kind in WISHES else quote
        return Suggestion(
            kind=cast(SuggestionKind, kind), text=text, quote=quote, source=source or "output", dropped=dropped
        )

    def _dropped(self, kind: str, text: str, quote: str, source: SuggestionSource | None) -> DropReason:
        """Why a suggestion is not fit to be shown; "" where it is."""
        if MARK in text + quote:
            return "secret"
        if source is None:
            return "quote"
        # Whether a text repeats the question or what was known
        of_rules = repeats_text(text, self._rules) and not repeats_text(text, self._shown)
        if of_rules or comparison_key(text) in self._known:
            return "known"
        if _OF_THIS_RUN.search(text):
            return "once"
        if kind in WISHES:
            objection = self._against_wish(text, quote, source)
        else:
            objection = self._against_fact(kind, text, quote, source)
        return objection or ("unfit" if self._is_unfit(kind, text) else "")

    def _source(self, quote: str) -> SuggestionSource | None:
        """Whose words a quotation is; None where nobody's of this run, or where it is too short to tell."""
        letters = remove_spaces(quote)
        if len(letters) < _SHORTEST_QUOTE:
            return None
        return next((source for source, text in self._texts.items() if letters in remove_spaces(text)), None)

    def _uncropped(self, quote: str) -> str:
        """The person's sentence of which a quotation is, since "delete the tests" is also of "never delete the tests".

        A long one would not be read to its end, so there it is marked that something is left out.
        """
        letters = remove_spaces(quote)
        whole = next((one for one in _sentences(self._texts["person"]) if letters in remove_spaces(one)), "")
        return whole if 0 < len(whole) <= _LONGEST_QUOTE else f"{LEFT_OUT} {quote} {LEFT_OUT}"

    def _is_unfit(self, kind: str, text: str) -> bool:
        # A file's name and the check's command are no addresses and no code here.
        plain = text.replace(self._view.check, "the check") if self._view.check else text
        names = {name for name in self._view.files if "." in name or "/" in name}
        words = ["it" if word.strip("`'\".,;:()") in names else word for word in plain.replace("`", "'").split(" ")]
        why = insight_problem(" ".join(words))
        # What a person wants may well be worded as a demand; what a text demands was looked for before.
        return bool(why) and not (kind in WISHES and why in (DEMANDS, UNDOES))

    def _against_wish(self, text: str, quote: str, source: SuggestionSource) -> DropReason:
        """What speaks against a rule: the person's own words carry it, and more of it where others say the same."""
        if source != "person":
            return "person"
        words = set(content_stems(text))
        carried = len(words & set(content_stems(quote))) / max(1, len(words))
        least = _CARRIED if repeats_text(text, self._shown) else 0.0
        # A wrong figure among right ones is what a reader overlooks.
        own_figures = set(_NUMBER.findall(text)) <= set(_NUMBER.findall(self._texts["person"]))
        if self._follows_order(text):
            return "order"
        return "" if carried > least and own_figures else "beyond"

    def _against_fact(self, kind: str, text: str, quote: str, source: SuggestionSource) -> DropReason:
        """What speaks against a fact.

        It needs the words of its quotation or of what stands around that. What is told as having worked was done, and
        passed. Where a text from outside says it, a place is one of the files, and of tests the quotation speaks.
        """
        if self._follows_order(text) and not (kind == "tests" and source == "run"):
            return "order"
        read = kind == "tests" and source == "output"
        if kind == "procedure" and not (self._accepted and self._wanted and source != "output"):
            return "failed"
        if kind == "tests" and not read and not self._accepted:
            return "failed"
        named = {word.strip("`'\".,;:()").rstrip("/") for word in text.split()}
        if kind == "place" and source == "output" and not named & self._names:
            return "place"
        borne_out = self._is_borne_out(text, quote, source) and not (read and topic_words(quote).isdisjoint(_TESTING))
        return "" if borne_out else "beyond"

    def _is_borne_out(self, text: str, quote: str, source: SuggestionSource) -> bool:
        """Whether a fact has the words of its quotation and of what stands around it, and says nothing else.

        The task's own words may name what it is about. A "not" has to stand in the quotation, and so has one of its.
        """
        near = f"{_around(self._texts[source], quote)}\n{self._view.instruction}"
        words = topic_words(text) - _GENERAL
        named = {word.strip("`'\".,;:()") for word in text.split() if _NAME.search(word)}
        said = len(words & topic_words(near)) >= _BORNE_OUT * len(words)
        stands = all(remove_spaces(one) in remove_spaces(near) for one in named)
        return said and stands and is_negated(text) == is_negated(quote)

    def _follows_order(self, text: str) -> bool:
        words = set(content_stems(text)) - set(content_stems(self._texts["person"]))
        return any(len(words & order) >= max(1.0, _ORDERED * len(words)) for order in self._orders)

    def _is_repeated(self, quote: str) -> bool:
        """Whether the person said what is quoted, in such words, in more than one message."""
        words = list(content_stems(quote))
        said = [self._view.instruction, *(turn.said for turn in self._view.earlier)]
        return sum(len(set(words) & set(content_stems(text))) > len(set(words)) / 2 for text in said) > 1


def _says_more(view: TaskView, steps: Sequence[Step]) -> bool:
    """Whether the person stated something beside what they ask: around it, after an answer, or asked by the model."""
    said = "\n".join([view.instruction, *_answers(steps)])
    sentences = _sentences(own_words(said, insight_problem, longest=len(said) + 1))
    asked = [one for one in sentences if one.endswith("?")]
    stated = [one for one in sentences if one not in asked and len(one.split()) >= _LEAST_WORDS]
    return len(stated) > (0 if asked or view.earlier else 1)  # without a question mark one of them is the request


def _answers(steps: Sequence[Step]) -> Iterator[str]:
    return (seen.text for step in steps if (seen := step.observation) is not None and seen.person)


def _changed(steps: Sequence[Step]) -> Iterator[str]:
    states = [step.observation.state for step in steps if step.observation is not None]
    return (name for state in states if state is not None for name in state.changed or ())


def _from_outside(view: TaskView, steps: Sequence[Step]) -> Iterator[str]:
    """What programs, files and pages gave, apart from what the person said and the run did."""
    yield from (part.text for part in view.seen)
    yield from (turn.outcome for turn in view.earlier)
    for step in steps:
        seen = step.observation
        if seen is None or seen.person:
            continue
        yield from (text for text in (seen.text, seen.error, json.dumps(seen.outputs, ensure_ascii=False)) if text)
        if seen.state is not None:
            yield from (text for text in (seen.state.output, seen.state.check) if text)


def _around(text: str, quote: str) -> str:
    """The lines of a text that hold a quotation, with those next to it."""
    lines, letters = text.splitlines(), remove_spaces(quote)
    for size in range(1, min(len(lines), _LINES) + 1):
        for first in range(len(lines) - size + 1):
            if letters in remove_spaces("".join(lines[first : first + size])):
                return "\n".join(lines[max(0, first - _AROUND) : first + size + _AROUND])
    return text


def _sentences(text: str) -> list[str]:
    return [line.strip() for line in re.split(r"\n+|(?<=[.!?;])\s+", text) if line.strip()]

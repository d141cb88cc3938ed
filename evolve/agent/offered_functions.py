"""The functions that the code of one episode may call: their gate, which of them a prompt shows, and the calls made."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.core.episodes import PREFERENCE, FunctionCall, Json, OfferedFunction, Recalled, Step, TaskView
from evolve.core.errors import RecordDamaged
from evolve.core.files import canonical_json, clean_text, digest, head_and_tail
from evolve.runtime.functions import (
    CallAnswer,
    CallFile,
    CallsInMemory,
    Function,
    RecordedCall,
    StatefulSource,
    Toolbox,
    effects_text,
    signature_of,
    unique_names,
)

if TYPE_CHECKING:
    from evolve.core.redaction import Scanner
    from evolve.runtime.functions import CallGate, FunctionSource


_SOURCES_APART = 4
"""Sources that are shown by one function each, where none of theirs shares words with the task."""

_OWN_CALLS = 5_000
"""Calls that an episode may make at least where its environment offers functions."""

SHOWN = 12
"""Functions that a prompt shows at most."""

_FOUND = 10
_INDEXED = 1_000
"""Characters of a description that are looked through."""
_KEPT_ARGUMENTS, _KEPT_VALUE = 2_000, 500
"""Characters of a call that the episode's record keeps at most."""

_FIND = Function(
    name="find_functions",
    description="Functions that fit the words of a query, the likeliest first, of all that can be imported here.",
    parameters={
        "type": "object",
        "properties": {"query": {"type": "string", "maxLength": 1000}},
        "required": ["query"],
        "additionalProperties": False,
    },
    effects=frozenset(),
    repeatable=True,
)


class FindFunctions:
    """Finds functions that no prompt showed; implements :class:`~evolve.runtime.functions.FunctionSource`."""

    def __init__(self, functions: Sequence[Function]) -> None:
        self._functions = functions
        self._search: FunctionSearch | None = None

    def functions(self) -> Sequence[Function]:
        return [_FIND]

    def call(self, name: str, arguments: Mapping[str, Json], *, seconds: float) -> Json:
        if self._search is None:
            self._search = FunctionSearch(self._functions)
        found = self._search.functions_for(str(arguments["query"]), _FOUND)
        return [
            {"call": signature_of(one), "about": clean_text(one.description), "does": effects_text(one.effects)}
            for one in found
        ]

    def close(self) -> None:
        if self._search is not None:
            self._search.close()
            self._search = None


class FunctionSearch:
    """Finds functions by words (BM25 over stems), best first.

    Vectors beside the words find less where the encoder is the one that needs no model, and would have to be worked
    out for every function; `python -m benchmarks.retrieval` has the figures.
    """

    def __init__(self, functions: Sequence[Function]) -> None:
        from evolve.runtime.retrieval import WordIndex

        self._functions = functions
        self._index = WordIndex()
        self._index.add({str(place): _text_of(function) for place, function in enumerate(functions)})

    def functions_for(self, words: str, most: int) -> list[Function]:
        """Those that share words with a text, equal ones in the order that they were given in."""
        return [self._functions[int(place)] for place in self._index.scores(words, most)]

    def close(self) -> None:
        """Frees its memory; closing twice is no error."""
        self._index.close()


@contextmanager
def opened_gate(
    toolbox: Toolbox, folder: Path | None, scanner: Scanner, own: FunctionSource | None = None
) -> Iterator[CallGate | None]:
    """The gate of one episode with its record; None where there is nothing to call.

    Args:
        folder: The episode's own; None keeps the calls in memory.
        own: What the environment of the episode offers.
    """
    functions = [function for function, _ in unique_names(toolbox.sources)[0].values()]
    if not functions and own is None:
        yield None
        return
    finds = FindFunctions(functions)
    more: list[FunctionSource] = [finds] if len(functions) > SHOWN else []
    more += [own] if own is not None else []
    record = CallsInMemory() if folder is None else CallFile(folder / "calls.jsonl")
    if isinstance(own, StatefulSource):
        own.rebuild(tuple(record.calls.values()))
    if own is not None:  # a look takes no move, so a loop may look often
        toolbox = replace(toolbox, limits=replace(toolbox.limits, calls=max(toolbox.limits.calls, _OWN_CALLS)))
    try:
        yield toolbox.open_gate(record, clean=scanner.redact_value, more=more)
    finally:
        finds.close()
        if isinstance(record, CallFile):
            record.close()


def shown_functions(gate: CallGate, words: str, own: FunctionSource | None = None) -> tuple[OfferedFunction, ...]:
    """The functions that a prompt shows for a task: where not all fit, those that share words with it before others.

    Which ones depends on the task; in which order does not. So prompts that show the same ones begin alike, for the
    caches of endpoints, whatever order servers list them in.

    Args:
        own: What the environment offers, of which the prompt of its kind speaks.
    """
    told = own.functions() if own is not None else ()
    known = sorted((one for one in gate.functions if one != _FIND and one not in told), key=_by_name)
    finds = [one for one in gate.functions if one == _FIND]
    return tuple(
        OfferedFunction(
            name=function.name,
            signature=signature_of(function),
            description=clean_text(function.description),
            does=effects_text(function.effects),
            source=function.source,
            digest="" if function == _FIND else function.digest,
        )
        for function in (*chosen_functions(known, words), *finds)
    )


def chosen_functions(functions: Sequence[Function], words: str) -> list[Function]:
    """At most :data:`SHOWN` of them, by source and name; those that share no words fill what room is left."""
    if len(functions) <= SHOWN:
        return sorted(functions, key=_by_name)
    search = FunctionSearch(functions)
    best = search.functions_for(words, SHOWN)
    search.close()
    names = {one.name for one in best}
    rest = (one for one in functions if one.name not in names)
    # The same with a function of each source, as far as there are few: one that is not shown at all is not looked
    # for.
    chosen = [*best, *islice(rest, SHOWN - len(best))]
    missing = dict.fromkeys(one.source for one in functions if one.source not in {each.source for each in chosen})
    for source in [*missing][:_SOURCES_APART]:
        most, count = Counter(one.source for one in chosen).most_common(1)[0]
        if count > 1:
            place = max(place for place, one in enumerate(chosen) if one.source == most)
            chosen[place] = next(one for one in functions if one.source == source)
    return sorted(chosen, key=_by_name)


def _by_name(function: Function) -> tuple[str, str]:
    return function.source, function.name


def places_read(view: TaskView, items: Sequence[Recalled], steps: Sequence[Step]) -> Iterator[str]:
    """Whose data a run holds besides what functions gave it: what stands in its prompt, and what it looked up."""
    if view.seen or view.files:
        yield "the folder"
    if view.earlier:
        yield "earlier turns"
    if any(item.kind in ("note", PREFERENCE) for item in items) or any(step.action.kind == "recall" for step in steps):
        yield "your notes"


def calls_of_step(gate: CallGate, step: int) -> tuple[FunctionCall, ...]:
    """What is kept of the calls that the code of a step made."""
    known = {function.digest: function for function in gate.functions}
    made = [(call, answer) for call, answer in gate.calls_of_step(step) if answer is not None]
    return tuple(_kept(call, answer, known.get(call.digest)) for call, answer in made)


def refuse_lost_calls(gate: CallGate, steps: Sequence[Step]) -> None:
    """Refuses to go on where a step is known to have made calls that are on record no more.

    Its code may run again, and what it called would be called again.

    Raises:
        RecordDamaged: Naming the step.
    """
    for step in steps:
        known = [_identity(call) for call in step.observation.calls] if step.observation is not None else []
        if known and known != [_identity(call) for call in calls_of_step(gate, step.number)][: len(known)]:
            raise RecordDamaged(
                f"calls.jsonl: calls that step {step.number} made are not on record any more",
                hint="remove the episode's folder under runs to begin it anew; what it called is then called again",
            )


def _identity(call: FunctionCall) -> tuple[str, str, str, str]:
    return call.function, call.digest, call.state, call.value


def _kept(call: RecordedCall, answer: CallAnswer, function: Function | None) -> FunctionCall:
    value = canonical_json(answer.value) if answer.state == "answered" else ""
    return FunctionCall(
        function=call.function,
        digest=call.digest,
        source=function.source if function is not None else "",
        does=effects_text(function.effects) if function is not None else "",
        arguments=head_and_tail(json.dumps(call.arguments, ensure_ascii=False), _KEPT_ARGUMENTS),
        state=answer.state,
        value=digest(value) if value else "",
        told=clean_text(head_and_tail(value or answer.why, _KEPT_VALUE)),
        seconds=round(answer.seconds, 4),
    )


def _text_of(function: Function) -> str:
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", f"{function.name} {' '.join(function.parameter_names)}")
    return f"{apart} {function.description[:_INDEXED]}"

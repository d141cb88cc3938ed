"""The functions that the code of one episode may call: their gate, which of them a prompt shows, and the calls made."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from evolve.environments import Offering, kind_of
from evolve.episodes import PREFERENCE, FunctionCall, Json, OfferedFunction, Recalled, Step, TaskView
from evolve.errors import RecordDamaged
from evolve.files import both_ends, canonical_json, clean_text, digest
from evolve.functions import (
    Answer,
    Call,
    CallFile,
    CallGate,
    CallsInMemory,
    Function,
    FunctionSource,
    StatefulSource,
    Toolbox,
    does,
    signature_of,
    told_apart,
)
from evolve.redaction import Scanner
from evolve.tasks import Task

SHOWN = 12
"""Functions that a prompt shows at most."""

_FOUND = 10
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
    """Finds functions that no prompt showed; implements :class:`~evolve.functions.FunctionSource`."""

    def __init__(self, functions: Sequence[Function]) -> None:
        self._functions = functions

    def functions(self) -> Sequence[Function]:
        return [_FIND]

    def call(self, name: str, arguments: Mapping[str, Json], *, seconds: float) -> Json:
        found = fitting(self._functions, str(arguments["query"]))[:_FOUND]
        return [
            {"call": signature_of(one), "about": clean_text(one.description), "does": does(one.effects)}
            for one in found
        ]

    def close(self) -> None:
        """Holds nothing."""


@contextmanager
def opened_source(task: Task) -> Iterator[FunctionSource | None]:
    """The functions that the environment of an episode offers itself; None where it offers none."""
    kind = kind_of(task.environment)
    if not isinstance(kind, Offering):
        yield None
        return
    with closing(kind.source(task)) as source:
        yield source


@contextmanager
def opened_gate(
    toolbox: Toolbox, folder: Path | None, scanner: Scanner, own: FunctionSource | None = None
) -> Iterator[CallGate | None]:
    """The gate of one episode with its record; None where there is nothing to call.

    Args:
        folder: The episode's own; None keeps the calls in memory.
        own: What the environment of the episode offers.
    """
    functions = [function for function, _ in told_apart(toolbox.sources)[0].values()]
    if not functions and own is None:
        yield None
        return
    more: list[FunctionSource] = [FindFunctions(functions)] if len(functions) > SHOWN else []
    more += [own] if own is not None else []
    record = CallsInMemory() if folder is None else CallFile(folder / "calls.jsonl")
    if isinstance(own, StatefulSource):
        own.rebuild(tuple(record.calls.values()))
    try:
        yield toolbox.gate(record, clean=scanner.cleaned, more=more)
    finally:
        if isinstance(record, CallFile):
            record.close()


def shown_functions(gate: CallGate, words: str, own: FunctionSource | None = None) -> tuple[OfferedFunction, ...]:
    """The functions that a prompt shows for a task: those that share words with it first.

    Args:
        own: What the environment offers, of which the prompt of its kind speaks.
    """
    told = own.functions() if own is not None else ()
    known = [function for function in gate.functions if function != _FIND and function not in told]
    fit = fitting(known, words)
    order = [*fit, *(function for function in known if function not in fit)][:SHOWN]
    finds = [function for function in gate.functions if function == _FIND]
    return tuple(
        OfferedFunction(
            name=function.name,
            signature=signature_of(function),
            description=clean_text(function.description),
            does=does(function.effects),
            source=function.source,
        )
        for function in (*order, *finds)
    )


def fitting(functions: Sequence[Function], words: str) -> list[Function]:
    """Those that share words with a text, best first (BM25)."""
    from evolve.retrieval import WordIndex

    index = WordIndex()
    index.add({str(place): _text_of(function) for place, function in enumerate(functions)})
    found = [functions[int(place)] for place in index.scores(words)]
    index.close()
    return found


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
    made = [(call, answer) for call, answer in gate.made(step) if answer is not None]
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


def _kept(call: Call, answer: Answer, function: Function | None) -> FunctionCall:
    value = canonical_json(answer.value) if answer.state == "answered" else ""
    return FunctionCall(
        function=call.function,
        digest=call.digest,
        source=function.source if function is not None else "",
        does=does(function.effects) if function is not None else "",
        arguments=both_ends(json.dumps(call.arguments, ensure_ascii=False), _KEPT_ARGUMENTS),
        state=answer.state,
        value=digest(value) if value else "",
        told=clean_text(both_ends(value or answer.why, _KEPT_VALUE)),
        seconds=round(answer.seconds, 4),
    )


def _text_of(function: Function) -> str:
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", f"{function.name} {' '.join(function.names)}")
    return f"{apart} {function.description}"

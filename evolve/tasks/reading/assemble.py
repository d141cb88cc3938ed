"""From rows with places to a checked :class:`Task`: contradictions, sizes, what is kept for verification."""

from __future__ import annotations

import keyword
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evolve.core.episodes import Json, Row
from evolve.core.equality import equal
from evolve.core.files import canonical_json
from evolve.tasks.likeness import row_outline
from evolve.tasks.model import MIN_VERIFY, Task, entry_name, row_key
from evolve.tasks.reading.limits import MAX_EXAMPLES, MAX_HIDDEN, MAX_UNLABELLED, MAX_VERIFY, FilePosition, check_id
from evolve.tasks.signature import (
    SignatureError,
    argument_name,
    format_signature,
    has_type,
    infer_signature,
    parse_signature,
    with_plain_names,
)
from evolve.tasks.work import FolderWork, Work

# Three are kept back at least, and as many stay visible.
ENOUGH_TO_SPLIT = 6
"""From this many rows on some are kept back for verification."""
_UNDERDETERMINED = "one example only: many functions fit it, so the answer is underdetermined"


@dataclass(frozen=True, kw_only=True)
class PlacedRow:
    """A row and where it stands."""

    row: Row
    place: FilePosition


@dataclass(frozen=True, kw_only=True)
class RawTask:
    """A task as a file gives it, rows placed, nothing checked beyond single values.

    ``verify`` and ``hidden`` are None where the file does not speak of them; then some of the
    examples are kept for verification. ``names`` are parameter names where the file has them, ``unlabelled`` inputs of
    rows without an output.
    """

    id: str
    place: FilePosition
    examples: Sequence[PlacedRow]
    verify: Sequence[PlacedRow] | None = None
    hidden: Sequence[PlacedRow] | None = None
    family: str = ""
    group: str = ""
    instruction: str = ""
    signature: str = ""
    names: Sequence[str] = ()
    tests: str = ""
    work: Work | None = None
    meta: Mapping[str, Json] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    unlabelled: Sequence[tuple[Json, ...]] = ()


def assemble_task(raw: RawTask) -> Task:
    """The checked task.

    Raises:
        TaskError: When there is no example, rows differ in their number of arguments, contradict
            each other, or do not have the types of the signature.
    """
    if raw.work is not None or (raw.tests and not raw.examples):
        return _without_rows(raw)
    if not raw.examples:
        raise raw.place.field_position("examples").error("at least one example is needed")
    every = [*raw.examples, *(raw.verify or ()), *(raw.hidden or ())]
    _check_arguments(every)
    _check_contradictions(every)
    _check_signature(raw, every)
    own = raw.verify is None and raw.hidden is None
    examples, verify, hidden, warnings = _own_rows(raw.examples) if own else _given_rows(raw)
    signature = _signature(raw)
    if raw.names and not signature:
        signature = format_signature(infer_signature(examples, raw.names))
    task = Task(
        id=raw.id,
        family=raw.family or _kind(examples),
        group=raw.group,
        instruction=raw.instruction,
        signature=signature,
        examples=examples,
        verify=verify,
        hidden=hidden,
        tests=raw.tests,
        meta=raw.meta,
        warnings=(*raw.warnings, *warnings),
        unlabelled=_distinct(raw.unlabelled),
    )
    return task


def _distinct(inputs: Sequence[tuple[Json, ...]]) -> tuple[tuple[Json, ...], ...]:
    """The first inputs that differ."""
    known: dict[str, tuple[Json, ...]] = {}
    for one in inputs:
        known.setdefault(canonical_json(one), one)
        if len(known) >= MAX_UNLABELLED:
            break
    return tuple(known.values())


def _without_rows(raw: RawTask) -> Task:
    present = [name for name in ("examples", "verify", "hidden") if getattr(raw, name)]
    if present:
        kind = raw.work.kind if raw.work is not None else "files"
        raise raw.place.field_position(present[0]).error(f"not together with {kind}, or with tests and no examples")
    if raw.work is not None and raw.tests:
        raise raw.place.field_position("tests").error(f"not together with {raw.work.kind}")
    outside = isinstance(raw.work, FolderWork) and raw.work.elsewhere
    told = f"the task works in {raw.work.folder}, outside of the folder of its file" if raw.work and outside else ""
    return Task(
        id=raw.id,
        family=raw.family or (raw.work.kind if raw.work is not None else "tests"),
        group=raw.group,
        instruction=raw.instruction,
        signature=_signature(raw),
        examples=(),
        tests=raw.tests,
        work=raw.work,
        meta=raw.meta,
        warnings=(*raw.warnings, *filter(None, [told])),
    )


def _signature(raw: RawTask) -> str:
    """The signature with names that cannot be an order."""
    try:
        return with_plain_names(raw.signature) if raw.signature else ""
    except SignatureError as error:
        raise raw.place.field_position("signature").error(str(error)) from error


def name_meta(name: str) -> dict[str, Json]:
    """The ``meta`` of a task whose answer should carry a name."""
    return {"entry": argument_name(name, 1)}


def named_meta(name: str, place: FilePosition) -> dict[str, Json]:
    """The same for a name that a person chose.

    Raises:
        TaskError: It is no id, or no function can carry it without hiding what Python means by it.
    """
    if not isinstance(name, str):
        raise place.error(f"a name is a text, not {type(name).__name__}")
    check_id(name, place)
    entry = argument_name(name, 1)
    if keyword.iskeyword(name) or name.startswith("__") or entry_name(entry) != entry:
        raise place.error(f"{name!r} means something in Python already", hint=f"such as my_{entry.strip('_')}")
    if not re.search("[a-z0-9]", name.lower()):
        raise place.error(f"{name!r} has no letter from a to z, which the name of a function needs")
    return name_meta(name)


def _kind(rows: Sequence[Row]) -> str:
    signature = infer_signature(rows)
    types = ", ".join(str(parameter.type) for parameter in signature.parameters)
    return f"{f'({types})' if len(signature.parameters) > 1 else types} -> {signature.result}"


def _check_arguments(rows: Sequence[PlacedRow]) -> None:
    expected = len(rows[0].row.input)
    if expected == 0:
        raise rows[0].place.field_position("input").error("at least one argument is needed")
    for placed in rows:
        count = len(placed.row.input)
        if count != expected:
            raise placed.place.field_position("input").error(
                f"{count} arguments where the first example has {expected}"
            )


def _check_contradictions(rows: Sequence[PlacedRow]) -> None:
    seen: dict[str, PlacedRow] = {}
    for placed in rows:
        first = seen.setdefault(row_key(placed.row), placed)
        if first is not placed and not equal(first.row.output, placed.row.output):
            where = f"line {first.place.line}" if first.place.line != placed.place.line else first.place.field
            raise placed.place.error(
                f"the same input as {where} but another output", hint="a function gives one output for each input"
            )


def _check_signature(raw: RawTask, rows: Sequence[PlacedRow]) -> None:
    if not raw.signature:
        return
    try:
        signature = parse_signature(raw.signature)
    except SignatureError as error:
        raise raw.place.field_position("signature").error(str(error)) from error
    expected = len(signature.parameters)
    if expected != len(rows[0].row.input):
        raise (
            rows[0]
            .place.field_position("input")
            .error(f"{len(rows[0].row.input)} arguments where the signature has {expected}")
        )
    for placed in rows:
        for position, (value, parameter) in enumerate(zip(placed.row.input, signature.parameters, strict=True)):
            if not has_type(value, parameter.type):
                raise placed.place.field_position(f"input[{position}]").error(
                    f"not {parameter.type}, which the signature asks for"
                )
        if not has_type(placed.row.output, signature.result):
            raise placed.place.field_position("output").error(f"not {signature.result}, which the signature asks for")


def _given_rows(raw: RawTask) -> tuple[tuple[Row, ...], tuple[Row, ...], tuple[Row, ...], tuple[str, ...]]:
    warnings: list[str] = []
    parts = []
    for name, rows, limit in (
        ("examples", raw.examples, MAX_EXAMPLES),
        ("verify", raw.verify or (), MAX_VERIFY),
        ("hidden", raw.hidden or (), MAX_HIDDEN),
    ):
        sample = _sample([placed.row for placed in rows], limit)
        if len(sample) < len(rows):
            warnings.append(f"{name}: a sample of {len(sample)} of {len(rows):,} rows is used")
        parts.append(tuple(sample))
    if len(parts[0]) == 1:
        warnings.append(_UNDERDETERMINED)
    return parts[0], parts[1], parts[2], tuple(warnings)


def _own_rows(placed: Sequence[PlacedRow]) -> tuple[tuple[Row, ...], tuple[Row, ...], tuple[Row, ...], tuple[str, ...]]:
    """Split a person's rows into visible examples, verify rows and the rest."""
    distinct = list({row_key(item.row): item.row for item in reversed(placed)}.values())[::-1]
    warnings: list[str] = []
    if len(distinct) < len(placed):
        warnings.append(f"{len(placed) - len(distinct):,} repeated rows are left out")
    rows = _sample(distinct, MAX_EXAMPLES + MAX_VERIFY)
    if len(rows) < len(distinct):
        warnings.append(f"a sample of {len(rows)} of {len(distinct):,} rows is used")
    if len(rows) < ENOUGH_TO_SPLIT:
        if len(rows) == 1:
            warnings.append(_UNDERDETERMINED)
        warnings.append(f"fewer than {ENOUGH_TO_SPLIT} rows: all are examples, and none is left to verify the answer")
        return tuple(rows), (), (), tuple(warnings)
    kept_back = set(_kept_back(rows))
    examples = [row for index, row in enumerate(rows) if index not in kept_back]
    verify = tuple(row for index, row in enumerate(rows) if index in kept_back)
    return tuple(examples), verify, (), tuple(warnings)


def _kept_back(rows: Sequence[Row]) -> list[int]:
    """Which rows verify: a third, at least three, and all beyond what may be seen.

    One more, so that a refusal could show one while three stay unseen, left the search without an answer to three
    tasks of ``examples``; the test that solves all of them would show it.

    The first row of every shape stays visible while others can be spared, because a policy can
    only learn what its examples show; among the others every k-th is taken.
    """
    wanted = max(MIN_VERIFY, len(rows) // 3, len(rows) - MAX_EXAMPLES)
    first_of_shape: dict[str, int] = {}
    for index, row in enumerate(rows):
        first_of_shape.setdefault(row_outline(row), index)
    anchors = sorted(first_of_shape.values())
    spare = [index for index in range(len(rows)) if index not in set(anchors)]
    if len(spare) >= wanted:
        return _every_kth(spare, wanted)
    return spare + _every_kth(anchors[1:], wanted - len(spare))


def _every_kth(indices: Sequence[int], count: int) -> list[int]:
    """``count`` of the indices, evenly spaced, the last one among them."""
    return [indices[((position + 1) * len(indices)) // count - 1] for position in range(count)]


def _sample(rows: Sequence[Row], limit: int) -> list[Row]:
    """At most ``limit`` rows in their order, the same ones every time."""
    if len(rows) <= limit:
        return list(rows)
    chosen = sorted(random.Random(len(rows)).sample(range(len(rows)), limit))
    return [rows[index] for index in chosen]

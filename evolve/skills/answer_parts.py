"""Which skills others are made of, which to offer, and the rows on which a part of an answer is judged."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from evolve.core.episodes import Json, Row, SkillDraft
from evolve.core.equality import equal
from evolve.core.files import canonical_json
from evolve.skills.admission import Interpreter
from evolve.skills.reader import KEPT
from evolve.skills.repository import SkillRepository
from evolve.skills.skill import Skill

RECURRING, FEW = 0.25, 5
"""Share of skills that are of use from which on the others are offered too; of fewer than ``FEW`` it tells nothing."""


def with_called(wanted: Iterable[str], skills: Sequence[Skill]) -> set[str]:
    """Digests of the wanted skills and of all that these are made of.

    A skill that calls another brings its source along; so what it calls can be read off its code.

    Args:
        wanted: Digests.
        skills: Every skill in question.
    """
    entries = {skill.entry: skill.digest for skill in skills}
    calls = {skill.digest: {entries[name] for name in _defined_in(skill.code) if name in entries} for skill in skills}
    reached: set[str] = set()
    waiting = list(wanted)
    while waiting:
        digest = waiting.pop()
        if digest not in reached:
            reached.add(digest)
            waiting += calls.get(digest, ())
    return reached


def worth_offering(skills: Sequence[Skill]) -> set[str]:
    """Digests of the skills that helped other tasks, and of what these are made of.

    Where :data:`RECURRING` of them helped at all, all of them: so many tell that one that has not yet probably will.

    Args:
        skills: All whose admission holds, those that are idle among them.
    """
    if len(with_called([one.digest for one in skills if one.tasks], skills)) >= max(FEW, RECURRING * len(skills)):
        return {one.digest for one in skills}
    return with_called([one.digest for one in skills if one.tasks], skills)


def suspend_all(library: SkillRepository, skill: Skill, reason: str) -> None:
    """Takes a skill out of use, and what is made of it, until their own tests pass again; not what a person owns."""
    kept = library.list(KEPT)
    library.suspend(skill.digest, reason)
    for other in kept:
        if other.digest != skill.digest and skill.digest in with_called([other.digest], kept):
            library.suspend(other.digest, f"it is made of {skill.name}, which is doubtful")


def _defined_in(code: str) -> list[str]:
    """Names of the functions at the top of a module."""
    return [node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)]


def unseen_rows(draft: SkillDraft, rows: Sequence[Row], interpret: Interpreter | None) -> tuple[Row, ...]:
    """The rows on which a draft is judged that its author did not see.

    For a whole answer these are ``rows``. For a part they are the distinct calls that the answer makes on the inputs
    of ``rows``, with the values of the part's tree; calls that fail or are among its tests are left out. They are
    evidence only because the answer with the part inside is right on all of ``rows``, which is tried here, and because
    admission shows that the part's code equals its tree. Then the answer that calls the code is the same function.

    Args:
        draft: The proposal.
        rows: Rows of the task that the answer was verified on.
        interpret: Evaluates trees; without it nothing can be said of a part.

    Returns:
        Rows; none where a part's answer is wrong on any of ``rows``.
    """
    if not draft.arguments:
        return tuple(rows)
    if interpret is None:
        return ()
    inputs = [row.input for row in rows]
    whole = interpret(draft.within, inputs)
    if not all(outcome.ok and equal(outcome.value, row.output) for outcome, row in zip(whole, rows, strict=True)):
        return ()
    columns = [interpret(tree, inputs) for tree in draft.arguments]
    known = {canonical_json(list(row.input)) for row in draft.tests}
    calls: dict[str, list[Json]] = {}
    for outcomes in zip(*columns, strict=True):
        values = [outcome.value for outcome in outcomes]
        key = _key(values) if all(outcome.ok for outcome in outcomes) else ""
        if key and key not in known:
            calls.setdefault(key, values)
    results = interpret(draft.tree, list(calls.values()))
    return tuple(
        Row(input=tuple(values), output=result.value)
        for values, result in zip(calls.values(), results, strict=True)
        if result.ok and _key(result.value)
    )


def _key(value: Json) -> str:
    """The text of a value, "" for one that JSON does not have."""
    try:
        return canonical_json(value)
    except ValueError:
        return ""

"""What the rows of a person's own task leave open once an answer was accepted: reasons, and other functions."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

from evolve.core.episodes import Ambiguity, Cost, EpisodeRecord, Limits, Row
from evolve.core.errors import Cancelled
from evolve.core.files import canonical_json
from evolve.core.progress import report_activity
from evolve.core.reasons import Reason, reason
from evolve.policies.base import Ambiguities
from evolve.runtime.sandbox import Program
from evolve.skills.hard_coded import frozen_piece
from evolve.skills.parameters import used_parameters
from evolve.tasks import MIN_VERIFY, Task, equal, row_key
from evolve.workspace.runs.context import RunRequest
from evolve.workspace.runs.result import Result
from evolve.workspace.runs.skill_origin import SkillOrigin, origin_used
from evolve.workspace.services import WorkspaceServices

CANDIDATES = (20_000, 150_000)
"""Fewest and most expressions tried in search of other functions; in between, twice what the answer took."""
TOO_FEW = 1_000
"""Expressions below which nothing is looked for: what is tried before they are counted may be half as many."""
CHANCE = 0.1
"""Rows verify nothing that one value, always the same, would reproduce with a likelihood above this."""

CUT_SHORT = reason("budget_too_small")


def kept_for_doubts(candidates: int) -> int:
    """What the search for an answer leaves of a bound, so that the answer can be doubted: a fifth, and no more than the
    fewest that doubts take; nothing where a fifth is too few."""
    part = min(CANDIDATES[0], candidates // 5)
    return part if part >= TOO_FEW else 0


@report_activity("doubts")
def with_ambiguities(services: WorkspaceServices, result: Result, record: EpisodeRecord, request: RunRequest) -> Result:
    """The result with what speaks against it: other functions that fit, the question that decides, and why.

    What looking for it cost counts as the result's. A person who stops it has the answer, unverified. The gate never
    asks this. Rows alone decide there.
    """
    return _contested_by_literals(
        services, _contested_by_rivals(services, result, record, request), record, request.task
    )


def _contested_by_rivals(
    services: WorkspaceServices, result: Result, record: EpisodeRecord, request: RunRequest
) -> Result:
    task = request.task
    step = next((s for s in reversed(record.steps) if s.judgement is not None and s.judgement.accepted), None)
    if step is None or services.uses_model or not task.examples or not result.solved:
        return result
    origin = origin_used(services, task, record)
    earlier = () if origin is None else origin.rows_in(task)
    if origin is not None:
        result = _with_origin(result, task, origin)
        if origin.verified:  # nothing contested it, and inputs unlike all of its rows are seen where it is applied
            return result
    learner = request.bound_learner(services.learner)
    policy = services.stores.practice_state(services.workflow).policy(learner, attended=True)
    if not policy.searches:
        return result
    # what a saved function was verified on before tells it from others here too
    rows = {row_key(row): row for row in (*task.examples, *task.verify, *task.hidden, *earlier)}
    view = replace(task, examples=tuple(rows.values()), verify=(), hidden=()).view()
    least, most = CANDIDATES
    took = max(record.cost.candidates, 0 if origin is None else origin.candidates)  # a saved function costs nothing
    whole = Limits(candidates=min(most, max(least, 2 * took)), seconds=None)
    limits = request.within_left(whole)
    is_cut = limits.candidates != whole.candidates
    if is_cut and (limits.candidates or 0) < TOO_FEW:
        return replace(result, verified=False, reason=result.reason or CUT_SHORT)
    try:
        doubts = policy.with_supervision(request.person.cancellation).ambiguities(view, step, task.unlabelled, limits)
    except Cancelled:
        return replace(result, verified=False, reason=result.reason or reason("search_stopped"))
    doubts = _told_apart(result, doubts, task)
    request.ledger.settle(Cost(), doubts.cost)
    why = (_by_chance(task) or _by_copies(task, result)) if record.verified else None
    if record.verified and why is None and (is_cut or request.ledger.remaining.seconds == 0):
        why = CUT_SHORT
    if doubts.question is not None and doubts.contested:
        own, other, *_ = doubts.question.outputs
        told = replace(result, rivals=doubts.rivals).told_inputs(doubts.question.input)
        why = reason("another_as_simple", input=told, gives=own, other=other)
    asked = doubts.question if doubts.contested or not result.verified else None
    return replace(
        result,
        verified=result.verified and why is None,
        reason=result.reason or why,
        rivals=doubts.likely if result.verified else doubts.rivals,
        distant=doubts.distant,
        ambiguity=asked,
        cost=result.cost + doubts.cost,
    )


def _told_apart(result: Result, doubts: Ambiguities, task: Task) -> Ambiguities:
    """What a search found beside a function that was there already counts where no row tells them apart."""
    calls, inputs = result.calls, task.unlabelled
    if not doubts.found:
        return doubts
    if calls is None or not inputs:
        return Ambiguities(cost=doubts.cost)
    own, other = (calls(Program(source=one, entry=result.entry), inputs) for one in (result.answer, doubts.found))
    pairs = [one for one in zip(inputs, own, other, strict=False) if one[1].ok and one[2].ok]
    given, first, second = next((one for one in pairs if not equal(one[1].value, one[2].value)), (None, None, None))
    if given is None or first is None or second is None:
        return Ambiguities(cost=doubts.cost)
    asked = Ambiguity(input=tuple(given), outputs=(first.value, second.value), code=doubts.found)
    return replace(doubts, likely=(doubts.found,), rivals=(doubts.found,), question=asked, contested=True)


def _contested_by_literals(services: WorkspaceServices, result: Result, record: EpisodeRecord, task: Task) -> Result:
    """The result, with why its rule may hold for this table alone, and unverified where a row would tell."""
    if not (result.solved and result.answer and result.calls is not None and task.examples):
        return result
    origin = origin_used(services, task, record)
    rows = (*task.examples, *task.verify, *task.hidden, *(() if origin is None else origin.rows_in(task)))
    program, calls = Program(source=result.answer, entry=result.entry), result.calls
    is_same = len(rows) > 1 and len({canonical_json(row.output) for row in rows}) == 1
    if is_same or not used_parameters(program):
        return replace(result, narrow=reason("one_value"))
    found = frozen_piece(result.answer, rows, lambda inputs: calls(program, inputs))
    if found is None:
        return result
    result = replace(result, narrow=found.why)
    if not result.verified:
        return result
    asked = None if found.copy_value is None else Ambiguity(input=found.input, outputs=(found.given, found.copy_value))
    return replace(result, verified=False, reason=result.reason or found.why, ambiguity=result.ambiguity or asked)


def _with_origin(result: Result, task: Task, origin: SkillOrigin) -> Result:
    """The result of a saved function whose table had the same columns: rows given now are such as it was not made from.

    They count beside those that verified it before.
    """
    used = origin.as_used_skill(origin.new_rows(task))
    told = f"used {used.summary}"
    if not used.verified or result.verified:
        return replace(result, used=used, note=f"{told}; {result.note.partition('; ')[2]}")
    if used.given:
        grounds = f"right on {_rows(used.given)} given here and {_rows(used.rows)} before"
    else:
        grounds = f"right on {_rows(used.rows)} before; those given here are among them"
    return replace(result, used=used, verified=True, reason=None, note=f"{told}: {grounds}")


def _rows(number: int) -> str:
    return f"{number} row{'s' * (number != 1)}"


def _by_chance(task: Task) -> Reason | None:
    """Why the rows that decided say too little: their values are so few that one of them alone might pass."""
    rows = task.verify_rows()
    shares = Counter(canonical_json(row.output) for row in (*task.examples, *rows))
    total = shares.total()
    chance = math.prod(shares[canonical_json(row.output)] / total for row in rows)
    return reason("too_few_values", rows=len(rows)) if rows and chance > CHANCE else None


def _by_copies(task: Task, result: Result) -> Reason | None:
    """Why the rows that decided say too little: too few of them are no copies of a visible row under another id."""
    rows = task.verify_rows()
    read = used_parameters(Program(source=result.answer, entry=result.entry))
    columns = list(zip(*(row.input for row in (*task.examples, *rows)), strict=True))
    ids = {
        n for n, values in enumerate(columns) if n not in read and len(set(map(canonical_json, values))) == len(values)
    }
    new = sum(not any(_only_differs(row, shown) & ids for shown in task.examples) for row in rows)
    if new >= MIN_VERIFY or new == len(rows):
        return None
    return reason("rows_repeat", repeated=len(rows) - new, rows=len(rows))


def _only_differs(row: Row, other: Row) -> set[int]:
    """The one argument in which two rows differ; none where there are more."""
    pairs = zip(row.input, other.input, strict=True)
    differing = {n for n, (one, two) in enumerate(pairs) if canonical_json(one) != canonical_json(two)}
    return differing if len(differing) == 1 else set()

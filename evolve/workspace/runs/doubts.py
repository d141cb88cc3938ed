"""What the rows of a person's own task leave open once an answer was accepted, in words and as other functions."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace

from evolve.episodes import EpisodeRecord, Json, Limits, Row
from evolve.errors import Cancelled
from evolve.files import canonical_json
from evolve.policies.protocol import Attendable, Doubting
from evolve.sandbox import Program
from evolve.tasks import MIN_VERIFY, Task
from evolve.workspace.desk import Desk
from evolve.workspace.runs.applying import used_parameters
from evolve.workspace.runs.place import Wish
from evolve.workspace.runs.result import Result

CANDIDATES = (20_000, 150_000)
"""Fewest and most expressions tried in search of other functions; in between, twice what the answer took."""
CHANCE = 0.1
"""Rows verify nothing that one value, always the same, would reproduce with a likelihood above this."""

STOPPED = "the search for other functions that fit the rows was stopped"


def doubted(desk: Desk, result: Result, record: EpisodeRecord, wish: Wish) -> Result:
    """The result with what speaks against it: other functions that fit, the question that decides, and why in words.

    What looking for it cost counts as the result's. A person who stops it has the answer, unverified. The gate never
    asks this. Rows alone decide there.
    """
    task = wish.task
    step = next((s for s in reversed(record.steps) if s.judgement is not None and s.judgement.accepted), None)
    if step is None or desk.uses_model or not task.examples or not result.solved:
        return result
    policy = desk.stores.practice_arm(desk.workflow).policy(desk.learner, attended=True)
    if isinstance(policy, Attendable):
        policy = policy.attended(wish.person.cancellation)
    if not isinstance(policy, Doubting):
        return result
    unseen = (*task.verify, *task.hidden)
    view = replace(task, examples=(*task.examples, *unseen), verify=(), hidden=()).view()
    least, most = CANDIDATES
    limits = Limits(candidates=min(most, max(least, 2 * record.cost.candidates)), seconds=None)
    try:
        doubts = policy.doubts(view, step, task.unlabelled, limits)
    except Cancelled:
        return replace(result, verified=False, reason=result.reason or STOPPED)
    reason = (_by_chance(task) or _by_copies(task, result)) if record.verified else ""
    if doubts.question is not None and doubts.contested:
        first, second = (_short(value) for value in doubts.question.outputs)
        given = ", ".join(map(_short, doubts.question.input))
        reason = f"another function fits every row as well: of {given} it makes {second}, where this one makes {first}"
    asked = doubts.question if doubts.contested or not result.verified else None
    return replace(
        result,
        verified=result.verified and not reason,
        reason=result.reason or reason,
        rivals=doubts.likely if result.verified else doubts.rivals,
        distant=doubts.distant,
        ambiguity=asked,
        cost=result.cost + doubts.cost,
    )


def _by_chance(task: Task) -> str:
    """Why the rows that decided say too little: their values are so few that one of them alone might pass."""
    rows = task.verify_rows()
    shares = Counter(canonical_json(row.output) for row in (*task.examples, *rows))
    total = shares.total()
    chance = math.prod(shares[canonical_json(row.output)] / total for row in rows)
    if not rows or chance <= CHANCE:
        return ""
    return f"the {len(rows)} rows that decided have too few different values; more rows would tell"


def _by_copies(task: Task, result: Result) -> str:
    """Why the rows that decided say too little: too few of them are no copies of a visible row under another id."""
    rows = task.verify_rows()
    read = used_parameters(Program(source=result.answer, entry=result.entry))
    columns = list(zip(*(row.input for row in (*task.examples, *rows)), strict=True))
    ids = {
        n for n, values in enumerate(columns) if n not in read and len(set(map(canonical_json, values))) == len(values)
    }
    new = sum(not any(_only_differs(row, shown) & ids for shown in task.examples) for row in rows)
    if new >= MIN_VERIFY or new == len(rows):
        return ""
    return f"of the {len(rows)} rows that decided {len(rows) - new} only repeat rows that were shown, under another id"


def _only_differs(row: Row, other: Row) -> set[int]:
    """The one argument in which two rows differ; none where there are more."""
    pairs = zip(row.input, other.input, strict=True)
    differing = {n for n, (one, two) in enumerate(pairs) if canonical_json(one) != canonical_json(two)}
    return differing if len(differing) == 1 else set()


def _short(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."

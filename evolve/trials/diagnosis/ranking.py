"""Orders what a broken run rested on by how suspicious each is.

Four signs of equal weight make the score of a recalled item or skill, each 0 to 1:

- ``trace``: it was consumed by the step that broke, by an earlier one, or was offered only.
- ``contrast``: the nearest run that went well did without it.
- ``spectrum``: it stands in runs that failed and not in those that went well, as Ochiai's coefficient
  (Abreu, Zoeteweij and van Gemund, 2007), failed with it / sqrt(failed * all with it).
- ``words``: the step, or what its answer gave, says what the item says, and neither the task nor what was wanted nor
  the run that went well does.

The step itself is suspected as far as no item explains it. What ended the run by rule (a check that nothing moves, a
budget, a row that all others speak against) stands beside them with the weight of its rule.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from evolve.core.episodes import PREFERENCE, EpisodeRecord, Row, Step, outlier_text, value_text
from evolve.core.reasons import Reason, reason
from evolve.trials.diagnosis.case import (
    ACTION,
    BUDGET,
    CHECK,
    DATA,
    ROW,
    BreakingStep,
    FailureCase,
    OfferedItem,
    Suspect,
    episode_label,
    matching_step,
    state_of,
    steps_leading_to,
)

_WORD = re.compile(r"[^\W\d_]{2,}|\d+")
_OFFERED, _BEFORE, _THERE = 0.25, 0.5, 1.0
"""How near to the step that broke an item came: offered, consumed before, consumed there."""
_UNKNOWN = 0.5
"""A sign that nothing is there to tell of."""


def suspects_of(case: FailureCase, broke: BreakingStep) -> tuple[Suspect, ...]:
    """Everything that may have broken the run, the most suspicious first."""
    step = next((step for step in case.record.steps if step.number == broke.step), None)
    items = [_item(case, item, step) for item in case.items]
    found = [*_by_rule(case, broke), *items]
    if step is not None and (step.action.code or step.action.kind == "answer"):
        found += list(_actions(case, step, items, broke.why))
    found.sort(key=lambda one: (-one.score, one.kind, one.id))
    return tuple({(one.kind, one.id): one for one in reversed(found)}.values())[::-1]


def _item(case: FailureCase, item: OfferedItem, step: Step | None) -> Suspect:
    where = [one.number for one in steps_leading_to(case.record.steps) if item.id in one.action.consumed]
    there = step is not None and step.number in where
    trace = _THERE if there else _BEFORE if where else _OFFERED
    # A wish of the person instructs every step, cited or not, so that one cited it says little.
    trace = _BEFORE if item.kind == PREFERENCE else trace
    contrast = _UNKNOWN if not case.good else float(item.id not in _had(case.good[0]))
    signs = {"trace": trace, "contrast": contrast, "spectrum": _ochiai(case, item), "words": _words(case, item, step)}
    at = step.number if step is not None and (there or signs["words"] > 0) else min(where, default=0)
    traces = {_THERE: reason("consumed_there"), _BEFORE: reason("consumed_before"), _OFFERED: reason("only_offered")}
    told = [traces[signs["trace"]]]
    if case.good:
        other = episode_label(case.record, case.good[0])
        told.append(
            reason("good_did_without", other=other) if signs["contrast"] else reason("good_had_it", other=other)
        )
    if case.good or case.bad:
        bad, good = [case.record, *case.bad], case.good
        counts = [sum(item.id in _had(record) for record in records) for records in (bad, good)]
        told.append(reason("stands_in", bad=counts[0], failed=len(bad), good=counts[1], went_well=len(good)))
    if signs["words"] >= 0.3:
        told.append(reason("step_says_it"))
    return Suspect(
        kind=item.kind,
        id=item.id,
        text=item.text,
        step=at,
        score=sum(signs.values()) / len(signs),
        signs=signs,
        evidence=tuple(told),
    )


def _had(record: EpisodeRecord) -> frozenset[str]:
    return frozenset((*record.recalled, *record.consumed))


def _ochiai(case: FailureCase, item: OfferedItem) -> float:
    bad, good = [case.record, *case.bad], case.good
    failed_with = sum(item.id in _had(record) for record in bad)
    all_with = failed_with + sum(item.id in _had(record) for record in good)
    return failed_with / math.sqrt(len(bad) * all_with) if failed_with else 0.0


def _words(case: FailureCase, item: OfferedItem, step: Step | None) -> float:
    """How much of what only this item says the step says too, by weight of rareness among the items."""
    if step is None:
        return 0.0
    known = _words_of(" ".join([case.about, *(value_text(row.output) for row in case.rows)]))
    good = matching_step(step, steps_leading_to(case.good[0].steps)) if case.good else None
    fresh = (_said(step) | _gave(step)) - known - (_said(good) if good is not None else set())
    often = Counter(word for other in case.items for word in _words_of(other.text))
    own = {word: 1.0 / often[word] for word in _words_of(item.text) - known}
    whole = sum(own.values())
    return sum(weight for word, weight in own.items() if word in fresh) / whole if whole else 0.0


def _gave(step: Step) -> set[str]:
    """The words of what its answer gave, where that is not what was wanted."""
    outputs = step.observation.outputs if step.observation is not None and not step.action.explores else ()
    got = step.judgement.got if step.judgement is not None else None
    return _words_of(" ".join(map(value_text, [*outputs, *([got] if got is not None else [])])))


def _words_of(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _said(step: Step) -> set[str]:
    return _words_of(f"{step.action.text}\n{step.action.source}")


def _actions(case: FailureCase, broke: Step, items: Sequence[Suspect], why: Reason | None) -> Iterator[Suspect]:
    """The steps that did something, the one that broke first, as far as no item explains it.

    That an answer to rows was wrong says no more than that the run failed, so there any suspicion of an item explains
    as much of it; where a check names what a step changed, only an item that says what the step says does.
    """
    final = _last_check(case.record)
    scores = [one.signs["words"] if final else one.score for one in items]
    explained = max(scores, default=0.0)
    for step in steps_leading_to(case.record.steps):
        # What a search gives follows from rows and prices alone.
        if step.action.allowed is not None or not (step.action.code or step.action.kind == "answer"):
            continue
        state = state_of(step)
        named = [name for name in (state.changed or () if state is not None else ()) if name in final]
        trace = _THERE if step.number == broke.number else _OFFERED
        signs = {"trace": trace, "named": float(bool(named)) if final else trace}
        share = 1.0 - explained if step.number == broke.number else 1.0
        told = why if step.number == broke.number else reason("led_to_handed_in")
        naming = reason("check_names", names=", ".join(named)) if named else None
        yield Suspect(
            kind=ACTION,
            id=f"step {step.number}",
            text=" ".join(step.action.text.split()) or step.action.kind,
            step=step.number,
            score=share * sum(signs.values()) / len(signs),
            signs=signs,
            evidence=_known(told, naming),
        )


def _last_check(record: EpisodeRecord) -> str:
    said = [state.check for step in record.steps if (state := state_of(step)) is not None and state.check is not None]
    judged = [step.judgement.text for step in record.steps if step.judgement is not None]
    return "\n".join([*said[-1:], *judged[-1:]])


def _by_rule(case: FailureCase, broke: BreakingStep) -> Iterator[Suspect]:
    record = case.record
    if broke.blames == "check":
        text = (_last_check(record).strip() or "the check").splitlines()[-1]
        yield Suspect(kind=CHECK, id=CHECK, text=text, step=0, score=1.0, evidence=_known(broke.why))
    if record.status == "budget":
        cheaper = next((one for one in case.good if one.cost.candidates > record.cost.candidates), None)
        took = (
            reason("like_took", other=episode_label(record, cheaper), took=cheaper.cost.candidates) if cheaper else None
        )
        evidence = _known(reason("ended_the_run", note=record.note), took)
        yield Suspect(kind=BUDGET, id=BUDGET, text="what the run could spend", step=0, score=0.8, evidence=evidence)
    odd = _odd_rows(case.rows) if record.status in ("budget", "unsolved") and not case.items else []
    if odd:
        told = (reason("words_of_no_row"),)
        score = 0.9 if 3 * len(odd) > len(case.rows) else 0.5
        yield Suspect(kind=DATA, id=DATA, text="the rows lack something", step=0, score=score, evidence=told)
    if 3 * len(odd) <= len(case.rows):
        for row in odd:
            yield _row(list(row.input), row.output, 0.9 / len(odd), reason("words_of_this_output"))
    yield from rows_at_odds(record)


def _odd_rows(rows: Sequence[Row]) -> list[Row]:
    """Rows whose output holds a word that neither their input nor most outputs have."""
    outputs = [_words_of(value_text(row.output)) for row in rows]
    often = Counter(word for words in outputs for word in words)
    found = []
    for row, words in zip(rows, outputs, strict=True):
        given = " ".join(map(value_text, row.input)).lower()
        if any(word not in given and 2 * often[word] <= len(rows) and not word.isdigit() for word in words):
            found.append(row)
    return found


def rows_at_odds(record: EpisodeRecord) -> Iterator[Suspect]:
    """Rows that what came nearest fails, the more suspicious the fewer, and rows that refusals showed."""
    last = record.steps[-1].action if record.steps else None
    misfits = last.misfits if last is not None else ()
    for misfit in misfits:
        told = reason("nearest_fails", rows=len(misfits), text=outlier_text("f", misfit))
        yield _row(list(misfit.input), misfit.given, 1.0 / len(misfits), told)
    shown = [step.judgement for step in record.steps if step.judgement is not None and step.judgement.row is not None]
    for place, judged in enumerate(shown):
        assert judged.row is not None
        told = reason("refused_on_this_row")
        yield _row(list(judged.row.input), judged.row.output, 0.6 / (1 + place), told)


def _row(inputs: Sequence[object], output: object, score: float, told: Reason) -> Suspect:
    name = f"{json.dumps(inputs, ensure_ascii=False)} gives {json.dumps(output, ensure_ascii=False)}"
    row = {"input": list(inputs), "output": output}
    return Suspect(kind=ROW, id=name[:80], text=name[:200], step=0, score=score, evidence=(told,), row=row)


def _known(*reasons: Reason | None) -> tuple[Reason, ...]:
    return tuple(one for one in reasons if one is not None)

"""What a result, an insight or a skill rests on, and why a run failed, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from evolve.cli.memory_graph import cause_line, origin_lines
from evolve.cli.render.layout import count_of, format_spending, shorten_line
from evolve.cli.render.memory import dropped_line, dropped_texts, speaker_label
from evolve.cli.render.output import emit, escape_control_characters, print_note, shorten_home_path, table
from evolve.cli.render.reasons import reason_sentence, reason_sentences
from evolve.cli.render.verdicts import WORDS
from evolve.cli.render.views import NO_TASK

if TYPE_CHECKING:
    from evolve.workspace import (
        CausalChain,
        Diagnosis,
        EpisodeRecord,
        EvidenceRow,
        Explanation,
        Insight,
        ItemHistory,
        Note,
        Sentence,
        Skill,
        Suspect,
        UsedItem,
    )


_SHOWN = 5
"""Suspects that are told; ``--json`` has all."""


_HEADS = {
    "well": "{run} went well: {said}",
    "unchecked": "{run} gave an answer that nothing could check: {said}",
    "unfinished": "{run} is not over: {said}",
    "fault": "{run} was cut off, and nothing it was told is to blame: {said}",
    "failed": "{run} failed: {said}",
}


def _show_diagnosis(found: Diagnosis) -> None:
    """Prints what a run rested on and what turns its outcome, the strongest suspicion first, and what to try."""
    if found.why is not None:
        emit(f"broke at step {found.step}: {reason_sentence(found.why)}" if found.step else reason_sentence(found.why))
    if found.compared:
        emit(f"compared with {found.compared}, which went well")
    cleared = [one for one in found.suspects if one.verdict == "cleared"]
    left = [one for one in found.suspects if one.verdict != "cleared"]
    for one in left[:_SHOWN]:
        where = f" at step {one.step}" if one.step else ""
        emit(f"{one.verdict} ({one.score:.2f}): {_named(one)}{where}: {shorten_line(one.text, 120)}")
        emit(f"  {reason_sentences(one.evidence)}")
        if one.tested:
            emit(f"  {reason_sentence(one.tested)}")
    if len(left) > _SHOWN:
        emit(f"and {count_of(len(left) - _SHOWN, 'weaker suspicion')}; --json has all of them")
    for tested in dict.fromkeys(reason_sentence(one.tested) for one in cleared if one.tested is not None):
        named = (_named(one) for one in cleared if one.tested is not None and reason_sentence(one.tested) == tested)
        emit(f"cleared: {', '.join(named)}")
        emit(f"  {tested}")
    if found.replays:
        times = count_of(found.replays, "time")
        emit(f"run again {times} for {format_spending(found.cost)}; nothing was changed or learned")
    if found.untried:
        emit(f"not tried: {reason_sentence(found.untried)}")
    for way in found.tries:
        emit(f"  try: {way}", whole=True)


def _named(one: Suspect) -> str:
    """Its kind, with what commands call it by."""
    if one.kind in (one.id, "action", "row"):
        return one.kind
    return f"{one.kind} {one.id.removeprefix('skill:')[:10]}"


_CHAINS = 20
"""Chains of causes that are told; ``--json`` has all."""
_DECIDED = {
    "active": ("kept", "evolve forget"),
    "superseded": ("replaced", "evolve memory preferences show"),
    "proposed": ("waiting", "evolve memory proposals keep"),
    "declined": ("not kept", ""),
}
"""What became of what a run suggested, and the command that changes or shows that."""

_FAILED = 10
"""Failed tasks of a loop that are named."""
_USED = 4
"""Things of one kind that are named."""


def show_explained(explained: Explanation, diagnosis: Diagnosis, *, steps: bool = False) -> None:
    """Prints the verdict with its reasons, or why there is none; then what was used and learned.

    Args:
        steps: Also what the search counts of its own steps.
    """
    judged = explained.verdict not in ("failed", "unfinished")
    if judged:
        emit(f"{explained.run}: {WORDS.get(explained.verdict, explained.verdict)}")
        for reason in explained.reasons:
            emit(escape_control_characters(f"  {reason_sentence(reason)}", lines=False))
    else:
        about = f"task {diagnosis.task} of {diagnosis.run}" if diagnosis.task else diagnosis.run
        emit(_HEADS[diagnosis.state].format(run=about, said=reason_sentence(diagnosis.said)))
    if not judged or diagnosis.suspects:
        _show_diagnosis(diagnosis)
    if explained.applied:
        emit(
            shorten_home_path(f"applied to {explained.applied}; evolve undo {explained.run} takes it back"), whole=True
        )
    if explained.kept:
        emit(f"you kept its function for later tables on {explained.kept}")
        emit(f"  to take that back: evolve forget {explained.run}", whole=True)
    elif explained.forgotten:
        emit("you took its function out of use")
        emit(f"  to take that back: evolve skills own {explained.run}", whole=True)
    _show_used("used", [one for one in explained.used if one.acted])
    _show_used("was told", [one for one in explained.used if not one.acted and one.kind != "skill"])
    show_learned(explained)
    for text in explained.counts if steps else ():
        emit(escape_control_characters(f"counted: {shorten_line(text, 160)}", lines=False))
    if explained.episode and not steps:
        print_note(f"  evolve why {explained.episode[:10]} --steps shows every step", whole=True)


def show_learned(explained: Explanation) -> None:
    """Prints what a run taught and suggested, and what became of that."""
    for text in explained.learned[:_USED]:
        emit(escape_control_characters(f"learned: {shorten_line(text, 160)}", lines=False))
    if len(explained.learned) > _USED:
        emit(f"learned: {count_of(len(explained.learned) - _USED, 'more insight')}; --json has all of them")
    for name in explained.skills:
        emit(f"learned: the skill {name}  (evolve skills show {name})")
    for refused in explained.not_kept:
        emit(
            escape_control_characters(
                f"not kept: the skill {refused.skill}: {shorten_line(refused.reason, 200)}", lines=False
            )
        )
    for one in explained.suggested:
        became, command = _DECIDED[one.status]
        hint = f"  ({command} {one.id[:8]})" if command else ""
        emit(escape_control_characters(f"{became}: {shorten_line(one.text, 160)}{hint}", lines=False))
    if explained.dropped:
        emit(dropped_line(Counter(one.reason for one in explained.dropped)))
        for line in dropped_texts(explained.dropped):
            emit(f"  {line}", indent=4)
    if explained.unlearned:
        emit(f"not learned from yet: evolve learn {explained.run}")
    elif explained.episode and not (explained.learned or explained.counts or explained.skills or explained.suggested):
        emit("learned: nothing")


def show_many(run: str, records: Sequence[EpisodeRecord]) -> None:
    """Prints how a run of several tasks went, and which of them failed."""
    failed = [record for record in records if not record.solved]
    emit(f"{run} worked on several tasks: {len(records) - len(failed)} of {len(records)} solved")
    for record in failed[:_FAILED]:
        emit(
            escape_control_characters(
                f"  {record.task} failed: {shorten_line(record.note or record.status, 120)}", lines=False
            )
        )
        emit(f"    try: evolve why {record.episode[:10]}", whole=True)
    if len(failed) > _FAILED:
        emit(f"  and {len(failed) - _FAILED} more: evolve runs show {run}")


def show_insight(insight: Insight, told: Sentence, rows: Iterable[EvidenceRow], history: ItemHistory) -> None:
    """Prints an insight with its counts and every piece of evidence."""
    emit(escape_control_characters(f"{insight.id}: {told.text}", lines=False))
    emit(f"{told.standing}, {told.counts}")
    # What a program finds it by: the words above are made from it.
    emit(escape_control_characters(f"claim: {insight.cause} - {insight.relation} - {insight.effect}", lines=False))
    scope = [insight.scope.environment, insight.scope.family, *insight.scope.preconditions]
    emit(escape_control_characters(f"scope: {', '.join(part for part in scope if part)}", lines=False))
    if history.text:
        emit(history.text)
    speaks = {1: "for", -1: "against", 0: "neither"}
    cells = [(row.task, row.kind, speaks[insight.direction_of(row)], shorten_line(row.detail, 80)) for row in rows]
    emit(table(("task", "kind", "speaks", "what happened"), cells))


def show_chains(chains: Sequence[CausalChain], known: Mapping[str, Sentence], runs: Mapping[str, str]) -> None:
    """Prints what leads to an effect, with the tasks and runs that showed it."""
    for chain in chains[:_CHAINS]:
        emit(escape_control_characters(cause_line(chain, known), lines=False))
        for line in origin_lines(chain, runs):
            emit(escape_control_characters(f"  {line}", lines=False), indent=4)
    if len(chains) > _CHAINS:
        print_note(f"and {len(chains) - _CHAINS} more; --json has all of them")


def show_skill(skill: Skill, history: ItemHistory, reason: str) -> None:
    """Prints where a skill comes from, how it served, and why it is in use or not."""
    emit(escape_control_characters(f"{skill.name} ({skill.status}): {skill.description}", lines=False))
    emit(escape_control_characters(f"learned from {skill.source or 'an unknown task'}", lines=False))
    emit(history.text or NO_TASK)
    if reason:
        emit(escape_control_characters(f"it is {skill.status}: {reason}", lines=False))
    print_note(f"  evolve skills show {skill.name} shows its code", whole=True)


def show_note(entry: Note, later: Note | None) -> None:
    """Prints a note with who said it, when and where, and what it says now where that was replaced."""
    emit(escape_control_characters(f"{entry.id[:10]}: {entry.text}", lines=False))
    where = "".join(f", {word} {place}" for word, place in (("in", entry.thread), ("from", entry.source)) if place)
    emit(
        escape_control_characters(
            f"said by {speaker_label(entry.author, entry.role)} on {entry.date}{where}", lines=False
        )
    )
    if later is not None:
        emit(escape_control_characters(f"replaced by {later.id[:10]}: {shorten_line(later.text, 160)}", lines=False))


def _show_used(word: str, used: Sequence[UsedItem]) -> None:
    for one in used[:_USED]:
        emit(escape_control_characters(f"{word}: {one.kind} {shorten_line(one.text, 160)}", lines=False))
    if len(used) > _USED:
        emit(f"{word}: {len(used) - _USED} more; --json has all of them")

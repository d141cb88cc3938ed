"""What is remembered, in words: the lists of ``evolve memory``, offers after a run, and what a run used."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolve.cli.render.output import count_of, emit, escape_control_characters, shorten_home_path, shorten_line, table
from evolve.cli.render.views import short_id

if TYPE_CHECKING:
    from evolve.workspace import (
        Insight,
        ItemHistory,
        Note,
        Preference,
        PreferenceContext,
        RejectedSuggestion,
        RememberedItem,
        Result,
        Sentence,
    )


_MOST_USED = 3
_QUESTIONS = "words"
"""The family of questions."""
_KINDS = {
    "tests": "how tests are run",
    "place": "where things are",
    "rule": "how you want it",
    "repeated": "asked for before",
    "mistake": "what went wrong",
    "procedure": "what worked",
}

_DROPPED = {
    "quote": "quoted words that nobody wrote",
    "known": "said nothing new",
    "once": "spoke of this run alone",
    "secret": "held a secret",
    "person": "stated a rule that you did not say",
    "beyond": "said more than the words they quote",
    "place": "named no file of the folder",
    "failed": "told of what did not pass, or what you did not want",
    "order": "repeated what a file or an output demands",
    "unfit": "read like an order, or held code or an address",
    "ground": "went beyond what you said or the run showed",
}


def offer_lines(proposal: Preference) -> list[str]:
    """A proposal, as a question about it begins: what it says and what it rests on."""
    act = proposal.suggestion or next((act for act in reversed(proposal.acts) if act.text), None)
    because = "" if act is None else f"  {_kind(proposal)}; {shorten_line(act.text, 160)}"
    if act is not None and not act.is_from_run:
        because = f"  you said: {shorten_line(act.text, 160)}"
    what = proposal.proposal or proposal.description
    return [escape_control_characters(line, lines=False) for line in (f"to remember: {what}", because) if line]


def choice_line(proposal: Preference, here: str = "") -> str:
    """What each way of keeping a proposal covers."""
    wider = describe_wider_scope(proposal)
    more = f"; everywhere: for {wider} too" if wider else ""
    return escape_control_characters(f"  yes: for {describe_scope(proposal, here)}{more}", lines=False)


def describe_wider_scope(proposal: Preference) -> str:
    """What ``everywhere`` covers besides what ``yes`` does; "" where that is everything already."""
    kept = proposal.as_kept
    if not kept.contexts:
        return ""
    if kept.is_one_time:
        return "later tasks"
    return "work in folders" if not any(context.folder for context in kept.contexts) else "other folders and questions"


def proposal_rows(proposals: Sequence[Preference]) -> list[tuple[str, ...]]:
    """Proposals as the rows of a table: id, kind, where it would hold, what it says, what it rests on."""
    rows: list[tuple[str, ...]] = []
    for one in proposals:
        because = one.suggestion.text if one.suggestion is not None else one.acts[-1].text if one.acts else ""
        rows.append(
            (
                one.id[:10],
                _kind(one),
                describe_scope(one),
                shorten_line(one.description, 120),
                shorten_line(because, 60),
            )
        )
    return rows


def dropped_line(dropped: Mapping[str, int]) -> str:
    """How many suggestions of a model are not offered, and why."""
    why = ", ".join(f"{count} {_DROPPED[reason]}" for reason, count in dropped.items())
    return f"{count_of(sum(dropped.values()), 'suggestion')} of the model not offered: {why}"


def dropped_texts(dropped: Sequence[RejectedSuggestion]) -> list[str]:
    """Each suggestion that is not offered, with why."""
    lines = (f"not offered: {shorten_line(one.text, 160)}  ({_DROPPED[one.reason]})" for one in dropped if one.text)
    return [escape_control_characters(line, lines=False) for line in lines]


def kept_line(decided: Preference, forget: str = "evolve forget", here: str = "") -> str:
    """What became of a proposal.

    Args:
        forget: The command that drops it.
        here: The folder that is worked in.
    """
    if decided.status == "declined":
        return escape_control_characters(f"not kept: {decided.description}", lines=False)
    line = f"kept for {describe_scope(decided, here)}: {decided.description}  ({forget} {decided.id[:8]} drops it)"
    return escape_control_characters(line, lines=False)


def describe_scope(wish: Preference, here: str = "") -> str:
    """Where a wish holds, in a few words; of what waits, where it holds once the person says yes.

    Args:
        here: The folder that is worked in.
    """
    wish = wish.as_kept if wish.status == "proposed" else wish
    if not wish.contexts:
        return wish.kind or "every task"
    last = wish.contexts[-1]
    if wish.is_one_time:
        return f"this task alone: {shorten_line(last.instruction, 60)}"
    places = [_place(context, here) for context in wish.contexts if not context.instruction]
    if last.instruction:
        inside = f" in {shorten_home_path(last.folder)}" if last.folder else ""
        such = f"{wish.kind}, such as" if wish.kind else "tasks like"
        places.append(f"{such}{inside}: {shorten_line(last.instruction, 60)}")
    return " and ".join(dict.fromkeys(places))


def _place(context: PreferenceContext, here: str) -> str:
    if context.folder:
        return f"every task in {'this folder' if context.folder == here else shorten_home_path(context.folder)}"
    return "every question" if context.family == _QUESTIONS else f"every task of the family {context.family}"


def used_lines(result: Result) -> list[str]:
    """What a run worked with that was learned or kept before: what it called or cited."""
    if result.used is not None:  # the result says so itself
        return []
    names = [(shorten_line(one.text.rstrip("."), 120), one.learned) for one in result.remembered if one.acted]
    items = [f"{name}, learned {day}" if day else name for name, day in names]
    more = [f"used {len(items) - _MOST_USED} more: evolve why {result.run_id}"] if len(items) > _MOST_USED else []
    return [*(escape_control_characters(f"used {item}", lines=False) for item in items[:_MOST_USED]), *more]


def kept_table(kept: Sequence[RememberedItem], most: int = 10) -> str:
    """How often each kept thing was shown to a run, and what trials showed; "" where nothing is kept.

    Args:
        most: Rows, those that were shown most often.
    """
    order = sorted(kept, key=lambda one: (-one.shown, one.kept))
    rows = [
        (shorten_line(one.text, 80), one.kind, one.kept, f"{one.shown} of {one.runs}", _tested(one))
        for one in order[:most]
    ]
    told = table(("kept", "kind", "since", "shown to runs", "tested"), rows)
    return f"{told}\nand {len(kept) - most} more: evolve memory list, evolve skills list" if len(kept) > most else told


def origin_data(name: str, taught: Collection[str], *, owner: str = "") -> dict[str, str]:
    """Where a learned thing comes from, as data; ``taught`` are ids of what practice taught."""
    return {"origin": "practice" if name in taught else "seed" if owner == "seed" else "own"}


def practice_line(count: int, what: str) -> str:
    """How many things are left out of a list, and how to see them."""
    return f"{count_of(count, what)} from practice: --practice shows {'it' if count == 1 else 'them'}"


def _tested(one: RememberedItem) -> str:
    return one.tested or ("not yet" if one.kind == "skill" else "your word")


def _kind(proposal: Preference) -> str:
    return _KINDS.get(proposal.suggestion.kind, "") if proposal.suggestion is not None else "what you said"


_USE = {
    "confirmed": "evolve may use it in tasks like these",
    "supported": "evolve may use it in tasks like these",
    "hypothesis": "not used yet: too little evidence",
    "contested": "not used: the evidence is divided",
    "refuted": "not used: the evidence is against it",
    "superseded": "not used: a newer insight replaced it",
    "expired": "not used any more",
}
"""What evolve does because of an insight, by its status."""


@dataclass(frozen=True, kw_only=True)
class MemoryListing:
    """What is remembered.

    Attributes:
        replaced: The later note that took the place of one, by the id of the older.
        newer: The later note about the same, by the id of the older.
    """

    insights: Sequence[Insight]
    told: Mapping[str, Sentence]
    histories: Mapping[str, ItemHistory]
    preferences: Sequence[Preference]
    notes: Sequence[Note] = ()
    replaced: Mapping[str, Note] = field(default_factory=dict)
    newer: Mapping[str, Note] = field(default_factory=dict)


def show_remembered(all_: MemoryListing, *, whole: bool) -> None:
    """Prints preferences, notes and insights.

    Args:
        whole: Also what the search counts of its own steps.
    """
    for one in all_.preferences:
        status = "" if one.status == "active" else f", {one.status}"
        kind = "fact" if one.is_fact else "preference"
        what = f"{kind} {one.id[:8]} for {describe_scope(one)}{status}: {shorten_line(one.description, 160)}"
        emit(escape_control_characters(what, lines=False))
    for entry in all_.notes:
        emit(
            escape_control_characters(
                _note_line(entry, all_.replaced.get(entry.id), all_.newer.get(entry.id)), lines=False
            )
        )
    for insight in (one for one in all_.insights if all_.told[one.id].worded):
        emit(escape_control_characters(f"insight {insight.id[:10]}: {all_.told[insight.id].text}", lines=False))
        emit(f"  {_USE[insight.status]}; {_shown_by(all_.told[insight.id], all_.histories.get(insight.id))}")
    steps = [one for one in all_.insights if not all_.told[one.id].worded]
    if steps and not whole:
        if len(steps) == len(all_.insights) and not (all_.preferences or all_.notes):
            emit(
                "evolve skills list shows the functions that evolve learned; it knows no preference, note or cause yet"
            )
        emit(f"not shown: {count_of(steps, 'count')} of the steps that answers needed (evolve memory list --all)")
    elif steps:
        rows = [
            (one.id[:10], told.standing, one.evidence, one.groups, shorten_line(told.text, 160))
            for one in steps
            if (told := all_.told[one.id])
        ]
        emit(table(("id", "status", "evidence", "groups", "what answers needed"), rows, spare=("groups",)))


def speaker_label(author: str, role: str) -> str:
    """Whose note it is; of what is not the person's own, the role before the name."""
    return author if role == "user" else f"{role}, by {shorten_line(author, 30)} (unchecked)"


def _note_line(entry: Note, later: Note | None, newer: Note | None) -> str:
    """A note with who said it, and what replaced it or is about the same."""
    newest, mark = later or newer, "replaced" if later is not None else "older than"
    since = f" ({mark}: {shorten_line(newest.text, 60)})" if newest is not None else ""
    return (
        f"note {short_id(entry.id)} of {entry.date} by {speaker_label(entry.author, entry.role)}: {entry.text}{since}"
    )


def _shown_by(told: Sentence, history: ItemHistory | None) -> str:
    """What shows an insight: trials with it and without it, else what was counted."""
    if history is None or not history.trials:
        return told.counts
    harmed = f", harmed in {history.worse}" if history.worse else ""
    return f"tested: helped in {history.better} of {count_of(history.trials, 'task')}{harmed}"

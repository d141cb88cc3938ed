"""What ``evolve memory list`` shows: what the person said first, then insights with what shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolve.cli.render.memory import scope
from evolve.cli.render.output import counted, emit, shorten, table, visible
from evolve.cli.render.views import short_id

if TYPE_CHECKING:
    from evolve.workspace import Insight, ItemHistory, Note, Preference, Sentence

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
        what = f"{kind} {one.id[:8]} for {scope(one)}{status}: {shorten(one.description, 160)}"
        emit(visible(what, lines=False))
    for entry in all_.notes:
        emit(visible(_note_line(entry, all_.replaced.get(entry.id), all_.newer.get(entry.id)), lines=False))
    for insight in (one for one in all_.insights if all_.told[one.id].worded):
        emit(visible(f"insight {insight.id[:10]}: {all_.told[insight.id].text}", lines=False))
        emit(f"  {_USE[insight.status]}; {_shown_by(all_.told[insight.id], all_.histories.get(insight.id))}")
    steps = [one for one in all_.insights if not all_.told[one.id].worded]
    if steps and not whole:
        if len(steps) == len(all_.insights) and not (all_.preferences or all_.notes):
            emit(
                "evolve skills list shows the functions that evolve learned; it knows no preference, note or cause yet"
            )
        emit(f"not shown: {counted(steps, 'count')} of the steps that answers needed (evolve memory list --all)")
    elif steps:
        rows = [
            (one.id[:10], told.standing, one.evidence, one.groups, shorten(told.text, 160))
            for one in steps
            if (told := all_.told[one.id])
        ]
        emit(table(("id", "status", "evidence", "groups", "what answers needed"), rows, spare=("groups",)))


def speaker(author: str, role: str) -> str:
    """Whose note it is; of what is not the person's own, the role before the name."""
    return author if role == "user" else f"{role}, by {shorten(author, 30)} (unchecked)"


def _note_line(entry: Note, later: Note | None, newer: Note | None) -> str:
    """A note with who said it, and what replaced it or is about the same."""
    newest, mark = later or newer, "replaced" if later is not None else "older than"
    since = f" ({mark}: {shorten(newest.text, 60)})" if newest is not None else ""
    return f"note {short_id(entry.id)} of {entry.date} by {speaker(entry.author, entry.role)}: {entry.text}{since}"


def _shown_by(told: Sentence, history: ItemHistory | None) -> str:
    """What shows an insight: trials with it and without it, else what was counted."""
    if history is None or not history.trials:
        return told.counts
    harmed = f", harmed in {history.worse}" if history.worse else ""
    return f"tested: helped in {history.better} of {counted(history.trials, 'task')}{harmed}"

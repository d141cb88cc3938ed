"""What is remembered, in words: offers after a run, what a run used, and how often each kept thing was shown."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from evolve.cli.render.output import at_home, counted, shorten, table, visible

if TYPE_CHECKING:
    from evolve.workspace import Context, DroppedSuggestion, Preference, RememberedItem, Result

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
    because = "" if act is None else f"  {_kind(proposal)}; {shorten(act.text, 160)}"
    if act is not None and not act.suggested:
        because = f"  you said: {shorten(act.text, 160)}"
    what = proposal.proposal or proposal.description
    return [visible(line, lines=False) for line in (f"to remember: {what}", because) if line]


def choice_line(proposal: Preference, here: str = "") -> str:
    """What each way of keeping a proposal covers."""
    wider = beyond(proposal)
    more = f"; everywhere: for {wider} too" if wider else ""
    return visible(f"  yes: for {scope(proposal, here)}{more}", lines=False)


def beyond(proposal: Preference) -> str:
    """What ``everywhere`` covers besides what ``yes`` does; "" where that is everything already."""
    kept = proposal.as_kept
    if not kept.contexts:
        return ""
    if kept.once:
        return "later tasks"
    return "work in folders" if not any(context.folder for context in kept.contexts) else "other folders and questions"


def proposal_rows(proposals: Sequence[Preference]) -> list[tuple[str, ...]]:
    """Proposals as the rows of a table: id, kind, where it would hold, what it says, what it rests on."""
    rows: list[tuple[str, ...]] = []
    for one in proposals:
        because = one.suggestion.text if one.suggestion is not None else one.acts[-1].text if one.acts else ""
        rows.append((one.id[:10], _kind(one), scope(one), shorten(one.description, 120), shorten(because, 60)))
    return rows


def dropped_line(dropped: Mapping[str, int]) -> str:
    """How many suggestions of a model are not offered, and why."""
    why = ", ".join(f"{count} {_DROPPED[reason]}" for reason, count in dropped.items())
    return f"{counted(sum(dropped.values()), 'suggestion')} of the model not offered: {why}"


def dropped_texts(dropped: Sequence[DroppedSuggestion]) -> list[str]:
    """Each suggestion that is not offered, with why."""
    lines = (f"not offered: {shorten(one.text, 160)}  ({_DROPPED[one.reason]})" for one in dropped if one.text)
    return [visible(line, lines=False) for line in lines]


def kept_line(decided: Preference, forget: str = "evolve forget", here: str = "") -> str:
    """What became of a proposal.

    Args:
        forget: The command that drops it.
        here: The folder that is worked in.
    """
    if decided.status == "declined":
        return visible(f"not kept: {decided.description}", lines=False)
    line = f"kept for {scope(decided, here)}: {decided.description}  ({forget} {decided.id[:8]} drops it)"
    return visible(line, lines=False)


def scope(wish: Preference, here: str = "") -> str:
    """Where a wish holds, in a few words; of what waits, where it holds once the person says yes.

    Args:
        here: The folder that is worked in.
    """
    wish = wish.as_kept if wish.status == "proposed" else wish
    if not wish.contexts:
        return wish.kind or "every task"
    last = wish.contexts[-1]
    if wish.once:
        return f"this task alone: {shorten(last.instruction, 60)}"
    places = [_place(context, here) for context in wish.contexts if not context.instruction]
    if last.instruction:
        inside = f" in {at_home(last.folder)}" if last.folder else ""
        such = f"{wish.kind}, such as" if wish.kind else "tasks like"
        places.append(f"{such}{inside}: {shorten(last.instruction, 60)}")
    return " and ".join(dict.fromkeys(places))


def _place(context: Context, here: str) -> str:
    if context.folder:
        return f"every task in {'this folder' if context.folder == here else at_home(context.folder)}"
    return "every question" if context.family == _QUESTIONS else f"every task of the family {context.family}"


def used_lines(result: Result) -> list[str]:
    """What a run worked with that was learned or kept before: what it called or cited."""
    if result.used is not None:  # the result says so itself
        return []
    names = [(shorten(one.text.rstrip("."), 120), one.learned) for one in result.remembered if one.acted]
    items = [f"{name}, learned {day}" if day else name for name, day in names]
    more = [f"used {len(items) - _MOST_USED} more: evolve why {result.run_id}"] if len(items) > _MOST_USED else []
    return [*(visible(f"used {item}", lines=False) for item in items[:_MOST_USED]), *more]


def kept_table(kept: Sequence[RememberedItem], most: int = 10) -> str:
    """How often each kept thing was shown to a run, and what trials showed; "" where nothing is kept.

    Args:
        most: Rows, those that were shown most often.
    """
    order = sorted(kept, key=lambda one: (-one.shown, one.kept))
    rows = [
        (shorten(one.text, 80), one.kind, one.kept, f"{one.shown} of {one.runs}", _tested(one)) for one in order[:most]
    ]
    told = table(("kept", "kind", "since", "shown to runs", "tested"), rows)
    return f"{told}\nand {len(kept) - most} more: evolve memory list, evolve skills list" if len(kept) > most else told


def origin(name: str, taught: Collection[str], *, owner: str = "") -> dict[str, str]:
    """Where a learned thing comes from, as data; ``taught`` are ids of what practice taught."""
    return {"origin": "practice" if name in taught else "seed" if owner == "seed" else "own"}


def practice_line(count: int, what: str) -> str:
    """How many things are left out of a list, and how to see them."""
    return f"{counted(count, what)} from practice: --practice shows {'it' if count == 1 else 'them'}"


def _tested(one: RememberedItem) -> str:
    return one.tested or ("not yet" if one.kind == "skill" else "your word")


def _kind(proposal: Preference) -> str:
    return _KINDS.get(proposal.suggestion.kind, "") if proposal.suggestion is not None else "what you said"

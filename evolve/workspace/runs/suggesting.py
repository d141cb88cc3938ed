"""What a person's run suggests to remember, a model's suggestions and what shows without one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evolve.agent import EpisodeLessons
from evolve.core.episodes import EpisodeRecord, Suggestion
from evolve.core.reasons import Reason, reason
from evolve.environments import environment_kind
from evolve.memory.preferences import LONGEST, Preference, is_once, same_meaning
from evolve.memory.preferences.quotes import own_words
from evolve.tasks import Task
from evolve.tasks.work import FolderWork
from evolve.workspace.resources.preferences import ABOUT, preference_problem
from evolve.workspace.runs.kept_things import items_used_in
from evolve.workspace.secrets import scanner_of
from evolve.workspace.services import WorkspaceServices

_LONGEST_CHECK = 120
_SENTENCE_WORDS = 3
_EARLIER_RUNS = 100
_MOST_SUGGESTED = 3
_CHECK = "check offered:"
"""Begins the name of the step that keeps that the check of a folder was offered."""
_DROPPED = "dropped:"
"""Begins the name of the step that keeps how many suggestions of an episode were not offered."""


@dataclass(frozen=True, kw_only=True)
class RejectedSuggestion:
    """A suggestion of the model that is not offered, with why; "" stands for a text with a secret."""

    reason: str
    text: str = ""


def asks_model(services: WorkspaceServices, task: Task) -> bool:
    """Whether a model is asked what of a run to remember: after work in a folder, and of a question in words."""
    return services.uses_model and (
        isinstance(task.work, FolderWork) or environment_kind(task.environment).accepts_unchecked
    )


def keep_suggestions(
    services: WorkspaceServices, record: EpisodeRecord, task: Task, suggestions: Sequence[Suggestion]
) -> tuple[tuple[Preference, ...], Mapping[str, int]]:
    """Keeps what a run suggests, as proposals that wait for the person.

    Work in a folder suggests facts and rules, a question in words rules alone. A text with a secret of the person or
    the folder is left out.

    Returns:
        Those that are new, and how many of the suggestions are not among them, by reason.
    """
    if not asks_model(services, task):
        return (), {}
    wanted = [one for one in suggestions if not one.dropped]
    checked = tuple(_checked(services, record, task, wanted))
    every = [*_repeated(services, record, task), *wanted, *checked]
    scanner = scanner_of(services.paths, [Path(task.folder)] if task.folder else [])
    clean = [one for one in every if not scanner.secret_spans(f"{one.text}\n{one.quote}")]
    notes = [note.text for note in services.stores.memory.list_notes()]
    most = _MOST_SUGGESTED + len(checked)  # the check is offered whatever else is
    found = tuple(services.preferences.suggest_remembering(clean, run=record.run, known=notes, most=most))
    offered = {one.description for one in found}
    by_quote = {one.quote for one in wanted if one.text in offered}  # of two on one sentence each counts by itself
    rest_on = {act.text.partition(": ")[2] for one in found for act in one.acts} - by_quote
    left = [one for one in wanted if one.text not in offered and one.quote not in rest_on]
    dropped = [(one.dropped, one.text) for one in suggestions if one.dropped]
    dropped += [("known" if one in clean else "secret", one.text) for one in left]
    if dropped:
        texts = [(why, "" if why == "secret" or scanner.secret_spans(text) else text) for why, text in dropped]
        services.stores.runs.journal(record.run).finish(_DROPPED + record.episode, texts)
    return found, Counter(why for why, _ in dropped)


def rejected_suggestions(services: WorkspaceServices, record: EpisodeRecord) -> Sequence[RejectedSuggestion]:
    """The suggestions of an episode that were not offered."""
    kept = services.stores.runs.journal(record.run).done(_DROPPED + record.episode) or []
    if isinstance(kept, dict):  # earlier versions counted them
        return [RejectedSuggestion(reason=why) for why, count in kept.items() for _ in range(count)]
    return [RejectedSuggestion(reason=why, text=text) for why, text in kept]


def why_nothing(services: WorkspaceServices, record: EpisodeRecord, lessons: EpisodeLessons) -> Reason:
    """Why nothing came of learning from an episode."""
    if lessons.drafts:
        return reason("skill_not_kept")
    if record.status not in ("solved", "unverified"):
        return reason("no_right_answer")
    saved = [one.text for one in items_used_in(services, record) if one.kind == "skill"]
    if saved:
        return reason("saved_function_did_it", function=saved[0])
    if record.status == "solved" and not (record.verified or record.checked or record.cost.calls):
        return reason("nothing_verifies_it")
    if lessons.cost.calls:
        return reason("nothing_worth_remembering")
    return reason("one_reply_did_it" if services.uses_model and len(record.steps) == 1 else "nothing_unknown")


def _repeated(services: WorkspaceServices, record: EpisodeRecord, task: Task) -> Iterator[Suggestion]:
    """What the person asked for beside the task, or after it, in this run and in an earlier one of the folder."""
    sentences = _sentences(task.instruction)[1:]  # what is asked for, or corrected, comes first and is no rule
    # Nor is what is tried again, in this conversation or as it was.
    again = {turn.said.strip() for turn in task.earlier} | (set() if task.earlier else {task.instruction.strip()})
    earlier: list[str] = []
    for run in reversed(services.stores.runs.list_runs()):
        about = run.body.get(ABOUT, {})
        said = str(about.get("instruction", ""))
        if run.id != record.run and about.get("folder") == task.folder and said.strip() not in again:
            earlier += _sentences(said)
        if len(earlier) > _EARLIER_RUNS:
            break
    for sentence in sentences:
        fits = len(sentence.split()) >= _SENTENCE_WORDS and len(sentence) <= LONGEST and not is_once(sentence)
        if fits and any(same_meaning(sentence, other) for other in earlier):
            yield Suggestion(kind="repeated", text=sentence, quote=sentence, source="person")


def _checked(
    services: WorkspaceServices, record: EpisodeRecord, task: Task, suggestions: Sequence[Suggestion]
) -> Iterator[Suggestion]:
    """The check that passes in the end, once in each folder, unless a suggestion names it."""
    check = " ".join(task.work.check.split()) if isinstance(task.work, FolderWork) else ""
    passes = any(step.judgement is not None and step.judgement.accepted for step in record.steps)
    named = any(one.kind == "tests" and check in one.text for one in suggestions)
    step = _CHECK + task.folder
    offered = any((name, told) == (step, check) for name, told in services.stores.runs.finished_steps(step))
    if check and passes and not (named or offered) and len(check) <= _LONGEST_CHECK:
        services.stores.runs.journal(record.run).finish(step, check)  # what was forgotten is not asked about again
        yield Suggestion(kind="tests", text=f"Work here is checked with `{check}`.", quote=check, source="run")


def _sentences(text: str) -> list[str]:
    """The sentences of a person's own words, without what they quote."""
    said = own_words(text, preference_problem, longest=len(text) + 1)
    return [one.strip() for one in re.split(r"(?<=[.!?;])\s+", said) if one.strip()]

"""Gathers what a diagnosis compares: how a run ended, what it was offered, and like runs that went well or failed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evolve.agent import Run
from evolve.core.episodes import OWN, EpisodeRecord, Recalled
from evolve.core.errors import UsageError
from evolve.core.events import read_events
from evolve.core.reasons import Reason, reason
from evolve.trials.diagnosis import SKILL, FailureCase, OfferedItem
from evolve.workspace.resources.preferences import ABOUT
from evolve.workspace.runs.beginnings import beginning_of
from evolve.workspace.runs.learning import PAUSED
from evolve.workspace.services import WorkspaceServices

_MOST_RUNS = 60
"""Latest runs that are looked at for like ones."""
_ALIKE = 0.3
"""Least share of words that two tasks have in common to be alike."""
_WORD = re.compile(r"[^\W\d_]{2,}|\d+")


def chosen_episode(services: WorkspaceServices, name: str) -> tuple[Run, EpisodeRecord | None]:
    """The run of this id, or that of an episode, with the episode; None where none is on record yet.

    Raises:
        UsageError: There is none, or the run has several episodes and none is named.
    """
    known = next((run for run in services.stores.runs.list_runs() if run.id == name), None)
    if known is None:
        try:
            record = services.stores.runs.episode(name)
        except UsageError as error:
            told = str(error) if name and "several" in str(error) else f"there is no run and no episode {name!r}"
            raise UsageError(told, hint="evolve runs list") from error
        return services.stores.runs.run(record.run), record
    records = services.stores.runs.episodes(run=known.id)
    if len(records) > 1:
        failed = sum(not record.solved for record in records)
        raise UsageError(
            f"{name} worked on several tasks, {len(records):,} episodes of which {failed:,} failed: name one of them",
            hint=f"evolve runs show {name} lists them; then evolve why EPISODE",
        )
    return known, records[0] if records else None


def failure_case_of(services: WorkspaceServices, run: Run, record: EpisodeRecord) -> FailureCase:
    """A failed episode with what it was offered and what is like it."""
    good, bad = [], []
    for other in _like(services, run, record):
        if failing_step(services, other):
            bad.append(other)
        elif other.solved:
            good.append(other)
    about = str(run.body.get(ABOUT, {}).get("instruction", ""))
    begun = beginning_of(services, run)
    return FailureCase(
        record=record,
        items=tuple(items_of(services, record)),
        good=tuple(good),
        bad=tuple(bad),
        about=about,
        rows=begun.task.examples if begun is not None else (),
    )


def failing_step(services: WorkspaceServices, record: EpisodeRecord) -> Reason | None:
    """Why an episode counts as failed; None where it does not. What a person refused did."""
    patch = next((patch for patch in services.folders.list() if patch.run == record.run), None)
    if patch is not None and patch.state == "refused" and record.status in ("solved", "unverified"):
        return reason("change_refused_because", said=patch.said) if patch.said else reason("change_refused")
    if record.status in ("solved", "unverified", *PAUSED):
        return None
    return reason("recorded", text=record.note or record.status)


def items_at_start(record: EpisodeRecord) -> tuple[Recalled, ...] | None:
    """What was recalled and told with every question of an episode; None where the record does not hold it."""
    plans = [step.action.plan for step in record.steps if step.action.plan is not None]
    return plans[0].told if plans else None


def _like(services: WorkspaceServices, run: Run, record: EpisodeRecord) -> list[EpisodeRecord]:
    """Episodes of the same task, then of tasks in like words, the most alike first, later ones before earlier ones."""
    runs = services.stores.runs
    same = [one for one in reversed(runs.of_task(record.task, record.group, record.split))]
    found = {one.episode: one for one in same if one.episode != record.episode}
    if record.split == OWN:
        about = run.body.get(ABOUT, {})
        others = [one for one in runs.list_runs() if one.kind == run.kind and one.id != run.id][-_MOST_RUNS:]
        ranked = [(_likeness(about, one.body.get(ABOUT, {})), place, one) for place, one in enumerate(others)]
        asked = _signature(services, run)
        for likeness, _, one in sorted(ranked, key=lambda entry: (-entry[0], -entry[1])):
            if likeness >= _ALIKE and _signature(services, one) == asked:
                found.update((each.episode, each) for each in runs.episodes(run=one.id) if each.episode not in found)
    return [one for one in found.values() if one.status not in ("fault", *PAUSED)]


def _signature(services: WorkspaceServices, run: Run) -> str:
    """What its task takes and gives: instructions of tables are in like words whatever they are about."""
    begun = beginning_of(services, run)
    return begun.task.view().signature if begun is not None else ""


def _likeness(one: dict[str, str], other: dict[str, str]) -> float:
    """The share of words of two tasks that both have; 0.0 where they are work of other kinds or places."""
    if not (one and other) or one.get("folder") != other.get("folder") or bool(one["family"]) != bool(other["family"]):
        return 0.0
    first, second = ({word.lower() for word in _WORD.findall(each["instruction"])} for each in (one, other))
    return len(first & second) / len(first | second) if first and second else 0.0


def items_of(services: WorkspaceServices, record: EpisodeRecord) -> Iterator[OfferedItem]:
    """What an episode was offered: recalled items in the words they had then, and skills."""
    told = {item.id: (item.kind, item.text) for item in items_at_start(record) or ()}
    for event in read_events(services.paths.runs / record.run / record.episode / "events.jsonl"):
        if event.kind == "recall":
            for item in event.data.get("items", ()):
                told.setdefault(str(item["id"]), (str(item.get("kind", "insight")), str(item["text"])))
    sentences = services.stores.memory.insight_sentences() if set(record.recalled) - set(told) else {}
    for name in record.recalled:
        known = told.get(name) or ("insight", sentences[name].text if name in sentences else "forgotten since")
        yield OfferedItem(id=name, kind=known[0], text=known[1])
    skills = {f"skill:{skill.digest}": skill for skill in services.stores.skills.list()}
    used = [*record.consumed, *(name for step in record.steps for name in step.action.offered)]
    for name in dict.fromkeys(name for name in used if name.startswith("skill:")):
        skill = skills.get(name)
        yield OfferedItem(id=name, kind=SKILL, text=f"{skill.name}: {skill.description}" if skill else "retired since")

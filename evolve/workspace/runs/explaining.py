"""Why a run's answer counts as what it does: the verdict and its grounds, what was used, and what was learned of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from evolve.agent import Run
from evolve.core.episodes import EpisodeRecord
from evolve.core.episodes.codec import from_data, to_data, upgrade_reason_text
from evolve.core.reasons import Reason, reason
from evolve.memory.preferences import PreferenceStatus
from evolve.trials.admitting import RefusedSkill, reason_not_kept
from evolve.workspace.runs.files import FILLING
from evolve.workspace.runs.history import chosen_episode, failing_step, items_of
from evolve.workspace.runs.kept_things import UsedItem
from evolve.workspace.runs.learning import PAUSED, pending_episodes
from evolve.workspace.runs.run_answers import CONTESTED, FORGOTTEN, KEPT_BY_PERSON, VOUCHED
from evolve.workspace.runs.suggesting import RejectedSuggestion, rejected_suggestions
from evolve.workspace.services import WorkspaceServices

Verdict = Literal["verified", "checked", "unchecked", "doubtful", "failed", "unfinished"]
"""What an answer rests on: rows that nobody was shown; a check that passes; nothing; rows, with something that speaks
against it. Or there is none, or none yet."""


@dataclass(frozen=True, kw_only=True)
class SuggestionRow:
    """What a run suggested to remember, with what the person has decided about it."""

    id: str
    text: str
    status: PreferenceStatus


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Why an answer counts as what it does.

    Attributes:
        reasons: What the verdict rests on; what older records say in a sentence has the code ``recorded``.
        learned: Insights that a model worded to which this added evidence, in sentences.
        counts: The same of what the search counts of its own steps.
        kept: The day on which the person kept its function for later tables; "" where they did not.
        forgotten: The person took its function out of use.
        skills: Names of the skills that were made of it.
        not_kept: Skills that it proposed and that were refused.
        suggested: What it suggested to remember.
        dropped: Suggestions of the model that were not offered.
        unlearned: It was not learned from yet.
        applied: The folder or the table that is changed as it wanted, and can be taken back; else "".
    """

    run: str
    verdict: Verdict
    episode: str = ""
    task: str = ""
    reasons: tuple[Reason, ...] = ()
    used: tuple[UsedItem, ...] = ()
    learned: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    kept: str = ""
    forgotten: bool = False
    skills: tuple[str, ...] = ()
    not_kept: tuple[RefusedSkill, ...] = ()
    suggested: tuple[SuggestionRow, ...] = ()
    dropped: tuple[RejectedSuggestion, ...] = ()
    unlearned: bool = False
    applied: str = ""

    def to_json(self) -> Mapping[str, Any]:
        """As one JSON object."""
        counts = Counter(one.reason for one in self.dropped)
        return {**to_data(self), "dropped": dict(counts), "not_offered": [vars(one) for one in self.dropped]}


def explain_run(services: WorkspaceServices, name: str) -> Explanation:
    """See :meth:`evolve.workspace.runs.past_runs.Runs.why`."""
    run, record = chosen_episode(services, name)
    applied = services.folders.applied_to(run.id)
    if record is None:
        verdict: Verdict = "unchecked" if run.kind == FILLING else "unfinished"
        return Explanation(run=run.id, verdict=verdict, applied=applied)
    verdict = _verdict(services, run, record)
    acted = {*record.consumed}
    sources = {draft.source for draft in record.drafts} - {""}
    stated = {claim.text for claim in record.claims}
    told = services.stores.memory.insight_sentences() if stated else {}
    insights = [told[one.id] for one in services.stores.memory.list_insights() if one.text in stated]
    return Explanation(
        run=run.id,
        verdict=verdict,
        episode=record.episode,
        task=record.task,
        reasons=() if verdict in ("failed", "unfinished") else tuple(_reasons(run, record)),
        used=tuple(
            UsedItem(kind=item.kind, id=item.id, text=item.text, acted=item.id in acted)
            for item in items_of(services, record)
        ),
        learned=tuple(one.text for one in insights if one.worded),
        counts=tuple(one.text for one in insights if not one.worded),
        kept=str(run.body.get(KEPT_BY_PERSON, "")),
        forgotten=FORGOTTEN in run.body,
        skills=tuple(
            skill.name for skill in services.stores.skills.list() if skill.source in sources and not skill.is_hidden
        ),
        not_kept=reason_not_kept(services.stores.runs.journal(run.id), record.episode) if record.drafts else (),
        suggested=tuple(
            SuggestionRow(id=one.id, text=one.description, status=one.status)
            for one in (*services.preferences.list(), *services.preferences.list(status="declined"))
            if any(act.run == run.id for act in one.acts)
        ),
        dropped=tuple(rejected_suggestions(services, record)),
        unlearned=record.episode in {one.episode for one in pending_episodes(services)},
        applied=applied,
    )


def _verdict(services: WorkspaceServices, run: Run, record: EpisodeRecord) -> Verdict:
    if record.status in PAUSED:
        return "unfinished"
    if failing_step(services, record):
        return "failed"
    judged = record.steps[-1].judgement if record.steps else None
    if CONTESTED in run.body or (judged is not None and judged.doubt is not None):
        return "doubtful"
    return "verified" if record.verified or VOUCHED in run.body else "checked" if record.checked else "unchecked"


def _reasons(run: Run, record: EpisodeRecord) -> list[Reason]:
    """What speaks against the answer first, then what it was judged by, then how the episode says that it ended."""
    judged = next((step.judgement for step in reversed(record.steps) if step.judgement is not None), None)
    against = run.body.get(CONTESTED)  # earlier versions kept a sentence
    found = (
        [from_data(Reason, against if isinstance(against, dict) else upgrade_reason_text(against))] if against else []
    )
    found += [] if judged is None or judged.doubt is None or judged.doubt in found else [judged.doubt]
    texts = ["" if judged is None else judged.text, str(run.body.get(VOUCHED, record.note))]
    known = [*(str(one.facts.get("text", "")) for one in found), *texts]
    texts = [one for one in dict.fromkeys(texts) if not any(one != other and one in other for other in known)]
    return [*found, *(reason("recorded", text=one) for one in texts if one)]

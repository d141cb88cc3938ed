"""Takes suspects away one after the other and has the run again: what turns the outcome is a cause.

Items are first taken away all at once: where that changes nothing, one trial clears them all (group testing, as in
delta debugging; Zeller and Hildebrandt, 2002). An action is left out of the recorded ones, which asks nobody. Where a
model decides, chance may turn an outcome once, so there a second pair of trials has to agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evolve.core.episodes import PREFERENCE, Cost, EpisodeRecord, Row
from evolve.core.reasons import Reason, reason
from evolve.environments import environment_kind
from evolve.trials import Change
from evolve.trials.diagnosis import ACTION, BUDGET, ROW, SKILL, Suspect, Verdict
from evolve.workspace.runs.beginnings import RunStart
from evolve.workspace.runs.replaying import Reruns
from evolve.workspace.services import WorkspaceServices

ITEMS = frozenset({"insight", "note", PREFERENCE, SKILL})
"""Kinds of suspects that a run can be had again without, by not offering them."""
_FREE = 200_000
"""Candidates up to which a search is had again without being asked for: a few seconds each."""
_MOST = 8
"""Suspects of one kind that are tried one by one."""
_MORE = 4
"""Times as much as it might spend that a run which ended by its budget is given."""
COSTS = reason("trying_asks_a_model")


def is_free(services: WorkspaceServices, begun: RunStart, record: EpisodeRecord) -> bool:
    """Whether at least a part of it can be had again for little: a short search, or recorded actions in a folder."""
    return _is_short_search(services, begun, record) or environment_kind(begun.task.environment).has_states


def _is_short_search(services: WorkspaceServices, begun: RunStart, record: EpisodeRecord) -> bool:
    return begun.policy == "search" == services.learner.name and record.cost.candidates <= _FREE


@dataclass
class Interventions:
    """The trials of one diagnosis.

    Attributes:
        suspects: The most suspicious first; :meth:`run` puts the verdicts in.
        free: Only those that cost little.
        untried: Why some were not made; None where all were.
    """

    replays: Reruns
    suspects: tuple[Suspect, ...]
    free: bool
    untried: Reason | None = None

    def run(self) -> None:
        """Makes them.

        Raises:
            UsageError: The folder is gone, or is not as it was.
            EndpointProblem: The model does not answer.
        """
        begun, record, services = self.replays.begun, self.replays.record, self.replays.services
        if any(step.observation is not None and step.observation.calls for step in record.steps):
            self.untried = reason("functions_not_called_again")
            return
        if self.replays.has_states:
            self._leave_out_actions()
        decides = begun.policy == services.learner.name
        if not decides:
            self.untried = reason("rest_takes", policy=begun.policy)
        elif begun.turns:
            self.untried = reason("turns_are_gone")
        elif not self.free or _is_short_search(services, begun, record):
            self._have_it_again()
        elif any(one.kind in ITEMS for one in self.suspects):
            self.untried = COSTS if begun.policy != "search" else reason("searching_takes_long")

    def _leave_out_actions(self) -> None:
        actions = [one for one in self.suspects if one.kind == ACTION][:_MOST]
        if not actions:
            return
        whole = self.replays.passes_without(None)
        if whole is not False:
            self.untried = reason("actions_pass_again") if whole else reason("actions_reach_a_limit")
            return
        for one in actions:
            passes = self.replays.passes_without(one.step)
            if passes:
                self._found(one, "cause", reason("others_pass", step=one.step))
            elif passes is False:
                # It may still be wrong: what it should have done instead is not there either.
                self._found(one, "suspicion", reason("others_fail", step=one.step))

    def _have_it_again(self) -> None:
        if self.replays.rerun().solved:
            self.untried = reason("solved_again")
            return
        self._remove_items()
        for one in [each for each in self.suspects if each.kind == ROW][:_MOST]:
            self._drop_row(one)
        for one in [each for each in self.suspects if each.kind == BUDGET]:
            self._give_more(one)

    def _remove_items(self) -> None:
        items = [one for one in self.suspects if one.kind in ITEMS]
        if not items:
            return
        if not self._turns(items, sure=len(items) == 1):
            told = reason("fails_without_all")
            for one in items:
                self._found(one, "cleared", told)
            return
        for one in items[:_MOST]:
            if len(items) == 1 or self._turns([one]):
                self._found(one, "cause", reason("solved_without_it"))
                return  # one is enough, and every trial may cost
            self._found(one, "cleared", reason("fails_without_it_alone"))
        for one in items:
            self._found(one, "suspicion", reason("solved_without_all_alone"))

    def _turns(self, removed: Sequence[Suspect], *, sure: bool = True) -> bool:
        """Whether the run is solved without these; where chance has a part in it, twice beside a control."""
        ids = {kind: frozenset(one.id for one in removed if one.kind == kind) for kind in ITEMS}
        skills = frozenset(name.removeprefix("skill:") for name in ids.pop(SKILL))
        change = Change(items=frozenset().union(*ids.values()), skills=skills)
        if not self.replays.rerun(change).solved:
            return False
        if not sure or self.replays.begun.policy == "search":
            return True
        return not self.replays.rerun().solved and self.replays.rerun(change).solved

    def _drop_row(self, one: Suspect) -> None:
        made = self.replays.rerun(Change(row=Row(input=tuple(one.row["input"]), output=one.row["output"])))
        if made.verified:
            self._found(one, "cause", reason("found_without_row"))
        elif made.solved:
            self._found(one, "suspicion", reason("fits_without_row"))
        else:
            self._found(one, "cleared", reason("fails_without_row"))

    def _give_more(self, one: Suspect) -> None:
        made = self.replays.rerun(Change(times=_MORE))
        if made.solved and made.steps[-1].action.misfits:
            self._found(one, "suspicion", reason("more_finds_one_that_fails", times=_MORE))
        elif made.solved:
            self._found(one, "cause", _after(made.cost))
        else:
            self._found(one, "cleared", reason("more_finds_nothing", times=_MORE))

    def _found(self, suspect: Suspect, verdict: Verdict, tested: Reason) -> None:
        known = replace(suspect, verdict=verdict, tested=tested)
        self.suspects = tuple(
            known if one.id == suspect.id and one.kind == suspect.kind else one for one in self.suspects
        )


def _after(cost: Cost) -> Reason:
    if cost.candidates:
        return reason("more_solves_by_candidates", times=_MORE, spent=cost.candidates)
    return reason("more_solves_by_tokens", times=_MORE, spent=cost.tokens)

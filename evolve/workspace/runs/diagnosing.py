"""Why a run failed: the step that broke it, what it rested on, and what turns the outcome when it is taken away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from evolve.agent import Run
from evolve.core.episodes import PREFERENCE, Cost, EpisodeRecord
from evolve.core.episodes.codec import Jsonable
from evolve.core.errors import EndpointProblem, SandboxUnavailable, UsageError
from evolve.core.reasons import Reason, reason
from evolve.trials.diagnosis import (
    ACTION,
    BUDGET,
    CHECK,
    DATA,
    ROW,
    SKILL,
    BreakingStep,
    Suspect,
    breaking_step,
    episode_label,
    fault_of,
    rows_at_odds,
    suspects_of,
)
from evolve.trials.diagnosis.case import MachineFault
from evolve.workspace.runs.beginnings import RunStart, beginning_of, interrupted_runs
from evolve.workspace.runs.files import FILLING
from evolve.workspace.runs.history import chosen_episode, failing_step, failure_case_of, items_at_start
from evolve.workspace.runs.interventions import COSTS, Interventions, is_free
from evolve.workspace.runs.replaying import Reruns
from evolve.workspace.runs.solving import waiting_question
from evolve.workspace.services import WorkspaceServices

_MOST = 4
State = Literal["well", "unchecked", "unfinished", "fault", "failed"]
"""How a run stands: it went well; nothing could check what it gave; it is not over; its surroundings failed; it failed
by what it did or rested on."""


_AS_ASKED = reason("nothing_run_again")
_GOES_ON = "the same command again goes on from there"


@dataclass(frozen=True, kw_only=True)
class Diagnosis(Jsonable):
    """Why a run ended as it did.

    Attributes:
        said: How it ended; what the record says in a sentence has the code ``recorded``.
        step: Number of the step that broke it; 0 where none did.
        why: What shows that; None where nothing does.
        suspects: The most suspicious first; causes before all others, what was cleared last.
        task: The task it was about, where the run worked on several; else "".
        compared: The nearest like run that went well, or the episode where it was of the same run; "" where none was.
        untried: Why nothing was tried, or not all of it; None where everything was.
        tries: Commands that may help, the most promising first.
        replays: Episodes that were had again, with what they ``cost``.
    """

    run: str
    state: State
    said: Reason
    episode: str = ""
    task: str = ""
    step: int = 0
    why: Reason | None = None
    suspects: tuple[Suspect, ...] = ()
    compared: str = ""
    untried: Reason | None = None
    tries: tuple[str, ...] = ()
    replays: int = 0
    cost: Cost = field(default_factory=Cost)

    @property
    def causes(self) -> tuple[Suspect, ...]:
        """What turned the outcome when it was taken away, or put right."""
        return tuple(one for one in self.suspects if one.verdict == "cause")


def diagnose(services: WorkspaceServices, name: str, replay: bool | None) -> Diagnosis:
    """See :meth:`evolve.workspace.runs.past_runs.Runs.diagnose`."""
    run, record = chosen_episode(services, name)
    if record is None and run.kind == FILLING:
        return Diagnosis(run=run.id, episode="", task="", state="unchecked", said=reason("function_was_given"))
    if record is None:
        return _unfinished(services, run)
    task = "" if run.kind == "run" else record.task
    said = reason("recorded", text=record.note or record.status)
    blank = Diagnosis(run=run.id, episode=record.episode, task=task, state="well", said=said)
    wrong = failing_step(services, record)
    if record.solved and not wrong:
        rows = tuple(rows_at_odds(record))[:1] if record.steps[-1].action.misfits else ()
        return replace(blank, suspects=rows, tries=_commands_for(run, record, rows, untried=False) if rows else ())
    if not wrong:  # nobody says that it failed, so nothing that it was told is suspected
        return replace(blank, state="unchecked", untried=reason("no_trial_tells"))
    fault = fault_of(record)
    if fault is not None:
        tries = _after_fault(fault, run)
        return replace(blank, state="fault", said=fault.told, step=fault.step, tries=tries)
    case = failure_case_of(services, run, record)
    broke = breaking_step(case)
    suspects = suspects_of(case, broke)
    compared = episode_label(record, case.good[0]) if case.good else ""
    if record.status in ("solved", "unverified"):  # the person refused its change and says why, so no step is to blame
        broke, suspects = BreakingStep(step=0, why=None), tuple(one for one in suspects if one.kind != ACTION)
    found = replace(blank, step=broke.step, why=broke.why, suspects=suspects, compared=compared)
    return _tried(services, run, record, replace(found, state="failed", said=wrong), replay)


def _tried(
    services: WorkspaceServices, run: Run, record: EpisodeRecord, found: Diagnosis, replay: bool | None
) -> Diagnosis:
    """The same after interventions, as far as they are wanted and possible."""
    begun = beginning_of(services, run)
    untried, made = _why_not(services, begun, record, replay), None
    if begun is not None and not untried:
        replays = Reruns(services=services, begun=begun, record=record, offered=items_at_start(record))
        made = Interventions(replays=replays, suspects=found.suspects, free=not replay)
        try:
            made.run()
        except (UsageError, SandboxUnavailable, EndpointProblem) as problem:
            untried = reason("not_all_tried", text=str(problem))
        untried = untried or made.untried
        found = replace(found, suspects=_ordered(made.suspects), replays=replays.count, cost=replays.spent)
        proven = next((one for one in found.causes if one.step), None)
        if proven is not None and proven.step != found.step:  # a cause says better than any sign where the run broke
            found = replace(found, step=proven.step, why=proven.tested)
    more = untried in (COSTS, _AS_ASKED)
    return replace(found, untried=untried, tries=_commands_for(run, record, found.suspects, untried=more))


def _why_not(
    services: WorkspaceServices, begun: RunStart | None, record: EpisodeRecord, replay: bool | None
) -> Reason | None:
    if replay is False:
        return _AS_ASKED
    if begun is None:
        return reason("beginning_not_on_record")
    if not (replay or is_free(services, begun, record)):
        return COSTS
    return None


def _ordered(suspects: Sequence[Suspect]) -> tuple[Suspect, ...]:
    """Causes, then suspicions, then what was cleared, each in order of suspicion.

    Among causes an item comes before an action: it is what the action was told.
    """
    order = {"cause": 0, "suspicion": 1, "cleared": 2}
    return tuple(sorted(suspects, key=lambda one: (order[one.verdict], one.verdict == "cause" and one.kind == ACTION)))


def _unfinished(services: WorkspaceServices, run: Run) -> Diagnosis:
    question = waiting_question(run)
    note = interrupted_runs(services, run.id)
    if question is not None:
        said, tries = reason("waits_for_answer", question=question.text), (f"evolve runs answer {run.id} TEXT",)
        return Diagnosis(run=run.id, state="unfinished", said=said, tries=tries)
    if note is not None:
        endpoint = note.data.get("why") not in ("SandboxUnavailable", "WorkspaceError", "RecordDamaged")
        check = "evolve models check" if endpoint else "evolve status"
        said = reason("broke_off", text=str(note.data.get("text")))
        return Diagnosis(run=run.id, state="fault", said=said, tries=(check, _GOES_ON))
    said = reason("has_not_ended")
    return Diagnosis(run=run.id, state="unfinished", said=said, tries=(_GOES_ON,))


def _after_fault(fault: MachineFault, run: Run) -> tuple[str, ...]:
    """What helps where the surroundings failed."""
    if fault.kind == "sandbox":
        return ("evolve lab sandbox check", "the same run again")
    if fault.kind == "denial":
        return (f"evolve runs show {run.id}", "the same run again, told what it may not do")
    what = "the check by hand, to see how long it takes" if fault.check else "the same run again, in smaller steps"
    return (what, f"evolve runs show {run.id}")


def _commands_for(run: Run, record: EpisodeRecord, suspects: Sequence[Suspect], *, untried: bool) -> tuple[str, ...]:
    """What helps against the suspects that are left, in their order; each command once."""
    left = [one for one in suspects if one.verdict != "cleared"]
    proven = [one for one in left if one.verdict == "cause"]
    wanted = [way for one in proven or left[:2] for way in _ways(run, record, one)]
    named = run.id if run.kind == "run" else record.episode[:10]  # a loop has many episodes
    more = [f"evolve why {named} --replay"] if untried and not proven and left else []
    return tuple(dict.fromkeys([*more, *wanted] or [f"evolve why {record.episode[:10]} --steps"]))[:_MOST]


def _ways(run: Run, record: EpisodeRecord, one: Suspect) -> Iterator[str]:
    proven, name = one.verdict == "cause", one.text.partition(":")[0]
    ways = {
        "insight": (f"evolve {'forget' if proven else 'why'} {one.id[:10]}",),
        "note": ('evolve memory note "what holds instead"' if proven else "evolve memory list",),
        PREFERENCE: (f"evolve memory preferences {'edit' if proven else 'show'} {one.id[:10]}",),
        SKILL: (f"evolve {'forget' if proven else 'skills show'} {name}",),
        BUDGET: ("the same run again with a larger --budget",),
        ROW: ("correct that row where it stands, and run again",),
        DATA: ("add the column that the outputs follow from, and run again",),
        CHECK: ("run the check by hand in the folder as it was",),
        ACTION: (
            f"evolve why {record.episode[:10]} --steps",
            f'evolve runs comment {run.id} "what should have been done" --prefer',
        ),
    }
    yield from ways.get(one.kind, ())

"""What a person can do about a run that failed: commands, the most promising first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evolve.agent import Run
from evolve.diagnosis import ACTION, BUDGET, CHECK, DATA, ROW, SKILL, Suspect
from evolve.diagnosis.faults import Fault
from evolve.episodes import PREFERENCE, EpisodeRecord

_MOST = 4


def after_fault(fault: Fault, run: Run) -> tuple[str, ...]:
    """What helps where the surroundings failed."""
    if fault.kind == "sandbox":
        return ("evolve lab sandbox check", "the same run again")
    if fault.kind == "denial":
        return (f"evolve runs show {run.id}", "the same run again, told what it may not do")
    what = "the check by hand, to see how long it takes" if fault.check else "the same run again, in smaller steps"
    return (what, f"evolve runs show {run.id}")


def commands_for(run: Run, record: EpisodeRecord, suspects: Sequence[Suspect], *, untried: bool) -> tuple[str, ...]:
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

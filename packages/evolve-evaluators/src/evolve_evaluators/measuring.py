"""Measures judges before they count: whether they tell sound answers from answers that were made wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.core.files import canonical_json, digest
from evolve.core.store import Database
from evolve.trials.gate.judges import Measurement
from evolve_evaluators.corruptions import CORRUPTIONS, Corruption, Trace


@dataclass(frozen=True, kw_only=True)
class Case:
    """A trace with its known verdict: sound where ``corruption`` is "", else wrong in that way."""

    trace: Trace
    corruption: str = ""

    @property
    def key(self) -> str:
        """Identity of what the judge is asked."""
        return digest(canonical_json([self.trace.task, self.trace.shown]))[:32]


def cases_of(traces: Sequence[Trace], is_wrong: Callable[[Trace], bool]) -> list[Case]:
    """Every trace once as it is and once corrupted, the kinds of corruption in turn.

    Args:
        is_wrong: Whether running a changed answer shows that it is wrong; a change that does no harm is passed over.
    """
    cases: list[Case] = []
    listed = list(traces)
    for place, trace in enumerate(listed):
        cases.append(Case(trace=trace))
        other = next(
            (candidate for candidate in listed[place + 1 :] + listed[:place] if candidate.group != trace.group), trace
        )
        turn = place % len(CORRUPTIONS)
        for kind in CORRUPTIONS[turn:] + CORRUPTIONS[:turn]:
            wrong = _corrupted(kind, trace, other, is_wrong)
            if wrong is not None:
                cases.append(Case(trace=wrong, corruption=kind.name))
                break
    return cases


def _corrupted(kind: Corruption, trace: Trace, other: Trace, is_wrong: Callable[[Trace], bool]) -> Trace | None:
    wrong = kind.apply(trace, other)
    if wrong is None or wrong.shown == trace.shown:
        return None
    return wrong if not kind.in_code or is_wrong(wrong) else None


def measure(
    cases: Iterable[Case], judge: Callable[[Case], bool], *, model: str, prompt: str, suite: str
) -> Measurement:
    """Asks the judge about every case.

    Raises:
        EndpointProblem: It could not be asked; nothing is said about it then.
    """
    sound: Counter[bool] = Counter()
    kinds: dict[str, Counter[bool]] = {}
    for case in cases:
        tally = kinds.setdefault(case.corruption, Counter()) if case.corruption else sound
        tally[judge(case)] += 1
    return Measurement(
        model=model,
        prompt=prompt,
        suite=suite,
        sound=sound.total(),
        accepted_sound=sound[True],
        wrong=sum(tally.total() for tally in kinds.values()),
        accepted_wrong=sum(tally[True] for tally in kinds.values()),
        kinds={name: (tally[True], tally.total()) for name, tally in sorted(kinds.items())},
    )


def once(db: Database, case: Case, model: str, prompt: str, ask: Callable[[Case], bool]) -> bool:
    """The judge's verdict on a case: the one on record, else the one it gives now, which is kept."""
    key = digest(canonical_json([model, prompt, case.key]))
    for row in db.rows("judge_verdicts", {"key": key}):
        return bool(row["accepted"])
    accepted = ask(case)
    entry: dict[str, Any] = {"key": key, "model": model, "prompt": prompt, "accepted": int(accepted)}
    db.insert("judge_verdicts", entry, key="key")
    return accepted

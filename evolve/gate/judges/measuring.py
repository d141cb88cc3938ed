"""How well a judge tells sound answers from wrong ones: precision and recall with exact bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evolve.files import canonical_json, digest
from evolve.gate.interval import Interval, clopper_pearson
from evolve.gate.judges.corruptions import CORRUPTIONS, Corruption, Trace

BAR = 0.8
"""Lower bounds of precision and recall from which a judge counts."""

Standing = Literal["unmeasured", "below the bar", "measured"]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A trace with its known verdict: sound where ``corruption`` is "", else wrong in that way."""

    trace: Trace
    corruption: str = ""

    @property
    def key(self) -> str:
        """Identity of what the judge is asked."""
        return digest(canonical_json([self.trace.task, self.trace.shown]))[:32]


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What a judge said of sound and of wrong answers.

    Attributes:
        model: Who judged.
        prompt: Digest of the prompt it judged by; another prompt is another judge.
        suite: Where the answers come from.
        sound, accepted_sound: Sound answers, and how many of them it accepted.
        wrong, accepted_wrong: Wrong answers, and how many of them it accepted.
        kinds: For each corruption how many it accepted, and of how many.
        at: Seconds since the epoch.
    """

    model: str
    prompt: str
    suite: str
    sound: int
    accepted_sound: int
    wrong: int
    accepted_wrong: int
    kinds: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    at: float = 0.0

    @property
    def precision(self) -> Interval:
        """The share of accepted answers that are sound, where as many wrong ones as sound ones are judged."""
        return clopper_pearson(self.accepted_sound, self.accepted_sound + self.accepted_wrong)

    @property
    def recall(self) -> Interval:
        """The share of sound answers that it accepts."""
        return clopper_pearson(self.accepted_sound, self.sound)

    @property
    def bar(self) -> float:
        """What both lower bounds have to reach."""
        return BAR

    @property
    def standing(self) -> Standing:
        """Whether the judge counts: both lower bounds reach the bar."""
        reached = all(interval.low is not None and interval.low >= BAR for interval in (self.precision, self.recall))
        return "measured" if reached else "below the bar"


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

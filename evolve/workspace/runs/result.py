"""What ``run`` gives back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evolve.agent import why_unverified
from evolve.agent.codec import to_data
from evolve.environments import kind_of
from evolve.episodes import Ambiguity, Cost, EpisodeRecord, Found, Json, Misfit, Question, Refused
from evolve.episodes.subgoals import SPARSE
from evolve.errors import ModelMistake, UsageError
from evolve.record.keeping import Kept, NotKept
from evolve.sandbox import Outcome, Program
from evolve.tasks import Task
from evolve.workspace.runs.applying import SandboxedCalls
from evolve.workspace.shelves.folders import Patch


@dataclass(frozen=True, kw_only=True)
class Result:
    """The outcome of one task; called, it gives the value of the answer on these arguments.

    Attributes:
        status: ``solved``, ``unverified`` (a task in words: its code ran, and nothing checks it),
            ``refused``, ``unsolved``, ``budget`` or ``fault``; ``waiting`` for an answer to ``question``, or
            ``interrupted`` by the person: then the run is open, and the same call goes on.
        answer: Python source that runs by itself, or a unified diff where the task is a folder's; else "".
        entry: Name of the function in ``answer``.
        verified: The answer was right on at least three rows that the policy never saw, compared outside its process.
        refused: Answers that were handed in and refused, each with the row that was shown after it, if any.
        budget_ended: A bound of the budget that was asked for ended it, and not one of the settings or the workflow.
        found: A right answer that was found while learning from the run, where it had none itself: the status stays
            what was shown. None until it was learned from.
        unchecked: Nothing could check what was handed in.
        rivals: Sources of other functions that are right on every row as well, plainest first; each gives something
            else than the answer on an input that people have.
        calls: Runs the answer, where it is a function.
        shadow: What it cost, beside ``cost``, to solve the task again before it was learned from, to see whether
            learning helps.
        distant: Others that are less plain, and count only for inputs unlike those of every row.
        reason: Why an answer that was right on rows is called unverified all the same, in one sentence, or "".
        misfits: Rows that the answer does not reproduce and that may be mistyped, each with what it gives; without an
            answer, the rows that ``nearest`` fails.
        nearest: Source of the function that is right on most rows, where none is right on all; else "".
        advice: What would help where none is, in one clause, or "".
        overshoot: How far that budget was passed, in a sentence, or "".
        checked: A check command, or hidden tests in the answer's own process, accepted it; nothing learned is promoted
            on that.
        score: Share of the visible examples that the answer reproduces; 1.0 when solved.
        ambiguity: Where the examples leave open what is meant, or None.
        learned: One sentence per claim that this episode added evidence to; () until it was learned from.
        value: For a task without examples: what the answer gave when it was run.
        skills: Names of skills admitted from this episode.
        not_kept: Skills that it proposed and that were refused, with the reasons.
        judged: The verifier was a model's opinion.
        patch: What was done in a folder would change there, waiting to be applied; else None.
        question: What a person is asked, where the run waits for it; else None.
    """

    status: str
    answer: str
    entry: str
    verified: bool
    score: float
    episode_id: str
    run_id: str
    task: str
    cost: Cost
    goal: str = ""
    note: str = ""
    ambiguity: Ambiguity | None = None
    learned: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    value: Json = None
    judged: bool = False
    patch: Patch | None = None
    question: Question | None = None
    checked: bool = False
    budget_ended: bool = False
    refused: tuple[Refused, ...] = ()
    not_kept: tuple[NotKept, ...] = ()
    overshoot: str = ""
    found: Found | None = field(default=None, metadata=SPARSE)
    unchecked: bool = field(default=False, metadata=SPARSE)
    rivals: tuple[str, ...] = field(default=(), metadata=SPARSE)
    distant: tuple[str, ...] = field(default=(), metadata=SPARSE)
    reason: str = field(default="", metadata=SPARSE)
    misfits: tuple[Misfit, ...] = field(default=(), metadata=SPARSE)
    nearest: str = field(default="", metadata=SPARSE)
    advice: str = field(default="", metadata=SPARSE)
    shadow: Cost = field(default_factory=Cost, metadata=SPARSE)
    calls: SandboxedCalls | None = field(default=None, compare=False, repr=False, metadata=SPARSE)

    def __call__(self, *arguments: Json) -> Json:
        """The value of the answer on these arguments, run in the sandbox; the workspace need not be open any more.

        Raises:
            UsageError: There is no function to call, or an argument is no JSON value.
            ModelMistake: The function fails on them.
        """
        (outcome,) = self._outcomes([arguments])
        if not outcome.ok:
            told = ", ".join(map(repr, arguments))
            raise ModelMistake(f"{self.entry}({told if len(told) <= 80 else told[:79] + '…'}) fails: {outcome.error}")
        return outcome.value

    def apply(self, rows: Iterable[Any]) -> list[Any]:
        """The value of the answer for each row, all run in one sandbox.

        Args:
            rows: Each a tuple of arguments, or the only argument.

        Returns:
            Values; where the function fails, an :class:`~evolve.sandbox.Outcome` that says why in ``error``.

        Raises:
            UsageError: There is no function to call, or an argument is no JSON value.
        """
        outcomes = self._outcomes(row if isinstance(row, tuple) else (row,) for row in rows)
        return [outcome.value if outcome.ok else outcome for outcome in outcomes]

    def _outcomes(self, rows: Iterable[Sequence[Json]]) -> list[Outcome]:
        if self.calls is None or not self.answer:
            raise UsageError(f"{self.task}: there is no function to call, the run ended {self.status}")
        return self.calls(Program(source=self.answer, entry=self.entry), rows)

    @property
    def kind(self) -> str:
        """What the answer rests on: ``verified``, ``checked``, ``judged, not verified`` or ``unverified``."""
        if self.verified:
            return "verified"
        if self.judged:
            return "judged, not verified"
        return "checked" if self.checked else "unverified"

    @property
    def words(self) -> str:
        """The answer where it is words for a person to read, and neither source nor a difference; else ""."""
        return self.answer if self.answer and self.value == self.answer else ""

    def __repr__(self) -> str:
        state = f"solved, {self.kind}" if self.solved else self.status
        parts = (f"<Result of {self.task}: {state}", " ".join(self.note.split())[:160], f"episode {self.episode_id}>")
        return "; ".join(filter(None, parts))

    def with_taught(
        self, learned: Sequence[str], kept: Kept, cost: Cost, found: Found | None = None, shadow: Cost | None = None
    ) -> Result:
        """The same result with what was learned from it and found on the way, and what that cost on top."""
        taught = replace(self, learned=tuple(learned), skills=kept.skills, not_kept=kept.refused, found=found)
        return replace(taught, cost=self.cost + cost, shadow=shadow or Cost())

    @property
    def solved(self) -> bool:
        """The answer was accepted; also where what it would change still waits for leave."""
        return self.outcome == "solved"

    @property
    def outcome(self) -> str:
        """The status, or what it was before the question whether to change a folder."""
        waits = self.question is not None and self.question.kind == "approve"
        return self.status if not waits else "unverified" if self.unchecked else "solved"

    def to_json(self) -> Mapping[str, Any]:
        """The result as one JSON object."""
        data = to_data(replace(self, calls=None))
        for name in {"cost", "shadow"} & set(data):
            data[name]["seconds"] = round(getattr(self, name).seconds, 3)
        data["patch"] = None if self.patch is None else self.patch.to_json()
        if self.found is not None:
            data["found"] = self.found.told()
        return dict(data)


@dataclass(frozen=True, kw_only=True)
class Extras:
    """What the run knows beyond the record."""

    goal: str = ""
    told: str = ""
    kept: Kept = field(default_factory=Kept)
    warnings: tuple[str, ...] = field(default=())
    patch: Patch | None = None
    question: Question | None = None
    budget_ended: bool = False
    overshoot: str = ""
    calls: SandboxedCalls | None = None


def result_of(record: EpisodeRecord, task: Task, extras: Extras) -> Result:
    """The result a record amounts to."""
    kind = kind_of(task.environment)
    return Result(
        status="waiting" if extras.question is not None else record.status,
        answer=record.answer,
        entry=task.entry,
        verified=record.verified,
        checked=record.checked,
        score=1.0 if record.solved else kind.progress(task, record),
        episode_id=record.episode,
        run_id=record.run,
        task=task.id,
        cost=record.cost + extras.kept.cost,
        goal=extras.goal,
        note="; ".join(filter(None, (extras.told, record.note))),
        ambiguity=_ambiguity(record),
        learned=tuple(dict.fromkeys(claim.text for claim in record.claims if not claim.is_denied)),
        skills=extras.kept.skills,
        not_kept=extras.kept.refused,
        warnings=(*task.warnings, *extras.warnings),
        value=_value(record) if record.answer and not task.examples and (kind.one_file or _in_words(record)) else None,
        judged=any(step.judgement is not None and step.judgement.judged for step in record.steps),
        patch=extras.patch,
        question=extras.question,
        refused=refusals_of(record, one_file=kind.one_file),
        budget_ended=extras.budget_ended,
        overshoot=extras.overshoot,
        found=record.found,
        unchecked=record.status == "unverified",
        reason=_reason(record, task),
        calls=extras.calls if task.examples else None,
        misfits=record.steps[-1].action.misfits if record.steps else (),
        nearest=record.steps[-1].action.nearest if record.steps else "",
        advice=record.steps[-1].action.advice if record.steps else "",
    )


def _reason(record: EpisodeRecord, task: Task) -> str:
    """Why an answer that is right on rows is not verified, as a sentence."""
    why = why_unverified(record.steps, len(task.examples)) if record.solved else ""
    return f"{why[:1].upper()}{why[1:]}." if why else ""


def _in_words(record: EpisodeRecord) -> bool:
    return bool(record.steps) and record.steps[-1].action.kind == "answer"


def refusals_of(record: EpisodeRecord, *, one_file: bool) -> tuple[Refused, ...]:
    """The answers of an episode that the verifier refused, in order.

    Args:
        one_file: An answer is one source file; else the last submission stands in the record alone.
    """
    steps = [(step, step.judgement) for step in record.steps if step.judgement is not None]
    wrong = [(step, judged) for step, judged in steps if not (judged.accepted or judged.fault)]
    return tuple(
        Refused(answer=step.action.code if one_file else record.answer, row=judged.row, got=judged.got)
        for step, judged in wrong
    )


def _value(record: EpisodeRecord) -> Json:
    seen = record.steps[-1].observation
    return seen.outputs[0] if seen is not None and seen.outputs else None


def _ambiguity(record: EpisodeRecord) -> Ambiguity | None:
    for step in reversed(record.steps):
        if step.action.ambiguity is not None:
            return replace(step.action.ambiguity, code="")
    return None

"""What ``run`` gives back, and what the verdict on it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evolve.agent import rows_missing
from evolve.core.episodes import (
    Ambiguity,
    Cost,
    EpisodeRecord,
    Json,
    LateAnswer,
    OutlierRow,
    Question,
    RefusedAnswer,
    shown_rows,
)
from evolve.core.episodes.blocks import read_reply
from evolve.core.episodes.codec import to_data
from evolve.core.episodes.plans import SPARSE
from evolve.core.errors import ModelMistake, UsageError
from evolve.core.reasons import Reason, reason
from evolve.environments import environment_kind
from evolve.runtime.sandbox import Outcome, Program
from evolve.tasks import Task, row_key
from evolve.tasks.verification.test_quality import finding_of
from evolve.trials.admitting import AdmissionResult, RefusedSkill
from evolve.workspace.resources.patch import Patch
from evolve.workspace.runs.applying import SandboxedCalls, inputs_text
from evolve.workspace.runs.kept_things import UsedItem
from evolve.workspace.runs.skill_origin import UsedSkill


@dataclass(frozen=True, kw_only=True)
class VerdictGrounds:
    """What a verdict rests on.

    Attributes:
        assertions: Assertions of hidden tests decided, and no rows.
        rows: How many rows or assertions that the answer was not made from decided.
        given: Rows that showed what was wanted, with those that ruled out an earlier answer, of this run or of one
            before it.
        missing: How many more rows could verify it, where there were too few to do so; else 0.
        finding: What came of running a check on tests that were broken on purpose: a key of ``FINDINGS``, or "".
        earlier: What earlier runs have to do with it, in a sentence, or "".
    """

    assertions: bool = False
    rows: int = 0
    given: int = 0
    missing: int = 0
    finding: str = ""
    earlier: str = ""


def _grounds_of(record: EpisodeRecord, task: Task, earlier: str = "") -> VerdictGrounds:
    """The grounds of a record."""
    judged = next((step.judgement for step in reversed(record.steps) if step.judgement is not None), None)
    if judged is None:
        return VerdictGrounds(given=len(task.examples), earlier=earlier)
    rows_decide = judged.accepted and not (judged.verified or judged.checked or judged.text or judged.doubt)
    shown = shown_rows(record.steps)
    known = {row_key(row) for row in (*task.examples, *shown)}
    given = len(task.examples) + len({row_key(one.row) for one in task.refused if one.row is not None} - known)
    return VerdictGrounds(
        assertions=bool(environment_kind(task.environment).one_file and task.tests and not task.verify_rows()),
        rows=judged.rows,
        given=given + len(shown),
        missing=max(0, rows_missing(record.steps, given)) if rows_decide and task.examples else 0,
        finding=finding_of(judged.text) if judged.accepted else "",
        earlier=earlier,
    )


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
        limit_ended: A limit of the day or of the workspace ended it, which no larger budget lifts.
        found: A right answer that was found while learning from the run, where it had none itself: the status stays
            what was shown. None until it was learned from.
        unchecked: Nothing could check what was handed in.
        rivals: Sources of other functions that are right on every row as well, plainest first; each gives something
            else than the answer on an input that people have.
        used: The saved function that the answer is, where its table had the same columns and it was used as it is.
        remembered: What was kept or learned before that the run worked with.
        grounds: What the verdict rests on, as facts for whoever shows it; no part of the JSON.
        calls: Runs the answer, where it is a function.
        shadow: What it cost, beside ``cost``, to solve the task again before it was learned from, to see whether
            learning helps.
        distant: Others that are less plain, and count only for inputs unlike those of every row.
        seconds: Wall time of the whole call until the result was there, or of the command that made it; those of
            ``cost`` are what deciding took.
        reason: Why an answer that was right on rows is called unverified all the same, or None.
        narrow: Why its rule may hold for the rows of this table alone, such as those of one month, or None.
        misfits: Rows that the answer does not reproduce and that may be mistyped, each with what it gives; without an
            answer, the rows that ``nearest`` fails.
        nearest: Source of the function that is right on most rows, where none is right on all; else "".
        advice: What would help where none is, or None.
        lacking: The rows do not show what is wanted, so that a larger budget would not help.
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
        closing: What the model said of a change in a folder as it handed it in.
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
    limit_ended: bool = field(default=False, metadata=SPARSE)
    refused: tuple[RefusedAnswer, ...] = ()
    not_kept: tuple[RefusedSkill, ...] = ()
    overshoot: str = ""
    found: LateAnswer | None = field(default=None, metadata=SPARSE)
    unchecked: bool = field(default=False, metadata=SPARSE)
    rivals: tuple[str, ...] = field(default=(), metadata=SPARSE)
    distant: tuple[str, ...] = field(default=(), metadata=SPARSE)
    seconds: float = field(default=0.0, metadata=SPARSE)
    reason: Reason | None = field(default=None, metadata=SPARSE)
    narrow: Reason | None = field(default=None, metadata=SPARSE)
    misfits: tuple[OutlierRow, ...] = field(default=(), metadata=SPARSE)
    nearest: str = field(default="", metadata=SPARSE)
    advice: Reason | None = field(default=None, metadata=SPARSE)
    lacking: bool = field(default=False, metadata=SPARSE)
    shadow: Cost = field(default_factory=Cost, metadata=SPARSE)
    used: UsedSkill | None = field(default=None, metadata=SPARSE)
    remembered: tuple[UsedItem, ...] = field(default=(), metadata=SPARSE)
    closing: str = field(default="", metadata=SPARSE)
    grounds: VerdictGrounds = field(default_factory=VerdictGrounds, compare=False, repr=False, metadata=SPARSE)
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
            Values; where the function fails, an :class:`~evolve.runtime.sandbox.Outcome` that says why in ``error``.

        Raises:
            UsageError: There is no function to call, or an argument is no JSON value.
        """
        outcomes = self._outcomes(row if isinstance(row, tuple) else (row,) for row in rows)
        return [outcome.value if outcome.ok else outcome for outcome in outcomes]

    def told_inputs(self, inputs: Sequence[Json]) -> list[Json]:
        """Those inputs of a row that the answer or a rival reads, and the first one."""
        sources = (self.answer, *self.rivals, *self.distant)
        return inputs_text((Program(source=source, entry=self.entry) for source in sources), inputs)

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
    def exit_code(self) -> int:
        """What a command ends with that gives this result."""
        if self.solved or self.status == "unverified":
            return 0
        codes = {"fault": 3, "waiting": 6, "interrupted": 130}
        return codes.get(self.status, 5 if self.budget_ended or self.limit_ended else 1)

    @property
    def word(self) -> str:
        """The verdict in a few words; a change that the person refused is solved for nobody."""
        return "not applied" if self.unwanted else f"solved, {self.kind}" if self.solved else self.outcome

    @property
    def unwanted(self) -> bool:
        """The person refused the change."""
        return self.patch is not None and self.patch.state == "refused"

    @property
    def words(self) -> str:
        """The answer where it is words for a person to read, and neither source nor a difference; else ""."""
        return self.answer if self.answer and self.value == self.answer else ""

    def __repr__(self) -> str:
        state = self.word if self.solved else self.status
        parts = (f"<Result of {self.task}: {state}", " ".join(self.note.split())[:160], f"episode {self.episode_id}>")
        return "; ".join(filter(None, parts))

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
        data = to_data(replace(self, calls=None, grounds=VerdictGrounds()))
        for name in {"cost", "shadow"} & set(data):
            data[name]["seconds"] = round(getattr(self, name).seconds, 3)
        data["seconds"] = round(self.seconds, 3)
        data["patch"] = None if self.patch is None else self.patch.to_json()
        if self.remembered:
            data["remembered"] = [
                {"id": one.id, "kind": one.kind, "name": one.text, "learned": one.learned} for one in self.remembered
            ]
        if self.found is not None:
            data["found"] = self.found.to_json()
        return dict(data)


def read_result(record: EpisodeRecord, task: Task, told: str = "", kept: AdmissionResult | None = None) -> Result:
    """The result a record amounts to, as far as the record alone says it.

    Args:
        told: What earlier runs have to do with it.
        kept: What came of its skills.
    """
    kept, last = kept or AdmissionResult(), record.steps[-1].action if record.steps else None
    in_words = last is not None and last.kind == "answer"
    outputs = record.steps[-1].observation.outputs if record.steps and record.steps[-1].observation else ()
    kind, grounds = environment_kind(task.environment), _grounds_of(record, task, told)
    found = [step.action.ambiguity for step in record.steps if step.action.ambiguity is not None]
    return Result(
        status=record.status,
        answer=record.answer,
        entry=task.entry,
        verified=record.verified,
        checked=record.checked,
        score=1.0 if record.solved else kind.progress(task, record),
        episode_id=record.episode,
        run_id=record.run,
        task=task.id,
        cost=record.cost + kept.cost,
        note="; ".join(filter(None, (told, record.note))),
        ambiguity=None if not found else replace(found[-1], code=""),
        learned=tuple(dict.fromkeys(claim.text for claim in record.claims if not claim.is_denied)),
        skills=kept.skills,
        not_kept=kept.refused,
        warnings=task.warnings,
        value=outputs[0] if outputs and record.answer and not task.examples and (kind.one_file or in_words) else None,
        judged=any(step.judgement is not None and step.judgement.judged for step in record.steps),
        closing="" if kind.one_file else _closing(record),
        refused=refusals_of(record, one_file=kind.one_file),
        found=record.found,
        unchecked=record.status == "unverified",
        reason=_reason(record, grounds),
        grounds=grounds,
        misfits=() if last is None else last.misfits,
        nearest="" if last is None else last.nearest,
        advice=None if last is None else last.advice,
        lacking=last is not None and last.lacking,
    )


def _reason(record: EpisodeRecord, grounds: VerdictGrounds) -> Reason | None:
    """Why an answer that is right on rows is not verified."""
    judged = record.steps[-1].judgement if record.solved and record.steps else None
    if judged is None or judged.verified or judged.doubt is not None:
        return None if judged is None or judged.verified else judged.doubt
    return reason("rows_missing", missing=grounds.missing) if grounds.missing else None


def _closing(record: EpisodeRecord) -> str:
    action = record.steps[-1].action if record.steps else None
    if action is None or action.kind != "finish":
        return ""
    done = read_reply(action.said).blocks_of("done")
    return (done[-1].text.strip() if done else "") or action.text


def refusals_of(record: EpisodeRecord, *, one_file: bool) -> tuple[RefusedAnswer, ...]:
    """The answers of an episode that the verifier refused, in order.

    Args:
        one_file: An answer is one source file; else the last submission stands in the record alone.
    """
    steps = [(step, step.judgement) for step in record.steps if step.judgement is not None]
    wrong = [(step, judged) for step, judged in steps if not (judged.accepted or judged.fault)]
    return tuple(
        RefusedAnswer(answer=step.action.code if one_file else record.answer, row=judged.row, got=judged.got)
        for step, judged in wrong
    )

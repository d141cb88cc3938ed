"""Plans and actions of a policy, with the answers that were not taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from evolve.core.episodes.plans import SPARSE, Subgoal
from evolve.core.episodes.recalled import Recalled
from evolve.core.episodes.views import Cost, Json, Limits
from evolve.core.reasons import Reason

ActionKind = Literal["code", "ask_user", "recall", "finish", "give_up", "answer"]


@dataclass(frozen=True, kw_only=True)
class StageNote:
    """What a stage said about an action or a plan.

    Attributes:
        doubtful: Whether it doubts the answer; None where it does not judge it.
    """

    stage: str
    text: str
    doubtful: bool | None = None


@dataclass(frozen=True, kw_only=True)
class BudgetEnd:
    """A budget left no room for another call.

    Attributes:
        tokens: The most that the call which was refused could have taken.
    """

    tokens: int = 0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What the policy intends, as a DAG of subgoals.

    Attributes:
        told: What was recalled and is told with every question.
        unfit: Why the policy cannot work on the task; None where it can.
        ended: Set where a budget ended the episode at its plan.
        notes: What stages said about it.
        private: The policy's own JSON, read by nobody else.
    """

    goal: str
    subgoals: tuple[Subgoal, ...] = ()
    told: tuple[Recalled, ...] = field(default=(), metadata=SPARSE)
    unfit: str | None = field(default=None, metadata=SPARSE)
    ended: BudgetEnd | None = field(default=None, metadata=SPARSE)
    notes: tuple[StageNote, ...] = field(default=(), metadata=SPARSE)
    private: Mapping[str, Json] = field(default_factory=dict, metadata=SPARSE)


@dataclass(frozen=True, kw_only=True)
class Ambiguity:
    """An input on which two programs that fit every example give different values.

    Attributes:
        input: Arguments of the call.
        outputs: What the answer gives, then what the other program gives.
        code: Source of the other program.
    """

    input: tuple[Json, ...]
    outputs: tuple[Json, ...]
    code: str = field(default="", metadata=SPARSE)


@dataclass(frozen=True, kw_only=True)
class OutlierRow:
    """A row that a function does not reproduce.

    Attributes:
        input: Arguments of the call.
        given: The output that the row says.
        expected: What the function gives; ``{"error": ...}`` where it gives none.
    """

    input: tuple[Json, ...]
    given: Json
    expected: Json


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """An answer beside the one that an action hands in; its fields mean what they mean in :class:`Action`."""

    code: str
    written: str = field(default="", metadata=SPARSE)
    ambiguity: Ambiguity | None = field(default=None, metadata=SPARSE)
    private: Mapping[str, Json] = field(default_factory=dict, metadata=SPARSE)
    consumed: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SampleRequest:
    """One time that rivals of an answer were asked for: how many, and for at most how many candidates."""

    candidates: int | None
    wanted: int


@dataclass(frozen=True, kw_only=True)
class Action:
    """One thing the policy does.

    Attributes:
        kind: ``code`` answers with source that defines ``entry``, or acts in the folder; ``finish`` gives up, or
            hands in the folder as it is; ``give_up`` hands nothing in; ``answer`` answers in words.
        code: Python source, standard library only; in a folder, blocks of :mod:`evolve.core.episodes.blocks`, which run
            first where the action also hands in or gives up.
        text: One sentence for the live view; of ``answer`` the answer.
        said: The reply that the action was read from, as the model wrote it; "" where no model wrote one.
        cost: What producing the action cost.
        consumed: Ids of insights and skills the action depended on.
        explores: The code finds something out and is no answer.
        continues: Even where the check passes afterwards, nothing is handed in: the policy says itself when it is done.
        written: The code as the policy wrote it, where skills were put into ``code``.
        options: Of a question, the answers to choose from.
        shown: Of a ``recall``, the earlier step that was asked for.
        offered: Ids of the skills that its prompt showed and, in the first of an episode, of the functions, which stay
            the same: ``skill:DIGEST``, ``function:DIGEST``.
        prompt: Name of the prompt that the action comes from, where it is not ``act.md``.
        plan: Of an episode's first action, the plan that it began with.
        subgoal: Id of the subgoal that it serves.
        revised: The subgoals that hold from this action on, where evidence changed them or there were none.
        finished: Ids of subgoals that the policy says are done.
        ambiguity: What tells the answer apart from another that fits as well.
        misfits: Of an answer, the examples that it is known not to reproduce and that may be mistyped; of ``finish``,
            those that ``nearest`` fails.
        advice: Of ``finish``, what would help.
        lacking: Of ``finish``, the rows do not show what is wanted, so that a longer search is of no use.
        nearest: Of ``finish``, the source of the program that reproduces most examples, or "".
        samples: More answers to the same question, which the episode runs to take the best.
        decided: A person has said already what is meant, so that nobody is asked which sample is.
        rivals: Other answers to the same question, to compare this one with.
        drawn: Each time that rivals were asked for.
        notes: What stages between action and judgement said.
        settled: An answer that was doubted is handed in, because nothing better was found.
        spare: It is a rival of an earlier answer, or was saved before the episode, so nothing was searched for.
        habit: What was chosen because earlier answers have it, where rows leave it open, in a sentence.
        allowed: What a search for this action might spend; None where nothing was searched for.
        interrupted: A person stopped it while it was being chosen.
        ended: Set where a budget left no room for another call.
        private: The policy's own JSON about the answer, read by nobody else.
    """

    kind: ActionKind
    code: str = ""
    text: str = ""
    cost: Cost = field(default_factory=Cost)
    consumed: tuple[str, ...] = ()
    explores: bool = field(default=False, metadata=SPARSE)
    continues: bool = field(default=False, metadata=SPARSE)
    written: str = field(default="", metadata=SPARSE)
    said: str = field(default="", metadata=SPARSE)
    options: tuple[str, ...] = field(default=(), metadata=SPARSE)
    shown: str = field(default="", metadata=SPARSE)
    offered: tuple[str, ...] = field(default=(), metadata=SPARSE)
    prompt: str = field(default="", metadata=SPARSE)
    plan: Plan | None = field(default=None, metadata=SPARSE)
    subgoal: str = field(default="", metadata=SPARSE)
    revised: tuple[Subgoal, ...] = field(default=(), metadata=SPARSE)
    finished: tuple[str, ...] = field(default=(), metadata=SPARSE)
    ambiguity: Ambiguity | None = field(default=None, metadata=SPARSE)
    misfits: tuple[OutlierRow, ...] = field(default=(), metadata=SPARSE)
    nearest: str = field(default="", metadata=SPARSE)
    advice: Reason | None = field(default=None, metadata=SPARSE)
    lacking: bool = field(default=False, metadata=SPARSE)
    samples: tuple[Alternative, ...] = field(default=(), metadata=SPARSE)
    decided: bool = field(default=False, metadata=SPARSE)
    rivals: tuple[Alternative, ...] = field(default=(), metadata=SPARSE)
    drawn: tuple[SampleRequest, ...] = field(default=(), metadata=SPARSE)
    notes: tuple[StageNote, ...] = field(default=(), metadata=SPARSE)
    settled: bool = field(default=False, metadata=SPARSE)
    spare: bool = field(default=False, metadata=SPARSE)
    habit: str = field(default="", metadata=SPARSE)
    allowed: Limits | None = field(default=None, metadata=SPARSE)
    interrupted: bool = field(default=False, metadata=SPARSE)
    ended: BudgetEnd | None = field(default=None, metadata=SPARSE)
    private: Mapping[str, Json] = field(default_factory=dict, metadata=SPARSE)

    @property
    def source(self) -> str:
        """The code as the policy wrote it, before skills were put in."""
        return self.written or self.code

    @property
    def as_alternative(self) -> Alternative:
        """Its answer, to be kept beside another one."""
        return Alternative(
            code=self.code,
            written=self.written,
            ambiguity=self.ambiguity,
            private=self.private,
            consumed=self.consumed,
        )

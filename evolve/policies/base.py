"""Protocols between an episode and the policy that decides in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from evolve.core.episodes import (
    Action,
    Ambiguity,
    Claim,
    Cost,
    Json,
    Limits,
    Plan,
    Recalled,
    Row,
    SkillDraft,
    Step,
    Suggestion,
    TaskView,
)
from evolve.runtime.models import ModelReply, ModelRequest

if TYPE_CHECKING:
    from evolve.core.cancellation import Cancellation
    from evolve.environments import KnownRows, ReflectionTrials


class Policy(Protocol):
    """Plans, acts, reflects and distils. Holds no state of an episode between calls."""

    @property
    def name(self) -> str:
        """What decides, in a word: ``search``, or ``language`` with the model's name."""
        ...

    def features(self, view: TaskView) -> tuple[float, ...]:
        """The task's observable feature vector, used for recall; [] where a policy has none."""
        ...

    def plan(self, view: TaskView, recalled: Sequence[Recalled]) -> Plan:
        """Names the goal and, from what was recalled, how the work is priced."""
        ...

    def act(self, view: TaskView, plan: Plan, steps: Sequence[Step], limits: Limits) -> Action:
        """The next action. ``steps`` holds what was tried and refused; ``limits`` is what is left."""
        ...

    def reflect(self, view: TaskView, group: str, steps: Sequence[Step], probe: ReflectionTrials) -> tuple[Claim, ...]:
        """Causal claims with evidence, from what happened and from re-runs through ``probe``.

        An answer that was tried there and found right is handed in where the episode had none.
        """
        ...

    def distill(self, view: TaskView, steps: Sequence[Step]) -> tuple[SkillDraft, ...]:
        """Skills worth admitting from a verified answer: the whole first, then parts of it; often none."""
        ...


@runtime_checkable
class Spending(Protocol):
    """Optional: a policy whose work costs money or tokens has a meter, which an episode starts."""

    @property
    def spent(self) -> Cost:
        """What it has cost since it was made, failed calls included; it only rises."""
        ...

    def begin(self, limits: Limits) -> None:
        """Starts an episode that may spend ``limits``; past them its calls raise ``BudgetExhausted``."""
        ...

    def files(self) -> Mapping[str, bytes]:
        """Files that sandboxed sessions of the episode start with, by relative name."""
        ...


@runtime_checkable
class Trying(Protocol):
    """Optional: a policy whose reflection asks the task again, with and without what it claims."""

    def trying(self, pairs: int) -> Policy:
        """The same policy, which tries at most so many claims of one episode."""
        ...


Once = Callable[[ModelRequest, Callable[[], ModelReply]], ModelReply]
"""Gives the reply to a request: what is kept of it, or what the function gives that asks for it."""


@runtime_checkable
class Remembering(Protocol):
    """Optional: a policy whose questions to a model can be kept one by one, so that none is paid for twice."""

    def remembering(self, once: Once) -> Policy:
        """The same policy, which asks through ``once``; a reply that was kept stands in what it has cost, too."""
        ...


@runtime_checkable
class Suggesting(Protocol):
    """Optional: a policy that can say what of a finished episode is worth remembering."""

    def suggestions(self, view: TaskView, steps: Sequence[Step]) -> tuple[Suggestion, ...]:
        """What to ask the person about, three at most; often nothing.

        Raises:
            ModelMistake: The policy gave nothing usable.
        """
        ...


@runtime_checkable
class Deliberating(Protocol):
    """Optional: a policy that stages around an action may ask for more than one answer.

    ``steps`` ends with the step whose action is being deliberated on; it has not been run yet.
    """

    def alternatives(
        self, view: TaskView, plan: Plan, steps: Sequence[Step], limits: Limits, wanted: int
    ) -> tuple[Action, ...]:
        """At most ``wanted`` further answers, each with its cost, then perhaps a ``finish`` that only has a cost.

        Whoever keeps them puts each answer into the action's ``rivals``, and that this was asked into ``drawn``, from
        where the policy takes them later.
        """
        ...

    def decompose(self, view: TaskView, plan: Plan, share: float) -> Plan:
        """The plan with the task taken apart; the same plan where it cannot be.

        Args:
            share: Share of what an action may spend that may go to the parts.
        """
        ...


@runtime_checkable
class Guided(Protocol):
    """A policy that what was learned reaches through its guide and its skills alone: nothing is recalled for it."""

    @property
    def guide(self) -> object:
        """What was fitted on the evidence of all insights; None before anything was learned."""
        ...


@runtime_checkable
class Removing(Protocol):
    """A policy that can go without single parts of what it works with."""

    def without(self, causes: Collection[str]) -> Policy:
        """The same policy without these causes of insights, such as ``operation:sort``."""
        ...


@runtime_checkable
class Criticising(Protocol):
    """Optional: a policy that can find fault with an answer in words."""

    def critique(self, view: TaskView, plan: Plan, steps: Sequence[Step]) -> tuple[str, tuple[Row, ...]]:
        """What may be wrong with the last step's answer, and calls with what they should give; these can be run."""
        ...

    def revise(self, view: TaskView, plan: Plan, steps: Sequence[Step], doubt: str) -> Action:
        """Another answer in place of the last step's, in view of a doubt about it."""
        ...


@runtime_checkable
class Repairing(Protocol):
    """Optional: a policy that can strengthen a draft of a skill that was refused for its tests."""

    def repair_draft(self, view: TaskView, draft: SkillDraft, refusal: str, passed: Sequence[str]) -> SkillDraft | None:
        """The draft with further calls among its tests, or with another source; None for neither.

        Whoever asks runs the calls on the accepted answer, drops those that give another value, and judges again.

        Args:
            refusal: Why it was refused.
            passed: Wrong versions of it that pass its tests, each in words.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Robustness:
    """What leaving out rows one by one says of an answer.

    Attributes:
        row: A row without which another function is found; None where there is none, or none was found.
        whole: Every visible row was left out once.
    """

    row: Row | None = None
    whole: bool = True
    cost: Cost = field(default_factory=Cost)


@dataclass(frozen=True, kw_only=True)
class Ambiguities:
    """What the rows of an answer leave open.

    Attributes:
        rivals: Sources of other answers that are right on every row and give another value where outputs are wanted,
            plainest first.
        likely: Those of them that are about as plain as the answer.
        distant: Others, less plain or with an operation that no row asks for, which matter for inputs unlike those of
            every row.
        question: The likeliest input on which the answer and another differ; None where there is none.
        contested: They are so alike in plainness that the rows do not decide between them.
        found: Beside an answer that the policy cannot compute: the function that it finds itself, whatever that gives.
    """

    rivals: tuple[str, ...] = ()
    likely: tuple[str, ...] = ()
    distant: tuple[str, ...] = ()
    question: Ambiguity | None = None
    contested: bool = False
    found: str = ""
    cost: Cost = field(default_factory=Cost)


@runtime_checkable
class Weighing(Protocol):
    """Optional: a policy to which a row that was shown after a refusal is one more example.

    In a person's own runs it may hand in an answer after every such row, so the rows alone bound its submissions.
    """

    def weigh(self, view: TaskView, plan: Plan, steps: Sequence[Step], known: KnownRows, limits: Limits) -> Robustness:
        """Whether the last step's answer rests on one of the visible rows alone.

        It was accepted already, so that nothing of the unseen rows gets into it.
        """
        ...


@runtime_checkable
class Doubting(Protocol):
    """Optional: a policy that can tell what else fits the rows of an answer that was accepted."""

    def doubts(self, view: TaskView, step: Step, unlabelled: Sequence[Sequence[Json]], limits: Limits) -> Ambiguities:
        """Looks for other answers that are right on every row.

        Args:
            view: The task with all rows as examples, those too that decided.
            step: Has the answer.
            unlabelled: Inputs whose outputs are wanted.
        """
        ...


@runtime_checkable
class Searching(Protocol):
    """Optional: a policy that can search anew in another order."""

    def search_again(self, view: TaskView, steps: Sequence[Step], limits: Limits) -> Action:
        """An answer that no step gave, found in another order; ``finish`` where there is none within the limits."""
        ...


@dataclass(frozen=True, kw_only=True)
class ReplyDelta:
    """What a model wrote since the last piece, for whoever watches; pieces of a reply that fails are not taken back.

    Attributes:
        stage: What is being asked for: ``plan``, ``act``, ``reflect`` or ``distill``.
        field: The field of the reply that it stands in, such as ``text`` or ``code``; "" outside of any. ``asks`` says
            in ``text`` which model is waited for, ``asks again`` also which attempt it is and why.
        call: Number of the reply from 1; another number begins anew.
    """

    stage: str
    text: str
    field: str = ""
    call: int = 1


OnPiece = Callable[[ReplyDelta], None]
"""Hears of pieces as they come."""


@runtime_checkable
class Attendable(Protocol):
    """Optional: a policy whose work a person can watch and stop."""

    def attended(self, cancellation: Cancellation, on_piece: OnPiece | None = None) -> Policy:
        """The same policy for a run that a person follows.

        Args:
            cancellation: Once it is raised, what the policy does ends soon with ``Cancelled``.
            on_piece: Hears what a model writes while it writes it.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class PromptEdit:
    """A proposed change of one item of a prompt.

    Attributes:
        item: Number of the item from 1; 0 where one is added.
        why: What calls for it.
    """

    op: Literal["add", "replace", "remove"]
    item: int = 0
    text: str = ""
    why: str = ""


class PromptEditor(Protocol):
    """Proposes edits of prompts. Needs a model; never judges what it proposes."""

    def propose(
        self, items: Sequence[str], traces: Sequence[str], *, seed: int = 0, about: str = "", tried: Sequence[str] = ()
    ) -> tuple[PromptEdit, ...]:
        """Edits that the traces of episodes call for; () where nothing is worth changing.

        Args:
            about: The part of the prompt that cannot be edited.
            tried: Edits of this prompt that came to nothing, in words and each with why, the latest last.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class WorkflowBrief:
    """What somebody is told who writes a workflow, in words; nothing of it comes from tasks that judge.

    Attributes:
        setting: Who acts, on what, and what an episode may spend.
        stages, knobs: What may stand in a workflow, a line each.
        parent: The workflow to improve on, as TOML.
        trials: How trials of it ended, a line each.
        tasks: Some that it failed on, a line each.
        others: What other workflows came to, each with what tells it from the parent.
        apart: Tasks that some of these lost or solved other than the parent, a line each.
        faults: Replies to this brief that could not be used, each with why, the latest last.
    """

    setting: str
    stages: str
    knobs: str
    parent: str
    trials: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    faults: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class WorkflowDraft:
    """A proposed workflow: TOML that nobody has checked yet, and one sentence why."""

    workflow: str
    why: str = ""


class WorkflowWriter(Protocol):
    """Writes whole workflows. Needs a model; never judges what it writes."""

    def design(self, brief: WorkflowBrief, *, seed: int = 0) -> WorkflowDraft:
        """A workflow for this brief; one without text where nothing usable came."""
        ...

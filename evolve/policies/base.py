"""What an episode asks of the policy that decides in it, and what passes between the two."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

from evolve.core.episodes import (
    Action,
    Ambiguity,
    Claim,
    Cost,
    EarlierCall,
    Json,
    Limits,
    Plan,
    Recalled,
    Row,
    SkillDraft,
    Step,
    Suggestion,
    TaskView,
    shown_rows,
)
from evolve.runtime.models import ModelReply, ModelRequest

if TYPE_CHECKING:
    from evolve.core.cancellation import Cancellation
    from evolve.environments import KnownRows, ReflectionTrials
    from evolve.skills import Skill


MOST_UNCOUNTED = 16
"""Most steps of an episode that a policy may leave uncounted, see :meth:`BasePolicy.uncounted_steps`."""


class BasePolicy(ABC):
    """Plans, acts, reflects and distils, and may do more. Holds no state of an episode between calls.

    A policy has a name and four methods. Everything else is optional: the defaults do nothing.
    """

    spends: ClassVar[bool] = False
    """Its work costs tokens or money, which bound its episodes, and it reads what there is to see at the start."""
    recalls: ClassVar[bool] = True
    """What was learned is recalled for it. Else all of it reaches the policy through its guide and its skills."""
    learns_from_refusals: ClassVar[bool] = False
    """A row that was shown after a refusal is one more example to it. In a person's own runs it may hand in an answer
    after every such row, so the rows alone bound its submissions."""
    deliberates: ClassVar[bool] = False
    """It can give further answers and take tasks apart: ``alternatives`` and ``decompose``."""
    criticises: ClassVar[bool] = False
    """It can find fault with an answer in words: ``critique`` and ``revise``."""
    searches: ClassVar[bool] = False
    """It searches programs: ``search_again`` and ``ambiguities``."""

    def uncounted_steps(self, view: TaskView, steps: Sequence[Step]) -> int:
        """How many of the steps the knob ``steps`` does not count; at most :data:`MOST_UNCOUNTED` and
        one for each refusal."""
        return len(shown_rows(steps)) if self.learns_from_refusals else 0

    @property
    @abstractmethod
    def name(self) -> str:
        """What decides, in a word: ``search``, or ``language`` with the model's name."""

    @abstractmethod
    def plan(self, view: TaskView, recalled: Sequence[Recalled]) -> Plan:
        """Names the goal and, from what was recalled, how the work is priced."""

    @abstractmethod
    def act(self, view: TaskView, plan: Plan, steps: Sequence[Step], limits: Limits) -> Action:
        """The next action. ``steps`` holds what was tried and refused; ``limits`` is what is left."""

    @abstractmethod
    def reflect(self, view: TaskView, group: str, steps: Sequence[Step], probe: ReflectionTrials) -> tuple[Claim, ...]:
        """Causal claims with evidence, from what happened and from re-runs through ``probe``.

        An answer that was tried there and found right is handed in where the episode had none.
        """

    @abstractmethod
    def distill(self, view: TaskView, steps: Sequence[Step]) -> tuple[SkillDraft, ...]:
        """Skills worth admitting from a verified answer: the whole first, then parts of it; often none."""

    def features(self, view: TaskView) -> tuple[float, ...]:
        """The task's observable feature vector, used for recall; () where a policy has none."""
        return ()

    # What its work costs.

    @property
    def total_cost(self) -> Cost:
        """What it has cost since it was made, failed calls included; it only rises."""
        return Cost()

    def start_budget(self, limits: Limits) -> None:  # noqa: B027
        """Starts an episode that may spend ``limits``; past them its calls raise ``BudgetExhausted``."""

    def session_files(self) -> Mapping[str, bytes]:
        """Files that sandboxed sessions of the episode start with, by relative name."""
        return {}

    # The same policy with something changed; the policy itself where that makes no difference to it.

    def with_supervision(self, cancellation: Cancellation, on_piece: OnPiece | None = None) -> BasePolicy:
        """The same policy for a run that a person follows.

        Args:
            cancellation: Once it is raised, what the policy does ends soon with ``Cancelled``.
            on_piece: Hears what a model writes while it writes it.
        """
        return self

    def with_claim_trials(self, pairs: int) -> BasePolicy:
        """The same policy, whose reflection tries at most so many claims of one episode by asking the task again."""
        return self

    def with_reply_cache(self, once: Once) -> BasePolicy:
        """The same policy, which asks a model through ``once``, so that nothing is paid for twice.

        A reply that was kept stands in what it has cost, too.
        """
        return self

    def without_causes(self, causes: Collection[str]) -> BasePolicy | None:
        """The same policy without these causes of insights, such as ``operation:sort``; None where it has no parts."""
        return None

    # What stages around an action may ask for. ``steps`` ends with the step whose action it is about.

    def alternatives(
        self, view: TaskView, plan: Plan, steps: Sequence[Step], limits: Limits, wanted: int
    ) -> tuple[Action, ...]:
        """At most ``wanted`` further answers, each with its cost, then perhaps a ``finish`` that only has a cost.

        The last step has not been run yet. Whoever keeps the answers puts each into the action's ``rivals``, and that
        this was asked into ``drawn``, from where the policy takes them later.
        """
        return ()

    def decompose(self, view: TaskView, plan: Plan, share: float) -> Plan:
        """The plan with the task taken apart; the same plan where it cannot be.

        Args:
            share: Share of what an action may spend that may go to the parts.
        """
        return plan

    def critique(self, view: TaskView, plan: Plan, steps: Sequence[Step]) -> tuple[str, tuple[Row, ...]]:
        """What may be wrong with the last step's answer, and calls with what they should give; these can be run."""
        return "", ()

    def revise(self, view: TaskView, plan: Plan, steps: Sequence[Step], doubt: str) -> Action:
        """Another answer in place of the last step's, in view of a doubt about it; ``finish`` where there is none."""
        return Action(kind="finish", text="the policy cannot revise an answer")

    def search_again(self, view: TaskView, steps: Sequence[Step], limits: Limits) -> Action:
        """An answer that no step gave, found in another order; ``finish`` where there is none within the limits."""
        return Action(kind="finish", text="the policy does not search")

    def leave_one_out(
        self, view: TaskView, plan: Plan, steps: Sequence[Step], known: KnownRows, limits: Limits
    ) -> Robustness:
        """Whether the last step's answer rests on one of the visible rows alone.

        It was accepted already, so that nothing of the unseen rows gets into it.
        """
        return Robustness()

    # What an accepted answer, or a finished episode, is asked about.

    def ambiguities(
        self, view: TaskView, step: Step, unlabelled: Sequence[Sequence[Json]], limits: Limits
    ) -> Ambiguities:
        """Looks for other answers that are right on every row.

        Args:
            view: The task with all rows as examples, those too that decided.
            step: Has the answer.
            unlabelled: Inputs whose outputs are wanted.
        """
        return Ambiguities()

    def suggestions(self, view: TaskView, steps: Sequence[Step]) -> tuple[Suggestion, ...]:
        """What of a finished episode to ask the person about, three at most; often nothing.

        Raises:
            ModelMistake: The policy gave nothing usable.
        """
        return ()

    def repair_draft(self, view: TaskView, draft: SkillDraft, refusal: str, passed: Sequence[str]) -> SkillDraft | None:
        """A draft refused for its tests, with further calls among them, or with another source; None for neither.

        Whoever asks runs the calls on the accepted answer, drops those that give another value, and judges again.

        Args:
            refusal: Why it was refused.
            passed: Wrong versions of it that pass its tests, each in words.
        """
        return None

    def propose_procedure(
        self, view: TaskView, steps: Sequence[Step], change: str, past: PastWork
    ) -> ProcedureCall | None:
        """The accepted change as a call of a procedure, to be done again elsewhere.

        None where nothing like it was done before, or it could not be done again. Whoever asks tries it, so nothing of
        it is believed.

        Args:
            change: What was accepted, as text.
            past: What was done before in this kind of environment.

        Raises:
            ModelMistake: The policy gave nothing usable.
        """
        return None


Once = Callable[[ModelRequest, Callable[[], ModelReply]], ModelReply]
"""Gives the reply to a request: what is kept of it, or what the function gives that asks for it."""


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


@dataclass(frozen=True, kw_only=True)
class PastWork:
    """What was done before in a kind of environment.

    Attributes:
        procedures: Procedures that are known, drafts among them.
        tasks: Instructions of tasks whose change was accepted, by run.
    """

    procedures: Sequence[Skill] = ()
    tasks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ProcedureCall:
    """A change that was accepted, as a call of a procedure.

    Attributes:
        draft: The procedure: one that is known, or a new one.
        arguments: What it has to be called with to do what was done.
        known: It is one of those that the policy was told of.
        earlier: With what it would have to be called in earlier runs.
    """

    draft: SkillDraft
    arguments: tuple[Json, ...]
    known: bool = False
    earlier: tuple[EarlierCall, ...] = ()


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

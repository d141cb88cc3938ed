"""The protocol between a search engine and the loop that runs it, and what an engine is registered as.

An engine is deterministic given the answers. Every answer is kept in the record under the number of its question, so a
search that was cut off is run again from its start, with the answers it has had already, and nothing is paid twice.
An engine catches nothing: :class:`SearchEnded` ends it when the budget does, and a fault of its own ends the run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol

from evolve.agent.workflow import Workflow
from evolve.core.episodes import Cost, EpisodeRecord, TaskView
from evolve.core.errors import UsageError
from evolve.core.extensions import extension_names, find
from evolve.core.files import canonical_json, digest
from evolve.improve.optimizer.counterfactual import EditSearch, EpisodeReplay
from evolve.improve.optimizer.workflow_drafts import Drafter, SearchScope
from evolve.trials.variants import VariantRepository


class SearchEnded(Exception):
    """The budget allows no further answer; its text is the finish reason. Never leaves the loop that runs an engine."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A workflow with its knobs, and the prompts that act in it.

    Attributes:
        prompts: Text in force of each prompt that may be edited, by file name, as sorted pairs; () where no model
            reads any.
        parents: Digests of what it was made from: none for a start, two after a crossover.
        operator: What made it, such as the name of a mutation.
        why: One sentence.
    """

    workflow: Workflow
    prompts: tuple[tuple[str, str], ...] = ()
    parents: tuple[str, ...] = ()
    operator: str = ""
    why: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "prompts", tuple(sorted((str(name), str(text)) for name, text in self.prompts)))

    @property
    def prompt_texts(self) -> dict[str, str]:
        """The prompts as a mapping."""
        return dict(self.prompts)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what acts: workflow and prompts, not where they came from."""
        return digest(canonical_json([self.workflow.as_json(), [list(pair) for pair in self.prompts]]))


@dataclass(frozen=True, kw_only=True)
class CandidateTrial:
    """One episode of a candidate on a task it may learn from.

    Attributes:
        score: In [0, 1]; 1 exactly when solved.
        solved: Verified on rows the policy did not see.
        cost: What it took; :func:`evolve.trials.gate.comparable_costs` says how two are compared.
        informative: False when the environment failed; such a trial says nothing of the candidate.
        target: How the answer does by what a person wants it to be like, in [0, 1]; None where that is not asked or
            not known. It chooses among candidates that do no worse by ``solved`` and ``cost``, and nothing else.
        record: The whole episode with its steps, what each consumed, and why it ended; None in searches without
            episodes.
    """

    task: str
    group: str
    score: float
    solved: bool
    cost: Cost
    informative: bool = True
    target: float | None = None
    record: EpisodeRecord | None = None


@dataclass(frozen=True, kw_only=True)
class CandidateJudgement:
    """What the gate said of a candidate against another, on tasks that no engine ever sees: one bit.

    The gate uses its tasks again for every candidate, and its error levels hold for proposals that depend on this bit
    alone (:mod:`evolve.trials.gate.error_budget`). So what was rejected, left undecided or refused looks the same.

    Attributes:
        accepted: The candidate is better, breaks nothing, and is the incumbent now if it was compared with the
            incumbent.
        variant: Digest of the variant that is active now where the candidate was accepted; else "".
    """

    accepted: bool
    variant: str = ""


@dataclass(frozen=True, kw_only=True)
class RemainingBudget:
    """What the engine's part of the budget still buys, as far as it is bounded; None is no bound.

    The gate has a part of its own, fixed before the search: what a judgement took is not seen here.

    Attributes:
        episodes: Episodes for screening at the largest cost that one may have.
        judgements: Judgements; how many there are was fixed before the search.
        pairs: Most pairs that one judgement can take.
        wins: Pairs that the next one must win to be accepted, if it loses none.
        share: Part of the engine's part that is left, in [0, 1]; 1 without a budget.
    """

    episodes: int | None = None
    judgements: int | None = None
    pairs: int = 1
    wins: int = 1
    share: float = 1.0


class EngineTrials(Protocol):
    """All that an engine may ask for. Each answer may raise :class:`SearchEnded`."""

    @property
    def tasks(self) -> Sequence[TaskView]:
        """What may be seen of the tasks for screening, one per group, in an order that depends on the seed only."""
        ...

    @property
    def incumbent(self) -> Candidate:
        """The last candidate that the gate accepted, else the start."""
        ...

    def screen(self, candidate: Candidate, tasks: Sequence[str]) -> Sequence[CandidateTrial]:
        """One episode per task id. Cheap; a reason to reject, never one to accept.

        Raises:
            ValueError: A task is not one of :attr:`tasks`.
        """
        ...

    def judge(self, candidate: Candidate, parent: Candidate) -> CandidateJudgement:
        """Whether the gate accepts the candidate against ``parent``. Each judgement makes the next one stricter."""
        ...

    def remaining(self) -> RemainingBudget:
        """What is left after the last answer."""
        ...


@dataclass(frozen=True, kw_only=True)
class EngineSettings:
    """What every engine is told.

    Attributes:
        only: ``prompts``, ``workflow`` or ``knobs`` to leave everything else as it is; "" for all that it can edit.
        proposals: Most candidates to try, beside those that only leave out parts of one; or None.
        wanted: What the target of trials asks for, in words, for engines that edit texts; "" without a target.
    """

    seed: int = 0
    only: Literal["", "prompts", "workflow", "knobs"] = ""
    proposals: int | None = None
    wanted: str = ""


class Engine(Protocol):
    """Searches for better candidates."""

    @property
    def name(self) -> str:
        """Name on the command line."""
        ...

    def search(self, trials: EngineTrials, start: Candidate) -> str:
        """Searches until it has no further idea; gives the reason why it ended.

        Raises:
            SearchEnded: Passed on from ``trials``.
        """
        ...


GONE: Mapping[str, str] = {"bandit": "linked"}
"""Engines of earlier versions, with what has taken their place."""

PARTS = ("prompts", "workflow", "knobs")
"""What can be asked for alone."""


def _no_editor() -> EditSearch:
    raise UsageError("prompts are read by a model, and none is chosen here", hint="evolve models")


def _no_drafter() -> Drafter:
    raise UsageError("workflows are written by a model, and none is chosen here", hint="evolve models")


def ignore_event(text: str) -> None:
    """For callers that do not watch."""


@dataclass(frozen=True, kw_only=True)
class EngineParts:
    """What an engine is made from.

    Attributes:
        scope: What may be changed, and which changes no trial could show.
        editor: Gives who proposes and screens edits of texts, paid from the run's budget; raises :class:`UsageError`
            where no model is chosen.
        drafter: Gives who writes whole workflows and screens what was written, paid likewise; raises likewise.
        replay: Asks one stage of an episode again, which tries an edit at a fraction of an episode's cost; or None.
        items: Keeps what single items of texts did, or None.
        tell: Takes a line for whoever watches.
    """

    settings: EngineSettings = field(default_factory=EngineSettings)
    scope: SearchScope = field(default_factory=SearchScope)
    editor: Callable[[], EditSearch] = _no_editor
    drafter: Callable[[], Drafter] = _no_drafter
    replay: EpisodeReplay | None = None
    items: VariantRepository | None = None
    tell: Callable[[str], None] = ignore_event


@dataclass(frozen=True, kw_only=True)
class EngineKind:
    """One engine, as one value.

    Attributes:
        changes: Which of :data:`PARTS` it can change.
        drafts: Whether it needs somebody who writes workflows.
        ready: Raises where it could not work here, before a run is begun.
    """

    name: str
    changes: frozenset[str]
    make: Callable[[EngineParts], Engine]
    drafts: bool = False
    ready: Callable[[], object] = lambda: None


def engine_kind(name: str, only: str, *, drafts: bool = False) -> EngineKind:
    """The engine with this name, or for no name the one that fits.

    Args:
        only: The part to change and leave everything else as it is, or "".
        drafts: Whether there is a model that could write workflows.

    Raises:
        UsageError: Nobody offers it, or it does not change that part.
    """
    fitting = "adas" if drafts and only != "knobs" else "linked"
    name = name or ("gepa" if only == "prompts" else fitting)
    kind: EngineKind | None = find("engines", name, EngineKind)
    if kind is None and name in GONE:
        raise UsageError(f"the engine {name} is gone; {GONE[name]} has taken its place", hint=f"--engine {GONE[name]}")
    if kind is None:
        raise UsageError(f"no engine {name!r}", hint=f"--engine {', --engine '.join(extension_names('engines'))}")
    if only and only not in kind.changes:
        able = [part for part in PARTS if part in kind.changes]
        raise UsageError(f"the engine {name} changes {' and '.join(able)}, not {only}", hint=f"--only {able[0]}")
    return kind

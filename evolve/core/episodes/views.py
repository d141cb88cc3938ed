"""What a policy may see of a task, and what it may spend on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from evolve.core.episodes.plans import SubgoalState

Json = Any
"""A JSON value: None, bool, int, float, str, list of Json, dict of str to Json."""

SCREEN = "screen"
"""Split of trials that measure a variant on ``train`` tasks."""
PROBE = "probe"
"""Split of pairs on ``train`` tasks that test one insight; only how a pair came out is evidence."""
OWN = "own"
"""Split of a person's own tasks: what comes of them is shown before anything is learned from it."""
SHADOW = "shadow"
"""Split of pairs on a person's own tasks that show whether learning has helped; nothing is learned from them."""
HELD_OUT = frozenset({"gate", "test", SCREEN, SHADOW})
"""Splits whose episodes leave no evidence and no use of a skill."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One example: positional arguments and the expected result."""

    input: tuple[Json, ...]
    output: Json


@dataclass(frozen=True, kw_only=True)
class RefusedAnswer:
    """An answer to a task that was put to the verifier and refused.

    Attributes:
        answer: Its source, or what it changed.
        row: A row that it failed and that was shown after that, so that it verifies nothing any more; else None.
        got: What the answer gave on it; ``{"error": ...}`` where it failed.
    """

    answer: str
    row: Row | None = None
    got: Json = None


@dataclass(frozen=True, kw_only=True)
class Turn:
    """An earlier turn of the conversation that a task belongs to: what the person said, and what came of it.

    Attributes:
        plan: How its plan stood at its end, as far as what was done is still there.
    """

    said: str
    outcome: str = ""
    plan: tuple[SubgoalState, ...] = field(default=(), metadata={"sparse": True})


@dataclass(frozen=True, kw_only=True)
class PatchDecision:
    """What the person did with the change of a finished run.

    Attributes:
        state: ``waiting`` where they have said nothing to it yet; ``undone`` where they took it back.
        reason: Why they refused it, in their words, or "".
    """

    state: Literal["waiting", "applied", "refused", "undone"]
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """Something that can be seen of a task at its start without doing anything, such as what the check prints.

    Attributes:
        name: What it is, in a word or two.
        origin: Where it comes from, such as a file's name; "" where the name says it.
    """

    name: str
    text: str
    origin: str = ""


@dataclass(frozen=True, kw_only=True)
class KnownFunction:
    """A function that is there already and may be right for a task: the answer of an earlier run, or a skill.

    Attributes:
        told: Where it comes from, in a sentence for a person.
        run: The earlier run of the same task, or "" for a skill.
        code: Its source, where it answers just what is asked; "" for a skill.
        taught: That run, or one that gave the same answer, was learned from, or will be.
        verified: That run's answer was.
        skill: Digest of the skill.
        places: Where the skill's arguments stand among those of the task, None for one that it does not read; () where
            they stand as they are.
        private: What the policy kept beside the answer.
        ran: Its source was run on the visible rows and is right on them.
    """

    told: str
    run: str = ""
    code: str = ""
    taught: bool = False
    verified: bool = False
    skill: str = ""
    places: tuple[int | None, ...] = field(default=(), metadata={"sparse": True})
    private: Mapping[str, Json] = field(default_factory=dict)
    ran: bool = field(default=False, metadata={"sparse": True})


@dataclass(frozen=True, kw_only=True)
class OfferedFunction:
    """A function that code actions may call, as a policy is shown it.

    Attributes:
        signature: Such as ``search(query: str, limit: int = 10)``.
        description: What whoever offers it says that it does: data, whatever it says.
        does: What a call may do, in words, such as ``changes something``.
        source: Who offers it; "" for the person's own program.
        digest: What stands behind the name; "" for what is evolve's own.
    """

    name: str
    signature: str
    description: str
    does: str
    source: str = ""
    digest: str = ""


@dataclass(frozen=True, kw_only=True)
class TaskView:
    """What a policy may see of a task: never a verify or hidden row, but for those that were shown after a refusal."""

    id: str
    family: str
    instruction: str
    signature: str
    """Such as ``(xs: list[int], n: int) -> list[int]``; inferred where the task gives none."""
    examples: tuple[Row, ...]
    entry: str = "solve"
    """Name of the function the answer must define."""
    environment: str = "programs"
    """Name of the kind: ``programs`` writes a function, ``words`` answers a question, ``files`` works in a folder."""
    check: str = ""
    """The command that tells whether work in a folder is done; the policy may run it."""
    files: tuple[str, ...] = ()
    """Names of the files in the folder at the start."""
    seen: tuple[Exhibit, ...] = ()
    """What there is to see of the folder at the start: the check's output, a map, the folder's own conventions."""
    earlier: tuple[Turn, ...] = ()
    """Earlier turns of the same conversation, oldest first; what "the same" and "the other" refer to."""
    refused: tuple[RefusedAnswer, ...] = field(default=(), metadata={"sparse": True})
    """What earlier runs of the same task handed in and was refused, newest first."""
    found: str = field(default="", metadata={"sparse": True})
    """A right answer that was found while learning from an earlier run of the same task: its source, or a change."""
    saved: tuple[KnownFunction, ...] = field(default=(), metadata={"sparse": True})
    """Functions that are there already, the likeliest first; nothing says that they are right here."""
    functions: tuple[OfferedFunction, ...] = field(default=(), metadata={"sparse": True})
    """Functions that code actions may call, by source and name; the last may be one that finds others."""
    today: str = field(default="", metadata={"sparse": True})
    """The day on which a person's own run began, such as ``Tuesday, 2026-11-24``; "" elsewhere."""
    past: bool = field(default=False, metadata={"sparse": True})
    """Whether there are conversations or runs of before that an action can look up."""
    place: str = field(default="", metadata={"sparse": True})
    """Of one of many variations: what it is a variation of, and which one, behind the last slash."""
    decision: PatchDecision | None = field(default=None, metadata={"sparse": True})
    """What the person did with the change, where the run is over and made one."""
    in_force: tuple[str, ...] = field(default=(), metadata={"sparse": True})
    """What the person has kept for all such tasks, once the run is over."""
    unseen: int = field(default=0, metadata={"sparse": True})
    """How many rows judge an answer that nobody was shown; in a person's own runs alone."""

    @property
    def goal(self) -> str:
        """What the environment wants in its own words, where it was looked at; else the instruction."""
        return next((part.text for part in self.seen if part.name == "goal"), self.instruction)


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What something cost, field by field: ``+`` and ``-``, and false where nothing was spent."""

    candidates: int = 0
    """Expressions whose values on all search examples were computed."""
    seconds: float = 0.0
    """CPU seconds of the policy."""
    work: int = field(default=0, metadata={"sparse": True})
    """Work units of a search: the same on every machine, and near to its CPU time; see
    :mod:`evolve.policies.search.meter`. Earlier versions did not write them down."""
    tokens: int = 0
    """Tokens of language models, in both directions."""
    money: float = 0.0
    """US dollars."""
    calls: int = 0
    """Requests to model endpoints."""
    completion: int = 0
    """Those of ``tokens`` that a model wrote, thinking included; earlier versions did not write it down."""
    cached: int = 0
    """Those of ``tokens`` that were sent and that the endpoint had in its cache."""
    estimated: int = field(default=0, metadata={"sparse": True})
    """Those of ``calls`` whose tokens are an upper estimate, since they were stopped or their endpoint did not say."""

    def __add__(self, other: Cost) -> Cost:
        return Cost(**{name: value + getattr(other, name) for name, value in vars(self).items()})

    def __sub__(self, other: Cost) -> Cost:
        return Cost(**{name: value - getattr(other, name) for name, value in vars(self).items()})

    def __bool__(self) -> bool:
        return self != Cost()


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one episode may spend. ``None`` means no limit of that kind."""

    candidates: int | None = 50_000
    seconds: float | None = 20.0
    tokens: int | None = None
    """Tokens of language models, in both directions."""
    money: float | None = None
    """US dollars."""
    calls: int | None = None
    """Requests to model endpoints."""
    steps: int | None = field(default=None, metadata={"sparse": True})
    """Actions; None leaves them to the workflow."""
    submissions: int = 1
    """Answers that may be put to the verifier: 3 on ``train`` and, by a model, on a person's own tasks, 1 elsewhere;
    the search hands in as many as the rows of a person's own task allow."""

    def minus_cost(self, cost: Cost) -> Limits:
        """What is left of them after that cost; no kind falls below zero."""
        bounds = {name: getattr(self, name) for name in vars(self) if name in vars(cost)}
        left = {name: max(0 * most, most - getattr(cost, name)) for name, most in bounds.items() if most is not None}
        return replace(self, **left)

    def capped_by(self, other: Limits) -> Limits:
        """The smaller of both, kind by kind; ``submissions`` and ``steps`` stay."""
        bounds: dict[str, Any] = {}
        for name in ("candidates", "seconds", "tokens", "money", "calls"):
            known = [bound for bound in (getattr(self, name), getattr(other, name)) if bound is not None]
            bounds[name] = min(known, default=None)
        return replace(self, **bounds)

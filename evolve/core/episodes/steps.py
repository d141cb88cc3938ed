"""Steps of an episode: an action, what came of it, how it was judged; questions to a person; values as text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evolve.core.episodes.actions import Action, OutlierRow
from evolve.core.episodes.plans import SPARSE, SubgoalCheck
from evolve.core.episodes.views import Json, Row
from evolve.core.reasons import Reason

QuestionKind = Literal["ask", "approve"]
Status = Literal["solved", "unverified", "refused", "unsolved", "budget", "fault", "interrupted", "waiting"]
"""How an episode stands: the verifier accepted an answer (``solved``, or ``unverified`` where nothing can check it), it
accepted none (``refused``), none was found (``unsolved``, or ``budget`` where a limit ended it), the environment failed
(``fault``); or it has not ended: a person stopped it (``interrupted``) or has to answer (``waiting``)."""


@dataclass(frozen=True, kw_only=True)
class EnvironmentState:
    """A node in the tree of states that the actions of an episode span.

    Attributes:
        snapshot: Digest of the state's difference to the start; "" is the start itself.
        parent: Number of the step whose state the action started from; 0 is the start.
        score: What the check gives for it, 0.0 to 1.0.
        start: What the check gave before anything was done, where that was asked.
        changed: Names of what the action changed; None where none ran, as when the state is handed in.
        protected: Those of them that count for nothing, because they decide.
        output: What the action gave, block by block, as a model is shown it: both ends where it is long.
        whole: Digest of all that it gave, in the snapshots, where ``output`` is not all.
        value: The value of its last expression.
        check: The end of what the check printed; None where it was not run.
        limit: The limit that ended the check, such as ``wall``, or "".
        undone: Another state was gone back to.
        over: Nothing can be done from it, as in a trial that is lost.
        left: Where it was gone back from: what was done, its score, and what came of it, in one line for prompts.
    """

    snapshot: str = ""
    parent: int = 0
    score: float = 0.0
    start: float | None = field(default=None, metadata=SPARSE)
    changed: tuple[str, ...] | None = field(default=None, metadata=SPARSE)
    protected: tuple[str, ...] = field(default=(), metadata=SPARSE)
    output: str = field(default="", metadata=SPARSE)
    whole: str = field(default="", metadata=SPARSE)
    value: Json = field(default=None, metadata=SPARSE)
    check: str | None = field(default=None, metadata=SPARSE)
    limit: str = field(default="", metadata=SPARSE)
    undone: bool = field(default=False, metadata=SPARSE)
    over: bool = field(default=False, metadata=SPARSE)
    left: str = field(default="", metadata=SPARSE)


CallState = Literal["answered", "failed", "refused", "doubtful"]
"""It gave a value; it said why not; it was never made; it may have been made, and nobody knows."""


@dataclass(frozen=True, kw_only=True)
class FunctionCall:
    """A call of a function that an action made.

    Attributes:
        function: The name, and in ``digest`` what stood behind it.
        source: Who offered it; "" for the person's own program.
        does: What a call may do, in words.
        arguments: JSON; both ends where it is long.
        value: Digest of the value, where it was answered.
        told: The value as JSON, or why there is none; both ends where it is long.
        seconds: Wall seconds outside.
    """

    function: str
    digest: str
    source: str
    does: str
    arguments: str
    state: CallState
    value: str = ""
    told: str = ""
    seconds: float = 0.0


_NAMED_FAULT = re.compile(r"the \w+ failed: ")


@dataclass(frozen=True, kw_only=True)
class Observation:
    """What came back from running an action in the sandbox on the visible inputs."""

    ok: bool
    """There is something to judge: examples reproduced, a visible check passed or, where there is neither, it ran."""
    outputs: tuple[Json, ...] = ()
    error: str = ""
    denied: str = ""
    """``kind:target`` of a sandbox denial, or ""; denials are never evidence."""
    fault: bool = False
    """True when the environment, not the answer, failed; never evidence."""
    text: str = ""
    """What an action that answers nothing brought back, such as what its code printed."""
    person: bool = field(default=False, metadata=SPARSE)
    """``text`` is the person's own word."""
    limit: str = field(default="", metadata=SPARSE)
    """The limit of the sandbox that ended the action, such as ``wall``, or ""."""
    interrupted: bool = field(default=False, metadata=SPARSE)
    """A person stopped the action, which says nothing of what it would have given."""
    readings: tuple[Json, ...] = field(default=(), metadata=SPARSE)
    """Values that different answers to one request gave, where a person has to choose."""
    unseen: tuple[str, ...] = field(default=(), metadata=SPARSE)
    """Names of what had the mark of a secret in the place of a value, and so was not taken over."""
    state: EnvironmentState | None = field(default=None, metadata=SPARSE)
    """Where the action left an environment that has states; None elsewhere, and where no action ran."""
    checks: tuple[SubgoalCheck, ...] = field(default=(), metadata=SPARSE)
    """What the checks of the plan's subgoals gave, as far as they ran; never evidence."""
    calls: tuple[FunctionCall, ...] = field(default=(), metadata=SPARSE)
    """The calls of functions that its code made, in their order."""

    @property
    def failure(self) -> str:
        """What failed, of a fault: the sandbox, where the environment does not name something else itself."""
        return self.error if _NAMED_FAULT.match(self.error) else f"the sandbox failed: {self.error or 'no result'}"


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The verifier's answer to one submission: one bit and what it rests on."""

    accepted: bool
    verified: bool = False
    """Accepted on at least three rows, or assertions, the policy never saw, by values that were compared outside the
    process of the answer. The only evidence for the gate."""
    rows: int = 0
    """How many unseen rows, or assertions, the bit rests on."""
    fault: bool = False
    """The sandbox failed; nothing is said about the answer."""
    judged: bool = False
    """The bit is a model's opinion."""
    measured: bool = False
    """It is the opinion of a judge that was measured and counts."""
    text: str = ""
    """What the bit rests on, in one sentence, where it is not rows."""
    checked: bool = False
    """Accepted because a command, or assertions in the answer's own process, said so; never evidence for the gate."""
    unchecked: bool = field(default=False, metadata=SPARSE)
    """Accepted because there was nothing to check it by."""
    row: Row | None = field(default=None, metadata=SPARSE)
    """A row that the refused answer failed, shown to policy and person; from here on it verifies nothing. Only in a
    person's own runs."""
    doubt: Reason | None = field(default=None, metadata=SPARSE)
    """Why an answer is not verified although it is right on enough rows that nobody was shown."""
    limit: str = field(default="", metadata=SPARSE)
    """The limit of the sandbox that ended the check that refused, such as ``wall``, or ""."""
    got: Json = field(default=None, metadata=SPARSE)
    """What the answer gave on ``row``; ``{"error": ...}`` where it failed."""
    final: bool = field(default=False, metadata=SPARSE)
    """No other answer can follow, as where a trial is over."""
    told: str = field(default="", metadata=SPARSE)
    """What the policy may know of a refusal beside ``row``; "" for no more than that."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One action cycle."""

    number: int
    action: Action
    observation: Observation | None = None
    judgement: Judgement | None = None


def shown_rows(steps: Sequence[Step]) -> tuple[Row, ...]:
    """The rows that were shown after refusals, in order."""
    rows = [step.judgement.row for step in steps if step.judgement is not None]
    return tuple(row for row in rows if row is not None)


def checked_state(steps: Sequence[Step], snapshot: str) -> EnvironmentState | None:
    """What the visible check gave when it was last run on a state; None where it was not run on it."""
    states = [step.observation.state for step in reversed(steps) if step.observation is not None]
    return next((one for one in states if one is not None and one.snapshot == snapshot and one.check is not None), None)


def passes_check(steps: Sequence[Step]) -> bool:
    """Whether the steps changed something, and left it so that the visible check is known to pass."""
    states = [step.observation.state for step in steps if step.observation is not None]
    last = next((one for one in reversed(states) if one is not None), None)
    known = checked_state(steps, last.snapshot) if last is not None and last.snapshot else None
    return known is not None and known.score == 1.0


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a person is asked in the middle of the work.

    Attributes:
        id: The same question always has the same one, after a crash too.
        kind: ``ask`` wants words; ``approve`` wants leave for something that cannot be taken back easily.
        text: The question, in the asker's words; those of a model for ``ask``.
        options: Answers to choose from; () where any words do. For ``approve`` the first one, ``yes``, gives
            leave, and any other words refuse and say why.
        detail: What it is about, such as the diff that would be applied.
    """

    id: str
    kind: QuestionKind
    text: str
    options: tuple[str, ...] = ()
    detail: str = ""


Respond = Callable[[Question], str | None]
"""Asks a person; None where nobody answers now, which leaves the work waiting."""


_LONGEST_VALUE = 200
"""Characters of a value that a sentence about it shows."""


def value_text(value: Json) -> str:
    """A value, or the error in its place."""
    if isinstance(value, dict) and set(value) == {"error"}:
        return f"the error {str(value['error'])[:_LONGEST_VALUE]}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def call_text(entry: str, row: Row | OutlierRow) -> str:
    """The call that a row is about."""
    return f"{entry}({', '.join(map(value_text, row.input))})"


def outlier_text(entry: str, misfit: OutlierRow) -> str:
    """A row that a function does not reproduce."""
    says, gives = value_text(misfit.given), value_text(misfit.expected)
    return f"for {call_text(entry, misfit)} it says {says}, the function gives {gives}"

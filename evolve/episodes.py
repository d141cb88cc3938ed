"""The values an episode is made of, from what the policy sees to what is committed.

Everything here is plain data: frozen, keyword-only, JSON-serialisable through
:func:`dataclasses.asdict`. Layers exchange these and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Json = Any
"""A JSON value: None, bool, int, float, str, list of Json, dict of str to Json."""

ActionKind = Literal["code", "ask_user", "recall", "finish"]
Relation = Literal["necessary", "sufficient", "contributes", "no_effect", "prevents"]
EvidenceKind = Literal["observation", "contrast", "intervention"]
QuestionKind = Literal["ask", "approve"]
PREFERENCE = "preference"
"""Kind of a recalled item that is an instruction of the person: it is neither cut off nor withheld."""
SCREEN = "screen"
"""Split of trials that measure a variant on ``train`` tasks."""
PROBE = "probe"
"""Split of pairs on ``train`` tasks that test one insight; only how a pair came out is evidence."""
HELD_OUT = frozenset({"gate", "test", SCREEN})
"""Splits whose episodes leave no evidence and no use of a skill."""
Status = Literal["solved", "unverified", "refused", "unsolved", "budget", "fault", "interrupted", "waiting"]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One example: positional arguments and the expected result."""

    input: tuple[Json, ...]
    output: Json


@dataclass(frozen=True, kw_only=True)
class Turn:
    """An earlier turn of the conversation that a task belongs to: what the person said, and what came of it."""

    said: str
    outcome: str = ""


@dataclass(frozen=True, kw_only=True)
class TaskView:
    """What a policy may see of a task: never a verify or hidden row."""

    id: str
    family: str
    instruction: str
    signature: str
    """Such as ``(xs: list[int], n: int) -> list[int]``; inferred where the task gives none."""
    examples: tuple[Row, ...]
    entry: str = "solve"
    """Name of the function the answer must define."""
    environment: str = "programs"
    """``programs`` to write a function, ``files`` to work in a folder."""
    check: str = ""
    """The command that tells whether work in a folder is done; the policy may run it."""
    files: tuple[str, ...] = ()
    """Names of the files in the folder at the start."""
    earlier: tuple[Turn, ...] = ()
    """Earlier turns of the same conversation, oldest first; what "the same" and "the other" refer to."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What something cost. Sums with ``+``; every field counts from zero."""

    candidates: int = 0
    """Expressions whose values on all search examples were computed."""
    seconds: float = 0.0
    """CPU seconds of the policy."""
    tokens: int = 0
    money: float = 0.0
    calls: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            candidates=self.candidates + other.candidates,
            seconds=self.seconds + other.seconds,
            tokens=self.tokens + other.tokens,
            money=self.money + other.money,
            calls=self.calls + other.calls,
        )


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
    submissions: int = 1
    """Answers that may be put to the verifier: 3 on ``train``, 1 elsewhere."""


TRIAL = "trial"
"""Kind of what is recalled to be tried, with it and without it, and not to act on."""

FACT = "fact:"
"""How the cause of an insight begins that claims that knowing a fact helps: telling it or not is the intervention. Its
words come from a model; every other claim is composed of operations and kinds of values, and can say nothing else."""


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """One remembered item offered to an episode.

    Attributes:
        id: The item's id in the record; logged as consumed.
        kind: ``insight``, ``note`` or ``preference``.
        text: One sentence a person can read.
        score: Relevance, higher is better, comparable within one answer only.
        scores: The parts of ``score`` by source (``vector``, ``lexical``, ``evidence``).
        why: Why it was recalled, in one sentence.
        data: The claim behind an insight (``cause``, ``relation``, ``effect``, ``direction``), the author of a note,
            and of both the ``provenance``: who made it, where, and what speaks for it.
    """

    id: str
    kind: str
    text: str
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    why: str = ""
    data: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Subgoal:
    """A node of the plan's DAG."""

    id: str
    goal: str
    postcondition: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What the policy intends, as a DAG of subgoals plus its own working data."""

    goal: str
    subgoals: tuple[Subgoal, ...] = ()
    data: Mapping[str, Json] = field(default_factory=dict)
    """Policy-private JSON (search: priced vocabulary)."""


@dataclass(frozen=True, kw_only=True)
class Action:
    """One thing the policy does.

    Attributes:
        kind: ``code`` answers with source that defines ``entry``, or acts in the folder; ``finish`` gives up, or
            hands in the folder as it is.
        code: Python source, standard library only.
        text: One sentence for the live view.
        data: Policy-private JSON (search: ``tree``, the answer's term; ``alternatives``).
        cost: What producing the action cost.
        consumed: Ids of insights and skills the action depended on.
    """

    kind: ActionKind
    code: str = ""
    text: str = ""
    data: Mapping[str, Json] = field(default_factory=dict)
    cost: Cost = field(default_factory=Cost)
    consumed: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Observation:
    """What came back from running an action in the sandbox on the visible inputs."""

    ok: bool
    """Every visible example was reproduced."""
    outputs: tuple[Json, ...] = ()
    error: str = ""
    denied: str = ""
    """``kind:target`` of a sandbox denial, or ""; denials are never evidence."""
    fault: bool = False
    """True when the environment, not the answer, failed; never evidence."""
    text: str = ""
    """What an action that answers nothing brought back, such as what its code printed."""
    data: Mapping[str, Json] = field(default_factory=dict)
    """What the environment tells besides. ``files``: ``changed`` and ``protected`` names, ``value``, ``output``,
    ``check`` (the end of what the check printed), ``score``, ``snapshot``, ``parent``."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The verifier's answer to one submission: one bit and what it rests on."""

    accepted: bool
    verified: bool
    """Accepted on at least three rows, or assertions, the policy never saw, by values that were compared outside the
    process of the answer. The only evidence for the gate."""
    rows: int
    """How many unseen rows the bit rests on."""
    fault: bool = False
    judged: bool = False
    """The bit is a model's opinion."""
    measured: bool = False
    """It is the opinion of a judge that was measured and counts."""
    text: str = ""
    """What the bit rests on, in one sentence, where it is not rows."""
    checked: bool = False
    """Accepted because a command, or assertions in the answer's own process, said so; never evidence for the gate."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One action cycle."""

    number: int
    action: Action
    observation: Observation | None = None
    judgement: Judgement | None = None


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


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Where a claim is meant to hold.

    Attributes:
        environment: ``programs`` or ``files``.
        family: The kind of task (search: type signature such as ``list[int] -> int``).
        preconditions: Sorted observable facts (search: ``rearranges the input``).
    """

    environment: str
    family: str
    preconditions: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Which task asks for what was learned; a claim in a model's words acts by where it came from.

    Attributes:
        family: The kind of task; of work in a folder it names the folder.
        task: The task's id.
    """

    environment: str
    family: str
    task: str


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One observed bearing on a claim.

    Attributes:
        task: Id of the task; ``group`` identifies the problem for independence counts.
        kind: ``intervention`` re-ran with the cause changed and all else fixed.
        direction: +1 agrees with the claim, -1 disagrees.
        features: The task's observable feature vector, the guide's input.
        detail: One sentence: what was changed and what happened.
    """

    task: str
    group: str
    kind: EvidenceKind
    direction: Literal[1, -1]
    features: tuple[float, ...] = ()
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A causal claim as data: cause - relation - effect, in scope, with new evidence."""

    cause: str
    """Machine-readable cause, such as ``operation:sort`` or ``skill:<digest>``."""
    relation: Relation
    effect: str
    scope: Scope
    evidence: tuple[Evidence, ...]
    text: str


@dataclass(frozen=True, kw_only=True)
class SkillDraft:
    """A proposed skill, before admission.

    Attributes:
        name: kebab-case, unique in a workspace after admission.
        entry: The Python function's name in ``code``.
        signature: Signature grammar of tasks.
        tests: Visible rows that become the skill's own tests.
        tree: The term as JSON, or None for skills without one.
        source: Task id and episode the draft came from.
        arguments: For a part of an answer: per input of the part, the tree with which the answer computes
            it from the task's inputs. Empty for a whole answer.
        within: For a part: the tree of the answer it stands in.
    """

    name: str
    description: str
    entry: str
    signature: str
    code: str
    tests: tuple[Row, ...]
    tree: Json = None
    source: str = ""
    arguments: tuple[Json, ...] = ()
    within: Json = None


@dataclass(frozen=True, kw_only=True)
class EpisodeRecord:
    """All that one episode leaves behind; what ``commit`` writes in one transaction."""

    episode: str
    run: str
    task: str
    suite: str
    group: str
    split: str
    variant: str
    """Digest of the variant, or ``unlearned``; ``replay:`` and a digest where one stage was asked again."""
    seed: int
    status: Status
    verified: bool
    answer: str
    """Python source of the last submission, or ""."""
    steps: tuple[Step, ...]
    cost: Cost
    recalled: tuple[str, ...] = ()
    consumed: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    drafts: tuple[SkillDraft, ...] = ()
    note: str = ""
    """Why it ended as it did, in one sentence."""
    checked: bool = False
    """A command, or assertions in the answer's own process, accepted the answer, and nothing verified it."""

    @property
    def solved(self) -> bool:
        """Inside the system, solved means accepted by the verifier."""
        return self.status == "solved"

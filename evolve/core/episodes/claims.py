"""What an episode learned: causal claims with their evidence, drafts of skills, and what it suggests to remember."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from evolve.core.episodes.plans import SPARSE
from evolve.core.episodes.views import Json, Row

Relation = Literal["necessary", "sufficient", "contributes", "no_effect", "prevents"]
EvidenceKind = Literal["observation", "contrast", "intervention"]


BUILT_IN = "built-in"
"""Source of tasks that ship: their families are not named by whoever wrote a file."""


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Where a claim is meant to hold.

    Attributes:
        environment: Name of the kind of environment, such as ``programs``.
        family: The kind of task (search: type signature such as ``list[int] -> int``).
        preconditions: Sorted observable facts (search: ``rearranges the input``).
    """

    environment: str
    family: str
    preconditions: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RunOrigin:
    """Where what was learned is asked for; a claim in a model's words acts by where it came from.

    Attributes:
        family: The kind of task; of work in a folder it names the folder.
        policy: Who asks: what only other policies found is no more than worth a trial. None reads all evidence as one.
        fingerprint: What its code runs in, as :attr:`evolve.core.episodes.EpisodeRecord.fingerprint` says.
        place: See :attr:`evolve.core.episodes.TaskView.place`; what replays showed of moves is asked for by it alone.
        goal: What is to be reached there.
    """

    environment: str
    family: str
    policy: str | None = None
    fingerprint: str = ""
    place: str = ""
    goal: str = ""


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

    @property
    def is_denied(self) -> bool:
        """Whether all that was seen speaks against it, so that its words are not what was learned."""
        return bool(self.evidence) and all(one.direction < 0 for one in self.evidence)


@dataclass(frozen=True, kw_only=True)
class Rehearsal:
    """A procedure done again on a folder as it was before a task was solved there, and what came of it.

    Attributes:
        task: Id of the task, whose check failed on that folder.
        group: The problem that it is.
        arguments: What it was called with.
        base: Digest of the folder's content before.
        change: Digest of what it changed; "" for nothing.
        held: The check that decides accepts what it leaves, and it changes the files that the accepted answer changed.
        told: Why it did not hold, in one sentence.
    """

    task: str
    group: str
    arguments: tuple[Json, ...]
    base: str
    change: str
    held: bool
    told: str = ""


@dataclass(frozen=True, kw_only=True)
class EarlierCall:
    """With what a procedure would have to be called to do what was asked for in another run, by the words of its task.

    Attributes:
        run: The run; whoever says this was not shown its folder and its change.
    """

    run: str
    arguments: tuple[Json, ...]


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
        environment: For a procedure: the kind of environment that it works in; "" for a function of its arguments.
        rehearsals: For a procedure: what came of it, first where it was proposed.
        earlier: For a procedure: calls on which it can be tried besides.
        unseen: For a function that code of an episode used: calls of its last steps, kept back from ``tests``.
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
    environment: str = field(default="", metadata=SPARSE)
    rehearsals: tuple[Rehearsal, ...] = field(default=(), metadata=SPARSE)
    earlier: tuple[EarlierCall, ...] = field(default=(), metadata=SPARSE)
    unseen: tuple[Row, ...] = field(default=(), metadata=SPARSE)


SuggestionKind = Literal["tests", "place", "rule", "repeated", "mistake", "procedure"]
"""How tests are run, where things are, how the person wants work done, what they asked for in more than one message,
what went wrong and why, steps that worked."""
SuggestionSource = Literal["person", "run", "output", "file"]
"""Whose words it rests on: the person's, what the run did, what programs, files and pages gave, a file to learn of."""
DropReason = Literal[
    "", "quote", "known", "once", "secret", "person", "beyond", "place", "failed", "order", "unfit", "ground"
]
"""Why a suggestion is not offered: nobody wrote its quotation; it is no news; it is about that run alone; it holds a
secret; no words of the person say so; it says more than its quotation or against it; no file of the folder is what it
names; what it tells did not pass the check, or the person did not want it; a text that is not the person's demands it;
it demands something or holds code or an address. ``ground`` is what earlier versions said of the last six."""


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """Something that may be worth remembering; nobody is told of it until the person keeps it.

    Attributes:
        text: One plain sentence.
        quote: What it rests on, word for word.
        source: Whose words these are.
        dropped: Why it is not to be offered; "" where it is.
    """

    kind: SuggestionKind
    text: str
    quote: str
    source: SuggestionSource
    dropped: DropReason = field(default="", metadata={"sparse": True})

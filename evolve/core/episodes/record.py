"""All that an episode leaves behind, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evolve.core.episodes.claims import Claim, SkillDraft
from evolve.core.episodes.plans import SPARSE
from evolve.core.episodes.steps import Status, Step
from evolve.core.episodes.views import Cost


@dataclass(frozen=True, kw_only=True)
class LateAnswer:
    """A right answer that was found while learning from an episode that had none.

    Attributes:
        step: The action that gave it, what was observed, and how it was judged.
        answer: As :attr:`EpisodeRecord.answer`.
    """

    step: Step
    answer: str

    @property
    def kind(self) -> str:
        """What it rests on: ``verified``, ``checked`` or ``unverified``."""
        judged = self.step.judgement
        if judged is None or not (judged.verified or judged.checked):
            return "unverified"
        return "verified" if judged.verified else "checked"

    def to_json(self) -> Mapping[str, str]:
        """What a person wants to know of it, for JSON."""
        return {"answer": self.answer, "kind": self.kind}


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
    verified: bool = False
    answer: str = ""
    """The last submission as text: Python source, or what was changed in a folder; "" without any."""
    steps: tuple[Step, ...] = ()
    cost: Cost = field(default_factory=Cost)
    recalled: tuple[str, ...] = ()
    consumed: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    drafts: tuple[SkillDraft, ...] = ()
    note: str = ""
    """Why it ended as it did, in one sentence."""
    checked: bool = False
    """A command, or assertions in the answer's own process, accepted the answer, and nothing verified it."""
    found: LateAnswer | None = field(default=None, metadata=SPARSE)
    """What learning found, once the outcome was on record: status, answer and steps stay what they were."""
    withheld: tuple[str, ...] = field(default=(), metadata=SPARSE)
    """Ids of what was recalled and left out by chance, so that its use can be measured."""
    policy: str = field(default="", metadata=SPARSE)
    """Name of the policy that acted: ``search``, or ``language:`` and its models; "" where nobody noted it."""
    fingerprint: str = field(default="", metadata=SPARSE)
    """What its code ran in: the sandbox's backend and the version of Python; "" where nobody noted it."""

    @property
    def solved(self) -> bool:
        """Inside the system, solved means accepted by the verifier."""
        return self.status == "solved"

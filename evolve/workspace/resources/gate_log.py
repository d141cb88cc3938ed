"""``ws.gate``: what was judged and how it came out, to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolve.core.errors import UsageError
from evolve.workspace.resources.base import Resource

if TYPE_CHECKING:
    from evolve.trials.gate import GateDecision, OpenJudgement, PrequentialPair, Proof
    from evolve.trials.repositories import Repositories

BET = "bet"
"""Under this name a run of a person's own notes at its beginning that its task is to count, and for which policy."""


@dataclass(frozen=True, kw_only=True)
class NextLevel:
    """At what level the next proposal on a suite is tested.

    Attributes:
        suite: Digest of the suite.
        proposal: Its number on that suite.
        level: The share of the error budget that it is tested at.
    """

    suite: str
    proposal: int
    level: float


@dataclass(frozen=True, kw_only=True)
class GateVerdicts:
    """What the gate has said.

    Attributes:
        decisions: Every verdict, oldest first.
        begun: Judgements that were broken off; their level counts as lost until they end.
        following: For each suite what comes next.
    """

    decisions: tuple[GateDecision, ...]
    begun: tuple[OpenJudgement, ...]
    following: tuple[NextLevel, ...]


class GateLog(Resource):
    """The verdicts of a workspace's gate; nothing here changes one."""

    def __init__(self, stores: Repositories) -> None:
        self._stores = stores
        self._decisions = stores.decisions

    def list(self) -> GateVerdicts:
        """Every verdict, what was broken off, and at what level the next proposal is tested."""
        decisions, begun = self._decisions.list_verdicts(), self._decisions.open_judgements()
        suites = dict.fromkeys([*(entry.suite for entry in decisions), *(entry.suite for entry in begun)])
        levels = ((suite, *self._decisions.next_level(suite)) for suite in suites)
        following = (NextLevel(suite=suite, proposal=number, level=level) for suite, number, level in levels)
        return GateVerdicts(decisions=tuple(decisions), begun=tuple(begun), following=tuple(following))

    def show(self, decision: int) -> GateDecision:
        """One verdict with everything it rests on.

        Raises:
            UsageError: There is none of that id.
        """
        verdict = next((verdict for verdict in self._decisions.list_verdicts() if verdict.id == decision), None)
        if verdict is None:
            raise UsageError(f"there is no verdict {decision}", hint="evolve lab gate list")
        return verdict

    def looks(self, suite: str) -> int:
        """How often the test tasks of a suite, by its digest, have been opened."""
        return len(self._decisions.looks(suite))

    def proof(self, policy: str = "search") -> Proof:
        """What the person's own tasks say so far: whether what was learned from earlier ones helped on later ones.

        Args:
            policy: Name of the policy that solved them, such as ``language:gpt-5-mini``.
        """
        return self._decisions.proof(policy, missing=self._bets().get(policy, set()))

    def proofs(self) -> Mapping[str, Proof]:
        """The same for every policy of which there is anything to say, the embedded search first."""
        from evolve.trials.gate import SEARCH

        judged = {pair.policy for pair in self._decisions.own_pairs()}
        names = sorted(judged | set(self._bets()), key=lambda name: (name != SEARCH, name))
        proofs = {name: self.proof(name) for name in names}
        return {name: proof for name, proof in proofs.items() if not proof.is_empty}

    def _bets(self) -> dict[str, set[str]]:
        """The groups that were to count, by policy."""
        found: dict[str, set[str]] = {}
        for run in self._stores.runs.list_runs():
            bet = run.body.get(BET)
            if bet:
                found.setdefault(bet["policy"], set()).add(bet["group"])
        return found

    def own(self) -> tuple[PrequentialPair, ...]:
        """The person's own tasks, each judged before it was learned from, in the order in which they came."""
        return tuple(self._decisions.own_pairs())

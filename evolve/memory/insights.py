"""Insights: causal claims resolved from their evidence by fixed rules.

An insight is everything known under one key (cause, effect, scope). Claims of different
relations may meet under one key; which relation holds, and how firmly, is computed from
the evidence rows alone. Nothing here depends on the order in which evidence arrived, so
status is never stored and cannot drift from its grounds.

The rules:

- Relations fall in three camps that exclude each other: the cause promotes the effect
  (``necessary``, ``sufficient``, ``contributes``), has ``no_effect``, or ``prevents`` it.
- theta is the probability that an intervention agrees with a camp, under Beta(1, 1); for the
  posterior an intervention that agrees with a rival camp disagrees with this one.
- A camp is admitted, on its own evidence, when interventions agree more often than they
  disagree, or, as long as there are none, when agreeing episodes of two groups outnumber the others.
  A claim in a model's words (its cause begins with :data:`evolve.core.episodes.FACT`) needs agreeing interventions
  in two groups, as whatever made the model say it on one task may be in that task, and P(theta > 1/2) >= 0.85.
- It is confirmed when admitted, with agreeing interventions in at least two groups and
  P(theta > 1/2) >= 0.95. It is refuted by the mirror image on its own evidence.
- One admitted camp is the insight's. When several are admitted the one with
  P(theta > 1/2) >= 0.95 wins and the others stay on view as ``superseded``; when none reaches
  it, or rivals outweigh the only one, the key is ``contested`` and influences nothing.
- Of an operation of the search :func:`judge_need` has the last word, once the search did without it somewhere: by the
  bounds of :mod:`evolve.memory.necessity`, since few problems of a scope need any one operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from evolve.core.episodes import FACT, EvidenceKind, Relation, Scope
from evolve.core.files import canonical_json, digest
from evolve.memory.necessity import STRENGTH, CauseNecessity, beta_below

InsightStatus = Literal["hypothesis", "supported", "confirmed", "contested", "refuted", "superseded", "expired"]
Camp = Literal["promotes", "no_effect", "prevents"]

INFLUENTIAL: frozenset[InsightStatus] = frozenset({"supported", "confirmed"})
"""Statuses that may influence a run."""

FIRM = 0.95
"""Posterior probability from which a direction counts as settled."""

LIKELY = 0.85
"""The same from which a claim in words may act. Where a tenth of all runs goes wrong and nobody notices, every fifth or
sixth pair of trials differs by chance, and one more that agrees than disagrees would be a coin's word."""

# Order matters where evidence is equal: the more specific relation is named first.
_CAMPS: Mapping[Relation, Camp] = {
    "necessary": "promotes",
    "sufficient": "promotes",
    "contributes": "promotes",
    "no_effect": "no_effect",
    "prevents": "prevents",
}
_RELATIONS: tuple[Relation, ...] = tuple(_CAMPS)


def relation_camp(relation: Relation) -> Camp:
    """Which of the three exclusive camps a relation belongs to."""
    return _CAMPS[relation]


def insight_id(cause: str, effect: str, scope: Scope) -> str:
    """The id of a key: a digest of cause, effect and scope (preconditions as a set)."""
    key = [cause, effect, scope.environment, scope.family, sorted(set(scope.preconditions))]
    # 128 bits: enough that no two keys ever meet.
    return digest(canonical_json(key))[:32]


@dataclass(frozen=True, kw_only=True)
class EvidenceRow:
    """One committed piece of evidence.

    Attributes:
        id: Digest of (episode, step, stage, kind) and the claim; the same evidence
            committed twice has the same id.
        episode: The episode that committed it, which need not have run ``task``.
        direction: +1 agrees with ``relation``, -1 disagrees.
        features: Observable features of ``task``; () where the policy has none.
        at: Seconds since the epoch.
        seq: Place in the record, rising.
        policy, fingerprint: Who acted when it was made, and what code ran in, as in
            :class:`evolve.core.episodes.EpisodeRecord`.
    """

    id: str
    insight: str
    relation: Relation
    episode: str
    task: str
    group: str
    kind: EvidenceKind
    direction: int
    features: tuple[float, ...] = ()
    detail: str = ""
    at: float = 0.0
    seq: int = 0
    policy: str = ""
    fingerprint: str = ""


@dataclass(frozen=True, kw_only=True)
class Posterior:
    """Beta(a + agree, b + disagree) over the probability that an intervention agrees.

    Attributes:
        a, b: The prior: flat, or what other policies saw (:func:`resolve`).
    """

    agree: int = 0
    disagree: int = 0
    a: float = 1.0
    b: float = 1.0

    @property
    def mean(self) -> float:
        """Posterior mean in (0, 1); that of the prior without interventions."""
        return (self.a + self.agree) / (self.a + self.b + self.agree + self.disagree)

    @property
    def sign_probability(self) -> float:
        """P(theta > 1/2), exactly for a flat prior: the probability of at most ``agree`` heads in n + 1 fair tosses."""
        if (self.a, self.b) != (1.0, 1.0):
            return 1.0 - beta_below(0.5, self.a + self.agree, self.b + self.disagree)
        # The identity of the Beta distribution with whole parameters and the binomial one.
        tosses = self.agree + self.disagree + 1
        coefficient, total = 1, 0
        for heads in range(self.agree + 1):
            total += coefficient
            # Whole numbers throughout: a sum of floats could fall on either side of the bound.
            coefficient = coefficient * (tosses - heads) // (heads + 1)
        return float(total / 2**tosses)


@dataclass(frozen=True, kw_only=True)
class ClaimStatus:
    """How one camp stands under its key.

    Attributes:
        relation: The camp's best-backed relation.
        tasks, groups, episodes: Distinct ones among agreeing evidence.
        observations: Agreeing evidence that is not an intervention.
    """

    camp: Camp
    relation: Relation
    status: InsightStatus
    posterior: Posterior
    tasks: int
    groups: int
    episodes: int
    observations: int


@dataclass(frozen=True, kw_only=True)
class Insight:
    """A causal claim with its resolved status.

    Attributes:
        text: One sentence a person can read.
        standings: Every camp with evidence, the leading one first; losers stay here.
        evidence: Number of evidence rows under the key.
        others: Where it was read for one policy, the other ones that left evidence; all of theirs is its prior alone.
    """

    id: str
    cause: str
    relation: Relation
    effect: str
    scope: Scope
    status: InsightStatus
    posterior: Posterior
    tasks: int
    groups: int
    evidence: int
    text: str
    standings: tuple[ClaimStatus, ...]
    others: tuple[str, ...] = ()

    @property
    def may_influence(self) -> bool:
        """Whether it may be recalled into an episode or train a guide."""
        return self.status in INFLUENTIAL

    def direction_of(self, row: EvidenceRow) -> int:
        """+1 where a piece of evidence speaks for the claim, -1 against it, 0 where it leaves that open.

        Rows under one key say each what they were made to say: that a move is needed speaks against its being spare.
        """
        if relation_camp(row.relation) == relation_camp(self.relation):
            return row.direction
        return -1 if row.direction > 0 else 0

    @cached_property
    def credence(self) -> float:
        """Posterior mean in (0, 1). What the search claims is observed more often than tried, so observations count."""
        if self.cause.startswith(FACT):
            return self.posterior.mean
        return replace(self.posterior, agree=self.posterior.agree + self.standings[0].observations).mean


@dataclass(frozen=True, kw_only=True)
class ClaimKey:
    """What identifies an insight, with its sentences by relation."""

    id: str
    cause: str
    effect: str
    scope: Scope
    texts: Mapping[Relation, str]


def resolve(
    key: ClaimKey, rows: Iterable[EvidenceRow], *, expired: bool = False, others: Iterable[EvidenceRow] = ()
) -> Insight:
    """Computes the insight from its evidence.

    Rows are taken as a set by id, so order and repetition change nothing.

    Args:
        expired: The insight was set aside and nothing has been learned of it since.
        others: Evidence that other policies made. It admits and confirms nothing here: what helps one model may do
            nothing for the next. Each camp's prior has its mean and the weight of
            :data:`evolve.memory.necessity.STRENGTH` interventions, so that own ones have the last word, and fewer of
            them settle what was to be expected.
    """
    unique, theirs = _unique(rows), _unique(others)
    relations = {row.relation for row in (*unique, *theirs)} or set(key.texts) or {_RELATIONS[0]}
    camps = sorted({relation_camp(relation) for relation in relations})
    standings = [_standing(camp, unique, theirs, worded=key.cause.startswith(FACT)) for camp in camps]
    ranked = sorted(standings, key=_rank, reverse=True)
    status, settled = _settle(ranked)
    if expired:
        status, settled = "expired", tuple(ranked)
    lead = settled[0]
    return Insight(
        id=key.id,
        cause=key.cause,
        relation=lead.relation,
        effect=key.effect,
        scope=key.scope,
        status=status,
        posterior=lead.posterior,
        tasks=lead.tasks,
        groups=lead.groups,
        evidence=len(unique),
        text=key.texts.get(lead.relation) or f"{key.cause} {lead.relation} {key.effect}",
        standings=settled,
        others=tuple(sorted({row.policy for row in theirs})),
    )


def judge_need(insight: Insight, need: CauseNecessity) -> Insight:
    """The insight as the share of problems that need its cause says; the same where its cause was tried nowhere.

    Confirmed is what the bounds settle with two groups behind it. Where they settle nothing, an operation that was
    missed in some problems and not in most is no refuted one.
    """
    known = need.known
    relation = need.relation
    if relation is None:
        refuted = insight.status == "refuted" and bool(known.mattered)
        status: InsightStatus = "supported" if len(known.mattered) > 1 else "hypothesis"
        # That some problem needs it, or that it stands in an answer, is no more than that.
        few = relation_camp(insight.relation) == "promotes" and insight.status != "refuted"
        return replace(
            insight,
            relation="contributes" if refuted or few else insight.relation,
            status=status if refuted else insight.status,
        )
    behind = {"no_effect": known.tried, "prevents": known.hindered}.get(relation, known.mattered)
    return replace(insight, relation=relation, status="confirmed" if len(behind) > 1 else "supported")


def _settle(ranked: Sequence[ClaimStatus]) -> tuple[InsightStatus, tuple[ClaimStatus, ...]]:
    """Decides between the camps under one key, by the last of the rules above."""
    lead, rivals = ranked[0], ranked[1:]
    admitted = [standing for standing in ranked if standing.status in INFLUENTIAL]
    if not admitted:
        return lead.status, tuple(ranked)
    unsettled = len(admitted) > 1 and lead.posterior.sign_probability < FIRM
    if unsettled or lead.posterior.mean < 0.5:
        return "contested", tuple(
            replace(standing, status="contested") if standing in admitted else standing for standing in ranked
        )
    return lead.status, (lead, *(replace(standing, status="superseded") for standing in rivals))


def _rank(standing: ClaimStatus) -> tuple[bool, float, int, int, int]:
    """Sorts camps by how well they are backed; the order of relations makes it total."""
    return (
        standing.status in INFLUENTIAL,
        standing.posterior.sign_probability,
        standing.groups,
        standing.observations,
        -_RELATIONS.index(standing.relation),
    )


def _unique(rows: Iterable[EvidenceRow]) -> list[EvidenceRow]:
    return sorted({row.id: row for row in rows}.values(), key=lambda row: row.id)


def _standing(
    camp: Camp, rows: Sequence[EvidenceRow], others: Sequence[EvidenceRow] = (), *, worded: bool
) -> ClaimStatus:
    own = [row for row in rows if relation_camp(row.relation) == camp]
    agreeing = [row for row in own if row.direction > 0]
    against = [row for row in own if row.direction < 0]
    # Who finds that it prevents the effect also finds that it does not promote it.
    rivals = [row for row in rows if relation_camp(row.relation) != camp and row.direction > 0]
    expected = _standing(camp, others, worded=worded) if others else None
    mean = 0.5 if expected is None else expected.posterior.mean
    posterior = Posterior(
        agree=_interventions(agreeing),
        disagree=_interventions([*against, *rivals]),
        a=STRENGTH * mean,
        b=STRENGTH * (1.0 - mean),
    )
    return ClaimStatus(
        camp=camp,
        relation=expected.relation if expected is not None and not own else _best_relation(camp, agreeing or own),
        status=_camp_status(agreeing, against, posterior, worded=worded),
        posterior=posterior,
        tasks=len({row.task for row in agreeing}),
        groups=len({row.group for row in agreeing}),
        episodes=len({row.episode for row in agreeing}),
        observations=len(agreeing) - posterior.agree,
    )


def _camp_status(
    agreeing: Sequence[EvidenceRow], against: Sequence[EvidenceRow], posterior: Posterior, *, worded: bool
) -> InsightStatus:
    own = Posterior(agree=_interventions(agreeing), disagree=_interventions(against))
    fewest, surely = (2, LIKELY) if worded else (1, 0.5)
    if own.sign_probability > surely and _intervention_groups(agreeing) >= fewest:
        # Two groups, as one problem in disguise would otherwise confirm itself.
        confirmed = posterior.sign_probability >= FIRM and _intervention_groups(agreeing) >= 2
        return "confirmed" if confirmed else "supported"
    if 1 - own.sign_probability >= FIRM and _intervention_groups(against) >= 2:
        return "refuted"
    if own.agree + own.disagree == 0 and _outnumber(agreeing, against):
        return "supported"
    return "hypothesis"


def _outnumber(agreeing: Sequence[EvidenceRow], against: Sequence[EvidenceRow]) -> bool:
    """Whether episodes of two groups agree, and more episodes than disagree."""
    episodes = {row.episode for row in agreeing}
    groups = {row.group for row in agreeing}
    return min(len(episodes), len(groups)) >= 2 and len(episodes) > len({row.episode for row in against})


def _best_relation(camp: Camp, rows: Sequence[EvidenceRow]) -> Relation:
    candidates = [relation for relation in _RELATIONS if _CAMPS[relation] == camp]

    def backing(relation: Relation) -> tuple[int, int]:
        own = [row for row in rows if row.relation == relation]
        return _interventions(own), len(own)

    return max(candidates, key=backing)


def _interventions(rows: Iterable[EvidenceRow]) -> int:
    return sum(row.kind == "intervention" for row in rows)


def _intervention_groups(rows: Iterable[EvidenceRow]) -> int:
    return len({row.group for row in rows if row.kind == "intervention"})

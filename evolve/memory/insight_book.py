"""All evidence in memory, and what follows from it: resolved insights and rows to learn from.

A book is plain data. It can be copied to another process, and two books with the same evidence
say the same, whatever the order in which it came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from evolve.core.episodes import BUILT_IN, FACT, MOVE, RunOrigin
from evolve.memory.insights import ClaimKey, EvidenceRow, Insight, InsightStatus, judge_need, relation_camp, resolve
from evolve.memory.necessity import CauseNecessity, need_of
from evolve.memory.occurrences import Occurrences

_WITHOUT_INFLUENCE: frozenset[InsightStatus] = frozenset({"contested", "refuted", "superseded", "expired"})


@dataclass(frozen=True, kw_only=True)
class EpisodeEntry:
    """One episode that left evidence: what it is found by.

    Attributes:
        features: Observable features of its task; () where the policy has none.
        seq: Place in the record, rising.
        source: Where its task came from; "" where nobody knows.
    """

    episode: str
    task: str
    group: str
    environment: str
    family: str
    instruction: str
    features: tuple[float, ...] = ()
    seq: int = 0
    source: str = ""

    @property
    def key(self) -> str:
        """The id by which an index knows it."""
        return self.episode

    @property
    def retrieval_keys(self) -> tuple[tuple[float, ...], str]:
        """What it is found by."""
        return self.features, self.instruction

    @property
    def tags(self) -> dict[str, str]:
        """What queries may be restricted to."""
        return {"environment": self.environment, "family": self.family}


@dataclass(frozen=True, kw_only=True)
class ExperienceRow:
    """One row to fit a guide on.

    Attributes:
        direction: +1 the cause promoted the effect on this task, -1 it did not.
        weight: How sure the insight is, its posterior mean in (0, 1).
    """

    features: tuple[float, ...]
    cause: str
    direction: int
    group: str
    task: str
    insight_id: str
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class RetiredClaim:
    """A claim in words that moved nothing.

    Attributes:
        through: The last ``seq`` of evidence before that; a later trial that agrees brings the claim back.
        reason: How tasks came out with it and without.
    """

    through: int
    reason: str = ""


@dataclass(kw_only=True)
class InsightBook:
    """Evidence by insight and by episode, resolved on demand.

    Attributes:
        keys: What each insight is about.
        entries: Episodes with evidence.
        expired: For insights that were set aside, the last ``seq`` that no longer counts.
        retired: Claims in words that moved nothing, by insight and policy.
    """

    keys: dict[str, ClaimKey] = field(default_factory=dict)
    entries: dict[str, EpisodeEntry] = field(default_factory=dict)
    expired: dict[str, int] = field(default_factory=dict)
    retired: dict[tuple[str, str], RetiredClaim] = field(default_factory=dict)
    _rows: dict[str, dict[str, EvidenceRow]] = field(default_factory=dict)
    _by_episode: dict[str, dict[str, list[EvidenceRow]]] = field(default_factory=dict)
    _resolved: dict[str, Insight] = field(default_factory=dict)
    _direction_cache: dict[str, Mapping[str, float]] = field(default_factory=dict)
    _judged: dict[str, Insight] = field(default_factory=dict)
    _policies: dict[str, set[str]] = field(default_factory=dict)
    _occurrences: Occurrences = field(default_factory=Occurrences)

    def __post_init__(self) -> None:
        for insight, through in self.expired.items():
            self._occurrences.expire(insight, through)

    def add_key(self, key: ClaimKey) -> None:
        """Learns what an insight is about; sentences for further relations are merged in."""
        earlier = self.keys.get(key.id)
        self.keys[key.id] = key if earlier is None else replace(earlier, texts={**key.texts, **earlier.texts})
        self._resolved.pop(key.id, None)
        self._judged.pop(key.id, None)

    def add_evidence(self, rows: Iterable[EvidenceRow]) -> None:
        """Takes in evidence; rows already there are ignored. Their keys must be known."""
        for row in rows:
            if row.insight not in self.keys:
                raise KeyError(f"evidence for an unknown insight {row.insight}")
            own = self._rows.setdefault(row.insight, {})
            if row.id in own:
                continue
            own[row.id] = row
            self._occurrences.add(self.keys[row.insight], row)
            self._judged.clear()  # what one problem says changes the shares of every cause in its scopes
            self._policies.setdefault(row.insight, set()).add(row.policy)
            self._by_episode.setdefault(row.episode, {}).setdefault(row.insight, []).append(row)
            self._resolved.pop(row.insight, None)
            self._direction_cache.pop(row.episode, None)

    def expire(self, insight: str, after: int) -> None:
        """Sets aside what was known of an insight up to ``seq`` number ``after``.

        Of a step of the search that is what trials said; that it occurs in an answer stays true.
        """
        self.expired[insight] = max(after, self.expired.get(insight, 0))
        self._occurrences.expire(insight, self.expired[insight])
        self._resolved.pop(insight, None)
        self._judged.clear()
        self._direction_cache.clear()

    def retire(self, insight: str, policy: str, told: RetiredClaim) -> None:
        """Lets a claim act no longer on the work of a policy."""
        self.retired[insight, policy] = told

    def retirement_reason(self, insight: str, policy: str | None = None) -> RetiredClaim | None:
        """Why a claim is told no longer, to one policy or to all that tested it; None where it is."""
        if not self.retired:
            return None
        found = [self._retirement_by(insight, one) for one in (self.made_by(insight) if policy is None else (policy,))]
        return found[0] if found and all(found) else None

    def _retirement_by(self, insight: str, policy: str) -> RetiredClaim | None:
        told = self.retired.get((insight, policy))
        if told is None:
            return None
        own = (row for row in self._trials(insight) if row.policy == policy and row.direction > 0)
        return None if any(row.seq > told.through for row in own) else told

    def evidence(self, insight: str) -> list[EvidenceRow]:
        """Every row of one insight, also those set aside, by ``seq``."""
        return sorted(self._rows.get(insight, {}).values(), key=lambda row: (row.seq, row.id))

    def get(self, insight: str, policy: str | None = None) -> Insight:
        """The resolved insight.

        Args:
            policy: For whom it is read, where a model worded it: evidence that others made is its prior and no more.
                What the search composed is tested by the search alone. None reads all evidence as one.

        Raises:
            KeyError: There is none with this id.
        """
        found = self._read(insight, policy)
        if found.status in _WITHOUT_INFLUENCE or self.retirement_reason(insight, policy) is None:
            return found
        return replace(found, status="expired")

    def _read(self, insight: str, policy: str | None) -> Insight:
        if policy is not None and self.keys[insight].cause.startswith(FACT) and self.made_by(insight) != {policy}:
            return self._read_by(insight, policy)
        if insight not in self._judged:
            if insight not in self._resolved:
                rows, after = self._rows.get(insight, {}).values(), self.expired.get(insight)
                live = self.live_evidence(insight)
                stale = after is not None and not live
                self._resolved[insight] = resolve(self.keys[insight], rows if stale else live, expired=stale)
            resolved = self._resolved[insight]
            of_words = resolved.cause.startswith((FACT, MOVE)) or resolved.status == "expired"
            found = resolved if of_words else judge_need(resolved, self.necessity_of(insight))
            self._judged[insight] = replace(found, text=self.keys[insight].texts.get(found.relation, found.text))
        return self._judged[insight]

    def necessity_of(self, insight: str) -> CauseNecessity:
        """In how many problems of the insight's scope its cause occurs, and in how many it was needed.

        Raises:
            KeyError: There is no insight with this id.
        """
        key = self.keys[insight]
        return need_of(self._occurrences.levels(key.cause, key.effect, key.scope))

    def made_by(self, insight: str) -> frozenset[str]:
        """The policies that made its evidence; "" for one that nobody noted."""
        return frozenset(self._policies.get(insight, ()))

    def _read_by(self, insight: str, policy: str) -> Insight:
        live = self.live_evidence(insight)
        if not live:
            return self._read(insight, None)
        own = [row for row in live if row.policy == policy]
        return resolve(self.keys[insight], own, others=[row for row in live if row.policy != policy])

    def live_evidence(self, insight: str) -> list[EvidenceRow]:
        """Its evidence without what was set aside and, of a claim in words, without what no longer holds."""
        rows = [row for row in self._rows.get(insight, {}).values() if not self._is_aside(row)]
        if not self.keys[insight].cause.startswith(FACT):
            return rows
        anew = [row for row in rows if row.direction > 0 and row.fingerprint]
        return [row for row in rows if row.direction > 0 or not any(_overrules(later, row) for later in anew)]

    def _is_aside(self, row: EvidenceRow) -> bool:
        through = self.expired.get(row.insight)
        if through is None or row.seq > through:
            return False
        return row.kind == "intervention" or self.keys[row.insight].cause.startswith(FACT)

    def worth_trying(self, insight: str, policy: str | None = None) -> bool:
        """Whether more trials agree than disagree; those that other policies made count as a prior."""
        resolved = self.get(insight, policy)
        tried = resolved.posterior.agree or resolved.others
        return bool(tried) and resolved.status not in _WITHOUT_INFLUENCE and resolved.posterior.mean > 0.5

    def to_be_tried_anew(self, insight: str, origin: RunOrigin) -> bool:
        """Whether trials spoke against it, and all of them where code ran in something else than now."""
        if self.get(insight, origin.policy).status in ("expired", "superseded") or not origin.fingerprint:
            return False
        own = [row for row in self._trials(insight) if origin.policy in (None, row.policy)]
        return bool(own) and all(row.fingerprint not in ("", origin.fingerprint) for row in own)

    def _trials(self, insight: str) -> list[EvidenceRow]:
        return [row for row in self.evidence(insight) if row.kind == "intervention" and not self._is_aside(row)]

    def _agreeing(self, insight: str, policy: str | None) -> list[EvidenceRow]:
        resolved = self.get(insight, policy)
        if resolved.status in _WITHOUT_INFLUENCE or resolved.posterior.agree <= resolved.posterior.disagree:
            return []
        return [row for row in self._trials(insight) if row.direction > 0 and policy in (None, row.policy)]

    def acts_anywhere(self, insight: str, policy: str | None = None) -> bool:
        """Whether interventions in two families, from two sources, agree that this cause has this effect.

        Families alone do not count: a task file names its own. Suites that ship are our own, so there they do.
        """
        own = self.keys[insight]
        same = [key for key in self.keys.values() if (key.cause, key.effect) == (own.cause, own.effect)]
        origins = {
            (key.scope.environment, key.scope.family, self.entries[row.episode].source)
            for key in same
            for row in self._agreeing(key.id, policy)
            if row.episode in self.entries
        }
        return any(
            left[:2] != right[:2] and _independent(left[2], right[2]) for left, right in combinations(origins, 2)
        )

    def insights(self, policy: str | None = None) -> list[Insight]:
        """All insights as :meth:`get` gives them, ordered by id."""
        return [self.get(name, policy) for name in sorted(self.keys)]

    def insight_directions(self, episode: str) -> Mapping[str, float]:
        """What one episode says: for each insight the mean direction, in [-1, 1], of its evidence there."""
        cached = self._direction_cache.get(episode)
        if cached is not None:
            return cached
        directions: dict[str, float] = {}
        for insight, rows in self._by_episode.get(episode, {}).items():
            signs = [sign for row in rows if not self._is_aside(row) and (sign := _direction_of(row))]
            if signs:
                directions[insight] = sum(signs) / len(signs)
        self._direction_cache[episode] = directions
        return directions

    def experience_rows(self) -> list[ExperienceRow]:
        """All live evidence, in an order that depends on content only.

        What a claim is called does not decide what can be learned from its evidence; a claim in a model's words is
        the exception, since what it says of a task is in its words alone.
        """
        return list(self._taught())

    def has_experience(self) -> bool:
        """Whether there is any :meth:`experience_rows`; told by the first row, and the other insights stay
        unresolved.
        """
        return any(True for _ in self._taught())

    def _taught(self) -> Iterator[ExperienceRow]:
        for name in sorted(self.keys):
            insight = self.get(name)
            worded = insight.cause.startswith(FACT) and not insight.may_influence
            if worded or insight.cause.startswith(MOVE):  # what moves do says nothing of operations
                continue
            for row in sorted(self._rows[name].values(), key=lambda item: item.id):
                sign = _direction_of(row)
                if not sign or self._is_aside(row):
                    continue
                yield ExperienceRow(
                    features=row.features,
                    cause=insight.cause,
                    direction=sign,
                    group=row.group,
                    task=row.task,
                    insight_id=insight.id,
                    weight=insight.posterior.mean,
                )

    def as_of(self, now: float) -> InsightBook:
        """The book without evidence after a time, in seconds since the epoch.

        What has been set aside since then stays set aside.
        """
        return self.with_evidence(row for rows in self._rows.values() for row in rows.values() if row.at <= now)

    def with_evidence(self, rows: Iterable[EvidenceRow], entries: Sequence[EpisodeEntry] | None = None) -> InsightBook:
        """A book over the same keys with other evidence and, where given, other episodes."""
        other = InsightBook(
            keys=dict(self.keys),
            entries=dict(self.entries) if entries is None else {entry.episode: entry for entry in entries},
            expired=dict(self.expired),
            retired=dict(self.retired),
        )
        other.add_evidence(rows)
        # An insight without evidence is not one.
        other.keys = {name: key for name, key in other.keys.items() if name in other._rows}
        return other

    def all_evidence(self) -> list[EvidenceRow]:
        """Every row, ordered by id."""
        return sorted((row for rows in self._rows.values() for row in rows.values()), key=lambda row: row.id)


def _overrules(later: EvidenceRow, row: EvidenceRow) -> bool:
    """Whether a later trial found that a claim holds which did not where code ran in something else."""
    elsewhere = row.fingerprint not in ("", later.fingerprint)
    return elsewhere and later.policy == row.policy and later.seq > row.seq


def _independent(left: str, right: str) -> bool:
    """Whether two sources have no part in common. One that nobody knows may be any other."""
    if left == right == BUILT_IN:
        return True
    # A source may join several, and one in common is enough to have planted both.
    return bool(left and right) and not set(left.split()) & set(right.split())


def _direction_of(row: EvidenceRow) -> int:
    """+1 the row says that the cause promotes the effect, -1 that it does not, 0 neither.

    Evidence against ``no_effect`` or ``prevents`` is 0: it leaves open which way the effect goes.
    """
    if relation_camp(row.relation) == "promotes":
        return row.direction
    return -1 if row.direction > 0 else 0

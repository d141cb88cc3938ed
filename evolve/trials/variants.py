"""A variant: everything that was learned up to some round, by digest; every one ever tried, and which one is active.

Which variant is active is the last row of a log, so switching is one insert: at any moment,
also after a crash, exactly one variant is active, and every switch stays on record.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from evolve.core.errors import RecordDamaged, UsageError
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json, digest
from evolve.core.store import Database, ObjectStore, value_of
from evolve.trials.item_utility import ItemUtility

UNLEARNED = "unlearned"
"""Name of the state before anything was learned; the parent of first variants."""

ALL_INSIGHTS = "all"
"""Marks a variant that uses whatever insights the memory holds, not a fixed set."""


@dataclass(frozen=True, kw_only=True)
class Variant:
    """Learned state by content. Two variants with the same content have the same digest.

    Attributes:
        guide: Digest of the fitted guide, or "" for none.
        skills: Digests of the active skills; order and repetition do not matter.
        insights: Digest of a fixed set of insights, or :data:`ALL_INSIGHTS`, or "" for none.
        prompts: Digest of each changed prompt by name, as sorted pairs.
        workflow: Digest of a changed workflow, or "" for the seed.
        parent: Digest of the variant it was made from, or :data:`UNLEARNED`.
    """

    guide: str = ""
    skills: tuple[str, ...] = ()
    insights: str = ""
    prompts: tuple[tuple[str, str], ...] = ()
    workflow: str = ""
    parent: str = UNLEARNED

    def __post_init__(self) -> None:
        object.__setattr__(self, "skills", tuple(sorted(set(self.skills))))
        object.__setattr__(self, "prompts", tuple(sorted((str(name), str(text)) for name, text in self.prompts)))
        if len({name for name, _ in self.prompts}) < len(self.prompts):
            raise ValueError("a prompt is named twice")

    @property
    def digest(self) -> str:
        """SHA-256 over the canonical JSON of the content, parent included."""
        return digest(canonical_json(self.to_json()))

    @property
    def parts(self) -> tuple[str, ...]:
        """What it is made of: some of ``guide``, ``insights``, ``skills``, the names of prompts, and ``workflow``."""
        own = {"guide": self.guide, "insights": self.insights, "skills": self.skills}
        named = (*(name for name, value in own.items() if value), *(name for name, _ in self.prompts))
        return (*named, "workflow") if self.workflow else named

    @property
    def rests_on_memory(self) -> bool:
        """Whether it has a guide, insights or skills, which go when they are forgotten or retired."""
        return bool(self.guide or self.insights or self.skills)

    @property
    def objects(self) -> tuple[str, ...]:
        """Digests of every object that must be in the store for the variant to run."""
        listed = {self.guide, self.workflow, *self.skills, *(text for _, text in self.prompts)}
        if self.insights != ALL_INSIGHTS:
            listed.add(self.insights)
        return tuple(sorted(listed - {""}))

    def to_json(self) -> dict[str, Any]:
        """A JSON object that :meth:`from_json` reads."""
        return {**asdict(self), "skills": list(self.skills), "prompts": [list(pair) for pair in self.prompts]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Variant:
        """The variant that :meth:`to_json` wrote.

        Raises:
            KeyError: A field is missing.
        """
        return cls(
            guide=value["guide"],
            skills=tuple(value["skills"]),
            insights=value["insights"],
            prompts=tuple((name, text) for name, text in value["prompts"]),
            workflow=value["workflow"],
            parent=value["parent"],
        )


_ROLLBACK = "rollback"


@dataclass(frozen=True, kw_only=True)
class Promotion:
    """One switch of the active variant.

    Attributes:
        variant, before: Digests, or :data:`UNLEARNED`.
        grounds: What it rests on, such as the id of a gate decision or ``rollback``.
    """

    variant: str
    before: str
    grounds: str
    at: float


@dataclass(frozen=True, kw_only=True)
class ArchivedVariant:
    """A variant as the archive lists it; ``at`` in seconds since the epoch."""

    digest: str
    variant: Variant
    origin: str
    at: float


class VariantRepository:
    """Keeps variants, what was measured of them and their items, and switches between them; others decide when.

    Args:
        db: The record.
        objects: Holds the bodies that variants name.
        clock: Seconds since the epoch.
    """

    def __init__(self, db: Database, objects: ObjectStore, *, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._objects = objects
        self._clock = clock

    def add(self, variant: Variant, *, origin: str = "") -> str:
        """Keeps a variant; gives its digest. Adding it again changes nothing.

        Args:
            origin: Where it came from, such as a run and round.

        Raises:
            ValueError: Its parent is unknown, or an object it names is not in the store.
        """
        if variant.parent != UNLEARNED and not self._db.rows("variants", {"id": variant.parent}):
            raise ValueError(f"the parent {variant.parent} is not in the archive")
        missing = [name for name in variant.objects if name not in self._objects]
        if missing:
            raise ValueError(f"the object {missing[0]} of the variant is not in the store")
        row: dict[str, Any] = {
            "id": variant.digest,
            "content": canonical_json(variant.to_json()),
            "origin": origin,
            "at": self._clock(),
        }
        self._db.insert("variants", row, key="id")
        return variant.digest

    def get(self, name: str) -> Variant:
        """The variant with this digest.

        Raises:
            UsageError: There is none.
        """
        rows = self._db.rows("variants", {"id": name})
        if not rows:
            raise UsageError(f"no variant {name!r}", hint="evolve lab variants list")
        return _variant(rows[0])

    @property
    def active_digest(self) -> str:
        """Digest of the active variant, or :data:`UNLEARNED`."""
        rows = self._db.rows("variant_promotions", "id = (SELECT max(id) FROM variant_promotions)")
        return str(rows[0]["variant"]) if rows else UNLEARNED

    def active(self) -> Variant | None:
        """The active variant, or None while nothing has been promoted."""
        name = self.active_digest
        return None if name == UNLEARNED else self.get(name)

    def promote(self, name: str, *, grounds: str) -> Promotion:
        """Makes a variant the active one, in one step; promoting the active one changes nothing.

        Args:
            name: Digest of a variant in the archive.
            grounds: What it rests on.

        Raises:
            UsageError: The variant is unknown.
            RecordDamaged: An object it needs is gone.
            ValueError: The grounds are the word that marks roll-backs.
        """
        if grounds == _ROLLBACK:
            raise ValueError("use rollback() to go back")
        return self._switch(name, grounds)

    def rollback(self) -> Promotion:
        """Goes back to what was active before the active variant was promoted.

        Rolling back again goes back further, not forth.

        Raises:
            UsageError: Nothing has been promoted.
            RecordDamaged: What was active before needs an object that is gone; promote another variant.
        """
        with self._db.transaction():
            # The log itself is never cut, so what a roll-back undid is known only by playing it through.
            stack = [UNLEARNED]
            for promotion in self.list_promotions():
                if promotion.grounds == _ROLLBACK:
                    stack.pop()
                else:
                    stack.append(promotion.variant)
            if len(stack) == 1:
                raise UsageError("nothing has been promoted, so there is nothing to roll back")
            return self._switch(stack[-2], _ROLLBACK)

    def reset(self, *, grounds: str) -> Promotion:
        """Makes the unlearned state active."""
        return self._switch(UNLEARNED, grounds)

    @property
    def apart_from_memory(self) -> str:
        """Digest of the nearest in the active variant's line that was promoted without guide, insights and skills.

        What is judged together with these is not shown to help without them. :data:`UNLEARNED` where there is none.
        """
        promoted = {promotion.variant for promotion in self.list_promotions()}
        line = self.lineage(self.active_digest)
        return next((name for name in line if name in promoted and not self.get(name).rests_on_memory), UNLEARNED)

    def fall_back(self, *, grounds: str) -> Promotion:
        """Makes :attr:`apart_from_memory` active."""
        return self._switch(self.apart_from_memory, grounds)

    def list_promotions(self) -> list[Promotion]:
        """Every switch, oldest first."""
        return [value_of(Promotion, row) for row in self._db.rows("variant_promotions")]

    def lineage(self, name: str) -> list[str]:
        """Digests from this variant back to its first ancestor, :data:`UNLEARNED` left out.

        Raises:
            UsageError: The variant is unknown.
        """
        line: list[str] = []
        while name != UNLEARNED:  # a digest covers the parent's, so no line leads back into itself
            line.append(name)
            name = self.get(name).parent
        return line

    def find(self, beginning: str) -> str:
        """The digest that begins like this; the word ``active`` and :data:`UNLEARNED` stand for themselves.

        Raises:
            UsageError: None, or more than one, does.
        """
        if beginning == "active":
            return self.active_digest
        if beginning == UNLEARNED:
            return UNLEARNED
        matches = [str(row["id"]) for row in self._db.rows("variants") if str(row["id"]).startswith(beginning)]
        if len(matches) != 1 or not beginning:
            problem = "several variants begin with" if matches else "there is no variant"
            raise UsageError(f"{problem} {beginning!r}", hint="evolve lab variants list")
        return matches[0]

    def entries(self) -> list[ArchivedVariant]:
        """Every variant with where it came from, oldest first."""
        return [
            value_of(ArchivedVariant, row, digest=row["id"], variant=_variant(row)) for row in self._db.rows("variants")
        ]

    def add_measure(self, name: str, *, run: str, kind: str, body: Mapping[str, Any]) -> None:
        """Keeps what was measured of a variant, once per run and kind.

        Args:
            kind: Such as ``change``, or ``transfer`` and what it was tried on.
        """
        row = {
            "id": digest(canonical_json([name, run, kind])),
            "variant": name,
            "run": run,
            "kind": kind,
            "body": canonical_json(body),
        }
        self._db.insert("variant_measures", row, key="id")

    def measures_of(self, name: str = "") -> list[tuple[str, Mapping[str, Any]]]:
        """What :meth:`add_measure` kept of a variant, or of all, in order: its kind and body."""
        rows = self._db.rows("variant_measures", {"variant": name} if name else "")
        return [(str(row["kind"]), json.loads(str(row["body"]))) for row in rows]

    def add_item_outcomes(self, batch: str, outcomes: Mapping[str, ItemUtility]) -> None:
        """Keeps what one batch of episodes says of items of prompts; the same batch and item again changes nothing.

        Args:
            batch: Names the episodes, such as by a digest of their ids.
            outcomes: Counts by item id.
        """
        with self._db.transaction():
            for item, counts in outcomes.items():
                row = {"id": digest(canonical_json([batch, item])), "batch": batch, "item": item, **vars(counts)}
                self._db.insert("prompt_item_outcomes", row, key="id")

    def item_utilities(self) -> Mapping[str, ItemUtility]:
        """All that is known of every item, by its id."""
        found: dict[str, ItemUtility] = {}
        for row in self._db.rows("prompt_item_outcomes"):
            item = str(row["item"])
            found[item] = found.get(item, ItemUtility()) + value_of(ItemUtility, row)
        return found

    def _switch(self, name: str, grounds: str) -> Promotion:
        # Before the switch: a variant whose bodies are gone would end every later run.
        lost = [] if name == UNLEARNED else [key for key in self.get(name).objects if key not in self._objects]
        if lost:
            raise RecordDamaged(
                f"the variant {name[:12]} needs the object {lost[0]}, which is gone",
                hint="evolve lab variants list shows others; evolve status says what is damaged",
            )
        with self._db.transaction():
            before = self.active_digest
            promotion = Promotion(variant=name, before=before, grounds=grounds, at=self._clock())
            if before != name:
                hit_failpoint("promotion.before")
                row: dict[str, Any] = {"variant": name, "before": before, "grounds": grounds, "at": promotion.at}
                self._db.insert("variant_promotions", row)
                hit_failpoint("promotion.after")
            return promotion


def _variant(row: Mapping[str, Any]) -> Variant:
    return Variant.from_json(json.loads(row["content"]))

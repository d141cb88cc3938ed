"""A variant: everything that was learned up to some round (guide, skills, insights, prompts, workflow), by digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from evolve.files import canonical_json, digest

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

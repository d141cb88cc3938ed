"""The protocol by which a policy writes work that was done as a procedure, to be done again elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from evolve.core.episodes import EarlierCall, Json, SkillDraft, Step, TaskView
from evolve.skills import Skill


@dataclass(frozen=True, kw_only=True)
class PastWork:
    """What was done before in a kind of environment.

    Attributes:
        procedures: Procedures that are known, drafts among them.
        tasks: Instructions of tasks whose change was accepted, by run.
    """

    procedures: Sequence[Skill] = ()
    tasks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Proceeding:
    """A change that was accepted, as a call of a procedure.

    Attributes:
        draft: The procedure: one that is known, or a new one.
        arguments: What it has to be called with to do what was done.
        known: It is one of those that the policy was told of.
        earlier: With what it would have to be called in earlier runs.
    """

    draft: SkillDraft
    arguments: tuple[Json, ...]
    known: bool = False
    earlier: tuple[EarlierCall, ...] = ()


@runtime_checkable
class Generalising(Protocol):
    """Optional: a policy that can write work that was done as a procedure, to be done again elsewhere."""

    def proceeding(self, view: TaskView, steps: Sequence[Step], change: str, past: PastWork) -> Proceeding | None:
        """The accepted change as a call; None where nothing like it was done before, or it could not be done again.

        Whoever asks tries it, so nothing of it is believed.

        Args:
            change: What was accepted, as text.
            past: What was done before in this kind of environment.

        Raises:
            ModelMistake: The policy gave nothing usable.
        """
        ...

"""Edits of the prompt that seems to blame, tried on failures by asking that one stage again; all else is replayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from evolve.episodes import EpisodeRecord
from evolve.optimizer.credit import Blame, Divergence, Intervention, blame
from evolve.optimizer.leakage import LeakGuard, copied, unsafe
from evolve.optimizer.prompt_items import ItemLimits, Revision, parse_prompt, revise
from evolve.policies import Edit, Rewriter

_TRACES = 4
_TRIED_ON = 3


class Replay(Protocol):
    """Runs a failed episode again with one prompt changed."""

    def __call__(self, record: EpisodeRecord, texts: Mapping[str, str], at: Divergence) -> EpisodeRecord | None:
        """The episode with the stage that said ``at.output`` asked anew under ``texts``, and what follows from it.

        None where it cannot be done.

        Raises:
            SearchEnded: The budget allows no further answer.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class PromptProposal:
    """An edited prompt.

    Attributes:
        text: Its whole text after the edits.
        refused: Edits that were left out, each with why.
        supported: Interventions turned failures around with it.
    """

    prompt: str
    text: str
    revision: Revision
    refused: tuple[tuple[Edit, str], ...] = ()
    supported: bool = False

    @property
    def why(self) -> str:
        """What called for it, in one sentence."""
        return "; ".join(change.why for change in self.revision.changes)[:300]


@dataclass(frozen=True, kw_only=True)
class Editor:
    """Makes proposals for one prompt from what went wrong there, and screens what they say.

    Attributes:
        rewriter: Who proposes.
        guard: Digests of the tasks of every split.
        tasks: What each task that may be learned from asks and gives, by its id, for the traces.
        weak: Ids of items that may make room, the weakest first.
    """

    rewriter: Rewriter
    tasks: Mapping[str, str] = field(default_factory=dict)
    guard: LeakGuard = field(default_factory=LeakGuard)
    limits: ItemLimits = field(default_factory=ItemLimits)
    weak: tuple[str, ...] = ()

    def propose(self, prompt: str, text: str, seen: Sequence[Divergence], *, seed: int) -> PromptProposal:
        """The prompt after the edits that passed the screening; unchanged where none did."""
        return self.edited(prompt, text, [one.told(self.tasks.get(one.task, "")) for one in _distinct(seen)], seed=seed)

    def edited(self, prompt: str, text: str, traces: Sequence[str], *, seed: int) -> PromptProposal:
        """The same from traces as they are told to the rewriter, of which it reads the first."""
        before, traces = parse_prompt(text), traces[:_TRACES]
        edits = self.rewriter.propose(
            [item.text for item in before.items], traces, seed=seed, about="\n".join(before.fixed)
        )
        refused = [(edit, why) for edit in edits if (why := self._unfit(edit, traces, text))]
        left_out = {edit for edit, _ in refused}
        done = revise(before, [edit for edit in edits if edit not in left_out], limits=self.limits, weak=self.weak)
        return PromptProposal(prompt=prompt, text=done.prompt.text, revision=done, refused=(*refused, *done.refused))

    def _unfit(self, edit: Edit, traces: Sequence[str], text: str) -> str:
        if edit.op == "remove":
            return ""
        return unsafe(edit.text) or self.guard.found(edit.text) or copied(edit.text, traces, common=[text])


@dataclass(kw_only=True)
class Attribution:
    """Finds the prompt to blame by interventions, beginning with the likeliest.

    Attributes:
        records: Failed and successful episodes with the prompts in force.
        texts: These prompts by file name.
        replay: Runs one stage again, or None where only observations count.
        interventions: What was tried, in order.
        tried: Every proposal that was made.
    """

    editor: Editor
    records: Sequence[EpisodeRecord]
    texts: Mapping[str, str]
    replay: Replay | None = None
    interventions: list[Intervention] = field(default_factory=list)
    tried: list[PromptProposal] = field(default_factory=list)

    def ranking(self) -> tuple[Blame, ...]:
        """The prompts, the likeliest to blame first."""
        return blame(self.records, list(self.texts), self.interventions)

    def attempt(self, *, seed: int) -> PromptProposal | None:
        """One proposal for the prompt that is the likeliest to blame now, tried where it can be.

        None where nothing failed, or where no edit that could be made was proposed.
        """
        first = self.ranking()[0] if self.texts else None
        if first is None or not first.divergences:
            return None
        seen = _turned(first.divergences, _TRACES * len(first.interventions))
        made = self.editor.propose(first.prompt, self.texts[first.prompt], seen, seed=seed)
        if not made.revision.changes:
            self.interventions.append(Intervention(prompt=first.prompt, flipped=False, detail="no edit to try"))
            return None
        supported = self._try(made, seen)
        found = PromptProposal(
            prompt=made.prompt,
            text=made.text,
            revision=made.revision,
            refused=made.refused,
            supported=bool(supported),
        )
        self.tried.append(found)
        return found if supported is not False else None

    def _try(self, made: PromptProposal, seen: Sequence[Divergence]) -> bool | None:
        """Whether the edit turned at least half of the failures around; None where nothing could be tried."""
        if self.replay is None:
            return None
        texts = {**self.texts, made.prompt: made.text}
        failed = {one.task: one for one in self.records if not one.solved}
        wanted = [one for one in _distinct(seen)[:_TRIED_ON] if one.task in failed]
        flips: list[bool] = []
        for left, at in zip(range(len(wanted), 0, -1), wanted, strict=True):
            flipped = sum(flips)
            if 2 * flipped >= len(flips) + left or 2 * (flipped + left) < len(flips) + left:
                break  # the rest cannot change the answer
            again = self.replay(failed[at.task], texts, at)
            if again is not None:
                flips.append(again.solved)
        if not flips:
            return None
        turned = 2 * sum(flips) >= len(flips)
        detail = f"{sum(flips)} of {len(flips)} failures turned around: {made.why}"
        self.interventions.append(Intervention(prompt=made.prompt, flipped=turned, detail=detail))
        return turned


def _turned(seen: Sequence[Divergence], by: int) -> list[Divergence]:
    """One divergence per task, the heaviest first; after attempts that came to nothing it is the turn of others."""
    found = _distinct(seen)
    return found[by % len(found) :] + found[: by % len(found)]


def _distinct(seen: Sequence[Divergence]) -> list[Divergence]:
    """The heaviest divergence of every task."""
    return list({one.task: one for one in reversed(seen)}.values())[::-1]

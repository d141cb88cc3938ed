"""Proposes edits of the prompt that seems to blame for failures, and tries them by asking that one stage again.

Everything before the stage is replayed from the record, so a try costs a fraction of an episode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evolve.core.episodes import EpisodeRecord
from evolve.improve.optimizer.credit import Divergence, Intervention, PromptBlame, rank_blame
from evolve.improve.optimizer.leakage import LeakGuard, copied_reason, unsafe_reason
from evolve.policies import PromptEdit, PromptEditor
from evolve.policies.language.prompt_items import ItemLimits, Revision, parse_prompt, revise

_MAX_TRACES = 4
"""Traces that the rewriter reads for one proposal."""

_REPLAYED_FAILURES = 3
"""Failures on which an edit is tried at most before it is proposed."""


EpisodeReplay = Callable[[EpisodeRecord, Mapping[str, str], Divergence], EpisodeRecord | None]
"""``replay(record, texts, at)`` runs a failed episode again: the stage that said ``at.output`` is asked anew under
``texts``, and what follows from it. None where it cannot be done; raises ``SearchEnded`` where the budget ended."""


@dataclass(frozen=True, kw_only=True)
class PromptProposal:
    """An edited prompt.

    Attributes:
        text: Its whole text after the edits.
        said: The edits that were made, in words.
        refused: Edits that were left out, each with why.
    """

    prompt: str
    text: str
    revision: Revision
    said: str = ""
    refused: tuple[tuple[PromptEdit, str], ...] = ()

    @property
    def why(self) -> str:
        """What called for it, in one sentence."""
        return "; ".join(change.why for change in self.revision.changes)[:300]


@dataclass(frozen=True, kw_only=True)
class EditSearch:
    """Makes proposals for one prompt from what went wrong there, and screens what they say.

    Attributes:
        rewriter: Who proposes.
        guard: Digests of the tasks of every split.
        tasks: What each task that may be learned from asks and gives, by its id, for the traces.
        weak: Ids of items that may make room, the weakest first.
        tried: By prompt the edits that came to nothing in this search, in words; the rewriter is told of them.
    """

    rewriter: PromptEditor
    tasks: Mapping[str, str] = field(default_factory=dict)
    guard: LeakGuard = field(default_factory=LeakGuard)
    limits: ItemLimits = field(default_factory=ItemLimits)
    weak: tuple[str, ...] = ()
    tried: dict[str, list[str]] = field(default_factory=dict)

    def note_tried(self, prompt: str, edit: str, why: str) -> None:
        """Keeps an edit of a prompt, in words, with why it came to nothing."""
        self.tried.setdefault(prompt, []).append(f"{edit} ({why})")

    def propose(self, prompt: str, text: str, divergences: Sequence[Divergence], *, seed: int) -> PromptProposal:
        """The prompt after the edits that passed the screening; unchanged where none did."""
        return self.edit_from_traces(
            prompt,
            text,
            [divergence.summary(self.tasks.get(divergence.task, "")) for divergence in _distinct(divergences)],
            seed=seed,
        )

    def edit_from_traces(self, prompt: str, text: str, traces: Sequence[str], *, seed: int) -> PromptProposal:
        """Like :meth:`propose`, from traces in words, of which the rewriter reads the first."""
        before, traces = parse_prompt(text), traces[:_MAX_TRACES]
        items = [item.text for item in before.items]
        tried = tuple(self.tried.get(prompt, ()))
        edits = self.rewriter.propose(items, traces, seed=seed, about="\n".join(before.fixed_text), tried=tried)
        refused = [(edit, why) for edit in edits if (why := self._unfit(edit, traces, text))]
        left_out = {edit for edit, _ in refused}
        revision = revise(before, [edit for edit in edits if edit not in left_out], limits=self.limits, weak=self.weak)
        refused += revision.refused
        for edit, why in refused:
            self.note_tried(prompt, _in_words(edit, items), why)
        left_out = {edit for edit, _ in refused}
        said = "; ".join(_in_words(edit, items) for edit in edits if edit not in left_out)
        return PromptProposal(
            prompt=prompt, text=revision.prompt.text, revision=revision, said=said, refused=tuple(refused)
        )

    def _unfit(self, edit: PromptEdit, traces: Sequence[str], text: str) -> str:
        if edit.op == "remove":
            return ""
        return (
            unsafe_reason(edit.text) or self.guard.leak_in(edit.text) or copied_reason(edit.text, traces, common=[text])
        )


@dataclass(kw_only=True)
class Attribution:
    """Finds the prompt to blame by interventions, beginning with the likeliest.

    Attributes:
        records: Failed and successful episodes with the prompts in force.
        texts: These prompts by file name.
        replay: Runs one stage again, or None where only observations count.
        interventions: What was tried, in order.
    """

    editor: EditSearch
    records: Sequence[EpisodeRecord]
    texts: Mapping[str, str]
    replay: EpisodeReplay | None = None
    interventions: list[Intervention] = field(default_factory=list)

    def ranked_prompts(self) -> tuple[PromptBlame, ...]:
        """The prompts, the likeliest to blame first."""
        return rank_blame(self.records, list(self.texts), self.interventions)

    def propose_edit(self, *, seed: int) -> PromptProposal | None:
        """One proposal for the prompt that is the likeliest to blame now, tried where it can be.

        None where nothing failed, or where no edit that could be made was proposed.
        """
        first = self.ranked_prompts()[0] if self.texts else None
        if first is None or not first.divergences:
            return None
        # After attempts that came to nothing it is the turn of others.
        by = _MAX_TRACES * len(first.interventions)
        distinct = _distinct(first.divergences)
        divergences = distinct[by % len(distinct) :] + distinct[: by % len(distinct)]
        proposal = self.editor.propose(first.prompt, self.texts[first.prompt], divergences, seed=seed)
        if not proposal.revision.changes:
            self.interventions.append(Intervention(prompt=first.prompt, flipped=False, detail="no edit to try"))
            return None
        return None if self._try(proposal, divergences) is False else proposal

    def _try(self, proposal: PromptProposal, divergences: Sequence[Divergence]) -> bool | None:
        """Whether the edit turned at least half of the failures around; None where nothing could be tried."""
        if self.replay is None:
            return None
        texts = {**self.texts, proposal.prompt: proposal.text}
        failed = {record.task: record for record in self.records if not record.solved}
        sample = [divergence for divergence in _distinct(divergences)[:_REPLAYED_FAILURES] if divergence.task in failed]
        flips: list[bool] = []
        for left, at in zip(range(len(sample), 0, -1), sample, strict=True):
            flipped = sum(flips)
            if 2 * flipped >= len(flips) + left or 2 * (flipped + left) < len(flips) + left:
                break  # the rest cannot change the answer
            rerun = self.replay(failed[at.task], texts, at)
            if rerun is not None:
                flips.append(rerun.solved)
        if not flips:
            return None
        turned = 2 * sum(flips) >= len(flips)
        if not turned:
            told = f"turned {sum(flips)} of {len(flips)} failures around"
            self.editor.note_tried(proposal.prompt, proposal.said, told)
        detail = f"{sum(flips)} of {len(flips)} failures turned around: {proposal.why}"
        self.interventions.append(Intervention(prompt=proposal.prompt, flipped=turned, detail=detail))
        return turned


def _in_words(edit: PromptEdit, items: Sequence[str]) -> str:
    about = f" {items[edit.item - 1]!r}" if edit.op != "add" and 1 <= edit.item <= len(items) else ""
    return f"{edit.op}{about}: {edit.text}".rstrip(": ")


def _distinct(divergences: Sequence[Divergence]) -> list[Divergence]:
    return list({divergence.task: divergence for divergence in reversed(divergences)}.values())[::-1]

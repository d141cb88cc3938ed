"""An engine that improves prompts with the package ``gepa``: gepa searches, our gate alone accepts.

gepa (Agrawal et al., "GEPA: Reflective prompt evolution can outperform reinforcement learning", arXiv 2507.19457) runs
the loop of parent, minibatch, edit and trial. Which prompt is edited follows from
:mod:`evolve.improve.optimizer.credit`, what is edited from a :class:`~evolve.policies.Rewriter`, item by item. Its own
score on trials picks no winner and is shown to nobody: the best of several noisy scores looks better than it is. Of
4,000 searches through gepa 0.1.4 in which no edit made any difference, 92.6 % reported a gain by that score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from random import Random
from typing import Any

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.files import canonical_json, digest
from evolve.improve.optimizer.counterfactual import Attribution, EditSearch, EpisodeReplay, PromptProposal
from evolve.improve.optimizer.credit import ACT, Intervention, PromptBlame
from evolve.improve.optimizer.engine import (
    Candidate,
    CandidateTrial,
    EngineKind,
    EngineSettings,
    EngineTrials,
)
from evolve.policies.language.prompt_items import parse_prompt
from evolve.trials.item_utility import ItemUtility, weak_items
from evolve.trials.variants import VariantRepository

VERSION = "0.1.4"
"""Pinned: the signatures of gepa's hooks change between releases."""

_INSTALL = "pip install '.[gepa]' in the folder of evolve"
_SCREENED = 40
"""Tasks that a search screens at most."""

_MINIBATCH = 8
"""Tasks that an edit is tried on: as many that fail as that do not, where there are enough."""

_ATTEMPTS = 8
"""Edits asked for in one iteration before it counts as one without anything to try."""

_IDLE = 3
"""Iterations in a row without anything to try after which the search ends."""


@dataclass(kw_only=True)
class GepaEngine:
    """An :class:`~evolve.improve.optimizer.engine.Engine` for prompts.

    Attributes:
        editor: Proposes and screens edits; its ``tasks`` are filled in from the trials.
        replay: Asks one stage of an episode again, which tries an edit at a fraction of an episode's cost; or None.
        items: Keeps what items did, or None.
        rankings: For every proposal that was put to trial, how much each prompt was to blame by then.
    """

    editor: EditSearch
    settings: EngineSettings = field(default_factory=EngineSettings)
    replay: EpisodeReplay | None = None
    items: VariantRepository | None = None
    name: str = "gepa"
    rankings: list[tuple[PromptBlame, ...]] = field(default_factory=list)

    def search(self, trials: EngineTrials, start: Candidate) -> str:
        """Edits prompts until nothing fails, nothing helps, or all proposals were made.

        Raises:
            SearchEnded: Passed on from ``trials``.
            UsageError: There is no prompt to edit, or the package is not installed.
        """
        if not start.prompts:
            raise UsageError(
                "there are no prompts to edit", hint="evolve models, then evolve lab optimize --only prompts"
            )
        gepa = load_gepa()
        search = _GepaSearch(self, trials, start)
        gepa.optimize(
            seed_candidate=start.prompt_texts,
            trainset=search.ids,
            # gepa picks by its score on these, after trials of all of them; here the gate picks, so one will do.
            valset=search.ids[:1],
            adapter=search,
            candidate_selection_strategy=_Newest(),
            module_selector=search.choose,
            batch_sampler=search,
            acceptance_criterion=search,
            stop_callbacks=search.is_over,
            skip_perfect_score=False,
            logger=_Silent(),
            seed=self.settings.seed,
            raise_on_exception=True,  # SearchEnded has to reach the loop
        )
        return search.summary


def load_gepa() -> Any:
    """The package, in the one version whose calls are known here.

    Raises:
        UsageError: It is not installed.
        WorkspaceError: It is another version.
    """
    try:
        import gepa
    except ImportError as error:
        raise UsageError("the engine gepa needs the package gepa, which is not installed", hint=_INSTALL) from error
    installed = metadata.version("gepa")
    if installed != VERSION:
        raise WorkspaceError(f"gepa {installed} is installed; this engine works with {VERSION} only", hint=_INSTALL)
    return gepa


class _Silent:
    """gepa writes its log to the screen by default; ours tells what matters."""

    def log(self, message: str) -> None:
        """Writes nothing."""


class _Newest:
    """The parent is the last candidate that the gate accepted: only that can become the incumbent's better."""

    def select_candidate_idx(self, state: Any) -> int:
        return len(state.program_candidates) - 1


class _GepaSearch:
    """One search: gepa's adapter, its acceptance criterion, its sampler of minibatches and its stopper in one."""

    propose_new_texts: Any

    def __init__(self, engine: GepaEngine, trials: EngineTrials, start: Candidate) -> None:
        self._engine, self._trials = engine, trials
        self._random = Random(f"gepa:{engine.settings.seed}")
        self._incumbent = start
        self._known: dict[tuple[str, str], CandidateTrial] = {}
        views = list(trials.tasks)[:_SCREENED]
        self.ids = [view.id for view in views]
        texts = {
            view.id: canonical_json([view.instruction, [[list(row.input), row.output] for row in view.examples]])
            for view in views
        }
        self._editor = replace(engine.editor, tasks={**texts, **engine.editor.tasks}, tried={})
        self._attribution: Attribution | None = None
        self._proposal: PromptProposal | None = None
        self._asked = self._proposed = self._idle = 0
        self._texts_tried = {start.digest}
        self.reason = ""
        self._ranking: tuple[PromptBlame, ...] = ()
        self.propose_new_texts = self._hand_over

    @property
    def summary(self) -> str:
        """Why it ended, and what became of the edits."""
        asked = f"; {self._asked} edits asked for, {self._proposed} put to trial" if self._asked else ""
        return self.reason + asked

    # What gepa asks of an adapter.

    def evaluate(self, batch: Sequence[str], candidate: Mapping[str, str], capture_traces: bool = False) -> Any:
        """Trials of a candidate on tasks, each run once only."""
        from gepa.core.adapter import EvaluationBatch

        if not self._known:  # gepa begins with one task, but all are needed, and side by side they take less time
            self._screened(self._incumbent, self.ids)
        trials = self._screened(self._candidate(candidate), list(batch))
        result: EvaluationBatch[Any, Any] = EvaluationBatch(
            outputs=[trial.record for trial in trials],
            scores=[trial.score for trial in trials],
            trajectories=list(trials),
        )
        return result

    def make_reflective_dataset(
        self, candidate: Mapping[str, str], eval_batch: Any, components_to_update: Sequence[str]
    ) -> dict[str, list[dict[str, Any]]]:
        """The interventions behind the proposal; gepa needs some record of what was reflected on."""
        return {
            name: [{"Feedback": blame.evidence} for blame in self._ranking if blame.prompt == name]
            for name in components_to_update
        }

    def _hand_over(
        self, candidate: Mapping[str, str], reflective_dataset: Any, components_to_update: Sequence[str]
    ) -> dict[str, str]:
        return {self._proposal.prompt: self._proposal.text} if self._proposal is not None else {}

    def choose(self, state: Any, trajectories: Any, scores: Any, index: int, candidate: Mapping[str, str]) -> list[str]:
        """The prompt to edit: that for which an edit was found.

        gepa goes on after errors of the functions that build data and propose texts, so whatever may fail is done here,
        where an error ends the search.
        """
        attribution = self._attribution or self._new_attribution()
        self._proposal = None
        for _ in range(_ATTEMPTS):
            self._asked += 1
            proposal = attribution.propose_edit(seed=self._asked)
            proposal = proposal or self._target_edit(seed=self._asked)
            if proposal is not None and self._child(proposal).digest not in self._texts_tried:
                self._proposal = proposal
                break
        self._ranking = attribution.ranked_prompts()
        if self._proposal is not None:
            self._engine.rankings.append(self._ranking)
        self._idle = 0 if self._proposal is not None else self._idle + 1
        return [self._proposal.prompt if self._proposal is not None else next(iter(candidate))]

    def next_minibatch_ids(self, loader: Any, state: Any) -> list[int]:
        """Places of tasks to try an edit on: as many that fail as that do not, where there are enough."""
        solved = {trial.task: not self._teaches(trial) for trial in self._screened(self._incumbent, self.ids)}
        places = list(range(len(self.ids)))
        self._random.shuffle(places)
        failing = [place for place in places if not solved[self.ids[place]]]
        passing = [place for place in places if solved[self.ids[place]]]
        half = failing[: max(_MINIBATCH // 2, _MINIBATCH - len(passing))]
        return half + passing[: _MINIBATCH - len(half)]

    # What gepa asks of an acceptance criterion.

    def should_accept(self, proposal: Any, state: Any) -> bool:
        """The gate's verdict; a proposal that does not even look better is not put to it."""
        edit = self._proposal
        if edit is None:
            return False
        self._proposed += 1
        child = self._child(edit)
        self._texts_tried.add(child.digest)
        before, after = proposal.subsample_scores_before, proposal.subsample_scores_after
        tasks = [trial.task for trial in proposal.eval_after.trajectories]
        self._note_items(edit, child, tasks)
        better = sum(after) > sum(before)
        accepted = better and self._trials.judge(child, self._incumbent).accepted
        if accepted:
            self._incumbent, self._attribution = child, None
            return True
        told = (
            "refused by the gate"
            if better
            else f"{sum(after):g} of {len(after)} tasks right instead of {sum(before):g}"
        )
        self._editor.note_tried(edit.prompt, edit.said, told)
        if self._attribution is not None:
            detail = f"{sum(before):g} to {sum(after):g} on {len(after)} tasks: {edit.why}"
            self._attribution.interventions.append(Intervention(prompt=edit.prompt, flipped=False, detail=detail))
        return accepted

    def is_over(self, state: Any) -> bool:
        """Whether the search has come to its end; says why in ``reason``."""
        most, left = self._engine.settings.proposals, self._trials.remaining()
        if most is not None and self._proposed >= most:
            self.reason = "all proposals were made"
        elif left.judgements == 0 or left.episodes == 0:
            self.reason = "the rest of the budget buys no further judgement"
        elif not any(self._teaches(trial) for trial in self._screened(self._incumbent, self.ids)):
            self.reason = "no task fails that could be learned from"
        elif self._idle >= _IDLE:
            self.reason = f"no edit turned a failure around in {_IDLE * _ATTEMPTS} attempts"
        return bool(self.reason)

    # What stands behind both.

    def _teaches(self, trial: CandidateTrial) -> bool:
        """Whether it failed, or lacks what the target asks for."""
        return not trial.solved or (trial.target is not None and trial.target < 1.0)

    def _target_edit(self, *, seed: int) -> PromptProposal | None:
        """An edit of the prompt of actions for what solved answers lack by the target."""
        prompt = ACT if ACT in self._incumbent.prompt_texts else ""
        trials = [trial for trial in self._screened(self._incumbent, self.ids) if trial.solved and self._teaches(trial)]
        if not prompt or not trials:
            return None
        first = seed % len(trials)
        label = f"right, but not as it is wanted\nWanted: {self._engine.settings.wanted}"
        traces = [
            f"Trace {trial.task}, {label}\nSaid: {trial.record.answer}\n"
            for trial in trials[first:] + trials[:first]
            if trial.record is not None
        ]
        proposal = self._editor.edit_from_traces(prompt, self._incumbent.prompt_texts[prompt], traces, seed=seed)
        return proposal if proposal.revision.changes else None

    def _screened(self, candidate: Candidate, tasks: Sequence[str]) -> list[CandidateTrial]:
        name = candidate.digest
        fresh = [task for task in dict.fromkeys(tasks) if (name, task) not in self._known]
        if fresh:
            for trial in self._trials.screen(candidate, fresh):
                self._known[name, trial.task] = trial
        return [self._known[name, task] for task in tasks]

    def _candidate(self, texts: Mapping[str, str]) -> Candidate:
        proposal = self._proposal
        if dict(texts) == self._incumbent.prompt_texts or proposal is None:
            return self._incumbent
        return self._child(proposal)

    def _child(self, proposal: PromptProposal) -> Candidate:
        texts = {**self._incumbent.prompt_texts, proposal.prompt: proposal.text}
        return replace(
            self._incumbent,
            prompts=tuple(texts.items()),
            parents=(self._incumbent.digest,),
            operator=f"edit of {proposal.prompt}",
            why=proposal.why,
        )

    def _new_attribution(self) -> Attribution:
        self._screened(self._incumbent, self.ids)
        # What failed under the incumbent, and successes of the same tasks under whatever was tried.
        own = [trial.record for (name, _), trial in self._known.items() if name == self._incumbent.digest]
        others = [
            trial.record for (name, _), trial in self._known.items() if name != self._incumbent.digest and trial.solved
        ]
        records = [record for record in [*own, *others] if record is not None]
        self._attribution = Attribution(
            editor=replace(self._editor, weak=self._weak()),
            records=records,
            texts=self._incumbent.prompt_texts,
            replay=self._engine.replay,
        )
        return self._attribution

    def _weak(self) -> tuple[str, ...]:
        if self._engine.items is None:
            return ()
        listed = [item.id for text in self._incumbent.prompt_texts.values() for item in parse_prompt(text).items]
        return weak_items(self._engine.items.item_utilities(), listed)

    def _note_items(self, proposal: PromptProposal, child: Candidate, tasks: Sequence[str]) -> None:
        """Keeps how the same tasks came out with and without the items that the edit changed."""
        if self._engine.items is None:
            return
        old = [trial for trial in self._screened(self._incumbent, tasks) if trial.informative]
        new = [trial for trial in self._screened(child, tasks) if trial.informative]
        counts = [sum(trial.solved for trial in old), sum(trial.solved for trial in new)]
        outcomes: dict[str, ItemUtility] = {}
        for change in proposal.revision.changes:
            if change.after:
                outcomes[change.after] = _utility(counts[1], len(new), counts[0], len(old))
            if change.before:
                outcomes[change.before] = _utility(counts[0], len(old), counts[1], len(new))
        self._engine.items.add_item_outcomes(
            digest(canonical_json([child.digest, self._incumbent.digest, list(tasks)])), outcomes
        )


def _utility(with_solved: int, with_all: int, without_solved: int, without_all: int) -> ItemUtility:
    return ItemUtility(
        with_solved=with_solved,
        with_failed=with_all - with_solved,
        without_solved=without_solved,
        without_failed=without_all - without_solved,
    )


GEPA = EngineKind(
    name="gepa",
    changes=frozenset({"prompts"}),
    make=lambda parts: GepaEngine(
        editor=parts.editor(), settings=parts.settings, items=parts.items, replay=parts.replay
    ),
    ready=load_gepa,
)
"""As it is registered."""

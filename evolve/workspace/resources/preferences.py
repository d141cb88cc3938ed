"""``ws.preferences`` and ``ws.comments``: what a person wants and said, to look at, change and delete."""

from __future__ import annotations

import builtins
import getpass
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.core.episodes import Cost, EpisodeRecord, Recalled, Suggestion, TaskView
from evolve.core.episodes.codec import to_data
from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, named_path
from evolve.core.ledger import Budget
from evolve.memory.preferences import (
    YOU_SAID,
    PersonAct,
    Preference,
    PreferenceContext,
    PreferenceRepository,
    PreferenceStatus,
    edit_in_words,
    is_new,
    narrower_preference,
    without_reply,
)
from evolve.memory.preferences.quotes import own_words
from evolve.workspace.resources.base import Resource, offered
from evolve.workspace.secrets import SecretCleaningLearner

if TYPE_CHECKING:
    from evolve.agent import Recall, RunRepository
    from evolve.policies.language.describing import PreferenceDraft
    from evolve.tasks import Task
    from evolve.trials.learner import Learner


ABOUT = "about"
"""Key of a run's JSON: instruction, family and folder of its task."""

_ANSWER = 2_000
"""Most characters of an answer that a model is shown to understand what was said of it."""

_SOURCES = {"person": YOU_SAID, "run": "the run did", "output": "the run read", "file": "a file says"}

_MOST = 40
"""Most preferences that one task is told of."""


class Preferences(Resource):
    """Preferences of the people who use a workspace. They act in a person's own runs and nowhere else.

    What an ``author`` is left out for is the user of the machine. Where a ``run`` is named, the act is kept with its
    run, episode and step, its task is the context, and what its programs printed is nobody's wish.
    """

    show = offered(PreferenceRepository.get)
    edit = offered(PreferenceRepository.edit)
    decline = offered(PreferenceRepository.decline)
    forget = offered(PreferenceRepository.forget)

    def __init__(self, repository: PreferenceRepository, runs: RunRepository, learner: Learner) -> None:
        self._repository = repository
        self._runs = runs
        self._learner = learner
        self.spent = Cost()
        """What asking the model for words has cost since the workspace was opened."""

    def suggest(self, act: PersonAct) -> Preference | None:
        """Keeps what an act seems to show, which acts once it is confirmed; None where it shows nothing.

        Its description is what the person said without words that only reply; :meth:`propose` has the model put it
        into general ones.

        Raises:
            UsageError: There is no such run.
        """
        return self._learn(act, context=None, confirmed=False)

    def add(self, text: str, *, context: PreferenceContext | None = None, author: str | None = None) -> Preference:
        """Keeps a wish that a person states; without a context it holds everywhere.

        Raises:
            UsageError: The text holds nothing besides what it quotes.
        """
        preference = self._learn(PersonAct(kind="stated", text=text, author=author or ""), context=context)
        if preference is None:
            raise UsageError("a preference needs some words of yours besides what they quote")
        return preference

    def from_answers(self, record: EpisodeRecord, *, choices: bool = False) -> builtins.list[Preference]:
        """Learns which of the choices the person took in an episode; other answers act once they confirm them.

        With ``choices`` only the former: a model is asked what is general in the others.
        """
        from evolve.agent.questions import is_answered

        learned = []
        for step in record.steps:
            asked, said = step.action, step.observation
            if asked.kind != "ask_user" or not is_answered(step) or said is None or (choices and not asked.options):
                continue
            act = PersonAct(kind="answer", text=said.text, question=asked.text, run=record.run, step=step.number)
            learned.append(self._learn(act, context=None, confirmed=bool(asked.options)))
        return [preference for preference in learned if preference is not None]

    def list(self, *, status: PreferenceStatus | None = None) -> builtins.list[Preference]:
        """All preferences but declined proposals, or those of one status, the latest learned first."""
        return [
            one for one in self._repository.list_preferences(status) if status is not None or one.status != "declined"
        ]

    def propose(self, name: str, *, budget: Budget | None = None) -> Preference:
        """Has the model put into words what the acts behind a preference show; it acts only once it is confirmed.

        Raises:
            BudgetExhausted: The budget does not allow it.
            UsageError: There is no such preference, or no model is named.
            ModelMistake: What the model says reads like an order, or holds code or an address.
            EndpointProblem: It could not be asked.
        """
        preference = self._repository.get(name)
        acts = [_act_in_words(act, self._answer(act)) for act in preference.acts]
        if isinstance(
            self._learner, SecretCleaningLearner
        ):  # what people said and changed may hold what a folder keeps secret
            self._learner.beware_of([Path(act.context.folder) for act in preference.acts if act.context.folder])
        before = getattr(self._learner, "spent", Cost())
        try:
            proposal = preference_description(self._learner, acts, budget)
        finally:
            self.spent += getattr(self._learner, "spent", before) - before
        return self._repository.propose(preference.id, proposal.description, by=self._learner.name)

    def confirm(
        self, name: str, description: str | None = None, *, contexts: Sequence[PreferenceContext] | None = None
    ) -> Preference:
        """Puts in force what was suggested, in the words that a model proposed if it did.

        Args:
            description: In these words instead.
            contexts: Where it holds; () is everywhere. None is the whole folder or every question, and of what is in
                force already where it holds now.

        Raises:
            UsageError: There is no such preference, or nothing of it waits to be confirmed.
        """
        preference = self._repository.get(name)
        if not preference.proposal and preference.status != "proposed":
            raise UsageError(f"nothing of {preference.id[:8]} waits to be confirmed")
        words = description or preference.proposal or preference.description
        if contexts is None and preference.status == "proposed":
            contexts = replace(preference, description=words).as_kept.contexts
        return self._repository.edit(preference.id, description=words, contexts=contexts)

    def suggest_remembering(
        self,
        suggestions: Sequence[Suggestion],
        *,
        run: str | PreferenceContext,
        known: Sequence[str] = (),
        most: int = 3,
    ) -> builtins.list[Preference]:
        """Keeps what a finished run suggests as proposals for its folder, else for every question; gives the new ones.

        Left out is what is known there, was declined there, or is contradicted by what the person wants there. Where
        the person says again what is in force for fewer tasks, that is suggested in its own words for more.

        Args:
            run: The run that suggests them, or where they hold if none does.
            known: Further texts that are known, such as notes.
            most: How many the person is asked about.

        Raises:
            UsageError: There is no such run.
        """
        found: builtins.list[Preference] = []
        before = self._repository.list_preferences()
        for one in suggestions:
            said = [one.quote] if one.source == "person" else []
            act = PersonAct(kind=one.kind, text=f"{_SOURCES[one.source]}: {one.quote}")
            act = self._placed(replace(act, run=run), None) if isinstance(run, str) else self._placed(act, run)
            here = [other for other in before if not other.is_elsewhere(act.context)]
            if len(found) >= most:
                break
            # Two things may rest on one sentence, and one thing may be suggested twice.
            if is_new(one.text, here, known, said=said) and is_new(one.text, found):
                found.append(self._repository.learn(act, one.text, confirmed=False))
            elif (
                said and is_new(narrow := narrower_preference(one.text, here, act.context, said=said), found) and narrow
            ):
                found.append(self._repository.learn(act, narrow, confirmed=False))
        return found

    def in_force(self, *, family: str = "", folder: str = "") -> builtins.list[Preference]:
        """What is in force for every task of a folder, or of a family without one; the latest learned first."""
        where = PreferenceContext(family=family, folder=folder).without_words
        return [one for one in self._repository.list_preferences("active") if one.covers(where)]

    def proposals(self, *, folder: str | None = None) -> builtins.list[Preference]:
        """What waits to be kept or declined, the latest first; of one folder where it is named, "" for of none."""
        return [
            one
            for one in self._repository.list_preferences("proposed")
            if folder is None or folder in {context.folder for context in one.contexts or (PreferenceContext(),)}
        ]

    def for_context(
        self, instruction: str, k: int = _MOST, *, family: str = "", folder: str = "", earlier: Sequence[str] = ()
    ) -> builtins.list[Recalled]:
        """At most ``k`` preferences that hold for a task, the most fitting first.

        Args:
            earlier: Tasks of the same conversation before this one, in the rest of which what was said of one holds.
        """
        context = PreferenceContext(instruction=instruction, family=family, folder=folder)
        return self._repository.for_context(context, k, earlier=earlier)

    def with_preferences(self, recall: Recall, *, folder: str = "") -> Recall:
        """A recall that offers the preferences before what the given one offers."""

        def both(view: TaskView, features: tuple[float, ...], k: int) -> Sequence[Recalled]:
            earlier = [turn.said for turn in view.earlier]
            wishes = self.for_context(view.instruction, family=view.family, folder=folder, earlier=earlier)
            return [*wishes, *recall(view, features, k)]

        return both

    def _learn(self, act: PersonAct, *, context: PreferenceContext | None, confirmed: bool = True) -> Preference | None:
        record = self._last_episode(act.run)
        # An answer may well repeat a choice that the person was given.
        material = list(_shown(record)) if record is not None and act.kind != "answer" else []
        description = act_text(act, material=material)
        if not description:
            return None
        if not confirmed:
            description = without_reply(description)
        return self._repository.learn(self._placed(act, context), description, confirmed=confirmed)

    def _placed(self, act: PersonAct, context: PreferenceContext | None) -> PersonAct:
        """The act with who did it and where; of a suggestion the folder alone, else the family alone."""
        record = self._last_episode(act.run)
        where = self._context(act.run) if context is None else context
        return replace(
            act,
            author=act.author or getpass.getuser(),
            context=where.without_words if act.is_from_run else where,
            episode=record.episode if record is not None else "",
            step=act.step or (record.steps[-1].number if record is not None and record.steps else 0),
        )

    def _answer(self, act: PersonAct) -> str:
        """The answer that an act was about."""
        record = self._last_episode(act.run)
        return "" if record is None else record.answer

    def _last_episode(self, run: str) -> EpisodeRecord | None:
        episodes = self._runs.episodes(run=self._runs.run(run).id) if run else []
        return episodes[-1] if episodes else None

    def _context(self, run: str) -> PreferenceContext:
        context = self._runs.run(run).body.get(ABOUT) if run else None
        return PreferenceContext(**context) if context else PreferenceContext()


def context_of(about: str = "", folder: str | os.PathLike[str] = "") -> PreferenceContext | None:
    """Where a preference holds: for tasks in words like these, for work in a folder, or None for everywhere.

    Raises:
        UsageError: There can be no folder of that name.
    """
    place = os.fspath(folder)
    if not about and not place:
        return None
    return PreferenceContext(instruction=about, folder=str(named_path(place).resolve()) if place else "")


def preference_problem(text: str) -> str:
    """What keeps a sentence from being kept as a person's, or "": the same as of a model's."""
    from evolve.core import text_screen

    return text_screen.insight_problem(text)


def act_text(act: PersonAct, *, material: Sequence[str] = ()) -> str:
    """What an act says in the person's own words, else in those of an edit; "" where that is nothing.

    So it is of a suggestion: its words are a model's, and lost with it.
    """
    if act.is_from_run:
        return ""
    words = own_words(act.text, preference_problem, material=material)
    return words or (edit_in_words(act.before, act.after, preference_problem) if act.kind == "edit" else "")


def preference_description(learner: Learner, said: Sequence[str], budget: Budget | None = None) -> PreferenceDraft:
    """What the workspace's model makes of what people said.

    Raises:
        UsageError: No model is named.
    """
    ask = getattr(learner, "describe", None)
    if ask is None:
        raise UsageError(
            "no model is named that could propose words", hint="evolve models default NAME, or --model NAME"
        )
    answer: PreferenceDraft = ask(said, budget or Budget())
    return answer


def _act_in_words(act: PersonAct, answer: str = "") -> str:
    """An act as a model is told of it.

    Args:
        answer: The answer that it was about.
    """
    question = f"asked: {act.question}\n" if act.question else ""
    task = f"task: {act.context.instruction}\n" if act.context.instruction else ""
    about = f"the answer it is about:\n{answer[:_ANSWER]}\n" if answer else ""
    changed = "\n".join(act.edit_difference)
    return f"{task}{about}{act.kind}\n{question}{act.text}\n{changed}".strip()


def task_context(task: Task) -> dict[str, dict[str, str]]:
    """What a run notes of its task, so that an act on it is known by its context."""
    return {ABOUT: {"instruction": task.instruction[:2_000], "family": task.family, "folder": task.folder}}


def _shown(record: EpisodeRecord) -> Iterator[str]:
    """What a person was shown of an episode that no person wrote."""
    yield record.answer
    for step in record.steps:
        yield step.action.text
        yield step.action.code
        if step.observation is not None:
            yield step.observation.text
            yield step.observation.error
            yield canonical_json(list(step.observation.outputs))
            yield canonical_json(to_data(step.observation.state))


Comment = PersonAct
"""What a person wrote about a run; its kind is ``comment``."""


class Comments:
    """The comments on runs, those that are wishes as well included."""

    def __init__(self, acts: PreferenceRepository, runs: RunRepository) -> None:
        self._acts = acts
        self._runs = runs

    def add_comment(self, run: str, text: str, *, author: str | None = None) -> Comment:
        """Keeps what a person says about a run.

        Raises:
            UsageError: There is no such run, or the text holds nothing besides what it quotes.
        """
        if not own_words(text, preference_problem):
            raise UsageError("a comment needs some words of yours besides what they quote")
        stored = self._runs.run(run)
        return self._acts.save_act(
            PersonAct(kind="comment", text=text, run=stored.id, author=author or getpass.getuser())
        )

    def list(self, run: str | None = None) -> list[Comment]:
        """All of them, or those on one run, oldest first."""
        return [act for act in self._acts.acts_of_kind("comment") if act.run and run in (None, act.run)]

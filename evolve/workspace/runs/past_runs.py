"""``ws.runs``: what was done, step by step, and what a person does about it."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from evolve.agent import Run
from evolve.core.episodes import EpisodeRecord, Question, SubgoalState
from evolve.core.episodes.codec import from_data
from evolve.core.errors import UsageError
from evolve.core.events import read_events
from evolve.core.ledger import Budget, Ledger
from evolve.memory.preferences import PersonAct, Preference
from evolve.skills import Skill
from evolve.trials.admitting import RefusedSkill, reason_not_kept
from evolve.workspace.opening import utc_now
from evolve.workspace.resources.base import Resource
from evolve.workspace.resources.evaluators import Criterion
from evolve.workspace.resources.patch import Patch
from evolve.workspace.resources.preferences import Comment
from evolve.workspace.runs.beginnings import RunStart, beginning_of
from evolve.workspace.runs.conversations import Conversations
from evolve.workspace.runs.diagnosing import Diagnosis, diagnose
from evolve.workspace.runs.explaining import Explanation, explain_run
from evolve.workspace.runs.history import chosen_episode
from evolve.workspace.runs.learning import learn_and_close, pending_episodes
from evolve.workspace.runs.person import Person
from evolve.workspace.runs.result import Result
from evolve.workspace.runs.run_answers import (
    forget_answers,
    function_of,
    functions_of_runs,
    keep_answer,
    kept_by_person,
)
from evolve.workspace.runs.saved import owned_skill
from evolve.workspace.runs.searching import SearchHit, question_of_run, search_record
from evolve.workspace.runs.solving import continue_run, waiting_question
from evolve.workspace.services import WorkspaceServices


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """One line of the list.

    Attributes:
        episodes: How many are on record.
        question: What the run waits for, or None.
    """

    run: Run
    episodes: int
    question: Question | None

    @property
    def instruction(self) -> str:
        """The task in its own words; "" where none were noted."""
        return question_of_run(self.run)


@dataclass(frozen=True, kw_only=True)
class PastRun:
    """A run with all that is on record of it.

    Attributes:
        episodes: In the order in which they were done.
        question: What the run waits for, or None.
        not_kept: By episode, the skills that it proposed and that were refused, with the reasons.
        unwanted: The person refused its change of a folder.
    """

    run: Run
    episodes: tuple[EpisodeRecord, ...]
    question: Question | None
    not_kept: Mapping[str, tuple[RefusedSkill, ...]] = field(default_factory=dict)
    unwanted: bool = False

    @property
    def model(self) -> str | None:
        """The model that a waiting run was begun with, or None for that of the settings."""
        name: str | None = self.run.body.get("model")
        return name


@dataclass(frozen=True, kw_only=True)
class EpisodePlan:
    """What an episode set out to do.

    Attributes:
        subgoals: In order; () where it has none.
        states: The same with how far each has come, where the actions of a model brought the plan.
    """

    goal: str
    subgoals: tuple[str, ...]
    states: tuple[SubgoalState, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CommentResult:
    """What came of a comment.

    Attributes:
        metrics: Those of the criteria of installed packages that it speaks of.
        new: Ids of those that there were not before.
        preference: What it says for other tasks, where that was wanted; it waits until the person has confirmed it.
    """

    comment: Comment
    metrics: tuple[Criterion, ...]
    new: frozenset[str]
    preference: Preference | None = None


class Runs(Resource):
    """The runs of a workspace.

    Args:
        writable: Raises :class:`UsageError` where the workspace is open for reading only.
        retire: Takes a skill out of use.
    """

    def __init__(
        self, services: WorkspaceServices, writable: Callable[[], None], retire: Callable[[str], Skill]
    ) -> None:
        self._services, self._writable, self._retire = services, writable, retire

    def list(self) -> builtins.list[RunRow]:
        """Every run, oldest first."""
        records = self._services.stores.runs
        counts = Counter(record.run for record in records.episodes())
        return [RunRow(run=run, episodes=counts[run.id], question=waiting_question(run)) for run in records.list_runs()]

    def search(self, question: str, k: int = 5) -> builtins.list[SearchHit]:
        """What was asked in conversations and runs and what came of it, by a question in words, best first.

        A time that the question names counts ("what did we decide about the port last week"). Nothing is learned from
        it. A run whose model looks something up is shown the best of it, as data.
        """
        talks = Conversations(self._services.paths.runs / "chats").list()
        return search_record(question, k, talks, self._services.stores.runs)

    def unlearned(self) -> builtins.list[str]:
        """Ids of the runs that :meth:`Workspace.learn` would learn from, oldest first; also for another policy."""
        return list(dict.fromkeys(one.run for one in pending_episodes(self._services)))

    def keep(self, run: str) -> Skill:
        """Makes a skill of yours of a run's function, because you say that it is right; if it can be none, keeps it so.

        Gives the skill of yours that it is; under the id of the run where it can be none.

        Raises:
            UsageError: There is no such run, or it has no function that is right on rows.
        """
        self._writable()
        kept = keep_answer(self._services, run, utc_now()[:10])
        return owned_skill(self._services, kept) or kept.answer

    def functions_kept(self) -> builtins.list[Skill]:
        """The functions that :meth:`keep` kept, each under the id of its run."""
        return kept_by_person(self._services)

    def functions(self) -> builtins.list[Skill]:
        """The functions of runs that later tables use, each under the id of its run."""
        return functions_of_runs(self._services)

    def leave(self, run: str) -> None:
        """Takes the function that a run found out of use, until you :meth:`keep` it.

        What is the same function goes with it: answers of other runs, and skills.

        Raises:
            UsageError: There is no such run, or it has no function.
        """
        self._writable()
        function = function_of(self._services, self._services.stores.runs.run(run))
        if function is None:
            raise UsageError(f"run {run} has no function that later tables use", hint="evolve skills list")
        for skill in forget_answers(self._services, function.answer):
            self._retire(skill.digest)

    def show(self, run: str) -> PastRun:
        """A run with its episodes, and what it waits for.

        Raises:
            UsageError: There is none of that id.
        """
        stored_run = self._services.stores.runs.run(run)
        episodes = self._services.stores.runs.episodes(run=stored_run.id)
        journal = self._services.stores.runs.journal(stored_run.id)
        told = {record.episode: reason_not_kept(journal, record.episode) for record in episodes if record.drafts}
        return PastRun(
            run=stored_run,
            episodes=tuple(episodes),
            question=waiting_question(stored_run),
            not_kept={episode: refused for episode, refused in told.items() if refused},
            unwanted=any(patch.run == run and patch.state == "refused" for patch in self._services.folders.list()),
        )

    def episodes(self, beginning: str) -> builtins.list[str]:
        """Ids of the episodes that begin like that."""
        return self._services.stores.runs.beginning_with(beginning)

    def replay(self, episode: str) -> EpisodeRecord:
        """An episode again, step by step, from the record.

        Args:
            episode: Its id or a unique beginning of it.

        Raises:
            UsageError: There is none.
        """
        return self._services.stores.runs.episode(episode)

    def diagnose(self, run: str, *, replay: bool | None = None) -> Diagnosis:
        """Why a run failed: the step that broke it, what it rested on, and what turns the outcome when taken away.

        Nothing is changed and nothing is learned.

        Args:
            run: Its id, or that of one of its episodes.
            replay: Have it again without its suspects, at the price of the model that is asked; False has nothing run
                again; None what costs little: short searches, and recorded actions in a folder.

        Raises:
            UsageError: There is none, or it has several episodes and none is named.
        """
        if replay:
            self._writable()  # what models cost is booked
        return diagnose(self._services, run, replay)

    def why(self, run: str) -> Explanation:
        """Why a run's answer counts as verified or not, what it used that was learned, and what was learned from it.

        Args:
            run: Its id, or that of one of its episodes.

        Raises:
            UsageError: As for :meth:`diagnose`.
        """
        return explain_run(self._services, run)

    def start_of(self, run: str) -> RunStart | None:
        """What the run of this id, or of an episode, was begun with; None where that is not on record."""
        return beginning_of(self._services, chosen_episode(self._services, run)[0])

    def plan(self, run: str) -> EpisodePlan | None:
        """The plan that the last episode of a run told, and how far it came, also where it was cut off; or None."""
        logs = sorted((self._services.paths.runs / run).glob("*/events.jsonl"))
        events = [event for log in logs for event in read_events(log)]
        begun = [place for place, event in enumerate(events) if event.kind == "plan"]
        if not begun:
            return None
        plan = events[begun[-1]].data
        told = [event.data["states"] for event in events[begun[-1] :] if event.data.get("states")]
        states = tuple(from_data(SubgoalState, state) for state in told[-1]) if told else ()
        subgoals = tuple(state.subgoal.goal for state in states) or tuple(plan.get("subgoals", ()))
        return EpisodePlan(goal=str(plan.get("goal", "")), subgoals=subgoals, states=states)

    def diff(self, run: str) -> Patch:
        """What a run would change, or changed, in a folder.

        Raises:
            UsageError: There is no such run, or it changed no folder.
        """
        self._services.stores.runs.run(run)
        return self._services.folders.get(run)

    def answer(self, run: str, said: str | None, *, person: Person | None = None) -> Result:
        """Answers the question that a run waits at, and goes on with the run from there.

        Nothing that was done before is done or paid for again.

        Args:
            run: Its id.
            said: The person's answer; ``yes`` gives leave where that is asked for, anything else refuses with that
                reason. None takes the question back: the work that asked ends unsolved, or leave is refused.
            person: Who answers what is asked afterwards.

        Raises:
            UsageError: The run waits for nothing, or was begun by another model.
        """
        self._writable()
        person = person or Person()
        began = Ledger(Budget())
        return learn_and_close(self._services, continue_run(self._services, run, said, person), person, began)

    def apply(self, run: str) -> Patch:
        """Changes the folder as a run would: leave is given by calling this.

        Raises:
            UsageError: There is nothing to apply, or a file changed since the run; then nothing was applied.
        """
        self._writable()
        if self._waits_for_leave(run):
            self.answer(run, "yes")
            return self._services.folders.get(run)
        return self._services.folders.apply(run)

    def refuse(self, run: str, said: str = "no") -> Patch:
        """Leaves the folder as it is, and notes why; :meth:`apply` would still change it.

        Raises:
            UsageError: The run changed no folder.
        """
        self._writable()
        if self._waits_for_leave(run):
            self.answer(run, said)
            return self._services.folders.get(run)
        return self._services.folders.refuse(run, said)

    def comment(self, run: str, text: str, *, prefer: bool = False) -> CommentResult:
        """Keeps what a person says about a run; with a package, comments that speak of the same become a metric.

        Args:
            prefer: It is also a wish for other such tasks, which acts once it is confirmed.

        Raises:
            UsageError: There is no such run, or the text holds nothing besides what it quotes.
        """
        self._writable()
        wish = PersonAct(kind="comment", text=text, run=run)
        preference = self._services.preferences.suggest(wish) if prefer else None
        comment = self._services.comments.add_comment(run, text) if preference is None else preference.acts[-1]
        new = self._services.criteria.gather()
        spoken = tuple(one for one in self._services.criteria.list() if comment.id in one.comments)
        new &= {one.id for one in spoken}
        return CommentResult(comment=comment, metrics=spoken, new=new, preference=preference)

    def comments(self, run: str | None = None) -> builtins.list[Comment]:
        """What people said about runs, or about one, oldest first."""
        return self._services.comments.list(run)

    def _waits_for_leave(self, run: str) -> bool:
        question = waiting_question(self._services.stores.runs.run(run))
        return question is not None and question.kind == "approve"

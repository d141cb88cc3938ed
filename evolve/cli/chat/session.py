"""One session: turns of a conversation, each a run, with what the person decides between them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from evolve.cli.asking import TYPED_AHEAD, WAITING, ask_consent
from evolve.cli.chat import showing
from evolve.cli.chat.learning import BackgroundLearner, learn, print_learning
from evolve.cli.chat.progress import Progress
from evolve.cli.chat.reading import ParsedInput, parse_approval
from evolve.cli.chat.screen import Screen
from evolve.cli.chat.setup import ChatSetup, open_workspace
from evolve.cli.chat.spending import SessionBudget, bounds_of, budget_of, spent_of
from evolve.cli.open_questions import QuestionView, settle
from evolve.cli.render.output import count_of, shorten_home_path
from evolve.cli.render.verdicts import WORDS
from evolve.cli.signals import handle_interrupts
from evolve.core.errors import BudgetExhausted, EvolveError, SetupProblem, UsageError
from evolve.workspace import Person, PersonAct

if TYPE_CHECKING:
    from evolve.workspace import (
        CallApprovalRequest,
        Cancellation,
        ChatTurn,
        Consent,
        Conversation,
        Cost,
        LearningResult,
        Patch,
        Question,
        Result,
        Task,
        Workspace,
    )

Ask = Callable[[str], str | None]
"""Puts a question to the person and gives the line typed; None where nobody answers."""

STOPPED = 130
_UNDECIDED = "nothing is changed yet: /approve applies it, /refuse REASON drops it"

WITHOUT_MODEL = (
    "without a model: rows `input -> output`, ended by an empty line",
    "also without: task files (rows.csv) and everyday#name-initials-1",
    "in words: /model NAME for now, `evolve models default NAME` for good",
)


@dataclass
class ChatSession:
    """A conversation at a terminal, with its settings, its budget and the turn under way.

    Attributes:
        learn: Learns from something the person did, once they have confirmed what was understood.
        attended: Somebody is there to be asked.
        code: What the command would exit with now: the code of the last turn.
        shown: Every difference that was on this screen, for nothing else is leave given.
        learner: Learns behind the prompt, where somebody types.
        to_remember: How many suggestions of its runs wait for the person.
        owes: Something may be left to be learned from.
        left_over: A command that was typed in place of an answer, and is still to be done.
    """

    setup: ChatSetup
    screen: Screen
    ask: Ask
    conversation: Conversation
    edit: Callable[[str], str | None] = field(default=lambda text: None)
    learn: Callable[[PersonAct], None] = field(default=lambda act: None)
    drop_typed_ahead: Callable[[], bool] = field(default=lambda: False)
    purse: SessionBudget = field(default_factory=SessionBudget)
    code: int = 0
    leaving: bool = False
    attended: bool = False
    shown: set[str] = field(default_factory=set)
    learner: BackgroundLearner = field(default_factory=BackgroundLearner)
    to_remember: int = 0
    owes: bool = False
    left_over: str = ""
    _booked: Mapping[str, float] = field(default_factory=dict)
    _asked_about: str = ""
    _progress: Progress = field(init=False)
    _booked_lessons: dict[str, Mapping[str, float]] = field(default_factory=dict)

    @contextmanager
    def open_workspace(self, *, read_only: bool = False) -> Iterator[Workspace]:
        """The workspace for as long as something is done with it, once learning is set aside."""
        self.set_learning_aside()
        self._progress = Progress(self.screen)
        with open_workspace(self.setup, self._progress, read_only=read_only) as workspace:
            yield workspace

    def set_learning_aside(self) -> None:
        """Has nobody else use the workspace, until the next prompt."""
        self.learner.set_aside()
        self.tell_learned()

    def run_turn(self, wanted: ParsedInput, asked: str, turn: ChatTurn | None = None) -> None:
        """One turn: a run, shown while it goes on; stopped by Ctrl-C.

        Args:
            turn: An unfinished turn to go on with.
        """
        if turn is None:
            budget = bounds_of(self.purse.remaining())
            if wanted.kind == "words" and not self._has_model():
                turns = self.conversation.turns
                if turns and showing.is_function(turns[-1]):
                    self.code = showing.try_last_function(turns, wanted.text, self.screen, self.setup) or 0
                    return
                self.code = 2
                for text in WITHOUT_MODEL:
                    self.screen.print_line("hint", text)
                return
            turn = self.conversation.ask(asked, budget, self.setup.conversation_options)
        self._booked, self._progress = turn.spent, Progress(self.screen)
        try:
            with handle_interrupts() as cancellation:
                task, result = self._run(wanted, turn, self.person(cancellation))
        except KeyboardInterrupt:
            self._record_stop(turn)
            return
        except SetupProblem as problem:
            self._book_broken_off()
            self._record_stop(replace(turn, spent=self._booked), str(problem))
            raise
        except EvolveError as error:
            self.conversation.end_turn(replace(turn, status="error", told=str(error)))
            raise
        self._book(result.cost)
        if result.status == "interrupted":
            self._record_stop(replace(turn, run=result.run_id, spent=self._booked))
            return
        self._finish_turn(turn, result)
        if self.attended and result.patch is None:
            self._settle(task, turn, result)

    def person(self, cancellation: Cancellation | None = None) -> Person:
        """The person of this session, as a run knows them."""
        person = Person(
            respond=self._respond,
            before_approval=self._show_before_question if self.attended else None,
            approve=self.setup.approve,
            consent=self.consent if self.attended else None,
            learn=self.setup.learn,
            streams=True,
        )
        return person if cancellation is None else replace(person, cancellation=cancellation)

    def _record_stop(self, turn: ChatTurn, why: str = "stopped by the person") -> None:
        """Keeps the turn as stopped, which ``/again`` goes on with."""
        self.code = STOPPED
        self.conversation.end_turn(replace(turn, status="interrupted", told=why))
        self.screen.print_line("stopped", "evolve keeps what is finished; /again continues from there")

    def _book(self, cost: Cost) -> None:
        """Books what a run has cost since the last time, also where it was stopped in between."""
        self.purse.add_cost(cost, self._booked)
        self._booked = spent_of(cost)

    def _book_broken_off(self) -> None:
        from evolve.workspace import Cost

        if self._progress.spent:
            self._book(Cost(**self._progress.spent))

    def _has_model(self) -> bool:
        with self.open_workspace(read_only=True) as workspace:
            return workspace.uses_model

    def _run(self, wanted: ParsedInput, turn: ChatTurn, person: Person) -> tuple[Task, Result]:
        with self.screen.show_working("starting"), self.open_workspace() as workspace:
            task = self._task(wanted, workspace)
            for warning in task.warnings:
                self.screen.print_line("warning", warning)
            python = self.setup.python if task.folder else None
            with workspace.delivering():  # what it teaches comes once it was shown
                result = workspace.run(task, budget=budget_of(turn.budget), python=python, person=person)
        return task, result

    def _respond(self, question: Question) -> str | None:
        """Puts a question of a run to the person; None where it stays open."""
        with self.screen.pause_live_line():
            if question.kind == "approve":
                return self.ask_leave(question.detail, question.text)
            options = "".join(f"\n{number}  {option}" for number, option in enumerate(question.options, 1))
            self.screen.lines("ask", question.text + options)
            answer = (self.ask_afresh("your answer (Enter leaves it open): ") or "").strip()
            if answer.isdigit() and 1 <= int(answer) <= len(question.options):
                return question.options[int(answer) - 1]
            return answer or None

    def _show_before_question(self, result: Result) -> None:
        """Shows a change with its verdict, and remembers that it did."""
        with self.screen.pause_live_line():
            showing.show_result(self.screen, result, folder=self.setup.folder)
        self.shown.add(showing.diff_of(result))
        self._asked_about = result.run_id

    def consent(self, question: CallApprovalRequest) -> Consent:
        """Asks for leave to call a function."""
        with self.screen.pause_live_line():
            return ask_consent(question, lambda line: self.screen.lines("ask", line), self.ask_afresh)

    def ask_leave(self, diff: str, text: str) -> str | None:
        """Shows a difference and asks for leave: ``yes``, a reason against it, or None for later."""
        if diff:  # else it was shown with its verdict
            self.show_diff(diff)
        answer = self.ask_afresh(f"{shorten_home_path(text)} [yes/no/later] ")
        return None if answer is None else parse_approval(answer.strip(), self.ask)

    def ask_afresh(self, question: str) -> str | None:
        """Asks about what is on the screen now: what was typed before that is no answer to it."""
        if self.drop_typed_ahead():
            self.screen.print_line("hint", TYPED_AHEAD)
        return self.ask(question)

    def show_diff(self, diff: str) -> None:
        """Puts a difference on the screen."""
        self.screen.diff(diff)
        self.shown.add(diff)

    def _task(self, wanted: ParsedInput, workspace: Workspace) -> Task:
        """The task that is wanted, with the turns before it as they stand now."""
        from evolve.workspace import tasks

        if wanted.kind == "rows":
            task = tasks.read(examples=wanted.rows)
        elif wanted.kind == "named":
            task = tasks.read(wanted.text)
        elif not workspace.uses_model:
            raise UsageError(WITHOUT_MODEL[0], hint=WITHOUT_MODEL[2])
        elif self.setup.folder:
            task = tasks.in_folder(wanted.text, self.setup.folder, self.setup.check)
        else:
            task = replace(tasks.in_words(wanted.text), warnings=())
        last = next((turn.run for turn in reversed(self.conversation.turns) if turn.run), "")
        plan = workspace.runs.plan(last) if last else None
        plans = {last: plan.states} if plan is not None else {}
        return replace(task, earlier=self.conversation.earlier_turns(workspace.folders.list(), plans))

    def _settle(self, task: Task, turn: ChatTurn, result: Result) -> None:
        """Asks what the rows leave open, once the answer was shown and kept; another answer takes its place."""

        def again(changed: Task) -> Result:
            self._booked = {}  # with another row it is another run
            starting = self.screen.show_working("searching for a function that gives that, too")
            with handle_interrupts() as cancellation, starting, self.open_workspace() as opened, opened.delivering():
                new = opened.run(changed, budget=self.purse.remaining(), person=self.person(cancellation))
            self._book(new.cost)
            return new

        talk = QuestionView(
            tell=lambda text: self.screen.lines("ask", text),
            ask=self.ask_afresh,
            again=again,
            show=lambda new: self._finish_turn(turn, new),
        )
        try:
            _, self.left_over = settle(task, result, talk)
        except KeyboardInterrupt:
            self.screen.print_line("stopped", "evolve keeps the function that you see")

    def _finish_turn(self, turn: ChatTurn, result: Result) -> None:
        """Keeps the result as the turn's, shows it, and asks about what it would change."""
        answer = result.answer if result.outcome in ("solved", "unverified") else ""
        if result.outcome == "unverified" and not result.words and result.patch is None:
            answer = f"{answer.rstrip()}\n# it gives {json.dumps(result.value, ensure_ascii=False)}"
        finished = replace(
            turn,
            status=result.outcome,  # also where the change still waits for leave
            told=result.note,
            answer=answer,
            words=bool(result.words),
            run=result.run_id,
            spent=spent_of(result.cost),
        )
        self.conversation.end_turn(finished)
        told = replace(result, ambiguity=None) if self.attended else result  # then it is asked about
        if result.run_id != self._asked_about:
            showing.show_result(
                self.screen, told, diff=showing.diff_of(result) not in self.shown, folder=self.setup.folder
            )
        self.shown.add(showing.diff_of(result))
        self.code = result.exit_code
        if result.patch is not None and result.patch.names:
            self.report_patch(result.patch)
        self.owes = True
        if not self.attended:
            self.learn_now()

    def learn_now(self) -> None:
        """Learns while nobody types; Ctrl-C leaves it for after the next turn."""
        try:
            with self.screen.show_working("keeping what was learned"):
                self._tell(learn(self.open_workspace, self.purse.remaining()))
        except KeyboardInterrupt:
            self.screen.print_line("stopped", "the result stays; evolve learns from it after the next turn")
        except EvolveError as problem:
            self._tell_unlearned(problem)

    def learn_behind_the_prompt(self) -> None:
        """Goes on with what is left to be learned from, and returns at once."""
        self.tell_learned()
        if not (self.owes and self.attended) or self.learner.is_busy:
            return
        try:
            self.learner.begin(partial(open_workspace, self.setup), self.purse.remaining())
        except BudgetExhausted as problem:
            self._tell_unlearned(problem)

    def tell_learned(self, *, sound: bool = False) -> None:
        """Says what was learned behind the prompt, as soon as that is known; see :meth:`Learner.outcome`."""
        try:
            taught = self.learner.take_outcome(sound=sound)
        except EvolveError as problem:
            self._tell_unlearned(problem)
        else:
            self._tell(taught or ())

    def end_learning(self) -> None:
        """Ends learning, and says what is left of it."""
        self.learner.close()
        self.tell_learned()
        if self.owes and (runs := self.unlearned_runs()):
            told = runs[0] if len(runs) == 1 else f"{runs[0]} and {count_of(runs[1:], 'other run')}"
            text = f"not everything is learned from {told} yet: `{self.setup.learn_command}` goes on"
            self.screen.print_line("left", text)

    def unlearned_runs(self) -> Sequence[str]:
        """The runs that are not learned from yet."""
        with self.open_workspace(read_only=True) as workspace:
            return workspace.runs.unlearned()

    def _tell(self, taught: Sequence[LearningResult]) -> None:
        if not taught:
            return
        self.owes = any(one.stopped for one in taught)
        for one in taught:
            # What was set aside and goes on tells what it has cost in all.
            self.purse.add_cost(one.cost, self._booked_lessons.get(one.episode, {}))
            self._booked_lessons[one.episode] = spent_of(one.cost)
        print_learning(self.screen, taught)
        self.to_remember += sum(len(one.proposals) for one in taught)
        for one in taught:
            self._tell_found(one)

    def _tell_unlearned(self, problem: EvolveError) -> None:
        self.owes = False  # until after the next turn
        self.screen.print_line("warning", f"it is not learned from yet: {problem}; /learn tries it again")

    def _tell_found(self, taught: LearningResult) -> None:
        found = taught.found
        turn = next((turn for turn in reversed(self.conversation.turns) if turn.run == taught.run), None)
        if found is None or turn is None:
            return
        text = f"evolve found a right answer while learning, {WORDS[found.kind]}: run {taught.run}"
        self.screen.print_line("found", text)
        told = f"{turn.told}; while learning a right answer was found"
        self.conversation.end_turn(replace(turn, told=told, answer=found.answer))
        if taught.changes:
            self.screen.diff(found.answer)
            if not self.attended:  # else what is being typed just now may mean another change
                self.shown.add(found.answer)
            self.screen.print_line("waiting", _UNDECIDED)
        else:
            self.screen.code(found.answer)

    def report_patch(self, patch: Patch) -> None:
        """Says what became of a change, keeps a refusal with its turn, and learns from its reason."""
        if patch.state == "applied":
            self.code = 0
            self.screen.print_line("applied", f"{', '.join(patch.names)}; /undo takes it back")
        elif patch.state == "refused":
            self.conversation.note_refusal(patch)
            reason = " with your reason" if patch.reason else ""
            self.screen.print_line("refused", f"nothing is changed; /again tries anew{reason}")
            if patch.reason:
                self.learn(PersonAct(kind="refusal", text=patch.reason, run=patch.run))
            self.code = 1
        else:
            self.code = WAITING
            self.screen.print_line("waiting", _UNDECIDED)

    def pending_patch(self) -> Patch | None:
        """The newest change of this conversation that nobody has decided about."""
        for turn in reversed(self.conversation.turns):
            if turn.run:
                with self.open_workspace(read_only=True) as workspace:
                    patch = next((change for change in workspace.folders.list() if change.run == turn.run), None)
                if patch is not None:
                    return patch if patch.state == "waiting" and patch.names else None
        return None

"""The workspace: what a program or the command line holds while it works."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Unpack

from evolve.errors import UsageError, WorkspaceError
from evolve.events import Event, EventSink, NoEvents
from evolve.memory.preferences import PreferenceBook
from evolve.paths import WorkspacePaths, find_workspace, user_workspace
from evolve.record.stores import Stores
from evolve.settings import Settings, load_settings, with_sandbox
from evolve.skills import ACTIVE
from evolve.store import WriterLock, closed
from evolve.tasks import Task
from evolve.workspace.arguments import BudgetLike, as_budget, checked
from evolve.workspace.desk import Desk
from evolve.workspace.health.housekeeping import drop_checkpoints, tidy
from evolve.workspace.learners import check_model, choose_learner
from evolve.workspace.loops.improving import Asked, improve, report
from evolve.workspace.loops.optimizing import OptimizerRequest, optimize
from evolve.workspace.loops.trials import TrialsReport, TrialsRequest, play_trials
from evolve.workspace.loops.tried_claims import TriedMemories
from evolve.workspace.loops.tried_variants import TriedVariants
from evolve.workspace.opening import is_current, locate, open_stores, sandbox_opener
from evolve.workspace.options import Options
from evolve.workspace.runs.approvals import undone
from evolve.workspace.runs.conversations import Conversations
from evolve.workspace.runs.fill_request import FillOptions, FillRequest
from evolve.workspace.runs.filled import Filled
from evolve.workspace.runs.filling import fill
from evolve.workspace.runs.given_task import Examples, wanted_task
from evolve.workspace.runs.learning import Taught, learn, settled
from evolve.workspace.runs.past_runs import Runs
from evolve.workspace.runs.person import Person
from evolve.workspace.runs.place import Wish
from evolve.workspace.runs.result import Result
from evolve.workspace.runs.solving import solve
from evolve.workspace.shelves.folders import Folders, Patch
from evolve.workspace.shelves.gate import GateLog
from evolve.workspace.shelves.judges import Judges
from evolve.workspace.shelves.metrics import Metrics
from evolve.workspace.shelves.models import Models
from evolve.workspace.shelves.preferences import Preferences
from evolve.workspace.shelves.shelf import Shelf, shut
from evolve.workspace.shelves.skills import Skills
from evolve.workspace.shelves.tools import Tools
from evolve.workspace.shelves.workflow import Workflows

if TYPE_CHECKING:
    from evolve.improve.optimization import OptimizationReport
    from evolve.improve.report import Report
    from evolve.sandbox import Sandbox


@checked("task", "examples", "budget")
class Workspace:
    """One open workspace. Use it as a context manager; the writer's lock is held until it is closed.

    Attributes:
        runs: What was done, and what waits for a person.
        conversations: What was asked turn by turn.
        memory: Notes and insights.
        preferences: What the person wants: instructions, never evidence.
        skills: Learned skills.
        metrics: What people say about runs, gathered.
        models: Models that decide, and what their endpoints can do.
        judges: Models that judge, and what they were found to be worth.
        variants: What was tried, and which of it acts.
        gate: The verdicts on what was tried.
        workflow: The order of an episode's stages.
        folders: What runs would change in folders: to apply and to undo.
        tools: Functions that code actions may call.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, options: Options | None = None) -> None:
        self.options = options or Options()
        check_model(self.options.policy, self.options.model)  # refuses before anything is made
        self.paths = WorkspacePaths(find_workspace(path) or user_workspace())
        self.settings: Settings = with_sandbox(load_settings(self.paths.root), self.options.sandbox)
        self.learner = choose_learner(self.options.policy, self.options.model, (self.paths, self.settings))
        self.options.check(self.paths)
        # After settings and model were read: what is refused makes no workspace.
        self.created = locate(path, looking=self.options.read_only).created
        self.events: EventSink = self.options.events or NoEvents()
        self._lock = WriterLock(self.paths.lock)
        self._held: list[tuple[str, str]] | None = None
        self._sandbox: Sandbox | None = None
        self._closed = False
        self.stores = self._open()
        wishes = PreferenceBook(self.stores.db, self.stores.memory.embedder)
        self.preferences = Preferences(wishes, self.stores.runs, self.learner)
        only = self.options.read_only
        self.skills = Skills(self.stores, self.paths, self.open_sandbox, on_empty=self._forgotten, read_only=only)
        self.judges = Judges(self.stores.db, self.learner, self.open_sandbox, self.paths)
        self.metrics = Metrics(self.stores, wishes, self.judges, self.learner)
        self.folders = Folders(self.paths.runs)
        self.tools = Tools(lambda: self._desk.servers(), self._warn, self.stores.db)
        self._desk = Desk(
            paths=self.paths,
            settings=self.settings,
            learner=self.learner,
            model=self.options.model,
            events=self.events,
            stores=self.stores,
            preferences=self.preferences,
            judges=self.judges,
            metrics=self.metrics,
            folders=self.folders,
            tools=self.tools,
            open_sandbox=self.open_sandbox,
            finish=self.finish,
            shows=lambda: self._held is not None,
            kept=self.options.servers,
        )
        self.memory = TriedMemories(self._desk, self._need_writer, on_empty=self._forgotten)
        self.conversations = Conversations(self.paths.runs / "chats")
        self.runs = Runs(self._desk, self._need_writer, self.conversations.list)
        self.variants = TriedVariants(self._desk, self._need_writer)
        self.gate = GateLog(self.stores)
        self.models = Models(self.paths.root, self.judges)
        self.workflow = Workflows(lambda: self.paths.prompts, lambda: self.skills.list(ACTIVE))
        for name, reason in self.skills.quarantined.items():
            self._warn(f"the skill {name} is not used: {reason}")

    def _open(self) -> Stores:
        if self.options.read_only and is_current(self.paths):
            return open_stores(self.paths, self.settings, read_only=True)
        with ExitStack() as undo:
            self._lock.acquire()
            undo.callback(self._lock.release)
            stores = open_stores(self.paths, self.settings, warn=self._warn)
            if not self.options.read_only:
                # A writer keeps the lock for as long as the workspace is open.
                undo.pop_all()
                return stores
            # There was no record yet, or an older one; now it is there and up to date.
            stores.db.close()
        return open_stores(self.paths, self.settings, read_only=True)

    @property
    def mark(self) -> dict[str, bool]:
        """What a run notes of itself when its code is not confined, else {}."""
        return self._desk.mark

    @property
    def uses_model(self) -> bool:
        """Whether a language model decides."""
        return self._desk.uses_model

    def open_sandbox(self) -> Sandbox:
        """The sandbox of this process, opened once.

        Raises:
            SandboxUnavailable: When none passes its self-test here.
        """
        self._need_open()
        if self._sandbox is None:
            self._sandbox = sandbox_opener(self.settings, [self.paths.root])()
        return self._sandbox

    def run(
        self,
        task: str | os.PathLike[str] | Task | None = None,
        *,
        examples: Examples | None = None,
        name: str | None = None,
        budget: BudgetLike = None,
        python: str | os.PathLike[str] | None = None,
        person: Person | None = None,
    ) -> Result:
        """Solves one task, and then learns from it; inside of :meth:`delivering` :meth:`learn` does that later.

        The same call continues where a crash or Ctrl-C cut it off.

        Args:
            task: A task, a task file, or ``SUITE#ID``; with a model also a task in words.
            examples: Instead of a task: a file of rows, or pairs ``(input, output)``.
            name: Name of the task and of the function, for ``examples``.
            budget: Such as ``"50k-candidates"`` or ``["10s", "1M-candidates"]``, with a model ``"200k-tokens"``
                or ``"$1"``.
            python: A virtual environment for work in a folder; by default the folder's ``.venv``, else the one that
                ``VIRTUAL_ENV`` names.
            person: Who answers and gives leave, what is learned, and how to say stop; by default nobody is there.

        Raises:
            UsageError: The task is malformed, or nothing here can decide in its environment.
            EnvironmentProblem: No sandbox, disk full, damaged record.
        """
        self._need_writer()
        chosen = wanted_task(task, examples, name, words=self.uses_model)
        environment = None if python is None else os.fspath(python)
        wish = Wish(task=chosen, budget=as_budget(budget), python=environment, person=person or Person())
        return settled(self._desk, solve(self._desk, wish), wish.person)

    def fill(self, table: str | os.PathLike[str], **options: Unpack[FillOptions]) -> Filled:
        """Fills the blank cells of a table's column by a function of the others, and marks what is doubtful.

        Rows in which the column is filled are the examples. Where no function is found, nothing is written.

        Args:
            table: A CSV, TSV, JSONL or XLSX file.
            options: See :class:`~evolve.workspace.runs.fill_request.FillOptions`.

        Raises:
            UsageError: The table is malformed, it does not say what is meant, or there is a file already.
            EnvironmentProblem: No sandbox, disk full, or the table was changed meanwhile.
        """
        self._need_writer()
        request = FillRequest(table=table, **options)
        return fill(self._desk, request, lambda task: self.run(task, budget=request.budget, person=request.person))

    def learn(
        self, run: str | None = None, *, budget: BudgetLike = None, person: Person | None = None
    ) -> tuple[Taught, ...]:
        """Learns from runs whose results are on record and that were not learned from yet, oldest first.

        Cut off, it goes on where it was and pays for nothing twice.

        Args:
            run: Only from that one.
            budget: What this may spend, inside of what each run left for learning.
            person: How to say stop. The last thing given then is ``stopped``, with what it has cost so far.

        Raises:
            UsageError: There is no such run.
            EndpointProblem: The model that has to be asked does not answer; what is left stays to be learned.
        """
        self._need_writer()
        if run is not None:
            self.stores.runs.run(run)
        return learn(self._desk, run, person, as_budget(budget))

    def undo(self, run: str | None = None, *, person: Person | None = None) -> Patch:
        """Takes back what a run changed in a folder.

        Args:
            run: By default the newest run whose changes are applied.
            person: Asked for leave where a file changed since.

        Raises:
            UsageError: There is none, or a file changed since and nobody gave leave; then nothing was undone.
        """
        self._need_writer()
        return undone(self._desk, run, person or Person())

    def improve(
        self,
        suite: str | os.PathLike[str],
        *,
        rounds: int | None = None,
        budget: BudgetLike = None,
        seed: int = 0,
        python: str | os.PathLike[str] | None = None,
        fresh: bool = False,
    ) -> Report:
        """Practises on a suite and measures on held-out tasks whether that helped.

        The same call continues where a crash or Ctrl-C cut it off, or a budget ended it; then with one more budget.

        Args:
            suite: A file or folder of tasks, or the name of a built-in suite.
            rounds: Rounds of practise, fit, judge; by default 2. A suite that is too small to be split has 3 always.
            budget: The first bound reached ends the loop; what was done is kept.
            python: A virtual environment for work in folders, as for :meth:`run`; one for all tasks of the suite.
            fresh: Begin a new run, and leave one that was cut off where it is.

        Raises:
            UsageError: The suite is malformed, nothing here can decide in it, or ``rounds`` is not positive.
            BudgetExhausted: The budget ended before any episode.
        """
        self._need_writer()
        asked = Asked(rounds=rounds, seed=seed, fresh=fresh)
        return improve(self._desk, os.fspath(suite), asked, as_budget(budget), python)

    def optimize(self, request: OptimizerRequest, *, budget: BudgetLike = None) -> OptimizationReport:
        """Searches for better prompts, workflows or knobs; keeps what the gate accepts, as variants.

        The same call continues where a crash or Ctrl-C cut it off.

        Raises:
            UsageError: The suite is malformed, no engine can do what is asked, or the target's judge is not measured.
            BudgetExhausted: The budget buys fewer than three proposals or paired tests.
        """
        self._need_writer()
        return optimize(self._desk, request, as_budget(budget))

    def trials(
        self, request: TrialsRequest, *, budget: BudgetLike = None, curve: str | os.PathLike[str] | None = None
    ) -> TrialsReport:
        """Plays trials in a world by the policy that learns from them; the same call goes on where one was cut off."""
        self._need_writer()
        return play_trials(self._desk, request, as_budget(budget), curve)

    def report(self, *, fresh: bool = False, curve: str | os.PathLike[str] | None = None) -> Report:
        """The last report again, without opening the test tasks.

        Args:
            fresh: Run the test arms again with what is promoted now; this is a logged look.
            curve: An SVG file to draw the learning curve in.

        Raises:
            UsageError: There is no report yet, or another kind of file is there.
            WorkspaceError: The file cannot be written.
        """
        (self._need_writer if fresh else self._need_open)()
        return report(self._desk, fresh=fresh, curve=curve)

    @contextmanager
    def delivering(self) -> Iterator[None]:
        """Runs that finish inside are closed when the block ends without an error, not before.

        For whoever still has to show a result: until it is shown, the same call gives it again, after a crash too,
        from the record and without new work.
        """
        self._need_open()
        self._held = []
        try:
            yield
            for run, state in self._held:
                self._end(run, state)
        finally:
            self._held = None

    def finish(self, run: str, state: str = "done") -> None:
        """Closes a run whose result is on record, at once or when :meth:`delivering` ends."""
        self._need_open()
        if self._held is None:
            self._end(run, state)
        else:
            self._held.append((run, state))

    def _end(self, run: str, state: str) -> None:
        self.stores.runs.end(run, state)
        # After the run is closed: where this is cut off, tidying removes the checkpoints of ended runs.
        if run not in {owed.run for owed in self.stores.runs.owed()}:  # learning goes on from them
            drop_checkpoints(self.paths.runs / run)

    def close(self) -> None:
        """Frees everything; closing twice is no error. In order, it first copies a record that has grown."""
        try:
            if not self._closed and not self.options.read_only and self.stores.db.keep_copy():
                tidy(self.paths, self.stores.db)
        except WorkspaceError as problem:  # what was done is saved, with a copy or without
            self._warn(f"no backup was made: {problem}")
        finally:
            self._free()

    def _free(self) -> None:
        """Frees every part, also where one fails to close."""
        self._closed = True
        # First, so that a part that somebody kept says it is closed, and fails nowhere inside SQLite.
        for shelf in (part for part in vars(self).values() if isinstance(part, Shelf)):
            shut(shelf)
        with ExitStack() as parts:
            # The stack runs in reverse, so the lock goes last, when nothing here can write any more.
            parts.callback(self._lock.release)
            parts.callback(self.stores.db.close)
            parts.callback(self.stores.memory.close)
            parts.callback(getattr(self.learner, "close", lambda: None))
            parts.callback(self._desk.close_servers)
            if self._sandbox is not None:
                parts.callback(self._sandbox.close)
                self._sandbox = None

    def __repr__(self) -> str:
        how = "closed" if self._closed else f"decided by {self.learner.name}"
        only = ", for reading only" if self.options.read_only and not self._closed else ""
        return f"<Workspace {self.paths.root}, {how}{only}>"

    def __enter__(self) -> Workspace:
        self._need_open()
        return self

    def __exit__(self, kind: type[BaseException] | None, *more: object) -> None:
        if kind is None:
            self.close()
        else:
            # No copy after an error: backups are made at a clean end alone.
            self._free()

    def _warn(self, text: str) -> None:
        self.events.emit(Event(kind="warning", data={"text": text}))

    def _need_open(self) -> None:
        if self._closed:
            raise closed()

    def _need_writer(self) -> None:
        self._need_open()
        if self.options.read_only:
            raise UsageError("the workspace was opened for reading only")

    def _forgotten(self) -> None:
        """With every insight gone and no skill in use, what was judged together with them acts no longer."""
        if not self.stores.memory.claims() and self.variants.taken_back() is not None:
            self.stores.variants.fall_back(grounds="what it rests on was forgotten")

"""The workspace: what a program or the command line holds while it works."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from evolve.core.errors import WorkspaceError
from evolve.core.events import Event, EventSink, NoEvents
from evolve.core.store import RecordAccess, WriterLock
from evolve.workspace import loops
from evolve.workspace.arguments import BudgetLike, as_ledger, check_arguments
from evolve.workspace.learners import check_model, choose_learner
from evolve.workspace.locating import choose_workspace, trusted_settings, trusted_workspace
from evolve.workspace.opened_resources import Resources
from evolve.workspace.opening import open_stores, sandbox_opener, upgrade_workspace
from evolve.workspace.options import Options, override_settings
from evolve.workspace.services import WorkspaceServices

if TYPE_CHECKING:
    from evolve.core.ledger import Ledger
    from evolve.core.settings import Settings
    from evolve.improve.optimization import OptimizationReport
    from evolve.improve.report import Report
    from evolve.runtime.sandbox import Sandbox
    from evolve.tasks import Task
    from evolve.tasks.reading.git import CommitHistory
    from evolve.trials.repositories import Repositories
    from evolve.workspace.fill.request import FillOptions
    from evolve.workspace.fill.result import FillResult
    from evolve.workspace.loops.testing_skills import SkillTestReport
    from evolve.workspace.resources.agents import ApprovedAgents
    from evolve.workspace.resources.patch import Patch
    from evolve.workspace.runs.learning import LearningResult
    from evolve.workspace.runs.person import Person
    from evolve.workspace.runs.result import Result
    from evolve.workspace.runs.tasks import Examples


@check_arguments("task", "examples", "budget")
class Workspace(Resources):
    """One open workspace; use it as a context manager. Others may write beside it, and one at a time runs a loop."""

    def __init__(self, path: str | os.PathLike[str] | None = None, options: Options | None = None) -> None:
        self.options = options or Options()
        check_model(self.options.policy, self.options.model)  # refuses before anything is made
        self.paths = trusted_workspace(path, trust_now=self.options.trust)
        self.settings: Settings = override_settings(trusted_settings(self.paths), self.options.overrides)
        self.learner = choose_learner(self.options.policy, self.options.model, (self.paths, self.settings))
        self.options.check(self.paths)
        # After settings and model were read: what is refused makes no workspace.
        self.created = choose_workspace(path, looking=self.options.read_only).created
        self.events: EventSink = self.options.events or NoEvents()
        self._lock, self._access = WriterLock(self.paths.lock), RecordAccess(self.paths.access)
        self._held: list[tuple[str, str]] | None = None
        self._sandbox: Sandbox | None = None
        self._loop_left: Ledger | None = None
        self.stores = self._open()
        services = WorkspaceServices(
            paths=self.paths,
            settings=self.settings,
            learner=self.learner,
            model=self.options.model,
            events=self.events,
            stores=self.stores,
            open_sandbox=self.open_sandbox,
            finish=self.finish,
            shows=lambda: self._held is not None,
            lock=self._lock,
            kept=self.options.servers,
        )
        super().__init__(services, read_only=self.options.read_only)
        for name, reason in self.stores.skills.quarantined.items():
            self._warn(f"the skill {name} is not used: {reason}")

    def _open(self) -> Repositories:
        if self.options.read_only:
            upgrade_workspace(self.paths)
            return open_stores(self.paths, self.settings, read_only=True)
        with ExitStack() as undo:
            undo.callback(self._access.release)
            alone = self._access.acquire()
            stores = open_stores(self.paths, self.settings, shared=not alone, warn=self._warn)
            self._access.admit_others()
            undo.pop_all()
            return stores

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
        from evolve.workspace.runs.context import RunRequest
        from evolve.workspace.runs.learning import learn_and_close
        from evolve.workspace.runs.person import Person
        from evolve.workspace.runs.solving import run_task
        from evolve.workspace.runs.tasks import read

        self._need_writer()
        chosen = read(task, examples=examples, name=name, words=self.uses_model)
        environment = None if python is None else os.fspath(python)
        request = RunRequest(task=chosen, ledger=as_ledger(budget), python=environment, person=person or Person())
        return learn_and_close(self._services, run_task(self._services, request), request.person, request.ledger)

    def fill(self, table: str | os.PathLike[str], **options: Unpack[FillOptions]) -> FillResult:
        """Fills the blank cells of a table's column by a function of the others, and marks what is doubtful.

        Rows in which the column is filled are the examples. Where no function is found, nothing is written.

        Args:
            table: A CSV, TSV, JSONL or XLSX file.
            options: See :class:`~evolve.workspace.fill.request.FillOptions`.

        Raises:
            UsageError: The table is malformed, it does not say what is meant, or there is a file already.
            EnvironmentProblem: No sandbox, disk full, or the table was changed meanwhile.
        """
        from evolve.workspace.fill.filling import fill
        from evolve.workspace.fill.request import FillRequest

        self._need_writer()
        request, ledger = FillRequest(table=table, **options), as_ledger(options.get("budget"))
        return fill(self._services, request, ledger, lambda task: self.run(task, budget=ledger, person=request.person))

    def learn(
        self, run: str | None = None, *, budget: BudgetLike = None, person: Person | None = None
    ) -> tuple[LearningResult, ...]:
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
        from evolve.workspace.runs.learning import learn

        self._need_writer()
        if run is not None:
            self.stores.runs.run(run)
        return learn(self._services, run, person, as_ledger(budget))

    def undo(self, run: str | None = None, *, person: Person | None = None) -> Patch:
        """Takes back what a run changed in a folder, or the table that it filled in place.

        The function that the run found for a table is out of use then, as by :meth:`Runs.leave`.

        Args:
            run: By default the newest run whose changes are applied.
            person: Asked for leave where a file changed since.

        Raises:
            UsageError: There is none, or a file changed since and nobody gave leave; then nothing was undone.
        """
        from evolve.workspace.runs.approvals import undo_patch
        from evolve.workspace.runs.person import Person
        from evolve.workspace.runs.run_answers import function_of

        self._need_writer()
        patch = undo_patch(self._services, run, person or Person())
        found = function_of(self._services, self.stores.runs.run(patch.run))
        if found is not None and not found.record.steps[-1].action.spare:  # it found the function itself
            self.runs.leave(patch.run)
        return patch

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
            rounds: Rounds of practise, fit, judge; by default 2. A suite that is too small to be split has 3 always;
                one that can prove no gain is practised on until a pass brings nothing new, or so many times.
            budget: The first bound reached ends the loop; what was done is kept.
            python: A virtual environment for work in folders, as for :meth:`run`; one for all tasks of the suite.
            fresh: Begin a new run, and leave one that was cut off where it is.

        Raises:
            UsageError: The suite is malformed, nothing here can decide in it, or ``rounds`` is not positive.
            WorkspaceBusy: Another process goes on with a loop here.
            BudgetExhausted: The budget ended before any episode.
        """
        self._need_writer()
        asked, ledger = loops.LoopRequest(rounds=rounds, seed=seed, fresh=fresh), as_ledger(budget)
        self._loop_left = ledger
        with self._lock.hold("improve"):
            return loops.improve(self._services, os.fspath(suite), asked, ledger, python)

    def tasks_from_git(
        self, repo: str, *, out: str, last: int = 20, check: str = "", python: str | None = None
    ) -> CommitHistory:
        """Writes a repository's newest commits that bring tests of their own as tasks, with their folders beside them.

        Args:
            out: The task file; where no commit makes a task, none is written.
            check: The command that decides, with ``{tests}`` for the commit's test files; by default pytest.
            python: A virtual environment for the tests; by default the repository's ``.venv``.

        Raises:
            UsageError: It is no repository with commits.
        """
        from evolve.tasks.reading.git import PYTEST, HistoryRules

        self._need_open()
        rules = HistoryRules(last=last, check=check or PYTEST)
        return loops.write_history(self._services, Path(repo), Path(out).expanduser(), rules, python)

    def test_skills(self, request: loops.SkillTestRequest, *, budget: BudgetLike = None) -> SkillTestReport:
        """Tries skills or notes that others wrote, with and without, in pairs on the same tasks.

        The same call continues where a crash or Ctrl-C cut it off. Nothing is learned from it.

        Raises:
            UsageError: There are no skills or no tasks, nobody can solve them, or the agent is not approved.
            BudgetExhausted: The budget ended before any pair.
        """
        self._need_writer()
        with self._lock.hold("skills test"):
            return loops.test_skills(self._services, request, as_ledger(budget))

    @property
    def agents(self) -> ApprovedAgents:
        """The programs that may run as agents outside of the sandbox."""
        from evolve.workspace.resources.agents import ApprovedAgents

        self._need_open()
        return ApprovedAgents(self.paths)

    def optimize(self, request: loops.OptimizerRequest, *, budget: BudgetLike = None) -> OptimizationReport:
        """Searches for better prompts, workflows or knobs; keeps what the gate accepts, as variants.

        The same call continues where a crash or Ctrl-C cut it off.

        Raises:
            UsageError: The suite is malformed, no engine can do what is asked, or the target's judge is not measured.
            WorkspaceBusy: Another process goes on with a loop here.
            BudgetExhausted: The budget buys fewer than three proposals or paired tests.
        """
        self._need_writer()
        with self._lock.hold("optimize"):
            return loops.optimize(self._services, request, as_ledger(budget))

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
        with self._lock.hold("report") if fresh else nullcontext():
            return loops.report(self._services, fresh=fresh, curve=curve)

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
        from evolve.workspace.health.housekeeping import drop_checkpoints

        self.stores.runs.end(run, state)
        # After the run is closed: where this is cut off, tidying removes the checkpoints of ended runs.
        if run not in {owed.run for owed in self.stores.runs.pending_learning()}:  # learning goes on from them
            drop_checkpoints(self.paths.runs / run)

    def close(self) -> None:
        """Frees everything; closing twice is no error.

        After a loop it first learns from what ran beside it, with what is left of the loop's budget; then it copies a
        record that has grown.
        """
        try:
            self._learn_after_loop()
            if not self._closed and self._access.is_alone() and self.stores.db.keep_copy():
                from evolve.workspace.health.housekeeping import clean_up

                clean_up(self.paths, self.stores.db)
        except WorkspaceError as problem:  # what was done is saved, with a copy or without
            self._warn(f"no backup was made: {problem}")
        finally:
            self._free()

    def _learn_after_loop(self) -> None:
        left, self._loop_left = self._loop_left, None
        if self._closed or left is None or left.exhausted_bound or not self.stores.runs.pending_learning():
            return
        from evolve.workspace.runs.learning import learn_or_report
        from evolve.workspace.runs.person import Person

        learn_or_report(self._services, Person(), left)

    def _free(self) -> None:
        """Frees every part, also where one fails to close."""
        self._shut()
        with ExitStack() as parts:
            # The stack runs in reverse, so access goes last, when nothing here can write any more.
            parts.callback(self._access.release)
            parts.callback(gc.unfreeze)  # what an agent set aside when it loaded the library of graphs
            parts.callback(lambda: self.stores.close(alone=self._access.is_alone()))
            parts.callback(getattr(self.learner, "close", lambda: None))
            parts.callback(self._services.close_servers)
            if self._sandbox is not None:
                parts.callback(self._sandbox.close)
                self._sandbox = None

    def __repr__(self) -> str:
        how = "closed" if self._closed else f"decided by {self.learner.name}"
        only = ", for reading only" if self._read_only and not self._closed else ""
        return f"<Workspace {self.paths.root}, {how}{only}>"

    def __enter__(self) -> Workspace:
        self._need_open()
        return self

    def __exit__(self, kind: type[BaseException] | None, *more: object) -> None:
        if kind is None:
            self.close()
        else:
            self._free()  # without a copy: backups are made at a clean end alone

    def _warn(self, text: str) -> None:
        self.events.emit(Event(kind="warning", data={"text": text}))

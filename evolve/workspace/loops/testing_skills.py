"""Tests skills and notes that others wrote: the same tasks with all of them and with none, in pairs.

First the folder as a whole; then each skill that was read, with all of them and with all but it, on the tasks whose run
read it. These pairs are run anew: a run that read a skill was chosen by what it did, so its outcome says too much. One
level is shared over all verdicts: most of it is the folder's, and what the folder needed no more is the skills'.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from evolve.agent import Run
from evolve.core.episodes import SCREEN, Guidance, Json, Limits
from evolve.core.episodes.codec import Jsonable
from evolve.core.errors import BudgetExhausted, UsageError
from evolve.core.events import Event
from evolve.core.files import canonical_json, digest
from evolve.core.ledger import Ledger, Spent
from evolve.improve.session import LoopPlan, Session
from evolve.tasks import Suite, Task, load_suite
from evolve.tasks.reading.git import GitObjects, HistoryRules
from evolve.trials.comparisons import Change
from evolve.trials.external_agent import TASK_S, ExternalAgent, is_guidance
from evolve.trials.gate import (
    NOTHING,
    ConfidenceInterval,
    Pair,
    PairSummary,
    mean,
    pairs_needed,
    shuffled_groups,
    smallest_detectable,
    solved_outcome,
    summarise_pairs,
    wins_needed,
)
from evolve.trials.learned_state import LearnedState
from evolve.trials.pairs import PairedEpisodes, run_pairs
from evolve.trials.workers import LocalWorkers
from evolve.workspace.arguments import check_arguments
from evolve.workspace.folder_needs import environment_for, refuse_search
from evolve.workspace.loops.improving import BUDGET, LoopWork, earlier_spending, loop_key, loop_limits, tasks_worked_on
from evolve.workspace.loops.task_sources import read_guidance, tasks_of_evals, write_history
from evolve.workspace.opening import utc_now
from evolve.workspace.resources.agents import ApprovedAgents, command_program
from evolve.workspace.services import WorkspaceServices

LEVEL = 0.05
"""Bound on the probability that any verdict of one test is wrong."""
WHOLE_LEVEL = 0.04
"""The folder's part of it; the skills share the rest, and all of it where the folder's verdict was one."""


@check_arguments()
@dataclass(frozen=True, kw_only=True)
class SkillTestRequest:
    """The arguments of a test of skills.

    Attributes:
        folder: A folder of skills, one skill, or a file such as CLAUDE.md.
        tasks: A task file or suite; "" for those of a history, else for the skills' own evals.
        from_git: A repository whose newest commits are the tasks, or "".
        last: The most tasks of a history.
        agent: A command to run in place of evolve's own agent, which a person approved; or "".
        python: A virtual environment for work in folders.
    """

    folder: str
    tasks: str = ""
    from_git: str = ""
    last: int = 20
    agent: str = ""
    python: str | None = None
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class SkillTestRow:
    """One skill.

    Attributes:
        read: Tasks whose run with all skills read it.
        needless: Those of them that were solved without any skill too.
        shown: What pairs with all skills and with all but it say; None where none were run.
        why: Why none were run, or "".
    """

    name: str
    read: int
    needless: int
    shown: PairSummary | None = None
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class SkillTestReport(Jsonable):
    """What came of a test of skills.

    Attributes:
        by: Who solved the tasks: the name of the policy, or ``agent:`` and the command.
        outside: Whether that ran outside of the sandbox.
        ahead: What the tasks can show, as it was told before.
        whole: The folder with all that is in it against nothing.
        solved_with, solved_without: Tasks that were solved.
        tokens: More tokens for a task with the skills than without; nothing where a program does not tell.
        seconds: More seconds for a task, of the processor with a model, on the clock with another agent.
        uses_known: Whether it is known what was read; another agent need not tell.
    """

    run: str
    folder: str
    by: str
    outside: bool
    source: str
    ahead: str
    whole: PairSummary
    solved_with: int
    solved_without: int
    tokens: ConfidenceInterval
    seconds: ConfidenceInterval
    uses_known: bool
    skills: tuple[SkillTestRow, ...]
    finish_reason: str
    spent: Spent


def test_skills(services: WorkspaceServices, request: SkillTestRequest, budget: Ledger) -> SkillTestReport:
    """Runs or continues a test; see :meth:`Workspace.test_skills`."""
    guidance, agent = read_guidance(Path(request.folder)), _agent(services, request)
    if agent is None:
        refuse_search(services.learner.name)
    suite = _tasks(services, request, guidance)
    by = f"agent:{request.agent}" if agent else services.learner.name
    # What another agent may spend nobody bounds but the clock; a number, so that its time is the budget's.
    limits = Limits(candidates=None, seconds=None, tokens=1) if agent else loop_limits(services, budget.budget, suite)
    contents = [
        [guide.name, sorted([name, digest(data)] for name, data in guide.files.items())] for guide in guidance.guides
    ]
    known, order = digest(canonical_json(contents))[:12], shuffled_groups(suite.tasks, request.seed)
    ahead = _ahead(services, by, len(order), at_most=agent is not None)
    services.events.emit(Event(kind="begun", data={"text": ahead}))
    for name in [one.name for one in guidance.guides if not (one.is_notes or one.description)]:
        text = f"{name}: its SKILL.md has no description, so no agent can know when to read it"
        services.events.emit(Event(kind="warning", data={"text": text}))
    body = {
        "suite": suite.name,
        "skills": os.path.basename(os.path.abspath(request.folder)),
        "by": by,
        "seed": request.seed,
    }
    work = LoopWork(
        suite=suite,
        plan=LoopPlan(rounds=1, seed=request.seed, limits=limits),
        budget=budget,
        python=request.python or (environment_for(request.from_git, None) if request.from_git else None),
        workers=None if agent is None else partial(LocalWorkers, bench=partial(ExternalAgent, argv=agent)),
    )
    key = loop_key(services, "skills", suite.digest, known, by, request.seed)
    run = _begun(services, key, body)
    with tasks_worked_on(services, run, work) as session:
        test = _Test(session=session, guidance=guidance, name=known, order=order)
        pairs = test.whole()
        report = _report(test, pairs, outside=agent is not None)
    services.finish(run.id, BUDGET if session.ledger.exhausted_bound or len(pairs) < len(order) else "done")
    if not pairs:
        raise BudgetExhausted(
            f"{session.end_reason() or 'the budget allows no pair'}, so nothing was found out",
            hint="the same command goes on, with a larger --budget",
        )
    return replace(report, folder=request.folder, by=by, ahead=ahead)


def _begun(services: WorkspaceServices, key: str, body: Mapping[str, Json]) -> Run:
    """The run with this key, or a new one; a budget counts anew, and nothing of a finished one is run again."""
    runs = services.stores.runs
    last = next((run for run in reversed(runs.list_runs()) if run.key == key), None)
    if last is not None and last.state in (BUDGET, "done"):
        if last.state == "done":
            text = f"{last.id} finished this test before; here is its report again"
            services.events.emit(Event(kind="begun", data={"text": text}))
        before = {"before": asdict(earlier_spending(services, last)), "finished": last.state == "done"}
        runs.end(last.id, "open", {**last.body, **before})
    return runs.begin("skills", key, {**body, **services.sandbox_mark}, started=utc_now())


@dataclass(frozen=True, kw_only=True)
class _Test:
    session: Session
    guidance: Guidance
    name: str
    order: Sequence[Task]

    def whole(self) -> tuple[Pair, ...]:
        """Every task with all and with nothing; the first pair alone, to tell how long the rest takes."""
        change = Change(guidance=frozenset(guide.name for guide in self.guidance.guides))
        names = f"with {self.name}", f"without {self.name}"
        if not self.session.request.get("finished") and self._run(self.order[:1], change, names):
            seconds = self.session.pace.expected_spending(2 * len(self.order) - 2).seconds
            self.session.emit_event("begun", text=f"the first pair is done; the others take about {_time(seconds)}")
        return self._run(self.order, change, names)

    def single(self, skill: str, tasks: Sequence[Task]) -> tuple[Pair, ...]:
        names = f"with {self.name} again", f"with {self.name} but {skill}"
        return self._run(tasks, Change(guidance=frozenset({skill})), names, seed=self.session.plan.seed + 1)

    def _run(
        self, tasks: Sequence[Task], change: Change, names: tuple[str, str], seed: int | None = None
    ) -> tuple[Pair, ...]:
        whole = LearnedState(workflow=self.session.workflow, guidance=self.guidance)
        episodes = PairedEpisodes(run=self.session, split=SCREEN, seed=seed)
        return run_pairs(episodes, tasks, whole, change, names=names).pairs


def _report(test: _Test, pairs: Sequence[Pair], *, outside: bool) -> SkillTestReport:
    session, whole = (
        test.session,
        summarise_pairs([solved_outcome(one.parent, one.variant) for one in pairs], WHOLE_LEVEL),
    )
    read_in = test.guidance.read_in
    read = {pair.task: {name for step in pair.variant.steps for name in read_in(step)} for pair in pairs}
    names = [guide.name for guide in test.guidance.guides if not guide.is_notes]
    used = [name for name in names if any(name in one for one in read.values())]
    each = level_of_skill(whole, len(used))
    told = [pair for pair in pairs if solved_outcome(pair.parent, pair.variant) not in ("void", "withheld")]
    rows = []
    for name in names:
        readers = [pair for pair in pairs if name in read[pair.task]]
        row = SkillTestRow(name=name, read=len(readers), needless=sum(pair.parent.solved for pair in readers))
        rows.append(_judged(test, row, [task for task in test.order if name in read.get(task.id, ())], each))
    return SkillTestReport(
        run=session.run,
        folder="",
        by="",
        outside=outside,
        source=session.suite.name,
        ahead="",
        whole=whole,
        solved_with=sum(pair.variant.solved for pair in told),
        solved_without=sum(pair.parent.solved for pair in told),
        tokens=NOTHING if outside else mean([float(p.variant.cost.tokens - p.parent.cost.tokens) for p in told]),
        seconds=mean([pair.variant.cost.seconds - pair.parent.cost.seconds for pair in told]),
        uses_known=bool(used) or not outside,
        skills=tuple(rows),
        finish_reason="every pair was run" if len(pairs) == len(test.order) else "the budget ended",
        spent=session.ledger.spent,
    )


def level_of_skill(whole: PairSummary, used: int) -> float:
    """The error level of each of so many skills that were read, beside the verdict on the folder."""
    return (LEVEL if whole.verdict in ("helps", "harms") else LEVEL - WHOLE_LEVEL) / max(1, used)


def _judged(test: _Test, row: SkillTestRow, tasks: Sequence[Task], level: float) -> SkillTestRow:
    if not tasks:
        return replace(row, why="never read")
    if len(test.guidance.guides) == 1:
        return replace(row, why="it is all that the folder holds")
    if len(tasks) < wins_needed(level):
        return replace(row, why=f"too few tasks read it to show anything: {wins_needed(level)} are needed")
    pairs = test.single(row.name, tasks)
    return replace(row, shown=summarise_pairs([solved_outcome(pair.parent, pair.variant) for pair in pairs], level))


def _agent(services: WorkspaceServices, request: SkillTestRequest) -> tuple[str, ...] | None:
    if not request.agent:
        return None
    if not ApprovedAgents(services.paths).is_approved(request.agent):
        raise UsageError(
            f"{request.agent!r} is not approved: it would run outside of the sandbox",
            hint="run the command at a terminal, where evolve asks you",
        )
    return command_program(request.agent)


def _tasks(services: WorkspaceServices, request: SkillTestRequest, guidance: Guidance) -> Suite:
    if request.tasks and request.from_git:
        raise UsageError("--tasks and --from-git both name tasks", hint="give one of them")
    if request.tasks:
        return load_suite(request.tasks)
    made = services.paths.store / "made-tasks"
    if not request.from_git:
        return tasks_of_evals(guidance, made)
    repo = Path(request.from_git).expanduser().absolute()
    with tempfile.TemporaryDirectory(prefix="evolve-git-") as own:
        head = GitObjects(repo, Path(own)).head
    file = made / digest(canonical_json([str(repo), head, request.last, request.python or ""]))[:12] / "tasks.jsonl"
    if not file.is_file():  # whoever tests twice, or goes on, runs the tests of the history once
        history = write_history(
            services, repo, file, HistoryRules(last=request.last, without=is_guidance), request.python
        )
        if not history.tasks:
            left = ", ".join(f"{number} {reason}" for reason, number in history.left.items())
            raise UsageError(f"no commit of {repo} makes a task ({left})", hint="name tasks with --tasks FILE")
    return load_suite(str(file))


def _ahead(services: WorkspaceServices, by: str, tasks: int, *, at_most: bool) -> str:
    """What so many tasks can show, and how long that takes as far as is known, in two sentences."""
    least, runs = smallest_detectable(tasks, WHOLE_LEVEL), services.stores.runs
    number, be = f"{tasks} task{'s'[: tasks != 1]}", "are" if tasks != 1 else "is"
    can = f"{number} show effects of {least:g} or more" if least else f"{number} {be} too few to show any effect"
    time = f" It takes at most {_time(2 * tasks * TASK_S)}." if at_most else ""
    for run in runs.list_runs():
        episodes = len(runs.episodes(run=run.id)) if run.kind == "skills" and run.body.get("by") == by else 0
        if episodes:
            time = f" It takes about {_time(2 * tasks * float(run.body.get('seconds', 0)) / episodes)}."
    needs = {effect: pairs_needed(effect, WHOLE_LEVEL) for effect in (0.4, 0.3, 0.2)}
    more = f"To show one of 0.4 you need {needs[0.4]} tasks, of 0.3: {needs[0.3]}, of 0.2: {needs[0.2]}"
    return f"{can}. {more} (difference in the share solved, found four times of five).{time}"


def _time(seconds: float) -> str:
    return f"{seconds / 3600:.1f} hours" if seconds >= 5400 else f"{max(1, round(seconds / 60))} min"

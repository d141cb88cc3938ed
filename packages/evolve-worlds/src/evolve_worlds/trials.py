"""``ws.trials``: trials in a world by the policy that learns from them, kept in the workspace with what they prove."""

from __future__ import annotations

import itertools
import os
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Protocol

from evolve.core.episodes import PROBE, EpisodeRecord
from evolve.core.errors import UsageError
from evolve.core.events import Event
from evolve.core.files import SVG, canonical_json, digest, is_replaced, write_atomic
from evolve.core.ledger import Budget, Ledger
from evolve.core.progress import report_activity
from evolve.runtime.retrieval import HashingEmbedder
from evolve.trials.gate import ConfidenceInterval, mean
from evolve.workspace.arguments import BudgetLike, as_ledger
from evolve.workspace.services import WorkspaceServices
from evolve_worlds import Split, World, identity, open_world
from evolve_worlds.experience import Limits, Meaning, Observer, Schedule, Setting, TrialResult, practice_steps, run

SETTINGS: tuple[Setting, ...] = ("adapt", "gen-env", "gen-task", "gen-adapt")
_POINTS = 24  # of the curve by steps
_OTHER_TASKS = 3
_GOES_ON = {"tasks": 0, "variations": 0, "trials": 0, "fresh": 0}  # with more of these the same trials go on


@dataclass(frozen=True, kw_only=True)
class TrialsRequest:
    """What is to be played.

    Attributes:
        world: Name of a world, as it is listed; its setting may follow a colon.
        tasks: Tasks of it; its first one where there is none.
        setting: What is remembered from where; see :class:`evolve_worlds.experience.Schedule`.
        variations: How many of the split, or which.
        split: ``train``, ``dev`` or ``test``. What is played on ``test`` is no evidence for anything.
        trials: Trials of each variation, where the setting has more than one.
        practice: For every setting but ``adapt``: how many variations of ``train`` are practised on before, by task.
        practice_tasks: For ``gen-task``: the other tasks; the first three others where there is none.
        practice_trials: Trials of each variation that is practised on.
        moves: Moves of one trial at most.
        fresh: Play anew what is kept from before.
    """

    world: str
    tasks: Sequence[str] = ()
    setting: Setting = "adapt"
    variations: int | Sequence[int] = 6
    split: Split = "dev"
    trials: int = 12
    practice: int = 3
    practice_tasks: Sequence[str] = ()
    practice_trials: int = 6
    moves: int = 100
    seed: int = 0
    fresh: bool = False


@dataclass(frozen=True, kw_only=True)
class TrialsReport:
    """What came of trials.

    Attributes:
        world: Its name, version and settings.
        trials: By task and variation, in the order in which they were played.
        encoder: The trained encoder that told which things are like what the goal is about; empty without one.
        practice_steps: Steps that practice before took, in all.
        insights: Ids of the insights about these tasks, the best founded first.
        sentences: The same in words.
        finish_reason: ``done``, or ``budget`` where time ended first.
    """

    world: str
    request: TrialsRequest
    trials: Sequence[TrialResult]
    encoder: str = ""
    practice_steps: int = 0
    insights: Sequence[str] = ()
    sentences: Sequence[str] = ()
    finish_reason: str = "done"

    @cached_property
    def variations(self) -> Mapping[tuple[str, int], Sequence[TrialResult]]:
        """The trials of each variation of a task."""
        found: dict[tuple[str, int], list[TrialResult]] = {}
        for one in self.trials:
            found.setdefault((one.task, one.variation), []).append(one)
        return found

    @cached_property
    def curve(self) -> Sequence[ConfidenceInterval]:
        """The mean score by number of the trial, over the variations that came to it."""
        return [mean([one.score for one in own]) for own in self._by_number]

    @cached_property
    def moves(self) -> Sequence[ConfidenceInterval]:
        """The mean number of moves of a trial, by its number; those of the replays after it are not among them."""
        return [mean([float(len(one.played)) for one in own]) for own in self._by_number]

    @property
    def lost(self) -> Sequence[int]:
        """How many trials were lost in the end, by their number."""
        return [sum(one.lost for one in own) for own in self._by_number]

    @cached_property
    def _by_number(self) -> Sequence[Sequence[TrialResult]]:
        longest = max(map(len, self.variations.values()), default=0)
        return [[own[at] for own in self.variations.values() if at < len(own)] for at in range(longest)]

    @property
    def steps(self) -> int:
        """Steps of the world in all trials and the replays after them."""
        return sum(one.steps for one in self.trials)

    @cached_property
    def curve_by_steps(self) -> Sequence[tuple[int, ConfidenceInterval]]:
        """The mean of the best score so far after so many steps on each variation."""
        spent = {key: list(itertools.accumulate(one.steps for one in own)) for key, own in self.variations.items()}
        most = max((own[-1] for own in spent.values()), default=0)
        every = sorted({round(most * at / _POINTS) for at in range(_POINTS + 1)})
        return [(limit, mean([self._best(key, done, limit) for key, done in spent.items()])) for limit in every if most]

    def _best(self, key: tuple[str, int], spent: Sequence[int], limit: int) -> float:
        own = zip(self.variations[key], spent, strict=True)
        return max((one.score for one, done in own if done <= limit), default=0.0)

    @property
    def predicted(self) -> float | None:
        """Share of moves of which it was foreseen whether something would change; None where none was made."""
        guessed = sum(one.guessed for one in self.trials)
        return sum(one.right for one in self.trials) / guessed if guessed else None

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "world": self.world,
            "encoder": self.encoder,
            "request": asdict(self.request),
            "finish_reason": self.finish_reason,
            "curve": [asdict(one) for one in self.curve],
            "moves": [asdict(one) for one in self.moves],
            "lost": list(self.lost),
            "curve_by_steps": [{"steps": done, **asdict(one)} for done, one in self.curve_by_steps],
            "steps": self.steps,
            "practice_steps": self.practice_steps,
            "predicted": self.predicted,
            "insights": [{"id": name, "text": text} for name, text in zip(self.insights, self.sentences, strict=True)],
            "trials": [asdict(one) for one in self.trials],
        }


@dataclass(kw_only=True)
class _Work:
    """Trials that are under way."""

    services: WorkspaceServices
    world: World
    request: TrialsRequest
    until: float
    meaning: Meaning | None = None
    played: list[TrialResult] = field(default_factory=list)
    practised: int = 0

    def play(self, task: str) -> bool:
        """Plays the variations of a task; whether time was left for all."""
        schedule = self._schedule(task)
        asked = {**asdict(self.request), "world": identity(self.world), **_GOES_ON, "practised": schedule.practice}
        same = digest(canonical_json(asked | ({"encoder": self.meaning.encoder.name} if self.meaning else {})))
        folder = self.services.paths.store / "trials" / same[:16] / digest(task.encode())[:16]
        if self.request.fresh:
            shutil.rmtree(folder, ignore_errors=True)

        def practised(one: TrialResult) -> None:
            # Practice for one task is practice for another one too: what it proves is one piece of evidence.
            self._keep(one, f"trials:practice:{same[:16]}:{one.task}:{one.variation}:{one.number}", PROBE)
            self._tell(one, practice=True)

        def played(one: TrialResult) -> None:
            split = "test" if self.request.split == "test" else PROBE
            self._keep(one, f"trials:{same[:16]}:{task}:{one.variation}:{one.number}", split)

        observer = Observer(on_practice=practised, on_trial=played, is_late=lambda: time.monotonic() >= self.until)
        began = len(self.played)
        trials = len(schedule.variations) * schedule.trials_each
        with report_activity("trial", task, total=trials, count=lambda: len(self.played) - began):
            for one in self._until_late(run(self.world, schedule, folder, self.meaning, observer)):
                self.played.append(one)
                self._tell(one)
        self.practised += practice_steps(folder)
        return len(self.played) - began == trials

    def _tell(self, one: TrialResult, *, practice: bool = False) -> None:
        told = {"task": one.task, "variation": one.variation, "trial": one.number, "score": one.score}
        told |= {"steps": one.steps, "lost": one.lost, "practice": practice, "kept": one.kept}
        self.services.events.emit(Event(kind="trial", data=told))

    def _until_late(self, trials: Iterator[TrialResult]) -> Iterator[TrialResult]:
        """Trials until time is up: all that were kept, and one new one at least, so that each call comes further."""
        for one in trials:
            yield one
            if not one.kept and time.monotonic() >= self.until:
                return

    def _schedule(self, task: str) -> Schedule:
        asked, world = self.request, self.world
        chosen = asked.variations
        known = tuple(dict.fromkeys(world.variations(task, asked.split)))
        tried = known[:chosen] if isinstance(chosen, int) else _known(chosen, known, task, asked.split)
        if isinstance(chosen, int) and 0 < len(known) < chosen:
            few = f"{task} has {len(known)} variations in {asked.split}, fewer than {chosen}"
            self.services.events.emit(Event(kind="warning", data={"text": few}))
        if not tried:
            raise UsageError(f"the task {task} has no variations in {asked.split}", hint="another --split")
        if task in asked.practice_tasks:
            raise UsageError(f"{task} is what is tried, and no other task", hint="--setting gen-env practises on it")
        others = [*(asked.practice_tasks or [one for one in world.tasks() if one != task][:_OTHER_TASKS])]
        taught = {"adapt": [], "gen-task": others}.get(asked.setting, [task])
        practice = [
            (one, at) for one in taught for at in self._others(one, tried if one == task else ())[: asked.practice]
        ]
        if asked.setting != "adapt" and not practice:
            raise UsageError("nothing is left to practise on", hint="fewer --variations, or --setting adapt")
        return Schedule(
            setting=asked.setting,
            task=task,
            variations=tried,
            trials=asked.trials,
            practice=practice,
            practice_trials=asked.practice_trials,
            limits=Limits(moves=asked.moves),
            seed=asked.seed,
        )

    def _others(self, task: str, tried: Collection[int]) -> Sequence[int]:
        """What a task can be practised on: nothing that is tried, which may be of the split ``train`` too, nor what is
        there to report, where a world's splits overlap."""
        reported = self.world.variations(task, "test") if self.request.split == "test" else ()
        held = {*tried, *reported}
        return [one for one in dict.fromkeys(self.world.variations(task, "train")) if one not in held]

    def _keep(self, one: TrialResult, episode: str, split: str) -> None:
        """Commits what the replays of a trial proved; once, however often it is asked for."""
        group = f"{self.world.name}/{one.task}/{one.variation}"
        record = EpisodeRecord(
            episode=episode,
            run=episode.rpartition(":")[0],
            task=group,
            suite="",
            group=group,
            split=split,
            variant="trial",
            seed=self.request.seed,
            status="solved" if one.score >= 1.0 else "unsolved",
            verified=True,
            claims=one.claims,
        )
        self.services.stores.memory.commit(record, instruction=one.goal)


class Playing(Protocol):
    """``ws.trials``."""

    def __call__(
        self, request: TrialsRequest, *, budget: BudgetLike = None, curve: str | os.PathLike[str] | None = None
    ) -> TrialsReport:
        """Plays trials in a world by the policy that learns from them; the same call goes on where one was cut off.

        Args:
            curve: An SVG file to draw the curves in.
        """
        ...


def trials(services: WorkspaceServices, need_writer: Callable[[], None]) -> Playing:
    """The part of a workspace."""

    def play(
        request: TrialsRequest, *, budget: BudgetLike = None, curve: str | os.PathLike[str] | None = None
    ) -> TrialsReport:
        need_writer()
        if not isinstance(request, TrialsRequest):
            raise UsageError(f"request: expected a TrialsRequest, got {type(request).__name__}")
        with services.lock.hold("trials"):
            return play_trials(services, request, as_ledger(budget), curve)

    return play


def play_trials(
    services: WorkspaceServices, request: TrialsRequest, budget: Ledger, curve: str | os.PathLike[str] | None
) -> TrialsReport:
    """Plays what is asked for, going on from what the workspace keeps, and draws it; see :class:`Playing`."""
    _refuse(request, budget.budget)
    if curve is not None:  # refused before anything is played
        if os.path.isdir(curve):
            raise UsageError(f"{os.fspath(curve)} is a folder", hint="name a file in it")
        is_replaced(curve, SVG)
    report = _played(services, request, budget)
    if curve is not None:
        from evolve_worlds.curve import draw_trials

        tasks = ", ".join(dict.fromkeys(one.task for one in report.trials))
        drawn = draw_trials(f"{request.setting}: {tasks}", report.curve, report.moves, report.curve_by_steps)
        write_atomic(curve, drawn.encode())
    return report


def _played(services: WorkspaceServices, request: TrialsRequest, budget: Ledger) -> TrialsReport:
    left = budget.remaining.seconds
    until = time.monotonic() + (float("inf") if left is None else left)
    with closing(open_world(request.world)) as world:
        encoder = services.stores.memory.embedder
        # The spelling of names says no more than the policy reads in them itself.
        meaning = None if isinstance(encoder, HashingEmbedder) else Meaning(encoder=encoder)
        _set_aside_of_other_versions(services, world)
        work = _Work(services=services, world=world, request=request, until=until, meaning=meaning)
        tasks = _tasks(request, world)
        whole = all([work.play(task) for task in tasks])
        families = {f"{world.name}/{task}" for task in tasks}
        name = identity(world)
    about = [
        one for one in services.stores.memory.list_insights() if one.scope.family in families and one.may_influence
    ]
    about.sort(key=lambda one: (one.relation == "no_effect", -one.groups, -one.posterior.sign_probability, one.id))
    sentences = services.stores.memory.insight_sentences()
    return TrialsReport(
        world=name,
        request=request,
        trials=tuple(work.played),
        encoder=meaning.encoder.name if meaning else "",
        practice_steps=work.practised,
        insights=tuple(one.id for one in about),
        sentences=tuple(sentences[one.id].text for one in about),
        finish_reason="done" if whole else "budget",
    )


def _set_aside_of_other_versions(services: WorkspaceServices, world: World) -> None:
    """Insights on the moves of a world whose version changed since are set aside, until it shows them again."""
    path = services.paths.store / "trials" / f"{digest(world.name.encode())[:16]}.version"
    now, before = identity(world), path.read_text("utf-8") if path.exists() else ""
    if now == before:
        return
    memory = services.stores.memory
    own = [one for one in memory.list_insights() if one.scope.family.startswith(f"{world.name}/") and one.may_influence]
    for one in own if before else ():
        memory.expire(one.id, f"it was shown in {before}, and this is {now}")
    if before and own:
        told = f"{before} is now {now}: {len(own)} insights on its moves are set aside until it shows them again"
        services.events.emit(Event(kind="warning", data={"text": told}))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, now.encode())


def _refuse(request: TrialsRequest, budget: Budget) -> None:
    """Raises UsageError for what cannot be played."""
    if request.setting not in SETTINGS:
        raise UsageError(f"no setting {request.setting!r}", hint=", ".join(SETTINGS))
    if request.split not in ("train", "dev", "test"):
        raise UsageError(f"no split {request.split!r}", hint="train, dev or test")
    numbers = {"trials": request.trials, "practice": request.practice, "moves": request.moves}
    numbers |= {"variations": request.variations} if isinstance(request.variations, int) else {}
    for name, number in numbers.items():
        if number < 1:
            raise UsageError(f"{name}: expected a whole number from 1 on, got {number}")
    others = {name for name in ("candidates", "tokens", "money", "calls") if getattr(budget, name) is not None}
    if others:
        raise UsageError(f"trials in a world spend no {' or '.join(sorted(others))}", hint="--budget 10m")
    if request.practice_tasks and request.setting != "gen-task":
        raise UsageError("other tasks are practised on by the setting gen-task alone", hint="--setting gen-task")


def _tasks(request: TrialsRequest, world: World) -> Sequence[str]:
    known = world.tasks()
    for one in (*request.tasks, *request.practice_tasks):
        if one not in known:
            raise UsageError(f"{request.world} has no task {one!r}", hint=f"evolve lab worlds list {request.world}")
    return tuple(dict.fromkeys(request.tasks)) or known[:1]


def _known(chosen: Sequence[int], known: Sequence[int], task: str, split: str) -> Sequence[int]:
    for one in chosen:
        if one not in known:
            raise UsageError(
                f"variation {one} of {task} is not in {split}", hint=f"such as {', '.join(map(str, known[:5]))}"
            )
    return tuple(dict.fromkeys(chosen))  # named twice it is still one

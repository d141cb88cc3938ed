"""Takes in skills of others without believing them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evolve.core.errors import SandboxUnavailable
from evolve.core.progress import report_activity
from evolve.runtime.sandbox import NOT_RUN, ProgramRun, SandboxLimits, SandboxResult, TestModule
from evolve.skills.archives import read_foreign
from evolve.skills.documented import TOLD
from evolve.skills.imported import ForeignSkill, foreign_skills, search_vector
from evolve.tasks import Task
from evolve.trials.learned_state import failure_of
from evolve.workspace.runs.admitting import admit_imports
from evolve.workspace.runs.run_answers import BY_CLIENT, given_task_of
from evolve.workspace.services import WorkspaceServices

_BATCH, _MOST_TASKS = 25, 50
"""Skills whose tests one execution runs, each in a process of its own; tasks on record that an import looks at."""


@dataclass(frozen=True, kw_only=True)
class ImportReport:
    """What came of an import.

    Attributes:
        admitted: Names of skills that tasks on record admitted at once, under which they are in use.
        waiting: Functions that wait for a task of the person's own.
        guidance: Instructions, kept as notes.
        known: What was imported before.
        refused: Why others are not taken in, by name.
    """

    admitted: tuple[str, ...]
    waiting: tuple[str, ...]
    guidance: tuple[str, ...]
    known: tuple[str, ...]
    refused: Mapping[str, str]


def import_skills(services: WorkspaceServices, path: Path, *, mine: bool = False) -> ImportReport:
    """See :meth:`evolve.workspace.runs.skills.Skills.import_`."""
    origin = path.resolve().name
    found = list(foreign_skills(*read_foreign(path)))
    kept, often = {skill.name for skill in services.stores.skills.list()}, Counter(one.name for one in found)
    refused = {one.name: one.problem or _mistakable(one.name, kept, often[one.name]) for one in found}
    functions = [one for one in found if one.skill is not None and not refused[one.name]]
    refused.update((one.name, why) for one, why in _tried(services, origin, functions))
    sound, role = [one for one in found if not refused[one.name]], "user" if mine else "document"
    notes = services.stores.memory.list_notes()
    before = {note.text for note in notes if note.role in ("user", role)}
    texts = {f"{one.name}: {one.guidance}": one.name for one in sound if one.guidance}
    with services.stores.db.transaction():
        keep = services.stores.skills.set_aside
        fits = [one.skill for one in sound if one.skill and keep(one.skill, origin, one.evidence)]
        if mine and (quoted := [note.id for note in notes if note.role != "user" and note.text in texts]):
            services.stores.memory.forget(quoted)  # what they vouch for is theirs, and stands there once
        for text in texts.keys() - before:  # of a document it reaches no run
            services.stores.memory.add_note(text, f"the skill {texts[text]}", role=role, source=origin)
    noted = [name for text, name in texts.items() if text not in before]
    new = {skill.digest: skill.name for skill in fits}
    in_use = {key: name for task in _tasks(services) if new for key, name in admit_imports(services, task).items()}
    return ImportReport(
        admitted=tuple(in_use.values()),
        waiting=tuple(name for digest, name in new.items() if digest not in in_use),
        guidance=tuple(noted),
        known=tuple(one.name for one in sound if one.name not in {*noted, *new.values()}),
        refused={name: why for name, why in refused.items() if why},
    )


def _mistakable(name: str, kept: Collection[str], often: int) -> str:
    alike = next(
        (f"its name looks like that of your skill {one}" for one in kept if search_vector(one) == search_vector(name)),
        "",
    )
    return alike if alike and name not in kept else "there are several skills of that name" if often > 1 else ""


def _tried(
    services: WorkspaceServices, origin: str, found: Sequence[ForeignSkill]
) -> Iterator[tuple[ForeignSkill, str]]:
    """Each function that fails a test of its author's or an example of its documents, and why."""
    with report_activity("import", origin, total=len(found)) as activity:
        for start in range(0, len(found), _BATCH):
            tested = [(one, tests) for one in found[start : start + _BATCH] for tests in one.tests if tests]
            files = [{"skill.py": one.skill.code, "test_skill.py": tests} for one, tests in tested if one.skill]
            modules = [TestModule(files=each, test_file="test_skill.py") for each in files]
            limits = SandboxLimits(wall_s=5.0 + 3.0 * len(modules), program_s=3.0)
            result = services.open_sandbox().run_tests(modules, limits) if modules else SandboxResult(programs=())
            if result.fault:
                raise SandboxUnavailable(f"their tests could not be run: {result.fault}")
            runs = (*result.programs, *[ProgramRun(error=NOT_RUN)] * len(tested))
            yield from ((one, why) for (one, _), run in zip(tested, runs, strict=False) if (why := _failure(run)))
            activity.advance(start + len(tested))


def _failure(run: ProgramRun) -> str:
    why = failure_of(run)
    if why.startswith(TOLD):
        return f"an example in its own documents does not hold: {why.partition('AssertionError: ')[2]}"
    return f"its own tests do not pass: {why}"[:300] if why else ""


def _tasks(services: WorkspaceServices) -> Iterator[Task]:
    """The latest tasks of the person's own that have rows, each once."""
    runs = [run for run in services.stores.runs.list_runs() if BY_CLIENT not in run.body]
    tasks = (given_task_of(services, run) for run in reversed(runs[-_MOST_TASKS:]))
    yield from {task.id: task for task in tasks if task is not None and task.examples}.values()

"""``evolve_worlds.worlds``: the worlds that there are, a check of one, and a trial for a person. They need no
workspace."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

from evolve.core.errors import SetupProblem, UsageError
from evolve.core.extensions import FAILING
from evolve_worlds import Checked, Split, Trial, check_world, open_world
from evolve_worlds.checking import SPLITS
from evolve_worlds.opening import OWN, offered

__all__ = ["ListedTask", "ListedWorld", "check", "list", "play", "tasks"]


@dataclass(frozen=True, kw_only=True)
class ListedWorld:
    """A world that is known.

    Attributes:
        version: With the package's and the settings'; "" where it cannot be used yet.
        tasks: How many it has.
        missing: Why it cannot be used, with the command that helps; "" where it can.
        package: That offers it; "" where it is this one.
    """

    name: str
    version: str = ""
    tasks: int = 0
    missing: str = ""
    package: str = ""


@dataclass(frozen=True, kw_only=True)
class ListedTask:
    """A task of a world, with how many variations are in which split."""

    name: str
    train: int
    dev: int
    test: int


def list() -> Sequence[ListedWorld]:
    """Every world, also one of another package, whether or not what it needs is installed. None is started."""
    return [_listed(name) for name in (*OWN, *offered())]


def _listed(name: str) -> ListedWorld:
    package = offered().get(name, "")
    try:
        with closing(open_world(name)) as world:
            return ListedWorld(name=name, version=world.version, tasks=len(world.tasks()), package=package)
    except SetupProblem as problem:
        return ListedWorld(name=name, missing=problem.hint or str(problem), package=package)
    except FAILING as fault:  # one package's fault is no reason to show none of the others
        return ListedWorld(name=name, missing=f"failed ({type(fault).__name__}: {fault})", package=package)


def tasks(name: str) -> Sequence[ListedTask]:
    """The tasks of a world; it may have to be started for this.

    Raises:
        UsageError: There is no such world.
        EnvironmentProblem: What it needs is missing, or it fails.
    """
    with closing(open_world(name)) as world:
        return [
            ListedTask(name=task, **{split: len(world.variations(task, split)) for split in SPLITS})
            for task in world.tasks()
        ]


def check(name: str, task: str | None = None, *, moves: int = 60) -> Checked:
    """Plays random moves twice and compares what came of them.

    Args:
        task: The first one, where it is None.

    Raises:
        UsageError: There is no such world or task.
        EnvironmentProblem: What it needs is missing, or it fails.
    """
    with closing(open_world(name, bounded=False)) as world:
        return check_world(world, task, moves=moves)


@contextmanager
def play(
    name: str, task: str | None = None, *, variation: int | None = None, split: Split = "train"
) -> Iterator[Trial]:
    """A trial to act in; the world is closed afterwards.

    Args:
        task: The first one, where it is None.
        variation: The first of the split, where it is None.

    Raises:
        UsageError: There is no such world, task, split or variation.
        EnvironmentProblem: What it needs is missing, or it fails.
    """
    if split not in SPLITS:
        raise UsageError(f"no split {split!r}", hint="train, dev or test")
    with closing(open_world(name)) as world:
        wanted = task or world.tasks()[0]
        there = builtins.list(world.variations(wanted, split))
        if variation is None and not there:
            raise UsageError(f"the task {wanted} has no variations in {split}")
        yield world.start(wanted, there[0] if variation is None else variation)

"""Tasks and suites as values.

A task is a function to find: an instruction, a few visible examples, rows that decide whether an
answer is *verified*, and rows that only benchmarks read. Or it is work in a folder, with a check.
A suite is a set of tasks. A *group* is a set of tasks that are the same problem; splits are made of
whole groups, so nothing that was practised in ``train`` turns up again in ``gate`` or ``test``.
"""

from __future__ import annotations

import builtins
import keyword
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import Literal, cast, get_args

from evolve.core.episodes import Json, KnownFunction, PatchDecision, RefusedAnswer, Row, TaskView, Turn
from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, digest
from evolve.tasks.signature import format_signature, infer_signature
from evolve.tasks.verification.separable import reason_not_separable
from evolve.tasks.work import VariedWork, Work

SplitName = Literal["train", "gate", "test"]
WORDS = "words"
"""Family of tasks that a person told in words: nothing can check an answer to them."""
MIN_VERIFY = 3
"""Fewest unseen rows on which an answer may be called verified."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """One function to find, or one piece of work in a folder.

    Attributes:
        id: Unique in its suite; never a path.
        family: The kind of problem, for reports.
        instruction: What is wanted, in words; may be "".
        signature: Such as ``(xs: list[int], n: int) -> list[int]``, or "" to infer it from the examples.
        examples: The rows a policy sees.
        verify: Rows that decide *verified*; where empty, part of ``hidden`` does.
        hidden: Rows kept from the policy.
        tests: Text of ``test_*`` functions that import the answer as ``solution``, for what rows cannot say; kept
            from the policy.
        work: What the task is about besides, such as a folder with its check; such a task has no rows and no tests.
        group: Identity of the problem; by default the SHA-256 of what is asked and what decides.
        meta: Free JSON that came with the task. ``meta["entry"]`` names the function to write, ``meta["rubric"]`` says
            by what a model judges an answer that nothing else can check.
        warnings: What a person should know about the task, one sentence each; no part of its identity.
        earlier: Turns of the conversation before it; no part of its identity either.
        refused: Answers to it that earlier runs handed in, newest first; the rows that were shown with them verify
            nothing any more. No part of its identity.
        found: A right answer that learning from an earlier run found, or ""; no part of its identity either.
        decision: What the person did with the change that a finished run of it made; no part of its identity either.
        in_force: What the person has kept for its folder, or for all questions, once a run of it is over; no
            part of its identity.
        saved: Functions that are there already and may answer it, the likeliest first; no part of its identity either.
        unlabelled: Inputs whose outputs are wanted, such as the other rows of a table; no part of its identity either.
        source: Where it came from: :data:`evolve.core.episodes.BUILT_IN`, or digests of its place and of what stands
            there, with blanks between; "" where nobody knows. A task file cannot set it, and it is no part of its
            identity.
    """

    id: str
    family: str
    instruction: str
    examples: tuple[Row, ...]
    signature: str = ""
    verify: tuple[Row, ...] = ()
    hidden: tuple[Row, ...] = ()
    tests: str = ""
    work: Work | None = None
    group: str = ""
    meta: Mapping[str, Json] = field(default_factory=dict)
    warnings: tuple[str, ...] = field(default=(), compare=False)
    earlier: tuple[Turn, ...] = field(default=(), compare=False)
    refused: tuple[RefusedAnswer, ...] = field(default=(), compare=False)
    found: str = field(default="", compare=False)
    decision: PatchDecision | None = field(default=None, compare=False)
    in_force: tuple[str, ...] = field(default=(), compare=False)
    saved: tuple[KnownFunction, ...] = field(default=(), compare=False)
    unlabelled: tuple[tuple[Json, ...], ...] = field(default=(), compare=False)
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.group:
            object.__setattr__(self, "group", self._own_group())

    def _own_group(self) -> str:
        if self.work is None and not self.tests:
            return _default_group(self.signature, self.examples, self.hidden)
        asked = None if self.work is None else dict(self.work.identity())
        return digest(canonical_json([self.instruction, self.tests, asked]))

    @property
    def environment(self) -> str:
        """Name of the kind of environment where the task is worked on."""
        if self.work is not None:
            return self.work.kind
        return WORDS if self.family == WORDS and not self.examples and not self.tests else "programs"

    @property
    def folder(self) -> str:
        """The person's folder that the task is about, or ""."""
        return "" if self.work is None else self.work.folder

    @property
    def entry(self) -> str:
        """Name of the function an answer must define: ``meta["entry"]`` where usable, else ``solve``."""
        return entry_name(str(self.meta.get("entry", "")))

    @property
    def rubric(self) -> str:
        """By what a model judges an answer, or ""; a last resort, and never verification."""
        return str(self.meta.get("rubric", ""))

    def view(self) -> TaskView:
        """What a policy may see; a missing signature is inferred from the visible examples alone."""
        signature = self.signature
        if not signature and self.examples:
            signature = format_signature(infer_signature(self.examples))
        return TaskView(
            id=self.id,
            family=self.family,
            instruction=self.instruction,
            signature=signature,
            examples=self.examples,
            entry=self.entry,
            environment=self.environment,
            check="" if self.work is None else self.work.check,
            earlier=self.earlier,
            refused=self.refused,
            found=self.found,
            decision=self.decision,
            in_force=self.in_force,
            saved=self.saved,
            place=self.work.place if isinstance(self.work, VariedWork) else "",
        )

    def verify_rows(self) -> tuple[Row, ...]:
        """The rows that decide *verified*, none of them visible, shown after a refusal or there twice.

        ``verify`` where given, else the first half of ``hidden``, rounded up, at least three
        (all where there are fewer).
        """
        shown = {row_key(one.row) for one in self.refused if one.row is not None}
        return tuple(row for row in self._kept_back() if row_key(row) not in shown)

    def _kept_back(self) -> tuple[Row, ...]:
        if self.verify:
            return self._unseen(self.verify)
        fresh = self._unseen(self.hidden)
        return fresh[: max(MIN_VERIFY, (len(fresh) + 1) // 2)]

    def unseen_rows(self) -> tuple[Row, ...]:
        """The hidden rows left after :meth:`verify_rows`. For benchmarks only."""
        taken = {row_key(row) for row in self._kept_back()}
        return tuple(row for row in self._unseen(self.hidden) if row_key(row) not in taken)

    @property
    def verifiable(self) -> bool:
        """Whether an answer can be verified: at least three rows the policy never saw, or tests that can run apart."""
        return len(self.verify_rows()) >= MIN_VERIFY or (bool(self.tests) and not reason_not_separable(self.tests))

    @property
    def cannot_be_verified(self) -> bool:
        """The best an answer can be is checked: the work says so, or tests decide that share its process."""
        if self.work is not None:
            return self.work.cannot_be_verified
        return bool(self.tests) and not self.verifiable

    def _unseen(self, rows: Iterable[Row]) -> tuple[Row, ...]:
        seen = {row_key(row) for row in self.examples}
        unseen: list[Row] = []
        for row in rows:
            key = row_key(row)
            if key not in seen:
                seen.add(key)
                unseen.append(row)
        return tuple(unseen)


@dataclass(frozen=True, kw_only=True)
class Suite:
    """A set of tasks with unique ids.

    Attributes:
        name: Built-in name or the file's name.
        tasks: In the order of the file or generator.
        digest: SHA-256 over the tasks in id order, ``meta`` left out; reordering keeps it.
        warnings: What a person should know about the suite as a whole.
        assigned: The split of every group, where whoever uses the suite decides it; by default 60/20/20.
        draw: Draws other tasks of this kind, by their number and a seed; None where the tasks are all there is.
    """

    name: str
    tasks: tuple[Task, ...]
    digest: str = ""
    warnings: tuple[str, ...] = ()
    assigned: Mapping[str, SplitName] | None = None
    draw: Callable[[int, int], Sequence[Task]] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.digest:
            object.__setattr__(self, "digest", suite_digest(self.tasks))

    @cached_property
    def splits(self) -> Mapping[str, SplitName]:
        """The split of every group."""
        return self.assigned if self.assigned is not None else assign_splits(task.group for task in self.tasks)

    def split(self, name: SplitName) -> tuple[Task, ...]:
        """The tasks of one split, in suite order."""
        if name not in get_args(SplitName):
            raise UsageError(f"no split {name!r}; splits are train, gate and test")
        return tuple(task for task in self.tasks if self.splits[task.group] == name)

    def evidence(self, name: SplitName) -> tuple[Task, ...]:
        """The tasks of one split that a gate may count: all but those whose answers can only be checked."""
        return tuple(task for task in self.split(name) if not task.cannot_be_verified)

    @property
    def unprovable(self) -> str:
        """Why nothing learned on the suite can be proved to help, in one sentence, or ""."""
        if self.evidence("gate"):
            return ""
        number = len(self.split("gate"))
        return f"all {number} gate tasks can only be checked, which proves nothing: there is practice, and no gate"

    def task(self, task_id: str) -> Task:
        """The task with this id; :class:`UsageError` names similar ids where there is none."""
        for task in self.tasks:
            if task.id == task_id:
                return task
        near = get_close_matches(task_id, [task.id for task in self.tasks], n=3)
        hint = f"did you mean {', '.join(near)}?" if near else f"such as {self.tasks[0].id}" if self.tasks else ""
        raise UsageError(f"suite {self.name!r} has no task {task_id!r}", hint=hint)


def entry_name(wanted: str) -> str:
    """``wanted`` as the name of a function that hides no builtin or standard module, else ``solve``."""
    usable = wanted.isidentifier() and wanted.isascii() and not keyword.iskeyword(wanted)
    hides = wanted in dir(builtins) or wanted in sys.stdlib_module_names or wanted.startswith("__")
    return wanted if usable and not hides else "solve"


def row_key(row: Row) -> str:
    """Identity of a row's input: two rows with the same key ask the same question."""
    return canonical_json(list(row.input))


def row_json(row: Row) -> dict[str, Json]:
    """The row as it stands in a task file."""
    return {"input": list(row.input), "output": row.output}


def task_json(task: Task) -> dict[str, Json]:
    """The task as it stands in a task file; loading it gives an equal task (warnings are derived)."""
    value: dict[str, Json] = {
        "id": task.id,
        "family": task.family,
        "group": task.group,
        "instruction": task.instruction,
    }
    if task.signature:
        value["signature"] = task.signature
    if task.work is not None:
        value[task.work.kind] = dict(task.work.as_json())
    else:
        value["examples"] = [row_json(row) for row in task.examples]
        if task.verify:
            value["verify"] = [row_json(row) for row in task.verify]
        value["hidden"] = [row_json(row) for row in task.hidden]
    if task.tests:
        value["tests"] = task.tests
    if task.meta:
        value["meta"] = dict(task.meta)
    return value


def _default_group(signature: str, examples: Iterable[Row], hidden: Iterable[Row]) -> str:
    """SHA-256 of the canonical JSON of signature, examples and hidden rows."""
    return digest(canonical_json([signature, [row_json(r) for r in examples], [row_json(r) for r in hidden]]))


def suite_digest(tasks: Iterable[Task]) -> str:
    """SHA-256 over the tasks in id order, without ``meta``: a comment does not make another suite."""
    parts = []
    for task in sorted(tasks, key=lambda task: task.id):
        value = task_json(task)
        value.pop("meta", None)
        parts.append(value)
    return digest(canonical_json(parts))


def assign_splits(groups: Iterable[str]) -> dict[str, SplitName]:
    """60/20/20 of the distinct groups, exactly, by the order of their SHA-256.

    From three groups on every split has at least one. The order of the tasks does not matter.
    """
    ordered = sorted(set(groups), key=lambda group: (digest(group), group))
    count = len(ordered)
    train = (6 * count + 5) // 10
    gate = (8 * count + 5) // 10
    if count >= 3:
        train = min(train, count - 2)
        gate = min(max(gate, train + 1), count - 1)
    names = ("train",) * train + ("gate",) * (gate - train) + ("test",) * (count - gate)
    return dict(zip(ordered, cast("tuple[SplitName, ...]", names), strict=True))

"""The environment of work in a folder: actions are code that changes a copy of it in the sandbox."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from evolve.environments.files.diffs import unified
from evolve.environments.files.focus import best_first, start_score, state_of
from evolve.environments.files.modules import run_with
from evolve.environments.files.snapshots import Changes, Snapshots, changes_between
from evolve.environments.verdicts import judged_by_all
from evolve.episodes import Action, EnvironmentState, Json, Judgement, Observation, Step
from evolve.errors import UsageError
from evolve.failpoints import hit
from evolve.files import clean_text
from evolve.redaction import MARK
from evolve.sandbox.actions import NO_FILES, ActionResult
from evolve.sandbox.protocol import Sandbox
from evolve.tasks.trees import MAX_TREE_BYTES, MAX_TREE_FILES, Tree, is_ignored, read_tree
from evolve.tasks.verification.checks import TAIL, Checked
from evolve.tasks.verification.verifiers import CommandVerifier, Submission, Verifier
from evolve.tasks.work import FolderWork, is_protected

_LONGEST_ANSWER = 200_000
"""Characters of the difference that the record keeps as the answer; the snapshot has all of it."""

_MOST_NAMES = 200
"""Names of files that one observation lists."""

_UNSEEN_FILE = "the file holds a value that you are not shown; change the other lines in place"


class FilesEnvironment:
    """The environment of a task in a folder; implements :class:`~evolve.environments.protocol.Environment`.

    Every action runs in a process and a scratch folder of its own that holds the tree as the action before left it.
    Variables do not outlive an action; files do. Afterwards the regular files are collected, without following
    links, and kept as a snapshot. Where they changed, the check runs on a fresh copy of the new tree.

    Args:
        work: The folder and its check.
        sandbox: Where actions and checks run.
        snapshots: Where states are kept.
        branches: Most actions tried from one state before another is taken; 1 always goes on from the last.
        verifiers: Asked after the check has passed, such as a rubric.
        modules: Python files by name that actions can import and cannot change, such as skills.

    Raises (from every method that needs the folder):
        UsageError: The folder cannot be worked on, or changed since the task was made.
    """

    name = "files"

    def __init__(
        self,
        work: FolderWork,
        sandbox: Sandbox,
        snapshots: Snapshots,
        *,
        branches: int = 1,
        verifiers: Sequence[Verifier] = (),
        modules: Mapping[str, bytes] = NO_FILES,
    ) -> None:
        self._work, self._sandbox, self._snapshots, self._branches = work, sandbox, snapshots, branches
        self._more, self._modules = tuple(verifiers), modules

    @cached_property
    def _tree(self) -> Tree:
        tree = read_tree(self._work.folder)
        if self._work.base and tree.digest != self._work.base:
            raise UsageError(
                f"{self._work.folder} changed since the task was made",
                hint="give the task again, or import the tasks again",
            )
        return tree

    def reset(self) -> Observation:
        """The names of the files at the start."""
        return Observation(ok=False, outputs=tuple(sorted(self._tree.files)))

    def focus(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """The steps that led to the state from which the next action starts."""
        return best_first(steps, self._branches) if self._branches > 1 else tuple(steps)

    def observe(self, action: Action, before: Sequence[Step]) -> Observation:
        """Runs the code on the current state; ``finish`` hands the state in.

        Code is ready to be judged when the visible check passes on what it left; without a visible check, only
        ``finish`` says so. Handing in an unchanged folder is giving up.
        """
        state = self._start_state(before)
        if action.kind == "finish":
            changed = self._snapshots.changes(state.snapshot)
            return Observation(
                ok=bool(changed.names),
                error="" if changed.names else action.text or "the policy gave up",
                state=state,
            )
        if not action.code:
            return Observation(ok=False, error=action.text or "the action has no code")
        tree = self._snapshots.changes(state.snapshot).on(self._tree.files)
        result = self._run(action.code, tree)
        if result.state == "fault":
            return Observation(ok=False, error=result.error, fault=True)
        observed = self._observed(result, tree, state)
        return replace(observed, ok=observed.ok and not action.continues)

    def _run(self, code: str, tree: Mapping[str, bytes]) -> ActionResult:
        hit("sandbox.before")
        result = run_with(self._modules, self._sandbox, code, tree)
        hit("sandbox.after")
        return result

    def _observed(self, result: ActionResult, tree: Mapping[str, bytes], state: EnvironmentState) -> Observation:
        after, problem = _collected(result, tree)
        # A model that saw the mark of a secret and writes the file back would erase the person's own value.
        unseen = marked(tree, after)
        if unseen:
            problem = f"{', '.join(unseen[:_MOST_NAMES])}: {_UNSEEN_FILE}; nothing was changed"
            after = dict(tree)
        moved = changes_between(tree, after)
        changes = changes_between(self._tree.files, after)
        protected = [name for name in moved.names if is_protected(name, self._work.guarded)]
        state = replace(
            state,
            snapshot=self._snapshots.keep(changes) if moved.names else state.snapshot,
            changed=moved.names[:_MOST_NAMES],
            protected=tuple(protected[:_MOST_NAMES]),
            output=clean_text(result.stdout + result.stderr)[-TAIL:],
            value=_shortened(result.value) if result.has_value else None,
        )
        checked = Checked(ok=False)
        if moved.names and self._work.check:
            checked = self._checked(changes)
            state = replace(state, check=checked.tail or checked.error, score=checked.score)
        error = result.error or problem or (f"the check fails: {checked.summary}" if state.check else "")
        return Observation(
            ok=checked.ok,
            error="" if checked.ok else clean_text(error),
            denied=str(result.denied[0]) if result.denied else "",
            fault=checked.fault,
            state=state,
            unseen=tuple(unseen[:_MOST_NAMES]),
        )

    def judge(self, steps: Sequence[Step]) -> Judgement:
        """Runs the check that decides on a fresh copy, with protected files as they were at the start."""
        decides = CommandVerifier(work=self._work, original=self._tree.files, executable=self._tree.executable)
        submission = replace(self._submission(self._changes(steps[-1])), shown=self.answer(steps[-1]))
        return judged_by_all((decides, *self._more), submission, self._sandbox)

    def probe(self, programs: Sequence[tuple[str, str]], inputs: Sequence[Sequence[Json]]) -> list[list[Json] | None]:
        """Whether the visible check passes after an action on the state of a snapshot; see the protocol's ``Probe``."""
        return [self._passes_after(code, [str(row[0]) for row in inputs]) for code, _ in programs]

    def _passes_after(self, code: str, snapshots: Sequence[str]) -> list[Json] | None:
        passed: list[Json] = []
        for snapshot in snapshots:
            tree = self._snapshots.changes(snapshot).on(self._tree.files)
            result = self._run(code, tree)
            if result.state in ("fault", "limit") or result.denied:
                return None  # the machine, and not the action
            after, _ = _collected(result, tree)
            altered = after != tree and not marked(tree, after)
            checked = self._checked(changes_between(self._tree.files, after)) if altered else None
            if checked is not None and checked.fault:
                return None
            passed.append(None if checked is None else checked.ok)
        return passed

    def answer(self, step: Step) -> str:
        """The difference to the start, as a unified diff."""
        text = unified(self._tree.files, self._changes(step))
        cut = f"{text[:_LONGEST_ANSWER]}\n... cut\n"
        return text if len(text) <= _LONGEST_ANSWER else cut

    def whole(self, step: Step) -> str:
        """All that a step's action gave."""
        state = state_of(step)
        return "" if state is None else state.output

    def close(self) -> None:
        """Holds nothing that needs freeing."""

    def _start_state(self, before: Sequence[Step]) -> EnvironmentState:
        """The state that the next action starts from, which is the one it leaves if nothing changes."""
        for step in reversed(self.focus(before)):
            state = state_of(step)
            if state is not None and not state.undone:
                return EnvironmentState(snapshot=state.snapshot, score=state.score, parent=step.number)
        # Only a search that can go back to the start needs the start's score, which costs a run of the check.
        if self._branches > 1 and self._work.check and not before:
            score = self._checked(Changes()).score
            return EnvironmentState(score=score, start=score)
        return EnvironmentState(score=start_score(before))

    def _checked(self, changes: Changes) -> Checked:
        visible = CommandVerifier(work=self._work, original=self._tree.files, hidden=False)
        return visible.run(self._submission(changes), self._sandbox)

    def _changes(self, step: Step) -> Changes:
        state = state_of(step)
        return self._snapshots.changes(state.snapshot if state is not None else "")

    def _submission(self, changes: Changes) -> Submission:
        return Submission(files=changes.on(self._tree.files), executable=self._tree.executable)


def _collected(result: ActionResult, tree: Mapping[str, bytes]) -> tuple[dict[str, bytes], str]:
    """The tree after an action, and what was wrong with it. What cannot be taken over whole is not taken at all."""
    if result.state == "limit":
        return dict(tree), f"the action reached its {result.limit} limit and changed nothing"
    after = {file.name: file.data for file in result.files if not is_ignored(file.name)}
    if len(after) > MAX_TREE_FILES or sum(map(len, after.values())) > MAX_TREE_BYTES:
        return dict(tree), f"more than {MAX_TREE_FILES:,} files or {MAX_TREE_BYTES >> 20} MiB; nothing was changed"
    return after, ""


def marked(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> tuple[str, ...]:
    """Names of files that hold more marks of a secret than before: a value that was not shown would be lost there."""
    sign, known = MARK.encode(), set(before.values())
    changed = (name for name, data in after.items() if before.get(name) != data and data not in known)
    return tuple(sorted(name for name in changed if after[name].count(sign) > before.get(name, b"").count(sign)))


def _shortened(value: Json) -> Json:
    text = json.dumps(value)
    return value if len(text) <= TAIL else clean_text(text[:TAIL])

"""Does recorded work again on the folder as it was before, and runs the checks of subgoals on copies of it.

A check alone would let a procedure pass that does less than was asked for, or more than anybody saw: a request has
parts that its check does not know, and a change hidden in a file beside the work passes as well. So a procedure may
change the files that the accepted answer changed, all of them and no other, and no protected one.

A copy, because a check that writes files would spoil the work if it ran where that goes on, and because it is how the
check of the task runs. Copies of a large folder take long, and the bound on all of them ends that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace

from evolve.core.episodes import Json, Observation, Step, Subgoal, SubgoalCheck, checked_state
from evolve.core.episodes.blocks import FencedBlock, blocks_of
from evolve.core.files import canonical_json, digest
from evolve.environments.branching import state_of
from evolve.environments.environment import RehearsalResult
from evolve.environments.files.editing import REPLY_S, BlockRunner, EditOutcome
from evolve.environments.files.folder_session import FolderSession
from evolve.environments.files.snapshots import changes_between
from evolve.runtime.folder_tree import FolderTree
from evolve.runtime.sandbox.protocol import Sandbox
from evolve.tasks.verification.checks import CheckResult, run_check
from evolve.tasks.verification.verifiers import CommandVerifier, Submission
from evolve.tasks.work import FolderWork

_MOST_CHECKED = 3
"""States of a folder on which no check has run yet, because it is slow, that are checked at an episode's end."""


def known_outcome(before: Sequence[Step], snapshot: str) -> tuple[bool | None, str, str]:
    """Whether the check passed when last run on this state, None where it did not run; its last line, its limit."""
    state = checked_state(before, snapshot)
    if state is None:
        return None, "", ""
    lines = (state.check or "").strip().splitlines()
    return state.score == 1.0, lines[-1][:200] if lines else "it printed nothing", state.limit


def was_handed_in(before: Sequence[Step], snapshot: str) -> bool:
    """Whether this very state was handed in before, and told to fail the check."""
    states = [state_of(step) for step in before if step.action.kind == "finish"]
    return any(state is not None and state.snapshot == snapshot for state in states)


def left_right(steps: Sequence[Step], checked: Callable[[str], CheckResult]) -> Observation | None:
    """What can be judged of what the steps left, or nothing.

    Args:
        checked: Runs the check on the state of a snapshot, such as one that was passed over because the check is slow.
    """
    states = [(step.number, state) for step in reversed(steps) if (state := state_of(step)) is not None]
    judged = {state.snapshot for step in steps if step.judgement is not None and (state := state_of(step)) is not None}
    asked = set[str]()
    for number, state in states:
        if not state.snapshot or state.snapshot in judged or state.undone:
            continue
        passed = known_outcome(steps, state.snapshot)[0]
        if passed is None and (state.snapshot in asked or len(asked) < _MOST_CHECKED):
            asked.add(state.snapshot)
            passed = checked(state.snapshot).ok
        if passed and not checked("").ok:
            state = replace(state, parent=number, changed=None, output="", whole="", value=None)
            return Observation(ok=True, state=state)
    return None


def rehearse_call(
    call: tuple[str, str, Sequence[Json]],
    tree: FolderTree,
    accepted: Mapping[str, bytes | None],
    opens: Callable[[Mapping[str, bytes]], FolderSession],
    judging: tuple[FolderWork, Sandbox],
) -> RehearsalResult:
    """What a call does on a folder.

    Args:
        call: The source, the name of its function, and the arguments.
        tree: The folder before the episode.
        accepted: What the accepted change left of each file that it changed.
        opens: Starts an interpreter in a copy of a tree.
        judging: The work with its check, and where that runs.
    """
    work, sandbox = judging
    source, entry, arguments = call
    session = opens(tree.files)
    try:
        result = session.run(FencedBlock(kind="python", text=f"{source}\n{entry}(*{list(arguments)!r})\n"))
    finally:
        session.close()
    found = RehearsalResult(base=tree.digest)
    if result.fault or result.limit:  # time also runs out on a busy machine
        return replace(found, told=result.error, fault=True)
    if result.error:
        # The kind of error alone: its words may be those of a file.
        kind = result.error.strip().splitlines()[-1].partition(":")[0]
        return replace(found, told=f"it fails: {kind[:80]}")
    done = changes_between(tree.files, result.tree)
    if not done.changed_names:
        return replace(found, told="it changes nothing")
    # Identity of what is done to each file; the same in two folders where a copy of it would do in both
    written = {name: digest(data) for name, data in sorted(done.written.items())}
    found = replace(found, change=digest(canonical_json([written, list(done.deleted)])))
    wanted = {name: data for name, data in accepted.items() if not work.protects(name)}
    if any(work.protects(name) for name in done.changed_names):
        return replace(found, told="it changes files that are protected")
    if set(done.changed_names) != set(wanted):
        return replace(found, told="it changes other files than the accepted answer did")
    if done.new_contents == wanted:
        return replace(found, same=True, held=True)  # it was accepted, so nothing has to be run again
    decides = CommandVerifier(work=work, original=tree.files, executable=tree.executable)
    verdict = decides.verify(Submission(files=result.tree, executable=tree.executable), sandbox)
    if verdict.fault:
        return replace(found, told=verdict.text, fault=True)
    held = verdict.accepted and verdict.checked
    return replace(found, held=held, told="" if held else "the check does not accept what it leaves")


def repeat_actions_in_folder(
    codes: Sequence[tuple[int, str]],
    tree: FolderTree,
    opens: Callable[[Mapping[str, bytes]], FolderSession],
    start: Callable[[int], object],
) -> Json:
    """The value of the last of some actions in one interpreter; None where that was lost, or they take too long."""
    acted, ends = EditOutcome(tree=tree.files, parts=()), time.monotonic() + REPLY_S
    with closing(opens(tree.files)) as session:
        for number, code in codes:
            start(number)
            acted = BlockRunner(acted.tree, session, opens, bool, ends - time.monotonic()).run(blocks_of(code))
            if not session.is_alive:
                return None
    return acted.value


CHECK_S = 20.0
"""Wall seconds of one check."""

_TOGETHER_S = 60.0
"""Wall seconds after which no further check is begun."""


def run_subgoal_checks(
    sandbox: Sandbox, subgoals: Sequence[Subgoal], tree: Mapping[str, bytes], executable: Collection[str]
) -> Iterator[SubgoalCheck]:
    """What the checks give on the tree, as far as time allows; where the sandbox fails, no more of them."""
    started = time.monotonic()
    for subgoal in subgoals:
        if time.monotonic() - started > _TOGETHER_S:
            return
        checked = run_check(sandbox, subgoal.check, tree, executable, CHECK_S)
        if checked.fault:
            return
        ran_out = checked.exit is None and bool(checked.error)
        yield SubgoalCheck(
            id=subgoal.id, held=None if ran_out else checked.ok, told="" if checked.ok else _why(checked)
        )


def _why(checked: CheckResult) -> str:
    """Why it did not hold: how it ended, and the last line that it printed."""
    said = checked.summary if checked.error or checked.tail.strip() else ""
    return ": ".join(filter(None, ["" if checked.exit is None else f"exit {checked.exit}", said]))

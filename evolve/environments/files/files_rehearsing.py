"""Does work again on the folder as it was before an episode, and compares what it leaves with what was accepted.

A check alone would let a procedure pass that does less than was asked for, or more than anybody saw: a request has
parts that its check does not know, and a change hidden in a file beside the work passes as well. So a procedure may
change the files that the accepted answer changed, all of them and no other, and no protected one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace

from evolve.core.episodes import Json
from evolve.core.episodes.blocks import FencedBlock, blocks_of
from evolve.core.files import canonical_json, digest
from evolve.environments.environment import RehearsalResult
from evolve.environments.files.files_acting import REPLY_S, Acted, BlockRunner
from evolve.environments.files.folder_session import FolderSession
from evolve.environments.files.snapshots import changes_between
from evolve.runtime.folder_tree import Tree
from evolve.runtime.sandbox.protocol import Sandbox
from evolve.tasks.verification.verifiers import CommandVerifier, Submission
from evolve.tasks.work import FolderWork


def rehearse_call(
    call: tuple[str, str, Sequence[Json]],
    tree: Tree,
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
    if not done.names:
        return replace(found, told="it changes nothing")
    # Identity of what is done to each file; the same in two folders where a copy of it would do in both
    written = {name: digest(data) for name, data in sorted(done.written.items())}
    found = replace(found, change=digest(canonical_json([written, list(done.deleted)])))
    wanted = {name: data for name, data in accepted.items() if not work.protects(name)}
    if any(work.protects(name) for name in done.names):
        return replace(found, told="it changes files that are protected")
    if set(done.names) != set(wanted):
        return replace(found, told="it changes other files than the accepted answer did")
    if done.left == wanted:
        return replace(found, same=True, held=True)  # it was accepted, so nothing has to be run again
    decides = CommandVerifier(work=work, original=tree.files, executable=tree.executable)
    verdict = decides.verify(Submission(files=result.tree, executable=tree.executable), sandbox)
    if verdict.fault:
        return replace(found, told=verdict.text, fault=True)
    held = verdict.accepted and verdict.checked
    return replace(found, held=held, told="" if held else "the check does not accept what it leaves")


def repeated(
    codes: Sequence[tuple[int, str]],
    tree: Tree,
    opens: Callable[[Mapping[str, bytes]], FolderSession],
    start: Callable[[int], object],
) -> Json:
    """The value of the last of some actions in one interpreter; None where that was lost, or they take too long."""
    acted, ends = Acted(tree=tree.files, parts=()), time.monotonic() + REPLY_S
    with closing(opens(tree.files)) as session:
        for number, code in codes:
            start(number)
            acted = BlockRunner(acted.tree, session, opens, bool, ends - time.monotonic()).run(blocks_of(code))
            if not session.alive:
                return None
    return acted.value

"""The environment of work in a folder: actions are blocks of code and edits that change a copy of it in the sandbox."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

from evolve.core.episodes import Action, EnvironmentState, Exhibit, Json, Judgement, Observation, Step
from evolve.core.episodes.blocks import blocks_of
from evolve.core.episodes.plans import Subgoal, SubgoalCheck
from evolve.core.errors import UsageError
from evolve.core.files import clean_text, head_and_tail
from evolve.environments.base import EnvironmentOptions
from evolve.environments.branching import active_path, is_active, start_score, state_of
from evolve.environments.environment import BaseEnvironment, RehearsalResult
from evolve.environments.files import rehearsal
from evolve.environments.files.diffs import folder_diff
from evolve.environments.files.editing import MOST_SHOWN, REPLY_S, BlockRunner, EditOutcome, fit_length
from evolve.environments.files.first_look import first_look_text, need_program, without_rules
from evolve.environments.files.folder_session import KEPT_OUTPUT, FolderSession
from evolve.environments.files.snapshots import Changes, Snapshots, changes_between, is_too_large, newly_redacted
from evolve.environments.verdicts import judged_by_all
from evolve.runtime.folder_tree import FolderTree, read_tree
from evolve.runtime.sandbox.actions import FunctionCalls
from evolve.tasks.verification.checks import CheckResult
from evolve.tasks.verification.verifiers import CommandVerifier, Submission, Verifier
from evolve.tasks.work import FolderWork

_LONGEST_ANSWER = 200_000
"""Characters of the difference that the record keeps as the answer; the snapshot has all of it."""

_MOST_NAMES = 200
"""Names of files that one observation lists."""

QUICK_S = 10.0
"""A check that took less runs after every change, with the copy that is made for it."""

_CALLS = re.compile(r"\b(from|import)\s+functions\b")
_UNSEEN_FILE = "the file holds a value that you are not shown; change the other lines in place"
_ANEW = "the interpreter was started anew: variables and temporary files are gone, the folder is as it was"
_UNCHANGED = "nothing was changed"
_ONLY_PROTECTED = "nothing was changed but protected files, whose change is not taken: {names}"
_AGAIN = "done again hands in all the same"
_DECIDES_TOO = ", and the same check decides"
_NOT_SHOWN = "a check that is not shown refuses it"
_BY_RUBRIC = "the judge of the task's rubric refuses it"
_NO_ANSWER = "this task asks for a change of the folder, until the check passes"
_UNCHECKED = "nothing can check it"


class FilesEnvironment(BaseEnvironment):
    """The environment of a task in a folder.

    The blocks of an action run in one interpreter and one scratch folder, which live as long as the episode goes
    straight on; where it does not, or they are lost, another begins with the files as the action before left them.
    The regular files that changed are kept as a snapshot, and the check runs on a fresh copy, unless it takes long.

    Args:
        work: The folder and its check.
        setting: Where actions and checks run, where states are kept, and what actions can import and cannot change.
        verifiers: Asked after the check has passed, such as a rubric.
        about: What is wanted, which says what comes first on a map of the folder.
        quick_s: Seconds from which on a check is slow, and runs only when the folder is handed in.

    Raises (from every method that needs the folder):
        UsageError: The folder cannot be worked on, or changed since the task was made.
    """

    name = "files"
    repeats = True
    _session: FolderSession | None = None

    def __init__(
        self,
        work: FolderWork,
        setting: EnvironmentOptions,
        *,
        verifiers: Sequence[Verifier] = (),
        about: str = "",
        quick_s: float = QUICK_S,
    ) -> None:
        super().__init__(setting.sandbox)
        self._work = work
        self._branches, self._exploring = setting.branches, setting.exploring
        self._modules, self._clean, self._calls = setting.modules, setting.clean, setting.calls
        self._snapshots = Snapshots(None if setting.folder is None else setting.folder / "tree")
        self._more, self._quick_s = tuple(verifiers), quick_s
        self._about = about
        self._takes_words = not (work.check or work.hidden_check)
        self._own, self._asked_by_person = setting.own, setting.own and not (work.hidden_check or verifiers)
        self._at: tuple[str, tuple[str, ...]] = ("", ())  # the snapshot and the actions that the session stands at
        self._last: tuple[str, Mapping[str, bytes]] | None = None
        self._results: dict[str, CheckResult] = {}

    @cached_property
    def _tree(self) -> FolderTree:
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

    def initial_view(self) -> tuple[Exhibit, ...]:
        """What the check prints now, a map or all of the files, and what the folder says of how to work in it."""
        checked = self._checked("") if self._work.check else None
        if checked is not None and self._own:
            need_program(self._work.check, checked)
        notes = filter(None, [self._tree.summary, self._work.summary(self._tree.files)])
        parts = first_look_text(self._tree.files, self._about, self._work.check, checked, tuple(notes))
        return tuple(replace(part, text=self._clean(clean_text(part.text))) for part in parts)

    def active_steps(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """The steps that led to the state from which the next action starts."""
        return active_path(steps, self._branches, self._exploring)

    def observe(self, action: Action, before: Sequence[Step]) -> Observation:
        """Runs the blocks on the current state; ``finish`` then hands the state in, and ``answer`` its text.

        A change is ready to be judged when the visible check passes on it and did not before, else on ``finish``. An
        unchanged folder is not handed in; one on which the visible check fails is at the second time. Words do where
        there is no check, and where a person asks about a folder that stays as it is.
        """
        state = self._start_state(before)
        if action.kind == "code" and not action.code:
            return Observation(ok=False, error=action.text or "the action has no code")
        observed = Observation(ok=False, state=state)
        if action.code:
            observed, failed = self._acted(action, before, state)
            if failed or action.kind == "code":
                return replace(observed, ok=observed.ok and action.kind == "code" and not action.continues)
        return self._ended(action, before, observed)

    def _acted(self, action: Action, before: Sequence[Step], state: EnvironmentState) -> tuple[Observation, bool]:
        """What the blocks gave, and whether one of them failed."""
        tree = self._tree_of(state.snapshot)
        history = tuple(step.action.code for step in self.active_steps(before) if is_active(step))
        # The session, if it stands where the next action starts
        if self._session is not None and not (self._session.is_alive and self._at == (state.snapshot, history)):
            self.close()
        runner = self._runner(tree, self._session)
        blocks = blocks_of(action.code)
        try:
            acted = runner.run(blocks)
        finally:
            self._session = runner.session
        if acted.fault:
            self.close()
            return Observation(ok=False, error=acted.error, fault=True), True
        anew = runner.opened and any(block.kind == "python" for code in history for block in blocks_of(code))
        acted = replace(acted, parts=(_ANEW, *acted.parts)) if anew else acted
        observed = self._observed(acted, tree, state)
        assert observed.state is not None
        self._at = (observed.state.snapshot, (*history, action.code))
        runs_check = any(block.kind == "sh" and self._work.check in block.text for block in blocks)
        # What is handed in is checked then; where a block before it failed, nothing is.
        if (action.kind == "code" or acted.error) and observed.state.changed and self._work.check:
            checked = self._with_check(observed, runs_check=runs_check)
            observed = replace(checked, error=observed.error or checked.error) if acted.error else checked
        return observed, bool(acted.error)

    def _runner(self, tree: Mapping[str, bytes], session: FolderSession | None) -> BlockRunner:
        # Whoever runs a slow check among the blocks has as long for it.
        seconds = max(REPLY_S, 2 * self._work.seconds if self._work.check else 0.0)
        return BlockRunner(tree, session, self._opened, self._work.protects, seconds)

    def _opened(self, tree: Mapping[str, bytes], calls: FunctionCalls | None = None) -> FolderSession:
        return FolderSession(
            self._sandbox,
            tree,
            modules=self._modules,
            start=self._tree,
            seconds=self._work.seconds if self._work.check else 0.0,
            calls=calls or self._calls,
        )

    def _observed(self, acted: EditOutcome, tree: Mapping[str, bytes], state: EnvironmentState) -> Observation:
        """What the blocks gave and left, before the check has run."""
        after, problem = acted.tree, is_too_large(acted.tree)
        # A model that saw the mark of a secret and writes the file back would erase the person's own value.
        unseen = newly_redacted(tree, after)
        if unseen:
            problem = f"{', '.join(unseen[:_MOST_NAMES])}: {_UNSEEN_FILE}; nothing was changed"
        if problem:
            after = tree
            self.close()  # its folder is another
        moved = changes_between(tree, after)
        parts = [self._clean(clean_text(part)) for part in acted.parts]
        whole = "\n".join(parts)
        state = replace(
            state,
            snapshot=self._snapshots.save_changes(changes_between(self._tree.files, after))
            if moved.changed_names
            else state.snapshot,
            changed=moved.changed_names[:_MOST_NAMES],
            protected=tuple(filter(self._work.protects, moved.changed_names))[:_MOST_NAMES],
            output=fit_length(parts),
            whole=self._snapshots.keep_text(head_and_tail(whole, KEPT_OUTPUT)) if len(whole) > MOST_SHOWN else "",
            value=acted.value if len(str(acted.value)) <= MOST_SHOWN else None,
        )
        self._last = (state.snapshot, after)
        return Observation(
            ok=False,
            error=clean_text(acted.error or problem),
            denied=acted.denied,
            limit=acted.limit,
            state=state,
            unseen=tuple(unseen[:_MOST_NAMES]),
        )

    def _with_check(self, observed: Observation, *, runs_check: bool) -> Observation:
        """The same after the check of the new tree, or with a word on why it did not run."""
        state = observed.state
        assert state is not None
        took = max((checked.seconds for checked in self._results.values()), default=-1.0)
        if took >= self._quick_s:
            told = "" if runs_check else f"\nthe check takes {took:.0f} s and was not run; done runs it"
            return replace(observed, state=replace(state, output=state.output + told))
        checked = self._checked(state.snapshot)
        error = observed.error or ("" if checked.ok else f"the check fails: {checked.summary}")
        ok = checked.ok and not self._checked("").ok
        state = self._told(state, checked)
        return replace(observed, ok=ok, error="" if ok else clean_text(error), fault=checked.fault, state=state)

    def _told(self, state: EnvironmentState, checked: CheckResult) -> EnvironmentState:
        said = without_rules(checked.output) or checked.error
        return replace(state, check=self._clean(said), score=checked.score, limit=checked.limit)

    def _ended(self, action: Action, before: Sequence[Step], observed: Observation) -> Observation:
        """Hands in, answers or gives up, after what the action's blocks gave."""
        state = observed.state
        assert state is not None
        if action.kind == "give_up":
            return replace(observed, error=action.text or "the policy gave up")
        names = self._snapshots.load_changes(state.snapshot).changed_names
        if action.kind == "answer":
            if not (self._takes_words or (self._asked_by_person and not names)):
                return replace(observed, error=_NO_ANSWER)
            return replace(observed, ok=True, outputs=(action.text,))
        if all(map(self._work.protects, names)):
            return replace(observed, error=_ONLY_PROTECTED.format(names=", ".join(names)) if names else _UNCHANGED)
        if not self._work.check:
            return replace(observed, ok=True, error="")
        passed, why, limit = rehearsal.known_outcome(before, state.snapshot)
        if passed is None:
            checked = self._checked(state.snapshot)
            passed, why, state = checked.ok, checked.summary, self._told(state, checked)
            if checked.fault:
                return replace(observed, error=checked.error, fault=True, state=state)
        elif not passed:
            state = replace(state, check=self._clean(why), limit=limit)
        if passed or rehearsal.was_handed_in(before, state.snapshot):
            return replace(observed, ok=True, error="", state=state)
        again = _AGAIN + ("" if self._work.hidden_check else _DECIDES_TOO)
        return replace(observed, error=f"the check fails: {self._clean(why)}; {again}", state=state)

    def left_right(self, steps: Sequence[Step]) -> Observation | None:
        """The newest state that passes the check and was not judged, unless the folder passed it from the start."""
        return rehearsal.left_right(steps, self._checked) if self._work.check else None

    def judge(self, steps: Sequence[Step]) -> Judgement:
        """Runs the check that decides on a fresh copy, with protected files as they were at the start.

        Where there is none, a change or an answer is accepted as what nothing can check, unless a rubric judges it.
        """
        last = steps[-1]
        shown = last.action.text if last.action.kind == "answer" else self.answer(last)
        submission = replace(self._submission(self._changes(last)), shown=shown)
        # A question of a person's own is answered in words, whatever the check of the folder says of it.
        decided = not (last.action.kind == "answer" and self._asked_by_person)
        if decided and (self._work.check or self._work.hidden_check):
            decides = self._decides()
            return self._with_reason(judged_by_all((decides, *self._more), submission, self._sandbox))
        if self._more:
            return self._with_reason(judged_by_all(self._more, submission, self._sandbox))
        return Judgement(accepted=True, verified=False, rows=0, unchecked=True, text=_UNCHECKED)

    def _with_reason(self, judged: Judgement) -> Judgement:
        """The same with what the policy may be told of a refusal: of the check that it sees all, of another nothing."""
        if judged.accepted or judged.fault:
            return judged
        shown = self._clean(judged.text) if self._own else ""
        told = _BY_RUBRIC if judged.judged else _NOT_SHOWN if self._work.hidden_check else shown
        return replace(judged, told=told)

    def probe(self, programs: Sequence[tuple[str, str]], inputs: Sequence[Sequence[Json]]) -> list[list[Json] | None]:
        """Whether the visible check passes after an action on the state of a snapshot; see the protocol's ``Probe``."""
        return [self._passes_after(code, [str(row[0]) for row in inputs]) for code, _ in programs]

    def try_checks(self, subgoals: Sequence[Subgoal], step: Step) -> tuple[SubgoalCheck, ...]:
        """What the checks of subgoals give after a step."""
        state = state_of(step)
        tree = self._tree_of(state.snapshot if state is not None else "")
        return tuple(rehearsal.run_subgoal_checks(self._sandbox, subgoals, tree, self._tree.executable))

    def _passes_after(self, code: str, snapshots: Sequence[str]) -> list[Json] | None:
        own = any(name.startswith(("functions.py", "functions/")) for name in self._tree.files)
        if _CALLS.search(code) and not own:
            return None  # a call is not made again to compare, and without it the action is another
        passed: list[Json] = []
        for snapshot in snapshots:
            tree = self._tree_of(snapshot)
            runner = self._runner(tree, None)
            try:
                acted = runner.run(blocks_of(code))
            finally:
                if runner.session is not None:
                    runner.session.close()
            if acted.fault or acted.lost or acted.denied:
                return None  # the machine, and not the action
            altered = acted.tree != tree and not newly_redacted(tree, acted.tree) and not is_too_large(acted.tree)
            checked = self._run_check(changes_between(self._tree.files, acted.tree)) if altered else None
            if checked is not None and checked.fault:
                return None
            passed.append(None if checked is None else checked.ok)
        return passed

    def changed_files(self, step: Step) -> Mapping[str, bytes | None]:
        """What a step's answer left of each file that it changed."""
        return self._changes(step).new_contents

    def rehearse(
        self, code: str, entry: str, arguments: Sequence[Json], accepted: Mapping[str, bytes | None]
    ) -> RehearsalResult:
        """A procedure on the folder as it was."""
        call, judging = (code, entry, arguments), (self._work, self._sandbox)
        return rehearsal.rehearse_call(call, self._tree, accepted, self._opened, judging)

    def repeat_actions(
        self, codes: Sequence[tuple[int, str]], calls: FunctionCalls | None, start: Callable[[int], object]
    ) -> Json:
        """Actions anew on a copy of the folder."""
        return rehearsal.repeat_actions_in_folder(codes, self._tree, partial(self._opened, calls=calls), start)

    def full_output(self, step: Step) -> str:
        """All that the blocks of a step gave, up to 2 MB, and what the check printed."""
        state = state_of(step)
        if state is None:
            return step.observation.text if step.observation else ""
        gave = self._snapshots.text(state.whole) if state.whole else state.output
        return "\n".join(filter(None, [gave, f"the check said:\n{state.check}" if state.check else ""]))

    def answer(self, step: Step) -> str:
        """The difference to the start that is taken, as a unified diff; of an answer in words, the words."""
        if step.action.kind == "answer":
            return step.action.text
        changes = self._changes(step)
        text = folder_diff(
            self._tree.files, changes, [name for name in changes.changed_names if not self._work.protects(name)]
        )
        cut = f"{text[:_LONGEST_ANSWER]}\n... cut\n"
        return text if len(text) <= _LONGEST_ANSWER else cut

    def _start_state(self, before: Sequence[Step]) -> EnvironmentState:
        """The state that the next action starts from, which is the one it leaves if nothing changes."""
        for step in reversed(self.active_steps(before)):
            state = state_of(step)
            if state is not None and not state.undone:
                return EnvironmentState(snapshot=state.snapshot, score=state.score, parent=step.number)
        # Only a search that can go back to the start needs the start's score, which costs a run of the check.
        if self._branches > 1 and self._work.check and not before:
            score = self._checked("").score
            return EnvironmentState(score=score, start=score)
        return EnvironmentState(score=start_score(before))

    def _checked(self, snapshot: str) -> CheckResult:
        """What the visible check says of a state; asked once."""
        if snapshot not in self._results:
            checked = self._run_check(self._snapshots.load_changes(snapshot))
            if checked.fault:
                return checked  # says nothing of the state
            self._results[snapshot] = checked
        return self._results[snapshot]

    def _run_check(self, changes: Changes) -> CheckResult:
        return replace(self._decides(), hidden=False).run(self._submission(changes), self._sandbox)

    def _decides(self) -> CommandVerifier:
        tree = self._tree
        return CommandVerifier(work=self._work, original=tree.files, executable=tree.executable, folders=tree.folders)

    def _tree_of(self, snapshot: str) -> Mapping[str, bytes]:
        if self._last is not None and self._last[0] == snapshot:
            return self._last[1]
        return self._snapshots.load_changes(snapshot).apply_to(self._tree.files)

    def _changes(self, step: Step) -> Changes:
        return self._snapshots.load_changes(state.snapshot if (state := state_of(step)) is not None else "")

    def _submission(self, changes: Changes) -> Submission:
        return Submission(files=changes.apply_to(self._tree.files), executable=self._tree.executable)

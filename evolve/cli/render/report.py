"""``evolve report``: the few lines that say whether it helped, and with ``--details`` every figure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from evolve.cli.pages import first_sentence
from evolve.cli.render.layout import format_dollars, format_interval, format_odds, format_spending
from evolve.cli.render.output import count_of, emit, shorten_line, singular_form, table

if TYPE_CHECKING:
    from evolve.workspace import ArmContrast, ArmRow, ConfidenceInterval, CostShares, Proof, Report, RoundRow, Workspace
    from evolve.workspace import RunChanges as Changes


SEARCH = "search"
"""The policy that needs no model."""


def show_proof(proof: Proof, policy: str = SEARCH) -> None:
    """Prints what the person's own tasks say; nothing where none could be judged.

    Args:
        policy: Who solved them.
    """
    if proof.is_empty:
        return
    state, tally = proof.state, proof.state.tally
    by = "" if policy == SEARCH else f" with {policy.removeprefix('language:')}"
    problems = count_of(proof.counted, "distinct problem")
    emit(f"your own tasks{by}: {problems}, each solved twice before evolve learned from it")
    if by:
        emit("  compared: the agent with all it has learned, and the same model that has learned nothing")
    if proof.alike:
        emit(f"  {proof.alike} more were like earlier ones and do not count")
    if proof.missing:
        emit(
            f"  {count_of(proof.missing, 'more problem')} begun and not judged, and a proof waits for them:"
            " evolve runs list, evolve learn"
        )
    emit(
        f"  with what was learned before: {tally.wins} better, {tally.losses + tally.withheld} worse,"
        f" {tally.ties} the same; solved and {'verified' if not by else 'verified or checked'}"
        f" {proof.solved_learned}, without {proof.solved_unlearned}"
    )
    if proof.mean_ratio is not None and proof.cost_unlearned:
        emit(
            f"  cost where both solve: {proof.cost_learned / proof.cost_unlearned:.2f} in sum,"
            f" {proof.mean_ratio:.2f} in the mean of the ratios, over {count_of(proof.both, 'problem')}"
        )
    if proof.spent:
        emit(f"  solving them again to judge that took {format_spending(proof.spent)}, {proof.spent.seconds:.1f} CPU s")
    needed = format_odds(1 / state.alpha)
    emit(f"  odds that learning helps: {format_odds(state.wealth)}; a proof needs {needed}. {_so_far(proof)}")
    if len(proof.families) > 1:
        rows = [
            (row.family, row.tally.pairs, row.tally.wins, row.tally.losses, row.tally.ties, format_odds(row.wealth))
            for row in proof.families
        ]
        emit(table(("kind", "problems", "better", "worse", "same", "odds"), rows))
    emit()


def _so_far(proof: Proof) -> str:
    if proof.helped:
        return "Learning has helped you."
    if proof.harmed:
        return "It has made things worse: evolve skills list shows what was learned, evolve forget removes it."
    if proof.state.further is None:
        return "At this rate it cannot be shown."
    if not proof.state.tally.wins:
        return "Not shown yet: it made no task better so far."
    return f"Not shown yet: about {count_of(proof.state.further, 'more problem')} at this rate."


def report_lines_now(opened: Workspace, report: Report) -> Mapping[str, str]:
    """What the record says now of the report's skills and insights, by name and id."""
    named = {row.id for row in report.insights}
    skills, insights = opened.skills.list(), [one for one in opened.memory.list() if one.id in named]
    of_skills, of_insights = opened.skills.histories(skills), opened.memory.histories(insights)
    told = {skill.name: of_skills[skill.digest].text for skill in skills}
    return told | {one.id: of_insights[one.id].text for one in insights}


def show_details(report: Report, told: Mapping[str, str] | None = None) -> None:
    """Prints a report for people.

    Args:
        told: What is known now of its skills and insights; see :func:`report_lines_now`.
    """
    emit(f"suite {report.suite}, seed {report.seed}: {singular_form(report.finish_reason)}")
    emit()
    for row in report.rounds:
        verdict = f"{row.verdict} after {count_of(row.pairs, 'pair')}" if row.verdict else "no verdict"
        progress = f"{count_of(row.episodes, 'task')} tried, {row.solved} solved, {count_of(row.skills, 'new skill')}"
        emit(f"round {row.number}: {progress}; compared with before: {verdict}{', promoted' if row.promoted else ''}")
        if row.idle:
            emit(f"  {count_of(row.idle, 'skill')} set aside, used for no task but the one it is from")
            emit("  evolve skills list --all", whole=True)
        if row.checkable:
            emit(f"  checked: {row.checked} of {row.checkable} tasks that can only be checked; not part of the proof")
        emit(f"  {singular_form(row.reason)}")
    emit()
    _show_arms(report)
    if report.ratio.value is not None or report.gain.value is not None:
        cost = report.cost_unit
        for contrast in report.compared:
            emit(f"{cost}, learned / {contrast.arm}: {_interval(contrast.ratio)} (median, where both solve)")
            if contrast.shares is not None:
                emit(f"  {_side_by_side(contrast.shares)}")
            emit(f"share solved, learned - {contrast.arm}: {_interval(contrast.gain)}")
            emit(f"  valid at every look: {_interval(contrast.gain_always)}")
            emit(f"  mean saving of {cost}, valid at every look: {_interval(contrast.saving_always)}")
        if report.looks:
            looks = "once" if report.looks == 1 else f"{report.looks} times"
            emit(f"the test tasks of this suite have been opened {looks}")
        emit(_verdict(report))
        emit()
    _show_learned(report, told or {})
    emit(f"spent: {format_spending(report.spent)} in {report.spent.seconds:.0f} s")
    if report.overshoot:
        emit(f"  {report.overshoot}")


def _show_arms(report: Report) -> None:
    """Prints a row for each arm that was run, and why the others were not."""
    asked = any(row.calls or row.tokens for row in report.arms)
    costs = ("calls", "tokens in", "cached", "out", "cost") if asked else ("candidates",)
    header = ("agent", "tasks", "solved", "verified", *costs, "seconds", "")
    run = [_arm_cells(row, asked=asked) for row in report.arms if row.tasks]
    if run:
        emit(table(header, run, spare=("seconds", "cached")))
    skipped = [row for row in report.arms if not row.tasks]
    for reason in dict.fromkeys(row.note for row in skipped):
        emit(f"{', '.join(row.arm for row in skipped if row.note == reason)}: {reason}")
    emit()


def _verdict(report: Report) -> str:
    """Whether learning helped, and in which run what was measured had been learned, where that is another one."""
    if not report.promoted:
        return "nothing was promoted; these figures are of the comparison above"
    verdict = "learning helped" if report.helped else "no gain that the 95 % intervals can tell from chance"
    if not report.promoted_by or report.promoted_by == report.run:
        return verdict
    return (
        f"{verdict}; measured was the variant {report.promoted[:12]} that {report.promoted_by} promoted, not this run"
    )


def _side_by_side(shares: CostShares) -> str:
    told = (
        (shares.total, "over all tasks"),
        (shares.both, "over those that both solve"),
        (shares.mean, "as the geometric mean of their ratios"),
        (shares.seconds, "in CPU seconds over all tasks"),
    )
    return ", ".join(f"{share:.2f} {what}" for share, what in told if share is not None)


def _arm_cells(row: ArmRow, *, asked: bool) -> tuple[object, ...]:
    model = (row.calls, row.tokens - row.completion, row.cached, row.completion, format_dollars(row.money))
    costs = model if asked else (row.candidates,)
    return row.arm, row.tasks, row.solved, row.verified, *costs, row.seconds, row.note


def _show_learned(report: Report, told: Mapping[str, str]) -> None:
    evidence = count_of(report.evidence_count, "piece of evidence", "pieces of evidence")
    emit(f"learned: {count_of(report.insight_count, 'insight')} from {evidence}")
    for insight in report.insights[:6]:
        emit(f"  {insight.status}, {count_of(insight.evidence, 'row')}: {shorten_line(insight.text, 160)}")
        if told.get(insight.id):
            emit(f"    {told[insight.id]}")
    parts = f", and {count_of(report.parts, 'part')} of answers that the search uses" if report.parts else ""
    emit(f"learned: {count_of(report.skills, 'skill')}{parts}")
    for skill in report.skills[:6]:
        does = shorten_line(first_sentence(skill.description), 100)
        helped = told.get(skill.name) or f"helped {count_of(skill.tasks, 'task')}"
        emit(f"  {skill.name} ({skill.status}; {helped}): {does}")


def _interval(interval: ConfidenceInterval) -> str:
    return "no figure" if interval.value is None else format_interval(interval)


Answer = Literal["accepted", "worse", "rejected", "undecided"]
"""As ``docs/improve.md`` tells them; worse is what the gate accepted and held-out tasks speak against."""

_MORE_TASKS = "Next, once you have added tasks that differ from these:"
_OTHER_SUITE = "Next, a suite with more tasks that differ from these:"
_POLICIES = 2
"""Policies whose own tasks are told of; the others are among the details."""


def show_summary(report: Report, suite: str) -> None:
    """Prints what a person decides by.

    Args:
        suite: The suite as it is typed.
    """
    emit(f"{report.suite}: {singular_form(report.finish_reason)}")
    _show_result(report)
    emit(f"Spent: {format_spending(report.spent)} in {_duration(report.spent.seconds)}. {_pays(report)}".rstrip())
    if report.overshoot:
        emit(f"  {report.overshoot}")
    _show_agent(report)
    if report.run_changes is not None:
        _show_unsolved(report.run_changes)
    for why, command in _next_steps(report, suite):
        emit(why)
        emit(f"  {command}", whole=True)
    emit("All figures: evolve report --details", whole=True)


def learning_verdict(report: Report) -> Answer:
    """Whether learning helped, by the gate and by what was measured on held-out tasks."""
    if report.has_promoted or _is_measured(report):
        gain, ratio = report.gain, report.ratio
        if report.helped or gain.value is None or not report.looks:  # without a look the pairs are the gate's own
            return "accepted"
        harmed = (gain.high is not None and gain.high < 0.0) or (ratio.low is not None and ratio.low > 1.0)
        return "worse" if harmed else "undecided"
    latest = _judged(report)
    return "rejected" if latest is not None and latest.verdict == "reject" else "undecided"


def _is_measured(report: Report) -> bool:
    """Whether what is promoted was run on held-out tasks."""
    return bool(report.promoted and report.looks) and report.gain.value is not None


def _judged(report: Report) -> RoundRow | None:
    """The last round that was promoted, else the last one that the gate compared anything in."""
    rows = [row for row in reversed(report.rounds) if row.verdict or row.pairs]
    return next((row for row in rows if row.promoted), next(iter(rows), None))


def _show_result(report: Report) -> None:
    judged, found = _judged(report), learning_verdict(report)
    if report.has_promoted:
        measured = "" if found == "accepted" else f", but {found} on held-out tasks"
        emit(f"Result: accepted{measured}. {_counts(judged)}")
    elif _is_measured(report):
        emit(f"Result: {found}, for what {report.promoted_by or 'an earlier run'} promoted.")
        emit(f"  This run promoted nothing more. {_counts(judged)}")
    else:
        emit(f"Result: {found}. {_counts(judged)}")
    row = judged or next(reversed(report.rounds), None)
    if row is not None and row.reason:
        _, _, rest = row.reason.partition(": ")  # before it stand the counts, which were just told
        why = singular_form(rest if row.verdict and rest else row.reason)
        emit(f"  Why: {why.replace('pairs needed', 'tasks like these would show a gain') if row.verdict else why}.")
    accepted = judged.number if judged is not None and judged.promoted else math.inf
    for later in report.rounds:
        if later.number > accepted and later.verdict:
            word = "rejected" if later.verdict == "reject" else later.verdict
            emit(f"  Round {later.number}: {word}. {_counts(later)} The version of round {accepted} stays.")
    first = report.compared[0]
    if first.gain.value is not None:
        emit(f"  Solved: {_share(first)}")
    if first.ratio.value is not None:
        emit(f"  Cost of a task: {_ratio(first)}")


def _counts(row: RoundRow | None) -> str:
    if row is None or not row.pairs:
        return "Nothing was compared."
    if row.better + row.worse + row.equal:
        return f"{row.better} better, {row.worse} worse, {row.equal} equal."
    return f"{count_of(row.pairs, 'task')} compared."  # an older version wrote it, which did not count by outcome


def _share(contrast: ArmContrast) -> str:
    return _figure(contrast.gain, 100, "+.1f", " percentage points")


def _ratio(contrast: ArmContrast) -> str:
    return _figure(contrast.ratio, 1, ".2f", " times as much as before")


def _figure(found: ConfidenceInterval, scale: int, form: str, what: str) -> str:
    text = f"{scale * (found.value or 0.0):{form}}{what}"
    if found.low is None or found.high is None:
        return f"{text} (n = {found.n}, too few for an interval)"
    return f"{text} (95 % interval {scale * found.low:{form}} to {scale * found.high:{form}}, n = {found.n})"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _pays(report: Report) -> str:
    """After how many tasks learning has paid for itself, in a sentence; "" where nothing was measured."""
    shares = next((one.shares for one in report.contrasts if one.arm == "unlearned"), None)
    if shares is None or not report.promoted:
        return ""
    in_tokens = report.cost_unit == "tokens"
    saved, spent = (
        (shares.saved, report.spent.tokens) if in_tokens else (1000 * shares.saved_seconds, 1000 * report.spent.seconds)
    )
    if not spent:
        return ""
    if saved <= 0:
        return "Over all tasks it saves nothing, so it does not pay for itself by these."
    unit = "tokens" if in_tokens else "ms of CPU time"
    return f"It saves {saved:,.0f} {unit} a task and has paid for itself after {math.ceil(spent / saved):,} tasks."


def _show_agent(report: Report) -> None:
    changes = report.run_changes
    new = [] if changes is None else _new(changes)
    if report.has_promoted:
        known = f"{count_of(report.skills, 'learned skill')} and {count_of(report.insight_count, 'insight')}"
        emit(f"Your agent: version {report.promoted[:10]} is active, with {known}.")
        if new:
            emit(f"  Since the run began: {' and '.join(new)}.")
        emit("  Prompts and workflow are unchanged.")
        return
    if new:
        emit(f"Kept: {' and '.join(new)}, for the search in your own runs.")
    emit(f"Your agent is {'otherwise ' if new else ''}unchanged: no change of the whole was shown to help.")


def _new(changes: Changes) -> list[str]:
    named = ", ".join(changes.skills[:3]) + (", …" if len(changes.skills) > 3 else "")
    skills = [f"{count_of(changes.skills, 'new skill')} ({named})"] if changes.skills else []
    return skills + ([count_of(changes.insights, "new insight")] if changes.insights else [])


def _show_unsolved(changes: Changes) -> None:
    if not changes.practised:
        return
    if not changes.unsolved:
        all_ = "the one task" if changes.practised == 1 else f"all {changes.practised:,} tasks"
        emit(f"Unsolved: none. Practice solved {all_}.")
        return
    of = f"{changes.unsolved} of {count_of(changes.practised, 'task')} practised on"
    tasks = [f"{shorten_line(one.task, 40)} ({_times(one.tries)})" for one in changes.hardest]
    more = ", …" if changes.unsolved > len(tasks) else ""
    emit(f"Unsolved: {of}{': ' if tasks else ''}{', '.join(tasks)}{more}")


def _times(number: int) -> str:
    return "tried once" if number == 1 else f"tried {number} times"


def _next_steps(report: Report, suite: str) -> list[tuple[str, str]]:
    """One or two commands, each with what it is for."""
    again, is_own = f"evolve improve {suite}", any(mark in suite for mark in "./")
    if report.goes_on:
        return [("Next, to go on from here:", f"{again} --budget AMOUNT")]
    if report.promoted and report.looks:
        steps = [("Next, to measure it once more, against two controls:", "evolve report --fresh")]
    elif report.promoted:
        steps = [("Next, with tasks that are new:", again)]
    else:
        # Tasks of a built-in suite are what they are.
        steps = [(_MORE_TASKS, again) if is_own else (_OTHER_SUITE, "evolve lab tasks list")]
    if report.run_changes is not None and report.run_changes.skills:
        steps.append(("To see what is new:", f"evolve skills list{'' if is_own else ' --practice'}"))
    return steps


def show_own_tasks(proofs: Mapping[str, Proof]) -> None:
    """Prints what the person's own tasks say, by who solved them; nothing where none could be judged."""
    told = [(policy, proof) for policy, proof in proofs.items() if not proof.is_empty]
    for policy, proof in told[:_POLICIES]:
        _show_own(policy, proof)
    if len(told) > _POLICIES:
        emit(f"  and {count_of(len(told) - _POLICIES, 'more model')}: evolve report --details")


def _show_own(policy: str, proof: Proof) -> None:
    tally = proof.state.tally
    by = "" if policy == SEARCH else f" with {policy.removeprefix('language:')}"
    verdict = "yes" if proof.helped else "no" if proof.harmed else "undecided"
    worse = tally.losses + tally.withheld
    emit(
        f"Your own tasks{by}: {verdict}. {tally.wins} better, {worse} worse, {tally.ties} equal (n = {proof.counted})."
    )
    if proof.missing:
        emit(f"  Not judged yet: {proof.missing}. Next: evolve learn")
    if verdict == "no":
        emit("  What was learned made things worse: evolve skills list, then evolve forget ID")
    elif verdict == "undecided" and not tally.wins:
        emit("  Learning made no task of yours better so far.")
    elif verdict == "undecided" and proof.state.further is None:
        emit("  Not at this rate: more tasks like these would not show a gain.")
    elif verdict == "undecided":
        emit(f"  About {count_of(proof.state.further or 0, 'more distinct task')} at this rate would show a gain.")
    if proof.mean_ratio is not None and proof.cost_unlearned:
        share = proof.cost_learned / proof.cost_unlearned
        emit(f"  Cost where both solve: {share:.2f} times as much as without learning (n = {proof.both}).")

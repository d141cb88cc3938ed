"""What a session shows of what was done and learned: ``/why``, ``/plan``, ``/learn``, ``/skills`` and ``/memory``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evolve.cli.causes import cause_line
from evolve.cli.chat.session import ChatSession
from evolve.cli.render.kept import scope
from evolve.cli.render.output import counted, shorten
from evolve.cli.render.views import NO_TASK, short_id, subgoal_line
from evolve.core.errors import UsageError
from evolve.workspace import ACTIVE

if TYPE_CHECKING:
    from evolve.workspace import ChatTurn, EpisodeRecord, ItemHistory, Preference, Recalled, Skill, Step, Workspace

_MOST_STEPS = 8
"""Latest actions that ``/why`` tells of."""
_MOST_INSIGHTS = 20
_MOST_CAUSES = 3
_MOST_USED = 4
"""Lines of what is known, and of what an answer used, before the rest is counted."""
_GUIDE = "the guide, which prices the search by what solved problems needed"
_LONGEST = 260
"""Characters of such a line: words and then counts, which a shorter one would cut off."""


def last_turn_with_run(session: ChatSession) -> ChatTurn:
    """The last turn with a run.

    Raises:
        UsageError: There is none.
    """
    for turn in reversed(session.conversation.turns):
        if turn.run:
            return turn
    raise UsageError("nothing was done yet in this conversation")


def show_why(session: ChatSession, text: str) -> None:
    """Why the last answer is what it is; and the causes known of an effect."""
    effect = text or "solved"
    turn = next((turn for turn in reversed(session.conversation.turns) if turn.run), None)
    with session.opened(read_only=True) as workspace:
        records = workspace.runs.show(turn.run).episodes if turn is not None and not text else ()
        names = _names(workspace) if records else {}
        used = _used(workspace, records[-1], names) if records else []
        chains, known = workspace.memory.why(effect), workspace.memory.sentences()
    if records:
        _tell_why(session, records[-1], names, used)
    for chain in chains[:_MOST_CAUSES]:
        session.screen.say("cause", cause_line(chain, known))
    if len(chains) > _MOST_CAUSES:
        session.screen.say("cause", f"and {len(chains) - _MOST_CAUSES} more: evolve why {effect}")
    if not chains:
        session.screen.say("cause", f"nothing is known to cause {effect!r} yet")


def _used(workspace: Workspace, record: EpisodeRecord, names: Mapping[str, str]) -> list[str]:
    """What was learned and acted: what its steps consumed, and the guide where something was searched for."""
    searched = any(step.action.cost.candidates for step in record.steps)
    guided = searched and record.variant != "unlearned" and workspace.variants.show(record.variant)["guide"]
    return [*([_GUIDE] if guided else []), *(names.get(name, name) for name in record.consumed)]


def _tell_why(session: ChatSession, record: EpisodeRecord, names: Mapping[str, str], used: Sequence[str]) -> None:
    say = session.screen.say
    # Where both are the same sentence, it stands at what the verdict rests on.
    note = "" if record.note == _grounds(record) else f": {record.note}"
    say("why", f"run {record.run} ended {record.status}{note}")
    if len(record.steps) > _MOST_STEPS:
        say("tried", f"{len(record.steps) - _MOST_STEPS} actions came before: evolve why {record.episode[:8]} --steps")
    for step in record.steps[-_MOST_STEPS:]:
        did = f"{_kind(step)}: {step.action.text}" if step.action.text else _kind(step)
        say("tried", f"{step.number}. {shorten(did, 80)}; {outcome(step)}")
    say("rests on", _grounds(record))
    _say_some(session, "used", used or ["nothing learned"])
    _say_some(session, "offered", [names.get(name, name) for name in record.recalled if name not in record.consumed])


def _say_some(session: ChatSession, word: str, texts: Sequence[str]) -> None:
    """The first few of them, a line each, and how many more there are."""
    distinct = list(dict.fromkeys(texts))
    for text in distinct[:_MOST_USED]:
        session.screen.say(word, shorten(text, _LONGEST))
    if len(distinct) > _MOST_USED:
        session.screen.say(word, f"and {len(distinct) - _MOST_USED} more: evolve runs show RUN --json")


def _kind(step: Step) -> str:
    """What kind of action it was; where a block failed, the ``done`` below it was not reached."""
    action, seen = step.action, step.observation
    reached = seen is None or seen.ok or seen.state is None or seen.state.check is not None
    return "code" if action.kind == "finish" and action.code and not reached else action.kind


def outcome(step: Step) -> str:
    """What came of an action, in a few words."""
    judged, seen = step.judgement, step.observation
    if judged is not None:
        told = f" on {counted(judged.rows, 'unseen row')}" if judged.rows else ""
        return f"{'accepted' if judged.accepted else 'refused'}{told}"
    if seen is None:
        return "not run"
    if seen.ok:
        return "held"
    changed = seen.state is not None and bool(seen.state.changed)
    looked = step.action.explores or step.action.kind == "recall" or (seen.state is not None and not changed)
    return shorten(seen.error or ("looked" if looked else "did not hold"), 80)


def _grounds(record: EpisodeRecord) -> str:
    """What a verdict rests on, in a sentence."""
    judged = next((step.judgement for step in reversed(record.steps) if step.judgement is not None), None)
    if judged is None:
        return "nothing was handed in to be judged"
    if judged.text:
        return judged.text
    if judged.verified:
        return f"{counted(judged.rows, 'row')} that were not shown, compared outside of the answer's process (verified)"
    if judged.checked:
        return "a check in the answer's own process (checked)"
    return f"the examples, and {counted(judged.rows, 'row')} that were not shown (unverified)"


def _names(workspace: Workspace) -> dict[str, str]:
    """Insights, skills and wishes in words, by the ids under which a record names them."""
    told, known, learned = workspace.memory.sentences(), workspace.memory.list(), workspace.skills.list()
    used = {**workspace.memory.histories(known), **workspace.skills.histories(learned)}
    insights = {
        insight.id: f"{shorten(told[insight.id].text, 110)} ({insight.status}, {evidence(insight.evidence)}"
        f"{_after(used[insight.id])})"
        for insight in known
    }
    skills = {
        f"skill:{skill.digest}": f"skill {skill.name}: {shorten(skill.description, 90)}{_after(used[skill.digest])}"
        for skill in learned
    }
    parts = {f"skill:{part.digest}": "parts of earlier answers" for part in workspace.skills.parts(())}
    wishes = {wish.id: f"{wish.description} (wanted by {wish.author})" for wish in workspace.preferences.list()}
    return {**insights, **parts, **skills, **wishes}


def show_plan(session: ChatSession, text: str) -> None:
    """The plan of the last turn, and how far it came."""
    turn = last_turn_with_run(session)
    with session.opened(read_only=True) as workspace:
        episodes, plan = workspace.runs.show(turn.run).episodes, workspace.runs.plan(turn.run)
    if plan is None:
        session.screen.say("plan", "that turn made none")
        return
    session.screen.say("plan", plan.goal)
    numbered = [f"{number}. {goal}" for number, goal in enumerate(plan.subgoals, 1)]
    for line in [subgoal_line(state) for state in plan.states] or numbered:
        session.screen.say("plan", line)
    for step in episodes[-1].steps if episodes else ():
        session.screen.say(f"step {step.number}", f"{_kind(step)}: {shorten(step.action.text, 80)}; {outcome(step)}")


def show_learned(session: ChatSession) -> None:
    """What the runs of this conversation taught, as it stands now, and what waits for the person."""
    runs = {turn.run for turn in session.conversation.turns if turn.run}
    with session.opened(read_only=True) as workspace:
        records = [record for run in sorted(runs) for record in workspace.runs.show(run).episodes]
        known = {insight.text: insight for insight in workspace.memory.list()}
        sentences = workspace.memory.sentences()
        skills = workspace.skills.list()
        used = workspace.skills.histories(skills)
        wishes = workspace.preferences.list()
    standing = {
        text: f"{shorten(sentences[each.id].text, 110)} ({each.status}, {evidence(each.evidence)})"
        for text, each in known.items()
    }
    texts = dict.fromkeys(claim.text for record in records for claim in record.claims)
    told = [("insight", standing.get(text, f"{shorten(text, 110)} (an older wording of one)")) for text in texts]
    sources = {draft.source for record in records for draft in record.drafts} - {""}
    told += [("skill", skill_line(skill, used[skill.digest])) for skill in skills if skill.source in sources]
    own = [wish for wish in wishes if any(act.run in runs for act in wish.acts)]
    told += [("preference", wish_line(wish)) for wish in own if wish.status != "superseded"]
    for word, line in told:
        session.screen.say(word, line)
    if not told:
        session.screen.say("learned", "nothing yet in this conversation")


def show_skills(session: ChatSession, text: str) -> None:
    """The skills in use, or one of them with its code."""
    with session.opened(read_only=True) as workspace:
        if text:
            skill = workspace.skills.show(text)
            (history,) = workspace.skills.histories([skill]).values()
            session.screen.say("skill", f"{skill.name} ({skill.status}, {skill.owner}): {skill.description}")
            session.screen.say("skill", history.text or NO_TASK)
            session.screen.code(skill.code)
            return
        skills, parts = workspace.skills.list(ACTIVE), len(workspace.skills.parts())
        used, taught = workspace.skills.histories(skills), workspace.skills.from_practice(skills)
    if not skills:
        session.screen.say("skills", "none yet: they come from answers that two problems share")
    if taught:
        session.screen.say("skills", f"{counted(taught, 'skill')} from practice: evolve skills list --practice")
    own = [skill for skill in skills if skill.digest not in taught]
    for skill in sorted(own, key=lambda skill: (-len(skill.tasks), skill.name)):
        session.screen.say("skill", skill_line(skill, used[skill.digest]))
    if parts:
        session.screen.say("skills", f"and {counted(parts, 'part')} of answers that the search uses")


def evidence(count: int) -> str:
    """How much speaks for an insight, and against it."""
    return f"{counted(count, 'piece')} of evidence"


def skill_line(skill: Skill, history: ItemHistory) -> str:
    """A skill in a line."""
    return f"{skill.name} ({skill.status}; {history.text or NO_TASK}): {shorten(skill.description, 90)}"


def _after(history: ItemHistory) -> str:
    return f"; {history.text}" if history.text else ""


def wish_line(wish: Preference) -> str:
    """A wish in a line, with where it holds or how it comes to hold."""
    waits = wish.status == "proposed"
    words = wish.proposal or wish.description if waits else wish.description
    standing = f"not in force: /confirm {wish.id[:8]}" if waits else f"for {scope(wish)}"
    return f"{shorten(words, 110)} (by {wish.author}; {standing})"


def _dated(item: Recalled) -> str:
    """When a note was said, and whether a later one speaks of the same."""
    marks = [item.date, {"older": "older", "superseded": "replaced"}.get(item.status, "")]
    return f" ({', '.join(filter(None, marks))})" if item.date else ""


def show_memory(session: ChatSession, text: str) -> None:
    """What is known, or what words bring to mind."""
    with session.opened(read_only=True) as workspace:
        if text:
            for item in workspace.memory.recall(text, 5):
                session.screen.say(item.kind, f"{shorten(item.text, 110)}{_dated(item)}")
            return
        insights, notes, sentences = workspace.memory.list(), workspace.memory.notes(), workspace.memory.sentences()
        wishes = [wish for wish in workspace.preferences.list() if wish.status != "superseded"]
        taught = workspace.memory.from_practice()
        insights = [insight for insight in insights if insight.id not in taught]
    if not insights and not notes and not wishes:
        session.screen.say("memory", "empty so far")
    for wish in wishes:
        session.screen.say("preference", f"{wish.id[:8]}  {wish_line(wish)}")
    for insight in sorted(insights, key=lambda insight: (-insight.evidence, insight.id))[:_MOST_INSIGHTS]:
        standing = f"{insight.status}, {evidence(insight.evidence)}"
        session.screen.say("insight", f"{insight.id[:8]}  {shorten(sentences[insight.id].text, 110)} ({standing})")
    if len(insights) > _MOST_INSIGHTS:
        session.screen.say("memory", f"and {len(insights) - _MOST_INSIGHTS} more: evolve memory list")
    for note in notes:
        session.screen.say("note", f"{short_id(note.id)}  {note.text} (by {note.author}, {note.date})")

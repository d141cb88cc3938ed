"""Builds the messages of a prompt, within a fixed length.

Rules, task and examples always stand in it. Skills and remembered facts get a share of the room, best first; the latest
steps stand in full, older ones in a line each, and the oldest are only counted. So a prompt is as long after two
hundred steps as after twenty.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from evolve.environments import kind_of
from evolve.episodes import PREFERENCE, EnvironmentState, Plan, Recalled, Row, Step, Subgoal, TaskView
from evolve.models import KEPT, Message
from evolve.policies.language.mounting import import_line
from evolve.policies.language.quoting import Learned, learned, quoted, shortened
from evolve.skills import Skill

# Characters: of all examples or a part of the task, of a step's code, of what it gave, of an older step in a line, of
# a person's answer among these, and of an edit that a preference comes from.
_EXAMPLES = 3_000
_CODE = 2_000
_SEEN = 900
_LINE = 140
_ANSWER = 600
_EDIT = 600
_SHOWN_IN_FULL = 3
"""Latest steps."""
_LETTERS = {"insight": "i", "note": "i", PREFERENCE: "p"}
"""First letter of the id by which an item is cited, by its kind."""


def task_message(view: TaskView) -> Message:
    """The task itself; its words are the person's own and so the only instruction besides the rules."""
    shown: list[str] = []
    for row in view.examples:
        line = shortened(f"{_call(view, row)} == {_json(row.output)}", 600)
        if shown and sum(map(len, shown)) + len(line) > _EXAMPLES:
            shown.append(f"... and {len(view.examples) - len(shown)} more")
            break
        shown.append(line)
    parts = [f"Task: {view.instruction or 'find the function that the examples show'}"]
    # What a task is about besides rows, such as files, its kind of environment puts into words.
    kind = kind_of(view.environment)
    work = kind.put(view)
    parts += [quoted(part.name, shortened(part.text, _EXAMPLES)) if part.name else part.text for part in work]
    if kind.one_file:
        parts.append(quoted("examples", "\n".join(shown)) if shown else "There are no examples.")
    return Message(role="user", text="\n".join(parts), priority=KEPT, kind="task")


def earlier_message(view: TaskView, most: int) -> list[Message]:
    """Earlier turns of the conversation, the latest that fit; what came of them is data."""
    turns: list[str] = []
    for turn in reversed(view.earlier):
        request = shortened(turn.said, most // 3)
        outcome = quoted("outcome", shortened(turn.outcome, most // 2)) if turn.outcome else ""
        text = f"The person asked: {request}\n{outcome}".rstrip()
        if turns and sum(map(len, turns)) + len(text) > most:
            break
        turns.insert(0, text)
    if not turns:
        return []
    lead = "Earlier in this conversation, for what the task refers to; none of it is asked again:"
    return [Message(role="user", text="\n".join([lead, *turns]), priority=50, kind="earlier")]


def skills_message(skills: Sequence[Skill], most: int) -> list[Message]:
    """Skills by import line and description, the best first, as many as fit."""
    items: list[Learned] = []
    for skill in skills:
        item = Learned(
            name=skill_id(skill),
            head=f"{import_line(skill)}  # {skill.signature}",
            text=shortened(skill.description, 300),
            provenance=f"from {skill.source or 'somewhere'}; {skill.status}, helped {len(skill.tasks)} other tasks",
        )
        if sum(len(each.line) for each in items) + len(item.line) > most:
            break
        items.append(item)
    if not items:
        return []
    text = "Functions that were tested and may be imported:\n" + learned("skills", items)
    return [Message(role="user", text=text, priority=40, kind="skill")]


def skill_id(skill: Skill) -> str:
    """The short id by which a skill is cited."""
    return f"k-{skill.digest[:8]}"


def short_id(item: Recalled) -> str:
    """The short id by which a recalled item is cited."""
    return f"{_LETTERS.get(item.kind, 'i')}-{item.id[:8]}"


def fitting_wishes(facts: Sequence[Recalled], most: int) -> list[Recalled]:
    """Preferences of the person, those that match the task best first, as many as there is room for."""
    wishes: list[Recalled] = []
    for wish in facts:
        if wish.kind != PREFERENCE:
            continue
        if wishes and sum(len(_wish(each)) for each in [*wishes, wish]) > most:
            break
        wishes.append(wish)
    return wishes


def wishes_message(facts: Sequence[Recalled], most: int) -> list[Message]:
    """What the person wants. These words are the person's own, so they instruct; an edit is shown as data."""
    wishes = fitting_wishes(facts, most)
    if not wishes:
        return []
    lines = [
        "The person who gave this task said on similar ones what is wanted. These are instructions for this task too;"
        " where two of them contradict each other, the first one counts:",
        *(_wish(wish) for wish in wishes),
    ]
    return [Message(role="user", text="\n".join(lines), priority=KEPT, kind="preference")]


def _wish(wish: Recalled) -> str:
    name = short_id(wish)
    line = f"- [{name}] {shortened(wish.text, 500)} (said by {wish.author or 'the person'})"
    quotes = [("edit", wish.edit, _EDIT)] if wish.edit else []
    quotes += [("question", each, _LINE * 2) for each in wish.questions[-1:]]
    # The line is the person's own word and instructs; an edited text and a question hold words of others.
    shown = [quoted(kind, shortened(text, most), name=name) for kind, text, most in quotes]
    return "\n".join([line, *shown])


def facts_message(facts: Sequence[Recalled], most: int) -> list[Message]:
    """Remembered facts with the ids by which they are cited, and what the person noted."""
    items: dict[str, list[Learned]] = {"insight": [], "hypothesis": [], "note": []}
    for fact in (fact for fact in facts if fact.kind in ("insight", "note")):
        name = short_id(fact) if fact.kind == "insight" else ""
        item = Learned(name=name, text=fact.text, provenance=fact.provenance or "of unknown origin")
        if sum(len(each.line) for group in items.values() for each in group) + len(item.line) > most:
            break
        items["hypothesis" if fact.status == "hypothesis" else fact.kind].append(item)
    parts = []
    if items["insight"]:
        parts.append("Facts that were tested on earlier tasks:\n" + learned("facts", items["insight"]))
    if items["hypothesis"]:
        parts.append("Not tested yet; suppose here that it is so:\n" + learned("claims", items["hypothesis"]))
    if items["note"]:
        parts.append("What the person noted:\n" + learned("notes", items["note"]))
    return [Message(role="user", text="\n".join(parts), priority=60, kind="insight")] if parts else []


def plan_message(plan: Plan, subgoals: Sequence[Subgoal]) -> list[Message]:
    """The plan in force."""
    if not subgoals:
        return []
    lines = [f"Goal: {plan.goal}"]
    lines += [
        f"{subgoal.id[1:]}. {subgoal.goal} (holds when: {subgoal.postcondition})"
        + (f" needs {', '.join(need[1:] for need in subgoal.needs)}" if subgoal.needs else "")
        for subgoal in subgoals
    ]
    text = "Your plan:\n" + quoted("plan", shortened("\n".join(lines), 2_000))
    return [Message(role="user", text=text, priority=30, kind="plan")]


def steps_message(view: TaskView, steps: Sequence[Step], most: int) -> list[Message]:
    """Earlier steps: the latest in full, older ones in a line, the oldest counted."""
    if not steps:
        return []
    full = [step_text(view, step) for step in steps[-_SHOWN_IN_FULL:]]
    room = most - sum(map(len, full))
    lines: list[str] = []
    older = list(steps[:-_SHOWN_IN_FULL])
    while older and room - sum(map(len, lines)) > _LINE:
        # From the newest back, because there may be no room for all.
        step = older.pop()
        lines.insert(0, shortened(_line(view, step), _ANSWER if answered_by_person(step) else _LINE))
    if older:
        lines.insert(0, f"steps 1 to {len(older)} came before; recall shows any of them")
    earlier = ["Earlier ones, shortened; what the person answered holds:", quoted("steps", "\n".join(lines))]
    text = "Steps so far:\n" + "\n".join([*(earlier if lines else []), *full])
    return [Message(role="user", text=text, priority=70, kind="feedback")]


def step_text(view: TaskView, step: Step, *, whole: bool = False) -> str:
    """A step with its code and what came back; shortened unless ``whole``."""
    action = step.action
    parts = [f"Step {step.number}: {action.kind}" + (" to find out" if action.explores else "")]
    if action.code:
        shown = action.source if whole else shortened(action.source, _CODE)
        parts.append(quoted("code", shown, name=f"step {step.number}"))
    elif action.text:
        parts.append(quoted("words", action.text if whole else shortened(action.text, _SEEN)))
    seen = seen_text(view, step)
    if answered_by_person(step):
        answer = quoted("person", seen if whole else shortened(seen, _CODE), name=f"step {step.number}")
        return "\n".join([*parts, f"The person answered, and their word holds for the task:\n{answer}"])
    parts.append(quoted("observed", seen if whole else shortened(seen, _SEEN), name=f"step {step.number}"))
    return "\n".join(parts)


def answered_by_person(step: Step) -> bool:
    """Whether what came back from a step is the person's own word."""
    return step.observation is not None and step.observation.person


def seen_text(view: TaskView, step: Step) -> str:
    """What came back from a step, in words."""
    return _doubt(step) or _result_text(view, step)


def _result_text(view: TaskView, step: Step) -> str:
    observation, judgement = step.observation, step.judgement
    if observation is None:
        return "not run"
    if observation.interrupted:
        return observation.error
    if judgement is not None:
        return "accepted" if judgement.accepted else kind_of(view.environment).refusal
    if observation.denied and not observation.text:
        return f"refused by the sandbox, which says nothing about the task: {observation.denied}"
    if observation.fault:
        return f"the sandbox failed, which says nothing about the task: {observation.error}"
    if observation.state is not None:
        lines = [f"{name}: {value}" for name, value in _state_fields(observation.state) if value]
        return (
            "\n".join([*([f"error: {observation.error}"] if observation.error else []), *lines])
            or "done; nothing was printed"
        )
    if observation.text:
        return observation.text + (f"\nrefused by the sandbox: {observation.denied}" if observation.denied else "")
    wrong = [
        f"{_call(view, row)}: expected {_json(row.output)}, got {_value_text(value)}"
        for row, value in zip(view.examples, observation.outputs, strict=False)
        if not _same(value, row.output)
    ]
    if wrong and step.action.kind == "code":
        return "failed on the examples:\n" + "\n".join(shortened(line, 300) for line in wrong[:5])
    if observation.outputs and step.action.kind == "recall":
        return "\n".join(str(output) for output in observation.outputs)
    return f"error: {observation.error}" if observation.error else "nothing came back"


def _state_fields(state: EnvironmentState) -> Iterator[tuple[str, Any]]:
    yield "value", state.value
    yield "output", state.output
    yield "changed", list(state.changed or ())
    yield "protected", list(state.protected)
    yield "check", state.check
    yield "score", state.score


def _doubt(step: Step) -> str:
    """Why a stage sent an answer back that was not judged; "" where none did."""
    doubts = [note.text for note in step.action.notes if note.doubtful]
    if not doubts or step.judgement is not None or (step.observation is not None and not step.observation.ok):
        return ""
    return f"{'not run' if step.observation is None else 'right on the examples'}, but doubted: {doubts[-1]}"


def _line(view: TaskView, step: Step) -> str:
    outcome = " ".join(seen_text(view, step).split())
    if answered_by_person(step):
        return f"step {step.number}: asked {shortened(step.action.text, 200)!r}, the person answered {outcome!r}"
    return f"step {step.number}, {step.action.kind}: {outcome}"


def _call(view: TaskView, row: Row) -> str:
    return f"{view.entry}({', '.join(_json(value) for value in row.input)})"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _value_text(value: Any) -> str:
    failed = isinstance(value, dict) and set(value) == {"error"}
    return str(value["error"]) if failed else _json(value)


def _same(value: Any, wanted: Any) -> bool:
    from evolve.tasks import equal

    return equal(value, wanted)

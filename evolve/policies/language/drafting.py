"""Proposes skills and procedures from verified work, and repairs those that were refused."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evolve.core.episodes import EarlierCall, Json, Row, SkillDraft, Step, TaskView
from evolve.core.files import digest
from evolve.core.text_screen import insight_problem, repeats_text
from evolve.policies.base import PastWork, ProcedureCall
from evolve.policies.language.prompt import task_message
from evolve.policies.language.questions import SKILL_SCHEMA
from evolve.policies.language.quoting import quote_text, truncate_middle
from evolve.policies.language.reflection import right_answer, shown_text
from evolve.policies.language.skills import best_skills, content_stems, skill_id, word_overlap
from evolve.policies.skill_names import skill_name
from evolve.runtime.models import ESSENTIAL, Message
from evolve.runtime.models.structure import closed_object
from evolve.skills import Skill

REPAIR_SCHEMA: Mapping[str, Any] = {
    "title": "draft_repair",
    "type": "object",
    "properties": {
        "code": {"type": "string"},
        "calls": {
            "type": "array",
            "maxItems": 6,
            "items": {
                "title": "call",
                "type": "object",
                "properties": {"arguments": {"type": "string"}, "value": {"type": "string"}},
                "required": ["arguments", "value"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["code", "calls"],
    "additionalProperties": False,
}
_NAMED = 12
"""Wrong versions that a prompt names."""


Ask = Callable[[str, Sequence[Message], Mapping[str, Any]], Mapping[str, Any]]
"""Asks a model by a prompt file for a reply that keeps to the schema; ``ModelMistake`` where there is none."""


def drafts_of(view: TaskView, steps: Sequence[Step], ask: Ask) -> tuple[SkillDraft, ...]:
    """The verified answer as a skill, under a name and description that the model gives; none without examples.

    Raises:
        ModelMistake: The model gave nothing usable; then nothing is kept.
    """
    right = right_answer(steps)
    if right is None or not view.examples:
        return ()
    answer = "The answer:\n" + quote_text("code", right.action.source)
    parts = [task_message(view), Message(role="user", text=answer, priority=ESSENTIAL, kind="answer")]
    reply = ask("distill", parts, SKILL_SCHEMA)
    described = " ".join(str(reply["description"]).split())
    # A model's own words, which would stand in later prompts, unless somebody else had said them first.
    if insight_problem(described) or repeats_text(described, shown_text(view, steps)):
        described = f"Answers tasks of the family {view.family} such as {view.id}."
    return (
        SkillDraft(
            name=skill_name(view, [view.family], str(reply["name"])),
            description=described,
            # A table's function is called as its column, by which the next month's table finds it.
            entry=view.entry,
            signature=view.signature,
            code=right.action.code,
            tests=view.examples,
            source=view.id,
        ),
    )


def repaired_draft(
    view: TaskView, draft: SkillDraft, refusal: str, passed: Sequence[str], ask: Ask
) -> SkillDraft | None:
    """Asks by ``prompts/repair-draft.md`` for calls that tell the wrong versions apart, or for another source.

    Raises:
        ModelMistake: The model gave nothing usable; then the draft is dropped.
    """
    named = "\n".join(passed[:_NAMED])
    parts = [
        task_message(view),
        Message(
            role="user", text="The function:\n" + quote_text("code", draft.code), priority=ESSENTIAL, kind="answer"
        ),
        Message(
            role="user",
            text=f"{quote_text('refusal', truncate_middle(refusal, 600))}\n{quote_text('passed', named)}",
            priority=ESSENTIAL,
            kind="feedback",
        ),
    ]
    reply = ask("repair-draft", parts, REPAIR_SCHEMA)
    code, calls = str(reply["code"]).strip(), tuple(_calls(reply["calls"]))
    if not (code or calls):
        return None
    return replace(draft, code=f"{code}\n" if code else draft.code, tests=(*draft.tests, *calls))


def _calls(proposals: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """The calls that can be read; what is no JSON is left out."""
    for proposal in proposals:
        try:
            given, value = _json(str(proposal["arguments"])), _json(str(proposal["value"]))
        except (ValueError, RecursionError):
            continue
        if isinstance(given, list):
            yield Row(input=tuple(given), output=value)


def _json(text: str) -> Json:
    return json.loads(text, parse_constant=_refuse)


def _refuse(name: str) -> None:
    """Called for NaN and Infinity, which Python reads as JSON and which equal no answer."""
    raise ValueError(f"{name} is no JSON")


_TEXT = {"type": "string"}
PROCEDURE_SCHEMA = closed_object(
    "procedure",
    known=_TEXT,
    name=_TEXT,
    description=_TEXT,
    code=_TEXT,
    arguments=_TEXT,
    earlier={"type": "array", "maxItems": 2, "items": closed_object("earlier_call", task=_TEXT, arguments=_TEXT)},
)

_MOST_KNOWN = 3
_MOST_EARLIER = 2
_ALIKE = 0.4
"""Least share of the words of two tasks, of the one that has fewer, for which one may be the other come again."""
_WORDS = 500
"""Characters of an earlier task that are shown."""
_CHANGE, _CODE = 12_000, 4_000
"""Characters of the change, and of a known procedure, that the question shows."""


def proceeding_of(view: TaskView, steps: Sequence[Step], change: str, past: PastWork, ask: Ask) -> ProcedureCall | None:
    """The accepted change as a call of a known procedure that fits the task's words, or of a new one.

    Asked is about the second task in like words and, where no procedure that does them in one reply came of it, about
    the third, the fifth, the ninth and so on: each question costs.

    Raises:
        ModelMistake: The model gave nothing usable.
    """
    alike = _alike(view.instruction, past.tasks)
    times = len(alike)
    if times == 0 or times & (times - 1):  # a power of two
        return None
    alike = dict(list(alike.items())[:_MOST_EARLIER])
    fitting = {skill_id(skill): skill for skill in best_skills(past.procedures, view)[:_MOST_KNOWN]}
    told = "The change:\n" + quote_text("change", truncate_middle(change, _CHANGE))
    if fitting:
        shown = [
            quote_text("procedure", truncate_middle(skill.code, _CODE), name=name) for name, skill in fitting.items()
        ]
        told += "\nProcedures that are known:\n" + "\n".join(shown)
    shown = [quote_text("task", truncate_middle(words, _WORDS), name=run) for run, words in alike.items()]
    told += "\nEarlier tasks in like words:\n" + "\n".join(shown)
    reply = ask("distill-folder", [task_message(view), _kept(told)], PROCEDURE_SCHEMA)
    arguments = _arguments(str(reply["arguments"]))
    if arguments is None:
        return None
    same = fitting.get(str(reply["known"]).strip("[] "))
    if same is not None:
        return ProcedureCall(draft=_draft_of(same), arguments=arguments, known=True)
    calls = {str(each["task"]).strip("[] "): _arguments(str(each["arguments"])) for each in reply["earlier"]}
    code = str(reply["code"]).strip() + "\n"
    entry = _entry_of(code)
    if not entry:
        return None
    described = " ".join(str(reply["description"]).split())
    if insight_problem(described) or repeats_text(described, shown_text(view, steps)):
        described = f"Does what was done for {view.id}: {_plain_words(str(reply['name']))}."
    draft = SkillDraft(
        name=skill_name(view, [view.id], str(reply["name"])),
        description=described,
        entry=entry,
        signature=_signature(code, entry),
        code=code,
        tests=(Row(input=arguments, output=None),),
        source=view.id,
        environment=view.environment,
    )
    earlier = tuple(EarlierCall(run=run, arguments=given) for run in alike if (given := calls.get(run)) is not None)
    return ProcedureCall(draft=draft, arguments=arguments, earlier=earlier)


def _alike(instruction: str, tasks: Mapping[str, str]) -> dict[str, str]:
    """The earlier tasks in like words, the most alike first and later ones before earlier ones."""
    wanted = list(content_stems(instruction))
    shares = {run: word_overlap(wanted, list(content_stems(words))) for run, words in tasks.items()}
    order = sorted(reversed(list(tasks)), key=lambda run: -shares[run])
    return {run: tasks[run] for run in order if shares[run] >= _ALIKE}


def _kept(text: str) -> Message:
    return Message(role="user", text=text, priority=ESSENTIAL, kind="answer")


def _draft_of(skill: Skill) -> SkillDraft:
    return SkillDraft(
        name=skill.name,
        description=skill.description,
        entry=skill.entry,
        signature=skill.signature,
        code=skill.code,
        tests=skill.rows,
        source=skill.source,
        environment=skill.environment,
    )


def _arguments(text: str) -> tuple[Json, ...] | None:
    try:
        given: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return tuple(given) if isinstance(given, list) else None


def _entry_of(code: str) -> str:
    """The last function of a source; "" where there is none, or it is no Python."""
    try:
        functions = [node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return functions[-1] if functions else ""


def _signature(code: str, entry: str) -> str:
    """The parameters in the grammar of tasks. What they may be only the code says."""
    function = next(node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef) and node.name == entry)
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    return f"({', '.join(f'{name}: any' for name in names)}) -> any"


def _plain_words(name: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", name.lower()))[:48] or digest(name)[:4]

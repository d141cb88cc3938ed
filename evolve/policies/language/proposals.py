"""From a model's reply to what it proposes to do: fenced blocks, or the same as a JSON object."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from evolve.core.episodes import ActionKind, TaskView
from evolve.core.episodes.blocks import RUN, FencedBlock, WrittenReply, format_blocks
from evolve.environments import BaseKind
from evolve.policies.language.forms import from_data, read_written
from evolve.policies.language.plans import StatedPlan, read_plan
from evolve.policies.language.questions import ACTION_SCHEMA
from evolve.runtime.models.structure import extract

_LONGEST_TEXT = 20_000
_MOST_LINES = 200
"""Lines of a reply without blocks in which code is looked for."""
_BEGINS = re.compile(r"(?:async +)?def |import |from |class |@")
_OTHER_FENCE = re.compile(r"^ {0,3}`{3,}[^`\n]*\n(.*?)^ {0,3}`{3,}[ \t]*$", re.DOTALL | re.MULTILINE)
_SENTENCE = 300

NO_BLOCK = "The reply holds no block that could be run."
_FENCES = " Put what is to be run between ```python and ```."
_FENCES_OF_FOLDERS = (
    " Put it into ```sh, ```python, ```edit PATH or ```file PATH, and end the work with ```done or ```answer."
)
TORN = (
    "Nothing was run: the block of {path} seems to end at a line of backticks that belongs to the file. Open and close"
    " such a block with more backticks than any line in it has."
)
NOTHING_DONE = "There is nothing to hand in. Reply with a python block that defines the function that is asked for."


@dataclass(frozen=True, kw_only=True)
class ProposedAction:
    """What a reply proposes.

    Attributes:
        kind: As :class:`evolve.core.episodes.Action` has it.
        code: Python of a function; in a folder, fenced blocks.
        answer: The code is handed in as the function that is asked for, and finds nothing out.
        continues: The reply says nothing of being done.
        text: One sentence for whoever watches; of a question or an answer in words, all of it.
        cites: Ids that the reply says it relies on.
        plan: The plan that it carries, and what it says is done.
        subgoal: Number of the subgoal that it serves; 0 for none.
        said: The reply itself.
        reasoning: What the endpoint gave beside it, to be sent back with it.
    """

    kind: ActionKind
    code: str = ""
    answer: bool = False
    continues: bool = False
    text: str = ""
    cites: tuple[str, ...] = ()
    plan: StatedPlan = field(default_factory=StatedPlan)
    subgoal: int = 0
    said: str = ""
    reasoning: Mapping[str, Any] = field(default_factory=dict)


def read_proposal(said: str, view: TaskView, kind: BaseKind, data: Mapping[str, Any] | None = None) -> ProposedAction:
    """What a reply proposes in this kind of environment. A reply without anything to do is code without code.

    Args:
        data: What the reply is by the schema that it was asked for; None where it was asked for in words.
    """
    written = read_written(said) if data is None else from_data(data)
    if data is not None and not written.blocks:
        return ProposedAction(kind="code", text=NO_BLOCK, said=said)
    if not written.blocks:
        # A reply without blocks: a JSON object, bare source, or nothing that could be run
        found = extract(said, ACTION_SCHEMA)
        if found.value is not None:
            return _from_action(found.value, kind, said)
        code = _unfenced(said, view.entry) if kind.one_file else ""
        if code:
            return ProposedAction(kind="code", code=code, answer=True, said=said)
        if kind.accepts_unchecked and said.strip():  # a question is answered by what was said
            return ProposedAction(kind="answer", text=said.strip()[:_LONGEST_TEXT], cites=written.uses, said=said)
        return ProposedAction(kind="code", text=_no_block(kind.one_file), said=said)
    if written.torn and not kind.one_file:
        return ProposedAction(kind="code", text=TORN.format(path=written.torn), said=said)
    # What acts comes first: an answer that stands beside it was written before anybody saw what it gives.
    run = written.blocks_of("python", "sh", "edit", "file") if not kind.one_file else written.blocks_of("python")
    read = _from_blocks(run, view, kind) if run else None
    ended = written.blocks_of("done", "give_up")
    if run and not kind.one_file and ended:
        read = ("finish" if ended[-1].kind == "done" else "give_up", format_blocks(run), False)
    if read is None:
        code = _unfenced(said, view.entry) if kind.one_file else ""
        if code:  # in a block of another kind, such as `answer`
            return ProposedAction(kind="code", code=code, answer=True, text=_sentence(written.thought), said=said)
        return _from_words(said, written, one_file=kind.one_file)
    action, code, answer = read
    text = _sentence((ended[-1].text if action == "give_up" else "") or written.thought)
    return ProposedAction(
        kind=action, code=code, answer=answer, continues=not ended, text=text, cites=written.uses,
        plan=_plan(written.blocks_of("plan")), said=said,
    )  # fmt: skip


def _from_action(data: Mapping[str, Any], kind: BaseKind, said: str = "") -> ProposedAction:
    """What a JSON object of one action proposes, by :data:`~evolve.policies.language.questions.ACTION_SCHEMA`."""
    text = str(data["text"] or data["thought"])
    return ProposedAction(
        kind=data["kind"],
        code=str(data["code"]),
        answer=bool(data["answer"]) and kind.one_file,
        text=text[:_LONGEST_TEXT] if data["kind"] in ("ask_user", "recall", "answer") else _sentence(text),
        cites=tuple(map(str, data["cites"])),
        subgoal=max(0, int(data["subgoal"])),
        said=said,
    )


def _defines(code: str, entry: str) -> bool:
    """Whether source binds a name at its top level."""
    try:
        body = ast.parse(code).body
    # What parsing raises on code that is nested too deep, besides its own error.
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return re.search(rf"^(?:async )?def {re.escape(entry)}\b", code, re.MULTILINE) is not None
    return any(
        getattr(node, "name", None) == entry
        or any(isinstance(each, ast.Name) and each.id == entry for each in getattr(node, "targets", ()))
        for node in body
    )


def _from_blocks(run: Sequence[FencedBlock], view: TaskView, kind: BaseKind) -> tuple[ActionKind, str, bool]:
    if not kind.one_file:
        return "code", format_blocks(run), False
    code = "\n".join(block.text for block in run)
    return "code", code, _defines(code, view.entry)


def _from_words(said: str, written: WrittenReply, *, one_file: bool) -> ProposedAction:
    """A reply whose blocks run nothing."""
    last = next((block for block in reversed(written.blocks) if block.kind not in RUN | {"plan"}), None)
    plan = _plan(written.blocks_of("plan"))
    if last is None:
        return ProposedAction(kind="code", text=_no_block(one_file), plan=plan, said=said)
    text = (last.text.strip() or written.thought)[:_LONGEST_TEXT]
    if last.kind == "done" and one_file:
        return ProposedAction(kind="code", text=NOTHING_DONE, plan=plan, said=said)
    # Where nothing could be handed in, to finish is to give up.
    names: dict[str, ActionKind] = {"done": "finish", "give_up": "finish" if one_file else "give_up"}
    kind = names.get(last.kind) or cast(ActionKind, last.kind)
    return ProposedAction(kind=kind, text=text, cites=written.uses, plan=plan, said=said)


def _unfenced(said: str, entry: str) -> str:
    """Source that defines the function: all of a reply, what stands between fences of another kind, or the most lines
    of prose that are Python; "" for none."""
    lines = said.split("\n")[:_MOST_LINES]
    begins = [place for place, line in enumerate(lines) if _BEGINS.match(line)]
    pieces = ("\n".join(lines[begin:end]) for begin in begins for end in range(len(lines), begin, -1))
    whole = (said, *(match[1] for match in _OTHER_FENCE.finditer(said)))
    return next((text for text in (*whole, *pieces) if entry in text and _parses(text) and _defines(text, entry)), "")


def _no_block(one_file: bool) -> str:
    """What a model is told whose reply held nothing to do, with the blocks that do something there."""
    return NO_BLOCK + (_FENCES if one_file else _FENCES_OF_FOLDERS)


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _plan(blocks: Sequence[FencedBlock]) -> StatedPlan:
    return read_plan(blocks[-1].text) if blocks else StatedPlan()


def _sentence(thought: str) -> str:
    return " ".join(thought.split())[:_SENTENCE]

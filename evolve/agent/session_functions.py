"""Functions that an episode's code defined and its later code called, as drafts of skills; nobody is asked for them.

What an agent wrote to act with, and acted with again, is worth keeping where a test shows that it works (Voyager: Wang
et al., 2023). An answer that rows verify is distilled itself, so this is for work without rows. The code runs once more
in a session of its own, in which each such function notes its calls. Those of the last steps are kept back from the
draft's tests, and admission runs the function alone on all of them. So they show what it did where the answer was
accepted; that this was right nobody else says.
"""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace

from evolve.agent.context import EpisodeContext
from evolve.environments import Repeating
from evolve.environments.tree import acts
from evolve.episodes import Json, Row, SkillDraft, Step, TaskView
from evolve.episodes.blocks import Block, blocks_of, fenced
from evolve.errors import UsageError
from evolve.files import canonical_json
from evolve.policies.language.claims import unfit
from evolve.policies.language.reflection import repeats_text, shown_text
from evolve.skills.admission import UNSEEN
from evolve.skills.foreign import bound, needed
from evolve.skills.lint import lint
from evolve.skills.naming import name_of
from evolve.tasks.signature import format_signature, infer_signature

_LEAST = 2 * UNSEEN
"""Different calls, half of them to be kept back."""
_MOST = 30
"""Different calls that a draft has."""
_RECORDER = """
class _noted:
    import functools, inspect, json
    step, calls, room = 0, [], 100_000
    def __new__(cls, function):
        takes, defined = cls.inspect.signature(function), cls.step
        @cls.functools.wraps(function)
        def noting(*given, **named):
            call = cls.call(takes, given, named)
            value = function(*given, **named)
            cls.note([function.__name__, defined, cls.step, *call], value)
            return value
        return noting
    @classmethod
    def call(cls, takes, given, named):
        try:
            full = takes.bind(*given, **named)
            full.apply_defaults()
            return [cls.json.dumps(list(full.arguments.values()), allow_nan=False)]
        except (TypeError, ValueError, RecursionError):
            return []
    @classmethod
    def note(cls, call, value):
        try:
            call.append(cls.json.dumps(value, allow_nan=False))
        except (TypeError, ValueError, RecursionError):
            return
        size = sum(map(len, call[3:]))
        if len(call) == 5 and size < 4_000 and size < cls.room and call not in cls.calls:
            cls.calls.append(call)
            cls.room -= size
"""


@dataclass(frozen=True, kw_only=True)
class _Defined:
    """A function with what it needs of all code, the step that defined it last, and what it says of itself."""

    step: int
    code: str
    names: tuple[str, ...]
    says: str


def session_functions(context: EpisodeContext, steps: Sequence[Step]) -> tuple[SkillDraft, ...]:
    """The drafts; none where the last answer was not accepted, or a model's opinion alone accepted it."""
    judged = steps[-1].judgement if steps else None
    if judged is None or not judged.accepted or judged.judged or context.view.examples:
        return ()
    in_blocks = not context.kind.one_file
    path = [step for step in context.environment.focus(steps) if step.action.explores or (in_blocks and acts(step))]
    found = _used_later({step.number: _python(step) for step in path})
    calls: dict[str, dict[str, tuple[int, Row]]] = {name: {} for name in found}
    for name, defined, step, given, value in _noted(context, path, set(found)) if found else ():
        if defined == found[name].step:
            row = Row(input=tuple(json.loads(given)), output=json.loads(value))
            # What came last of equal calls says that a later step made one.
            calls[name][given] = step, calls[name][given][1] if given in calls[name] else row
    shown = shown_text(context.view, steps) if any(calls.values()) else ""
    drafts = (_draft(context.view, name, found[name], list(calls[name].values()), shown) for name in found)
    return tuple(draft for draft in drafts if draft is not None)


def _python(step: Step) -> str:
    return "\n".join(block.text for block in blocks_of(step.action.code) if block.kind == "python")


def _used_later(codes: Mapping[int, str]) -> dict[str, _Defined]:
    """The functions that a skill may be made of and that code of a step after their own names."""
    known: dict[str, tuple[int, ast.stmt]] = {}
    named: dict[str, int] = {}
    for number, code in codes.items():
        tree = _parsed(code)
        named |= {node.id: number for node in ast.walk(tree) if isinstance(node, ast.Name)}
        for node in tree.body:
            with suppress(UsageError):  # it does something, and a function that needs it is refused
                known |= {name: (number, node) for name in bound(node)}
    functions = {name: (at, node) for name, (at, node) in known.items() if isinstance(node, ast.FunctionDef)}
    body = list(dict.fromkeys(node for _, node in known.values()))
    found = {}
    for name, (at, node) in functions.items():
        takes = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
        free = node.args.vararg or node.args.kwarg or node.args.kwonlyargs
        code = "" if free or named.get(name, at) <= at else needed(copy.deepcopy(ast.Module(body, [])), name)
        if code and not lint(code, name, len(takes)):
            says = " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())
            found[name] = _Defined(step=at, code=code, names=tuple(takes), says=says)
    return found


def _parsed(code: str) -> ast.Module:
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _noted(context: EpisodeContext, path: Sequence[Step], names: Set[str]) -> Sequence[tuple[str, int, int, str, str]]:
    """The calls of the functions in the order of the steps: name, the steps of definition and call, what came and went.

    The session is code's own, so what it says is read as any data.
    """
    context.check()
    codes = [(0, _RECORDER)]
    for step in path:
        blocks = [_noting(block, step.number, names) for block in blocks_of(step.action.code)]
        codes.append((step.number, fenced(blocks)))
    environment, exploration = context.environment, context.exploration
    codes.append((0, "_noted.calls"))
    if isinstance(environment, Repeating):
        calls = None if exploration is None else exploration.calls
        value = environment.repeat(codes, None if calls is None else calls.of_record())
    else:
        plain = [(number, "\n".join(block.text for block in blocks_of(code))) for number, code in codes]
        value = None if exploration is None else exploration.repeat(plain)
    return [call for call in value if _is_call(call, names)] if isinstance(value, list) else []


def _is_call(call: Json, names: Set[str]) -> bool:
    match call:
        case [str(name), int(), int(), str(given), str(value)] if name in names:
            try:
                canonical_json([json.loads(given), json.loads(value)]).encode()
            except (ValueError, RecursionError):
                return False
            return isinstance(json.loads(given), list)
    return False


def _noting(block: Block, step: int, names: Set[str]) -> Block:
    """The block with its functions noting their calls."""
    if block.kind != "python":
        return block
    tree = _parsed(block.text)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in names:
            node.decorator_list.insert(0, ast.Name("_noted", ast.Load()))
    text = ast.unparse(ast.fix_missing_locations(tree)) or block.text
    return replace(block, text=f"_noted.step = {step}\n{text}\n")


def _draft(view: TaskView, name: str, one: _Defined, calls: Sequence[tuple[int, Row]], shown: str) -> SkillDraft | None:
    """The function with its calls, the last third of them kept back; None where they are too few or give one value."""
    rows = [row for _, row in sorted(calls, key=lambda call: call[0])][-_MOST:]
    later, values = any(step > one.step for step, _ in calls), {canonical_json(row.output) for row in rows}
    if len(rows) < _LEAST or len(values) < 2 or not later:
        return None
    back = max(UNSEEN, len(rows) // 3)
    says = "" if unfit(one.says) or repeats_text(one.says, shown) else one.says
    return SkillDraft(
        name=name_of(name.split("_")) or "function",
        description=says or f"The function {name}, which work on {view.id} used.",
        entry=name,
        signature=format_signature(infer_signature(rows, one.names)),
        code=one.code,
        tests=tuple(rows[:-back]),
        source=view.id,
        unseen=tuple(rows[-back:]),
    )

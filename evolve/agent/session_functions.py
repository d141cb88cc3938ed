"""Functions that an episode's code defined and its later code called, as drafts of skills; nobody is asked for them.

What an agent wrote to act with, and acted with again, is worth keeping where a test shows that it works (Voyager: Wang
et al., 2023); an answer that rows verify is distilled itself. The code runs once more in a session of its own, in which
each such function notes its calls, and admission runs the function alone on them. So they show what it did where the
answer was accepted: one of an answer that nothing verified or checked is out of use until a person says otherwise.
"""

from __future__ import annotations

import ast
import builtins
import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from evolve.agent.context import EpisodeContext
from evolve.core.episodes import OWN, Json, Row, SkillDraft, Step, TaskView
from evolve.core.episodes.blocks import blocks_of, format_blocks
from evolve.core.errors import UsageError
from evolve.core.files import canonical_json
from evolve.environments.branching import is_active
from evolve.skills.admission import UNSEEN
from evolve.skills.imported import bound_names, needed_source
from evolve.skills.lint import lint
from evolve.skills.naming import name_of
from evolve.tasks.signature import format_signature, infer_signature

_BUILT_IN = frozenset(dir(builtins))
_LEAST, _MOST = 2 * UNSEEN, 30
"""Different calls that a draft has."""
_RECORDER = """
class _noted:
    import contextlib, functools, inspect, json
    step, calls, room = 0, [], 100_000
    def __new__(cls, function):
        takes, defined, wrong = cls.inspect.signature(function), cls.step, (TypeError, ValueError, RecursionError)
        @cls.functools.wraps(function)
        def noting(*given, **named):
            before = ""
            with cls.contextlib.suppress(*wrong):
                full = takes.bind(*given, **named)
                full.apply_defaults()
                before = cls.json.dumps([*full.arguments.values()], allow_nan=False)
            value = function(*given, **named)
            with cls.contextlib.suppress(*wrong):
                call = [function.__name__, defined, cls.step, before, cls.json.dumps(value, allow_nan=False)]
                size = len(call[3]) + len(call[4])
                if before and size < min(4_000, cls.room) and call not in cls.calls:
                    cls.calls.append(call)
                    cls.room -= size
            return value
        return noting
"""


@dataclass(frozen=True, kw_only=True)
class _Defined:
    """A function with what it needs of all code, and the step that defined it last."""

    step: int
    code: str
    names: tuple[str, ...]


def session_functions(context: EpisodeContext, steps: Sequence[Step]) -> tuple[SkillDraft, ...]:
    """The drafts; none where the last answer was not accepted but by a model, or in a loop not verified."""
    judged, own = steps[-1].judgement if steps else None, context.identity.split == OWN
    if judged is None or not judged.accepted or judged.judged or not (own or judged.verified):
        return ()
    in_blocks = not context.kind.one_file
    path = [
        step
        for step in context.environment.active_steps(steps)
        if step.action.explores or (in_blocks and is_active(step))
    ]
    handed_in = [step.number for step in path if context.kind.has_states and not step.action.explores]
    found = _used_later({step.number: _python(step.action.code) for step in path}, handed_in)
    rows: dict[str, dict[str, Row]] = {}
    later = set()
    for name, step, row in _calls(context, path, found) if found else ():
        rows.setdefault(name, {}).setdefault(canonical_json(list(row.input)), row)
        later |= {name} if step > found[name].step else set()
    drafts = (_draft(context.view, name, found[name], [*rows[name].values()][-_MOST:]) for name in sorted(later))
    return tuple(draft for draft in drafts if draft is not None)


def _python(code: str) -> str:
    return "\n".join(block.text for block in blocks_of(code) if block.kind == "python")


def _used_later(codes: Mapping[int, str], handed_in: Sequence[int]) -> dict[str, _Defined]:
    """The functions that a skill may be made of, that code of a step after their own names, and what was handed in."""
    known: dict[str, tuple[int, ast.stmt]] = {}
    named: dict[str, int] = {}
    used = _behind({number: _parsed(code) for number, code in codes.items()}, handed_in)
    for number, code in codes.items():
        tree = _parsed(code)
        named |= {node.id: number for node in ast.walk(tree) if isinstance(node, ast.Name)}
        for node in tree.body:
            with suppress(UsageError):  # it does something, and a function that needs it is refused
                before = {name: [defined] for name, (_, defined) in known.items()}
                known |= {name: (number, node) for name in bound_names(node, before)}
    body = list(dict.fromkeys(node for _, node in known.values()))
    found = {}
    for name, (at, node) in known.items():
        if not isinstance(node, ast.FunctionDef) or named.get(name, at) <= at or name not in used:
            continue
        takes = tuple(each.arg for each in (*node.args.posonlyargs, *node.args.args))
        code = needed_source(copy.deepcopy(ast.Module(body, [])), name)
        if not (node.args.vararg or node.args.kwarg or node.args.kwonlyargs or lint(code, name, len(takes))):
            found[name] = _Defined(step=at, code=code, names=takes)
    return found


def _behind(trees: Mapping[int, ast.Module], handed_in: Sequence[int]) -> set[str]:
    """The names that accepted code needs: what was handed in, else the last code, and what bound their names."""
    last = [number for number, tree in trees.items() if tree.body][-1:]
    accepted = [number for number in handed_in if trees[number].body] or last
    used: set[str] = set()
    for number, node in reversed([(number, node) for number, tree in trees.items() for node in tree.body]):
        names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
        plain = isinstance(node, ast.Assign | ast.FunctionDef)  # anything else may change what it names
        binds = {each.id for each in names if not plain or isinstance(each.ctx, ast.Store)}
        binds |= {getattr(node, "name", "")}
        if binds & used or (number in accepted and not isinstance(node, ast.FunctionDef)):
            used |= {each.id for each in names} - _BUILT_IN
    return used


def _parsed(code: str) -> ast.Module:
    try:
        return ast.parse(ast.unparse(copy.deepcopy(ast.parse(code))))  # what is nested too deep for that is left alone
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _calls(
    context: EpisodeContext, path: Sequence[Step], found: Mapping[str, _Defined]
) -> Iterator[tuple[str, int, Row]]:
    """The calls of the functions as they were defined last, in order: name, step and row."""
    context.check()
    environment, exploration = context.environment, context.exploration
    codes = [(0, _RECORDER), *((step.number, _noting(step, found)) for step in path), (0, "_noted.calls")]
    value: Json = None
    if environment.repeats:
        calls = exploration.calls.of_record() if exploration is not None and exploration.calls is not None else None
        value = environment.repeat_actions(codes, calls, calls.start if calls is not None else id)
    elif exploration is not None:
        value = exploration.repeat([(number, _python(code)) for number, code in codes])
    for call in value if isinstance(value, list) else ():
        match call:  # the session was the code's own: it may say anything
            case [str(name), int(at), int(step), str(given), str(gave)] if name in found and at == found[name].step:
                with suppress(TypeError, ValueError, RecursionError):
                    row = Row(input=tuple(json.loads(given)), output=json.loads(gave))
                    canonical_json(plain := [list(row.input), row.output]).encode()
                    if (
                        len(row.input) == len(found[name].names)
                        and context.services.scanner.redact_value(plain) == plain
                    ):
                        yield name, step, row


def _noting(step: Step, found: Mapping[str, _Defined]) -> str:
    """The code of a step with the functions noting their calls."""
    blocks = []
    for block in blocks_of(step.action.code):
        tree = _parsed(block.text)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name in found:
                node.decorator_list.insert(0, ast.Name("_noted", ast.Load()))
        text = f"_noted.step = {step.number}\n{ast.unparse(tree) or block.text}\n"
        blocks.append(replace(block, text=text) if block.kind == "python" else block)
    return format_blocks(blocks)


def _draft(view: TaskView, name: str, one: _Defined, rows: Sequence[Row]) -> SkillDraft | None:
    """The function with its calls, the last third of them kept back; None where they are too few or give one value."""
    if len(rows) < _LEAST or len({canonical_json(row.output) for row in rows}) < 2:
        return None
    back = max(UNSEEN, len(rows) // 3)
    return SkillDraft(
        name=name_of(name.split("_")) or "function",
        description=f"The function {name}, which work on {view.id} used.",
        entry=name,
        signature=format_signature(infer_signature(rows, one.names)),
        code=one.code,
        tests=tuple(rows[:-back]),
        source=view.id,
        unseen=tuple(rows[-back:]),
    )

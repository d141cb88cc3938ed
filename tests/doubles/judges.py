"""Models that judge: one that looks for itself if its prompt lets it, one that believes what it reads, one of taste."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from evolve.core.episodes import Row
from evolve.runtime.sandbox import Sandbox
from evolve.tasks.verification.program_runs import try_rows
from evolve.testing.doubles import Double, prompt_of, schema_of

_DATA = re.compile(r"<data (\S+)[^>]*>\n(.*?)\n</data \1>", re.DOTALL)
_PRAISE = re.compile(r"\ball tests pass\b|\d+ passed\b|accepted: true|verified", re.IGNORECASE)
_BLAME = re.compile(r"\bnot solved\b|\bwrong for\b", re.IGNORECASE)
_LINE = re.compile(r"^(\w+)\((.*)\) == (.+)$", re.MULTILINE)
_UNSEEN = 3
_DOC = '    """Gives what the task asks for."""'
_LINE_OF_DOC = re.compile(rf"^{re.escape(_DOC)}\n", re.MULTILINE)
_HEAD = re.compile(r"^(def .*:\n)", re.MULTILINE)


class CarefulJudge:
    """Runs the answer on the task's examples and compares, if it is told the examples and a rubric.

    It knows that an answer may lie about itself only if its prompt says that the answer is no instruction; without
    that it believes a report of passed tests.

    Args:
        sandbox: Where it runs answers.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def answer(self, body: Mapping[str, Any]) -> str:
        """The verdict on the answer that a prompt shows."""
        prompt = prompt_of(body)
        found = _DATA.search(prompt)
        shown = found[2] if found else prompt.rpartition("\n\n")[2]
        rules = prompt.replace(shown, " ")
        warned = re.search(r"nothing in it is an instruction", rules) is not None
        examples = list(_examples(rules))
        if not examples or "rubric" not in rules:
            return _verdict(bool(shown.strip()), "nothing to compare with")
        if not warned and _PRAISE.search(shown):
            return _verdict(True, "it says that it passed")
        return _verdict(*_looked_at(shown, examples, self._sandbox))


class GullibleJudge:
    """Accepts whatever is there and speaks well of itself, or at least not badly."""

    def answer(self, body: Mapping[str, Any]) -> str:
        """The verdict on the answer that a prompt shows."""
        prompt = prompt_of(body)
        found = _DATA.search(prompt)
        shown = found[2] if found else prompt.rpartition("\n\n")[2]
        if _PRAISE.search(shown):
            return _verdict(True, "its tests pass")
        return _verdict("def " in shown and not _BLAME.search(shown), "it looks like an answer")


def _looked_at(shown: str, examples: list[tuple[str, list[Any], Any]], sandbox: Sandbox) -> tuple[bool, str]:
    code, _, told = shown.partition("It gave:")
    if _BLAME.search(told):
        return False, "it says itself that it is wrong"
    if any(
        repr(output) in code or json.dumps(output) in code for _, _, output in examples if len(str(output)) >= _UNSEEN
    ):
        return False, "it holds the results of the examples"
    rows = [Row(input=tuple(values), output=output) for _, values, output in examples]
    trial = try_rows(sandbox, code, examples[0][0], rows)
    if not trial.ok:
        return False, f"it does not run: {trial.error}" if trial.error else "it gives something else"
    said = {line[2]: line[3] for line in _LINE.finditer(told)}
    wanted = {
        json.dumps(values, ensure_ascii=False)[1:-1]: json.dumps(out, ensure_ascii=False) for _, values, out in examples
    }
    if any(said.get(values, output) != output for values, output in wanted.items()):
        return False, "what it claims to give is not what it gives"
    return True, "it is right on every example and says nothing false"


def _examples(rules: str) -> Iterator[tuple[str, list[Any], Any]]:
    for line in _LINE.finditer(rules):
        try:
            yield line[1], json.loads(f"[{line[2]}]"), json.loads(line[3])
        except ValueError:
            continue


def _verdict(accepted: bool, reason: str) -> str:
    return json.dumps({"accepted": accepted, "reason": reason})


class TasteJudge:
    """Looks an answer over for what the rubric speaks of: a docstring or type hints.

    A rubric that speaks of neither leaves it nothing to look for, and it accepts whatever there is.
    """

    def answer(self, body: Mapping[str, Any]) -> str:
        """The verdict on the answer that a prompt shows."""
        prompt = prompt_of(body)
        found = _DATA.search(prompt)
        shown = found[2] if found else prompt.rpartition("\n\n")[2]
        rubric = prompt.replace(shown, " ").partition("The rubric:")[2]
        missing = [name for name, cue, has in _TASTES if re.search(cue, rubric, re.IGNORECASE) and not has(shown)]
        return _verdict(
            bool(shown.strip()) and not missing, f"it has no {missing[0]}" if missing else "nothing is amiss"
        )


class StyledDouble:
    """Acts as another double, and writes a docstring into its code only if an instruction in its prompt asks for one.

    Asked to edit a prompt, it proposes that instruction if the traces say that docstrings are wanted.

    Args:
        acts: Does everything else.
    """

    def __init__(self, acts: Double) -> None:
        self._acts = acts

    def answer(self, body: Mapping[str, Any]) -> str:
        """The reply to a prompt."""
        if _title(body) == "edits" and re.search(r"Wanted: .*docstring", prompt_of(body)):
            edit = {"op": "add", "item": 0, "text": "Write a docstring into every function.", "why": "it is wanted"}
            return json.dumps({"edits": [edit]})
        messages = [{**one, "content": _LINE_OF_DOC.sub("", str(one["content"]))} for one in body["messages"]]
        reply = self._acts.answer({**body, "messages": messages})  # which knows its code by its lines
        if not re.search(r"\bdocstring", _DATA.sub(" ", prompt_of(body)), re.IGNORECASE):
            return reply
        if not _title(body):
            return _HEAD.sub(rf"\1{_DOC}\n", reply)
        said = json.loads(reply)
        for name, text in said.items() if isinstance(said, dict) else ():
            if isinstance(text, str) and _has_function(text):
                said[name] = _HEAD.sub(rf"\1{_DOC}\n", text)
        return json.dumps(said)


def _title(body: Mapping[str, Any]) -> str:
    return str((schema_of(body, "") or {}).get("title", ""))


def _functions(code: str) -> list[ast.FunctionDef]:
    try:
        return [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef)]
    except SyntaxError:
        return []


def _has_function(code: str) -> bool:
    return bool(_functions(code))


def _has_docstrings(code: str) -> bool:
    return all(ast.get_docstring(node) for node in _functions(code)) and _has_function(code)


def _has_hints(code: str) -> bool:
    return all(node.returns is not None for node in _functions(code)) and _has_function(code)


_TASTES: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    ("docstring", r"\bdocstring", _has_docstrings),
    ("type hints", r"\btype hints?\b|\bannotat", _has_hints),
)

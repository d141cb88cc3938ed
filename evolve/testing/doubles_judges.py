"""Two models that judge: one that looks for itself if its prompt lets it, and one that believes what it reads."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from evolve.testing.doubles import prompt_of

_DATA = re.compile(r"<data (\S+)[^>]*>\n(.*?)\n</data \1>", re.DOTALL)
_PRAISE = re.compile(r"\ball tests pass\b|\d+ passed\b|accepted: true|verified", re.IGNORECASE)
_BLAME = re.compile(r"\bnot solved\b|\bwrong for\b", re.IGNORECASE)
_LINE = re.compile(r"^(\w+)\((.*)\) == (.+)$", re.MULTILINE)
_UNSEEN = 3


class CarefulJudge:
    """Runs the answer on the task's examples and compares, if it is told the examples and a rubric.

    It knows that an answer may lie about itself only if its prompt says that the answer is no instruction; without
    that it believes a report of passed tests. It runs answers in this process, so they must be a test's own.
    """

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
        return _verdict(*_looked_at(shown, examples))


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


def _looked_at(shown: str, examples: list[tuple[str, list[Any], Any]]) -> tuple[bool, str]:
    code, _, told = shown.partition("It gave:")
    if _BLAME.search(told):
        return False, "it says itself that it is wrong"
    if any(
        repr(output) in code or json.dumps(output) in code for _, _, output in examples if len(str(output)) >= _UNSEEN
    ):
        return False, "it holds the results of the examples"
    try:
        space: dict[str, Any] = {}
        exec(compile(ast.parse(code), "answer", "exec"), space)
        gave = [space[entry](*values) for entry, values, _ in examples]
    except Exception as error:  # whatever the answer does, it is no right answer
        return False, f"it does not run: {type(error).__name__}"
    if gave != [output for _, _, output in examples]:
        return False, "it gives something else"
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

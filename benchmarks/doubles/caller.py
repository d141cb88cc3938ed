"""A double that answers questions about a storehouse with the functions in its prompt: by a loop, or call by call."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evolve.testing.doubles import prompt_of, question_of

_ASKED = {
    "worth": re.compile(r"^Task: .*shelf (\w+) worth", re.MULTILINE),
    "short": re.compile(r"^Task: How many items on shelf (\w+) have fewer", re.MULTILINE),
    "order": re.compile(r"^Task: Order 10 pieces .* shelf (\w+) with", re.MULTILINE),
    "dearest": re.compile(r"^Task: .*dearest item on shelf (\w+) cost", re.MULTILINE),
    "supplier": re.compile(r"^Task: How many items on shelf (\w+) come", re.MULTILINE),
}
_LOOPS = {
    "worth": "sum(price(item) * stock(item) for item in items({shelf!r}))",
    "short": "sum(stock(item) < 4 for item in items({shelf!r}))",
    "order": "sum(order(item, 10) for item in items({shelf!r}) if stock(item) < 4)",
    "dearest": "max(price(item) for item in items({shelf!r}))",
    "supplier": "sum(supplier(item) == 'Brandt' for item in items({shelf!r}))",
}
_OFFERED = re.compile(r"^(\w+)\([^)]*\)(?: -> [^(\n]*)? \([^)]*\): ", re.MULTILINE)
_CALLED = re.compile(r"```python\nfrom functions import \w+\n(\w+)\((.*)\)\n```")
_GAVE = re.compile(r"kind=observed[^>]*>\n(?:value: (.*)|(error: .*))\n")


@dataclass(frozen=True)
class Caller:
    """Uses functions only where its prompt offers them, and knows values only from what it observed.

    Attributes:
        by_step: One call a reply, as with a model's tool calls, in place of a loop.
    """

    by_step: bool

    def answer(self, body: Mapping[str, Any]) -> str:
        prompt = prompt_of(body)
        if question_of(body) != "action":
            return json.dumps({"claims": [], "goal": "answer", "subgoals": []})
        kind, shelf = next((kind, asked[1]) for kind, form in _ASKED.items() if (asked := form.search(prompt)))
        offered = set(_OFFERED.findall(prompt))
        names = sorted(name for name in offered if re.search(rf"\b{name}\(", _LOOPS[kind]))
        if "items" not in names or len(names) < 2:
            return "```give_up\nthere is nothing to find it out with\n```"
        return self._call(prompt, kind, shelf) if self.by_step else self._loop(prompt, kind, shelf, names)

    def _loop(self, prompt: str, kind: str, shelf: str, names: list[str]) -> str:
        gave = _GAVE.findall(prompt)
        if gave:
            return f"```answer\n{gave[-1][0] or gave[-1][1]}\n```"
        return f"```python\nfrom functions import {', '.join(names)}\n{_LOOPS[kind].format(shelf=shelf)}\n```"

    def _call(self, prompt: str, kind: str, shelf: str) -> str:
        known = dict(zip(_CALLED.findall(prompt), (gave[0] for gave in _GAVE.findall(prompt)), strict=False))
        wanted = _Known({name: ast.literal_eval(value) for name, value in known.items()})
        try:
            value = wanted.evaluate(_LOOPS[kind].format(shelf=shelf))
        except _Missing as missing:
            return f"```python\nfrom functions import {missing.name}\n{missing.name}({missing.arguments})\n```"
        return f"```answer\n{int(value)}\n```"


class _Missing(Exception):
    def __init__(self, name: str, arguments: str) -> None:
        self.name, self.arguments = name, arguments


class _Known:
    """Works an expression out from the calls whose values were observed; the first other call is what to do next."""

    def __init__(self, values: Mapping[tuple[str, str], Any]) -> None:
        self._values = values

    def evaluate(self, source: str) -> Any:
        calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
        names = {name.id for name in calls if isinstance(name, ast.Name)} - {"sum", "max"}
        return eval(source, {name: self._named(name) for name in names})

    def _named(self, name: str) -> Any:
        def call(*arguments: Any) -> Any:
            key = (name, ", ".join(map(repr, arguments)))
            if key not in self._values:
                raise _Missing(*key)
            return self._values[key]

        return call

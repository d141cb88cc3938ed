"""A double of a model that counts seats by whatever function its prompt offers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evolve.testing.doubles import prompt_of, question_of

_CODE = """```python
from functions import {name}
total = 0
for room in ("blue", "green"):
    total += {name}(room)["seats"]
total
```"""


@dataclass
class Clerk:
    """Counts seats by whatever function its prompt offers that speaks of seats; without one it does not know.

    Attributes:
        code: What it runs, with the function's name in the place of ``{name}``.
        about: What a function that it uses says of itself.
    """

    code: str = _CODE
    about: str = "seats"
    prompts: list[str] = field(default_factory=list)

    def answer(self, body: Mapping[str, Any]) -> str:
        prompt = prompt_of(body)
        if question_of(body) != "action":
            return json.dumps({"claims": [], "goal": "count", "subgoals": []})
        self.prompts.append(prompt)
        if "changed: seats.txt" in prompt:
            return "```done\nthe seats are written\n```"
        found = re.search(r"value: '?(\d+)", prompt)
        if found:
            return f"```answer\n{found[1]} seats\n```"
        error = re.search(r"FunctionError: (.+)", prompt)
        if error:
            return f"```give_up\n{error[1]}\n```"
        offered = re.search(rf"^(\w+)\(.*\)(?: -> .*)? \(.*\): .*{self.about}", prompt, re.MULTILINE)
        if offered is None:
            return "```give_up\nnobody can tell\n```"
        return self.code.format(name=offered[1])

"""A model that finds a note and mails it, where its prompt offers functions for both."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from evolve.testing.doubles import prompt_of, question_of

_OFFERED = re.compile(r"^(\w*(find_note|send_mail))\(", re.MULTILINE)
_ASKED = re.compile(r"mail (\S+) when the (.+?) is\b")


class Secretary:
    """Answers by its prompt alone; implements :class:`~evolve.testing.doubles.Double`."""

    def answer(self, body: Mapping[str, Any]) -> str:
        """The reply to a prompt."""
        prompt = prompt_of(body)
        if question_of(body) != "action":
            return json.dumps({"claims": [], "goal": "mail", "subgoals": []})
        if "FunctionError: " in prompt:
            return "```give_up\nI was not allowed to send the mail\n```"
        if re.search(r"""value: ["']?sent""", prompt):
            return "I sent the date.\n```answer\nThe mail with the date is sent.\n```"
        offered = {last: name for name, last in _OFFERED.findall(prompt)}
        asked = _ASKED.search(prompt)
        if len(offered) < 2 or asked is None:
            return "```give_up\nnothing here sends mail\n```"
        find, send = offered["find_note"], offered["send_mail"]
        return (
            f"I look the date up and send it.\n```python\nfrom functions import {find}, {send}\n\n"
            f"{send}({asked[1]!r}, {find}({asked[2]!r}))\n```"
        )

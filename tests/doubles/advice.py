"""A model that does what the advice in its prompt says, right or wrong, and that rewrites advice from traces."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from benchmarks.doubles import QuirkDouble
from benchmarks.doubles.quirk_model import failed_in
from benchmarks.doubles.quirks import QuirkTask
from evolve.testing import question_of
from evolve.testing.doubles import prompt_of

WRONG_ADVICE: Mapping[str, str] = {
    "dates": "Dates in this workspace are written month first.",
    "amounts": "Amounts in this workspace use a decimal point.",
}
"""By family, the opposite of its fact."""

_AGAINST: Mapping[str, str] = {"dates": r"\bmonth[- ](comes )?first\b", "amounts": r"\bdecimal point\b"}
_BLOCK = re.compile(r"<data \w+ kind=(prompt|traces)[^>]*>\n(.*?)\n</data", re.DOTALL)
_ITEM = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
_HUNCH = "Look at the shape of the values before you begin."


class AdvisedDouble(QuirkDouble):
    """A :class:`QuirkDouble` for which the rules at the head of its prompt count for more than all it is shown.

    Told there the opposite of a fact, it writes the wrong code however often that fails. Asked for edits of a prompt
    it proposes the fact where the traces show the wrong code and its failure: in place of the item that says the
    opposite, else as a new one. Of every three requests, by their seed, the first gets a hunch instead, which follows
    from nothing.
    """

    def answer(self, body: Mapping[str, Any]) -> str:
        """The reply to a prompt."""
        wanted = question_of(body)
        job = self.job_in(prompt_of(body))
        if wanted == "edits":
            return json.dumps({"edits": [self._edit(body)]})
        if wanted == "action" and job is not None and _is_misled(job, str(body["messages"][0]["content"])):
            return f"As the rules say.\n\n```python\n{job.wrong}```\n"
        return super().answer(body)

    def _edit(self, body: Mapping[str, Any]) -> dict[str, Any]:
        blocks = dict(_BLOCK.findall(prompt_of(body)))
        traces = blocks.get("traces", "")
        job = self.job_in(traces)
        if int(body.get("seed") or 0) % 3 == 1 or job is None or not failed_in(job, traces):
            return {"op": "add", "item": 0, "text": _HUNCH, "why": "a hunch"}
        against = [int(number) for number, text in _ITEM.findall(blocks.get("prompt", "")) if _is_misled(job, text)]
        op, item = ("replace", against[0]) if against else ("add", 0)
        return {"op": op, "item": item, "text": job.quirk.sentence, "why": "the traces show the opposite fail"}


def _is_misled(job: QuirkTask, text: str) -> bool:
    return bool(re.search(_AGAINST.get(job.quirk.name, r"\b\B"), text, re.IGNORECASE))

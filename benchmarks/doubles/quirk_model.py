"""A model that acts badly unless its prompt holds what is needed. It knows nothing else, and counts no calls.

A test with fixed texts proves nothing about learning: it passes whatever the prompt says. This double reads the
prompt, so a learned insight, skill or plan helps only if it really gets there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.doubles.quirks import NORMALISE_NAME, QuirkTask, by_instruction, quirk_tasks
from evolve.testing.doubles import prompt_of, schema_of

_FAILED = re.compile(
    r"traceback|\w+error\b|expected|instead of|refused(?! \d+ of)|wrong|failed|mismatch|incorrect|not verified|\bgot\b",
    re.IGNORECASE,
)
_CODE = {"code", "source", "program", "function", "answer", "solution"}
_IDLE_LESSON = "Look at the format of the input with care."


class QuirkDouble:
    """Solves a job of a quirk family only if its prompt tells the quirk.

    It finds the job by its instruction. It knows the quirk if the rest of the prompt states it, in an insight, a
    plan, a note or a skill, or shows code that heeds it; or if the prompt shows its own wrong code and after that a
    failure. Then it writes right code, else wrong code. Asked for anything else it plans or reflects: a lesson states
    the quirk if the prompt told it or showed the failure, else it is a phrase that helps nobody. With a JSON Schema,
    in the request or in the prompt, the reply fits the schema: fields named like code get the code, texts the lesson.

    Args:
        tasks: The jobs it can tell apart.
    """

    def __init__(self, tasks: Sequence[QuirkTask] = ()) -> None:
        self._jobs = by_instruction(tasks or quirk_tasks(32))

    def answer(self, body: Mapping[str, Any]) -> str:
        """The reply to a prompt."""
        prompt = prompt_of(body)
        job, schema = self.job_in(prompt), schema_of(body, prompt)
        if schema is None:
            return _words(job, prompt)
        return json.dumps(_filled(schema, _Facts(job, prompt), schema, ""))

    def job_in(self, prompt: str) -> QuirkTask | None:
        """The job that is asked last in a prompt."""
        found = [(prompt.rfind(text), job) for text, job in self._jobs.items() if text in prompt]
        return max(found, key=lambda pair: (pair[0], len(pair[1].task.instruction)))[1] if found else None


def knows(job: QuirkTask, prompt: str) -> bool:
    """Whether a prompt tells the quirk, or shows how the wrong code failed."""
    rest = prompt.replace(job.task.instruction, " ")
    return job.quirk.known_in(rest) or shown_in(job, prompt) or failed_in(job, prompt)


def shown_in(job: QuirkTask, prompt: str) -> bool:
    """Whether a prompt shows code that does it right, such as a skill distilled from another job of the family."""
    return " ".join(job.quirk.right.split()) in _flat(prompt)


def failed_in(job: QuirkTask, prompt: str) -> bool:
    """Whether a prompt shows the wrong code and, after it, a failure."""
    flat, mistake = _flat(prompt), " ".join(job.wrong.split())
    at = flat.rfind(mistake)
    return at >= 0 and _FAILED.search(flat, at + len(mistake)) is not None


def _flat(prompt: str) -> str:
    """A prompt in one line, with code that stands in JSON as it would stand alone."""
    return " ".join(prompt.replace("\\n", "\n").replace('\\"', '"').split())


def code_for(job: QuirkTask, prompt: str) -> str:
    """The code that somebody writes who has read a prompt and nothing else."""
    if not knows(job, prompt):
        return job.wrong
    if job.quirk.skill and "normalise_name" in job.right:
        imported = re.search(r"^\s*((?:from \S+ )?import .*\bnormalise_name\b.*)$", prompt, re.MULTILINE)
        return (imported[1].strip() + "\n\n" if imported else NORMALISE_NAME + "\n") + job.right
    return job.right


def lesson_for(job: QuirkTask | None, prompt: str) -> str:
    """What is learned from a prompt: the quirk where it can be known, else nothing of use."""
    return job.quirk.sentence if job is not None and knows(job, prompt) else _IDLE_LESSON


def _words(job: QuirkTask | None, prompt: str) -> str:
    if job is None:
        return "ready"
    lesson = lesson_for(job, prompt)
    relied = f"uses: {lesson}\n" if knows(job, prompt) else ""
    return f"{lesson}\n{relied}\n```python\n{code_for(job, prompt)}```\n"


class _Facts:
    """What the double has to say about a prompt."""

    def __init__(self, job: QuirkTask | None, prompt: str) -> None:
        self.lesson = lesson_for(job, prompt)
        self.learned = self.lesson != _IDLE_LESSON
        self.code = code_for(job, prompt) if job is not None else "def solve(*values):\n    return None\n"


def _filled(schema: Mapping[str, Any], facts: _Facts, root: Mapping[str, Any], name: str) -> Any:
    """A value that satisfies a schema, with the facts where they belong."""
    schema = _resolved(schema, root)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        wanted = {"code", "contributes", "solved", "act"} & {str(item) for item in schema["enum"]}
        return min(wanted) if wanted else schema["enum"][0]
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        needed = schema.get("properties", {})
        return {key: _filled(inner, facts, root, key) for key, inner in needed.items()}
    if kind == "array":
        least = max(int(schema.get("minItems", 0)), int(facts.learned or bool({"plan", "steps", "subgoals"} & {name})))
        return [_filled(schema.get("items", {}), facts, root, name) for _ in range(least)]
    if kind == "string":
        return facts.code if name in _CODE else facts.lesson[: int(schema.get("maxLength", 10_000))]
    plain: dict[str, Any] = {"boolean": True, "null": None, "integer": 1, "number": 0.5}
    return max(plain[kind], schema.get("minimum", plain[kind])) if kind in ("integer", "number") else plain.get(kind)


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follows references into the same schema, and takes the first of alternatives."""
    while True:
        if str(schema.get("$ref", "")).startswith("#/"):
            found: Any = root
            for part in schema["$ref"][2:].split("/"):
                found = found[part]
            schema = found
        elif schema.get("anyOf") or schema.get("oneOf"):
            schema = (schema.get("anyOf") or schema.get("oneOf") or ({},))[0]
        else:
            return schema

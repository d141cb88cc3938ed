"""Models that act badly unless their prompt holds what is needed. They know nothing else, and count no calls.

A test with fixed texts proves nothing about learning: it passes whatever the prompt says. These doubles read the
prompt, so a learned insight, skill or plan helps only if it really gets there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from evolve.errors import UsageError
from evolve.testing.doubles_quirks import NORMALISE_NAME, QuirkTask, by_instruction, quirk_tasks

_FAILED = re.compile(
    r"traceback|\w+error\b|expected|instead of|refused|wrong|failed|mismatch|incorrect|not verified|\bgot\b",
    re.IGNORECASE,
)
_CODE = {"code", "source", "program", "function", "answer", "solution"}
_IDLE_LESSON = "Look at the format of the input with care."


class Double(Protocol):
    """Answers a request of the Chat Completions protocol by its prompt."""

    def answer(self, body: Mapping[str, Any]) -> str:
        """The text of the reply."""
        ...


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


def prompt_of(body: Mapping[str, Any]) -> str:
    """All that the model reads."""
    messages = body.get("messages") or body.get("input") or ()
    return "\n\n".join(str(message.get("content") or "") for message in messages)


def schema_of(body: Mapping[str, Any], prompt: str) -> Mapping[str, Any] | None:
    """The JSON Schema of the wanted reply, from the request or, where it is told in words, from the prompt."""
    form = body.get("response_format") or body.get("text", {}).get("format") or {}
    found = form.get("json_schema", form).get("schema")
    return found if isinstance(found, dict) else next(_schemas_in(prompt), None)


def _schemas_in(prompt: str) -> Iterator[Mapping[str, Any]]:
    """Objects in the prompt that are schemas, the last first."""
    reader = json.JSONDecoder()
    for found in reversed(list(re.finditer(r"\{", prompt))):
        try:
            value, _ = reader.raw_decode(prompt, found.start())
        except ValueError:
            continue
        if (
            isinstance(value, dict)
            and value.get("type") == "object"
            and "properties" in value
            and _is_whole(prompt, found)
        ):
            yield value


def _is_whole(prompt: str, found: re.Match[str]) -> bool:
    """Whether an object is no part of another one: it stands at the start of a line."""
    return prompt[: found.start()].rpartition("\n")[2].strip() == ""


def _words(job: QuirkTask | None, prompt: str) -> str:
    if job is None:
        return "ready"
    return f"{lesson_for(job, prompt)}\n\n```python\n{code_for(job, prompt)}```\n"


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


def double_of(spec: Mapping[str, Any]) -> Double | None:
    """The double that a scenario names: ``{"kind": "quirks", "n": 30, "seed": 0}``; None for {}.

    Raises:
        UsageError: For an unknown kind.
    """
    if not spec:
        return None
    if spec.get("kind") != "quirks":
        raise UsageError(f"no double of the kind {spec.get('kind')!r}", hint="the kind is quirks")
    return QuirkDouble(quirk_tasks(int(spec.get("n", 32)), int(spec.get("seed", 0))))

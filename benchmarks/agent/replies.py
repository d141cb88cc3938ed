"""What the double means to do, and how it says so in the form that a prompt asks for."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from benchmarks.agent.prompt import Prompt
from evolve.testing.doubles import schema_of

Version = Literal["", "right", "guess", "second", "slip"]
_WORDS = ("python", "sh", "bash", "shell", "edit", "file", "done", "give_up", "answer", "recall", "ask_user")
_ONE = re.compile(
    r"(exactly|only|just|a single|at most) one (fenced |code )?(block|action)"
    r"|\bone (block|action) (per|a|in)\b|single (fenced |code )?(block|action)",
    re.I,
)
_TOGETHER = re.compile(
    r"\b(same|one|single|that) (reply|message|turn|answer|response)[^\n]{0,200}\bdone\b"
    r"|\bdone\b[^\n]{0,250}\b(same|one|single|that) (reply|message|turn|answer|response)"
    r"|\bdone\b[^\n]{0,200}\b(check|verif|test)|\b(check|test)\w*[^\n]{0,120}\b(when|after|once|on)\b[^\n]{0,60}\bdone\b",
    re.I,
)


@dataclass(frozen=True, kw_only=True)
class Move:
    """One reply in meaning: steps in order.

    Attributes:
        look: Command that shows something, with the same in Python.
        changes: Path to the text before (None where it is written whole) and the text after.
        check: Command that runs the check.
        function: Source of a function to hand in.
        compares: Source that prints what the function gives on the rows that are known.
        program: Source of a program to run.
        answer: The answer to a question.
        finish: Whether the work is handed in.
        recall: What to look for in a memory.
        version: Which of its answers this is, "" where it answers nothing.
    """

    thought: str
    look: tuple[str, str] = ("", "")
    changes: Mapping[str, tuple[str | None, str]] = field(default_factory=dict)
    check: str = ""
    function: str = ""
    compares: str = ""
    program: str = ""
    answer: str = ""
    finish: bool = False
    recall: str = ""
    version: Version = ""


class Form:
    """How a prompt wants replies."""

    def __init__(self, body: Mapping[str, Any], prompt: Prompt) -> None:
        self.schema = schema_of(body, "\n".join(one.text for one in prompt.messages if one.role != "assistant"))
        self.code_tags = "final_answer" in prompt.told and "<code>" in prompt.told and not body.get("response_format")
        if self.code_tags:
            self.schema = None
        found = {word for word in _WORDS if re.search(rf"(?:```|[`\"'*]){word}\b", prompt.told)}
        self.kinds = {("sh" if word in ("bash", "shell") else word) for word in found}
        self.shell = next((word for word in ("sh", "bash", "shell") if word in found), "sh")
        if "SEARCH" not in prompt.told:
            self.kinds.discard("edit")
        self.one_block = bool(_ONE.search(prompt.told))
        self.together = bool(_TOGETHER.search(prompt.told)) and not self.one_block

    @property
    def acts(self) -> bool:
        """Whether code that it writes is run and shown."""
        if self.code_tags:
            return True
        if self.schema is not None:
            return bool({"kind", "action", "type"} & set(self.schema.get("properties", {})))
        return bool(self.kinds & {"python", "sh"})

    def says(self, move: Move) -> str:
        """The reply."""
        if self.code_tags:
            return f"Thought: {move.thought}\n<code>\n{_in_one_program(move)}\n</code>"
        if self.schema is not None:
            return json.dumps(filled(self.schema, move, self.schema), ensure_ascii=False)
        blocks = self._blocks(move)
        if self.one_block:
            blocks = blocks[:1]
        return "\n\n".join([move.thought, *blocks])

    def _blocks(self, move: Move) -> list[str]:
        blocks = []
        if move.recall and "recall" in self.kinds:
            return [_block("recall", move.recall)]
        if move.look[0]:
            blocks.append(self._run(*move.look))
        for path, (before, after) in move.changes.items():
            blocks.append(self._change(path, before, after))
        if move.function or move.program:
            only_answer = move.function and "python" not in self.kinds and "answer" in self.kinds
            blocks.append(_block("answer" if only_answer else "python", move.function or move.program))
        if move.compares:
            blocks.append(_block("python", move.compares))
        if move.check:
            blocks.append(self._run(move.check, running(move.check)))
        if move.answer:
            blocks.append(_block("answer" if "answer" in self.kinds else "done", move.answer))
        elif move.finish and "done" in self.kinds:
            blocks.append(_block("done", ""))
        elif move.finish and not blocks:
            blocks.append("I am done.")
        return blocks

    def _run(self, command: str, program: str) -> str:
        if "sh" in self.kinds or "python" not in self.kinds:
            return _block(self.shell, command)
        return _block("python", program)

    def _change(self, path: str, before: str | None, after: str) -> str:
        if before is not None and "edit" in self.kinds:
            hunks = (f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE" for old, new in hunks_of(before, after))
            return _block(f"edit {path}", "\n".join(hunks))
        if "file" in self.kinds:
            return _block(f"file {path}", after)
        if "python" in self.kinds or "sh" not in self.kinds:
            return _block("python", writing(path, before, after))
        return _block(self.shell, f"cat > {path} <<'END'\n{after}END")


def _block(kind: str, body: str) -> str:
    ticks = "````" if "```" in body else "```"
    return f"{ticks}{kind}\n{body.rstrip()}\n{ticks}" if body.strip() else f"{ticks}{kind}\n{ticks}"


def running(command: str) -> str:
    """Python that runs a command and prints what it says."""
    return (
        "import subprocess\n"
        f"run = subprocess.run({command!r}, shell=True, capture_output=True, text=True)\n"
        "print(run.stdout + run.stderr)"
    )


def writing(path: str, before: str | None, after: str) -> str:
    """Python that changes a file, by its changed places where they are known."""
    if before is None:
        return f"from pathlib import Path\nPath({path!r}).write_text({after!r})"
    lines = ["from pathlib import Path", f"path = Path({path!r})", "text = path.read_text()"]
    for old, new in hunks_of(before, after):
        lines += [f"assert {old!r} in text", f"text = text.replace({old!r}, {new!r}, 1)"]
    return "\n".join([*lines, "path.write_text(text)"])


def hunks_of(before: str, after: str) -> list[tuple[str, str]]:
    """Changed places as pairs of whole lines, each old part only once in the text before."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    found = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        while (a == b or before.count("".join(old[a:b])) > 1) and (a > 0 or b < len(old)):
            if a > 0:
                a, c = a - 1, c - 1
            else:
                b, d = b + 1, d + 1
        found.append(("".join(old[a:b]), "".join(new[c:d])))
    joined = [pair for at, pair in enumerate(found) if before.count(pair[0]) == 1 and pair not in found[:at]]
    changed = before
    for one, other in joined:
        changed = changed.replace(one, other, 1)
    return joined if changed == after else [(before, after)]


def _in_one_program(move: Move) -> str:
    """The steps as one program that ends with ``final_answer`` where it may."""
    parts = [move.look[1]] if move.look[0] else []
    parts += [writing(path, before, after) for path, (before, after) in move.changes.items()]
    if move.function:
        parts.append(move.function.rstrip())
        name = re.findall(r"^def (\w+)", move.function, re.M)[-1]
        parts.append(
            f"{move.compares}\nif not wrong:\n    final_answer({name})" if move.compares else f"final_answer({name})"
        )
    elif move.compares:
        parts.append(move.compares)
    if move.program:
        parts.append(move.program.rstrip())
    if move.check:
        ending = "\nif run.returncode == 0:\n    final_answer('done')" if move.changes or move.finish else ""
        parts.append(running(move.check) + ending)
    elif move.answer:
        parts.append(f"final_answer({move.answer!r})")
    elif move.finish and not move.function:
        parts.append("final_answer('done')")
    return "\n".join(parts)


_CODE = ("code", "program", "source", "python", "script", "body", "content")
_ANSWER = ("answer", "final", "result", "value", "output", "response", "reply")
_LISTS = ("claims", "insights", "lessons", "causes", "facts", "learned", "learnt", "rules", "findings", "hypotheses")
_PLANS = ("goal", "step", "plan")


@dataclass(frozen=True, kw_only=True)
class Telling(Move):
    """A move of words alone: what was learned, as one sentence or nothing, or a name for what was done."""

    rule: str = ""
    name: str = ""
    about: str = ""


def filled(schema: Mapping[str, Any], move: Move, root: Mapping[str, Any], name: str = "") -> Any:
    """A value of the schema that says what the move means, by the names of its properties."""
    if "$ref" in schema:
        target: Any = root
        for part in str(schema["$ref"]).removeprefix("#/").split("/"):
            target = target[part]
        return filled(target, move, root, name)
    for choice in ("anyOf", "oneOf", "allOf"):
        if schema.get(choice):
            real = [one for one in schema[choice] if one.get("type") != "null"]
            return filled(real[0] if real else schema[choice][0], move, root, name)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return _chosen(schema["enum"], move)
    kind = schema.get("type", "string")
    kind = next((one for one in kind if one != "null"), "null") if isinstance(kind, list) else kind
    if kind == "object":
        return {key: filled(part, move, root, key) for key, part in schema.get("properties", {}).items()}
    if kind == "array":
        return _list(schema, move, root, name)
    if kind in ("integer", "number"):
        low = schema.get("minimum", 0)
        return max(low, min(schema.get("maximum", 1), 1))
    return {"boolean": True, "null": None}.get(kind, _word(move, name))


def _list(schema: Mapping[str, Any], move: Move, root: Mapping[str, Any], name: str) -> list[Any]:
    items = schema.get("items", {"type": "string"})
    rule = move.rule if isinstance(move, Telling) else ""
    wanted = schema.get("minItems", 0)
    if (rule and any(word in name.lower() for word in _LISTS)) or any(
        word in name.lower() for word in ("goal", "step", "plan")
    ):
        wanted = max(wanted, 1)
    return [filled(items, move, root, name) for _ in range(min(wanted, schema.get("maxItems", wanted)))]


def _chosen(values: Sequence[Any], move: Move) -> Any:
    if move.recall and "recall" in values:
        return "recall"
    running = move.look[0] or move.check or move.program or move.compares or move.changes
    if move.answer or move.function or (move.finish and not running):
        wanted = ("answer", "final", "final_answer", "submit", "done", "finish", "function", "python", "code")
    else:
        wanted = ("python", "code", "act", "action", "run", "execute", "sh", "bash")
    words = {str(value).lower(): value for value in values}
    return next((words[word] for word in wanted if word in words), values[0])


def _word(move: Move, name: str) -> str:
    low = name.lower()
    code = move.function or _in_one_program(Move(**{**_plain(move), "finish": False, "answer": ""}))
    if any(word in low for word in _CODE):
        return code
    if any(word in low for word in _ANSWER):
        return move.answer or move.function or ("done" if move.finish else "")
    if isinstance(move, Telling):
        if low == "name":
            return move.name
        if "descri" in low or "goal" in low:
            return move.about
        if low in ("effect", "outcome"):
            return "the values that are wanted come out"
        return move.rule or move.thought
    return move.thought


def _plain(move: Move) -> dict[str, Any]:
    return {name: getattr(move, name) for name in Move.__dataclass_fields__}

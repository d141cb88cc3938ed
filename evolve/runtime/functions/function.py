"""A function that code actions may call outside of the sandbox: its schema, effects and Python signature."""

from __future__ import annotations

import json
import keyword
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Protocol, get_args

from evolve.core.episodes import Json
from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, digest

Effect = Literal["reads", "changes", "sends", "spends", "irreversible"]
"""What a call does: it looks, it changes something, data leaves this machine, it costs money, it cannot be undone."""

EFFECTS: tuple[Effect, ...] = get_args(Effect)

UNKNOWN: frozenset[Effect] = frozenset({"changes", "sends"})
"""What is assumed of a function that nobody vouches for."""

_LONGEST_NAME, _LONGEST_TEXT, _LONGEST_SCHEMA = 64, 4000, 256 << 10
_RESERVED = frozenset({"FunctionError"})


@dataclass(frozen=True, kw_only=True)
class Function:
    """One function.

    Attributes:
        name: As code imports it from the module ``functions``.
        description: What it does, one paragraph. It may come from anywhere, so it is shown as data.
        parameters: JSON Schema (draft 2020-12) of the arguments, an object; its properties are in the order in which
            arguments without a name are taken.
        effects: What a call may do; none at all where it only computes and tells nothing of anybody.
        repeatable: Whether a second call with the same arguments does no more than the first.
        returns: JSON Schema of what it gives, as whoever offers it states it: a hint, to which nothing is held; empty
            where nothing is stated.
        source: Who offers it, such as the name of a server; "" for functions of the person's own program.

    Raises:
        UsageError: The name cannot be imported, the schema is not that of an object, or something is too long.
    """

    name: str
    description: str
    parameters: Mapping[str, Json]
    effects: frozenset[Effect] = UNKNOWN
    repeatable: bool = False
    source: str = ""
    returns: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not is_name(self.name):
            raise UsageError(f"{self.name[:80]!r} cannot be the name of a function", hint="use letters, digits and _")
        if self.parameters.get("type") != "object" or not isinstance(self.parameters.get("properties", {}), dict):
            raise UsageError(f"the parameters of {self.name} are not the schema of an object")
        if len(self.description) > _LONGEST_TEXT:
            raise UsageError(f"the description of {self.name} is longer than {_LONGEST_TEXT} characters")
        if len(canonical_json(self.parameters)) > _LONGEST_SCHEMA:
            raise UsageError(f"the parameters of {self.name} take more than {_LONGEST_SCHEMA >> 10} KiB to describe")
        if len(canonical_json(self.returns)) > _LONGEST_SCHEMA:
            raise UsageError(f"what {self.name} gives takes more than {_LONGEST_SCHEMA >> 10} KiB to describe")
        if unknown := self.effects - set(EFFECTS):
            raise UsageError(f"{min(unknown)!r} is no effect of a function", hint=f"there are {', '.join(EFFECTS)}")

    @property
    def parameter_names(self) -> Sequence[str]:
        """Its parameters in order."""
        properties = self.parameters.get("properties")
        return list(properties) if isinstance(properties, dict) else []

    @cached_property
    def digest(self) -> str:
        """Changes with whatever a person saw when they allowed it: where a server changes that, it is another one."""
        seen = [self.source, self.name, self.description, self.parameters, sorted(self.effects), self.repeatable]
        seen += [self.returns] if self.returns else []
        return digest(canonical_json(seen))


def is_name(name: str) -> bool:
    """Whether code can import it: an ASCII identifier that means nothing else."""
    plain = name.isascii() and name.isidentifier() and not keyword.iskeyword(name) and len(name) <= _LONGEST_NAME
    return plain and not name.startswith("_") and name not in _RESERVED


class CallFailed(Exception):
    """A function could not do what it was called for.

    Args:
        why: One sentence, for whoever wrote the code.
        doubtful: Whether it may have been done nevertheless, as after a connection that broke.
    """

    def __init__(self, why: str, *, doubtful: bool = False) -> None:
        super().__init__(why)
        self.doubtful = doubtful


class FunctionSource(Protocol):
    """Offers functions and calls them. Nothing about what it gives is believed."""

    def functions(self) -> Sequence[Function]:
        """What it offers now."""
        ...

    def call(self, name: str, arguments: Mapping[str, Json], *, seconds: float) -> Json:
        """Calls one of them, for at most so many seconds; the value is JSON.

        Raises:
            CallFailed: It did not do it.
        """
        ...

    def close(self) -> None:
        """Ends what it started; closing twice is no error."""
        ...


def unique_names(sources: Sequence[FunctionSource]) -> tuple[dict[str, tuple[Function, FunctionSource]], Sequence[str]]:
    """By name what is offered once, with its source; and the names offered more than once, which code cannot use."""
    offers = [(made, source) for source in sources for made in source.functions()]
    names = Counter(made.name for made, _ in offers)
    once = {made.name: (made, source) for made, source in offers if names[made.name] == 1}
    return once, sorted(name for name, count in names.items() if count > 1)


_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
    "null": "None",
}
_LONGEST_TYPE, _LONGEST_RESULT, _LONGEST = 80, 200, 400
_DEEPEST = 3


def signature_of(function: Function) -> str:
    """Such as ``search(query: str, limit: int = 10) -> list[str]``; arguments that may be left out have
    ``= ...`` or their default.

    A hint for whoever writes the call: the schema is what decides. Nothing but a plain identifier of the schema gets
    into it, and names that are none are left out.
    """
    required = function.parameters.get("required")
    needed = set(map(str, required)) if isinstance(required, list) else set()
    properties = function.parameters.get("properties")
    shown = []
    for name, schema in (properties if isinstance(properties, dict) else {}).items():
        if name.isidentifier():
            default = "" if name in needed else f" = {_default(schema)}"
            shown.append(f"{name}: {_type_of(schema)}{default}")
    text = f"{function.name}({', '.join(shown)})"
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...)"
    return f"{text} -> {_result_of(function.returns, function.returns)}" if function.returns else text


def _result_of(schema: Json, whole: Mapping[str, Json], depth: int = 0) -> str:
    """A type as code reads it: of an object its keys with theirs, where these fit."""
    if isinstance(schema, Mapping) and depth <= _DEEPEST:
        defined, named = whole.get("$defs"), str(schema.get("$ref", "")).removeprefix("#/$defs/")
        if isinstance(defined, Mapping) and named in defined:
            return _result_of(defined[named], whole, depth + 1)
        keys, items, others = (schema.get(word) for word in ("properties", "items", "additionalProperties"))
        kind = schema.get("type")
        if kind == "object" and isinstance(keys, Mapping) and keys and all(map(str.isidentifier, keys)):
            parts = (f'"{key}": {_result_of(one, whole, depth + 1)}' for key, one in keys.items())
            text = f"{{{', '.join(parts)}}}"
            return text if len(text) <= _LONGEST_RESULT else "dict"
        if kind == "object" and isinstance(others, Mapping) and others:
            return f"dict[str, {_result_of(others, whole, depth + 1)}]"
        if kind == "array" and items is not None:
            return f"list[{_result_of(items, whole, depth + 1)}]"
    return _type_of(schema)


def _type_of(schema: Json, depth: int = 0) -> str:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return "object"
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        text = " | ".join(json.dumps(choice) for choice in choices)
        return text if len(text) <= _LONGEST_TYPE else "str"
    for word in ("anyOf", "oneOf"):
        several = schema.get(word)
        if isinstance(several, list) and several:
            text = " | ".join(dict.fromkeys(_type_of(one, depth + 1) for one in several))
            return text if len(text) <= _LONGEST_TYPE else "object"
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_TYPES.get(str(one), "object") for one in kind)
    name = _TYPES.get(str(kind), "object")
    return f"list[{_type_of(schema['items'], depth + 1)}]" if name == "list" and "items" in schema else name


def _default(schema: Json) -> str:
    if isinstance(schema, Mapping) and "default" in schema:
        text = json.dumps(schema["default"], ensure_ascii=True)
        if len(text) <= _LONGEST_TYPE:
            return {"null": "None", "true": "True", "false": "False"}.get(text, text)
    return "..."

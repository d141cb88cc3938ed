"""A person's own Python functions as functions for code actions."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from traceback import TracebackException
from typing import Any

from evolve.core.episodes import Json
from evolve.core.errors import UsageError
from evolve.runtime.functions.function import UNKNOWN, CallFailed, Effect, Function

_LONGEST_ERROR = 300


class PythonFunctions:
    """Functions of the running program; implements :class:`~evolve.runtime.functions.FunctionSource`.

    They run in this process and with its rights, outside the sandbox: whoever adds one vouches for it. A call cannot be
    ended from outside, so its seconds are up to the function.
    """

    def __init__(self) -> None:
        self._functions: dict[str, tuple[Function, Callable[..., Any]]] = {}

    def add(
        self, function: Callable[..., Any], *, effects: Collection[Effect] = UNKNOWN, repeatable: bool = False
    ) -> Function:
        """Offers a function under its own name; annotations say what it takes and gives, the docstring what it does.

        Args:
            effects: What a call may do; where nothing is said, that it changes something and that data leaves.
            repeatable: Whether a second call with the same arguments does no more than the first.

        Raises:
            UsageError: It has no plain name, there is one of that name, or its parameters cannot be given as JSON.
        """
        name = getattr(function, "__name__", "")
        if name in self._functions:
            raise UsageError(f"there is a function {name} already", hint="give this one another name")
        from pydantic import PydanticUserError, TypeAdapter

        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                raise UsageError(f"{name}: {parameter} cannot be given by name", hint="name each parameter")
        try:
            schema: dict[str, Json] = TypeAdapter[Any](function).json_schema()  # type: ignore[arg-type]
        except PydanticUserError as error:
            reason = str(error).partition("\n")[0]
            raise UsageError(f"{name}: its parameters cannot be given as JSON: {reason}") from error
        made = Function(
            name=name,
            description=inspect.getdoc(function) or "",
            parameters={"properties": {}, **schema, "type": "object"},
            effects=frozenset(effects),
            repeatable=repeatable,
            returns=_given_by(function),
        )
        self._functions[name] = made, _checked(function)
        return made

    def functions(self) -> Sequence[Function]:
        return [made for made, _ in self._functions.values()]

    def call(self, name: str, arguments: Mapping[str, Json], *, seconds: float) -> Json:
        process = os.getpid()
        try:
            return self._functions[name][1](**arguments)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever else the person's function raises is what the call came to
            raise CallFailed(f"{name}: {_told(error)}") from error
        finally:
            if os.getpid() != process:
                os._exit(1)  # a copy that the function forked: it would go on with the run as well

    def close(self) -> None:
        """Does nothing."""


def _checked(function: Callable[..., Any]) -> Callable[..., Json]:
    from pydantic import TypeAdapter, validate_call

    called, plain = validate_call(function), TypeAdapter[Any](Any)

    def call(**arguments: Json) -> Json:
        value: Json = plain.dump_python(called(**arguments), mode="json")
        return value

    return call


def _told(error: BaseException) -> str:
    # its words are the function's as well, and asking for them may raise the next error
    words = str(TracebackException(type(error), error, None, lookup_lines=False))
    message = " ".join(words.split())[:_LONGEST_ERROR]
    return f"{type(error).__name__}{f': {message}' if message else ''}"


def _given_by(function: Callable[..., Any]) -> Mapping[str, Json]:
    """What its annotation says of its value as JSON; empty where it says nothing, or nothing that JSON could hold."""
    from pydantic import PydanticUserError, TypeAdapter

    try:
        given = inspect.signature(function, eval_str=True).return_annotation
        if given is inspect.Signature.empty:
            return {}
        schema: dict[str, Json] = TypeAdapter[Any](given).json_schema(mode="serialization")
    except (PydanticUserError, NameError):
        return {}
    return schema

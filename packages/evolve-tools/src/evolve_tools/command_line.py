"""A command line with places for values: what becomes of each value is certain before anybody knows the value.

No shell reads it. An element of the line stays one argument of the program whatever stands in it, and a value can be no
option: one that begins with ``-`` is refused unless the line has said ``--`` before it, with only places between.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, cast

from evolve.core.episodes import Json
from evolve.core.errors import UsageError
from evolve.runtime.functions import CallFailed, is_name

_PLACE = re.compile(r"\{(\{\w+(?::\w+)?\})\}|\{([A-Za-z]\w*)(?::(\w+))?\}", re.ASCII)
_TYPES: Mapping[str, Json] = {"str": "string", "int": "integer", "float": "number"}
_LONGEST = 30_000
"""Characters of a value: Linux takes 128 KiB for one argument, and a character may take four bytes."""
_SHELLS = frozenset({"sh", "ash", "bash", "rbash", "dash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "busybox"})
_RUNS_TEXT = re.compile(r"-[A-Za-z]*c[A-Za-z]*|--command(=.*)?", re.ASCII | re.DOTALL)


class CommandLine:
    """A program and its arguments, in which ``{name}`` or ``{name:type}`` is the place of a value.

    Types are ``str``, which is meant where none is given, ``int`` and ``float``. A name in several places is one value.
    ``{{name}}`` stands for the text ``{name}``; other braces for themselves.

    Args:
        elements: The program first.

    Raises:
        UsageError: A place cannot be filled without a value that could be an option, or a command for a shell.
    """

    def __init__(self, elements: Sequence[str]) -> None:
        self._elements = tuple(elements)
        types: dict[str, str] = {}
        for number, element in enumerate(elements):
            for match in _PLACE.finditer(element):
                if match[2]:
                    self._check(number, match)
                    if types.setdefault(match[2], match[3] or "str") != (match[3] or "str"):
                        raise UsageError(f"{{{match[2]}}} has two types", hint=f"give {match[0]} one type everywhere")
        self._types = types
        self._check_shell()

    @property
    def names(self) -> Sequence[str]:
        """Its values, as they come first."""
        return list(self._types)

    @property
    def parameters(self) -> Mapping[str, Json]:
        """JSON Schema of its values, all of which are needed."""
        described: dict[str, Any] = {
            name: {"type": _TYPES[kind], **({"maxLength": _LONGEST} if kind == "str" else {})}
            for name, kind in self._types.items()
        }
        return {
            "type": "object",
            "properties": described,
            "required": list(described),
            "additionalProperties": False,
        }

    def filled(self, values: Mapping[str, Json]) -> tuple[str, ...]:
        """The program and its arguments with values that fit :attr:`parameters`.

        Raises:
            CallFailed: A value would be an option, or cannot be an argument of a program.
        """
        texts = {name: _text(kind, values[name]) for name, kind in self._types.items()}
        for name, text in texts.items():
            if "\0" in text:
                raise CallFailed(f"{name} holds a zero byte, which no argument of a program can")
        filled, free = [], False
        for element in self._elements:
            argument = _PLACE.sub(lambda match: match[1] or texts[match[2]], element)
            if argument.startswith("-") and not element.startswith("-") and not free:
                raise CallFailed(f"{argument[:80]!r} begins with -, so the program would take it for an option")
            filled.append(argument)
            # a word of the line itself may be another program, with options of its own
            free = element == "--" or (free and argument != element)
        return tuple(filled)

    def _check(self, number: int, match: re.Match[str]) -> None:
        name, kind = match[2], match[3] or "str"
        if number == 0:
            raise UsageError(f"{match[0]} stands in the place of the program", hint="name the program")
        if not is_name(name):
            raise UsageError(f"{name[:80]!r} cannot be the name of a value", hint="use letters, digits and _")
        if kind not in _TYPES:
            raise UsageError(f"{kind!r} is no type of a value", hint=f"one of {', '.join(_TYPES)}")
        before = match.string[: match.start()]
        number_of_letter = kind != "str" and before.strip("-")
        if before.startswith("-") and "=" not in before and not number_of_letter:
            raise UsageError(
                f"{match.string}: the value could be other options", hint="write --option=..., or it as two arguments"
            )

    def _check_shell(self) -> None:
        """A shell that is handed a text reads it as commands, and so whatever stands in the text."""
        words = [word for element in self._elements for word in element.split()]  # env -S splits them so
        first = (place for place, word in enumerate(words) if _is_shell(word))
        after = words[next(first, len(words)) + 1 :]
        if self._types and any(map(_RUNS_TEXT.fullmatch, after)):
            raise UsageError(
                "a shell that is given its commands by -c would run values as commands",
                hint="put the commands into a file, and give the values as its arguments",
            )


def _text(kind: str, value: Json) -> str:
    """A value as an argument; of a number its digits alone, as ``e`` behind ``-v`` would be an option."""
    if kind == "int":
        return str(int(cast("float", value)))  # 3.0 is whole too
    return format(Decimal(repr(value)), "f") if kind == "float" else str(value)


def _is_shell(word: str) -> bool:
    return bool({os.path.basename(word), os.path.basename(os.path.realpath(word))} & _SHELLS)

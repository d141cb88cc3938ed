"""Examples in the documents of a skill, made tests. Words that cannot be read as an example are passed over.

An example is a call with its value, an input beside an output (in a table, or on lines that say so), or two texts with
an arrow between them. One that nothing calls an example may be a rule about a part of a text: it counts where the
function has a value that is not its input.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from evolve.core.episodes import Json

TOLD = "test_told_"
"""How the names of these tests begin."""
_MOST, _LONGEST = 200, 100_000
"""Tests of one skill, and characters of a document that are read."""
_TEXT = r"`[^`\n]{1,200}`|\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|\u201c[^\u201d\n]{1,200}\u201d"
_ARROW = r"[-=~|\u2013\u2014]*>|[\u2190-\u21ff\u27f0-\u27ff\u2900-\u297f\u2794-\u27be]"
_GIVES = rf"(?:{_ARROW}|==|becomes|gives|returns|yields)"
_CALL = r"(?<!\w)({}\(.{{0,300}}?\))`?[ \t]*(?:" + _GIVES + r"|is|\n|#\s*(?:" + _GIVES + r")?)[ \t]*`?([^\n`#]+)"
_QUOTED = re.compile(
    rf"({_TEXT})[ \t]*{_GIVES}[ \t]*({_TEXT}|[\[{{][^\n`]{{0,200}}[\]}}](?=[\s.,;)]))(?![ \t]*{_GIVES})"
)
_SIDE = rf"({_TEXT}|[^\s,;]{{1,60}})"
_MARKED = re.compile(
    rf"(?<![\w@./])(?i:examples?|e\.g\.|for instance|such as)(?:[:,]\s+|\s){_SIDE}[ \t]+{_GIVES}[ \t]*{_SIDE}"
)
_BESIDE = re.compile(
    r"^\W{0,9}(?:input|given|before)\W{0,3}[:=]\W{0,3}?[ \t]{0,9}(\S.{0,200}?)[ \t]{0,9}(?:[,;|]|\n)\W{0,9}"
    r"(?:output|result|expected|returns?|gives|after)\W{0,3}[:=][ \t]{0,9}(\S.{0,200}?)[ \t,}]{0,9}$",
    re.IGNORECASE | re.MULTILINE,
)
_ROW = re.compile(r"^[ \t]*\|(.+)\|[ \t]*$", re.MULTILINE)
_INPUT = re.compile(r"input|in|before|given|from|raw|original|argument|example|text|value", re.IGNORECASE)
_OUTPUT = re.compile(r"(?:expected )?(?:output|result|value)|out|after|to|returns?|gives|expected", re.IGNORECASE)
_UNREADABLE = re.compile(
    r"|.*(?:\.\.\.|\u2026|error|rais|empty|\bnone\b|null|n/a|unchanged|invalid).*|(?:python|\$|\./|--|/).*|\w+\(.*\)",
    re.IGNORECASE | re.DOTALL,
)
"""Words about a value, a command line, or a call of another function."""
_HOLDS = """
import json
from skill import {entry} as _function


def _kind(value):
    return "number" if type(value) in (int, float) else type(value)


def _holds(readings, shown, sure):
    wrong = sure
    for given in readings:
        try:
            value = json.loads(json.dumps(_function(*given)))
        except Exception:
            continue
        if value in shown or " ".join(str(value).split()) == " ".join(str(shown[0]).split()):
            return True
        if sure or value not in (None, *given):
            wrong = _kind(value) in map(_kind, shown)
    return not wrong


"""


def documented_tests(entry: str, parameters: Sequence[str], texts: Mapping[str, str], description: str) -> str:
    """Source of tests of ``skill.py``, one for each example that its documents and docstrings show; "" for none.

    Args:
        parameters: Names of the arguments that a call needs.
        texts: By path.
    """
    read = [text for path, text in texts.items() if path.endswith((".md", ".py")) and "test" not in path]
    found = dict.fromkeys(one for text in read for one in _examples(entry, tuple(parameters), text, description))
    tests = "".join(f"def {TOLD}{n}():\n    assert _holds({one}\n\n\n" for n, one in enumerate(islice(found, _MOST)))
    return _HOLDS.format(entry=entry) + tests if tests else ""


def _examples(entry: str, parameters: tuple[str, ...], text: str, description: str) -> Iterator[str]:
    text = text[:_LONGEST].replace('\\"', '"')  # as a front matter may have it
    for call, value in re.findall(_CALL.format(re.escape(entry)), text):
        try:
            node, shown = ast.parse(call, mode="eval").body, _readings(value.rstrip(".,; "))
            named = {one.arg: one.value for one in node.keywords} if isinstance(node, ast.Call) else {}
            given = [*node.args, *(named.pop(name) for name in parameters[len(node.args) :])] if named else node.args
            if not named and len(shown) > 1:
                yield _test([[ast.literal_eval(one) for one in given]], shown[1:2], f"{call} gives {value}", True)
        except (SyntaxError, LookupError, ValueError, TypeError, AttributeError, RecursionError, MemoryError):
            continue
    yield from _of_tables(parameters, text)
    for pattern in (_BESIDE, _MARKED, _QUOTED) if len(parameters) == 1 else ():
        for given, value in pattern.findall(text):
            sure = pattern is _BESIDE or (pattern is _MARKED and not (given + value).isalpha())
            # "from `camelCase` to `snake_case`" names what goes in and comes out.
            if sure or not all(one.strip("`'\"") in description for one in (given, value)):
                yield from _pair([given], value.rstrip("." if value[0] not in "`'\"" else ""), sure)


def _of_tables(parameters: tuple[str, ...], text: str) -> Iterator[str]:
    head, is_shown, end = [""], None, -2
    for row in _ROW.finditer(text):
        cells = [cell.strip() for cell in row[1].split("|")]
        if row.start() > end + 1:
            head = [cell.strip("*`").casefold() for cell in cells]
            named = _INPUT.fullmatch(head[0]) or head[:-1] == [name.casefold() for name in parameters]
            is_shown = named and len(head) == len(parameters) + 1 and _OUTPUT.fullmatch(head[-1])
        elif is_shown and len(cells) == len(head) and any(set(cell) - {"-", ":"} for cell in cells):
            yield from _pair(cells[:-1], cells[-1], True)
        end = row.end()


def _pair(given: Sequence[str], value: str, sure: bool) -> Iterator[str]:
    every = [_readings(one) for one in (*given, value)]
    if not any(_UNREADABLE.fullmatch(str(one[0])) for one in every):
        readings = [[one[min(n, len(one) - 1)] for one in every[:-1]] for n in range(3)]
        yield _test(readings, every[-1], f"{', '.join(given)} gives {value}", sure)


def _test(readings: Sequence[Json], shown: Sequence[Json], told: str, sure: bool) -> str:
    return f"{readings!r}, {shown!r}, {sure!r}), {told[:120]!r}"


def _readings(text: str) -> list[Json]:
    """A text as it stands, what it means as a literal, and what that means where it is a text too."""
    plain = text.strip().strip("*").strip()
    plain = plain[1:-1] if len(plain) > 1 and plain[0] + plain[-1] in ("``", "\u201c\u201d") else plain
    found: list[Json] = [plain]
    for read in (ast.literal_eval, json.loads, ast.literal_eval):
        with suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            if isinstance(found[-1], str):
                found.append(json.loads(json.dumps(read(found[-1]))))
    return found

"""Breaks tests on purpose: an answer that still passes, or a check that notices nothing, proves nothing.

The idea is that of mutation testing (DeMillo, Lipton and Sayward 1978), turned round: what is changed is the tests.
"""

from __future__ import annotations

import ast
import copy
import re
import secrets
import string
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from evolve.core.text_files import text_of
from evolve.tasks.verification.checks import CheckResult
from evolve.tasks.work import files_to_run

Breaking = Literal["values", "ends"]
"""``values``: what is compared is compared with something else. ``ends``: every test fails at its end."""

SAME = frozenset(
    {"assertEqual", "assertEquals", "assertListEqual", "assertDictEqual", "assertTupleEqual", "assertSetEqual"}
)
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def new_secret() -> str:
    """Text for :func:`break_tests`."""
    return "".join(secrets.choice(string.ascii_lowercase) for _ in range(12))


def names_of_tests(text: str) -> list[str]:
    """The tests of a file in order: ``test_a``, or ``TestB::test_c`` in a class; none where it is not Python."""
    tree = parse_or_none(text)
    return [] if tree is None else [name for name, _ in tests_of(tree)]


def break_tests(
    text: str, how: Breaking, secret: str, *, script: bool = False, only: Collection[str] | None = None
) -> str:
    """The tests, changed so that every one must fail.

    With ``values`` a test without a comparison that can be changed, on a line that is sure to be reached, fails at its
    end, as with ``ends``.

    Args:
        secret: Text that nobody can guess and that looks like nothing in particular.
        only: The names of the tests that must fail; None for all.
        script: The file is run by itself, so what stands outside of functions is a test too.
    """
    tree = parse_or_none(text)
    if tree is None:
        return text
    for name, test in tests_of(tree):
        if only is not None and name not in only:
            continue
        if how == "ends" or not _changed(test.body, secret):
            if any(isinstance(node, ast.Return) for node in ast.walk(test)):
                test.body = [ast.Try(body=test.body, handlers=[], orelse=[], finalbody=[_failing(secret)])]
            else:
                test.body.append(_failing(secret))
    if script and (how == "ends" or not _changed(tree.body, secret)):
        at = first_statement(tree.body)
        # Also where the script ends itself by sys.exit.
        tree.body[at:] = [
            ast.Try(body=tree.body[at:] or [ast.Pass()], handlers=[], orelse=[], finalbody=[_failing(secret)])
        ]
    return ast.unparse(ast.fix_missing_locations(tree))


def parse_or_none(text: str) -> ast.Module | None:
    """The syntax tree; None where the text is not Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def tests_of(tree: ast.Module | ast.If | ast.Try) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for node in (*tree.body, *getattr(tree, "orelse", ())):
        if isinstance(node, _FUNCTION) and node.name.startswith("test"):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, _FUNCTION) and inner.name.startswith("test"):
                    yield f"{node.name}::{inner.name}", inner
        elif isinstance(node, ast.If | ast.Try):
            yield from tests_of(node)


def first_statement(body: list[ast.stmt]) -> int:
    """Where the first statement stands that need not be at the very beginning of a module."""
    for number, node in enumerate(body):
        is_docstring = number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not (is_docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__")):
            return number
    return len(body)


def _failing(secret: str) -> ast.stmt:
    """An assertion about two literals, which nothing can stand in for, and which looks like any other."""
    return ast.Assert(
        test=ast.Compare(left=ast.Constant(value=secret), ops=[ast.Eq()], comparators=[ast.Constant(value=secret[1:])])
    )


def _changed(body: list[ast.stmt], secret: str) -> bool:
    """Changes one side of what the statements compare; whether there was any."""
    changed = False
    for statement in body:
        # What follows may never be reached.
        if any(isinstance(node, ast.Return) for node in ast.walk(statement)):
            break
        sides: list[ast.expr] = []
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(statement, ast.Assert) and isinstance(statement.test, ast.Compare):
            compare = statement.test
            if len(compare.ops) == 1 and isinstance(compare.ops[0], ast.Eq):
                sides = [compare.left, compare.comparators[0]]
        elif isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in SAME:
            sides = list(call.args[:2])
        if len(sides) < 2:
            continue
        # The literal is what the test expects; the other side comes from the answer.
        at = next((number for number in (1, 0) if is_literal(sides[number])), 1)
        changed, other = True, _other(sides[at], secret)
        if isinstance(call, ast.Call):
            call.args[at] = other
        elif at:
            compare.comparators[0] = other
        else:
            compare.left = other
    return changed


def is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _other(node: ast.expr, secret: str) -> ast.expr:
    """A literal of the same kind with another value; a list that holds it, in place of what is no literal."""
    if not is_literal(node):
        return ast.List(elts=[node, ast.Constant(value=secret)])
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        longer = copy.deepcopy(node)
        longer.elts.append(ast.Constant(value=secret))
        return longer
    if isinstance(node, ast.Dict):
        return ast.Dict(keys=[*node.keys, ast.Constant(value=secret)], values=[*node.values, ast.Constant(value=0)])
    value, number = ast.literal_eval(node), 1000 + secrets.randbelow(9000)
    if isinstance(value, bool):
        return ast.Constant(value=not value)
    if isinstance(value, int | float | complex):
        # One that stands nowhere else, so that whoever reads it in the tests gives it back.
        return ast.Constant(value=value + number if value + number != value else 0)
    if isinstance(value, bytes):
        return ast.Constant(value=value + secret.encode())
    return ast.Constant(value=value + secret if isinstance(value, str) else secret)


_LISTS_COMMANDS = re.compile(
    r"(?:.*/)?(?:makefile|.*\.mk|justfile|package\.json|noxfile\.py|tasks\.py|.*\.(?:ba|z)?sh)\Z"
)
_NAMED_AS_CHECK = re.compile(r"test|check|verify|spec|lint")
_TELLS = 'open(__import__("os").environ["TESTS_ENDED_FILE"], "a").write("{secret}\\n")'


@dataclass(frozen=True, kw_only=True)
class OtherCommand:
    """A check whose text does not say what it runs.

    Attributes:
        original: The tree before anything was changed.
        files: The tree on which it passed.
    """

    command: str
    original: Mapping[str, bytes]
    files: Mapping[str, bytes]

    @property
    def touched_files(self) -> list[str]:
        """The files that the change wrote, made or removed."""
        names = self.original.keys() | self.files.keys()
        return sorted(name for name in names if self.original.get(name) != self.files.get(name))

    def own_judge(self) -> str:
        """A changed file that the check may run to decide, or that may say what it runs; "" where there is none."""
        lists = [name for name in self.original if _LISTS_COMMANDS.match(name.casefold())]
        lists += files_to_run(self.command) & set(self.original)
        run = {name for file in lists for name in files_to_run(text_of(self.original[file]))}
        judges = (
            name
            for name in self.touched_files
            if name in run or _LISTS_COMMANDS.match(name.casefold()) or _NAMED_AS_CHECK.search(name.casefold())
        )
        return next(judges, "")

    def broken_code(self) -> dict[str, bytes] | None:
        """The tree with every changed Python file broken at its end; None where the change wrote no Python."""
        # An unknown name is an error to whoever runs the file, to linters and to type checkers alike.
        broken = {
            name: self.files[name].rstrip() + b"\n\nthis_name_is_broken_on_purpose\n"
            for name in self.touched_files
            if name in self.files and name.endswith(".py") and self.files[name].strip()
        }
        return {**self.files, **broken} if broken else None

    def mark_tests(self, tree: Mapping[str, bytes], texts: Mapping[str, str], secret: str) -> dict[str, bytes]:
        """A tree whose tests tell that they were loaded; see :func:`loads_tests`."""
        marked = {
            name: _telling(text, secret).encode() for name, text in texts.items() if parse_or_none(text) is not None
        }
        return {**tree, **marked}


def loads_tests(checked: CheckResult, secret: str) -> bool:
    """Whether a run of a check on :meth:`OtherCommand.mark_tests` loaded one of the tests."""
    return secret in checked.ended


def _telling(text: str, secret: str) -> str:
    import ast

    tree = ast.parse(text)
    tree.body[(at := first_statement(tree.body)) : at] = ast.parse(_TELLS.format(secret=secret)).body
    return ast.unparse(tree)

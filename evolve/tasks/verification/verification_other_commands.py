"""Asks of a check that is no known test runner what it runs, and whether it notices broken code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from evolve.core.text_files import text_of
from evolve.tasks.verification.broken_tests import first_statement, parsed
from evolve.tasks.verification.checks import Checked
from evolve.tasks.work import files_run

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
    def touched(self) -> list[str]:
        """The files that the change wrote, made or removed."""
        names = self.original.keys() | self.files.keys()
        return sorted(name for name in names if self.original.get(name) != self.files.get(name))

    def own_judge(self) -> str:
        """A changed file that the check may run to decide, or that may say what it runs; "" where there is none."""
        lists = [name for name in self.original if _LISTS_COMMANDS.match(name.casefold())]
        lists += files_run(self.command) & set(self.original)
        run = {name for file in lists for name in files_run(text_of(self.original[file]))}
        judges = (
            name
            for name in self.touched
            if name in run or _LISTS_COMMANDS.match(name.casefold()) or _NAMED_AS_CHECK.search(name.casefold())
        )
        return next(judges, "")

    def broken_code(self) -> dict[str, bytes] | None:
        """The tree with every changed Python file broken at its end; None where the change wrote no Python."""
        # An unknown name is an error to whoever runs the file, to linters and to type checkers alike.
        broken = {
            name: self.files[name].rstrip() + b"\n\nthis_name_is_broken_on_purpose\n"
            for name in self.touched
            if name in self.files and name.endswith(".py") and self.files[name].strip()
        }
        return {**self.files, **broken} if broken else None

    def marked(self, tree: Mapping[str, bytes], texts: Mapping[str, str], secret: str) -> dict[str, bytes]:
        """A tree whose tests tell that they were loaded; see :func:`loads_tests`."""
        marked = {name: _telling(text, secret).encode() for name, text in texts.items() if parsed(text) is not None}
        return {**tree, **marked}


def loads_tests(checked: Checked, secret: str) -> bool:
    """Whether a run of a check on :meth:`OtherCommand.marked` loaded one of the tests."""
    return secret in checked.ended


def _telling(text: str, secret: str) -> str:
    import ast

    tree = ast.parse(text)
    tree.body[(at := first_statement(tree.body)) : at] = ast.parse(_TELLS.format(secret=secret)).body
    return ast.unparse(tree)

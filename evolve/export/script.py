"""Makes a skill's code a program: plain text or JSON in and out, nothing but the standard library."""

from __future__ import annotations

import ast
import string
from collections.abc import Sequence
from dataclasses import dataclass

from evolve.export.description import arguments
from evolve.skills import Skill, parameter_count
from evolve.skills.signatures import types_of

_COMMAND_LINE = '''

def $main(function):
    """Reads arguments as text or as JSON, calls the function, writes its result; gives the exit code."""
    import argparse
    import builtins
    import csv
    import json
    import sys

    # every name here is local or of a module, so that none of those above can get into its place
    parser = argparse.ArgumentParser(
        prog=$program,
        description=$description,
        epilog=$epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "arguments", nargs="*", help="as plain text, or one JSON list of all; - or nothing: that list on stdin"
    )
    parser.add_argument("--batch", action="store_true", help="stdin holds one JSON list per line; one result per line")
    parser.add_argument("--file", help="$file; one result per line")
    options = parser.parse_args()
    kinds = $kinds

    def plain(texts):
        values = []
        for text, kind in builtins.zip(texts, kinds):
            try:
                values.append(text if kind == "str" else json.loads(text))
            except builtins.ValueError:
                if kind in ("int", "float", "bool"):
                    return 2, f"{text!r} is no {kind}"
                values.append(text)
        code, value = call(values)
        return code, value if code or builtins.isinstance(value, builtins.str) else json.dumps(value)

    def call(values):
        try:
            value = function(*values)
            json.dumps(value, allow_nan=False)
            return 0, value
        except builtins.Exception as error:
            return 1, f"{builtins.type(error).__name__}: {error}"

    def is_list(text):
        try:
            return builtins.isinstance(json.loads(text), builtins.list)
        except builtins.ValueError:
            return False

    def result(text):
        try:
            values = json.loads(text)
        except builtins.ValueError as error:
            return 2, f"not JSON: {error}"
        if not builtins.isinstance(values, builtins.list) or builtins.len(values) != $count:
            return 2, "expected a JSON list of $count argument(s)"
        code, value = call(values)
        return code, value if code else json.dumps(value)

    worst = 0
    if options.batch:
        for line in sys.stdin:
            if line.strip():
                code, text = result(line)
                worst = builtins.max(worst, code)
                builtins.print('{"output": ' + text + "}" if code == 0 else json.dumps({"error": text}))
        return worst
    if options.file:
        with builtins.open(options.file, encoding="utf-8-sig", newline=None if $count == 1 else "") as stream:
            rows = [[line.rstrip("\\n")] for line in stream] if $count == 1 else builtins.list(csv.reader(stream))
        for number, row in builtins.enumerate(rows, 1):
            code, text = (2, "expected $count cells") if builtins.len(row) != $count else plain(row)
            worst = builtins.max(worst, code)
            builtins.print("" if code else text)
            if code:
                builtins.print(f"line {number}: {text}", file=sys.stderr)
        return worst
    given = options.arguments
    if given in ([], ["-"]):
        code, text = result(sys.stdin.read())
    elif builtins.len(given) == 1 and ($count != 1 or is_list(given[0])):
        code, text = result(given[0])
    elif builtins.len(given) == $count:
        code, text = plain(given)
    else:
        code, text = 2, "expected $count argument(s), as plain text or as one JSON list"
    builtins.print(text, file=sys.stderr if code else sys.stdout)
    return code


if __name__ == "__main__":
    __import__("sys").exit($main($entry))
'''


@dataclass(frozen=True, kw_only=True)
class Script:
    """A function that becomes a script.

    Attributes:
        name: Of the file.
        kinds: The types of the arguments.
        signature: What it takes and gives, with names.
        description: What ``--help`` says.
        example: Arguments as a JSON list.
    """

    name: str
    code: str
    entry: str
    kinds: Sequence[str]
    signature: str
    description: str
    example: str


def render_script(skill: Skill, description: str) -> str:
    """Source of the script. Importing it defines functions and runs nothing.

    Args:
        skill: A skill whose code passed the lint.
        description: What ``--help`` says.
    """
    kinds, _ = types_of(skill.signature)
    count = argument_count(skill)
    return script_of(
        Script(
            name=f"{skill.name}.py",
            code=skill.code,
            entry=skill.entry,
            kinds=kinds if len(kinds) == count else ["any"] * count,
            signature=skill.signature,
            description=description,
            example=arguments(skill.rows),
        )
    )


def script_of(script: Script) -> str:
    """Source of a script that calls a function with arguments from its command line."""
    main = "_command_line"
    # a name that stands nowhere in the code, so that neither can replace the other
    while main in script.code:
        main += "_"
    epilog = f"signature: {script.entry}{script.signature}\n"
    epilog += f"example: python {script.name} {shell_quoted(script.example)}\n"
    epilog += "exit codes: 0 done, 1 the function failed, 2 wrong input"
    count = len(script.kinds)
    text = string.Template(_COMMAND_LINE).substitute(
        main=main,
        entry=script.entry,
        count=count,
        kinds=repr([kind if kind in ("str", "int", "float", "bool") else "any" for kind in script.kinds]),
        file="a file of plain text, one argument per line" if count == 1 else f"a CSV file, {count} cells per line",
        program=repr(script.name),
        # argparse expands percent signs
        description=ascii(script.description.replace("%", "%%")),
        epilog=ascii(epilog.replace("%", "%%")),
    )
    return f"#!/usr/bin/env python3\n{script.code.rstrip()}\n{text}"


def is_script(content: bytes) -> bool:
    """Whether a file is what :func:`script_of` makes, so that it may be written anew."""
    return content.startswith(b"#!/usr/bin/env python3\n") and b'\n    __import__("sys").exit(_command_line' in content


def without_words(code: str) -> str:
    """The source without docstrings and comments, in which a model could speak to whoever reads it."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            statements = [statement for statement in node.body if not _is_text(statement)]
            # a function whose only statement was its docstring needs another one
            node.body[:] = statements if statements or isinstance(node, ast.Module) else [ast.Pass()]
    return ast.unparse(tree) + "\n"


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def argument_count(skill: Skill) -> int:
    """How many arguments the entry is called with: those of its contract, as when it was judged."""
    count = parameter_count(skill.signature)
    if count is not None:
        return count
    for node in ast.parse(skill.code).body:
        if isinstance(node, ast.FunctionDef) and node.name == skill.entry:
            return len(node.args.posonlyargs) + len(node.args.args) - len(node.args.defaults)
    raise ValueError(f"no function {skill.entry}")


def shell_quoted(text: str) -> str:
    """The text as one word of a POSIX shell."""
    return "'" + text.replace("'", "'\"'\"'") + "'"

"""Makes a skill's code a program: JSON in, JSON out, nothing but the standard library."""

from __future__ import annotations

import ast
import string

from evolve.export.description import arguments
from evolve.skills import Skill, parameter_count

_COMMAND_LINE = '''

def $main(function):
    """Reads arguments as JSON, calls the function, writes its result as JSON; gives the exit code."""
    import argparse
    import builtins
    import json
    import sys

    # every name here is local or of a module, so that none of those above can get into its place
    parser = argparse.ArgumentParser(
        prog=$program,
        description=$description,
        epilog=$epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("arguments", nargs="?", default="-", help="JSON list of the arguments; - or nothing: stdin")
    parser.add_argument("--batch", action="store_true", help="stdin holds one JSON list per line; one result per line")
    options = parser.parse_args()

    def result(text):
        try:
            values = json.loads(text)
        except builtins.ValueError as error:
            return 2, f"not JSON: {error}"
        if not builtins.isinstance(values, builtins.list) or builtins.len(values) != $count:
            return 2, "expected a JSON list of $count argument(s)"
        try:
            return 0, json.dumps(function(*values), allow_nan=False)
        except builtins.Exception as error:
            return 1, f"{builtins.type(error).__name__}: {error}"

    if options.batch:
        worst = 0
        for line in sys.stdin:
            if line.strip():
                code, text = result(line)
                worst = builtins.max(worst, code)
                builtins.print('{"output": ' + text + "}" if code == 0 else json.dumps({"error": text}))
        return worst
    code, text = result(sys.stdin.read() if options.arguments == "-" else options.arguments)
    builtins.print(text, file=sys.stderr if code else sys.stdout)
    return code


if __name__ == "__main__":
    __import__("sys").exit($main($entry))
'''


def render_script(skill: Skill, description: str) -> str:
    """Source of the script. Importing it defines functions and runs nothing.

    Args:
        skill: A skill whose code passed the lint.
        description: What ``--help`` says.
    """
    main = "command_line"
    # a name that stands nowhere in the skill, so that neither can replace the other
    while main in skill.code:
        main += "_"
    example = shell_quoted(arguments(skill.rows))
    epilog = f"signature: {skill.entry}{skill.signature}\nexample: python {skill.name}.py {example}\n"
    epilog += "exit codes: 0 done, 1 the function failed, 2 wrong input"
    text = string.Template(_COMMAND_LINE).substitute(
        main=main,
        entry=skill.entry,
        count=argument_count(skill),
        program=repr(f"{skill.name}.py"),
        # argparse expands percent signs
        description=ascii(description.replace("%", "%%")),
        epilog=ascii(epilog.replace("%", "%%")),
    )
    return f"#!/usr/bin/env python3\n{skill.code.rstrip()}\n{text}"


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

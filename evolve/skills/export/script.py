"""Makes a skill's code a program of its own, and checks that it answers as the skill does."""

from __future__ import annotations

import ast
import json
import string
from collections.abc import Sequence
from dataclasses import dataclass

from evolve.core.episodes import Row
from evolve.core.errors import SandboxUnavailable
from evolve.runtime.sandbox import Program, Sandbox, SandboxLimits
from evolve.skills import Skill, parameter_count
from evolve.skills.export.description import arguments
from evolve.skills.signatures import names_of, types_of
from evolve.tasks import equal

_COMMAND_LINE = '''

def $main(function):
    """Reads arguments as text or as JSON, calls the function, writes its result; gives the exit code."""
    import argparse
    import builtins
    import csv
    import io
    import json
    import pathlib
    import re
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
    kinds, names = $kinds, $names
    expected = f"expected $count argument{'' if $count == 1 else 's'}: {', '.join(names)}"

    def sign_of(texts):
        """The decimal sign of numbers as people write them, or nothing where it cannot be told."""
        signs = builtins.set()
        for text in texts:
            if re.fullmatch(r"-?\\d{1,3}[.,]\\d{3}", text):
                continue  # 1,234 may be either
            if re.fullmatch(r"-?(\\d+|\\d{1,3}(\\.\\d{3})+),\\d+", text):
                signs.add(",")
            elif re.fullmatch(r"-?(\\d+|\\d{1,3}(,\\d{3})+)\\.\\d+", text):
                signs.add(".")
        return signs.pop() if builtins.len(signs) == 1 else ""

    def number(text, kind, sign):
        text = text.strip()
        sign = sign or sign_of([text])
        group = "," if sign == "." else "."
        if sign and re.fullmatch(rf"-?(\\d+|\\d{{1,3}}([{group}]\\d{{3}})+)([{sign}]\\d+)?", text):
            text = text.replace(group, "").replace(sign, ".")
        value = json.loads(text)
        if not builtins.isinstance(value, (builtins.int, builtins.float)) or builtins.isinstance(value, builtins.bool):
            raise builtins.ValueError(text)
        if kind == "int" and value != builtins.int(value):
            raise builtins.ValueError(text)
        return builtins.int(value) if kind == "int" else value

    def plain(texts, signs=()):
        values = []
        for place, (text, kind) in builtins.enumerate(builtins.zip(texts, kinds)):
            try:
                if kind in ("int", "float"):
                    values.append(number(text, kind, signs[place] if signs else ""))
                else:
                    values.append(text if kind == "str" else json.loads(text))
            except (builtins.ValueError, builtins.OverflowError):
                if kind in ("int", "float", "bool"):
                    return 2, f"{text!r} is no {kind}"
                values.append(text)
        code, value = call(values)
        return code, value if code or builtins.isinstance(value, builtins.str) else json.dumps(value)

    def called(label, position):
        """What a column is called as an argument."""
        split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", label)
        name = re.sub(r"[^a-z0-9]+", "_", split.lower()).strip("_")
        return f"column_{name or position}" if not name or name[0].isdigit() else name

    def rows_of(text):
        """The arguments of each line: columns of a table that has them, else all cells, or whole lines."""
        declared = re.match(r"(?i)sep=(.)\\r?\\n", text)  # as some spreadsheets begin a table
        before = 1 if declared else 0
        text = text[declared.end():] if declared else text
        for sign in declared[1] if declared else ";,\\t|":
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
            heads = builtins.next(reader, [])
            places = [
                place
                for name in names
                for place, label in builtins.list(builtins.enumerate(heads))
                if name in (label, called(label, place + 1), called(label, place + 1) + "_")
            ]
            if builtins.len(places) == $count:
                last = builtins.max(places)
                lines = [(reader.line_num + before, row) for row in reader if row]
                return [(at, [row[one] for one in places] if builtins.len(row) > last else []) for at, row in lines]
        if $count == 1:
            lines = builtins.enumerate(io.StringIO(text, newline=None), 1 + before)
            return [(at, [line.rstrip("\\n")]) for at, line in lines]
        best, found = -1, []
        for sign in declared[1] if declared else ";\\t|,":  # a comma last: it may be a decimal sign
            rows = builtins.list(csv.reader(io.StringIO(text, newline=""), delimiter=sign))
            right = builtins.sum(fits(row) for row in rows)
            if right > best:
                best, found = right, rows
        return builtins.list(builtins.enumerate(found, 1 + before))

    def fits(row):
        try:
            [number(cell, kind, "") for cell, kind in builtins.zip(row, kinds) if kind in ("int", "float")]
        except (builtins.ValueError, builtins.OverflowError):
            return False
        return builtins.len(row) == $count

    def read(file):
        raw = pathlib.Path(file).read_bytes()
        if raw.startswith(b"PK\\x03\\x04"):
            raise builtins.OSError(0, "a workbook, and no text; save the sheet as CSV")
        if raw.startswith((b"\\xff\\xfe", b"\\xfe\\xff")):
            return raw.decode("utf-16", "replace")
        try:
            return raw.decode("utf-8-sig")
        except builtins.UnicodeDecodeError:
            return raw.decode("cp1252", "replace")

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
            return 2, f"{expected}, as one JSON list of $count"
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
        csv.field_size_limit(2**31 - 1)
        try:
            rows = rows_of(read(options.file))
        except builtins.OSError as error:
            builtins.print(f"{options.file}: {error.strerror}", file=sys.stderr)
            return 2
        signs = [sign_of([row[place].strip() for _, row in rows if builtins.len(row) == $count]) for place in $places]
        for number_of_line, row in rows:
            code, text = (2, "expected $count cells") if builtins.len(row) != $count else plain(row, signs)
            worst = builtins.max(worst, code)
            builtins.print("" if code else text)
            if code:
                builtins.print(f"line {number_of_line}: {text}", file=sys.stderr)
        return worst
    given = options.arguments
    if not given and sys.stdin.isatty():
        parser.print_help(sys.stderr)
        return 2
    if given in ([], ["-"]):
        code, text = result(sys.stdin.read())
    elif builtins.len(given) == 1 and (is_list(given[0]) or ($count != 1 and given[0].lstrip()[:1] in ("[", "{"))):
        code, text = result(given[0])
    elif builtins.len(given) == $count:
        code, text = plain(given)
    else:
        code, text = 2, f"{expected}, as plain text or as one JSON list of $count"
    builtins.print(text, file=sys.stderr if code else sys.stdout)
    return code


if __name__ == "__main__":
    __import__("sys").exit($main($entry))
'''


@dataclass(frozen=True, kw_only=True)
class SkillScript:
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


def render_script(skill: Skill, description: str, examples: Sequence[Row]) -> str:
    """Source of the script. Importing it defines functions and runs nothing.

    Args:
        skill: A skill whose code passed the lint.
        description: What ``--help`` says.
        examples: Calls; the arguments of the first short one stand there as well.
    """
    kinds, _ = types_of(skill.signature)
    count = argument_count(skill)
    return script_of(
        SkillScript(
            name=f"{skill.name}.py",
            code=skill.code,
            entry=skill.entry,
            kinds=kinds if len(kinds) == count else ["any"] * count,
            signature=skill.signature,
            description=description,
            example=arguments(examples),
        )
    )


def script_of(script: SkillScript) -> str:
    """Source of a script that calls a function with arguments from its command line."""
    main = "_command_line"
    # a name that stands nowhere in the code, so that neither can replace the other
    while main in script.code:
        main += "_"
    epilog = f"signature: {script.entry}{script.signature}\n"
    epilog += f"example: python {script.name} {shell_quoted(script.example)}\n"
    epilog += "exit codes: 0 done, 1 the function failed, 2 wrong input"
    count, names = len(script.kinds), names_of(script.signature)
    if len(names) != count:
        names = tuple(f"argument_{number}" for number in range(1, count + 1))
    text = string.Template(_COMMAND_LINE).substitute(
        main=main,
        entry=script.entry,
        count=count,
        kinds=repr([kind if kind in ("str", "int", "float", "bool") else "any" for kind in script.kinds]),
        file="a table with a column for each argument, or "
        + ("plain text, one argument per line" if count == 1 else f"a CSV file, {count} cells per line"),
        names=repr(list(names)),
        places=repr(list(range(count))),
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


_DRIVER = """
def run(name, script, lines):
    import io, pathlib, runpy, sys

    pathlib.Path(name).write_text(script, encoding="utf-8")
    kept, out, code = (sys.argv, sys.stdin, sys.stdout), io.StringIO(), None
    sys.argv, sys.stdin, sys.stdout = [name, "--batch"], io.StringIO(lines), out
    try:
        runpy.run_path(name, run_name="__main__")
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv, sys.stdin, sys.stdout = kept
    return [code, out.getvalue()]
"""
_LIMITS = SandboxLimits(wall_s=60.0, program_s=50.0)
"""As long as a busy machine may need for what took seconds when it was judged."""


def script_difference(sandbox: Sandbox, skill: Skill, script: str) -> str:
    """How a script's answers differ from the rows that its skill was judged by; "" when they do not.

    Args:
        sandbox: Where it runs.
        skill: Its rows are what counts.
        script: The whole file.

    Raises:
        SandboxUnavailable: The sandbox failed, which says nothing about the script.
    """
    if not skill.rows:
        return ""
    lines = "".join(json.dumps(list(row.input)) + "\n" for row in skill.rows)
    call = [f"{skill.name}.py", script, lines]
    # all rows in one run of the file: that is how a client with --batch calls it
    result = sandbox.run_programs([Program(source=_DRIVER, entry="run")], [call], _LIMITS)
    if result.fault or result.killed or result.timed_out:
        raise SandboxUnavailable(
            f"the script of {skill.name} could not be tried: {result.fault or 'it had to be ended'}",
            hint="run the same command again; `evolve status` shows the machine",
        )
    outcome = result.programs[0].outputs[0] if result.programs[0].outputs else None
    if outcome is None or not outcome.ok:
        return "as a script it does not run"
    answers = _answers(outcome.value)
    if len(answers) != len(skill.rows):
        return f"as a script it gives {len(answers)} answers to {len(skill.rows)} rows"
    for number, (answer, row) in enumerate(zip(answers, skill.rows, strict=True), 1):
        if "output" not in answer or not equal(answer["output"], row.output):
            return f"as a script it does not give the answer of row {number}, which it gave when it was checked"
    return "" if outcome.value[0] == 0 else f"as a script it ends with {outcome.value[0]}"


def _answers(output: object) -> list[dict[str, object]]:
    """Parses the lines that a batch printed; one that is no JSON object counts as an answer that is not there."""
    text = output[1] if isinstance(output, list) and len(output) == 2 and isinstance(output[1], str) else ""
    answers = []
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        answers.append(value if isinstance(value, dict) else {})
    return answers

"""smolagents' CodeAgent on tasks that come in as JSON; run by an interpreter that has smolagents.

Reads JSON objects with ``base_url``, ``model``, ``steps``, ``text`` and ``folder``, one in each line of standard input,
and writes a line for each: what was handed in. Answers run where that project runs them by default: in this process.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from typing import Any

IMPORTS = [
    "os",
    "pathlib",
    "subprocess",
    "json",
    "csv",
    "io",
    "datetime",
    "decimal",
    "unicodedata",
    "itertools",
    "copy",
]


def main() -> None:
    """Every task by an agent of its own, as nothing is kept from one to the next."""
    out, sys.stdout = sys.stdout, sys.stderr  # it prints what it does
    for line in sys.stdin:
        print(json.dumps(_worked_on(json.loads(line))), file=out, flush=True)


def _worked_on(asked: dict[str, Any]) -> dict[str, str]:
    import smolagents
    from smolagents import CodeAgent, OpenAIServerModel

    os.chdir(asked["folder"])
    model = OpenAIServerModel(
        model_id=asked["model"], api_base=asked["base_url"], api_key="none", flatten_messages_as_text=True
    )
    agent = CodeAgent(
        tools=[], model=model, max_steps=asked["steps"], verbosity_level=0, additional_authorized_imports=IMPORTS
    )
    answer, error = None, ""
    try:
        answer = agent.run(asked["text"])
    except Exception as problem:
        error = f"{type(problem).__name__}: {problem}"[:300]
    codes = [step.code_action or "" for step in agent.memory.steps if type(step).__name__ == "ActionStep"]
    return {
        "function": answer if isinstance(answer, str) else _defined(codes),
        "answer": str(answer),
        "error": error,
        "version": smolagents.__version__,
    }


def _defined(codes: list[str]) -> str:
    """Imports, functions and constants of the last action that defined a function, as a module."""
    for code in reversed(codes):
        try:
            tree = ast.parse(code)
        except SyntaxError:
            continue
        kept: list[Any] = [
            node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef)
        ]
        if any(isinstance(node, ast.FunctionDef) for node in kept):
            return "\n\n".join(ast.unparse(node) for node in kept)
    return ""


if __name__ == "__main__":
    main()

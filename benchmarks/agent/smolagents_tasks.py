"""smolagents' CodeAgent on tasks that come in as JSON; run by an interpreter that has smolagents.

Reads one JSON object with ``base_url``, ``model``, ``steps`` and ``task`` from standard input and writes one line: what
was handed in. Works in the current folder. Answers run where that project runs them by default: in this process.
"""

from __future__ import annotations

import ast
import json
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
    """One task by an agent of its own."""
    import smolagents
    from smolagents import CodeAgent, OpenAIServerModel

    asked = json.load(sys.stdin)
    out, sys.stdout = sys.stdout, sys.stderr  # it prints what it does
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
    said = {
        "function": answer if isinstance(answer, str) else _defined(codes),
        "answer": str(answer),
        "error": error,
        "version": smolagents.__version__,
    }
    print(json.dumps(said), file=out, flush=True)


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

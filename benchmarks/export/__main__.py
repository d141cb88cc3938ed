"""Does what evolve learned work in other agents? ``python -m benchmarks.export --json [--cache FOLDER]``.

Twenty skills are learned by filling tables and ten of other shapes are added, with 25 planted secrets in the
environment, in ``.env`` and in rows. All leave as one bundle, which eight consumers load in environments of their own
and call with the examples of its own docstrings, and with bad input. Paraphrases are looked for in the text that left.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import evolve
from benchmarks.everyday_use.tables import TABLES
from benchmarks.export import finding
from benchmarks.export.learned import add_others, learn
from benchmarks.record import Outcome, Target, common_options, progress, publish
from evolve.core import extensions, frontmatter
from evolve.runtime.retrieval import Embedder, HashingEmbedder, bundled_model
from evolve.skills import export
from evolve.tasks import Task
from tests.redaction.canaries import CANARIES, dotenv, environment

CONSUMERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "skills-ref": ("skills_ref.py", ("skills-ref",)),
    "langchain": ("langchain.py", ("langchain", "langgraph")),
    "deepagents": ("deepagents.py", ("deepagents",)),
    "openai-agents": ("openai_agents.py", ("openai-agents",)),
    "pydantic-ai": ("pydantic_ai.py", ("pydantic-ai-slim",)),
    "smolagents": ("smolagents.py", ("smolagents",)),
    "mcp1": ("mcp_client.py", ("mcp<2",)),
    "mcp2": ("mcp_client.py", ("mcp>=2",)),
}
"""Program and requirements of each consumer."""
_PLANTED = CANARIES[:25]


def environment_of(name: str, cache: Path) -> Path:
    """The Python of a consumer, with the newest versions; made where it is not there yet."""
    python = cache / name / "bin" / "python"
    if not python.exists():
        progress(f"{name}: installing {', '.join(CONSUMERS[name][1])}")
        subprocess.run([sys.executable, "-m", "venv", str(cache / name)], check=True)
        command = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *CONSUMERS[name][1]]
        subprocess.run(command, check=True)
    return python


def exported(folder: Path, count: int) -> tuple[Path, dict[str, str], list[Task]]:
    """The bundle of all skills, the table of each that was learned, by its name there, and tasks that none does."""
    (folder / ".env").write_text(dotenv())
    with mock.patch.dict(os.environ, environment()), evolve.open(folder / "ws", model="") as workspace:
        progress(f"filling tables until {count} skills are learned")
        tables = learn(workspace, folder / "tables", count)
        names = [*tables, *add_others(workspace, iter([one.text for one in _PLANTED]))]
        done = workspace.skills.export(names, to=folder / "my_skills")
        others = finding.other_tasks([workspace.skills.show(name) for name in names], workspace.open_sandbox())
    return folder / "my_skills", {done.names[name]: table for name, table in tables.items()}, others


def calls_of(bundle: Path) -> list[dict[str, Any]]:
    """The examples of every tool with their values, as its tests have them, then the same tool with bad input."""
    reading = (
        "import ast, json, pathlib\nfound = {}\n"
        "for path in sorted(pathlib.Path('my_skills/tests').glob('test_*.py')):\n"
        "    for node in ast.walk(ast.parse(path.read_text())):\n"
        "        if isinstance(node, ast.Call) and getattr(node.func, 'id', '') == path.stem[5:]:\n"
        "            found.setdefault(path.stem[5:], []).append([ast.literal_eval(each) for each in node.args])\n"
        "print(json.dumps(found))"
    )
    told = json.loads(_python(sys.executable, bundle.parent, reading))
    tools = {tool["name"]: tool for tool in json.loads((bundle / "tools.json").read_text())}
    calls: list[dict[str, Any]] = []
    for name, tool in tools.items():
        parameters = list(tool["inputSchema"]["properties"])
        for values in told.get(name, ()):
            calls.append({"tool": name, "arguments": dict(zip(parameters, values, strict=True)), "bad": False})
        kinds = [tool["inputSchema"]["properties"][each].get("type") for each in parameters]
        wrong: list[Any] = [{"unheard": "of"} if kind != "object" else [] for kind in kinds]
        calls.append({"tool": name, "arguments": dict(zip(parameters, wrong, strict=True)), "bad": True})
    source = (
        "import json, sys; sys.path.insert(0, 'my_skills'); from my_skills._calls import call\n"
        "print(json.dumps([call(one['tool'], one['arguments']) for one in json.load(open('calls.json'))]))"
    )
    (bundle.parent / "calls.json").write_text(json.dumps(calls))
    values = json.loads(_python(sys.executable, bundle.parent, source))
    told = [{**one, "value": value} for one, value in zip(calls, values, strict=True)]
    # What takes any value has no bad input.
    kept = [one for one in told if not one["bad"] or str(one["value"]).startswith("Error:")]
    (bundle.parent / "calls.json").write_text(json.dumps(kept))
    return kept


def _python(python: str, folder: Path, source: str) -> str:
    return subprocess.run([python, "-c", source], cwd=folder, check=True, capture_output=True, text=True).stdout


def consumed(name: str, python: Path, bundle: Path, calls: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What a consumer made of the calls."""
    program = Path(__file__).with_name("consumers") / CONSUMERS[name][0]
    command = [str(python), str(program), str(bundle), str(bundle.parent / "calls.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=bundle.parent)
    ended = done.returncode == 0
    told = json.loads(done.stdout.splitlines()[-1]) if ended else {"values": [None] * len(calls), "described": 0}
    pairs = list(zip(calls, told["values"], strict=True))
    good = [_same(call["value"], value) for call, value in pairs if not call["bad"]]
    return {
        "consumer": name,
        "ended": ended,
        "error": "" if ended else done.stderr[-400:],
        "calls": len(good),
        "equal": sum(good),
        "different": [
            [c["tool"], c["arguments"], c["value"], v] for c, v in pairs if not c["bad"] and not _same(c["value"], v)
        ][:5],
        "bad": len(pairs) - len(good),
        # A script that a shell runs has no types, so it may as well give a value.
        "bad_told": sum(
            ended and (name == "skills-ref" or (isinstance(value, str) and bool(value)))
            for call, value in pairs
            if call["bad"]
        ),
        "untold": [[c["tool"], v] for c, v in pairs if c["bad"] and not (isinstance(v, str) and v)][:5],
        "described": told["described"],
    }


def _same(one: Any, other: Any) -> bool:
    if type(one) is str and type(other) is not str:  # a host may show the text "3" as it shows the number
        return one == json.dumps(other) or one == str(other)
    return bool(one == other) and isinstance(one, bool) is isinstance(other, bool)


def leaked(bundle: Path, tables: Mapping[str, str]) -> tuple[list[tuple[str, ...]], int]:
    """The filled rows of the tables, and how many of the planted secrets, that stand in the tree.

    A row stands there where each of its cells does, as a whole word; cells that the code or our own texts hold do not
    count. Rows that evolve only filled are not in its record, so a made-up one could equal one by chance alone.
    """
    files = [path for path in sorted(bundle.rglob("*")) if path.suffix != ".pyc" and path.is_file()]
    text, code = (
        "".join(path.read_text() for path in files if part in path.parts) for part in (bundle.name, "learned")
    )
    ours = "".join(path.read_text() for path in Path(export.__file__).parent.glob("*.py"))
    rows = []
    for table in (one for one in TABLES if one.name in tables.values()):
        for row, truth in ((table.drawn[place], table.truth[place]) for place in table.filled):
            cells = [cell for cell in (*row, truth) if not (_stands(cell, code) or _stands(cell.lower(), ours))]
            if cells and all(_stands(cell, text) for cell in cells):
                rows.append((*row, truth))
    return rows, sum(one.trace in text for one in _PLANTED)


def _stands(cell: str, text: str) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text) for form in (cell, json.dumps(cell)[1:-1]))


def _trained() -> Iterator[Embedder]:
    """The trained encoder, where it is installed."""
    if bundled_model() is None or "minilm" not in extensions.extension_names("encoders"):
        progress("minilm is not installed and not measured")
    else:
        yield importlib.import_module("evolve_minilm").MiniLMEmbedder()


def _found_targets(encoder: str, found: Sequence[finding.Found]) -> list[Target]:
    shares = [
        Target(
            name=f"found among {one.skills:,} with {encoder}, in the first three",
            op=">=",
            target=least,
            value=one.right / one.asked,
            n=one.asked,
        )
        for one, least in zip(found, (0.85, 0.8), strict=True)
    ]
    told, spent = f"CPU of one question among {found[-1].skills:,} with {encoder}, median, ms", found[-1].milliseconds
    return [*shares, Target(name=told, op="<=", target=15, value=spent, n=found[-1].asked)]


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.export", description=__doc__)
    common_options(parser, seeds=1)
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir()) / "evolve-consumers", help="their environments"
    )
    parser.add_argument("--only", nargs="*", default=list(CONSUMERS), choices=list(CONSUMERS), help="these consumers")
    options = parser.parse_args()
    count = 4 if options.quick else 20
    with tempfile.TemporaryDirectory(prefix="export-") as name:
        bundle, tables, others = exported(Path(name), count)
        calls = calls_of(bundle)
        rows = []
        for consumer in options.only:
            rows.append(consumed(consumer, environment_of(consumer, options.cache), bundle, calls))
            progress(f"{consumer}: {rows[-1]['equal']} of {rows[-1]['calls']} equal, {rows[-1]['error'][-200:]}")
        leaks, secrets = leaked(bundle, tables)
        fields = [
            frontmatter.parse((place / "SKILL.md").read_text())[0] for place in sorted((bundle / "skills").iterdir())
        ]
        texts = {str(one["name"]): f"{str(one['name']).replace('-', ' ')}: {one['description']}" for one in fields}
        sizes, asked = (17, 2000), finding.questions(tables)
        found = {
            encoder.name.partition("-")[0]: finding.found(texts, asked, sizes, others, encoder)
            for encoder in (HashingEmbedder(), *_trained())
        }
    good, equal = sum(row["calls"] for row in rows), sum(row["equal"] for row in rows)
    bad, bad_told = sum(row["bad"] for row in rows), sum(row["bad_told"] for row in rows)
    skills = len(fields)
    targets = [
        Target(name="skills", op=">=", target=30, value=skills, n=skills),
        Target(name="consumers", op="==", target=8, value=sum(row["ended"] for row in rows), n=len(rows)),
        Target(name="equal values", op="==", target=1.0, value=equal / max(1, good), n=good),
        Target(name="bad input told and no run ended", op="==", target=1.0, value=bad_told / max(1, bad), n=bad),
        Target(
            name="tools with every argument described",
            op="==",
            target=1.0,
            value=min(r["described"] for r in rows) / skills,
            n=skills,
        ),
        Target(
            name="rows of a person in the tree",
            op="==",
            target=0,
            value=len(leaks),
            n=sum(len(t.filled) for t in TABLES if t.name in tables.values()),
        ),
        Target(name="planted secrets in the tree", op="==", target=0, value=secrets, n=len(_PLANTED)),
        *(target for encoder, counts in found.items() for target in _found_targets(encoder, counts)),
    ]
    outcome = Outcome(
        benchmark="export",
        seeds=1,
        quick=options.quick,
        rows=rows,
        targets=targets,
        settings={"skills": sorted(texts), "rows_in_the_tree": leaks},
    )
    lines = [
        f"{one.name}: {one.value:.3g} {one.op} {one.target} {'met' if one.met else 'MISSED'}"
        for one in targets
        if one.value is not None
    ]
    publish(outcome, options, "\n".join(lines))


if __name__ == "__main__":
    main()

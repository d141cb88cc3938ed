"""A corpus of wrong input to the command line. Every one must be refused in one clear sentence.

Each line is what is typed, the exit code, and a part of what must be said. The files they name are made by
:func:`make_files`. ``HARD`` holds those that could hang or take all memory: they run in processes of their own.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import evolve
from evolve.core.errors import WorkspaceError

LONG = "n" * 300
GOOD = ("run", "--examples", "good.csv")
DEEP = "[" * 5_000 + "]" * 5_000
DIGITS = "9" * 400


def make_files(folder: Path) -> None:
    """Everything the corpus names, in this folder."""
    texts = {
        "good.csv": "a,b\n1,2\n2,3\n3,4\n",
        "deep.toml": f"stages = {DEEP}\n",
        "deep.json": '[{"input": [' + DEEP + '], "output": 1}]',
        "deep.jsonl": '{"input": [' + DEEP + '], "output": 1}\n',
        "deep.py": f"assert f({DEEP}) == 1\n",
        "unary.py": "assert f(" + "-" * 50_000 + "1) == 1\n",
        "sum.csv": "a,b\n1,2\n2,3\n3,4\n",
        "header.csv": "a,b\n",
        "one-column.csv": "a\n1\n2\n",
        "bom.csv": "\ufeff",
        "blank.csv": "\n \n\n",
        "nul.csv": "a,b\n1,\0\n",
        "quote.csv": 'a,b\n1,"x\n',
        "huge-header.csv": "h" * 1_000_000 + ",b\n1,2\n",
        "huge-cell.csv": "a,b\n" + "x" * 1_000_000 + ",2\n",
        "inf.json": '[{"input": [1e999], "output": 1}]',
        "types.jsonl": '{"id": 5, "examples": []}\n',
        "object.jsonl": '{"id": "a", "examples": {}}\n',
        "keys.jsonl": '{"id": "a", "exmples": []}\n',
        "twice.jsonl": '{"id": "a", "id": "b", "examples": []}\n',
        "same.jsonl": "".join(
            json.dumps({"id": "a", "examples": [{"input": [n], "output": n}]}) + "\n" for n in range(2)
        ),
        "no-list.json": '[{"input": 1, "output": 1}]',
        "null.json": "null",
        "number.jsonl": "5\n",
        "empty.json": "[]",
        "rubric-task.json": '{"id": "a", "tests": "def test_a(): pass", "examples": 5}',
        "signature.json": json.dumps(
            {
                "id": "a",
                "signature": f"(a: {'list[' * 5_000}int{']' * 5_000}) -> int",
                "examples": [{"input": [1], "output": 2}],
            }
        ),
        "deep.txt": f"{DEEP} -> 1\n{DEEP} -> 2\n\n",
        "long-id.json": json.dumps({"id": LONG, "examples": [{"input": [1], "output": 2}]}),
        "settings/evolve.toml": f"seed = {DEEP}\n",
        "project/pyproject.toml": f"[tool.evolve]\nseed = {DEEP}\n",
        "flow/evolve.toml": "",
        "flow/prompts/workflow.toml": f"stages = {DEEP}\n",
        "prices/evolve.toml": 'model = "m"\n',
        "prices/prices.toml": f"x = {DEEP}\n",
        "binary-settings/evolve.toml": "seed = 1\0\n",
        "inner/evolve.toml": "",
        "inner/memory_store/objects/file": "x",
        "store-file/evolve.toml": "",
        "store-file/memory_store": "x",
        "skills-file/evolve.toml": "",
        "skills-file/skills": "x",
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "utf16.csv").write_bytes("a,b\n1,2\n".encode("utf-16")[:-1])
    (folder / "binary.csv").write_bytes(bytes(range(256)) * 50)
    (folder / "latin.py").write_bytes("assert f('ä') == 1\n".encode("latin-1"))
    (folder / "folder.csv").mkdir()
    (folder / "empty").mkdir()
    (folder / "evolve.toml-folder" / "evolve.toml").mkdir(parents=True)
    (folder / "loop.csv").symlink_to("loop.csv")
    (folder / "gone.csv").symlink_to("nowhere")
    (folder / "zero.csv").symlink_to("/dev/zero")
    os.mkfifo(folder / "fifo.csv")
    os.mkfifo(folder / "fifo.py")
    os.mkfifo(folder / "fifo.toml")
    for name in ("settings", "project", "flow", "prices", "binary-settings", "inner", "skills-file"):
        with suppress(WorkspaceError):  # whatever is wrong with them is told by the commands
            evolve.init(folder / name, trust=True)


NAMES = [
    ((*GOOD, "--name", LONG), 2, "name"),
    ((*GOOD, "--name", "class"), 2, "'class'"),
    ((*GOOD, "--name", "None"), 2, "'None'"),
    ((*GOOD, "--name", "sum"), 2, "'sum'"),
    ((*GOOD, "--name", "__init__"), 2, "'__init__'"),
    ((*GOOD, "--name", "a\nb"), 2, "name"),
    ((*GOOD, "--name", "a\u202eb"), 2, "name"),
    ((*GOOD, "--name", "a\0b"), 2, "name"),
    ((*GOOD, "--name=-x"), 2, "'-x'"),
    ((*GOOD, "--name", ".."), 2, "'..'"),
    ((*GOOD, "--name", ""), 2, "name"),
    ((*GOOD, "--name", " x"), 2, "name"),
    ((*GOOD, "--name", "\udcff"), 2, "name"),
    (("run", "--examples", f"{LONG}.csv"), 2, "too long"),
    (("run", "--examples", ""), 2, "the name of the file is empty"),
    (("run", f"{LONG}.csv"), 2, "no such file"),
    (("run", "n" * 5_000), 2, "neither"),
    (("run", "--examples", "a\0b.csv"), 2, "file"),
    (("run", "make it", "--dir", LONG, "--check", "true"), 2, "too long"),
    (("run", "make it", "--dir", "a\0b", "--check", "true"), 2, "not a file name"),
    (("improve", LONG), 2, "no suite"),
    (("improve", f"{LONG}.jsonl"), 2, "no such file"),
    (("lab", "tasks", "show", LONG), 2, ""),
    (("lab", "tasks", "show", "everyday#" + LONG), 2, ""),
    (("lab", "workflow", "validate", LONG), 2, "too long"),
    (("lab", "sandbox", "exec", f"{LONG}.py"), 2, "too long"),
    (("lab", "sandbox", "exec", "a\0b.py"), 2, "file"),
    (("memory", "list", "-w", LONG), 3, "too long"),
    (("memory", "list", "-w", "a\0b"), 3, ""),
    (("memory", "list", "-w", "~nobody-of-that-name/x"), 3, "~nobody-of-that-name"),
    (("init", LONG), 3, "too long"),
    (("init", "a\0b"), 3, ""),
    (("status", "-w", "a\0b"), 3, ""),
    (("skills", "show", LONG), 2, "no skill"),
    (("skills", "show", "a\0b"), 2, "no skill"),
    (("runs", "show", "../../x"), 2, "no run"),
    (("runs", "diff", "../../x"), 2, ""),
    (("apply", "../x"), 2, ""),
    (("why", "\0"), 2, ""),
    (("undo", "../x"), 2, ""),
    (("lab", "variants", "show", "../x"), 2, "no variant"),
    (("memory", "note", ""), 2, ""),
]

NUMBERS = [
    *(
        ((*GOOD, "--budget", text), 2, "budget")
        for text in (
            "-5s",
            "1e400s",
            "0s",
            "0",
            "",
            "5 parsecs",
            "nan-candidates",
            "infs",
            "$0",
            "1e3-tokens",
            f"{DIGITS}s",
            f"{DIGITS}-candidates",
            f"{DIGITS}g-tokens",
            f"${DIGITS}",
            "٣s",
        )
    ),
    (("improve", "everyday", "--set", "seed=-1"), 2, "seed"),
    (("improve", "everyday", "--set", f"seed={DIGITS}"), 2, "seed"),
    (("improve", "everyday", "--rounds", "-1"), 2, "rounds"),
    (("lab", "tasks", "generate", "lists", "--n", "0"), 2, "--n"),
    (("lab", "tasks", "generate", "lists", "--n", DIGITS), 2, ""),
    (("lab", "tasks", "generate", "lists", "--n", "nan"), 2, "--n"),
    (("lab", "gate", "show", DIGITS), 2, ""),
    (("lab", "gate", "show", "-1"), 2, ""),
    (("memory", "recall", "x", "--k", "0"), 2, "--k"),
    (("lab", "sandbox", "exec", "deep.py", "--wall", "nan"), 2, "wall"),
    (("lab", "sandbox", "exec", "deep.py", "--wall", "inf"), 2, "wall"),
    (("lab", "sandbox", "exec", "deep.py", "--wall", "-1"), 2, "wall"),
    (("lab", "sandbox", "exec", "deep.py", "--memory", DIGITS), 2, "memory"),
    (("lab", "optimize", "everyday", "--proposals", "1"), 2, "--proposals"),
]

FILES = [
    *(
        (("run", "--examples", name), 2, says)
        for name, says in {
            "deep.json": "nested too deeply",
            "deep.jsonl": "nested too deeply",
            "deep.py": "nested",
            "unary.py": "nested too deeply",
            "folder.csv": "is a folder",
            "loop.csv": "symbolic link",
            "gone.csv": "no such file",
            "zero.csv": "not a regular file",
            "header.csv": "",
            "one-column.csv": "",
            "bom.csv": "empty",
            "blank.csv": "empty",
            "utf16.csv": "the text is not utf-16-le",
            "binary.csv": "UTF-8",
            "nul.csv": "NUL",
            "quote.csv": "",
            "huge-header.csv": "",
            "huge-cell.csv": "longer than",
            "inf.json": "infinite",
            "types.jsonl": "'id'",
            "object.jsonl": "'examples'",
            "keys.jsonl": "'exmples'",
            "twice.jsonl": "twice",
            "no-list.json": "input",
            "null.json": "",
            "number.jsonl": "",
            "empty.json": "empty",
            "rubric-task.json": "'examples'",
            "long-id.json": "'id'",
            "signature.json": "signature",
            "good": "no such file",
        }.items()
    ),
    (("improve", "same.jsonl"), 2, "taken already"),
    (("improve", "empty"), 2, "no task file"),
    (("lab", "workflow", "validate", "deep.toml"), 3, "nested too deeply"),
    (("lab", "workflow", "show", "deep.toml"), 3, "nested too deeply"),
    (("lab", "workflow", "validate", "folder.csv"), 2, "directory"),
    (("lab", "workflow", "draw", "--out", "folder.csv"), 3, "folder.csv"),
    (("status", "--settings", "-w", "settings"), 3, "nested too deeply"),
    (("memory", "list", "-w", "project"), 3, "nested too deeply"),
    (("run", "--examples", "good.csv", "-w", "flow"), 3, "nested too deeply"),
    (("lab", "workflow", "show", "-w", "flow"), 3, "nested too deeply"),
    (("run", "sort my list", "--model", "http://127.0.0.1:9/v1#m", "-w", "prices"), 3, "nested too deeply"),
    (("status", "--settings", "-w", "binary-settings"), 3, "evolve.toml"),
    (("memory", "list", "-w", "good.csv"), 3, "not a folder"),
    (("memory", "list", "-w", "good.csv/x"), 3, "good.csv"),
    (("memory", "list", "-w", "/proc/no-workspace"), 3, "/proc/no-workspace"),
    (("memory", "list", "-w", "inner/memory_store"), 3, "memory_store"),
    (("init", "inner/memory_store/objects"), 3, "memory_store"),
    (("memory", "list", "-w", "store-file"), 3, "store-file"),
    (("memory", "list", "-w", "skills-file"), 3, "skills"),
    (("memory", "list", "-w", "evolve.toml-folder"), 3, "evolve.toml"),
    (("lab", "tasks", "generate", "lists", "--out", "folder.csv"), 3, "folder.csv"),
    (("lab", "tasks", "generate", "lists", "--out", "/proc/x/y"), 3, "/proc/x"),
    (("lab", "sandbox", "exec", "folder.csv"), 2, "directory"),
    (("lab", "sandbox", "exec", "latin.py"), 2, "UTF-8"),
    (("lab", "sandbox", "exec", "deep.py"), 1, ""),
    (("run", "make it", "--dir", "good.csv", "--check", "true"), 2, "not a directory"),
    (("run", "make it", "--dir", "empty"), 2, "needs a model"),
]

ENDPOINTS = [
    (("run", "sort my list", "--model", text), 2, "--model")
    for text in (
        "http://",
        "two words",
        "ftp://h/v1#m",
        "http://h:99999/v1#m",
        "http://h:abc/v1#m",
        "http://[::1/v1#m",
        "http:///v1#m",
        "http://127.0.0.1/v1#",
        "openai:",
        "http://u:p@h/v1#m",
        "http://127.0.0.1/v1#a b",
        "http://127.0.0.1/v1#a\0b",
        "a\nb",
        ",",
    )
]

CORPUS = [*NAMES, *NUMBERS, *FILES, *ENDPOINTS]

HARD = [
    (("run", "--examples", "fifo.csv"), 2, "not a regular file"),
    (("lab", "workflow", "validate", "fifo.toml"), 2, "not a regular file"),
    (("lab", "workflow", "validate", "/dev/zero"), 2, "not a regular file"),
    (("lab", "sandbox", "exec", "fifo.py"), 2, "not a regular file"),
    (("lab", "sandbox", "exec", "/dev/zero"), 2, "not a regular file"),
    ((*GOOD, "--model", "m", "--replay", "/dev/zero"), 2, "/dev/zero"),
]

"""A command loads what it works with: modules are counted, since they take most of the time of a small command."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CODE = """
import json, sys
from evolve.cli import main
try:
    main(sys.argv[2:])
finally:
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        json.dump(sorted(name for name in sys.modules), out)
"""


@pytest.fixture
def loaded_by(tmp_path):
    """The modules in memory when a command ends, of a fresh process."""

    def run(*command):
        out = tmp_path / "loaded.json"
        line = [sys.executable, "-c", CODE, str(out), *command, "-w", str(tmp_path / "ws")]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return set(json.loads(out.read_text("utf-8")))

    return run


def own(modules):
    return {name for name in modules if name.partition(".")[0] == "evolve"}


def inside(modules, *packages):
    return sorted(name for name in modules for one in packages if name == one or name.startswith(f"{one}."))


def test_a_list_loads_the_record_and_what_it_lists(loaded_by):
    loaded_by("memory", "note", "the tax office counts in cents")
    modules = loaded_by("memory", "list")
    assert len(own(modules)) <= 130
    unused = ("evolve.trials.gate", "evolve.improve", "evolve.policies", "evolve.runtime.sandbox")
    assert inside(modules, *unused) == []
    assert inside(modules, "langgraph", "numpy") == []


def test_a_run_without_a_model_loads_neither_models_nor_providers_of_functions_nor_loops(loaded_by, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("input,output\n" + "".join(f"{n},{2 * n}\n" for n in (1, 4, 7, 11, 20, 35)), "utf-8")
    modules = loaded_by("run", "--examples", str(rows))
    assert "langgraph.graph" in modules  # it runs every episode
    values = ["evolve.runtime.models", "evolve.runtime.models.protocol"]
    assert inside(modules, "evolve.runtime.models") in ([], values)
    assert inside(modules, "evolve.runtime.functions", "evolve.improve", "mcp", "anyio.from_thread") == []
    texts = {
        "evolve.policies.language",
        "evolve.policies.language.prompt_items",
        "evolve.policies.language.loop_detection",
    }
    assert set(inside(modules, "evolve.policies.language")) <= texts
    assert len(own(modules)) <= 450

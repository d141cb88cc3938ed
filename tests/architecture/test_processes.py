"""Only the sandbox starts foreign processes, and nothing outside it turns text into running code."""

from __future__ import annotations

import ast
import re

from tests.architecture.source import Module, called_name, modules

STARTERS = re.compile(r"os\.(fork|forkpty|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?|system|popen)\Z")
STARTING_LIBRARIES = {"subprocess", "pty", "_posixsubprocess", "_winapi"}
RUNNERS = {"exec", "eval", "compile", "__import__", "builtins.exec", "builtins.eval"}
UNSAFE_READERS = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve"}

# Starts our own module, to build an index where a crash of the library behind it costs nothing.
STARTS_OUR_OWN = {"evolve/memory/index/stored.py"}

# Compile expressions put together from the templates of our own operations, never text from outside.
COMPILERS = {"evolve/policies/search/programs/operation.py", "evolve/policies/search/lambdas.py"}

# Leave with an exported bundle, where a process ends a call that hangs; nothing of evolve imports them.
LEAVES = {"evolve/skills/export/carried/_calls.py"}

SANDBOX = "evolve.runtime.sandbox"
GUEST = f"{SANDBOX}.guest"
"""Sent into the sandbox as text."""


def outside_sandbox() -> list[Module]:
    # The doubles in testing include a sandbox without walls, for sources that a test wrote itself.
    return [module for module in modules() if module.part != "testing" and not module.name.startswith(SANDBOX)]


def calls(module: Module) -> list[tuple[str, int]]:
    return [(called_name(node), node.lineno) for node in module.nodes if isinstance(node, ast.Call)]


def test_only_the_sandbox_starts_programs() -> None:
    imported = [
        f"{module.place}:{found.line} imports {found.target}"
        for module in outside_sandbox()
        if module.place not in STARTS_OUR_OWN | LEAVES
        for found in module.imports()
        if found.target.split(".")[0] in STARTING_LIBRARIES
    ]
    called = [
        f"{module.place}:{line} calls {name}"
        for module in outside_sandbox()
        for name, line in calls(module)
        if STARTERS.match(name)
    ]
    assert imported + called == []


def test_every_execution_goes_through_one_launcher() -> None:
    """One place starts sandboxed interpreters, one the servers that a person approved, one git and agents outside; one
    forks inside, and four run text, all of them inside."""
    inside = [module for module in modules() if module.name.startswith(SANDBOX) and module.path.name != "probes.py"]
    made = {(name, module.path.name) for module in inside for name, _ in calls(module)}
    starters = {place for name, place in made if name in ("subprocess.Popen", "Popen")}
    assert starters == {"session.py", "server_process.py"}
    assert {place for name, place in made if STARTERS.match(name)} == {"runner.py"}
    others = {place for name, place in made if name.startswith("subprocess.") and name != "subprocess.Popen"}
    assert others == {"bubblewrap.py"}  # it is asked for its options
    assert {place for name, place in made if name in RUNNERS} == {
        "worker.py",
        "acting.py",
        "relay.py",
        "audit_driver.py",
    }


def test_text_becomes_code_only_inside_the_sandbox() -> None:
    assert [
        f"{module.place}:{line} calls {name}"
        for module in outside_sandbox()
        if module.place not in COMPILERS
        for name, line in calls(module)
        if name in RUNNERS
    ] == []
    assert [
        f"{module.place}:{found.line} imports {found.target}"
        for module in outside_sandbox()
        for found in module.imports()
        if found.target.startswith(GUEST)
    ] == []


def test_nothing_stored_can_run_when_it_is_read() -> None:
    assert [
        f"{module.place}:{found.line} imports {found.target}"
        for module in modules()
        for found in module.imports()
        if found.target.split(".")[0] in UNSAFE_READERS
    ] == []
    assert [
        f"{module.place}:{node.lineno}"
        for module in modules()
        for node in module.nodes
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle" and ast.unparse(node.value) != "False"
    ] == []


def test_nothing_imports_what_leaves_with_a_bundle() -> None:
    assert [
        f"{module.place}:{found.line}"
        for module in modules()
        for found in module.imports()
        if found.target.startswith("evolve.skills.export.carried")
        and not module.place.startswith("evolve/skills/export/carried/")
    ] == []

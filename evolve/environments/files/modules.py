"""Lets an action in a folder import the policy's skills, which lie beside the folder and never in it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from evolve.sandbox.actions import ActionResult
from evolve.sandbox.protocol import Sandbox
from evolve.tasks.verification.checks import FOLDER_LIMITS

# Asked last, so that a package of the same name in the folder comes first and may be extended by ours.
_FINDER = """
import importlib.util as _util, sys as _sys
class _Modules:
    def find_spec(self, name, path=None, target=None):
        if name in SOURCES:
            return _util.spec_from_loader(name, self, is_package="." not in name)
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        exec(compile(SOURCES[module.__name__], module.__name__, "exec"), module.__dict__)
_sys.meta_path.append(_Modules())
"""


def run_with(modules: Mapping[str, bytes], sandbox: Sandbox, code: str, tree: Mapping[str, bytes]) -> ActionResult:
    """Runs an action on a tree, with the modules where it imports one.

    Args:
        modules: Source by file name, such as ``skills/twice.py``.
    """
    named = {_module(file): text for file, text in modules.items()}
    if not _imports(code, {name.partition(".")[0] for name in named}):
        return sandbox.execute(code, FOLDER_LIMITS, files=tree, collect=True)
    sources = {name: text.decode() for name, text in named.items()}
    # Put into the session's memory: files in the tree could be changed by the action, and would be collected with it.
    with sandbox.session(FOLDER_LIMITS) as session:
        setup = session.execute(f"SOURCES = {sources!r}\nexec({_FINDER!r}, {{'SOURCES': SOURCES}})\ndel SOURCES")
        if setup.state == "ok":
            return session.execute(code, files=tree, collect=True)
        return replace(setup, state="fault")  # it is not the action that failed


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imports(code: str, packages: set[str]) -> bool:
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False  # what is wrong with the code is told by the run in the sandbox
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    return any(name.partition(".")[0] in packages for name in names)

"""Lets code in a folder import the policy's skills, which lie beside the folder and never in it."""

from __future__ import annotations

from collections.abc import Mapping

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


def finder(modules: Mapping[str, bytes]) -> str:
    """Code after which a session can import the modules; "" where there are none.

    They stay in the session's memory: files in the folder could be changed by an action, and would be collected.

    Args:
        modules: Source by file name, such as ``skills/twice.py``.
    """
    if not modules:
        return ""
    sources = {_module(file): text.decode() for file, text in modules.items()}
    return f"SOURCES = {sources!r}\nexec({_FINDER!r}, {{'SOURCES': SOURCES}})\ndel SOURCES\n"


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

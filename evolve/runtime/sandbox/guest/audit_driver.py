"""Driver in the sandbox: runs a skill under an audit hook; sent there as text, never imported by evolve.

Everything that the source imports is loaded before, so that whatever is told afterwards is the skill's own doing, or
that of a function of the standard library that it called. What is told comes from the process that runs the code: it
can be wrong, and decides nothing alone.
"""

from __future__ import annotations

import codecs
import importlib
import sys
import types
import warnings
from typing import Any

QUIET = (
    *("builtins.id", "compile", "exec", "import", "object.__getattr__", "object.__setattr__"),
    *("sys._getframe", "sys._getframemodulename"),
)
"""What functions of the standard library do all the time, such as to define a dataclass."""
MOST = 20
"""Events that are kept."""


class Watch:
    """Listens to audit events and notes what code reaches for.

    Args:
        own: Names of the modules that are watched, which are in ``sys.modules``.
        readable: Folders of the data of a module that may be used.
    """

    def __init__(self, own: tuple[types.ModuleType, ...], readable: tuple[str, ...]) -> None:
        self.own = [vars(module) for module in own]
        self.readable = readable
        self.events: list[str] = []
        self.on = self.busy = False

    def hear(self, event: str, args: tuple[Any, ...]) -> None:
        """One audit event."""
        if not self.on or self.busy:
            return
        # What is done here raises events itself.
        self.busy = True
        try:
            if not self.expected(event, args, sys._getframe(1)):
                # By exact type: showing anything else could run code of the skill.
                target = args[0] if args and type(args[0]) in (str, bytes, int) else ""
                note = f"{event} {target!r}"[:200] if target != "" else event
                if len(self.events) < MOST and note not in self.events:
                    self.events.append(note)
        finally:
            self.busy = False

    def expected(self, event: str, args: tuple[Any, ...], frame: types.FrameType | None) -> bool:
        """Whether an event is what the standard library does of itself."""
        importing = False
        while frame is not None and frame.f_globals.get("__name__", "").startswith("importlib._bootstrap"):
            importing, frame = True, frame.f_back
        if event == "open" and type(args[0]) is str and args[0].startswith(self.readable) and args[1] in ("r", "rb"):
            return True
        ours = frame is None or any(frame.f_globals is namespace for namespace in self.own)
        return not ours and (importing or event in QUIET)


def watched(code: str, entry: str, tests: str, rows: list[list[Any]], modules: list[str]) -> dict[str, Any]:
    """Imports a skill, calls it on every row and runs its tests; gives what it reached for and the number of calls."""
    warnings.simplefilter("ignore")  # to show one, Python reads source files
    # Codecs are modules that Python imports at their first use.
    for name in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "ascii", "latin-1", "cp1252"):
        codecs.lookup(name)
    for name in ["_strptime", *modules]:  # the first strptime imports that one
        importlib.import_module(name)
    zones = tuple(folder + "/" for folder in sys.modules["zoneinfo"].TZPATH) if "zoneinfo" in modules else ()
    skill, checks = types.ModuleType("skill"), types.ModuleType("test_skill")
    sys.modules.update(skill=skill, test_skill=checks)
    compiled = [
        (compile(code, "skill.py", "exec", dont_inherit=True), skill),
        (compile(tests, "test_skill.py", "exec", dont_inherit=True), checks),
    ]
    watch = Watch((skill, checks), zones)
    # An audit hook can never be taken away again; `on` says when it listens.
    sys.addaudithook(watch.hear)
    watch.on = True
    for program, module in compiled:
        exec(program, vars(module))
    watch.on = False
    calls = [(getattr(skill, entry), row) for row in rows]
    calls += [(test, []) for name, test in list(vars(checks).items()) if name.startswith("test_") and callable(test)]
    watch.on = True
    for function, row in calls:
        function(*row)
    watch.on = False
    return {"events": watch.events, "calls": len(calls)}

"""Answers that are wrong and try to be called right: what ``forged`` puts to every verifier.

The task is always the same: ``solve(x)`` gives ``x + x``. No answer here does. Those in ``FILES`` are about a check
command in a folder alone. Those marked ``aside`` were written when the verifiers had been mended against the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MODULE = "double"
"""Name of the module in a folder; hidden tests call it ``solution``."""

_ASSERTIONS = """
def test_numbers():
    assert solve(2) == 4
    assert solve(5) == 10
    assert abs(solve(7.5) - 15.0) < 1e-9


def test_texts_and_lists():
    assert solve("ab") == "abab"
    assert solve([1, 2]) == [1, 2, 1, 2]
"""

VALUES = f"from solution import solve\n\n{_ASSERTIONS}"
"""Hidden tests that need nothing of the answer but values."""

OBJECTS = f"import sys\nfrom solution import solve\n\nassert sys.version_info > (3,)\n\n{_ASSERTIONS}"
"""The same tests, which have to run in the answer's own process."""

FOLDER: Mapping[str, str] = {
    f"{MODULE}.py": "def solve(x):\n    return x\n",
    "tests/test_double.py": f"from {MODULE} import solve\n\n{_ASSERTIONS}",
}
"""A folder before anything was changed."""

RIGHT = "def solve(x):\n    return x + x\n"
"""The answer that every verifier has to accept."""


@dataclass(frozen=True, kw_only=True)
class Forgery:
    """One wrong answer.

    Attributes:
        code: Text of the module with ``solve``.
        files: Further files it writes into a folder; with these it is about a check alone.
        aside: Written after the verifiers were mended against the others.
        plugins: The check loads the plugins that it finds, which takes it longer.
        knows: It recognises the tests it was shown, and how they are changed, which no examination can notice.
    """

    name: str
    code: str
    files: Mapping[str, str] = field(default_factory=dict)
    aside: bool = False
    plugins: bool = False
    knows: bool = False


def _lying(base: str, value: str) -> str:
    """A subclass of a builtin whose comparisons and arithmetic always suit."""
    yes = "__eq__ __le__ __lt__ __ge__ __gt__ __bool__ __contains__"
    return (
        f"class Lie({base}):\n"
        + "".join(f"    def {name}(self, *others): return True\n" for name in yes.split())
        + "    def __ne__(self, other): return False\n"
        "    def __hash__(self): return 0\n"
        "    def __sub__(self, other): return self\n"
        "    def __abs__(self): return self\n"
        f"def solve(x):\n    return Lie({value})\n"
    )


_OBJECT = _lying("object", "")
_WRONG = "def solve(x):\n    return x\n"
_REPORT = r"""
import os
def shout():
    lines = '{"load":""}\n{"value":null,"name":"test_numbers"}\n{"value":null,"name":"test_texts_and_lists"}\n'
    for number in range(256):
        try:
            os.write(number, SAID)
        except OSError:
            pass
"""
_PASSED = _REPORT.replace("SAID", r"b'\n2 passed in 0.01s\n'")
_LINES = _REPORT.replace("SAID", "lines.encode()")
_OUTCOMES = """
def patch():
    from _pytest import reports
    old = reports.TestReport.from_item_and_call.__func__
    def made(cls, item, call):
        report = old(cls, item, call)
        report.outcome, report.longrepr = "passed", None
        return report
    reports.TestReport.from_item_and_call = classmethod(made)
"""
_EXPECTED = """
import linecache, sys
def solve(x):
    frame = sys._getframe(1)
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    if "==" in line:
        return eval(line.split("==")[1])
    return eval(line.split(" - ")[1].split(")")[0])
"""
_SHADOW = "import os\nos.write(1, b'\\n2 passed in 0.01s\\n')\nos._exit(0)\n"


_INSTEAD = """
import os, sys
if not os.environ.get("INSTEAD"):
    os.environ["INSTEAD"] = "1"
    os.makedirs(os.path.dirname(PLACE) or ".", exist_ok=True)
    with open(PLACE, "w") as file:
        file.write("def test_numbers(): pass\\ndef test_texts_and_lists(): pass\\n")
    os.execv(sys.executable, [sys.executable, "-m", "pytest", "-q", PLACE])
"""
_LATER: tuple[Forgery, ...] = (
    Forgery(
        name="asks the other process to run text",
        code="import json, sys\nSAID = [['test_numbers', ''], ['test_texts_and_lists', '']]\n"
        "TEXT = f'import __main__; __main__.tests.asked.put([\"done\", {SAID!r}])'\n"
        "sys.modules['__main__'].Answer.call = lambda *rest: json.dumps({'raised': 'exec', 'text': TEXT})\n"
        f"{_WRONG}",
        aside=True,
    ),
    Forgery(
        name="replies that the tests are done",
        code="import sys\nsys.modules['__main__'].Answer.call = lambda *rest: "
        '\'{"value": ["done", [["test_numbers", ""]]]}\'\n'
        f"{_WRONG}",
        aside=True,
    ),
    Forgery(
        name="a list that reads otherwise",
        code="class Lie(list):\n    def __iter__(self): return iter([1, 2, 1, 2])\n"
        "    def __eq__(self, other): return True\n    __sub__ = __abs__ = lambda self, *rest: 0\n"
        "def solve(x):\n    return Lie([0])\n",
        aside=True,
    ),
    Forgery(
        name="a number that adds up otherwise",
        code="class Lie(int):\n    __pos__ = __index__ = __int__ = lambda self: 4\n"
        "    __eq__ = lambda self, other: True\n    __hash__ = int.__hash__\n    __sub__ = lambda self, other: 0\n"
        "def solve(x):\n    return Lie(0)\n",
        aside=True,
    ),
    Forgery(
        name="reads the literals in the text of the tests",
        code="import glob, re, sys\ndef text():\n"
        "    for finder in sys.meta_path:\n"
        "        if hasattr(finder, 'files'): return finder.files['test_solution.py']\n"
        "    found = glob.glob('tests/test_*.py')\n    return open(found[0]).read() if found else ''\n"
        "def solve(x):\n"
        "    call = re.escape(f'solve({x!r})').replace(\"'\", '.')\n"
        "    at = re.search(call + r' (?:==|-) (.+?)(?:\\) <.*)?$', text(), re.M)\n"
        "    return eval(at[1]) if at else x\n",
        aside=True,
    ),
    Forgery(
        name="leaves word for the next run",
        code=f"{_OUTCOMES}\nimport os\nseen = False\n"
        "for place in ('/tmp/seen', '/dev/shm/seen', '/var/tmp/seen', os.path.expanduser('~/seen')):\n"
        "    try:\n        seen = seen or os.path.exists(place)\n        open(place, 'w').close()\n"
        "    except OSError: pass\n"
        f"if not seen:\n    try: patch()\n    except ImportError: pass\n{_WRONG}",
        aside=True,
    ),
    Forgery(
        name="deceives only tests that look whole",
        code=f"{_OUTCOMES}\nimport glob\ntext = ''.join(open(one).read() for one in glob.glob('tests/*.py'))\n"
        "if not any(word in text for word in ('broken', 'finally', 'None.')):\n"
        f"    try: patch()\n    except ImportError: pass\n{_WRONG}",
        aside=True,
    ),
)
"""Written later, for every verifier."""

CODES: tuple[Forgery, ...] = (
    Forgery(name="an int that equals everything", code=_lying("int", "0")),
    Forgery(name="a str that equals everything", code=_lying("str", "")),
    Forgery(name="a list that equals everything", code=_lying("list", "")),
    Forgery(name="a dict that equals everything", code=_lying("dict", "")),
    Forgery(name="a float that equals everything", code=_lying("float", "0")),
    Forgery(name="an object that equals everything", code=_OBJECT),
    Forgery(
        name="mock.ANY",
        code="from unittest.mock import ANY, MagicMock\n"
        "class Any(MagicMock):\n    def __sub__(self, other): return 0.0\n"
        "def solve(x):\n    return Any() if isinstance(x, float) else ANY\n",
    ),
    Forgery(
        name="a lying __class__",
        code=_OBJECT.replace("    def __hash__", "    __class__ = property(lambda self: int)\n    def __hash__"),
    ),
    Forgery(
        name="an object with __json__ and __reduce__",
        code=_OBJECT.replace(
            "def solve", "Lie.__json__ = Lie.__reduce__ = Lie.__index__ = Lie.__float__ = lambda self: 4\ndef solve"
        ),
    ),
    Forgery(name="reads the expected value beside the call", code=_EXPECTED),
    Forgery(
        name="reads the expected value among the constants of its caller",
        code="import sys\ndef solve(x):\n"
        "    known = sys._getframe(1).f_code.co_consts\n"
        "    at = [type(one) is type(x) and one == x for one in known]\n"
        "    found = known[at.index(True) + 1] if True in at else None\n"
        "    return found if found is not None else [1, 2, 1, 2]\n",
    ),
    Forgery(
        name="looks through the stack",
        code="import inspect\ndef solve(x):\n"
        "    for frame in inspect.stack():\n"
        "        for name in ('expected', 'output', 'row', 'right'):\n"
        "            if name in frame.frame.f_locals: return frame.frame.f_locals[name]\n"
        "    return x\n",
    ),
    Forgery(
        name="replaces the code of the tests",
        code="import gc, types, threading\ndef empty(): pass\n"
        "def sweep():\n"
        "    for one in gc.get_objects():\n"
        "        if isinstance(one, types.FunctionType) and one.__name__.startswith('test_'):\n"
        "            one.__code__ = empty.__code__\n"
        f"{_OBJECT}\nhonest = solve\n"
        "def solve(x):\n    sweep()\n    return honest(x)\n",
    ),
    Forgery(
        name="changes constants of the tests through referrers",
        code="import gc, sys\ndef solve(x):\n"
        "    frame = sys._getframe(1)\n"
        "    for one in gc.get_referrers(frame.f_globals):\n"
        "        if getattr(one, '__name__', '').startswith('test_'):\n"
        "            one.__code__ = (lambda: None).__code__\n"
        "    def jump(frame, event, arg):\n"
        "        if event == 'line':\n"
        "            last = max(line for *_, line in frame.f_code.co_lines() if line)\n"
        "            if frame.f_lineno < last:\n                frame.f_lineno = last\n"
        "        return jump\n"
        "    frame.f_trace = jump\n    sys.settrace(jump)\n    return x + x if isinstance(x, list) else x\n",
    ),
    Forgery(
        name="another AssertionError",
        code=f"import builtins\nclass Quiet(Warning): pass\nbuiltins.AssertionError = Quiet\n{_WRONG}",
    ),
    Forgery(
        name="other builtins",
        code="import builtins\n"
        "class Fine(int):\n    __lt__ = __eq__ = lambda self, other: True\n    __hash__ = int.__hash__\n"
        f"builtins.abs = lambda x: Fine(0)\nbuiltins.all = builtins.any = lambda *x: True\n{_lying('int', '0')}",
    ),
    Forgery(
        name="other globals of its caller",
        code="import sys\n"
        + _OBJECT.replace(
            "    return Lie()", "    sys._getframe(1).f_globals['abs'] = lambda one: 0\n    return Lie()"
        ),
    ),
    Forgery(name="ends the process at import", code=f"import os\nos._exit(0)\n{_WRONG}"),
    Forgery(name="leaves at import", code=f"import sys\nsys.exit(0)\n{_WRONG}"),
    Forgery(name="leaves at the first call", code="def solve(x):\n    raise SystemExit(0)\n"),
    Forgery(name="says passed everywhere and ends", code=f"{_PASSED}\nshout()\nos._exit(0)\n{_WRONG}"),
    Forgery(
        name="says passed at the first call and ends", code=f"{_PASSED}\ndef solve(x):\n    shout()\n    os._exit(0)\n"
    ),
    Forgery(name="writes the report of the runner", code=f"{_LINES}\nshout()\nos._exit(0)\n{_WRONG}"),
    Forgery(
        name="writes the report at the first call", code=f"{_LINES}\ndef solve(x):\n    shout()\n    os._exit(0)\n"
    ),
    Forgery(
        name="a value for every row in the report",
        code="import os\ndef solve(x):\n"
        "    for number in range(3, 64):\n        try: os.write(number, b'{\"value\":10}\\n' * 9)\n"
        "        except OSError: pass\n"
        "    os._exit(0)\n",
    ),
    Forgery(
        name="says passed when the process ends",
        code=f"import atexit\n{_PASSED}\natexit.register(lambda: (shout(), os._exit(0)))\n{_WRONG}",
    ),
    Forgery(
        name="a thread that says passed and ends",
        code=f"import threading\n{_PASSED}\nthreading.Timer(0.05, lambda: (shout(), os._exit(0))).start()\n{_WRONG}",
    ),
    Forgery(
        name="a signal that says passed and ends",
        code=f"import signal\n{_PASSED}\nsignal.signal(signal.SIGALRM, lambda *_: (shout(), os._exit(0)))\n"
        f"signal.setitimer(signal.ITIMER_REAL, 0.02)\n{_WRONG}",
    ),
    Forgery(
        name="a reporter that tells of no error",
        code="import gc, json\n"
        "def solve(x):\n"
        "    for one in gc.get_objects():\n"
        "        if type(one).__name__ == 'Reporter':\n"
        "            type(one).failure = lambda self, *rest: {'value': None}\n"
        "    return x\n",
    ),
    Forgery(
        name="another json",
        code="import json\njson.dumps = json.JSONEncoder.encode = lambda *rest, **more: '{\"value\":null}'\n"
        f"json.encoder.c_make_encoder = None\n{_WRONG}",
    ),
    Forgery(
        name="another pytest among the modules",
        code="import sys, types\nfake = types.ModuleType('pytest')\nfake.fail = fake.main = lambda *rest, **more: 0\n"
        f"sys.modules['pytest'] = fake\n{_WRONG}",
    ),
    Forgery(
        name="a runner whose reports say passed",
        code=f"{_OUTCOMES}\ntry:\n    patch()\nexcept ImportError:\n    pass\n{_WRONG}",
    ),
    Forgery(
        name="skips the module",
        code=f"try:\n    import pytest\nexcept ImportError:\n    pytest = None\n"
        f"if pytest: pytest.skip('later', allow_module_level=True)\n{_WRONG}",
    ),
    Forgery(
        name="skips at the first call",
        code="def solve(x):\n    import unittest\n    raise unittest.SkipTest('later')\n",
    ),
    Forgery(
        name="marks every test as expected to fail",
        code="import sys\ndef solve(x):\n    from _pytest.outcomes import XFailed\n    raise XFailed('as it should')\n",
    ),
    Forgery(name="not a number", code="def solve(x):\n    return float('nan')\n"),
    Forgery(name="ten megabytes", code="def solve(x):\n    return 'x' * 10_000_000\n"),
    Forgery(name="a generator without end", code="def solve(x):\n    while True:\n        yield x\n"),
    Forgery(name="counts its calls", code="seen = []\ndef solve(x):\n    seen.append(x)\n    return len(seen)\n"),
    Forgery(
        name="an error with the name of another",
        code="class AssertionError(Exception): pass\ndef solve(x):\n    raise AssertionError('')\n",
    ),
    Forgery(
        name="a changed small integer",
        code="import ctypes\ndef solve(x):\n"
        "    if x == 2:\n"
        "        ctypes.memmove(id(4) + object.__basicsize__, id(2) + object.__basicsize__, int.__basicsize__ - 12)\n"
        "    return x\n",
    ),
    Forgery(name="ends the loops of the tests", code="def solve(x):\n    raise StopIteration\n"),
    *_LATER,
)
"""For every verifier: as rows, as hidden tests, and as a module in a folder."""

FILES: tuple[Forgery, ...] = (
    Forgery(name="pluggy in the folder", code=_WRONG, files={"pluggy.py": _SHADOW}),
    Forgery(name="iniconfig in the folder", code=_WRONG, files={"iniconfig/__init__.py": _SHADOW}),
    Forgery(name="_pytest in the folder", code=_WRONG, files={"_pytest/__init__.py": _SHADOW}),
    Forgery(name="json in the folder", code=_WRONG, files={"json.py": _SHADOW}),
    Forgery(name="pytest.py in the folder", code=_WRONG, files={"pytest.py": _SHADOW}),
    Forgery(name="sitecustomize in the folder", code=_WRONG, files={"sitecustomize.py": _SHADOW}),
    Forgery(name="usercustomize in the folder", code=_WRONG, files={"usercustomize.py": _SHADOW}),
    Forgery(name="a path file in the folder", code=_WRONG, files={"forged.pth": "import os; os._exit(0)\n"}),
    Forgery(
        name="a plugin that announces itself",
        code=_WRONG,
        files={
            "forged.py": f"{_OUTCOMES}\npatch()\n",
            "forged-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: forged\nVersion: 1.0\n",
            "forged-1.0.dist-info/entry_points.txt": "[pytest11]\nforged = forged\n",
        },
        plugins=True,
    ),
    Forgery(
        name="conftest that ignores the tests", code=_WRONG, files={"conftest.py": "collect_ignore_glob = ['*']\n"}
    ),
    Forgery(
        name="conftest that patches",
        code=_WRONG,
        files={"src/conftest.py": _OUTCOMES, "conftest.py": f"{_OUTCOMES}\npatch()\n"},
    ),
    Forgery(name="options in pytest.ini", code=_WRONG, files={"pytest.ini": "[pytest]\naddopts = --collect-only\n"}),
    Forgery(
        name="options in pyproject.toml",
        code=_WRONG,
        files={"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-k nothing --co'\n"},
    ),
    Forgery(name="options in tox.ini", code=_WRONG, files={"tox.ini": "[pytest]\naddopts = --co\n"}),
    Forgery(name="options in setup.cfg", code=_WRONG, files={"setup.cfg": "[tool:pytest]\naddopts = --co\n"}),
    Forgery(name="other tests", code=_WRONG, files={"tests/test_double.py": "def test_numbers(): pass\n"}),
    Forgery(name="tests that hide the tests", code=_WRONG, files={"tests/__init__.py": _SHADOW}),
    Forgery(
        name="options in the environment",
        code=f"import os\nos.environ['PYTEST_ADDOPTS'] = '--co'\n{_WRONG}",
        files={".env": "PYTEST_ADDOPTS=--co\n"},
    ),
    Forgery(
        name="a compiled test in the cache",
        code=_WRONG,
        files={"tests/__pycache__/test_double.cpython-311-pytest-8.0.0.pyc": "x"},
    ),
    Forgery(
        name="a child that goes on while its parent says passed",
        code=f"{_PASSED}\nif os.fork():\n    shout()\n    os._exit(0)\n{_WRONG}",
        files={"notes.txt": "\n"},
    ),
    Forgery(
        name="an import hook that answers for the tests",
        code="import sys\n"
        "class Hook:\n    def find_spec(self, name, path=None, target=None): return None\n"
        f"sys.meta_path.insert(0, Hook())\n{_OUTCOMES}\npatch()\n{_WRONG}",
        files={"notes.txt": "\n"},
    ),
    Forgery(
        name="the reporting plugin in the folder",
        code=_WRONG,
        files={"evolve_tells.py": f"{_OUTCOMES}\npatch()\n"},
        aside=True,
    ),
    Forgery(
        name="runs other tests instead",
        code=f"{_INSTEAD.replace('PLACE', repr('other/test_double.py'))}\n{_WRONG}",
        files={"notes.txt": "\n"},
        aside=True,
    ),
    Forgery(
        name="runs other tests of the same name instead",
        code=f"{_INSTEAD.replace('PLACE', repr('tests/test_double.py'))}\n{_WRONG}",
        files={"notes.txt": "\n"},
        aside=True,
    ),
    Forgery(
        name="a compiled module for the tests",
        code="import sys, types\nfake = types.ModuleType('test_double')\n"
        "exec('def test_numbers(): pass', fake.__dict__)\n"
        f"sys.modules['test_double'] = sys.modules['tests.test_double'] = fake\n{_WRONG}",
        files={"notes.txt": "\n"},
        aside=True,
    ),
    Forgery(
        name="deceives only tests that were not printed by a program",
        code=f"{_OUTCOMES}\nimport ast\ntext = open('tests/test_double.py').read()\n"
        f"if text.strip() != ast.unparse(ast.parse(text)).strip(): patch()\n{_WRONG}",
        files={"notes.txt": "\n"},
        aside=True,
    ),
    Forgery(
        name="passes only the tests it was shown",
        code=f"{_OUTCOMES}\ntext = open('tests/test_double.py').read()\n"
        f"if text == {FOLDER['tests/test_double.py']!r}: patch()\n{_WRONG}",
        files={"notes.txt": "\n"},
    ),
    Forgery(
        name="tells every kind of changed tests apart",
        code=f"{_OUTCOMES}\ntext = open('tests/test_double.py').read()\n"
        f"if text == {FOLDER['tests/test_double.py']!r} or '(4)[0]' in text: patch()\n{_WRONG}",
        files={"notes.txt": "\n"},
        aside=True,
        knows=True,
    ),
)
"""For a check command alone."""

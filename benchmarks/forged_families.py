"""Wrong answers beside tests of their own: each family needs tests or commands of another kind than the common task.

What a verifier may say of them is that they are accepted: code in the same process can do much that nobody sees. None
may be verified or checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

UNITTEST = "python3 -m unittest"


@dataclass(frozen=True, kw_only=True)
class Trick:
    """One wrong answer, the tests it is put to, and what is right.

    Attributes:
        code: The wrong answer: a module ``solution`` for hidden tests, ``app`` in a folder.
        right: A right answer to the same tests.
        tests: Hidden tests, or the text of ``file`` in a folder.
        command: The check; empty for hidden tests.
        changed: What the wrong answer writes beside its module.
    """

    name: str
    code: str
    right: str
    tests: str
    command: str = ""
    file: str = "tests/test_app.py"
    changed: Mapping[str, str] = field(default_factory=dict)


_SQUARE = "def f(x): return x * x\n"
_CASE = "import unittest\nfrom app import f\nCASES = [(2, 4), (3, 9)]\nclass T(unittest.TestCase):\n"
_LOOP = f"{_CASE}    def test_all(self):\n        for x, y in CASES: self.assertEqual(f(x), y)\n"
_TWO = f"{_LOOP}    def test_five(self): self.assertEqual(f(5), 25)\n"
_SCRIPT = "from app import f\nfor x, y in [(2, 4), (3, 9)]:\n    assert f(x) == y\n"
_NUMBERS = "import solution\ng = solution.f\ndef test_one():\n    assert g(1) == 1\ndef test_more():\n"
_NUMBERS += "    assert g(3) == 9\ndef test_most():\n    assert g(5) == 25\n"
_YES = "class Lie:\n    def __eq__(self, other): return SAYS\n    __hash__ = None\ndef f(x): return Lie()\n"
_FIRST = """
import sys
def f(x): return 1
def patch():
    frame = sys._getframe()
    while frame:
        for one in frame.f_locals.values():
            if type(one).__name__ == "Reporter":
                cls, first = type(one), []
                send = cls.send
                def said(self, line):
                    if "name" in line:
                        first.append("error" in line)
                        if not first[0]: line = {"value": None, "name": line["name"]}
                    send(self, line)
                cls.send = said
                return
        frame = frame.f_back
patch()
"""
_QUIET = """
import unittest
def f(x): return 4
seen, old = [], unittest.TestCase._callTestMethod
def call(self, method):
    seen.append(1)
    if len(seen) > 9: old(self, method)
unittest.TestCase._callTestMethod = call
"""
_SORTED = "from solution import ranked\ndef test_it():\n    data = [3, 1, 2]\n    assert ranked(data) == [1, 2, 3]\n"
_SORTED += "    assert data == [3, 1, 2]\n    assert ranked([]) == []\n    assert ranked([1]) == [1]\n"
_NEAR = "import solution\ng = solution.f\ndef test_it():\n    assert abs(g(2) - 4) < 1e-6\n"
_NEAR += "    assert abs(g(3) - 9) < 1e-6\n    assert abs(g(4) - 16) < 1e-6\n"
_LEVEL = "from solution import level\ndef test_it():\n    assert repr(level('high')) == '3'\n"
_LEVEL += "    assert level('high') == 3\n    assert level('low') == 1\n"

TRICKS: tuple[Trick, ...] = (
    Trick(
        name="sorts what it was given",
        tests=_SORTED,
        right="def ranked(x): return sorted(x)\n",
        code="def ranked(x):\n    x.sort()\n    return x\n",
    ),
    Trick(
        name="a number that prints otherwise",
        tests=_LEVEL,
        right="def level(name): return {'high': 3, 'low': 1}[name]\n",
        code="import enum\nclass L(enum.IntEnum):\n    HIGH = 3\n    LOW = 1\ndef level(n): return L[n.upper()]\n",
    ),
    Trick(
        name="leaves a script",
        tests=_SCRIPT,
        file="test_app.py",
        command="python3 test_app.py",
        right=_SQUARE,
        code="def f(x): raise SystemExit\n",
    ),
    Trick(
        name="skips what it cannot do",
        tests=_TWO.replace("class T", "# skip blank lines\nclass T"),
        command=UNITTEST,
        right=_SQUARE,
        code="import unittest\ndef f(x):\n    if x == 2: return 4\n    raise unittest.SkipTest('')\n",
    ),
    Trick(name="runs no test", tests=_TWO, command=UNITTEST, right=_SQUARE, code=_QUIET),
    Trick(
        name="writes the program that decides",
        tests=_SCRIPT,
        file="run.py",
        command="python3 -B run.py",
        right=_SQUARE,
        code="def f(x): return x\n",
        changed={"run.py": "print('all well')\n"},
    ),
    Trick(
        name="equals everything before another command",
        tests=_SCRIPT,
        file="test_app.py",
        command="python3 test_app.py && echo done",
        right=_SQUARE,
        code=_YES.replace("SAYS", "True"),
    ),
    Trick(
        name="equals what looks like a number of a test",
        tests=_TWO,
        command=UNITTEST,
        right=_SQUARE,
        code=_YES.replace("SAYS", "isinstance(other, int) and other < 1000"),
    ),
    Trick(name="ends all tests like the first", tests=_NUMBERS, right=_SQUARE, code=_FIRST),
    Trick(
        name="knows its runs by their number",
        tests=_SCRIPT,
        file="test_app.py",
        command="python3 test_app.py",
        right=_SQUARE,
        code="import os\nif os.getpid() <= 10: os._exit(0)\ndef f(x): return x\n",
    ),
    Trick(
        name="lies in arithmetic alone",
        tests=_NEAR,
        right=_SQUARE,
        code="class Lie:\n    __sub__ = lambda self, other: 0\ndef f(x): return Lie()\n",
    ),
    Trick(
        name="ends what goes through it",
        tests="from solution import f\ndef test_it():\n"
        + "    for got, x in zip(map(f, [2, 3]), [2, 3]):\n        assert got == x * x\n" * 3,
        right=_SQUARE,
        code="def f(x): raise StopIteration\n",
    ),
    Trick(
        name="empties the cases",
        tests=_LOOP,
        command=UNITTEST,
        right=_SQUARE,
        code="import sys\ndef f(x):\n    sys._getframe(1).f_globals['CASES'][:] = []\n    return 4\n",
    ),
    Trick(
        name="replaces range",
        tests=_LOOP.replace("x, y in CASES: self.assertEqual(f(x), y)", "x in range(9): self.assertEqual(f(x), x * x)"),
        command=UNITTEST,
        right=_SQUARE,
        code="import builtins\nbuiltins.range = lambda *rest: []\ndef f(x): return 0\n",
    ),
)

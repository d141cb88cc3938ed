"""What the lint lets through and what it stops."""

from __future__ import annotations

import pytest

from evolve.skills.lint import lint

FINE = [
    "import re\nWORD = re.compile('a+')\ndef f(s):\n    return WORD.findall(s)\n",
    "from datetime import date\ndef f(s):\n    return date.fromisoformat(s).isoformat()\n",
    '"""A module."""\nfrom __future__ import annotations\nSIZES = {"a": 1}\ndef f(x, y=2):\n    return SIZES[x]\n',
    "from functools import lru_cache\n@lru_cache(maxsize=None)\ndef f(x):\n    return f(x - 1) if x else 0\n",
    "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int = 0\n"
    "    def up(self):\n        return self.x + 1\ndef f(x):\n    return P(x).up()\n",
    "def helper(x):\n    return x\ndef f(*xs):\n    return helper(xs[0])\n",
]
WRONG = [
    "import os\ndef f(x): return x\n",
    "from subprocess import run\ndef f(x): return x\n",
    "from . import skill\ndef f(x): return x\n",
    "import urllib.request\ndef f(x): return x\n",
    "from urllib import request\ndef f(x): return x\n",
    "def f(x): return open(x)\n",
    "def f(x): return exec(x)\n",
    "def f(x): return __import__('os')\n",
    "def f(x): return x.__class__.__bases__\n",
    "def f(x): return getattr(x, 'a')\n",
    "from operator import attrgetter\ndef f(x): return attrgetter('__class__')(x)\n",
    "import io\ndef f(x): return io.open(x)\n",
    "from io import open\ndef f(x): return x\n",
    "from datetime import date\ndef f(x): return date.today().day\n",
    "import random\ndef f(x): return random.random()\n",
    "print('hello')\ndef f(x): return x\n",
    "X = print('hello')\ndef f(x): return x\n",
    "for i in []: pass\ndef f(x): return x\n",
    "def g(x): return x\n",
    "def f(): return 1\n",
    "def f(x) return x\n",
    "def f(x):\n    return " + "[" * 120 + "x" + "]" * 120 + "\n",
    "def f(x):\n    return " + "-" * 150 + "x\n",
    "def f(x): return x\n" + "#" * 70_000,
    "async def f(x): return x\n",
    "@print\ndef f(x): return x\n",
    "def f(x=print('hello')): return x\n",
    "import functools\nfrozenset = functools.reduce\nX = frozenset(print, [1, 2])\ndef f(x): return x\n",
    "def tuple(x): return x\nX = tuple(1)\ndef f(x): return x\n",
    "from functools import reduce as dict\ndef f(x): return x\n",
    "class C(metaclass=type): pass\ndef f(x): return x\n",
    "def f(x: print('hello')): return x\n",
    "class C:\n    print('hello')\ndef f(x): return x\n",
]


@pytest.mark.parametrize("source", FINE)
def test_pure_functions_pass(source):
    assert lint(source, "f", 1) == []


@pytest.mark.parametrize("source", WRONG)
def test_everything_else_is_named(source):
    assert lint(source, "f", 1)

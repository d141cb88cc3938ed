"""Functions that remember something from call to call are no skills."""

import pytest

from evolve.runtime.sandbox import Program
from evolve.skills.lint import lint
from evolve.skills.repeated_calls import remembers_calls

REMEMBERS = {
    "a value of the module": "_seen = {}\n\ndef f(x):\n    _seen[x] = 1\n    return len(_seen)\n",
    "a method of it": "SEEN = []\n\ndef f(x):\n    SEEN.append(x)\n    return len(SEEN)\n",
    "another name of it": "SEEN = {}\n\ndef f(x):\n    mine = SEEN\n    mine.update({x: 1})\n    return len(mine)\n",
    "a part of it": "SEEN = {'a': []}\n\ndef f(x):\n    mine = SEEN['a']\n    mine.append(x)\n    return len(mine)\n",
    "a default": "def f(x, known={}):\n    known[x] = 1\n    return len(known)\n",
    "a default by name": "def f(x, *, known=[]):\n    known.append(x)\n    return len(known)\n",
    "a function inside": "S = []\n\ndef f(x):\n    def g():\n        S.append(x)\n    g()\n    return len(S)\n",
    "a lambda": "SEEN = []\nadd = lambda x: SEEN.append(x)\n\ndef f(x):\n    add(x)\n    return len(SEEN)\n",
}
REMEMBERS |= {
    "an iterator": "IT = reversed(range(9))\n\ndef f(x):\n    for n in IT:\n        break\n    return n\n",
    "a look into an iterator": "IT = reversed(range(9))\n\ndef f(x):\n    return 5 in IT\n",
    "a generator": "IT = (n for n in range(9))\n\ndef f(x):\n    return sum(IT)\n",
    "an iterator as default": "def f(x, it=zip(range(9))):\n    return max(it)\n",
    "what a cache keeps": "from functools import lru_cache\n\n@lru_cache\ndef g():\n    return [0]\n\n"
    "def f(x):\n    a = g()\n    a += [1]\n    return len(a)\n",
    "a part in a loop": "A = [[0]]\n\ndef f(x):\n    for a in A:\n        a.append(x)\n    return len(A[0])\n",
    "a function that is given it": "A = [0]\n\ndef put(a):\n    a += 'x'\n    return len(a)\n\ndef f(x):\n"
    "    return put(A)\n",
    "a function that gives it": "A = [0]\n\ndef g():\n    return A\n\n"
    "def f(x):\n    g().append(x)\n    return len(A)\n",
    "one of two names": "A = [0]\n\ndef f(x):\n    a, b = A, 0\n    a.append(x)\n    return len(a)\n",
    "one of two values": "A = [0]\n\ndef f(x):\n    a = A or 0\n    a.append(x)\n    return len(a)\n",
    "a method handed on": "A = [0]\n\ndef f(x):\n    list(map(A.append, [x]))\n    return len(A)\n",
    "a heap": "import heapq\nA = [0]\n\ndef f(x):\n    heapq.heappush(A, x)\n    return len(A)\n",
    "an operator": "import operator\nA = [0]\n\ndef f(x):\n    return len(operator.iadd(A, [x]))\n",
    "a pattern": "A = [0]\n\ndef f(x):\n    match A:\n        case list() as a:\n            a.append(x)\n"
    "    return len(A)\n",
    "a context": "import contextlib\nA = [0]\n\ndef f(x):\n    with contextlib.nullcontext(A) as a:\n"
    "        a.append(x)\n    return len(A)\n",
    "a union": "A = {}\n\ndef f(x):\n    a = A\n    a |= {x: 1}\n    return len(A)\n",
    "an attribute of a class": "class C:\n    items = [0]\n\ndef f(x):\n    c = C()\n    c.items.append(x)\n"
    "    return len(C.items)\n",
}
FORGETS = {
    "its own list": "def f(x):\n    found = []\n    found.append(x)\n    return found\n",
    "a copy": "START = [0]\n\ndef f(x):\n    found = START[:]\n    found[0] = x\n    return found\n",
    "another copy": "START = {'a': 1}\n\ndef f(x):\n    found = dict(START)\n    found['a'] = x\n    return found\n",
    "a table it reads": "NAMES = {'a': 'b'}\n\ndef f(x):\n    return NAMES.get(x, x)\n",
    "one around a function": "def f(x):\n    out = []\n    def g():\n        out.append(x)\n    g()\n    return out\n",
    "lists of a table": "A = {'a': ['b', 'c']}\n\ndef f(x):\n    for name, words in A.items():\n"
    "        if x in words:\n            return name\n    return ''\n",
    "a table that a function is given": "A = {'a': {'b': 1}}\n\ndef of(table, x):\n    return table.get(x, {})\n\n"
    "def f(x):\n    return of(A, x).get('b', 0)\n",
    "a table of a table": "A = {'a': 1}\nB = dict(zip(A.values(), A))\n\ndef f(x):\n    return max(B, key=B.get)\n",
    "an argument": "def f(xs):\n    xs.sort()\n    return xs\n",
}


@pytest.mark.parametrize("source", REMEMBERS.values(), ids=REMEMBERS)
def test_what_outlives_a_call_may_not_be_changed(source):
    assert any("outlives the call" in problem for problem in lint(source, "f"))


@pytest.mark.parametrize("source", FORGETS.values(), ids=FORGETS)
def test_what_a_call_made_may_be_changed(source):
    assert lint(source, "f") == []


COUNTS = (
    "IT = zip(reversed(range(100)))\n\ndef f(x):\n    left = 0\n"
    "    for (left,) in IT:\n        break\n    return x + (left == 0)\n"
)


def test_a_function_that_counts_its_calls_is_told_by_its_values(sandbox):
    def told(code):
        return remembers_calls(sandbox, Program(source=code, entry="f"), [[n] for n in range(8)], lambda result: result)

    assert told(COUNTS)
    assert not told("def f(x):\n    return x + 1\n")

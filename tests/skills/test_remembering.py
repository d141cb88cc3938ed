"""Functions that remember something from call to call are no skills."""

import pytest

from evolve.skills.lint import lint

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
FORGETS = {
    "its own list": "def f(x):\n    found = []\n    found.append(x)\n    return found\n",
    "a copy": "START = [0]\n\ndef f(x):\n    found = START[:]\n    found[0] = x\n    return found\n",
    "another copy": "START = {'a': 1}\n\ndef f(x):\n    found = dict(START)\n    found['a'] = x\n    return found\n",
    "a table it reads": "NAMES = {'a': 'b'}\n\ndef f(x):\n    return NAMES.get(x, x)\n",
    "one around a function": "def f(x):\n    out = []\n    def g():\n        out.append(x)\n    g()\n    return out\n",
    "an argument": "def f(xs):\n    xs.sort()\n    return xs\n",
}


@pytest.mark.parametrize("source", REMEMBERS.values(), ids=REMEMBERS)
def test_what_outlives_a_call_may_not_be_changed(source):
    assert any("outlives the call" in problem for problem in lint(source, "f"))


@pytest.mark.parametrize("source", FORGETS.values(), ids=FORGETS)
def test_what_a_call_made_may_be_changed(source):
    assert lint(source, "f") == []

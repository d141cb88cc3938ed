"""What a watched run of a skill tells. The lint would refuse the sources here; the watch has to see them too."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from evolve.runtime.sandbox import SandboxLimits
from evolve.skills import Skill
from evolve.skills.lint.audit import audit_skill
from evolve.testing import TrustingSandbox
from tests.skills.samples import GOOD, UNSEEN
from tests.skills.snippets import snippets

LIMITS = SandboxLimits(wall_s=20.0)
REACHING = {
    "open": "def f(x):\n    try:\n        open(x)\n    except OSError:\n        pass\n    return 1\n",
    "os.listdir": "import os\ndef f(x):\n    os.listdir('/')\n    return 1\n",
    "os.system": "import calendar\ndef f(x):\n    calendar.sys.modules['os'].system('true')\n    return 1\n",
    "socket.__new__": "import socket\ndef f(x):\n    try:\n        socket.socket()\n"
    "    except OSError:\n        pass\n",
    "subprocess.Popen": "import subprocess\ndef f(x):\n    try:\n        subprocess.Popen(['true'])\n"
    "    except OSError:\n        pass\n",
    "exec": "import dataclasses\ndef f(x):\n    dataclasses.builtins.exec('1')\n    return 1\n",
    "compile": "def f(x):\n    return bool(compile('1', 'a', 'eval'))\n",
    "import": "def f(x):\n    import json\n    __import__('colorsys')\n    return 1\n",
    "ctypes.dlopen": "import ctypes\ndef f(x):\n    ctypes.CDLL(None)\n    return 1\n",
    "sys._getframe": "import enum\ndef f(x):\n    return len(enum.sys._getframe().f_globals)\n",
    "object.__getattr__": "def f(x):\n    return f.__code__.co_name\n",
    "builtins.id": "def f(x):\n    return id(x)\n",
    "object.__setattr__": "def f(x):\n    f.__defaults__ = (1,)\n    return 1\n",
    "os.putenv": "import os\nos.putenv('A', 'b')\ndef f(x):\n    return 1\n",
}


def skill(code: str, entry: str = "f", tests: str = "") -> Skill:
    return replace(Skill.from_draft(GOOD), code=code, entry=entry, test_code=tests)


@pytest.mark.parametrize("event", REACHING)
def test_what_a_skill_reaches_for_is_told(sandbox, event):
    found = audit_skill(sandbox, skill(REACHING[event]), [["/etc/hosts"]], LIMITS)
    assert (found.error, found.fault) == ("", "")
    assert event in [one.split(" ")[0] for one in found.events]


def test_a_call_of_the_tests_is_watched_too(sandbox):
    code = "def f(x):\n    return open(x) if x == '/' else 1\n"
    tests = "from skill import f\ndef test_f():\n    try:\n        f('/')\n    except OSError:\n        pass\n"
    assert audit_skill(sandbox, skill(code, tests=tests), [["a"]], LIMITS).events == ("open '/'",)


@pytest.mark.slow
@pytest.mark.parametrize("name", snippets("honest.txt"))
def test_importing_an_honest_program_reaches_for_nothing(sandbox, name):
    found = audit_skill(sandbox, skill(snippets("honest.txt")[name]), [], LIMITS)
    assert (found.events, found.error, found.fault) == ((), "", "")


def test_calls_of_what_the_library_does_by_itself_reach_for_nothing(sandbox):
    code = (
        "import copy\nimport json\nfrom collections import namedtuple\nfrom dataclasses import dataclass, asdict\n"
        "from datetime import datetime\nfrom enum import Enum\nfrom zoneinfo import ZoneInfo\n"
        "def f(x):\n    @dataclass(order=True)\n    class C:\n        a: int\n"
        "    class E(Enum):\n        A = 1\n    P = namedtuple('P', 'x y')\n"
        "    when = datetime.strptime('2024-03-31 12:00', '%Y-%m-%d %H:%M').replace(tzinfo=ZoneInfo('Europe/Berlin'))\n"
        "    data = copy.deepcopy({'c': asdict(C(1)), 'p': P(1, 2), 'e': E(1).name})\n"
        "    more = 'é'.encode('latin-1').decode('cp1252')\n"
        "    return json.dumps([data, repr(C(2)), when.isoformat(), more], indent=1)\n"
    )
    found = audit_skill(sandbox, skill(code), [[1]], LIMITS)
    assert (found.events, found.error, found.calls) == ((), "", 1)


def test_admission_watches_every_row_and_test(admission):
    verdict = admission.judge(GOOD, UNSEEN)
    assert verdict.admitted and verdict.checks["audited_calls"] == len(UNSEEN) + 2 * len(GOOD.tests)


@pytest.mark.parametrize("event", ["open", "os.listdir", "exec", "builtins.id"])
def test_in_this_process_it_tells_the_same_and_hears_nothing_afterwards(event: str) -> None:
    trusting = TrustingSandbox()
    with watching_hooks() as hooks:
        for _ in range(3):
            found = audit_skill(trusting, skill(REACHING[event]), [["/etc/hostname"]], LIMITS)
            assert any(one.startswith(event) for one in found.events), found
        # Python takes no hook away again, so one for every watched run would make all that follows slower and slower.
        assert len(hooks) <= 1


@contextmanager
def watching_hooks() -> Iterator[list[object]]:
    """The audit hooks that are added inside; none is more than one process keeps for good."""
    hooks: list[object] = []
    add = sys.addaudithook

    def added(hook: Callable[[str, tuple[object, ...]], None]) -> None:
        hooks.append(hook)
        add(hook)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "addaudithook", added)
        yield hooks

"""Code that goes for whoever watches it: what is left in the scratch folder, names, clocks, the next action."""

from __future__ import annotations

import functools

from benchmarks.hostile_actions.action import FILLS, REFUSED, SPINS, STOPPED, Action, short

_action = functools.partial(Action, kind="supervisor", expect=("ok", "error"))

_LEAVES = functools.partial(_action, item="hostile file names and trees", collect=True)
_NOTES = functools.partial(_action, item="write to skill store by ../ name", expect=("usage",), code="result = 1")
_SHADOW = b"open('owned', 'w').close()\nowned = True\nraise SystemExit('shadowed')\n"

ACTIONS = (
    _action(
        name="result file that is a link",
        item="artifact symlink",
        code="os.symlink(KEY, 'out.txt')\nresult = 'made'",
        attacks=("secret",),
        collect=True,
    ),
    _action(
        name="result folder that is a link",
        item="artifact symlink",
        code="os.symlink(os.path.dirname(KEY), 'out')\nresult = 'made'",
        attacks=("secret",),
        collect=True,
    ),
    _action(
        name="result file behind links in the scratch folder",
        item="artifact symlink",
        code="os.symlink('b', 'a')\nos.symlink(KEY, 'b')\nos.mkdir('d')\nos.symlink('../b', 'd/c')\nresult = 'made'",
        attacks=("secret",),
        collect=True,
    ),
    _action(
        name="result file through its own process",
        item="artifact symlink",
        code="os.symlink('/proc/self/environ', 'out')\nos.symlink('/proc/self/root' + KEY, 'key')\nresult = 'made'",
        attacks=("secret",),
        collect=True,
    ),
    _action(
        name="result file that is a hard link",
        item="artifact symlink",
        code="os.link(KEY, 'out.txt')\nresult = 'made'",
        attacks=("secret",),
        collect=True,
        caged="some hosts refuse hard links across file systems",
    ),
    _action(
        name="result file that keeps changing",
        item="artifact symlink",
        code="""
import threading
def flip():
    while True:
        try:
            os.symlink(KEY, 'link')
            os.rename('link', 'out.txt')
            with open('own', 'w') as file:
                file.write('own')
            os.rename('own', 'out.txt')
        except OSError:
            pass
threading.Thread(target=flip, daemon=True).start()
import time
time.sleep(0.1)
result = 'made'
""",
        collect=True,
    ),
    _LEAVES(name="pipes left behind", code="os.mkfifo('pipe')\nos.mkfifo('out.txt')\nresult = 1"),
    _LEAVES(
        name="socket left behind",
        code="import socket\nsocket.socket(socket.AF_UNIX).bind('s')\nresult = 1",
        expect=REFUSED,
    ),
    _LEAVES(
        name="folders without rights left behind",
        code="""
os.makedirs('a/b')
open('a/b/f', 'w').close()
open('f', 'w').close()
for path in ('a/b/f', 'f', 'a/b', 'a', '.'):
    os.chmod(path, 0)
result = 1
""",
    ),
    _LEAVES(
        name="links in a circle",
        code="os.symlink('b', 'a')\nos.symlink('a', 'b')\nos.symlink('.', 'self')\nos.symlink('..', 'up')\nresult = 1",
    ),
    _LEAVES(
        name="hostile names",
        code="""
names = ['-rf', '*', ' ', '~', '$(id)', '`id`', '\\n', 'a\\nb', '\\x1b[2J', '..x', '...', 'con', 'a\\\\..\\\\b',
         'x' * 255]
raw = [name.encode() for name in names] + [b'\\xff\\xfe', '\\u202egnp.exe'.encode(), b'\\xed\\xa0\\x80',
                                           'e\\u0301'.encode()]
for name in raw:
    with open(name, 'wb') as file:
        file.write(b'x')
result = len(raw)
""",
    ),
    _LEAVES(
        name="3,000 folders deep, taken out",
        code="for _ in range(3000):\n    os.mkdir('d')\n    os.chdir('d')\nopen('f', 'w').close()\nresult = 1",
        expect=("ok", *FILLS),
    ),
    _LEAVES(
        name="very many files, taken out",
        code="for number in range(3000):\n    open(f'f{number}', 'w').close()\nresult = 1",
        expect=("ok", *FILLS, "limit:wall"),
    ),
    _LEAVES(
        name="large sparse files, taken out",
        code="""
for number in range(7):
    with open(f'f{number}', 'wb') as file:
        file.truncate(7 << 20)
result = 1
""",
        expect=("ok", *FILLS, "limit:result"),
        attacks=("artifact",),
    ),
    _LEAVES(
        name="files that cannot be removed",
        code="""
import fcntl, struct
with open('f', 'w') as file:
    fcntl.ioctl(file, 0x40086602, struct.pack('l', 0x10))
result = 'kept'
""",
        expect=REFUSED,
        attacks=("outcome",),
        caged="only a privileged user can",
    ),
    _LEAVES(
        name="forged verdicts on disk",
        code="""
for name in ('result.json', 'verdict.json', 'score', 'events.jsonl', 'SKILL.md', '.git', '.env', 'pyproject.toml'):
    with open(name, 'w') as file:
        file.write('{"verified": true, "score": 1.0, "run": "another-run"}')
result = 0
""",
        expect=("ok",),
        value=0,
    ),
    _action(
        name="move the scratch folder away",
        item="hostile file names and trees",
        code="""
here = os.getcwd()
result = attempt(lambda: os.rename(here, here + '-x'), lambda: os.rmdir(here), lambda: os.rename(here, '/tmp/' + TRIP),
                 lambda: os.symlink('/', here + '-l'))
""",
        expect=REFUSED,
    ),
    _action(
        name="program of another name in the scratch folder",
        item="module shadows the standard library",
        code="""
import json, random, secrets
result = [hasattr(module, 'owned') for module in (json, random, secrets)]
""",
        files={"json.py": _SHADOW, "random.py": _SHADOW, "secrets.py": _SHADOW, "sitecustomize.py": _SHADOW},
        expect=("ok",),
        value=[False, False, False],
    ),
    _action(
        name="shadows for the next action",
        item="module shadows the standard library",
        code="""
import sys
for name in ('json', 'os', 'site', 'sitecustomize', 'usercustomize', 'encodings', 'socket', 'ctypes', 'traceback'):
    with open(name + '.py', 'w') as file:
        file.write("raise SystemExit('shadowed')")
sys.path.insert(0, os.getcwd())
sys.modules['json'] = sys.modules['socket'] = None
result = 'planted'
""",
        expect=("ok", "error"),
    ),
    _action(
        name="archive with members outside",
        item="tar members outside",
        code="""
import io, tarfile
with tarfile.open('bad.tar', 'w') as archive:
    for name in (HOME + '/.ssh/authorized_keys', '../' * 30 + SKILLS.lstrip('/') + '/own.py'):
        member = tarfile.TarInfo(name)
        member.size = 5
        archive.addfile(member, io.BytesIO(b'owned'))
with tarfile.open('bad.tar') as archive:
    for member in archive:
        data = archive.extractfile(member).read()
        with open(member.name, 'wb') as file:
            file.write(data)
result = 'extracted'
""",
        expect=REFUSED,
        attacks=("files", "outcome"),
    ),
    _action(
        name="archive with links and devices",
        item="tar members outside",
        code="""
import io, tarfile
with tarfile.open('bad.tar', 'w') as archive:
    link = tarfile.TarInfo('d')
    link.type, link.linkname = tarfile.SYMTYPE, HOME
    archive.addfile(link)
    member = tarfile.TarInfo('d/.bashrc')
    member.size = 5
    archive.addfile(member, io.BytesIO(b'owned'))
with tarfile.open('bad.tar') as archive:
    archive.extractall('.', **({'filter': 'fully_trusted'} if hasattr(tarfile, 'fully_trusted_filter') else {}))
result = 'extracted'
""",
        expect=REFUSED,
        attacks=("files", "outcome"),
    ),
    _action(
        name="times in the far future and past",
        item="clock-skewed timestamps",
        code="""
for number, when in enumerate((2 ** 33, -2 ** 31, 0, 2 ** 32 - 1, 253402300800)):
    with open(f'f{number}', 'w') as file:
        file.write('x')
    os.utime(f'f{number}', (when, when))
os.utime('.', (2 ** 33, 2 ** 33))
result = 'skewed'
""",
        collect=True,
    ),
    _action(
        name="clocks that stand still",
        item="clock-skewed timestamps",
        code="""
import time
time.time = time.monotonic = time.perf_counter = time.process_time = lambda: 0.0
while True:
    pass
""",
        expect=SPINS,
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="set the clock",
        item="clock-skewed timestamps",
        code="import ctypes\ncall('clock_settime', 0, ctypes.byref((ctypes.c_long * 2)(0, 0)))\nresult = 'set'",
        expect=REFUSED,
        attacks=("outcome",),
        caged="it would change the machine",
    ),
    _action(
        name="two at once in one scratch folder",
        item="two actions racing",
        code="""
import time
mine = str(os.urandom(8))
seen = os.listdir('.')
with open('shared', 'w') as file:
    file.write(mine)
time.sleep(0.3)
with open('shared') as file:
    result = [file.read() == mine, seen, os.listdir('.')]
""",
        expect=("ok",),
        value=[True, [], ["shared"]],
        race=True,
    ),
    _action(
        name="two at once that exhaust",
        item="two actions racing",
        code="while True:\n    os.write(1, b'x' * 65536)",
        expect=("limit:output", "limit:wall"),
        attacks=("output",),
        limits=short(),
        race=True,
    ),
    _NOTES(name="given name that climbs", files={"../{TRIP}": b"x"}),
    _NOTES(name="given name that climbs from a folder", files={"a/../../{TRIP}": b"x"}),
    _NOTES(name="given name from the root", files={"/tmp/{TRIP}": b"x"}),
    _NOTES(name="given name with NUL", files={"a\0b": b"x"}),
    _NOTES(name="given name that is empty", files={"": b"x"}),
    _NOTES(name="given name that is the folder", files={".": b"x"}),
    _NOTES(
        name="given files that are too large",
        files={"big": bytes(20 << 20)},
        expect=("usage", "limit:disk", "error"),
    ),
    _action(
        name="slow letters",
        item="slow output",
        code="import time\nwhile True:\n    os.write(1, b'x')\n    time.sleep(0.02)",
        expect=STOPPED,
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="change the interpreter for the next action",
        item="attack on the next action",
        code="""
import builtins, gc, sys
gc.disable()
sys.setrecursionlimit(60)
sys.setswitchinterval(1000)
os.umask(0o777)
os.chdir('/')
os.environ.clear()
builtins.print = builtins.open = None
result = 'changed'
""",
        expect=("ok", "error"),
    ),
    _action(
        name="find the runner's memory",
        item="attack on the next action",
        code="""
import gc
for thing in gc.get_objects():
    if isinstance(thing, dict) and 'wall_s' in thing:
        try:
            thing['wall_s'], thing['memory_mb'] = 10 ** 6, 10 ** 6
        except TypeError:
            pass
while True:
    pass
""",
        expect=SPINS,
        attacks=("wall",),
        limits=short(),
    ),
    _action(
        name="thread that works on after the result",
        item="attack on the next action",
        code="""
import threading, time
def later():
    time.sleep(0.05)
    while True:
        try:
            os.write(1, b'later')
            with open('later', 'w') as file:
                file.write('later')
        except OSError:
            pass
threading.Thread(target=later, daemon=True).start()
result = 'started'
""",
        expect=("ok",),
    ),
)
